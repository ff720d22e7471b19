#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A session's kernel part: its tracefs instance is made, set and removed; what the
# consumer is told of it; what is refused; what is left by who was killed.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/kernel.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

export FAKE_CONSUMER=$TAP_DIR/consumer
fake=$LTTNGMAP_SRC/tests/utils/fake-consumer
mkdir "$FAKE_CONSUMER"
told=$FAKE_CONSUMER/log

before=$(kernel_machine)

# instance SESSION: its directory, while it is there.
instance() {
	local path

	for path in "$tracefs/instances/lttngmap-$sessiond_pid-"*"-$1"; do
		[[ -d $path ]] && echo "$path"
	done
}
no_instance() {
	[[ -z $(instance "$1") ]]
}
gone() {
	[[ ! -e $1 ]]
}
number() { # KEY: of session s's status, its kernel part
	control '{"verb": "status", "session": "s"}' |
		sed -nE "s/.*\"kernel\": \{.*\"$1\": ?([0-9]+).*/\1/p"
}
# refused NAME REGEX MESSAGE...: the last of these, the others are not.
refused() {
	local answer

	answer=$(control "${@:3}" | tail -n 1)
	[[ $answer == *'"ok": false'* ]] || answer="not refused: $answer"
	like "$answer" "$2" "$1"
}
create() { # NAME [MEMBER]: a session
	control '{"verb": "create", "session": "'"$1"'", "output": "'"$TAP_DIR/$1"'"'"${2:+, $2}"'}'
}

# ---- what is refused ------------------------------------------------------------------

sessiond_start --consumer=none
make='{"verb": "kernel", "session": "s"}'
rule='{"verb": "kernel-enable", "session": "s", "rule": "sched:sched_switch"}'
create s >/dev/null
refused 'a buffer that is too small' 'cannot have 1000 bytes' \
	'{"verb": "kernel", "session": "s", "buffer_size": 1000}'
refused 'one of more memory than there is' 'makes no buffers of 1099511627776 bytes: ' \
	'{"verb": "kernel", "session": "s", "buffer_size": 1099511627776}'
refused 'processes that are no list' "'pids' is not such an array" \
	'{"verb": "kernel", "session": "s", "pids": 1}'
refused 'too many processes' "'pids' is not such an array" \
	'{"verb": "kernel", "session": "s", "pids": ['"$(seq -s, 257)"']}'
refused 'what is no process' 'no process id' \
	'{"verb": "kernel", "session": "s", "pids": [1, 0]}'
refused 'an event that there is not' "no event 'sched:nothing'" \
	'{"verb": "kernel-enable", "session": "s", "rule": "sched:nothing"}'
refused 'a rule that is none' "has no ':'" \
	'{"verb": "kernel-enable", "session": "s", "rule": "sched_switch"}'
refused 'a filter with a field that there is not' 'sched:sched_switch: Field not found' \
	'{"verb": "kernel-enable", "session": "s", "rule": "sched:sched_switch", "filter": "no == 1"}'
refused 'and where it has it' '"column": 20, ' \
	'{"verb": "kernel-enable", "session": "s", "rule": "sched:sched_switch", "filter": "prev_pid == 1 || no == 1"}'
refused 'a filter that lacks a parenthesis' "wrong for sched:sched_switch: Too many '\('\"" \
	'{"verb": "kernel-enable", "session": "s", "rule": "sched:sched_switch", "filter": "(prev_pid == 1"}'
refused 'a filter with one too many' "wrong for sched:sched_switch: Too few '\('\"" \
	'{"verb": "kernel-enable", "session": "s", "rule": "sched:sched_switch", "filter": "prev_pid == 1) || (prev_pid == 2"}'
refused 'a filter that ends too early' 'wrong for sched:sched_switch: ' \
	'{"verb": "kernel-enable", "session": "s", "rule": "sched:sched_switch", "filter": "prev_pid =="}'
refused 'a filter of nothing' 'no filter' \
	'{"verb": "kernel-enable", "session": "s", "rule": "sched:sched_switch", "filter": ""}'
refused 'a filter longer than a page' 'no filter' \
	'{"verb": "kernel-enable", "session": "s", "rule": "sched:sched_switch", "filter": "'"$(printf '%04001d' 0)"'"}'
refused 'an unknown member' 'cpus' '{"verb": "kernel", "session": "s", "cpus": 1}'
ok 'of all these no instance is left' no_instance s
refused 'a session that has nothing to record yet' 'has no channel' \
	"$make" '{"verb": "start", "session": "s"}'
refused 'clear' 'kernel events, which cannot be cleared' '{"verb": "clear", "session": "s"}'
refused 'rotate' 'cannot be rotated' '{"verb": "rotate", "session": "s"}'
refused 'rotation' 'cannot be rotated' \
	'{"verb": "rotation", "session": "s", "period_ms": 0, "size": 0}'
create flight '"snapshot": true' >/dev/null
refused 'a flight recorder' 'flight recorder, which has no kernel events' \
	'{"verb": "kernel", "session": "flight"}'
create rotating >/dev/null
refused 'a session with chunks' 'has chunks' \
	'{"verb": "rotation", "session": "rotating", "period_ms": 60000, "size": 0}' \
	'{"verb": "kernel-enable", "session": "rotating", "rule": "sched:*"}'
refused 'a rule that there is not' 'has no rule 7' '{"verb": "kernel-disable", "session": "s", "id": 7}'
refused 'a session that is started' 'is started' "$rule" '{"verb": "start", "session": "s"}' "$make"
rules=$(for ((i = 0; i < 256; i++)); do echo "$rule"; done)
control '{"verb": "stop", "session": "s"}' >/dev/null
refused 'a rule too many' 'there are 256 rules' - "$rule" <<<"$rules"
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'

# As nobody, who has a daemon too.
mkdir -m 0711 "$TAP_DIR/nobody"
chown 65534 "$TAP_DIR/nobody"
chmod 0711 "$TAP_DIR"
SESSIOND_DIR=$TAP_DIR/nobody/run
setpriv --reuid=65534 --regid=65534 --clear-groups "$LTTNGMAP_BUILD/lttngmap-sessiond" \
	--runtime-dir="$SESSIOND_DIR" --consumer=none --mediator=ring-socket >>"$TAP_DIR/log" 2>&1 &
sessiond_pid=$!
wait_for control
refused "a user's daemon, though root asks" "user 65534's|kernel events are root's" \
	'{"verb": "create", "session": "s", "output": "/tmp/s"}' "$make"
sessiond_stop
SESSIOND_DIR=$TAP_DIR/run

# Where there is no tracefs: it is not mounted by us.
unshare --mount --propagation private "$BASH" -c '
	while at=$(grep -E -m 1 " (tracefs|debugfs) " /proc/mounts | cut -d" " -f2) && [[ $at ]]; do
		umount --lazy "$at" || exit 1
	done
	exec "$0" --no-supervise --consumer=none --runtime-dir="$1"' \
	"$LTTNGMAP_BUILD/lttngmap-sessiond" "$SESSIOND_DIR" >>"$TAP_DIR/log" 2>&1 &
sessiond_pid=$!
wait_for control
create s >/dev/null
refused 'a machine without tracefs' 'tracefs is not mounted.*mount -t tracefs' "$make"
is "$(grep -c ' tracefs ' "/proc/$sessiond_pid/mounts")" 0 'which is not mounted by us'
sessiond_stop

# ---- an instance ------------------------------------------------------------------------

sessiond_start --consumer="$fake" --clock=monotonic
# Two that start no others.
sleep 600 &
one=$!
sleep 600 &
two=$!
cleanup kill "$one" "$two"
ok 'a session with a kernel part' control '{"verb": "create", "session": "s", "output": "'"$TAP_DIR/s"'"}' \
	'{"verb": "kernel", "session": "s", "buffer_size": 1048576, "pids": ['"$one, $two"']}'
at=$(instance s)
like "$(cat "$at/trace_clock")" '\[mono\]' 'its clock is that of the programs'
is "$(cat "$at/tracing_on" "$at/buffer_percent" "$at/options/event-fork" | paste -sd' ')" \
	'0 25 1' 'it records nothing yet, and is set up'
ok 'its buffers have the size that was asked for' test "$(cat "$at/buffer_size_kb")" -ge 1024
if [[ -e $at/buffer_subbuf_size_kb ]]; then
	is "$(<"$at/buffer_subbuf_size_kb")" 16 'in large sub-buffers'
else
	skip 1 'before Linux 6.8, all sub-buffers are of one size'
fi
is "$(sort -n "$at/set_event_pid" | paste -sd' ')" "$(printf '%s\n' "$one" "$two" | sort -n | paste -sd' ')" \
	'it is for these processes alone'
control '{"verb": "kernel", "session": "s", "pids": []}' >/dev/null
is "$(cat "$at/set_event_pid")$(cat "$at/options/event-fork")" 0 'and for all again'
like "$(control '{"verb": "kernel-enable", "session": "s", "rule": "sched:sched_sw*,sched:sched_wak*"}')" \
	'"matched": [4-9]' 'a rule matches several'
is "$(cat "$at/events/sched/sched_switch/enable")" 0 'which are off until the start'
like "$(control '{"verb": "kernel-enable", "session": "s", "rule": "syscalls:sys_*_write", "filter": "fd == 3"}')" \
	'"matched": 1, .*sys_exit_write: Field not found' 'a filter that fits one of two'
like "$(control '{"verb": "kernel-enable", "session": "s", "rule": "syscalls:sys_enter_write", "filter": "count > 5"}')" \
	'"id": 3, "matched": 1' 'and another one for it'
is "$(cat "$at/events/syscalls/sys_enter_write/filter")" '(fd == 3) || (count > 5)' 'are joined'
refused 'a wrong one' 'Field not found' \
	'{"verb": "kernel-enable", "session": "s", "rule": "syscalls:sys_enter_write", "filter": "no > 5"}'
is "$(cat "$at/events/syscalls/sys_enter_write/filter")" '(fd == 3) || (count > 5)' \
	'changes nothing'
long=$(printf 'count == %d || ' {100..320})0
control '{"verb": "kernel-enable", "session": "s", "rule": "syscalls:sys_enter_read", "filter": "count == 1 || '"${long%|| 0}"'|| count == 2"}' >/dev/null
refused 'filters that are too long together' 'too long together' \
	'{"verb": "kernel-enable", "session": "s", "rule": "syscalls:sys_enter_read", "filter": "'"${long%|| 0}"'|| count == 3"}'
control '{"verb": "kernel-enable", "session": "s", "rule": "syscalls:sys_enter_write"}' >/dev/null
is "$(cat "$at/events/syscalls/sys_enter_write/filter")" none 'a rule without a filter takes all'
refused 'a wrong one is refused all the same' 'Field not found' \
	'{"verb": "kernel-enable", "session": "s", "rule": "syscalls:sys_enter_write", "filter": "no > 5"}'
is "$(cat "$at/events/syscalls/sys_enter_write/filter")" none 'and changes nothing'
like "$(control '{"verb": "list"}')" \
	'"buffer_size": 1048576, "events": [0-9]+, "pids": \[ \], "rules": .*"id": 2, "enabled": true, "rule": "syscalls:sys_\*_write", "filter": "fd == 3"' \
	'the list has it'

# ---- what the consumer is told --------------------------------------------------------------

ok 'the consumer knows nothing of it yet' eval '! grep -q s/kernel "$told"'
ok 'it starts without a channel' control '{"verb": "start", "session": "s"}'
is "$(cat "$at/tracing_on" "$at/events/sched/sched_switch/enable" | paste -sd' ')" '1 1' \
	'and records'
wait_for grep -q '"channel".*s/kernel' "$told"
is "$(grep '"session": "s/kernel"' "$told" | sed -E 's/.*"event": "([a-z]+)".*"fds": ([0-9]).*/\1 \2/' | paste -sd,)" \
	"session $([[ $kernel_mapped == True ]] && echo 0 || echo 1),metadata 2,channel 0" \
	'the consumer is told, the metadata before the rings'
like "$(grep '"session".*s/kernel' "$told")" "\"rings\": \"$at\".*\"kernel\": true" 'where they are'
like "$(<"$FAKE_CONSUMER/metadata")" 'domain = "kernel".*tracer_name = "perf".*name = "sched:sched_switch".*_prev_pid' \
	'the metadata is a kernel'"'"'s'
ok 'of the class that its number says' grep -qz "name = \"sched:sched_switch\";
	id = $(<"$tracefs/events/sched/sched_switch/id");" "$FAKE_CONSUMER/metadata"
# Each is "SYSTEM SIZE" and the text.
formats() {
	local system size text

	while read -r system size; do
		IFS= read -rN "$size" text
		[[ $text =~ ^name:\ ([a-z_]+) ]] || return 1
		[[ $text == "$(cat "$tracefs/events/$system/${BASH_REMATCH[1]}/format"; echo .)" ]] ||
			[[ "$text." == "$(cat "$tracefs/events/$system/${BASH_REMATCH[1]}/format"; echo .)" ]] ||
			return 1
		echo "$system:${BASH_REMATCH[1]}"
	done
}
classes=$(formats <"$FAKE_CONSUMER/formats" | wc -l)
is "$classes" "$(grep -c '^event {' "$FAKE_CONSUMER/metadata")" \
	'the formats are the kernel'"'"'s own texts, one for each class'
refused 'a buffer that is read' 'stop it first' \
	'{"verb": "kernel", "session": "s", "buffer_size": 2097152}'

# A flood of events, more than the rings have room for.
overrun() {
	dd if=/dev/zero of=/dev/null bs=1 count=100000 2>/dev/null
	(($(number overrun) > 0))
}
ok 'the kernel counts what is lost' wait_for overrun

touch "$FAKE_CONSUMER/hold"
control '{"verb": "stop", "session": "s"}' >"$TAP_DIR/stopped" &
stop=$!
wait_for grep -q 's/kernel.*"final": true' "$told"
is "$(cat "$at/tracing_on" "$at/events/sched/sched_switch/enable" "$TAP_DIR/stopped" | paste -sd' ')" \
	'0 0' 'a stop waits for the consumer, with everything off'
: >"$told"
kill -KILL "$(pgrep -f "fake-consumer --control=$SESSIOND_DIR/")"
wait_for grep -q 's/kernel.*"final": true' "$told"
is "$(grep '"session": "s/kernel"' "$told" | sed -E 's/.*"event": "([a-z]+)".*/\1/' | paste -sd,)" \
	session,metadata,channel,metadata 'another consumer knows the rings before it is asked to end'
rm "$FAKE_CONSUMER/hold"
wait "$stop"
like "$(<"$TAP_DIR/stopped")" '"ok": true' 'and ends when that has written'
is "$(number events) $(number discarded) $(number packets) $(number bytes) $(number streams)" \
	'70 3 2 4096 1' 'the status has what it wrote'
refused 'a size other than before' 'does not change the size of a buffer that is being read' \
	'{"verb": "kernel", "session": "s", "buffer_size": 2097152}'
like "$(control '{"verb": "list"}')" '"buffer_size": 1048576' 'the size is what it was'
ok 'a rule can be added' control \
	'{"verb": "kernel-enable", "session": "s", "rule": "irq:irq_handler_entry"}'
: >"$told"
ok 'it starts again' control '{"verb": "start", "session": "s"}'
new_class() {
	grep -q irq:irq_handler_entry "$FAKE_CONSUMER/metadata"
}
ok 'the new class is described' wait_for new_class

consumer=$(pgrep -f "fake-consumer --control=$SESSIOND_DIR/")
# The log is emptied before another one writes there.
kill -STOP "$consumer"
: >"$told"
kill -KILL "$consumer"
again() {
	grep -q '"channel".*s/kernel' "$told"
}
ok 'another consumer is told everything' wait_for again
echo 'the disk is full' >"$FAKE_CONSUMER/error"
refused 'what could not be written' 'not complete.*the disk is full' '{"verb": "stop", "session": "s"}'
rm "$FAKE_CONSUMER/error"
is "$(number events)" 140 'what both wrote is counted'
control '{"verb": "destroy", "session": "s"}' >/dev/null
ok 'with the session the instance goes' wait_for gone "$at"

create all >/dev/null
like "$(control '{"verb": "kernel", "session": "all", "pids": ['"$one"']}' \
	'{"verb": "kernel-enable", "session": "all", "rule": "*:*"}' \
	'{"verb": "start", "session": "all"}' '{"verb": "stop", "session": "all"}' | sed -n 2p)" \
	"\"matched\": $(grep -vc ^lttngmap_ $tracefs/available_events), \"warnings\": \\[ \\]" \
	'all events that this kernel has'
mkdir "$TAP_DIR/read"
cp "$FAKE_CONSUMER/metadata" "$TAP_DIR/read"
is "$(babeltrace2 "$TAP_DIR/read" 2>&1)" '' 'are described as babeltrace2 understands it'
control '{"verb": "destroy", "session": "all"}' >/dev/null

# ---- what is left --------------------------------------------------------------------------

create s >/dev/null
control "$rule" '{"verb": "start", "session": "s"}' >/dev/null
at=$(instance s)
: >"$told"
exec 9<"$at/tracing_on"
kill -KILL "$(pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR")"
stopped() {
	[[ $(<"$at/tracing_on") == 0 ]]
}
ok 'the daemon is killed: an instance that somebody has open records no more' wait_for stopped
exec 9<&-
ok 'and goes when it is let go' wait_for gone "$at"
like "$(control '{"verb": "status", "session": "s"}')" 'kernel-2, for the session daemon was killed' \
	'and the session says so'
ok 'it is there, and stops' control '{"verb": "stop", "session": "s"}'
ok 'another one has kernel events' control \
	'{"verb": "create", "session": "t", "output": "'"$TAP_DIR/t"'"}' \
	'{"verb": "kernel-enable", "session": "t", "rule": "sched:sched_switch"}' \
	'{"verb": "start", "session": "t"}'
at=$(instance t)
sessiond_stop KILL
wait_for eval '! pgrep -f "fake-consumer --control=$SESSIOND_DIR/"'

# Its owner lives until it is in use: another daemon of this machine would remove it.
sleep 600 &
dead=$!
used=$tracefs/instances/lttngmap-$dead-$(cut -d ' ' -f 22 "/proc/$dead/stat")-used
mkdir "$used" "$tracefs/instances/lttngmap-$$-kept"
cleanup rmdir "$tracefs/instances/lttngmap-$$-kept"
echo 1 >"$used/tracing_on"
exec 9<"$used/tracing_on"
tail -f /dev/null &
user=$!
exec 9<&-
kill "$dead"
wait "$dead" 2>/dev/null
let_go() {
	kill "$user" 2>/dev/null
	wait "$user" 2>/dev/null
}
cleanup let_go
sessiond_start --consumer=none
ok 'supervisor and daemon are killed: the next daemon removes the instance' wait_for gone "$at"
is "$(cat "$used/tracing_on")" 1 'but none that is in use, which goes on'
ok 'nor one that is called otherwise' test -d "$tracefs/instances/lttngmap-$$-kept"
let_go
ok 'which goes when it is let go' wait_for gone "$used"

create s >/dev/null
control "$rule" '{"verb": "start", "session": "s"}' >/dev/null
at=$(instance s)
SESSIOND_DIR=$TAP_DIR/second timeout 60 "$LTTNGMAP_BUILD/lttngmap-sessiond" --no-supervise \
	--consumer=none --runtime-dir="$TAP_DIR/second" >>"$TAP_DIR/log" 2>&1 &
second=$!
SESSIOND_DIR=$TAP_DIR/second wait_for control
kill "$second"
wait "$second"
ok 'another daemon leaves what a live one has' test -d "$at"
sessiond_stop
is "$sessiond_status" 0 'a daemon that is told to end ends well'
ok 'and takes the instance with it' gone "$at"
is "$(kernel_machine)" "$before" 'the machine'"'"'s own tracing is as it was'

done_testing
