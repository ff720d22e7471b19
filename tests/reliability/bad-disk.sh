#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Row 22: the disk is full, fails, takes a byte at a time, in turns and beneath load:
# each whole packet is readable, no event is there twice, what is missing was
# counted as lost, and where events may block nothing is missing. A disk that
# does not come back is said, and what was on it is readable.
#
#   LTTNGMAP_SOAK_SECONDS   how long the disk is bad, in each mode, instead of 3 s
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"

[[ -z ${LTTNGMAP_SANITIZED:-} ]] || skip_all 'a build with sanitizers has no libraries to preload'
seconds=${LTTNGMAP_SOAK_SECONDS:-3}
emit=$LTTNGMAP_BUILD/tests/utils/emit
numbered_timeout=$((seconds * 3 + 120))
export BAD_DISK=$TAP_DIR/disk
cat >"$TAP_DIR/consumer" <<END
#!/bin/sh
LD_PRELOAD=$LTTNGMAP_BUILD/tests/utils/.libs/libbad-disk.so
export LD_PRELOAD
exec "$LTTNGMAP_BUILD/lttngmap-consumerd" "\$@"
END
chmod +x "$TAP_DIR/consumer"
export LTTNGMAP_CONSUMERD=$TAP_DIR/consumer

# be MODE SECONDS: as tests/utils/bad-disk.c has them.
be() {
	printf %s "$1" >"$BAD_DISK"
	sleep "$2" # the disk is so for so long
}
begin_anew() {
	rm -rf "$TAP_DIR/stop" "$numbered_trace"
	: >"$NUMBERED_COUNTS"
	printf g >"$BAD_DISK"
}
# Until there is something to lose.
wait_for_events() {
	until [[ -s $NUMBERED_COUNTS ]] && compgen -G "$numbered_trace/ust/*_emit-*" >/dev/null; do
		sleep 0.05
		[[ ! -e $TAP_DIR/stop ]] || return
	done
}
bytes() {
	cat "$numbered_trace"/ust/*_emit-* | wc -c
}
# More than a thousand in whole packets, with what a busy machine makes of a second.
wait_for_many() {
	until (($(bytes) > 100000)); do
		sleep 0.05
		[[ ! -e $TAP_DIR/stop ]] || return
	done
}
# be_until_it_fails MODE: a busy machine may not have written anything yet.
be_until_it_fails() {
	be "$1" 0.1
	for ((tries = 0; tries < 300; tries++)); do
		[[ $(<"$BAD_DISK") != "$1$1" ]] || return 0
		sleep 0.1
	done
}
be_bad() {
	local end i size modes=(s e b m m)

	wait_for_events
	end=$((SECONDS + seconds))
	while ((SECONDS < end)); do
		for i in "${!modes[@]}"; do
			be "${modes[i]}" "0.$((RANDOM % 4 + 1))"
			be g "0.0$((RANDOM % 9 + 1))"
		done
		changes=$((changes + ${#modes[@]}))
	done
	be_until_it_fails s
	be_until_it_fails e
	# Said to be over after half a second without trouble, from when it is written again.
	size=$(bytes)
	be g 0.1
	for ((tries = 0; tries < 300 && $(bytes) <= size; tries++)); do
		sleep 0.1 # a look each
	done
	# Half a second without trouble, on a busy machine, too.
	sleep 3
	echo "$changes" >"$TAP_DIR/changes"
	touch "$TAP_DIR/stop"
}

# bad MODE: record beneath it.
bad() {
	changes=0
	begin_anew
	be_bad &
	numbered_record --mode "$1" --subbuf-size "$2" --subbufs 4 -- \
		"$emit" "$NUMBERED_COUNTS" 2 1000000000 "$TAP_DIR/stop"
	touch "$TAP_DIR/stop"
	wait
	is "$numbered_status" 0 "$1: the program and record end well" || diag "$(<"$TAP_DIR/err")"
	if [[ $1 == blocking ]]; then
		numbered_is_whole "$1: each event is in the trace, once"
	else
		numbered_is_counted "$1: each event is in the trace, once, or counted"
	fi
	like "$(<"$TAP_DIR/err")" 'cannot write .*: No space left on device; make room there' "$1: a full disk is told"
	like "$(<"$TAP_DIR/err")" 'cannot write .*: Input/output error' "$1: and a failing one"
	like "$(<"$TAP_DIR/err")" 'cannot write .*can be written again' "$1: and that it is over"
	ok "$1: babeltrace2 reads the trace" eval 'babeltrace2 "$numbered_trace" >/dev/null 2>"$TAP_DIR/errors"' ||
		diag "$(tail -n 5 "$TAP_DIR/errors")"
	figure 22 "$1, packets of $2: the disk bad $(<"$TAP_DIR/changes") times in $seconds s: $numbered_kept events kept, $numbered_lost lost and counted, of $numbered_done; $numbered_missing missing in all"
}

export LTTNGMAP_ALLOW_BLOCKING=1
bad discard 4K
bad blocking 4K
# Packets that go past the page cache.
bad discard 256K

# ---- it does not come back -----------------------------------------------------
dead() { # MODE NAME ERROR
	begin_anew
	{
		wait_for_events
		sleep 1 # in which all is well
		wait_for_many
		be "$1" 1
		touch "$TAP_DIR/stop"
	} &
	numbered_record --mode discard --subbuf-size 4K --subbufs 4 -- \
		"$emit" "$NUMBERED_COUNTS" 2 1000000000 "$TAP_DIR/stop"
	touch "$TAP_DIR/stop"
	wait
	is "$numbered_status" 125 "$2: record fails"
	like "$(<"$TAP_DIR/err")" "cannot complete the trace.*$3" "$2: and says why"
	ok "$2: torn packets are cut off" env -u LTTNGMAP_CONSUMERD "$LTTNGMAP_BUILD/lttngmap" recover "$numbered_trace"
	ok "$2: what was written is readable" eval \
		'babeltrace2 "$numbered_trace" >"$TAP_DIR/text" 2>"$TAP_DIR/errors"' ||
		diag "$(tail -n 5 "$TAP_DIR/errors")"
	numbered_check
	is "$numbered_sound" 0 "$2: and sound" || diag "$(<"$TAP_DIR/found")"
	ok "$2: all of a second, at least: $numbered_events events" test "${numbered_events:-0}" -gt 1000
	figure 22 "$2 until the end: $numbered_events of $numbered_done events in whole packets, readable; record says so, status 125"
}
dead s 'a full disk' 'No space left'
dead d 'a dead disk' 'Input/output error'
done_testing
