#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# query.sh BUILD-DIRECTORY - what questions about a trace cost, and its text, beside babeltrace2:
# CPU time. `./dev bench` calls it.
#
# A class and 10 ms of it are asked for in a trace of 20 million events; babeltrace2's text is of a
# trace of a tenth of that, and counts ten times.
#
#   BENCH_ROUNDS=N   more rounds, or fewer (3)
#   BENCH_EVENTS=N   so many events, some (20000000)
#   BENCH_DIR=DIR    where traces go for the while (TMPDIR, else /tmp)
set -euo pipefail

build=$(cd "${1:?usage: query.sh BUILD-DIRECTORY}" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rounds=${BENCH_ROUNDS:-3}
events=${BENCH_EVENTS:-20000000}
work=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/lttngmap-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
lttngmap=$build/lttngmap

# shellcheck source=tests/bench/samples.sh
. "$here/samples.sh"

# make TRACE EVENTS: two threads, 8 events a round
make() {
	"$lttngmap" record -q -o "$work/$1" --preload none -e 'asked:*' --mode blocking -- \
		"$build/tests/utils/asked" 2 $(($2 / 16)) >>"$work/log" 2>&1 ||
		die "nothing was recorded: $(tail -n 3 "$work/log")"
}

# take NAME ROUND FACTOR COMMAND...: CPU seconds, so many times
take() {
	local name=$1 round=$2 factor=$3 TIMEFORMAT='%U %S'

	shift 3
	{ time "$@" >"$work/output" 2>>"$work/log"; } 2>"$work/time" || die "$*: $(tail -n 3 "$work/log")"
	awk -v name="$name" -v round="$round" -v factor="$factor" \
		'{ print name, round, ($1 + $2) * factor }' "$work/time" >>"$work/samples"
}

class='SELECT count(*), sum(value) FROM "asked:point"'
make trace "$events"
make tenth $((events / 10))
echo "Questions, $rounds rounds of each kind"
for ((round = 1; round <= rounds; round++)); do
	take class "$round" 1 "$lttngmap" query "$work/trace" "$class"
	take range "$round" 1 "$lttngmap" query "$work/trace" \
		"$class WHERE time >= trace_time('+0.5') AND time < trace_time('+0.51')"
	take view "$round" 10 "$lttngmap" view "$work/tenth"
	take peer "$round" 10 babeltrace2 "$work/tenth"
done
echo
printf '%-46s %12s %12s %6s %8s\n' 'a trace that is read' lttngmap babeltrace2 ratio bound
row 'query: all events of one class' s class peer query-class
row 'query: 10 ms, against all of that class' s range class query-range
row 'view: events as text' s view peer view
