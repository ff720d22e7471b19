#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The consumer is killed in a flood of the kernel's events: each that the kernel
# gave out is in the trace once, and all others are counted as it counts them.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/kernel.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

flood() {
	dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null
}
stats() { # LINE: that count of the kernel's, of all CPUs together
	cat "$tracefs/instances/lttngmap-$sessiond_pid-"*-s/per_cpu/cpu*/stats |
		awk -v key="$1" -F': ' '$1 == key { sum += $2 } END { print sum + 0 }'
}
number() { # KEY: of the session's status, its kernel part
	control '{"verb": "status", "session": "s"}' |
		sed -nE "s/.*\"kernel\": \{.*\"$1\": ?([0-9]+).*/\1/p"
}
restarted() {
	local pid

	pid=$(sessiond_consumer) && [[ $pid != "$killed" ]]
}

sessiond_start
ok 'a session with small rings' control \
	'{"verb": "create", "session": "s", "output": "'"$TAP_DIR/trace"'"}' \
	'{"verb": "kernel", "session": "s", "buffer_size": 262144}' \
	'{"verb": "kernel-enable", "session": "s", "rule": "syscalls:sys_*_write"}' \
	'{"verb": "start", "session": "s"}'
for ((i = 0; i < 4; i++)); do
	flood
	killed=$(sessiond_consumer)
	kill -KILL "$killed"
	flood
	flood
	wait_for restarted
done
flood
ok 'the session stops' control '{"verb": "stop", "session": "s"}'
overrun=$(stats overrun)
read=$(stats 'read events')
diag "$read events, $overrun lost"
ok 'events were lost' test "$overrun" -gt 0
is "$(number discarded)" "$overrun" 'as many as the kernel says'
is "$(number overrun)" "$overrun" 'which the status has, too'
babeltrace2 "$TAP_DIR/trace" >"$TAP_DIR/text" 2>"$TAP_DIR/errors"
is $? 0 'the trace is read'
is "$(grep -vc discarded "$TAP_DIR/errors")" 0 'without a warning but for lost events'
is "$(wc -l <"$TAP_DIR/text")" "$read" 'and has each event that the kernel gave out, once'
ok 'it starts again' control '{"verb": "start", "session": "s"}'
flood
ok 'and stops' control '{"verb": "stop", "session": "s"}'
is "$(babeltrace2 "$TAP_DIR/trace" 2>/dev/null | wc -l)" "$(stats 'read events')" \
	'what came then is behind it'
is "$(number discarded)" "$(stats overrun)" 'and what was lost is counted on'
done_testing
