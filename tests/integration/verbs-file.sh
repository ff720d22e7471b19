#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# save and load: a round trip, and files that are damaged in every member, of
# which nothing is made.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/verbs.sh"

# Sessions without what a file does not keep: numbers of rules.
set_up() {
	map list --json
	sed -E 's/"id": [0-9]+, //g' <<<"$map_out"
}

map create web -o web
map channel slow --mode blocking --timeout 20ms --file-size 1M --file-count 3
map channel fast --subbuf-size 4K --subbufs 2
map enable 'shop:*' -c fast -x shop:x -l info -f 'count > 3 && name == "a\"b*"'
map enable 'a:b' -c fast --loglevel-only 3
map enable 'old:*' -c fast
map disable 'old:*' -c fast
map context vpid ip -c slow
map track --pid 12 --name 'nginx*'
map rotate --period 1h --size 1M
map start
map create fly --snapshot -o fly
map enable --all -s fly
before=$(set_up)

good save '^saved 2 sessions: saved.json$' save -o saved.json
good 'save one' '^saved 1 session: one.json$' save fly -o one.json
good 'to standard output' '"format": "lttngmap-sessions",' save
is "$map_out" "$(<saved.json)" 'the same'
bad 'save: a file that is there' 1 "cannot write 'saved.json': File exists.*--force" \
	save -o saved.json
good 'save --force' '' save fly -o saved.json --force
is "$(<saved.json)" "$(<one.json)" 'replaces it'
bad 'save: a directory that is not there' 1 "cannot write '/nowhere/x'" save -o /nowhere/x
bad 'save: no such session' 1 "no session 'x'" save x -o x.json
ok 'and no file is left' eval '[[ $(echo *.json*) == "one.json saved.json" ]]'
map save -o all.json

bad 'load: sessions that are there' 1 "sessions\[0\]: there is a session 'web' already" \
	load all.json
map destroy --all
touch web/trace
map load all.json
is "$map_status" 0 'load: where a trace is'
like "$map_err" "load: '[^ ]*/web' is not empty: session web is written to [^ ]*/web-[0-9]{8}-[0-9]{6}" 'it writes beside it'
is "$(set_up)" "$(sed -E "s,$PWD/web\>,$(echo "$PWD"/web-[0-9]*),g" <<<"$before")" '  ... and all else is as it was saved'
map destroy --all
rm -r web/trace web-[0-9]*
good load '^loaded 2 sessions from all.json' load all.json
is "$(set_up)" "$before" 'all is as it was saved'
map destroy --all
touch web/trace
good 'load -o' '' load -o elsewhere all.json
is "$(set_up)" "$(sed "s,$PWD,$PWD/elsewhere,g" <<<"$before")" 'writes elsewhere'
map destroy --all
rm web/trace
# Another user's folder, whose default access control list lets others into what is made there.
if [[ $EUID == 0 ]]; then
	mkdir -m 0755 theirs
	chown 65534:65534 theirs
	python3 -c 'import os, struct
entries = (1, 7, -1), (2, 7, 65534), (4, 5, -1), (16, 7, -1), (32, 5, -1)
os.setxattr("theirs", "system.posix_acl_default", struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *e) for e in entries))'
	(umask 027; map load -o theirs/below all.json; map save -o theirs/saved.json)
	is "$(ls theirs theirs/below | paste -sd ' ')" 'theirs: below saved.json  theirs/below: fly web' 'where another user has a folder'
	is "$(python3 -c 'import os, sys
print([n for n in sys.argv[1:] if os.listxattr(n)])' theirs/below theirs/below/* theirs/saved.json)" '[]' \
		'  ... what root makes there has no access control list'
	map destroy --all
fi
"$LTTNGMAP_BUILD/lttngmap" load - <one.json >/dev/null
is "$?" 0 'load from standard input'
map destroy --all
empty=$(state)
ls -R >"$TAP_DIR/files"

# changed NAME REGEX PYTHON: a file with that done to it is refused.
changed() {
	local name=$1 regex=$2

	python3 -c '
import json, sys
file = json.load(open("all.json"))
web, fly = file["sessions"]
fast = web["channels"][1]
exec(sys.argv[1])
json.dump(file, open(sys.argv[2], "w"), indent=1)' "$3" "$TAP_DIR/changed.json"
	map load "$TAP_DIR/changed.json"
	is "$map_status" 1 "$name: status 1"
	like "$map_err" "$regex" "$name: said"
	is "$(state)" "$empty" "$name: nothing made"
}
changed 'another format' 'changed.json: format: .*it is not lttngmap-sessions' 'file["format"] = "x"'
changed 'another version' 'version is unknown' 'file["version"] = 2'
changed 'no sessions' "member 'sessions' is missing" 'del file["sessions"]'
changed 'an unknown member' "sessions\[0\]: there is no member 'colour' here" 'web["colour"] = 1'
changed 'an unknown member, deep' "sessions\[0\]\.channels\[1\]\.rules\[0\]: there is no member 'id'" \
	'fast["rules"][0]["id"] = 1'
for member in session output snapshot active trackers rotation channels; do
	changed "without $member" "sessions\[0\]: member '$member' is missing" "del web['$member']"
	changed "$member is null" "sessions\[0\]\.$member: it is to be" "web['$member'] = None"
done
for member in channel subbuf_size subbufs mode blocking_timeout_ms file_size file_count contexts \
	rules; do
	changed "without $member" "sessions\[0\]\.channels\[1\]: member '$member' is missing" \
		"del fast['$member']"
	changed "$member is an object" "sessions\[0\]\.channels\[1\]\.$member: it is to be" \
		"fast['$member'] = {}"
done
changed 'a number that is a text' 'subbufs: it is to be a whole number' 'fast["subbufs"] = "4"'
changed 'a number with a fraction' 'subbufs: it is to be a whole number' 'fast["subbufs"] = 4.5'
changed 'a negative number' 'file_size: it is to be from 0' 'fast["file_size"] = -1'
changed 'a number too large' 'file_count: it is to be from 0 to 4294967295' \
	'fast["file_count"] = 1 << 40'
changed 'a geometry that none can have' 'channels\[1\]: it must be a power of two' \
	'fast["subbufs"] = 3'
changed 'a mode that none has' "mode: 'x': it is discard, overwrite or blocking" 'fast["mode"] = "x"'
changed 'a level that none is' 'loglevel: it is to be from 0 to 14' \
	'fast["rules"][0]["loglevel"] = 15'
changed 'a level alone' 'loglevel_only without loglevel' 'del fast["rules"][0]["loglevel"]'
changed 'an empty rule' 'rules\[0\]\.rule: .*it is empty' 'fast["rules"][0]["rule"] = ""'
changed 'a NUL in a text' 'rules\[0\]\.rule: it is to be a text' \
	'fast["rules"][0]["rule"] = "a\0b"'
changed 'a name that is a path' 'session: .*no name' 'web["session"] = "../web"'
changed 'a relative directory' 'output: .*no absolute path' 'web["output"] = "web"'
changed 'a session twice' "sessions\[1\]: there is a session 'web' already" \
	'fly["session"] = "web"'
changed 'a channel twice' "channels\[1\]: there is a channel 'slow' already" \
	'fast["channel"] = "slow"'
changed 'a context twice' 'contexts\[1\]: it is there twice' \
	'fast["contexts"] = ["vpid", "vpid"]'
changed 'a context that is a number' 'contexts\[0\]: it is to be a text' 'fast["contexts"] = [1]'
changed 'an unknown tracker' 'trackers\[0\]: kind is pid, uid, gid or name' \
	'web["trackers"][0]["kind"] = "cgroup"'
changed 'a tracker of another type' 'trackers\[0\]: value is to be a number' \
	'web["trackers"] = [{"kind": "pid", "value": "me"}]'
changed 'active without a channel' 'sessions\[1\]: it is active without a channel' \
	'fly["active"] = True; fly["channels"] = []'
changed 'an array' 'it is to be an object' 'file = []'
# What only the daemon can know is undone.
changed 'a filter on a missing field' "sessions\[1\]\.channels\[0\]\.rules\[0\]: .*'missing'.*\^~~~~~~" \
	'fly["channels"][0]["rules"][0]["filter"] = "missing"'
changed 'a context that is not permitted' 'channels\[1\]\.contexts\[0\]: no permission' \
	'fast["contexts"] = ["perf:x"]'
bad 'load: the same elsewhere' 1 'no permission' load -o fresh "$TAP_DIR/changed.json"
is "$(ls -R)" "$(<"$TAP_DIR/files")" 'no directory is left of these'

# damaged NAME REGEX: changed.json as it is.
damaged() {
	map load "$TAP_DIR/changed.json"
	is "$map_status" 1 "$1: status 1"
	like "$map_err" "$2" "$1: said"
	is "$(state)" "$empty" "$1: nothing made"
}
head -c 300 all.json >"$TAP_DIR/changed.json"
damaged 'cut off' 'line [0-9]+, column [0-9]+: it ends too early'
(cat all.json; echo '{}') >"$TAP_DIR/changed.json"
damaged 'with something behind it' 'line [0-9]+, column 1: '
sed 's/"version": 1,/"version": one,/' all.json >"$TAP_DIR/changed.json"
damaged 'no JSON' 'line 3, column 1[0-9]: '
sed 's/"version": 1,/"version": 1, "version": 1,/' all.json >"$TAP_DIR/changed.json"
damaged 'a member twice' 'line 3, column 17: this member is there twice'
sed 's/"version": 1,/"v\\u0065rsion": 1,/' all.json >"$TAP_DIR/changed.json"
damaged 'a member in disguise' 'line 3, column 3: '
printf '{"format"\0: 1}' >"$TAP_DIR/changed.json"
damaged 'a NUL byte' 'line 1, column 10: a NUL byte'
printf '{"format": "\xff"}' >"$TAP_DIR/changed.json"
damaged 'no UTF-8' 'line 1, column [0-9]+: '
: >"$TAP_DIR/changed.json"
damaged 'empty' 'line 1, column 1: it ends too early'
printf '[%.0s' {1..40} >"$TAP_DIR/changed.json"
damaged 'nested too deep' 'line 1, column [0-9]+: '
truncate -s 20M "$TAP_DIR/changed.json"
damaged 'too large' 'File too large'
bad 'load: no such file' 1 "cannot read 'none.json': No such file" load none.json
bad 'load: a directory' 1 "cannot read 'web': Is a directory" load web
done_testing
