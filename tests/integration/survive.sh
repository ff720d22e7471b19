#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The session daemon, and the consumer, are killed again and again beneath
# programs that are recorded: what was emitted is in the trace, once, or was
# counted as lost; nothing is lost where events may block; programs see no
# error, and no event takes a second. Where the machine has much other work, an event may take ten
# times what a bystander takes: a program of nobody's that starts, writes to the disk and ends.
#
#   LTTNGMAP_TEST_KILLS   of each, in each mode (6; 34 where it is full)
#   LTTNGMAP_SOAK_SECONDS   as many as take about so long
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/short.sh"
no_leak_check

soak=${LTTNGMAP_SOAK_SECONDS:+$((LTTNGMAP_SOAK_SECONDS * 7))}
kills=${LTTNGMAP_TEST_KILLS:-${soak:-$(short_or 6 34)}}
survivors=$LTTNGMAP_BUILD/tests/utils/survivors
numbered_timeout=$((120 + kills * 2))
export XDG_RUNTIME_DIR=$TAP_DIR/runtime
mkdir -m 0700 "$XDG_RUNTIME_DIR"

worst=0
slowest=0

# The daemon is the supervisor's child, the consumer the daemon's.
daemon_of() {
	local pid

	for pid in $(pgrep -f "lttngmap-sessiond --private --runtime-dir $XDG_RUNTIME_DIR"); do
		pgrep -P "$pid" -f "lttngmap-sessiond --private --runtime-dir $XDG_RUNTIME_DIR"
	done | head -n 1
}
consumer_of() {
	pgrep -f "lttngmap-consumerd --control=$XDG_RUNTIME_DIR" | head -n 1
}

# kill_often WHOM: at any moment of its life. Each eighth life is longer: after 20 in which nothing
# came about, there is no other, and on a busy machine it takes its time to begin.
kill_often() {
	local pid last='' killed=0 tries=0

	while ((killed < kills && tries++ < kills * 100)); do
		pid=$("$1")
		if [[ -n $pid && $pid != "$last" ]]; then
			((killed % 8 != 7)) || sleep 0.8
			sleep "0.$(printf %03d $((RANDOM % 200)))"
			last=$pid
			kill -KILL "$pid" 2>/dev/null && killed=$((killed + 1))
		else
			sleep 0.01 # The next one is not there yet.
		fi
	done
	echo "$killed" >>"$TAP_DIR/killed"
}

# How long a bystander took at most, in microseconds.
stand_by() {
	local begun took longest=0

	until [[ -e $TAP_DIR/stop ]]; do
		begun=${EPOCHREALTIME/[.,]/}
		dd if=/dev/zero of="$TAP_DIR/written" bs=4K count=1 conv=fsync status=none
		took=$((${EPOCHREALTIME/[.,]/} - begun))
		((took <= longest)) || longest=$took
		sleep 0.01 # The disk is to be asked a hundred times a second, not more.
	done
	echo "$longest" >"$TAP_DIR/bystander"
}

# under_kills MODE WHOM...: record a program beneath which these are killed.
under_kills() {
	local mode=$1 whom children=()

	shift
	rm -f "$TAP_DIR/stop" "$TAP_DIR/killed"
	# Not those of the program before: it is to be there when the first one is killed.
	: >"$NUMBERED_COUNTS"
	(
		until grep -q . "$NUMBERED_COUNTS" 2>/dev/null; do sleep 0.05; done
		for whom; do kill_often "$whom"; done
		touch "$TAP_DIR/stop"
	) &
	killer=$!
	stand_by &
	bystander=$!
	# Where events may not block, a child waits for its registration no longer than
	# 100 ms, and goes without it where the machine is busy.
	[[ $mode != blocking ]] || children=(children)
	numbered_record --mode "$mode" --subbuf-size 4K --subbufs 4 -- \
		"$survivors" "$TAP_DIR/stop" "${children[@]}"
	touch "$TAP_DIR/stop"
	wait "$killer" "$bystander"
}

# Of the program, not of its children, which come later.
is_untraced() {
	grep -q "process $(od -An -t u4 -j 80 -N 4 "$NUMBERED_COUNTS" | tr -d ' ') .* did not wait" "$TAP_DIR/err"
}

bound=$((1000000 * ${LTTNGMAP_TEST_PATIENCE:-1})) # microseconds
[[ -z ${LTTNGMAP_SANITIZED:-} ]] || bound=10000000

# survive NAME MODE WHOM...; again where the machine was too busy to trace the program from its start.
survive() {
	local name=$1 mode=$2 longest bystander limit

	for _ in 1 2 3; do
		under_kills "${@:2}"
		is_untraced || break
		diag 'the program was not traced; once more'
	done
	is "$numbered_status" 0 "$name: the program and record end well" ||
		diag "$(cat "$TAP_DIR/err")"
	is "$(sort -u "$TAP_DIR/killed" | tr '\n' ' ')" "$kills " "$name: all were killed"
	if [[ $mode == blocking ]]; then
		numbered_is_whole "$name: each event is in the trace, once"
	else
		numbered_is_counted "$name: each event is in the trace, once, or counted"
	fi
	longest=$(sed -n 's/^longest \([0-9]*\) us.*/\1/p' "$TAP_DIR/out")
	diag "$(cat "$TAP_DIR/out"): $numbered_kept events kept, $numbered_lost lost"
	[[ ${longest:-0} -le $worst ]] || worst=$longest
	bystander=$(<"$TAP_DIR/bystander")
	limit=$((bystander * 10 > bound ? bystander * 10 : bound))
	ok "$name: no event took a second, nor ten times what a bystander did: ${longest:-?} us, bystander $bystander us" \
		test "${longest:-$limit}" -lt "$limit"
	((bystander <= slowest)) || slowest=$bystander
}

survive 'daemon, blocking' blocking daemon_of
survive 'daemon, discarding' discard daemon_of
survive 'consumer, blocking' blocking consumer_of
survive 'consumer, discarding' discard consumer_of
survive 'both, overwriting' overwrite daemon_of consumer_of

figure 17 "$((kills * 3)) kills of the daemon, $((kills * 3)) of the consumer;" \
	"the longest event took $worst us, a bystander $slowest us"
ok 'nothing is left running' test -z "$(pgrep -f "$XDG_RUNTIME_DIR")"
is "$(ls -A "$XDG_RUNTIME_DIR")" '' 'nor any directory'
mounted() { grep -q " $TAP_DIR" /proc/self/mounts; }
ok 'nor a mount' eval '! mounted'
done_testing
