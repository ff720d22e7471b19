#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Programs give up system calls on pain of death and fork: none of them dies of being traced, and
# what cannot be traced of them is counted.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

boxes_counts=$TAP_DIR/boxes-counts
attack_prepare() {
	local uid track=()

	rm -rf "$TAP_DIR/boxes"
	: >"$boxes_counts"
	chmod 666 "$boxes_counts"
	: >"$TAP_DIR/statuses"
	chmod 666 "$TAP_DIR/statuses"
	for uid in "${attack_victims[@]}" 65014; do
		track+=('{"verb": "track", "session": "first", "kind": "uid", "value": '"$uid"'}')
	done
	if ! attack_control 10 "${track[@]}" ||
		! attack_session boxes '' discard 65536 8 \
			'{"verb": "track", "session": "boxes", "kind": "uid", "value": 65001}'; then
		bail_out "no session: $(<"$TAP_DIR/answer")"
	fi
}
box() { # DIR PROGRAM COUNTS STATUSES
	local calls when

	export LTTNGMAP_RUNTIME_DIR=$1 LTTNGMAP_ALLOW_BLOCKING=1 NUMBERED_COUNTS=$3
	while :; do
		for calls in socket connect prctl rest; do
			for when in before after; do
				"$2" "$when" "$calls"
				echo "$when $calls: $?" >>"$4"
			done
		done
		sleep 0.3 # the pace of the attack
	done
}
export -f box
attack_look() {
	local lost all NUMBERED_COUNTS=$boxes_counts numbered_trace=$TAP_DIR/boxes numbered_chunks=()

	attack_end
	attack_control 10 '{"verb": "stop", "session": "boxes"}' '{"verb": "status", "session": "boxes"}'
	is $? 0 "$1: their session stops"
	lost=$(sed -n 's/.*"discarded": \([0-9]*\).*/\1/p' "$TAP_DIR/answer")
	is "$(grep -v ': 0$' "$TAP_DIR/statuses" | sort | uniq -c)" '' \
		"$1: none of $(wc -l <"$TAP_DIR/statuses") sandboxed programs dies"
	ok "$1: there were some" test "$(wc -l <"$TAP_DIR/statuses")" -ge 8
	numbered_check
	all=$((numbered_events + lost))
	ok "$1: $numbered_events events of theirs are there, $lost were counted as lost" \
		test "$numbered_sound" = 0 -a "$all" -ge "$numbered_done" -a "$all" -le "$numbered_begun" ||
		diag "$(<"$TAP_DIR/found")"
	attack_start
}
attack_mend() {
	[[ -z $sessiond_pid ]] || attack_control 10 '{"verb": "destroy", "session": "boxes"}'
}
attack_with sandbox setpriv --reuid=@UID@ --regid=@UID@ --clear-groups bash -c 'box "$@"' bash \
	@DIR@ "$LTTNGMAP_PLAIN/tests/utils/sandboxed" "$boxes_counts" "$TAP_DIR/statuses"
done_testing
