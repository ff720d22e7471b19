#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Which daemon the verbs talk to, starting one, and daemons that fail.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/verbs.sh"

# fails NAME REGEX ARGUMENT...: status 1, said on standard error.
fails() {
	local name=$1 regex=$2

	shift 2
	map "$@"
	is "$map_status" 1 "$name: status 1"
	like "$map_err" "$regex" "$name: said"
}
for verb in 'destroy' 'list' 'status' 'start' 'stop' 'channel c' 'enable a:b' 'disable a:b' \
	'remove a:b' 'context ip' 'track --pid 1' 'untrack --pid 1' 'snapshot' 'rotate' 'clear' \
	'events' 'save'; do
	# shellcheck disable=SC2086
	fails "$verb without a daemon" 'no session daemon runs.*lttngmap create' $verb
done
fails 'a directory that was named' "no session daemon runs in $TAP_DIR/x" \
	list --runtime-dir "$TAP_DIR/x"
mkdir "$TAP_DIR/left"
: >"$TAP_DIR/left/ledger"
fails 'a directory where one was killed' "no session daemon runs in .*lttngmap recover $TAP_DIR/left.*lttngmap create" \
	status --runtime-dir "$TAP_DIR/left"
# As a killed recording leaves it.
left=$(mktemp -d /tmp/lttngmap-XXXXXX)
cleanup rm -rf "$left"
: >"$left/ledger"
map recover
like "$map_status:$map_err" "^2:.*$left is of a recording" 'recover without a directory: it is told where one may be'
map list --json
like "$map_out" '^\{ "ok": false, "error": "list: no session daemon runs.*\}$' 'no daemon, as JSON'

LTTNGMAP_SESSIOND=/nowhere/sessiond fails 'a daemon that is not there' \
	"cannot execute '/nowhere/sessiond': No such file.*did not start.*LTTNGMAP_SESSIOND" create a
FAKE_SESSIOND=stay,die fails 'a daemon that dies' \
	'cannot do it: the test said so.*did not start' create a
is "$(ls)" '' 'and no directory is left'

good 'create starts one' 'created session a' create a -o a
like "$map_err" '^lttngmap: started lttngmap-sessiond, process [0-9]+$' 'and says so'
pid=${map_err##* }
is "$(ps -o sid= -p "$pid" | tr -d ' ')" "$pid" 'in a session of its own'
is "$(readlink "/proc/$pid/cwd")" / 'in no directory that somebody may want to unmount'
like "$(grep "\"pid\": $pid," "$FAKE_SESSIOND_LOG")" '"fds": \[0, 1, 2\]' \
	'with no descriptor of ours'
map create b -o b
is "$map_err" '' 'the next create finds it'
map create c -o c --json
like "$map_out" "\"session\": \"c\", \"output\": \"$PWD/c\", \"snapshot\": false \}" 'create --json'
map create
is "$map_status" 0 'a session without a name'
like "$map_out" 'created session auto-([0-9]+-[0-9]+): .*/auto-[0-9]+-[0-9]+$' 'has one of its time'
map create -o named
like "$map_out" 'created session auto-[0-9]+-[0-9]+' 'also beside another one of that second'

# Its own place is chosen by options before the environment.
mkdir "$TAP_DIR/other"
map create z -o z --runtime-dir "$TAP_DIR/other"
is "$map_status" 0 'one more daemon elsewhere'
map list --runtime-dir "$TAP_DIR/other"
like "$map_out" '^z ' 'which --runtime-dir finds'
LTTNGMAP_RUNTIME_DIR=$TAP_DIR/other map list
like "$map_out" '^z ' 'so does LTTNGMAP_RUNTIME_DIR'
LTTNGMAP_RUNTIME_DIR=$TAP_DIR/nothing map list --runtime-dir "$TAP_DIR/other"
like "$map_out" '^z ' 'the option is first'
is "$(printf '%s\n' "$map_out" | wc -l)" 1 'and has its own sessions only'

if [[ $EUID == 0 ]]; then
	chmod 0711 "$TAP_DIR"
	chmod -R go-rwx "$XDG_RUNTIME_DIR"
	copy=$TAP_DIR/lttngmap
	cp "$(ls "$LTTNGMAP_BUILD"/.libs/lttngmap 2>/dev/null || echo "$LTTNGMAP_BUILD/lttngmap")" \
		"$copy"
	output=$(cd / && setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$copy" list --runtime-dir "$VERBS_RUNTIME" 2>&1)
	status=$?
	is "$status" 1 "another user's daemon: status 1"
	like "$output" 'Permission denied.*its own user, and root' "another user's daemon: said"
else
	skip 2 'only root can be another user'
fi
verbs_end

for fault in vanish:'closed the connection' garbage:'unknown to this version' \
	refuse:'no start today.*come back'; do
	FAKE_SESSIOND=stay,${fault%%:*}=start
	map create f
	is "$map_status" 0 "a daemon that fails by ${fault%%:*}"
	fails "${fault%%:*}" "start: .*${fault#*:}" start f
	verbs_end
done
FAKE_SESSIOND=stay,version=2
fails 'a daemon of another version' 'speaks version 2.*version 1.*one release' create v -o v
ok 'and no directory is left' test ! -e v
verbs_end
FAKE_SESSIOND=stay,hang=hello
fails 'a daemon that hangs' 'does not answer' create h -o h
done_testing
