#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap map`: what programs count equals what a trace of the same events has, by every key, with
# threads, forks, by rseq and by trylock; kills; a daemon that is killed; a full table; a hostile
# program; what is refused.

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
asked=$LTTNGMAP_BUILD/tests/utils/asked
emit=$LTTNGMAP_BUILD/tests/utils/emit
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR HOME=$TAP_DIR
cd "$TAP_DIR" || exit 1
sessiond_sessions=()
sessiond_start --consumer="$LTTNGMAP_BUILD/lttngmap-consumerd"
cleanup sessiond_stop
cleanup eval '"$lttngmap" destroy --all >/dev/null 2>&1'

map() {
	timeout 60 "$lttngmap" map "$@"
}

# counts MAP: its keys, events and sums as CSV; SIGNED: keys have signs.
counts() {
	map show "$1" --json | python3 -c '
import json, sys
answer = json.load(sys.stdin)
for key, count, total in answer["counts"]:
    if answer["signed"]:
        key = (key ^ 1 << 63) - (1 << 63)
    print(f"{key},{count},{total}")' | sort
}
# texts MAP: the same of a map of texts, as JSON
texts() {
	map show "$1" --json | python3 -c '
import json, sys
answer = json.load(sys.stdin)
for key, count, total in answer["counts"]:
    if answer["sums_signed"]:
        total = (total ^ 1 << 63) - (1 << 63)
    print(json.dumps([key, count, total]))' | sort
}
# member MAP NAME
member() {
	map show "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$2"
}

# asks SQL: of the trace, as CSV
asks() {
	"$lttngmap" query --csv trace "$1" | tail -n +2 | sort
}

# asks_texts SQL: whose first column is JSON
asks_texts() {
	"$lttngmap" query --csv trace "$1" | python3 -c '
import csv, json, sys
for row in list(csv.reader(sys.stdin))[1:]:
    print(json.dumps([json.loads(row[0])] + list(map(int, row[1:]))))' | sort
}

# ---- beside a trace ----------------------------------------------------------------------------

is "$(map list)" 'no maps' 'there is no map'
do_all 'create s -o trace' 'channel c -s s --mode blocking --subbuf-size 64K' 'enable asked:* -s s -c c'
add() {
	map add "$@" >said 2>&1
	is $? 0 "map $1" || diag "$(<said)"
}
add all 'asked:*'
add small asked:kinds --by small
add wire asked:kinds --by wire
add part asked:kinds --by 'behind % 7' --sum 'small'
add some asked:kinds --by small --filter 'small > 0 && words != "a"'
add sizes asked:point --histogram value
add second 'asked:kinds' --by 'pair[0]'
add word asked:kinds --by words
add letter asked:kinds --by letters
add both asked:kinds --by 'words, small' --sum 'small - 100' --keys 16384
# shellcheck disable=SC2016 # contexts are not variables
add event 'asked:*' --by '$ctx.event' --filter '$ctx.event != "asked:p*"'
# shellcheck disable=SC2016
add four 'asked:kinds' --by '$ctx.procname,letters,behind % 3,wire'
# shellcheck disable=SC2016 # contexts are not variables
add process 'asked:*' --by '$ctx.vpid' --exclude 'asked:empty'
like "$(map list)" 'small: counts asked:kinds, in 0 processes' 'the list has them'
is "$("$lttngmap" complete -- map show sm)" $'small\tasked:kinds' '  ... and the shell completes them'
do_all 'start s'
"$asked" 4 300 >out 2>&1
GLIBC_TUNABLES=glibc.pthread.rseq=0 "$asked" 4 300 >out 2>&1
do_all 'stop s' 'destroy s'
is "$(counts all)" "0,$(asks 'SELECT count(*), 0 FROM events')" 'all events are counted'
is "$(counts small)" "$(asks 'SELECT small, count(*), 0 FROM "asked:kinds" GROUP BY 1')" \
	'by an integer, with a sign: as the trace has it'
is "$(counts wire)" "$(asks 'SELECT wire, count(*), 0 FROM "asked:kinds" GROUP BY 1')" \
	'by one in network order'
is "$(counts part)" "$(asks 'SELECT behind % 7, count(*), sum(small) + (sum(small) < 0) * 0 FROM "asked:kinds"
	GROUP BY 1' | python3 -c 'import sys
for line in sys.stdin:
    key, count, total = map(int, line.split(","))
    print(f"{key},{count},{total % 2**64}")')" 'by what is calculated, with a sum'
is "$(counts some)" "$(asks 'SELECT small, count(*), 0 FROM "asked:kinds" WHERE small > 0 AND words <> '"'a'"'
	GROUP BY 1')" 'what a filter lets pass'
is "$(counts second)" "$(asks 'SELECT json_extract(pair, '"'\$[0]'"'), count(*), 0 FROM "asked:kinds"
	GROUP BY 1')" 'by an element'
is "$(counts process)" "$(asks "SELECT pid, count(*), 0 FROM events WHERE name <> 'asked:empty' GROUP BY 1")" \
	'by a context'
is "$(texts word)" "$(asks_texts 'SELECT json_quote(words), count(*), 0 FROM "asked:kinds" GROUP BY 1')" \
	'by a string'
is "$(texts letter)" "$(asks_texts 'SELECT json_quote(letters), count(*), 0 FROM "asked:kinds" GROUP BY 1')" \
	'by a text of fixed size'
is "$(texts both)" "$(asks_texts 'SELECT json_array(words, small), count(*), sum(small - 100)
	FROM "asked:kinds" GROUP BY 1')" 'by two keys, with a sum below 0'
is "$(texts event)" "$(asks_texts "SELECT json_quote(name), count(*), 0 FROM events WHERE name NOT LIKE 'asked:p%'
	GROUP BY 1")" 'by the name of the event, which a filter knows, too'
is "$(texts four)" "$(asks_texts "SELECT json_array('asked', letters, behind % 3, wire), count(*), 0
	FROM \"asked:kinds\" GROUP BY 1")" 'by four keys'
asks 'SELECT value FROM "asked:point"' | python3 -c '
import collections, sys
counts = collections.Counter()
for line in sys.stdin:
    value = int(line)
    shift = max(value.bit_length() - 6, 0)
    counts[shift * 32 + (value >> shift)] += 1
for key, count in counts.items():
    print(f"{key},{count},0")' | sort >wanted
is "$(counts sizes)" "$(<wanted)" 'a histogram: each bucket'
like "$(map show sizes)" 'p50 .*p99.99 ' '  ... and its quantiles are shown'
like "$(map show both --top 3)" 'both: 2,[0-9]+ events, sum -[0-9,]+.*, -?[0-9]+ +[0-9]+ +-[0-9,]+' \
	'keys of two values are shown, and sums below 0'
like "$(map show word)" ' tab\\there .* it.s "quoted" ' '  ... and what does not show is escaped'
like "$(map show small --top 3)" 'KEY +EVENTS.*--top 0 shows all' 'the greatest counts are shown'
timeout 2.5 "$lttngmap" map show all --watch 1s >said
is "$(grep -c '^all: ' said) $(grep -c $'\033' said)" '3 0' 'it is shown again each second'
script -qec "timeout 0.5 $lttngmap map show all --watch 1s" /dev/null >said </dev/null
like "$(<said)" $'\033\\[H\033\\[Jall: ' '  ... on a terminal in place of the last one'
map clear small
is $? 0 'a map is cleared'
is "$(counts small)" '' '  ... and empty'
"$asked" 1 50 >out 2>&1
is "$(counts small | cut -d, -f2 | paste -sd+ | bc)" 50 '  ... and counts on'
# Cleared again when the first slot has rested, whose memory has what was counted there before.
# sleeps: a slot rests for a second
sleep 1.2
map clear small
is "$(counts small)" '' '  ... and empty again, in memory that a map had before'
"$asked" 1 5 >out 2>&1
is "$(counts small | cut -d, -f2 | paste -sd+ | bc)" 5 '  ... where it counts'
for name in small wire part some sizes second process all word letter both event four; do
	map remove $name || fail "remove $name"
done
is "$(map list)" 'no maps' 'they are removed'

# ---- killed, forked, in a storm ------------------------------------------------------------------

: >counts
map add sources numbered:event --by source >out 2>&1
map add sum numbered:event --sum 'number >= 0' >out 2>&1
# shellcheck disable=SC2016
map add names numbered:event --by '$ctx.procname,source' >out 2>&1
programs=()
for round in 1 2 3 4; do
	tunables=$((round % 2))
	GLIBC_TUNABLES=glibc.pthread.rseq=$tunables "$emit" counts 8 100000000 >out 2>&1 &
	programs+=($!)
done
cleanup eval 'kill -KILL "${programs[@]}" 2>/dev/null'
all_count() { [[ $(counts sources | wc -l) == 32 ]]; }
wait_for all_count
for program in "${programs[@]}"; do
	sleep 0.0$((RANDOM % 10))
	kill -KILL "$program"
done
wait "${programs[@]}" 2>/dev/null
# Each source's begun and done: one event may be in doubt where it was killed.
wrong=$(counts sources | "$LTTNGMAP_SRC/tests/utils/count_sources.py" counts)
is "$wrong" '32 sources' 'killed anywhere: each source has all its events, but for one in doubt'
names() {
	texts names | python3 -c '
import json, sys
for line in sys.stdin:
    (name, source), count, total = json.loads(line)
    print(source if name == "emit" else name, count, total, sep=",")'
}
wrong=$(names | "$LTTNGMAP_SRC/tests/utils/count_sources.py" counts)
is "$wrong" '32 sources' '  ... by a string and a number, too'
map remove names
IFS=, read -r _ events total < <(counts sum)
all=$(counts sources | cut -d, -f2 | paste -sd+ | bc)
ok "  ... and another map has as many: $all and $events" test $((events - all)) -le 32 -a $((all - events)) -le 32
ok "  ... with their sum: $total" test $((events - total)) -ge 0 -a $((events - total)) -le 32

# ---- daemons that die ------------------------------------------------------------------------------

map clear sources
map clear sum
: >counts
"$emit" counts 2 100000000 stop >out 2>&1 &
program=$!
counted() { [[ $(counts sources | wc -l) -gt 0 ]]; }
wait_for counted
before=$(counts sum)
daemon=$(pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR")
kill -KILL "$daemon"
wait_for control
like "$(map list)" 'sources: counts numbered:event, in 1 process.*sum: ' 'a killed daemon: its maps are there'
is "$(($(counts sum | cut -d, -f2) >= $(cut -d, -f2 <<<"$before")))" 1 '  ... with what was counted'
: >stop
wait $program
counts sources | "$LTTNGMAP_SRC/tests/utils/count_sources.py" counts --more >said
like "$(<said)" '^[0-9]+ sources$' '  ... and counts on' || diag "$(<said)"
sessiond_stop
sessiond_start --consumer="$LTTNGMAP_BUILD/lttngmap-consumerd"
: >counts
"$emit" counts 1 300 >out 2>&1
is "$(counts sum)" 0,300,300 'the next daemon has them, too, and begins anew' || diag "$(<log)"
map remove sources
map remove sum
rm -f stop

# ---- full, hostile -----------------------------------------------------------------------------------

: >counts
# Slots rest for a second after the restart.
wait_for map add few numbered:event --by number --keys 256 --sum 1
"$emit" counts 1 5000 >out 2>&1
is "$(($(counts few | wc -l) <= 256 * 4))" 1 'a full table has no more keys'
is "$(($(counts few | cut -d, -f2 | paste -sd+ | bc) + $(member few other)))" 5000 \
	'  ... and the events of the others are counted'
like "$(map show few)" '^few: 5,000 events, sum 5,000' '  ... and added up'
like "$(map show few)" 'events of keys that had no room' '  ... which is told'
map clear few
"$LTTNGMAP_BUILD/tests/utils/forge-map" >out 2>&1
is $? 0 'a program writes nonsense into its tables' || diag "$(<out)"
like "$(map show few)" 'entries were left out: a program damaged them' '  ... which is told'
"$emit" counts 1 100 >out 2>&1
like "$(map list)" '^few: counts numbered:event' '  ... and the daemon serves'
map remove few
wait_for map add texts numbered:event --by text
"$LTTNGMAP_BUILD/tests/utils/forge-map" texts >out 2>&1
is $? 0 'a program makes up keys and their texts' || diag "$(<out)"
like "$(map show texts)" '\(damaged\)' '  ... which is told'
map remove texts
wait_for map add sizes numbered:event --histogram number
"$LTTNGMAP_BUILD/tests/utils/forge-map" texts >out 2>&1
is $? 0 '  ... and buckets that there are none' || diag "$(<out)"
like "$(map show sizes)" 'entries were left out: a program damaged them' '  ... which is told, too'
map remove sizes

# ---- who does not count ------------------------------------------------------------------------------

# A program that gains privileges listens to no environment: the daemon is to be where it looks.
secure_runs() {
	unshare -m --propagation private sh -c 'mount -t tmpfs none /run && mkdir /run/lttngmap &&
		mount --bind "$1" /run/lttngmap && exec "$2" counts 1 10' - "$SESSIOND_DIR" "$TAP_DIR/secure" >out 2>&1
	map show few | grep -qE '^[1-9][0-9]* process(es)? not traced: secure \([1-9][0-9]*\)$'
}
map add few 'numbered:*' >out 2>&1
if [[ -n ${LTTNGMAP_SANITIZED:-} ]]; then
	skip 4 'a set-group-ID program takes no options of sanitizers'
elif [[ $EUID == 0 ]] && unshare -m true 2>/dev/null; then
	"$emit" counts 1 100 >out 2>&1
	is "$(member few not_traced)" 0 'nobody is left out'
	cp "$emit" secure
	chgrp 1 secure
	chmod g+s secure
	ok 'a set-group-ID program does not count: it is counted, and named' wait_for secure_runs || diag "$(map show few)"
	like "$(map show few)" 'programs that gain privileges do not count' '  ... with the reason'
	is "$(counts few)" 0,100,0 '  ... and its events are in no count'
else
	skip 4 'mounting a tmpfs needs root'
fi
map remove few

# ---- refused -----------------------------------------------------------------------------------------

refused() { # NAME WANTED ARGUMENT...
	map "${@:3}" >said 2>&1
	is $? "${status:-1}" "$1" || diag "$(<said)"
	like "$(<said)" "$2" '  ... why'
}
refused 'a name that is none' 'is no name for a map' add a/b 'numbered:*'
refused 'a histogram of a string' 'histogram and a sum are of integers' add m asked:kinds --histogram words
refused 'a key that is neither' 'by integers and by strings.*neither' add m asked:kinds --by both
refused 'a constant string' 'by integers and by strings.*neither' add m asked:kinds --by '"words"'
refused 'five keys' 'no more than 4 keys' add m asked:kinds --by 'words,small,wire,behind,pid'
refused 'two numbers of a histogram' 'a histogram is of one number' add m asked:kinds --histogram 'small,wire'
refused 'a second key that is none' 'ends here, but.*  small,wire [+].* {14}\^' add m asked:kinds --by 'small,wire +'
refused 'an expression that is none' 'ends here, but a value has to follow' add m 'numbered:*' --by 'number +'
refused 'a map that is not there' "there is no map 'm'" show m
refused 'few keys of a histogram' 'a histogram needs more than 2048 keys' add m 'numbered:*' --histogram number --keys 2048
refused 'so many keys' 'cannot have room for 1000 keys' add m 'numbered:*' --keys 1000
status=2 refused 'no word' 'add, list, show, clear or remove' frob
status=2 refused 'both kinds' 'not both' add m 'numbered:*' --by a --histogram b
map add m 'numbered:*' >out 2>&1
refused 'a name that is taken' "there is a map 'm' already" add m 'numbered:*'
is "$("$lttngmap" list 2>&1 | grep -c map)" 0 'no session is seen'
"$lttngmap" stop m >out 2>&1
is $? 1 'and a map is none'
map remove m
done_testing
