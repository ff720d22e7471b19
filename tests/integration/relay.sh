#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# What is recorded goes to LTTng's own collector: the same events as the local trace has,
# of each process and of shared rings, of the program's and of the kernel's; in chunks; and
# where nothing of it stays here.
#
#   LTTNGMAP_TEST_EVENTS          events of the large rounds (300,000)
#   LTTNGMAP_TEST_KERNEL_WRITES   calls of write(2), each of them two of the kernel's events (2,000)

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/relayd.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
emit=$LTTNGMAP_BUILD/tests/utils/emit
many=${LTTNGMAP_TEST_EVENTS:-300000}
writes=${LTTNGMAP_TEST_KERNEL_WRITES:-2000}
export LTTNGMAP_SPOOL_DIR=$TAP_DIR/spool XDG_RUNTIME_DIR=$TAP_DIR/xdg
mkdir -m 700 "$LTTNGMAP_SPOOL_DIR" "$XDG_RUNTIME_DIR"
cd "$TAP_DIR" || exit 1
cleanup relayd_stop KILL
relayd_start

# ---- a local trace, and the same at the collector

for buffers in process user; do
	numbered_record_traced --url "$RELAYD_URL" --mode blocking --buffers $buffers -- \
		"$emit" "$NUMBERED_COUNTS" 4 "$many"
	is "$numbered_status" 0 "rings of each $buffers: status" || diag "$(cat err)"
	numbered_is_whole "rings of each $buffers: the local trace has $many events"
	there=$(relayed emit)
	same_trace "rings of each $buffers" "$numbered_trace/ust" "$there/ust"
	numbered_trace=$there
	numbered_is_whole 'read at the collector, it has all events, once'
	numbered_trace=$TAP_DIR/trace
	rm -rf "${RELAYD_DIR:?}"/*
done

# ---- nothing stays here

: >"$NUMBERED_COUNTS"
numbered_record_away() { # OPTIONS...
	"$lttngmap" record --url "$RELAYD_URL" --spool-size 16M \
		--preload none -e 'numbered:*' "$@" -- "$emit" "$NUMBERED_COUNTS" 4 "$many" \
		>out 2>err </dev/null
	numbered_status=$?
	numbered_kept=$(sed -n 's/.*traced, \([0-9,]*\) events* kept.*/\1/p' err | tr -d ,)
	numbered_lost=$(sed -n 's/.* kept, \([0-9,]*\) lost.*/\1/p' err | tr -d ,)
}
numbered_record_away --mode blocking
is $numbered_status 0 'away: status' || diag "$(cat err)"
like "$(<err)" "streams?, in $RELAYD_URL" 'the summary says where the trace is'
is "$(ls -A "$LTTNGMAP_SPOOL_DIR")" '' 'nothing is left of the spool'
numbered_trace=$(relayed emit)
numbered_is_whole 'the collector has all events'
rm -rf "${RELAYD_DIR:?}"/*

# ---- several of one program, in one second

records=()
for number in 1 2 3; do
	: >counts-$number
	"$lttngmap" record --url "$RELAYD_URL" --preload none -e 'numbered:*' --mode blocking -- \
		"$emit" counts-$number 1 ${number}000 >out-$number 2>&1 </dev/null &
	records+=($!)
done
wait "${records[@]}"
is "$(for folder in $(relayed_all emit); do babeltrace2 "$folder" 2>/dev/null | wc -l; done | sort -n | xargs)" \
	'1000 2000 3000' 'each has a folder of its own there' || diag "$(cat out-?)"
rm -rf "${RELAYD_DIR:?}"/*

# ---- the kernel's

if [[ $EUID == 0 ]] && [[ -d /sys/kernel/tracing/instances || -d /sys/kernel/debug/tracing/instances ]]; then
	"$lttngmap" record -o both --url "$RELAYD_URL" --preload libc --kernel 'syscalls:sys_*_write' \
		--kernel 'sched:sched_switch' -- \
		python3 -c 'import os, sys
null = os.open("/dev/null", os.O_WRONLY)
for i in range(int(sys.argv[1])): os.write(null, b"%d" % i)' "$writes" >out 2>err
	is $? 0 'with the kernel: status' || diag "$(cat err)"
	diag "$(grep -a events err)"
	there=$(relayed python3)
	same_trace "the kernel's trace" both/kernel "$there/kernel"
	same_trace "the program's beside it" both/ust "$there/ust"
	babeltrace2 both >here.text
	babeltrace2 "$there" >there.text 2>said
	is "$(<said)" '' 'babeltrace2 merges both and has nothing to say'
	ok 'and has the same text of both' cmp here.text there.text
	rm -rf "${RELAYD_DIR:?}"/*
else
	skip 8 "only root sees the kernel's events, where there is tracefs"
fi

# ---- traces that lie here, also such as are broken

: >counts.lying
"$lttngmap" record -o lying --preload none -e 'numbered:*' -- "$emit" "$TAP_DIR/counts.lying" 2 5000 \
	>out 2>err || diag "$(cat err)"
index() { find "$1/ust/index" -name '*.idx' -size +0 | sort | head -1; }
for name in again holed short; do cp -r lying $name; done
# The size of a packet in the index; a stream's file without its end.
dd if=/dev/zero of="$(index holed)" bs=1 seek=24 count=8 conv=notrunc status=none
stream=$(basename "$(index short)" .idx)
truncate -s -100 "short/ust/$stream"
pids=()
for name in again holed short; do
	options=(--timeout 30s)
	[[ $name != holed ]] || options+=(--spool)
	"$lttngmap" relay "${options[@]}" "$RELAYD_URL" $name \
		>out-$name 2>err-$name &
	pids+=($!)
done
wait "${pids[0]}"
is $? 0 'a trace that is complete is sent' || diag "$(cat err-again)"
same_trace 'a trace that is complete' lying/ust "$(relayed again)/ust"
for broken in 1:holed 2:short; do
	name=${broken#*:}
	wait "${pids[${broken%:*}]}"
	is $? 1 "$name: a stream that is broken is an error"
	like "$(<err-$name)" 'names a packet that is not there' '  ... that is told'
	is "$(relayed_all $name | wc -l)" 1 '  ... and no reason for another connection'
	ok '  ... what was not sent stays here' test -s "$(index $name)"
done
"$lttngmap" relay "$RELAYD_URL" again >out 2>&1 &
pids=($!)
# As after a clear: a file of the same name.
cp -r again other
rm other/.relay-*
cp "$(index other)" new.idx
mv new.idx "$(index other)"
"$lttngmap" relay "$RELAYD_URL" other >out-other 2>&1
is $? 0 'a trace whose stream began anew is sent'
like "$(<out-other)" ': [1-9][0-9]* packets' '  ... what is new of it'
wait "${pids[0]}"
like "$(<out)" ': 0 packets' 'what the collector has is not sent again'
"$lttngmap" relay "$RELAYD_URL/second" again >out 2>err
is $? 0 'another collector is sent the trace, too' || diag "$(<err)"
same_trace 'at the other collector' lying/ust "$(echo "$RELAYD_DIR"/*/second/ust)"
rm -rf "${RELAYD_DIR:?}"/*

# ---- a session, in chunks

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
mkdir -m 700 "$SESSIOND_DIR"
sessiond_start
cleanup sessiond_stop
no_relay() { ! pgrep -f "lttngmap relay .*$LTTNGMAP_SPOOL_DIR"; }
cleanup eval 'pkill -KILL -f "lttngmap relay .*$LTTNGMAP_SPOOL_DIR"'
events_in() { # FOLDER...
	babeltrace2 "$@" 2>>said | wc -l
}
: >"$NUMBERED_COUNTS"
: >said
do_all "create s --set-url $RELAYD_URL" 'channel events --mode blocking --subbuf-size 64K' \
	'enable numbered:*' 'start'
like "$("$lttngmap" list --json s)" "\"url\": ?\"${RELAYD_URL//\//.*}\"" 'the list tells of the collector'
for chunk in 1 2 3; do
	"$emit" "$NUMBERED_COUNTS" 1 $((chunk * 10000)) >out 2>&1
	[[ $chunk == 3 ]] || "$lttngmap" rotate >out 2>&1 || diag "$(cat out)"
done
like "$("$lttngmap" clear 2>&1)" 'cannot be cleared' 'what the collector has cannot be cleared'
"$lttngmap" stop >out 2>&1
"$lttngmap" destroy >out 2>&1
is $? 0 'the session is destroyed' || diag "$(cat out)"
ok 'what sends ends by itself when all is sent' wait_for no_relay
is "$(ls -A "$LTTNGMAP_SPOOL_DIR")" '' 'and leaves nothing'
there=$(relayed s)
archived() { [[ $(find "$there/archives" -mindepth 1 -maxdepth 1 | wc -l) == 2 ]]; }
ok 'two chunks are in its archives' wait_for archived
found=()
for chunk in "$there"/archives/*-0 "$there"/archives/*-1 "$there"/2*-2; do
	found+=("$(events_in "$chunk")")
done
is "${found[*]}" '10000 20000 30000' 'each chunk has what was recorded in its time'
is "$(events_in "$there")" 60000 'together they are one trace'
is "$(<said)" '' 'of which babeltrace2 has nothing to say'
rm -rf "${RELAYD_DIR:?}"/*

# ---- chunks of long ago

do_all 'create old -o old' 'channel events --mode blocking' 'enable numbered:*' 'start'
for chunk in 1 2; do
	"$emit" "$NUMBERED_COUNTS" 1 1000 >out 2>&1
	"$lttngmap" rotate >out 2>&1 || diag "$(cat out)"
done
"$lttngmap" destroy >out 2>&1 || diag "$(cat out)"
at() { date -d "@$1" +%Y%m%dT%H%M%S%z; }
mv old/archives/*-0 "old/archives/$(at 1700000000)-$(at 1700003600)-0"
mv old/archives/*-1 "old/archives/$(at 1700003600)-$(at 1700003601)-1"
"$lttngmap" relay "$RELAYD_URL" old >out 2>&1
is $? 0 'a trace in chunks is sent' || diag "$(cat out)"
is "$(find "$(relayed old)/archives" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort)" \
	"$(find old/archives -mindepth 1 -maxdepth 1 -printf '%f\n' | sort)" \
	'its chunks are called there as here, by the time when they were recorded'
done_testing
