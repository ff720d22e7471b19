#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap report`: the page that it writes, looked at in a browser without a window. What it
# shows is what babeltrace2 counts in the trace; nothing in a trace becomes markup; it opens
# and moves as fast as it should.
#
#   LTTNGMAP_REPORT_EVENTS   of the large trace (200,000); 5000000 is what is promised
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
utils=$LTTNGMAP_SRC/tests/utils
events=${LTTNGMAP_REPORT_EVENTS:-200000}
cd "$TAP_DIR" || exit 1
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	bail_out 'no browser: on Debian, install chromium'
command -v node >/dev/null || bail_out 'no node: on Debian, install nodejs'

# look PAGE STEP...: what is seen there.
look() {
	node "$utils/report-look.mjs" "$browser" "$@"
}

# ---- a small trace: every slice and every field -----------------------------------------

"$utils/make-slices" trace || bail_out 'the trace was not made'
"$lttngmap" report trace >out 2>&1
is "$?:$(<out)" "0:lttngmap: report: open $TAP_DIR/trace.html in a browser" \
	'the page is beside the trace'
is "$(look trace.html card:events card:slices card:lost 'find|text~b;' 'rows|1' 'slices|5' longest complaints)" \
	"$(babeltrace2 trace 2>/dev/null | wc -l)
9
5
1
11 w:inner_req text=\"a\"b;�é�\"
outer 1000000000000000100 1000000000000000130
inner 1000000000000000110 1000000000000000120
0x100 1000000000000000200 1000000000000000310
0x200 1000000000000000210 1000000000000000300
0x300 1000000000000000220 1000000000000000300
0x100 1000000000000000200 1000000000000000310" \
	'counts, a search, a row, slices with their bounds; it asks for nothing elsewhere'

# ---- whatever stands in a trace ------------------------------------------------------------

"$utils/make-hostile" hostile || bail_out 'the trace was not made'
"$lttngmap" report -o hostile.html hostile >out 2>&1
is "$?" 0 'names that want to be markup'
script='</script><img src=x onerror=alert(1)><script>alert(2)</script>'
seen() {
	printf '11 h:%s text="%s" large=%s small=%s label="<b onclick=alert(5)>"\n' "$script" "$@"
}
is "$(look hostile.html 'click|</script>' 'click|a*a*!' 'find|-event:h:a*' 'rows|7' 'find|large>18446744073709551613' \
	'find|large=9007199254740993' 'find|small<0' 'find|alert(3)' 'find|script -alert(3)' 'find|script' complaints)" \
	"7
1
7
$(seen "$script" 0 0; seen '<!--<script>' 18446744073709551615 -1; seen '${alert(3)}' 1 1
seen javascript:alert\(4\) 9223372036854775808 -9223372036854775808
seen '�abc�' 9007199254740993 9007199254740993
seen 'a�[31mb�' 0 0; seen '&lt;b&gt;' 18446744073709551614 -2)
2
1
3
1
6
7" 'are text in it, as numbers are exact'
ok 'and stand nowhere in the page as such' bash -c "! grep -qF '<img' hostile.html"
is "$(grep -c 'Content-Security-Policy' hostile.html)" 1 'which has a policy'

# ---- blocks that are held --------------------------------------------------------------------

if [[ -n ${LTTNGMAP_PLAIN:-} ]]; then
	"$lttngmap" record -q -o held --preload libc,dl --mode blocking --context vtid,ip -- \
		bash -c '/bin/echo 1; (echo 2); printf "%s\n" {1..200}' >out 2>&1
	"$lttngmap" report held >out 2>&1
	babeltrace2 held >lines 2>/dev/null
	# The oracle follows the lines of babeltrace2, allocations by their addresses alone.
	is "$(look held.html card:events 'find|event:free' 'find|event:*alloc size>=100' complaints)" \
		"$(wc -l <lines)
$(grep -c 'lttng_ust_libc:free:' lines)
$(grep -E 'lttng_ust_libc:[a-z]*alloc:' lines | grep -cE 'size = [0-9]{3,}')" 'a program'"'"'s allocations are counted'
	is "$(look held.html held | awk '{ b += $1; n += $2 } END { print b, n }')" \
		"$("$lttngmap" view --json -e 'lttng_ust_libc:*' held | python3 "$utils/held_blocks.py")" 'and what it did not free'
	like "$(look held.html callers)" '^x(m|re)alloc\+0x' 'is told with the function that asked for it'
fi

# ---- a large one -----------------------------------------------------------------------------

"$utils/make-calls" large "$events" || bail_out 'the trace was not made'
made=$(date +%s%N)
"$lttngmap" report large >out 2>&1 || diag "$(<out)"
diag "$events events: a page in $((($(date +%s%N) - made) / 1000000)) ms, $(stat -c %s large.html) bytes"
babeltrace2 large 2>/dev/null >lines
count=$(wc -l <lines)
{
	read -r ready
	read -r shown
	read -r marks
	read -r some
	read -r last
	read -r from to within
	read -r longest
	read -r fps slowest
	read -r rolls slowest_roll
	complaints=$(cat)
} < <(look large.html ready card:events 'find|event:mark' 'find|thread:102 value<100000000 event:inner*' 'find|' \
	last 'zoom|9' time longest frames rolls complaints | sed 5d)
is "$shown $last" "$count $count" 'a large trace: all events are counted, and the last row is the last'
is "$marks" "$(grep -c 'work:mark:' lines)" 'a search for a name finds all of them'
is "$some" "$(grep -E 'work:inner_.*_?vtid = 102 ' lines | sed -E 's/.*value = ([0-9]+).*/\1/' | awk '$1 < 100000000' | wc -l)" \
	'and one for several conditions'
ok 'a part of the time is shown' test "$within" -gt 0 -a "$within" -lt $((count / 8))
is "$within" "$("$lttngmap" view --json large | python3 -c '
import json, sys
times = [json.loads(line)["timestamp"] for line in sys.stdin]
print(sum(float(sys.argv[1]) <= time - times[0] <= float(sys.argv[2]) for time in times))
' "$from" "$to")" 'and its events are those that it has'
begin_end=$("$lttngmap" view --json -e 'work:step*' large | python3 "$utils/longest_slice.py" work:step)
is "$longest" "step $begin_end" 'the longest slice has the bounds that its events have'
is "$complaints" '' 'and nothing is complained of'
diag "opened in $ready ms; timeline $fps frames/s, 95 % within $slowest ms; table $rolls, $slowest_roll ms"
ok 'it opens in time' test "$ready" -lt "${LTTNGMAP_REPORT_READY:-20000}"
ok 'it moves' test "$fps" -ge "${LTTNGMAP_REPORT_FRAMES:-3}"

# ---- many of one kind ----------------------------------------------------------------------------

# A thread calls 140,000 functions once each; then years later something else happens.
"$utils/make-many" many 140000 || bail_out 'the trace was not made'
ok 'as many functions as a program can have' timeout 120 "$lttngmap" report many
is "$(look many.html card:slices 'slices|2' longest complaints)" "140001
0x1000 1700000000000001024 1700000000000001034
0x1001 1700000000000001044 1700000000000001054
far 1999999999999993600 2000000000000000000" 'and times far from each other'

# ---- what it refuses ---------------------------------------------------------------------------

# refused STATUS WHAT TEXT ARGUMENT...
refused() {
	"$lttngmap" report "${@:4}" >out 2>&1
	is "$?" "$1" "$2: status $1"
	like "$(<out)" "$3" '  ... and said'
}
refused 1 'a second directory that is none' "report: 'nothing': No such file" trace nothing
refused 2 'a negative number' '--events -1 is not a number of events' --events -1 trace
refused 1 'no trace' "report: 'nothing': No such file" nothing
refused 1 'no such file' "report: cannot write 'no/file': No such" -o no/file trace
ln -s /nothing/there linked.html
mkdir linked && cp trace/* linked
"$lttngmap" report linked >out 2>&1
ok 'a link in the place of the page is not followed' test -f linked.html -a ! -L linked.html
echo older >held-back.html
(ulimit -f 50; trap '' XFSZ; "$lttngmap" report -o held-back.html large >out 2>&1)
is "$?:$(<held-back.html):$(ls held-back.html.* 2>/dev/null)" '1:older:' 'an older page stays where a new one cannot be written'
like "$(<out)" "cannot write 'held-back.html': File too large" '  ... and said'
[[ ! -e /dev/full ]] || refused 1 'a full disk' "cannot write '/dev/full': No space" -o /dev/full trace
refused 0 'few events' 'the table has the first 4 of 19 events' --events 4 -o few.html trace
is "$(look few.html card:events 'find|' 'rows|4' complaints | sed -n '1,2p;6,$p')" $'19\n4\n11 w:inner_acq ' \
	'of the others there are counts'
truncate -s -20 trace/stream_0
refused 1 'a damaged trace' 'report: (the trace is damaged|cannot read)' -o cut.html trace
like "$(look cut.html card:events complaints)" '^[0-9]+$' 'is shown as far as it goes'
mkdir -p empty && cp trace/metadata empty
refused 0 'an empty trace' "no event in 'empty'" -o empty.html empty
is "$(look empty.html card:events complaints)" 0 'has an empty page'
done_testing
