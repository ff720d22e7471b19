#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A trace of more streams than can be open at once: view, export and report show all events of each
# process, and its losses under its name, as where all streams are open; also where one stream is broken.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
trace=$TAP_DIR/trace
few=100 many=1200
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR TMPDIR=$TAP_DIR/tmp
mkdir "$TMPDIR"
: >"$NUMBERED_COUNTS"

sessiond_start
ok 'a session is started' control '{"verb": "create", "session": "s", "output": "'"$trace"'"}' \
	'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 4096, "subbufs": 64,
	  "mode": "blocking"}' \
	'{"verb": "enable", "session": "s", "channel": "c", "rule": "*"}' \
	'{"verb": "start", "session": "s"}'
taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')" "$LTTNGMAP_BUILD/tests/utils/emit" "$NUMBERED_COUNTS" 1 400
ok 'it stops' control '{"verb": "stop", "session": "s"}'
name=$(basename "$(find "$trace/ust" -maxdepth 1 -name 'c_*' -size +8k | head -n 1)")
cp -r "$trace" "$TAP_DIR/few"
cp -r "$trace" "$TAP_DIR/one"
"$LTTNGMAP_SRC/tests/utils/make-streams" "$TAP_DIR/few/ust" "$name" "$few"
"$LTTNGMAP_SRC/tests/utils/make-streams" "$trace/ust" "$name" "$many"

# Without texts: babeltrace2 2.0 shows an older text for an empty one, depending on what it read before.
# How many were lost before a stream's first packet, it knows of joined ones alone.
# Events of the same nanosecond in different streams have no order.
same() {
	sed -E 's/"text":"[^"]*",//; s/"lost":7,/"lost":null,/
		s/^\{"timestamp":([0-9]+),"program":"[^"]*","pid":([0-9]+)/\1 \2 &/' "$1" | sort -s -n -k1,1 -k2,2
}
"$lttngmap" view --json "$TAP_DIR/few" >"$TAP_DIR/all" || bail_out 'the trace cannot be read'
(ulimit -n 150 && "$lttngmap" view --json "$TAP_DIR/few" >"$TAP_DIR/out" 2>"$TAP_DIR/err")
is "$?:$(<"$TAP_DIR/err")" 0: 'more streams than half of the descriptors'
is "$(cmp <(same "$TAP_DIR/all") <(same "$TAP_DIR/out") 2>&1)" '' 'are shown as they are where all can be open'
is "$(grep -c '"lost":7' "$TAP_DIR/out")" $((few / 10)) 'what each of them lost is counted'

"$LTTNGMAP_SRC/tests/utils/make-streams" "$TAP_DIR/one/ust" "$name" "$many" one
TMPDIR=/nonexistent "$lttngmap" view --json "$TAP_DIR/one" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
is "$?:$(<"$TAP_DIR/err")" 0: 'one stream in as many files is read as it lies'

each=$(($(grep -c '"fields"' "$TAP_DIR/all") / few))
is_whole() { # FORMAT FILE
	is "$("$LTTNGMAP_SRC/tests/utils/count_events.py" "$1" "$2" | sort -n | awk -v each="$each" '
		$1 == NR && $2 == each { whole++ } END { print whole + 0 }')" "$many" "$1: each process has all of its events"
}
ulimit -n 64
"$lttngmap" view --json "$trace" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
is "$?:$(<"$TAP_DIR/err")" 0: "$many streams with 64 descriptors"
is_whole json "$TAP_DIR/out"
"$lttngmap" export --chrome "$TAP_DIR/out" "$trace" 2>"$TAP_DIR/err"
is $? 0 'are exported' || diag "$(<"$TAP_DIR/err")"
is_whole chrome "$TAP_DIR/out"
"$lttngmap" report -o "$TAP_DIR/out" "$trace" 2>"$TAP_DIR/err"
is $? 0 'and reported' || diag "$(<"$TAP_DIR/err")"
is_whole page "$TAP_DIR/out"
"$LTTNGMAP_SRC/tests/utils/damage_stream.py" id "$trace/ust/c_many-77-1_0" 0 >/dev/null
"$lttngmap" view --json "$trace" >"$TAP_DIR/broken" 2>"$TAP_DIR/err"
is $? 3 'one broken stream among them'
like "$(<"$TAP_DIR/err")" 'c_many-77-1_0 of many \(process 77\) is broken: packet 0 at byte 0: unknown event' 'is named'
"$LTTNGMAP_SRC/tests/utils/count_events.py" json "$TAP_DIR/broken" >"$TAP_DIR/counted"
is "$(awk -v each="$each" '$2 == each' "$TAP_DIR/counted" | wc -l):$(awk '$1 == 77 && $2 > 0' "$TAP_DIR/counted" | wc -l)" \
	"$((many - 1)):1" 'all others are whole, and its sound packet is shown'
is "$(ls -A "$TMPDIR")" '' 'nothing is left behind'
done_testing
