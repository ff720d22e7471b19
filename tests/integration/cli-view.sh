# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap view` shows the events, processes, times and fields that are asked for, and
# colours where they are wanted.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
export TZ=UTC
cd "$TAP_DIR" || exit 1
"$LTTNGMAP_SRC/tests/utils/make-slices" trace || bail_out 'the trace was not made'
"$LTTNGMAP_SRC/tests/utils/make-trace" other || bail_out 'the trace was not made'
cp -r other trace/other

# shown OPTION...: TIME EVENT of what is shown, the time as nanoseconds of its second.
shown() {
	"$lttngmap" view trace "$@" 2>&1 |
		sed -E 's/^01:46:4[01]\.0*([0-9]+) \+[^ ]+ [^ ]+ [^ ]+ cpu1 (\S+).*/\1 \2/' | tr '\n' ' '
}

is "$(shown | wc -w)" 46 'all, without a filter'
is "$(shown -e 'w:inner_*')" '110 w:inner_req 120 w:inner_acq 140 w:inner_acq 450 ... 2000 ... ' \
	'events by a pattern, and what was lost'
is "$(shown -e func_exit,read -e 'nothing*')" "260 lttngmap_io:read 300 p:func_exit 310 p:func_exit 450 ... 2000 ... \
lttngmap: view: no event 'nothing*' in 'trace' " \
	'several names, without their provider; each that is not there is named'
is "$(shown -p 4711 -e '*')" '1500 t:integers 2000 ... 500000123 t:others ' 'one process'
is "$(shown -p '4,10' -e p:func_entry)" "200 p:func_entry 210 p:func_entry 220 p:func_entry 450 ... \
lttngmap: view: no process '4' in 'trace' " \
	'by its number, in a list'
"$lttngmap" view trace -p 4711,nosuch -e integers >out 2>err
is "$? $(grep -c t:integers out) $(<err)" "0 1 lttngmap: view: no process 'nosuch' in 'trace'" \
	'a process of a list that is not there is named'
is "$("$lttngmap" view trace -p 10,nosuch --to +0.00000001 2>&1 >/dev/null)" \
	"lttngmap: view: no process 'nosuch' in 'trace' up to --to" '  ... of the time that was read'
is "$(shown --process 'so?e prog' -e integers)" '450 ... 1500 t:integers 2000 ... ' 'by its name'
is "$("$lttngmap" view --process some_pro trace 2>&1)" "lttngmap: view: no process 'some_pro' in 'trace'
lttngmap:   did you mean 'some prog'?" 'a mistyped process is named'
for missing in --process=some_pro --event=nosuch; do
	"$lttngmap" view "$missing" trace >out 2>&1
	is $? 1 "$missing: what is not there is a failure"
done
is "$("$lttngmap" view --event w:otuer_begin trace 2>&1 >/dev/null)" "lttngmap: view: no event 'w:otuer_begin' in 'trace'
lttngmap:   did you mean 'w:outer_begin'?" 'an event likewise'
is "$("$lttngmap" view --fields id,nosuch trace 2>&1 >/dev/null)" \
	"lttngmap: view: no field 'nosuch' in what is shown of 'trace'" 'and a field'
like "$("$lttngmap" view --process averyveryverylongname trace 2>&1)" \
	"no process 'averyvery.*first 15 bytes.*: 'averyveryverylo'" 'names that are too long'
is "$(shown --process nobody)" "lttngmap: view: no process 'nobody' in 'trace' " 'none at all'

"$LTTNGMAP_SRC/tests/utils/make-slices" shared shared || bail_out 'the trace was not made'
is "$("$lttngmap" view shared -p 20 | sed -E 's/^\S+ \S+ //')" \
	'- 20 cpu1 w:outer_begin id=2 {vtid=21}
- - cpu1 ... 3 events lost on cpu 1' "losses that may be of the process, too"
is "$("$lttngmap" view shared -p 20 --from 01:46:40.0000005 2>&1)" \
	"lttngmap: view: no such event in 'shared'" 'not those of another time'

# ---- times ---------------------------------------------------------------------------

is "$(shown -p 10 --from 01:46:40.0000003 --to 01:46:40.00000032)" \
	'300 p:func_exit 310 p:func_exit 320 w:alone_begin ' 'from a time to a time, both included'
is "$(shown -p 10 --from '2001-09-09 01:46:40.0000003' --to 2001-09-09T01:46:40.00000031)" \
	'300 p:func_exit 310 p:func_exit ' 'with a date'
is "$(shown --from +1)" '500000123 t:others ' 'so long after the first event'
is "$(shown -p 10 --to +0.00000001)" '100 w:outer_begin 110 w:inner_req ' 'so long only'
is "$(TZ=UTC-20 "$lttngmap" view trace --from 00:00:01 2>&1)" \
	"lttngmap: view: nothing is shown: the last event of 'trace' is of 2001-09-09 21:46:41.500000123, before --from 00:00:01" \
	'a time long before is one of the next day'
is "$("$lttngmap" view trace --from +1000 2>&1)" \
	"lttngmap: view: nothing is shown: the last event of 'trace' is of 2001-09-09 01:46:41.500000123, before --from +1000" \
	'a time after the last event'
is "$(shown --from 01:46:00 --to 01:46:39)" "lttngmap: view: no such event in 'trace' " \
	'a time before the first event'
"$lttngmap" view trace --from +0.05 --to +0.02 >out 2>&1
is "$? $(<out)" "1 lttngmap: view: nothing is shown: --to +0.02 lies before --from +0.05" 'times in the wrong order are said'
is "$(TZ=UTC-2 "$lttngmap" view trace -e t:others --from 03:46:41 | wc -l)" 1 'times are local'
for bad in '' 1 01:46 +-1 + +x '01:46:40.' 01:46:40x '2001-13-40 00:00:00' +1000000001; do
	"$lttngmap" view trace --from "$bad" >out 2>&1
	is "$? $(head -1 out)" "2 lttngmap: view: --from '$bad' is no time: [YYYY-MM-DD ]HH:MM:SS[.FRACTION] or +SECONDS[.FRACTION]" \
		"no time: '$bad'"
done
"$lttngmap" view trace --to x >out 2>&1
like "$?:$(<out)" "^2:.*--to 'x' is no time" 'no time to end at'

# ---- fields, colours ------------------------------------------------------------------

is "$("$lttngmap" view trace -p 10 -e w:fields --fields red,list,vtid | head -1)" \
	'01:46:40.000000330 +0.000000000 some_prog 10 cpu1 w:fields red=RED(1) list=[1 2 3] {vtid=12}' \
	'some fields and contexts'
is "$("$lttngmap" view trace -p 10 -e w:fields -f real | head -1)" \
	'01:46:40.000000330 +0.000000000 some_prog 10 cpu1 w:fields real=-1.5' 'no context, no braces'
is "$("$lttngmap" view --json trace -p 10 -e w:fields -f real -f flow | head -1)" \
	'{"timestamp":1000000000000000330,"program":"some prog","pid":10,"cpu":1,"event":"w:fields","fields":{"real":-1.5,"flow":77},"context":{}}' \
	'the same as JSON'
is "$("$lttngmap" view trace -p 10 -e outer_end --color always | sed -n '1p;3p' | sed 's/\x1b/^/g')" \
	'01:46:40.000000130 ^[2m+0.000000000^[0m some_prog 10 cpu1 ^[1mw:outer_end^[0m ^[36mid^[0m=-1 {^[36mvtid^[0m=11}
01:46:40.000000450 ^[2m+0.000000300^[0m some_prog 10 cpu1 ^[1;31m... 5 events lost on cpu 1 of some_prog^[0m' \
	'colours'
is "$("$lttngmap" view trace --color auto | grep -c $'\x1b')" 0 'none in a pipe'
# on_terminal VARIABLES...: how many lines have colours.
on_terminal() {
	env TERM=xterm PAGER=cat "$@" script -qec "'$lttngmap' view trace" /dev/null </dev/null | grep -c $'\x1b\\['
}
is "$(on_terminal NO_COLOR=)" 23 'on a terminal'
is "$(on_terminal NO_COLOR=1)" 0 '  ... unless somebody wants none'
is "$(on_terminal TERM=dumb)" 0 '  ... or it has none'
is "$(on_terminal PAGER='sed s/x/x/')" 0 '  ... or a pager that may not know of them'
"$lttngmap" view trace --color sometimes >out 2>&1
like "$?:$(<out)" "^2:.*--color 'sometimes' is none of always, never and auto" 'no such choice'
done_testing
