#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A CPU is taken off while the kernel's events are recorded, comes back, is off when the
# session is made: each event of it that the kernel gave out is in the trace once, and
# all others are counted as it counts them.
#
# Whoever is bound to that CPU loses this for good, so it is done only on a machine
# that is the tests' own, which LTTNGMAP_TEST_CPU_OFF says.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/kernel.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ -n ${LTTNGMAP_TEST_CPU_OFF:-} ]] ||
	skip_all 'a CPU is taken off on a machine that is the tests'"'"' own only: ./dev check-vm'
cpu=$(($(nproc --all) - 1))
switch=/sys/devices/system/cpu/cpu$cpu/online
[[ $cpu -gt 0 && -w $switch ]] || skip_all "CPU $cpu cannot be taken off"
cleanup eval "echo 1 >$switch"

# on CPU COUNT: so many reads and writes there.
on() {
	taskset -c "$1" dd if=/dev/zero of=/dev/null bs=1 count="$2" 2>/dev/null
}
stats() { # LINE [CPU]: that count of the kernel's, of all CPUs together, or of one
	cat "$tracefs/instances/lttngmap-$sessiond_pid-"*-"$session/per_cpu/cpu"${2:-*}/stats |
		awk -v key="$1" -F': ' '$1 == key { sum += $2 } END { print sum + 0 }'
}
number() { # KEY: of the session's status, its kernel part
	control '{"verb": "status", "session": "'"$session"'"}' |
		sed -nE "s/.*\"kernel\": \{.*\"$1\": ?([0-9]+).*/\1/p"
}
begin() {
	control '{"verb": "create", "session": "'"$session"'", "output": "'"$TAP_DIR/$session"'"}' \
		'{"verb": "kernel", "session": "'"$session"'", "buffer_size": 262144}' \
		'{"verb": "kernel-enable", "session": "'"$session"'", "rule": "syscalls:sys_*_write"}' \
		'{"verb": "start", "session": "'"$session"'"}'
}
stop() {
	control '{"verb": "stop", "session": "'"$session"'"}'
}
of_cpu() { # events in the trace
	grep -c "{ cpu_id = ${cpu}[ ,]" "$TAP_DIR/text"
}
all_there() { # NAME
	is "$(number discarded)" "$(stats overrun)" "$1: as many are lost as the kernel says"
	babeltrace2 "$TAP_DIR/$session" >"$TAP_DIR/text" 2>"$TAP_DIR/errors"
	is $? 0 "$1: the trace is read"
	is "$(grep -vc discarded "$TAP_DIR/errors")" 0 '... without a warning but for lost events'
	is "$(wc -l <"$TAP_DIR/text")" "$(stats 'read events')" \
		'... and has each event that the kernel gave out, once'
	is "$(of_cpu)" "$(stats 'read events' "$cpu")" '... of that CPU, too'
}

sessiond_start
session=one
ok 'a session' begin
on $cpu 3000
ok 'a CPU is taken off' eval "echo 0 >$switch"
on 0 3000
ok 'and is there again' eval "echo 1 >$switch"
on $cpu 3000
ok 'and off at the end' eval "echo 0 >$switch"
ok 'the session stops' stop
all_there 'a CPU that goes and comes'
ok 'that CPU had events' test "$(stats 'read events' "$cpu")" -gt 0
ok 'it starts without that CPU' control '{"verb": "start", "session": "one"}'
on 0 1000
ok 'which comes' eval "echo 1 >$switch"
before=$(stats 'read events' "$cpu")
on $cpu 2000
ok 'the session stops once more' stop
ok 'that CPU had more events' test "$(stats 'read events' "$cpu")" -gt "$before"
all_there 'a CPU that comes'

session=two
ok 'it is off' eval "echo 0 >$switch"
ok 'when a session is made' begin
ok 'and comes while that records' eval "echo 1 >$switch"
on $cpu 500
ok 'that session stops' stop
all_there 'a CPU that was off'
ok 'it had events' test "$(of_cpu)" -gt 0
ok 'it starts again' control '{"verb": "start", "session": "two"}'
on $cpu 500
ok 'and stops' stop
all_there 'a CPU that was off before'
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
