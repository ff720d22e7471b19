#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The session daemon under its supervisor: killed, it is there again with all that
# it had, and no descriptor more; ended, nothing is left; dying for ever, it is
# given up.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
map() {
	"$LTTNGMAP_BUILD/lttngmap" "$@"
}
daemon_pid() {
	pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR"
}
# Kill the daemon, wait for the next one. It has lived for a while.
kill_daemon() {
	local before

	before=$(daemon_pid)
	kill -KILL "$before"
	again() {
		local now

		now=$(daemon_pid) && [[ $now != "$before" ]] && control
	}
	wait_for again
	sleep 0.15 # A supervisor pauses where a daemon lives for less than 100 ms.
}
# As root the supervisor soon watches a thread of the daemon, by a descriptor more.
watches=
[[ $EUID != 0 ]] || sort -VC <(printf '%s\n' 6.9 "$(uname -r)") && watches=1
is_watching() {
	[[ $EUID != 0 || ! $watches ]] || grep -qsxf <(
		cd "/proc/$(daemon_pid)/task" && grep -lx rings */comm | sed 's/\([0-9]*\).*/Pid:\t\1/'
	) "/proc/$sessiond_pid/fdinfo/"*
}
descriptors() {
	wait_for is_watching
	ls "/proc/$sessiond_pid/fd" | wc -l
}
wakes() {
	awk '/ctxt_switches/ { n += $2 } END { print n }' "/proc/$sessiond_pid/status"
}

sessiond_start
ok 'a supervisor and a daemon' test -n "$(daemon_pid)"
map create s --output "$TAP_DIR/trace" >/dev/null
ok 'a session with channels, rules, contexts, a tracker, a rotation' eval '
	map channel a --session s --subbuf-size 16K --subbufs 4 &&
	map channel b --session s --mode overwrite --subbuf-size 8K &&
	map enable "steady:*" --session s --channel a --filter "number >= 0" &&
	map enable "other:*,more:*" --session s --channel b --exclude "other:not" --loglevel INFO &&
	map enable "gone:*" --session s --channel b && map disable "gone:*" --session s --channel b &&
	map context vtid --session s --channel b &&
	map track --uid "$EUID" --session s && map rotate s --size 64M && map start s' ||
	diag "$(map list s)"
sessions=$(map list --json)
mkfifo "$TAP_DIR/in"
"$LTTNGMAP_BUILD/tests/utils/steady" 10 wait <"$TAP_DIR/in" >"$TAP_DIR/out" &
program=$!
exec 5>"$TAP_DIR/in"
wait_for grep end "$TAP_DIR/out"
kill_daemon
fds=$(descriptors)
for _ in {1..5}; do
	kill_daemon
done
# One of the first may have been about to be closed.
after=$(descriptors)
ok "after some more lives it has no more descriptors: $fds, then $after" test "$after" -le "$fds"
no_zombie() {
	[[ $(ps -o stat= --ppid "$sessiond_pid") != *Z* ]]
}
ok 'those that died are cleared away' wait_for no_zombie
before=$(wakes)
sleep 1 # in which it is not to wake
if [[ $watches ]]; then
	ok 'a supervisor sleeps as long as its daemon lives' test $(($(wakes) - before)) -le 1
else
	skip 1 'Linux tells of a thread from 6.9 on'
fi
like "$(control '{"verb": "status", "session": "s"}')" \
	'"written": ?10,.*killed by signal 9' 'the death is told, and what was counted'
is "$(map list --json)" "$sessions" 'sessions are what they were'
"$LTTNGMAP_BUILD/tests/utils/steady" 20 >/dev/null
exec 5>&-
wait "$program"
ok 'the session stops' map stop s
is "$(babeltrace2 "$TAP_DIR/trace" 2>&1 | grep -c steady:event)" 30 'all events are in one trace'
ok 'it can be started again' eval 'map start s && map stop s && map destroy s'
kill_daemon
is "$(map list --json | grep -c '"session": *"s"')" 0 'what was destroyed stays so'
sessiond_stop
is "$sessiond_status" 0 'the supervisor ends with the daemon'
ok 'and takes all with it' test ! -e "$SESSIOND_DIR"

# A daemon that is killed as soon as it is there; who looks for leaks would be, too.
no_leak_check
sessiond_start --consumer=none
# Without a command in between: a busy machine would let it live for too long.
given_up() {
	local children

	# There is no line's end. One that was killed may still be among them.
	read -ra children <"/proc/$sessiond_pid/task/$sessiond_pid/children"
	[[ ${#children[@]} == 0 ]] || kill -KILL "${children[@]}"
	! kill -0 "$sessiond_pid"
}
ok 'one that dies for ever is given up' eval '
	for ((end = SECONDS + 200; SECONDS < end; )); do given_up 2>/dev/null && break; done
	! kill -0 "$sessiond_pid" 2>/dev/null' || sessiond_signal KILL
wait "$sessiond_pid"
is $? 1 'with a failure'
sessiond_pid=
like "$(<"$TAP_DIR/log")" 'times in a row: it is not started again' 'which is said'
ok 'and takes all with it, too' test ! -e "$SESSIOND_DIR"

# The supervisor itself.
sessiond_start --consumer=none
daemon=$(daemon_pid)
kill -KILL "$sessiond_pid"
wait "$sessiond_pid" 2>/dev/null
sessiond_pid=
ok 'a daemon without its supervisor ends' wait_for test ! -e "/proc/$daemon"
sessiond_start --consumer=none
ok 'and another can be started' control
sessiond_stop
rmdir "$SESSIOND_DIR" 2>/dev/null
mounted() { grep -q " $TAP_DIR" /proc/self/mounts; }
ok 'no mount is left' eval '! mounted'
done_testing
