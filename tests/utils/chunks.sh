# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# chunks.sh - a session of numbered events on a daemon, and its trace in many
# directories and files; after tap.sh and sessiond.sh.
#
#   map VERB...                the command; what it says is in $TAP_DIR/said
#   chunks_begin OPTIONS...    a session s into $chunks_out, one channel, started
#   chunks_emit EVENTS         in the background: $chunks_emitter
#   chunks_emit_more EVENTS    once more, of another process
#   chunks_list                the directories of all traces in $chunks_out
#   chunks_count KEY           of the session's status
#   chunks_read                each alone, by babeltrace2: sets $chunks_events,
#                              $chunks_said (what it had to say)
#   chunks_are_whole NAME      stopped: all emitted, each event in one of them
#   chunks_are_counted NAME    stopped: emitted = there + counted lost
#   chunks_end                 destroy it, with its files

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR LTTNGMAP_ALLOW_BLOCKING=1
chunks_out=$TAP_DIR/out
chunks_counts=$TAP_DIR/counts
chunks_emitter=

map() {
	"$LTTNGMAP_BUILD/lttngmap" "$@" >"$TAP_DIR/said" 2>&1 </dev/null
}

chunks_begin() {
	map create s -o "$chunks_out" && map channel c -s s "$@" && map enable '*' -s s &&
		map start s && return
	diag "$(<"$TAP_DIR/said")"
	return 1
}

chunks_end_emitter() {
	[[ -z $chunks_emitter ]] || kill "$chunks_emitter" 2>/dev/null
	wait "$chunks_emitter" 2>/dev/null
	chunks_emitter=
}
cleanup chunks_end_emitter

chunks_emit() {
	: >"$chunks_counts"
	chunks_emit_more "$1"
}

chunks_emit_more() {
	"$LTTNGMAP_BUILD/tests/utils/emit" "$chunks_counts" 4 "$1" &
	chunks_emitter=$!
}

chunks_emitting() {
	[[ -n $chunks_emitter ]] && kill -0 "$chunks_emitter" 2>/dev/null
}

chunks_list() {
	find "$chunks_out" -name metadata -printf '%h\n' | sort
}

chunks_count() {
	"$LTTNGMAP_BUILD/lttngmap" status s --json | sed -nE "s/.*\"$1\": ?([0-9]+).*/\1/p"
}

chunks_read() {
	local chunk events

	chunks_events=0
	chunks_said=
	for chunk in $(chunks_list); do
		events=$(babeltrace2 "$chunk" 2>"$TAP_DIR/warnings" | wc -l)
		chunks_events=$((chunks_events + events))
		chunks_said+=$(<"$TAP_DIR/warnings")
	done
}

chunks_check() {
	local name value

	# shellcheck disable=SC2046 # one word each
	"$LTTNGMAP_BUILD/tests/utils/check-trace" $(chunks_list) "$chunks_counts" \
		>"$TAP_DIR/found" 2>&1
	chunks_sound=$?
	while read -r name value; do
		[[ $name =~ ^[a-z_]+$ && $name != wrong ]] && printf -v "chunks_found_$name" %s "$value"
	done <"$TAP_DIR/found"
	chunks_lost=$(($(chunks_count discarded) + $(chunks_count overwritten)))
	chunks_kept=$(chunks_count kept)
	chunks_read
}

chunks_are_whole() {
	chunks_check
	# shellcheck disable=SC2154 # set by name
	ok "$1" test "$chunks_sound:$chunks_found_missing:$chunks_lost:$chunks_said" = 0:0:0: \
		-a "$chunks_found_done" -gt 0 -a "$chunks_found_events" = "$chunks_found_done" \
		-a "$chunks_events" = "$chunks_found_done" -a "$chunks_kept" = "$chunks_found_done" ||
		diag "$(cat "$TAP_DIR/found") $chunks_said; kept $chunks_kept, read $chunks_events"
}

chunks_are_counted() {
	chunks_check
	# shellcheck disable=SC2154 # set by name
	ok "$1" test "$chunks_sound:$chunks_found_lost_packets" = 0:0 \
		-a "$((chunks_kept + chunks_lost))" = "$chunks_found_done" \
		-a "$chunks_found_events" = "$chunks_kept" -a "$chunks_events" = "$chunks_kept" ||
		diag "$(cat "$TAP_DIR/found"); kept $chunks_kept, lost $chunks_lost, read $chunks_events"
}

chunks_end() {
	map destroy s
	rm -rf "$chunks_out"
}
