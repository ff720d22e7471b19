#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Traced processes write counts that may be right into their rings, then anything, and end. Of a
# session in which five others lose events, the sums have these five's alone: what the damaged
# rings say is told beside them.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

sum() { # FIELD: of the session's status
	sed -n 's/^[^[]*"'"$1"'": \([0-9]*\).*/\1/p' "$TAP_DIR/answer" | tail -n 1
}
attack_end_lives() {
	touch "$TAP_DIR/no-more-lives"
	attack_await $((10 * attack_patience)) "${attack_children[@]}"
}
attack_look() {
	local consumers emitters=() pid uid

	rm -rf "$TAP_DIR/sums"
	: >"$NUMBERED_COUNTS"
	attack_session sums '' discard || bail_out "no session: $(<"$TAP_DIR/answer")"
	# The attackers have rings there, too, before nobody reads: their number is not known here.
	sleep 0.5
	mapfile -t consumers < <(sessiond_consumer)
	kill -STOP "${consumers[@]}"
	for uid in "${attack_victims[@]}"; do
		setpriv --reuid="$uid" --regid="$uid" --clear-groups \
			env LTTNGMAP_RUNTIME_DIR="$SESSIOND_DIR" LTTNGMAP_ALLOW_BLOCKING=1 \
			"$LTTNGMAP_BUILD/tests/utils/emit" "$NUMBERED_COUNTS" 1 20000 &
		emitters+=($!)
	done
	for pid in "${emitters[@]}"; do
		wait "$pid"
	done
	kill -CONT "${consumers[@]}"
	ok "$1: the attackers' lives come to their ends" attack_end_lives
	attack_control 10 '{"verb": "stop", "session": "sums"}' '{"verb": "status", "session": "sums"}'
	mkdir -p "$TAP_DIR/sums/emit/index"
	ln "$TAP_DIR"/sums/ust/{metadata,c_emit-*} "$TAP_DIR/sums/emit"
	numbered_chunks=("$TAP_DIR/sums/emit")
	numbered_check
	is "$numbered_sound:$(sum discarded)" "0:$((numbered_done - numbered_events))" \
		"$1: of $numbered_done events five programs lost $((numbered_done - numbered_events))"
	is "$(sum buffered):$(sum overwritten)" 0:0 "$1: nothing is in the buffers"
	is "$(sum written)" $(($(sum kept) + $(sum broken))) "$1: what was written is kept, or left out"
	ok "$1: $(sum closed_rings) damaged rings claim $(sum claimed)" \
		test "$(sum closed_rings)" -gt 0 -a "$(sum claimed)" -ge 1000000
	like "$(<"$TAP_DIR/answer")" '"damagers": \[ *\{ *"pid": [0-9]+, "name": "test_program"' \
		"$1: by name" || diag "$(<"$TAP_DIR/answer")"
	attack_control 10 '{"verb": "destroy", "session": "sums"}'
	rm "$TAP_DIR/no-more-lives"
	attack_start
}
cleanup touch "$TAP_DIR/no-more-lives"
attack scribble 4 "$TAP_DIR/no-more-lives"
done_testing
