#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap map add --latency`: pairs by thread and by key, beside what the program measured of each, by
# rseq and by trylock; events without the other one; forks, kills, a killed daemon, a full table, a
# hostile program, another user's events; what is refused.

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
spans=$LTTNGMAP_BUILD/tests/utils/spans
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR HOME=$TAP_DIR
cd "$TAP_DIR" || exit 1
sessiond_sessions=()
sessiond_start --consumer="$LTTNGMAP_BUILD/lttngmap-consumerd"
cleanup sessiond_stop
cleanup eval '"$lttngmap" destroy --all >/dev/null 2>&1'

map() {
	timeout 60 "$lttngmap" map "$@"
}
add() {
	map add "$@" >said 2>&1
	is $? 0 "map $1" || diag "$(<said)"
}
# measured MAP: what check_latencies.py says of it and of the last program
measured() {
	map show "$1" --json | "$LTTNGMAP_SRC/tests/utils/check_latencies.py" out
}
# member MAP NAME
member() {
	map show "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$2"
}
# same MAP NAME ARGUMENT... WANTED: of `spans`, by rseq and without
same() {
	local way

	for way in 1 0; do
		map clear "$1"
		GLIBC_TUNABLES=glibc.pthread.rseq=$way timeout 60 "$spans" "${@:3:$#-3}" >out 2>said
		is "$(measured "$1")" "${!#}" "$2$([[ $way == 1 ]] || echo ', without rseq')" || diag "$(<said)"
	done
}

# ---- beside what the program measured ------------------------------------------------------------

add pairs --latency spans:begin spans:end
like "$(map list)" 'pairs: counts spans:end.*how long after spans:begin' 'the list has it'
add keyed --latency spans:begin --key number spans:end
add named --latency spans:begin --key name spans:end
add gaps --latency spans:begin spans:begin
add some --latency spans:begin spans:end --filter 'number % 3 == 0'
same pairs 'pairs by thread' thread 4 500 '2000 0 0 0'
is "$(member keyed no_first),$(member named no_first)" 0,0 '  ... by other keys, too'
is "$(map show some --json | python3 -c 'import json, sys; print(sum(c for _, c, _ in json.load(sys.stdin)["counts"]))')" \
	1334 '  ... and of those that pass a filter'
like "$(map show pairs)" 'pairs: 2,000 pairs, mean [0-9,]+ ns.*FROM ns +PAIRS.*p50 .*p99.99 .*\(ns, to 1/32\)' \
	'  ... which are shown'
same pairs 'more threads than CPUs' thread 64 40 '2560 0 0 0'
same keyed 'pairs that end in another thread, by a number' hand 4 400 '1600 0 0 0'
same named '  ... and by a string' hand 4 400 '1600 0 0 0'
same pairs 'pairs that begin twice or end twice' odd 2 700 '1400 140 200 0'
same pairs 'children that are forked in a pair' fork 2 50 '100 0 100 0'
same gaps 'the time to the next event of one rule' next 3 200 '597 0 0 3'
like "$(map show gaps)" '3 pairs have begun and not ended' '  ... of which the last wait'

# ---- full, killed, a killed daemon -----------------------------------------------------------------

for name in named gaps some; do
	map remove $name
done
map clear keyed
"$spans" hand 64 1000 >out 2>&1
read -r pairs no_second no_first open < <(map show keyed --json | python3 -c 'import json, sys
answer = json.load(sys.stdin)
print(sum(c for _, c, _ in answer["counts"]), answer["no_second"], answer["no_first"], answer["open"])')
is "$((pairs + no_first)) $((pairs + no_second + open))" '64000 64000' \
	"a full table: each event has a pair, or is told to have none: $pairs pairs"
ok '  ... for the oldest ones make room' test "$no_second" -gt 50000 -a "$pairs" -gt 7000
like "$(map show keyed)" 'pairs did not end before the next.*pairs ended that had not begun' '  ... which is shown'
add begins spans:begin
add ends spans:end
map clear pairs
programs=()
for round in 1 2 3 4 5 6; do
	GLIBC_TUNABLES=glibc.pthread.rseq=$((round % 2)) "$spans" forever 8 1000 >/dev/null 2>&1 &
	programs+=($!)
done
cleanup eval 'kill -KILL "${programs[@]}" 2>/dev/null'
# sum of a map's counts
total() {
	map show "$1" --json | python3 -c 'import json, sys; print(sum(c for _, c, _ in json.load(sys.stdin)["counts"]))'
}
many() { [[ $(total pairs) -gt 1000 ]]; }
wait_for many
for program in "${programs[@]}"; do
	sleep 0.0$((RANDOM % 10))
	kill -KILL "$program"
done
wait "${programs[@]}" 2>/dev/null
pairs=$(total pairs)
begun=$((pairs + $(member pairs no_second) + $(member pairs open)))
ended=$((pairs + $(member pairs no_first)))
# An event is in doubt where a thread was killed in it.
ok "killed anywhere: $begun of $(total begins) begins" test $((begun - $(total begins))) -le 48 -a $(($(total begins) - begun)) -le 48
ok "  ... $ended of $(total ends) ends" test $((ended - $(total ends))) -le 48 -a $(($(total ends) - ended)) -le 48
before=$pairs
daemon=$(pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR")
kill -KILL "$daemon"
wait_for control
is "$(total pairs)" "$before" 'a killed daemon loses none'
"$spans" thread 2 50 >out 2>&1
is "$(total pairs)" $((before + 100)) '  ... and counts on'
map remove begins
map remove ends

# ---- hostile -----------------------------------------------------------------------------------------

# The program that fills its memories counts an event of another rule there.
map remove keyed
map remove pairs
wait_for map add forged --latency numbered:event numbered:event
"$LTTNGMAP_BUILD/tests/utils/forge-map" >out 2>&1
is $? 0 'a program writes nonsense into its tables' || diag "$(<out)"
like "$(map show forged)" 'a program damaged them' '  ... which is told'
timeout 20 "$LTTNGMAP_BUILD/tests/utils/forge-map" texts >out 2>&1
: >counts
timeout 20 "$LTTNGMAP_BUILD/tests/utils/emit" counts 4 400 >out 2>&1
is $? 0 '  ... and others find it, and go on'
map clear forged
: >counts
"$LTTNGMAP_BUILD/tests/utils/emit" counts 1 101 >out 2>&1
is "$(total forged) $(member forged open)" '100 1' '  ... and count exactly, in new tables'
map remove forged

# ---- refused -----------------------------------------------------------------------------------------

refused() { # NAME WANTED ARGUMENT...
	map "${@:3}" >said 2>&1
	is $? "${status:-1}" "$1" || diag "$(<said)"
	like "$(<said)" "$2" '  ... why'
}
"$spans" thread 1 1 >out 2>&1
status=2 refused 'a rule that is none' "'begin' is not a rule" add m --latency begin spans:end
status=2 refused 'a key of nothing' 'of --latency' add m --key number spans:end
status=2 refused 'a sum of latencies' 'is a histogram of its own' add m --latency spans:begin --sum number spans:end
refused 'few keys' 'latencies need more than 256 keys' add m --latency spans:begin spans:end --keys 256
refused 'a key that is none' 'by integers and by strings' add m --latency spans:begin spans:end --key 'number * 1.5'
is "$(map list)" 'no maps' 'none is left'

# ---- by one command ------------------------------------------------------------------------------------

"$lttngmap" count --latency spans:begin -e spans:end --json -o counted -- "$spans" thread 3 100 >out 2>said
is $? 0 'count counts them' || diag "$(<said)"
is "$("$LTTNGMAP_SRC/tests/utils/check_latencies.py" out <counted)" '300 0 0 0' '  ... all'
"$lttngmap" count --latency lttngmap_pthread:mutex_lock -- true >out 2>said
is $? 125 'without the later rule' || diag "$(<said)"
like "$(<said)" 'needs the rule of the later event' '  ... why'
done_testing
