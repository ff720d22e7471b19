#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# What users of LTTng know, row by row of doc/design/features.md: one small
# scenario each, of real daemons and programs. What is shown at length elsewhere
# stands in that table; each test that it names has to be there.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR LTTNGMAP_ALLOW_BLOCKING=1
lttngmap=$LTTNGMAP_BUILD/lttngmap
steady=$LTTNGMAP_BUILD/tests/utils/steady
rounds_done=$TAP_DIR/done
nr_rounds=0

do_it() { # ARGUMENT...: of lttngmap; what fails is a failed test
	"$lttngmap" "$@" >"$TAP_DIR/said" 2>&1 || diag "lttngmap $*: $(<"$TAP_DIR/said")"
}
session() { # NAME RULE...
	do_it create "$1" -o "$TAP_DIR/$1"
	do_it channel c -s "$1" --subbuf-size 16K --subbufs 4
	for rule in "${@:2}"; do
		do_it enable "$rule" -s "$1"
	done
}
finish() { # NAME...
	for name in "$@"; do
		do_it stop "$name"
		do_it destroy "$name"
	done
}
# One event of each of levels:error, :info, :debug and other:event.
round() {
	echo >&7
	nr_rounds=$((nr_rounds + 1))
	wait_for has_done $nr_rounds
}
has_done() { [[ $(wc -l <"$rounds_done") -ge $1 ]]; }
# "debug=1 error=2": how many of each are in traces.
count() {
	babeltrace2 "$@" 2>&1 | sed -nE 's/.* (levels|other|steady):([a-z]+):.*/\2/p' | sort | uniq -c |
		awk '{ printf "%s%s=%d", space, $2, $1; space = " " }'
}
number() { "$lttngmap" status "$1" --json | sed -nE "s/.*\"$2\": ?([0-9]+).*/\1/p"; }

sessiond_start
mkfifo "$TAP_DIR/in"
"$LTTNGMAP_BUILD/tests/utils/rounds" <"$TAP_DIR/in" >"$rounds_done" &
program=$!
exec 7>"$TAP_DIR/in"

# ---- Sessions
session a 'levels:error'
session b 'levels:info'
do_it start a
do_it start b
round
do_it stop a
round
do_it stop b
is "$(count "$TAP_DIR/a")/$(count "$TAP_DIR/b")" 'error=1/info=2' \
	'sessions: two at once, each with its own events'
like "$("$lttngmap" list)" 'a.*b' 'sessions: both are listed'
do_it destroy a
do_it destroy b

# ---- Channels
session ch 'levels:error'
do_it channel d -s ch --subbuf-size 4K --subbufs 2
do_it enable 'other:*' -s ch -c d
do_it start ch
round
do_it stop ch
do_it channel d -s ch --change --subbuf-size 8K
do_it context vpid -s ch -c c
do_it channel e -s ch
do_it enable 'levels:debug' -s ch -c e
do_it start ch
round
do_it stop ch
is "$(count "$TAP_DIR/ch")" 'debug=1 error=2 event=2' \
	'channels: several, changed and added between starts'
do_it destroy ch

# ---- Default sizes
do_it create a -o "$TAP_DIR/sizes"
do_it channel c -s a
like "$("$lttngmap" list a --json)" '"subbuf_size": 524288, "subbufs": 8, "mode": "discard"' \
	'default sizes: 8 sub-buffers of 512 KiB, in discard mode'
do_it destroy a

# ---- Event rules, log levels, rule lifecycle
session ev
do_it enable '*:*' -x 'levels:d*' -x 'oth*' -s ev
do_it start ev
round
finish ev
is "$(count "$TAP_DIR/ev")" 'error=1 info=1' 'event rules: globs, less exclusions'
session lv
do_it enable '*' --loglevel INFO -s lv
do_it start lv
round
finish lv
is "$(count "$TAP_DIR/lv")" 'error=1 info=1' 'log levels: at least as severe'
session c
do_it enable '*' --loglevel-only INFO -s c
do_it start c
round
finish c
is "$(count "$TAP_DIR/c")" 'info=1' 'log levels: only'
session d 'levels:*' '*:info'
do_it start d
round
do_it disable 'levels:*' -s d
round
do_it enable 'levels:*' -s d
do_it remove '*:info' -s d
round
finish d
is "$(count "$TAP_DIR/d")" 'debug=2 error=2 info=3' \
	'rule lifecycle: disabled, enabled, removed; two that match record once'

# ---- Filter, contexts
session e
do_it enable 'levels:info' --filter "round == $((nr_rounds + 1))" -s e
do_it context vpid procname -s e
do_it start e
round
round
finish e
is "$(count "$TAP_DIR/e")" 'info=1' 'filter: of two events the one that it is for'
like "$(babeltrace2 "$TAP_DIR/e")" "vpid = $program, procname = \"rounds\"" 'contexts: in the event'
"$lttngmap" create f -o "$TAP_DIR/f" >/dev/null
do_it channel c -s f
like "$("$lttngmap" context perf:thread:instructions -s f 2>&1)" 'perf' \
	'contexts: perf counters are refused, with the reason'
do_it destroy f

# ---- Loss modes: nobody reads.
lossy() { # NAME MODE EVENTS OPTION...: the rings are 2 times 4 KiB
	do_it create "$1" -o "$TAP_DIR/$1"
	do_it channel c -s "$1" --subbuf-size 4K --subbufs 2 --mode "$2" "${@:4}"
	do_it enable 'steady:*' -s "$1"
	do_it start "$1"
	# Each session has one.
	mapfile -t consumers < <(pids_of "^$LTTNGMAP_BUILD/.*lttngmap-consumerd.*$SESSIOND_DIR")
	kill -STOP "${consumers[@]}"
	timeout 20 "$steady" "$3" >"$TAP_DIR/steady" 2>&1 &
	writer=$!
}
lossy discard discard 10000
wait $writer
is $? 0 'loss modes: discard does not stop the program'
kill -CONT "${consumers[@]}"
do_it stop discard
is "$(($(number discard kept) + $(number discard discarded)))" 10001 \
	'loss modes: discard counts what it dropped'
ok 'loss modes: which is something' test "$(number discard discarded)" -gt 5000
lossy overwrite overwrite 10000
wait $writer
kill -CONT "${consumers[@]}"
do_it stop overwrite
is "$(($(number overwrite kept) + $(number overwrite overwritten)))" 10001 \
	'loss modes: overwrite counts what it overwrote'
like "$(babeltrace2 "$TAP_DIR/overwrite" 2>/dev/null | tail -1)" 'number = 9999,' \
	'loss modes: overwrite keeps the newest'
lossy blocking blocking 10000
wait_for grep begin "$TAP_DIR/steady"
sleep 0.3 # in which it writes nothing
like "$(tr '\n' ' ' <"$TAP_DIR/steady")" '^begin $' 'loss modes: blocking waits'
kill -CONT "${consumers[@]}"
wait $writer
do_it stop blocking
is "$(number blocking kept)" 10001 'loss modes: blocking loses nothing'
# More than two CPUs hold, where it is moved between them. Steps of 50 ms would take a minute.
lossy timeout blocking 1500 --timeout 1ms
wait $writer
is $? 0 'loss modes: blocking with a time-out goes on'
kill -CONT "${consumers[@]}"
do_it stop timeout
ok 'loss modes: by dropping' test "$(number timeout discarded)" -gt 0
is "$(($(number timeout kept) + $(number timeout discarded)))" 1501 \
	'loss modes: and what it dropped then is counted'
for name in discard overwrite blocking timeout; do
	do_it destroy $name
done

# ---- Timers: what an idle program wrote is on disk within the period.
session g 'levels:info'
do_it rotate g --period 300ms
do_it start g
round
is_archived() { [[ $(count "$TAP_DIR/g/archives") == 'info=1' ]]; }
ok "timers: an idle program's events are on disk after a period" wait_for is_archived
finish g

# ---- Trace-file limits, snapshot, rotation, clear
do_it create h -o "$TAP_DIR/h"
do_it channel c -s h --subbuf-size 4K --subbufs 4 --mode blocking --file-size 16K --file-count 3
do_it enable 'steady:*' -s h
do_it start h
"$steady" 5000 >/dev/null
do_it stop h
is "$(find "$TAP_DIR/h/ust" -maxdepth 1 -name 'c_*' | sed 's/_[0-9]*$//' | sort | uniq -c |
	awk '$1 > 3')" '' 'trace-file limits: three files a stream at most'
is "$(find "$TAP_DIR/h/ust" -maxdepth 1 -name 'c_*' -size +16k)" '' 'trace-file limits: of that size'
do_it destroy h
do_it create i --snapshot -o "$TAP_DIR/i"
do_it enable 'levels:info' -s i
do_it start i
round
do_it snapshot i -o "$TAP_DIR/one"
round
do_it snapshot i -o "$TAP_DIR/two"
is "$(count "$TAP_DIR/one")/$(count "$TAP_DIR/two")" 'info=1/info=2' \
	'snapshot: two, each of its moment'
finish i
session j 'levels:info'
do_it start j
round
do_it rotate j
round
do_it stop j
is "$(count "$TAP_DIR/j/archives"/*)/$(count "$TAP_DIR/j")" 'info=1/info=2' \
	'rotation: a chunk by itself, and the union'
do_it destroy j
session k 'levels:info'
do_it start k
round
do_it clear k
round
round
finish k
is "$(count "$TAP_DIR/k")" 'info=2' 'clear: only what came after it'

# ---- Trackers
session l 'steady:*'
do_it track --name 'stea*' -s l
do_it enable 'levels:*' -s l
do_it start l
round
"$steady" 5 >/dev/null
finish l
is "$(count "$TAP_DIR/l")" 'event=6' 'trackers: the programs named'
session m 'levels:info'
do_it track --pid "$program" -s m
do_it start m
round
do_it untrack --pid "$program" -s m
do_it track --pid 1 -s m
round
finish m
is "$(count "$TAP_DIR/m")" 'info=1' 'trackers: a process, while it is in the set'

# ---- Save and load, machine interface
session n 'levels:*'
do_it context vtid -s n
do_it save n -o "$TAP_DIR/saved"
before=$("$lttngmap" list n --json)
do_it destroy n
do_it load "$TAP_DIR/saved" -o "$TAP_DIR/elsewhere"
is "$("$lttngmap" list n --json | sed "s,$TAP_DIR/elsewhere/,$TAP_DIR/,")" "$before" \
	'save and load: the same session again'
is "$(for verb in 'list' 'list n' 'status n' 'events' 'start n' 'rotate n' 'stop n' 'destroy n'; do
	# shellcheck disable=SC2086
	"$lttngmap" $verb --json 2>&1
done | python3 -c 'import json, sys
print(sum(json.loads(line)["ok"] for line in sys.stdin))')" 8 \
	'machine interface: each answer is an object on a line'

exec 7>&-
wait "$program"
is $? 0 'the program ends well'
sessiond_stop

# ---- The table
table=$LTTNGMAP_SRC/doc/design/features.md
for name in $(grep -oE 'tests/[a-z]+/[a-z0-9-]+' "$table" | sort -u); do
	ok "named in the table: $name" eval "compgen -G '$LTTNGMAP_SRC/$name.*'"
done
done_testing
