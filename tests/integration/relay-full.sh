#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The collector is away and the spool is full: a session stops as any other, what its buffers hold is kept,
# and when the collector is there again it gets everything. Of programs and of the kernel.

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/relayd.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
emit=$LTTNGMAP_BUILD/tests/utils/emit
export LTTNGMAP_SPOOL_DIR=$TAP_DIR/spool XDG_RUNTIME_DIR=$TAP_DIR/xdg LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
mkdir -m 700 "$LTTNGMAP_SPOOL_DIR" "$XDG_RUNTIME_DIR" "$SESSIOND_DIR"
cd "$TAP_DIR" || exit 1
cleanup relayd_stop KILL
sessiond_start
cleanup sessiond_stop
no_relay() { ! pgrep -f "lttngmap relay .*$LTTNGMAP_SPOOL_DIR"; }
cleanup eval 'pkill -KILL -f "lttngmap relay .*$LTTNGMAP_SPOOL_DIR"'
count() { # KEY: of the session, or of its kernel part
	"$lttngmap" status --json | python3 -c "import json, sys
status = json.load(sys.stdin)
print(status['$1'] if '$1' in status else status['kernel']['$1'[7:]])"
}
# stop_full KEY: the session, whose spool is full; more bytes are kept then, by the counter KEY.
stop_full() {
	local before_ms

	ok 'the spool is full' wait_for grep -q 'the spool is full' log
	ok '  ... which has an end' test "$(du -sk "$spool" | cut -f1)" -le $((18 * 1024))
	before=$(count "$1")
	before_ms=$(date +%s%3N)
	"$lttngmap" stop >out 2>&1
	is $? 0 'the session is stopped all the same' || diag "$(<out)"
	# Else a stop is given up after 2 s without progress, which is an error.
	diag "after $(($(date +%s%3N) - before_ms)) ms"
	like "$(<out)" " wait in $spool until it takes them" '  ... it is said what waits where'
	ok '  ... what the buffers held is there, too' test "$(count "$1")" -gt "$before"
}
sent_whole() { # FOLDER
	relayd_start
	do_all destroy
	ok 'the collector is there again: what sends ends by itself' wait_for no_relay
	is "$(ls -A "$LTTNGMAP_SPOOL_DIR")" '' '  ... and leaves nothing'
	is "$(for folder in $(relayed_all full); do [[ ! -e $folder/$1 ]] || babeltrace2 "$folder/$1"; done 2>said | wc -l)" \
		"$kept" '  ... the collector has all that was kept'
}

# ---- programs'

begin() {
	[[ -n $relayd_pid ]] || relayd_start
	do_all "create full --set-url $RELAYD_URL --spool-size 16M" \
		'channel events --subbuf-size 256K --subbufs 8' 'enable numbered:*'
	spool=$(echo "$LTTNGMAP_SPOOL_DIR"/*)
	# Before anything is under way, which would be there twice.
	relayd_stop KILL
	do_all start
}
# Until spool and buffers are full: $many events.
fill() {
	: >counts
	many=0
	# On a busy machine, the buffers are full first.
	for _ in {1..20}; do
		"$emit" counts 4 500000 >out 2>&1 || bail_out "emit: $(<out)"
		many=$((many + 500000))
		[[ $(du -sk "$spool" | cut -f1) -lt 16384 ]] || break
	done
	"$emit" counts 4 500000 >out 2>&1 || bail_out "emit: $(<out)"
	many=$((many + 500000))
}
begin
fill
stop_full bytes
kept=$(count kept) lost=$(count discarded)
is $((kept + lost)) $many 'each event was kept, or counted as lost'
ok 'and some were lost' test "$lost" -gt 0
do_all start
"$emit" counts 1 100000 >out 2>&1 || bail_out "emit: $(<out)"
ok 'started again, it has its limit again' test "$(count kept)" -le "$((kept + 1000))"
do_all stop
kept=$(count kept)
sent_whole ust
rm -rf "${RELAYD_DIR:?}"/*

# ---- a chunk ends all the same

: >log
begin
fill
ok 'the spool is full again' wait_for grep -q 'the spool is full' log
"$lttngmap" rotate >out 2>&1
is $? 0 '  ... the session is rotated' || diag "$(<out)"
ok '  ... of which there is an end, too' test "$(du -sk "$spool" | cut -f1)" -le $((34 * 1024))
is "$(find "$spool/archives" -mindepth 1 -maxdepth 1 | wc -l)" 1 '  ... and has a chunk that is complete'
do_all stop
kept=$(count kept) lost=$(count discarded)
is $((kept + lost)) $many '  ... each event was kept, or counted as lost'
sent_whole ''
is "$(find "$RELAYD_DIR" -path '*/archives/*' -name ust | wc -l)" 1 '  ... in two chunks'
rm -rf "${RELAYD_DIR:?}"/*

# ---- the kernel's

if [[ $EUID == 0 ]] && [[ -d /sys/kernel/tracing/instances || -d /sys/kernel/debug/tracing/instances ]]; then
	: >log
	do_all "create full --set-url $RELAYD_URL --spool-size 16M" 'enable --kernel syscalls:sys_*_write'
	spool=$(echo "$LTTNGMAP_SPOOL_DIR"/*)
	relayd_stop KILL
	do_all start
	for _ in {1..20}; do
		dd if=/dev/zero of=/dev/null bs=1 count=300000 status=none
		[[ $(du -sk "$spool" | cut -f1) -lt 16384 ]] || break
	done
	dd if=/dev/zero of=/dev/null bs=1 count=100000 status=none
	stop_full kernel_bytes
	kept=$(count kernel_events)
	sent_whole kernel
else
	skip 8 "only root sees the kernel's events, where there is tracefs"
fi
done_testing
