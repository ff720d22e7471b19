#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Rings as files (--ring-dir). A program whose files are cut short loses its own
# trace, and neither daemon, consumer nor another trace suffers; a full disk is
# an error that is told, and ends no program; and a machine that stops dead
# leaves what was synced, readable.
#
#   LTTNGMAP_SOAK_SECONDS   rounds for about so long
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
survivors=$LTTNGMAP_BUILD/tests/utils/survivors
rounds=$((5 + ${LTTNGMAP_SOAK_SECONDS:-0} / 2))
deaths=$((2 + ${LTTNGMAP_SOAK_SECONDS:-0} / 10))
RINGS=$TAP_DIR/rings
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
unset XDG_RUNTIME_DIR
# What was killed or failed leaves its mounts.
# shellcheck disable=SC2317 # called by name
unmount() {
	umount -l "$SESSIOND_DIR/rings" 2>/dev/null
	umount -l "$TAP_DIR/disk" 2>/dev/null
}
cleanup unmount

# begin_session OPTION...: of a channel
begin_session() {
	"$lttngmap" create s -o "$numbered_trace" >"$TAP_DIR/said" &&
		"$lttngmap" channel c "$@" >>"$TAP_DIR/said" &&
		"$lttngmap" enable 'numbered:*' -c c >>"$TAP_DIR/said" &&
		"$lttngmap" start >>"$TAP_DIR/said"
}

# ---- cut short --------------------------------------------------------------------

ring_files_of() {
	grep -o "$RINGS/ring-[0-9]*/ring-[0-9]*" "/proc/$1/maps" | sort -u
}

# cut_short ROUND: a program whose files are cut; its status is in $status.
cut_short() {
	local pid file files size
	local sizes=(0 4096 100000)

	status=
	: >"$TAP_DIR/counts-cut"
	NUMBERED_COUNTS=$TAP_DIR/counts-cut "$survivors" "$TAP_DIR/stop" >/dev/null 2>&1 &
	pid=$!
	hostile+=("$pid")
	# A program waits 100 ms for its registration, which a busy machine may exceed.
	if ! wait_for compgen -G "$numbered_trace/ust/c_*-$pid-*" >/dev/null; then
		kill "$pid"
		wait "$pid" 2>/dev/null
		return 1
	fi
	files=$(ring_files_of "$pid")
	size=${sizes[$1 % 3]}
	for file in $files; do
		truncate -c -s "$size" "$file"
	done
	# Who finds no room in its rings, for the consumer was not there in time, writes to them no more.
	for _ in {1..100}; do
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.05
	done
	if kill "$pid" 2>/dev/null; then
		wait "$pid" 2>/dev/null
		return 1
	fi
	wait "$pid" 2>/dev/null
	status=$?
}

sessiond_start --ring-dir="$RINGS"
begin_session --mode discard --subbuf-size 64K --subbufs 8 || bail_out "no session: $(cat "$TAP_DIR/said")"
: >"$NUMBERED_COUNTS"
"$survivors" "$TAP_DIR/stop" >"$TAP_DIR/program" 2>&1 &
program=$!
wait_for compgen -G "$numbered_trace/ust/c_*"
before="$(pgrep -P "$sessiond_pid") $(sessiond_consumer)"
hostile=()
ended=0
for ((round = 0; round < rounds; round++)); do
	for _ in {1..5}; do
		cut_short "$round" && break
	done
	((status != 135)) || ended=$((ended + 1))
done
is "$ended" "$rounds" 'who cuts its own rings short is ended by SIGBUS itself'
is "$(pgrep -P "$sessiond_pid") $(sessiond_consumer)" "$before" 'daemon and consumer live on'
touch "$TAP_DIR/stop"
wait "$program"
is $? 0 'another program ends well'
begun=$SECONDS
ok 'the session stops' eval '"$lttngmap" stop --json s >"$TAP_DIR/json"'
ok 'at once' test $((SECONDS - begun)) -lt 10
lost=$(sed -n 's/.*"discarded": *\([0-9]*\).*/\1/p' "$TAP_DIR/json")
like "$(cat "$TAP_DIR/log")" 'was closed: the file of its memory was cut short' \
	'a message tells of it'
for pid in "${hostile[@]}"; do
	rm -f "$numbered_trace"/ust/*-"$pid"-* "$numbered_trace"/ust/index/*-"$pid"-*
done
numbered_check
# Those that were lost before a stream's first packet babeltrace2 does not count.
ok "the other program's events are in its trace, or counted" \
	test "$numbered_sound:$numbered_lost_packets" = 0:0 -a "$numbered_events" -gt 0 \
	-a "$numbered_missing" -ge "$numbered_discarded" -a "$numbered_missing" -le "${lost:-0}" ||
	diag "$lost lost; $(cat "$TAP_DIR/found")"
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
is "$(ls -A "$RINGS")" '' 'and leaves no file'
diag "$rounds programs cut short; $numbered_events of $numbered_done events of another kept"

# ---- a full disk ---------------------------------------------------------------------

if [[ $EUID == 0 ]]; then
	mkdir "$TAP_DIR/disk"
	mount -t tmpfs -o size=16M,mode=0700 none "$TAP_DIR/disk"
	RINGS=$TAP_DIR/disk/rings
	rm -rf "$numbered_trace" "$TAP_DIR/stop"
	: >"$NUMBERED_COUNTS"
	: >"$TAP_DIR/log"
	sessiond_start --ring-dir="$RINGS"
	ok 'full disk: a session' begin_session --mode discard --subbuf-size 64K --subbufs 8
	"$survivors" "$TAP_DIR/stop" >"$TAP_DIR/program" 2>&1 &
	program=$!
	wait_for compgen -G "$numbered_trace/ust/c_*"
	# Whatever is not set aside is taken.
	cat /dev/zero >"$TAP_DIR/disk/filler" 2>/dev/null
	: >"$TAP_DIR/counts-cut"
	touch "$TAP_DIR/stop-now"
	NUMBERED_COUNTS=$TAP_DIR/counts-cut "$survivors" "$TAP_DIR/stop-now" >"$TAP_DIR/late" 2>&1
	is $? 0 'full disk: a program for which there is no room ends well' ||
		diag "$(cat "$TAP_DIR/late")"
	sleep 0.3 # The one that has its room writes on.
	touch "$TAP_DIR/stop"
	wait "$program"
	is $? 0 'full disk: one that has its room goes on'
	ok 'full disk: the session stops' eval '"$lttngmap" stop --json s >"$TAP_DIR/json"'
	lost=$(sed -n 's/.*"discarded": *\([0-9]*\).*/\1/p' "$TAP_DIR/json")
	ok 'full disk: it is told' wait_for grep -q 'No space left' "$TAP_DIR/log"
	numbered_check
	ok 'full disk: its events are in the trace, or counted' \
		test "$numbered_sound:$numbered_lost_packets" = 0:0 -a "$numbered_events" -gt 0 \
		-a "$numbered_missing" -ge "$numbered_discarded" \
		-a "$numbered_missing" -le "${lost:-0}" || diag "$lost lost; $(cat "$TAP_DIR/found")"
	sessiond_stop
	is "$sessiond_status" 0 'full disk: the daemon ends well'
	umount "$TAP_DIR/disk"
else
	skip 6 'a file system of a few MiB is mounted by root, in another round'
fi

# ---- the machine stops dead --------------------------------------------------------------

# A disk in a file: a copy of it is what a machine that stops leaves.
make_disk() {
	rm -f "$TAP_DIR/image"
	truncate -s 128M "$TAP_DIR/image"
	mkfs.ext4 -q -F "$TAP_DIR/image" && mount -o loop,noatime "$TAP_DIR/image" "$TAP_DIR/disk"
}

# All of it at one instant: nobody writes to the disk, and where the kernel did
# meanwhile it is copied again. To a new file: a loop device may still have the last one.
copy_disk() {
	local all

	# shellcheck disable=SC2207 # process ids
	all=("$program" "$sessiond_pid" $(pgrep -P "$sessiond_pid") $(sessiond_consumer))
	kill -STOP "${all[@]}"
	for _ in {1..50}; do
		rm -f "$TAP_DIR/copy"
		cp --sparse=always "$TAP_DIR/image" "$TAP_DIR/copy"
		! cmp -s "$TAP_DIR/image" "$TAP_DIR/copy" || break
	done
	ok "stopped dead, $1: the disk as it was at one instant" \
		cmp "$TAP_DIR/image" "$TAP_DIR/copy"
	kill -CONT "${all[@]}"
}

stop_dead() {
	local synced

	make_disk || bail_out 'there is no ext4 in a file'
	RINGS=$TAP_DIR/disk/rings
	numbered_trace=$TAP_DIR/disk/trace
	rm -f "$TAP_DIR/stop"
	: >"$NUMBERED_COUNTS"
	sessiond_start --ring-dir="$RINGS"
	begin_session --mode "$1" --subbuf-size 16K --subbufs 4
	"$survivors" "$TAP_DIR/stop" >"$TAP_DIR/program" 2>&1 &
	program=$!
	wait_for compgen -G "$numbered_trace/ust/c_*"
	sleep "0.$((RANDOM % 5 + 1))"
	synced=$("$lttngmap" status --json s | sed -n 's/.*"kept": *\([0-9]*\).*/\1/p')
	sync -f "$TAP_DIR/disk"
	sleep "0.$((RANDOM % 5))"
	copy_disk "$1"
	touch "$TAP_DIR/stop"
	wait "$program"
	sessiond_stop KILL
	wait_for eval '! sessiond_consumer'
	umount -l "$SESSIOND_DIR/rings" 2>/dev/null
	rm -rf "$SESSIOND_DIR"
	wait_for umount "$TAP_DIR/disk"
	mount -o loop "$TAP_DIR/copy" "$TAP_DIR/disk" || bail_out 'the copy cannot be mounted'
	"$lttngmap" recover "$numbered_trace" >"$TAP_DIR/repair" 2>&1
	ok "stopped dead, $1: babeltrace2 reads the trace alone" \
		babeltrace2 "$numbered_trace/ust" -o dummy
	"$lttngmap" recover "$RINGS" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
	ok "stopped dead, $1: recovering ends" test $? -le 1 || diag "$(cat "$TAP_DIR/err")"
	ok "stopped dead, $1: babeltrace2 reads the trace" babeltrace2 "$numbered_trace/ust" -o dummy
	numbered_check
	ok "stopped dead, $1: what was synced is in it, and nothing is wrong" \
		test "$numbered_sound" = 0 -a "$numbered_events" -ge "$synced" ||
		diag "$(cat "$TAP_DIR/found" "$TAP_DIR/repair" "$TAP_DIR/err")"
	figure 23 "stopped dead, $1: $synced events synced, $numbered_events of $numbered_begun in the trace"
	umount "$TAP_DIR/disk"
}

if [[ $EUID == 0 ]]; then
	for ((round = 0; round < deaths; round++)); do
		stop_dead "$( ((round % 2)) && echo overwrite || echo discard)"
	done
else
	skip $((5 * deaths)) 'a disk in a file is mounted by root, in another round'
fi
done_testing
