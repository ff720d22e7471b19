#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Sessions, channels, rules and trackers on programs that run meanwhile: each
# trace holds what was asked for, and nothing else.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

sessiond_start

# good MESSAGE NAME, bad MESSAGE ERROR-REGEX NAME, value KEY <<<ANSWER
good() {
	answer=$(control "$1")
	like "$answer" '"ok": ?true' "$2"
}
bad() {
	like "$(control "$1")" "\"ok\": ?false, \"error\": ?\"[^\"]*$2.*\"hint\": ?\"[^\"]+\"" "$3"
}
value() {
	sed -nE "s/.*\"$1\": ?([0-9]+).*/\1/p"
}
make_session() { # NAME [CHANNEL-MEMBERS]
	control '{"verb": "create", "session": "'"$1"'", "output": "'"$TAP_DIR/$1"'"}' \
		'{"verb": "channel", "session": "'"$1"'", "channel": "c", "subbuf_size": 16384,
		  "subbufs": 4, "mode": "discard"'"${2:-}"'}' >/dev/null
}
enable() { # SESSION RULE [MEMBERS]
	good '{"verb": "enable", "session": "'"$1"'", "channel": "c", "rule": "'"$2"'"'"${3:-}"'}' \
		"$1: enable $2${3:-}"
}
verb() { # VERB SESSION [MEMBERS]
	good '{"verb": "'"$1"'", "session": "'"$2"'"'"${3:-}"'}' "$1 $2${3:-}"
}
# names SESSION: the events of its trace, each once.
names() {
	babeltrace2 --names=none "$TAP_DIR/$1" 2>"$TAP_DIR/errors" | sed -nE 's/.* (levels:[a-z_]+|other:[a-z]+):.*/\1/p' | sort | uniq -c |
		awk '{ printf "%s%s×%s", sep, $2, $1; sep = " " }'
}
emit() { # one process, a round of events for each line it is given
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$LTTNGMAP_BUILD/tests/utils/rounds"
}

# One process runs through all of this, a round of events at a time.
exec {rounds}> >(emit >"$TAP_DIR/done")
round() {
	local before

	before=$(wc -l <"$TAP_DIR/done")
	echo >&"$rounds"
	wait_for more_than "$before"
}
more_than() {
	[[ $(wc -l <"$TAP_DIR/done") -gt $1 ]]
}
registered() {
	control '{"verb": "events", "from": 0}' | grep -q 'levels:debug'
}
ok 'a program registers' wait_for registered
pid=$(control '{"verb": "processes", "from": 0}' | value pid)

# ---- what there is
like "$(control '{"verb": "processes", "from": 0}')" \
	"\"pid\": ?$pid, \"uid\": ?$EUID, \"name\": ?\"rounds\", \"traced_since_ms\": ?[0-9]{13}" \
	'processes'
like "$(control '{"verb": "events", "from": 0}')" \
	'"name": ?"levels:error", "loglevel": ?3, "fields": ?\[ ?\{ ?"name": ?"round", "type": ?"int32"' \
	'event classes with fields'
like "$(control '{"verb": "events", "from": 0, "pid": '"$pid"'}')" 'levels:error' 'of a process'
bad '{"verb": "events", "from": 0, "pid": 1}' 'process 1 is not traced' 'of no such process'
like "$(control '{"verb": "list"}')" '"sessions": ?\[ ?\]' 'no session yet'

# ---- rules
for session in all some level only twice; do make_session "$session"; done
enable all '*'
is "$(value matched <<<"$answer")" 4 'a rule tells how many classes it matches'
enable some 'levels:*,other:*' ', "exclude": "levels:d*,other:*"'
enable level '*' ', "loglevel": 6'
enable only '*' ', "loglevel": 6, "loglevel_only": true'
enable twice 'levels:error'
enable twice 'levels:*'
enable twice '*:error'
bad '{"verb": "enable", "session": "all", "channel": "c", "rule": "*", "loglevel": 15}' \
	"'loglevel' is out of range" 'no such level'
bad '{"verb": "enable", "session": "all", "channel": "c", "rule": "*", "loglevel_only": true}' \
	'without a level' 'only, without a level'
bad '{"verb": "enable", "session": "all", "channel": "c", "rule": "*", "exclude": "x y"}' \
	"byte 0x20" 'a bad exclusion'
for session in all some level only twice; do verb start "$session"; done
round
for session in all some level only twice; do verb stop "$session"; done
is "$(names all)" 'levels:debug×1 levels:error×1 levels:info×1 other:event×1' 'every event'
is "$(names some)" 'levels:error×1 levels:info×1' 'all but those excluded'
is "$(names level)" 'levels:error×1 levels:info×1' 'at least as severe'
is "$(names only)" 'levels:info×1' 'one level only'
is "$(names twice)" 'levels:debug×1 levels:error×1 levels:info×1' \
	'several rules match an event, which is recorded once'

# ---- the life of a rule
make_session life
enable life 'levels:error'
error=$(value id <<<"$answer")
enable life 'levels:*'
levels=$(value id <<<"$answer")
verb start life
round
verb disable life ', "channel": "c", "id": '"$levels"
round
bad '{"verb": "disable", "session": "life", "channel": "c", "id": '"$levels"'}' \
	'disabled already' 'disable twice'
verb disable life ', "channel": "c", "id": '"$error"
round
enable life 'levels:error'
is "$(value id <<<"$answer")" "$error" 'the same rule is enabled again'
round
verb remove life ', "channel": "c", "id": '"$error"
bad '{"verb": "remove", "session": "life", "channel": "c", "id": '"$error"'}' \
	"no rule $error" 'remove twice'
round
like "$(control '{"verb": "list"}')" \
	'"rules": ?\[ ?\{ ?"id": ?'"$levels"', "enabled": ?false, "rule": ?"levels:\*" ?\} ?\]' \
	'list shows what is left'
enable life 'other:event'
round
verb stop life
is "$(names life)" 'levels:debug×1 levels:error×3 levels:info×1 other:event×1' \
	'rules applied at once to a running program'

# ---- trackers
for session in pid other name both; do
	make_session "$session"
	enable "$session" 'levels:error'
done
verb track pid ', "kind": "pid", "value": '"$pid"
verb track other ', "kind": "pid", "value": 1'
verb track name ', "kind": "name", "value": "rou*"'
verb track both ', "kind": "name", "value": "rou*"'
verb track both ', "kind": "uid", "value": 4294967'
bad '{"verb": "track", "session": "pid", "kind": "pid", "value": '"$pid"'}' already 'track twice'
bad '{"verb": "track", "session": "pid", "kind": "tty", "value": 1}' "'tty'" 'no such kind'
bad '{"verb": "track", "session": "pid", "kind": "name", "value": 1}' 'not a string' 'no name'
bad '{"verb": "untrack", "session": "pid", "kind": "pid", "value": 1}' 'not tracked' \
	'untrack what is not tracked'
for session in pid other name both; do verb start "$session"; done
round
verb track other ', "kind": "pid", "value": '"$pid"
verb untrack pid ', "kind": "pid", "value": '"$pid"
verb track pid ', "kind": "gid", "value": 4294967'
verb untrack both ', "kind": "uid", "value": 4294967'
echo | emit >/dev/null # another process
round
for session in pid other name both; do verb stop "$session"; done
is "$(names pid)" 'levels:error×1' 'a process is tracked, until it is not'
is "$(names other)" 'levels:error×1' 'another is not, until it is'
is "$(names name)" 'levels:error×3' 'all of a name, also later ones'
is "$(names both)" 'levels:error×2' 'each kind has to take it'

# ---- channels
make_session change
enable change 'levels:error'
verb start change
bad '{"verb": "channel", "session": "change", "channel": "c", "change": true, "subbufs": 8}' \
	'is started' 'no change of a session that runs'
round
verb stop change
for members in '"subbuf_size": 4096, "subbufs": 8' '"mode": "overwrite"' '"subbuf_size": 65536' \
	'"contexts": ["vtid"]' '"mode": "blocking", "blocking_timeout_ms": 7'; do
	good '{"verb": "channel", "session": "change", "channel": "c", "change": true,
		'"$members"'}' "change $members"
	verb start change
	round
	verb stop change
done
like "$(control '{"verb": "list"}')" '"channel": ?"c", "subbuf_size": ?65536, "subbufs": ?8, "mode": ?"blocking", "buffers": ?"process", "blocking_timeout_ms": ?7, [^]]*"contexts": ?\[ ?"vtid" ?\]' \
	'list shows the channel as it is'
bad '{"verb": "channel", "session": "change", "channel": "c", "change": true, "subbufs": 3}' \
	'3 sub-buffers' 'a change that cannot be'
bad '{"verb": "channel", "session": "change", "channel": "d", "change": true, "subbufs": 4}' \
	"no channel 'd'" 'a change of no channel'
verb context change ', "channel": "c", "context": "procname"'
bad '{"verb": "context", "session": "change", "channel": "c", "context": "procname"}' \
	'already' 'a context twice'
bad '{"verb": "context", "session": "change", "channel": "c", "context": "mood"}' \
	"no context 'mood'" 'an unknown context'
verb start change
bad '{"verb": "channel-remove", "session": "change", "channel": "c"}' 'is started' \
	'no channel goes while its session runs'
round
verb stop change
verb channel-remove change ', "channel": "c"'
good '{"verb": "channel", "session": "change", "channel": "c", "subbuf_size": 4096,
	"subbufs": 2, "mode": "discard"}' 'a new channel of the same name'
enable change 'other:event'
verb start change
round
verb stop change
is "$(names change)" 'levels:error×7 other:event×1' 'all that was recorded before stays'
is "$(<"$TAP_DIR/errors")" '' 'and babeltrace2 has nothing to say'
is "$(babeltrace2 "$TAP_DIR/change" | grep -c 'procname = "rounds"' )" 8 'packets say who'

# ---- clear
make_session clear
enable clear 'levels:error'
verb start clear
round
round
verb clear clear
is "$(names clear)" '' 'a session that runs is cleared'
round
verb stop clear
is "$(names clear)" 'levels:error×1' 'what comes after that is kept'
is "$(<"$TAP_DIR/errors")" '' 'without a word of what was forgotten'
status=$(control '{"verb": "status", "session": "clear"}')
is "$(value written <<<"$status") $(value kept <<<"$status")" '1 1' 'and counted'
verb clear clear
is "$(names clear)" '' 'a stopped one is cleared'
verb start clear
round
verb stop clear
is "$(names clear)" 'levels:error×1' 'and goes on'

exec {rounds}>&-
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
