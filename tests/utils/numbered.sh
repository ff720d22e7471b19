# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# numbered.sh - record a program of numbered events and check its trace; after
# tap.sh.
#
#   numbered_record OPTIONS... -- COMMAND...   into $TAP_DIR/trace; $numbered_status;
#                              what record said is in $TAP_DIR/err
#   numbered_record_traced ... the same, again where a process was not traced because
#                              the machine is busy: it waits for that 100 ms only
#   numbered_check             read the trace, set the variables below; of the directories
#                              $numbered_chunks, where there are any
#   numbered_is_whole NAME     all that was done is there, once, unharmed
#   numbered_is_counted NAME   what is not there was counted as lost
#
# The program finds its counts in $NUMBERED_COUNTS. With LTTNGMAP_TEST_BUFFERS=user
# processes share their rings.

export NUMBERED_COUNTS=$TAP_DIR/counts
numbered_trace=$TAP_DIR/trace
numbered_chunks=()

numbered_record() {
	local whose=() limit=120

	[[ -z ${LTTNGMAP_SANITIZED:-} ]] || limit=360
	[[ -z ${LTTNGMAP_TEST_BUFFERS:-} ]] || whose=(--buffers "$LTTNGMAP_TEST_BUFFERS")
	rm -rf "$numbered_trace"
	: >"$NUMBERED_COUNTS"
	chmod 666 "$NUMBERED_COUNTS"
	timeout -k 5 "${numbered_timeout:-$limit}" "$LTTNGMAP_BUILD/lttngmap" record -o "$numbered_trace" --preload none \
		-e 'numbered:*' "${whose[@]}" "$@" >"$TAP_DIR/out" 2>"$TAP_DIR/err" </dev/null
	# shellcheck disable=SC2034 # for who includes this
	numbered_status=$?
	numbered_kept=$(sed -n 's/.*traced, \([0-9,]*\) events* kept.*/\1/p' "$TAP_DIR/err" | tr -d ,)
	numbered_lost=$(sed -n 's/.* kept, \([0-9,]*\) lost.*/\1/p' "$TAP_DIR/err" | tr -d ,)
}

numbered_record_traced() {
	for _ in 1 2 3; do
		numbered_record "$@"
		grep -qE 'did not (wait for an answer|answer them in time)' "$TAP_DIR/err" || break
		diag 'a process was not traced; once more'
	done
}

numbered_check() {
	local name value

	numbered_events='' numbered_done='' numbered_begun='' numbered_missing='' numbered_gaps=''
	numbered_repeated='' numbered_discarded='' numbered_uncounted='' numbered_lost_packets=''
	# shellcheck disable=SC2034 # for who includes this
	numbered_foreign='' numbered_named='' numbered_others=''
	[[ ${#numbered_chunks[@]} != 0 ]] || set -- "$numbered_trace/ust"
	"$LTTNGMAP_BUILD/tests/utils/check-trace" "$@" "${numbered_chunks[@]}" "$NUMBERED_COUNTS" \
		>"$TAP_DIR/found" 2>&1
	numbered_sound=$?
	while read -r name value; do
		[[ $name =~ ^[a-z_]+$ && $name != wrong ]] && printf -v "numbered_$name" %s "$value"
	done <"$TAP_DIR/found"
}

numbered_tell() {
	diag "$(cat "$TAP_DIR/found" "$TAP_DIR/err")"
	return 1
}

# Whoever was killed may have come one event further than it could count.
numbered_is_whole() {
	numbered_check
	ok "$1" test "$numbered_sound:$numbered_lost:$numbered_missing:$numbered_gaps" = 0:0:0:0 \
		-a "$numbered_done" -gt 0 -a "$numbered_events" = "$numbered_kept" \
		-a "$((numbered_events - numbered_others - numbered_repeated))" -ge "$numbered_done" \
		-a "$((numbered_events - numbered_others - numbered_repeated))" -le "$numbered_begun" ||
		numbered_tell
}

numbered_is_counted() {
	local all=$((numbered_kept + numbered_lost))

	numbered_check
	ok "$1" test "$numbered_sound:$numbered_lost_packets" = 0:0 \
		-a "$numbered_events" = "$numbered_kept" \
		-a "$((all - numbered_repeated))" -ge "$numbered_done" \
		-a "$((all - numbered_repeated))" -le "$numbered_begun" \
		-a "$((numbered_discarded + (numbered_uncounted > 0) * numbered_lost))" -ge \
		"$numbered_lost" -a "$numbered_discarded" -le "$numbered_lost" || numbered_tell
}
