#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The disk is full, fails or takes a byte at a time beneath a flood of the kernel's events:
# each that the kernel gave out is in the trace once, and all others are counted as it
# counts them. One that stays full is told, and the rest is written when it has room.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/kernel.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ -z ${LTTNGMAP_SANITIZED:-} ]] || skip_all 'a build with sanitizers has no libraries to preload'
export BAD_DISK=$TAP_DIR/disk
cat >"$TAP_DIR/consumer" <<END
#!/bin/sh
LD_PRELOAD=$LTTNGMAP_BUILD/tests/utils/.libs/libbad-disk.so
export LD_PRELOAD
exec "$LTTNGMAP_BUILD/lttngmap-consumerd" "\$@"
END
chmod +x "$TAP_DIR/consumer"

# be MODE: as tests/utils/bad-disk.c has them.
be() {
	printf %s "$1" >"$BAD_DISK"
}
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
stop() {
	control '{"verb": "stop", "session": "s"}' >"$TAP_DIR/answer"
}
# REGEX: while there are events, since the log was emptied.
is_said() {
	flood
	grep -Eq "$1" "$TAP_DIR/log"
}
# all_there NAME: what the kernel gave out is on disk, the rest is counted.
all_there() {
	is "$(number discarded)" "$(stats overrun)" "$1: as many are lost as the kernel says"
	babeltrace2 "$TAP_DIR/trace" >"$TAP_DIR/text" 2>"$TAP_DIR/errors"
	is $? 0 "$1: the trace is read"
	is "$(grep -vc discarded "$TAP_DIR/errors")" 0 '... without a warning but for lost events'
	is "$(wc -l <"$TAP_DIR/text")" "$(stats 'read events')" \
		'... and has each event that the kernel gave out, once'
	is "$(number events)" "$(stats 'read events')" '... as the status says'
}

be g
sessiond_start --consumer="$TAP_DIR/consumer"
ok 'a session with small rings' control \
	'{"verb": "create", "session": "s", "output": "'"$TAP_DIR/trace"'"}' \
	'{"verb": "kernel", "session": "s", "buffer_size": 262144}' \
	'{"verb": "kernel-enable", "session": "s", "rule": "syscalls:sys_*_write"}' \
	'{"verb": "start", "session": "s"}'
written=$TAP_DIR/trace/kernel
flood
be s
ok 'a full disk is told' wait_for is_said "cannot write $written/.*: No space left on device; make room"
be g
ok 'and that it is over' wait_for is_said "$written can be written again"
be e
ok 'so is one that fails' wait_for is_said "cannot write $written/.*: Input/output error"
for mode in b m s b m; do
	be $mode
	flood
	flood
	be g
	flood
done
ok 'the session stops, though it failed just now' stop || diag "$(<"$TAP_DIR/answer")"
ok 'events were lost' test "$(stats overrun)" -gt 0
all_there 'a disk that comes and goes'

: >"$TAP_DIR/log"
ok 'it starts again' control '{"verb": "start", "session": "s"}'
be s
wait_for is_said 'No space left on device'
stop
like "$(<"$TAP_DIR/answer")" 'not complete.*No space left on device; make room' \
	'a disk that is full at the end: the stop says so'
be g
is_written() {
	[[ $(stats entries) == 0 && $(number events) == "$(stats 'read events')" ]]
}
ok 'with room, the rest is written' wait_for is_written
like "$(<"$TAP_DIR/log")" "$written can be written again" 'which is told'
all_there 'what waited for room'
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
