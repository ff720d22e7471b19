#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap view` shows every kind of field, in text and JSON, what was lost,
# and nothing that could act on a terminal; finds the newest recording; ends
# quietly when its reader does.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
make_trace=$LTTNGMAP_SRC/tests/utils/make-trace
export TZ=UTC
cd "$TAP_DIR" || exit 1
"$make_trace" trace || bail_out 'the trace was not made'

"$lttngmap" view trace >text 2>err
is "$?:$(<err)" 0: 'a trace is shown'
is "$(sed -n 1p text)" "01:46:40.000001500 +0.000000000 some_prog 4711 cpu1 t:integers minus=-7 hex=0xdeadbeef small=0xff huge=18446744073709551615 colour=GREEN(2) none=?(77)" \
	'integers and enumerations'
is "$(sed -n 2p text)" "01:46:40.000002000 +0.000000500 some_prog 4711 cpu1 ... 5 events lost on cpu 1 of some_prog" \
	'lost events'
is "$(sed -n 3p text)" '01:46:41.500000123 +1.499998123 some_prog 4711 cpu1 t:others text="a\"b\\c\n\x1b[2J\xc2\x9b\xffzé\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8\xd8\x9c\x7f\xe2\x80\x8b\xef\xbb\xbf\xf3\xa0\x80\x81" real=0.1 array=[1 2] list=[7 8 9]' \
	'strings, reals, arrays, sequences; controls made harmless'
is "$(wc -l <text)" 3 'one line each'
like "$("$lttngmap" view --date trace | head -1)" '^2001-09-09 01:46:40\.000001500 ' '--date'
like "$(TZ=UTC-2 "$lttngmap" view trace | head -1)" '^03:46:40' 'local time'

"$lttngmap" view --json trace >json
ok 'each line is JSON, with the documented keys' python3 - json <<'EOF'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
assert lines[0] == {"timestamp": 1000000000000001500, "program": "some prog", "pid": 4711,
    "cpu": 1, "event": "t:integers", "fields": {"minus": -7, "hex": 0xdeadbeef, "small": -1,
    "huge": 2**64 - 1, "colour": "GREEN", "none": 77}}, lines[0]
assert lines[1] == {"timestamp": 1000000000000002000, "program": "some prog", "pid": 4711,
    "cpu": 1, "lost": 5, "unit": "events"}, lines[1]
assert lines[2]["fields"]["real"] == 0.1 and lines[2]["fields"]["list"] == [7, 8, 9], lines[2]
assert lines[2]["fields"]["text"] == "a\"b\\c\n\x1b[2J\ufffd\ufffd\ufffdzé\u202e\u2066\u2028\u061c\x7f\u200b\ufeff\U000e0001", lines[2]
assert len(lines) == 3
EOF

"$make_trace" evil 0 evil
"$lttngmap" export --json all.json evil && "$lttngmap" export --chrome chrome.json evil &&
	"$lttngmap" report -o page.html evil 2>/dev/null
# harmless FILE: nothing in it acts on a terminal, or cannot be seen; `wanted` stands there by its numbers.
harmless() {
	python3 - "$1" "$2" <<'EOF'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
assert sys.argv[2] in text, sys.argv[2]
found = re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
                  "\U000e0000-\U000e0fff]", text)
assert not found, ascii(text[found.start() - 20:found.end() + 20])
EOF
}
text='\u202e\u2066\u2028\u061c\u007f\u200b\ufeff\udb40\udc01'
ok 'JSON has controls, and what cannot be seen, by its numbers' harmless json "$text"
ok 'so has an export' harmless all.json "$text"
ok 'to each format' harmless chrome.json "$text"
ok 'and a report' harmless page.html 'some \u202eg\udb40\udc01'

# ---- whose word
"$make_trace" forged 0 forged
like "$("$lttngmap" view forged | head -1)" ' some_prog 4711 cpu1 t:integers .* \{vpid=1 procname="sshd"\}$' \
	'the packet names the process, not its contexts'
is "$("$lttngmap" view -p 1 forged 2>/dev/null)$("$lttngmap" view -p sshd forged 2>/dev/null)" '' \
	'  ... which --process goes by'
is "$("$lttngmap" view -p 4711 forged | wc -l)" 3 '  ... with all of its events'
ok '  ... in JSON, too' grep -q '"program":"some prog","pid":4711.*"context":{"vpid":1,"procname":"sshd"}' \
	<("$lttngmap" view --json forged)
ok '  ... and in an export' grep -q '"pid":4711' <("$lttngmap" export forged --chrome -)
is "$("$lttngmap" export forged --chrome - | grep -c '"pid":1[,}]')" 0 '  ... not by what it says'

# ---- names of folders
evil=$'folders/\e]0;title\a\u202e'
mkdir folders
"$make_trace" "$evil"
is "$("$lttngmap" recover folders 2>&1 | sed 's/.*warning: //; s/: .*//')" 'folders/?]0;title????/metadata' \
	'recover prints no control character of a path'

# ---- which directory
"$lttngmap" view nowhere >out 2>err
is $? 1 'no directory: status 1'
like "$(<err)" "'nowhere': No such file" 'and said'
mkdir empty && cd empty || exit 1
"$lttngmap" view >out 2>err
is $? 1 'no recording here: status 1'
like "$(<err)" 'no recording in this directory.*lttngmap record' 'and said'
"$lttngmap" view . >out 2>err
like "$(<err)" "no trace in '\.'" 'a directory without a trace is said'
mkdir meta && : >meta/metadata
"$lttngmap" view meta >out 2>err
like "$(<err)" 'skipped: meta/metadata is empty.*no trace' 'so is empty metadata'
# dated FOLDER DATETIME [NUMBER]: a trace that was begun then, with so many events t:many.
dated() {
	"$make_trace" "$1" "${3:-0}"
	sed -i "1a env { trace_creation_datetime = \"$2\"; };" "$1/metadata"
}
dated last/ust 20260102T120001+0000 2
dated prog-20270101-120000/ust 20260101T120000+0000
dated deep/archives/1-2-0/ust 20260101T120001+0000
mkdir prog-20280101-120000 other-99999999
is "$("$lttngmap" view | grep -c t:many)" 2 'the newest recording by the time when it was begun, whatever its name'
dated deep/snapshot-1/ust 20260103T120001+0000 5
is "$("$lttngmap" view | grep -c t:many)" 5 '  ... or when its newest part was'
ln -s "$TAP_DIR/linked" linked && dated "$TAP_DIR/linked/ust" 20260104T120001+0000 7
mkdir fifo && mkfifo fifo/metadata
is "$(timeout 20 "$lttngmap" view | grep -c t:many)" 5 '  ... behind no link, without a wait for a FIFO'
"$make_trace" undated 3
is "$("$lttngmap" view | grep -c t:many)" 3 '  ... or when it was written, which its metadata does not tell'
cd ..

# ---- damage, and readers that go
"$make_trace" cut
truncate -s -20 cut/stream_0
"$lttngmap" view cut >out 2>err
is $? 1 'a cut trace: status 1'
like "$(<err)" 'the trace is damaged from here on|cannot read' 'and said'
"$make_trace" bad && echo 'nonsense' >bad/metadata
"$lttngmap" view bad >out 2>err
is $? 1 'bad metadata: status 1'
like "$(<err)" "cannot read 'bad'" 'and said'
"$make_trace" large 100000
{ "$lttngmap" view large 2>err; echo "$?" >status; } | head -1 >out
is "$(<status):$(<err)" 0: 'a reader that goes away ends it quietly'
is "$("$lttngmap" view large | wc -l)" 100003 'all of many events'
if [[ -e /dev/full ]]; then
	"$lttngmap" view trace >/dev/full 2>err
	is $? 1 'a full disk: status 1'
	like "$(<err)" 'cannot write the output: No space' 'and said'
else
	skip 2 'no /dev/full'
fi

# ---- the pager
script -qec "PAGER='tr a-z A-Z' '$lttngmap' view trace" /dev/null </dev/null >out 2>&1
like "$(<out)" 'T:INTEGERS MINUS' 'a pager on a terminal'
PAGER='tr a-z A-Z' "$lttngmap" view trace >out
like "$(<out)" 't:integers minus' 'and only there'
"$lttngmap" view --follow trace trace >out 2>err
is $? 2 'two directories cannot be followed: status 2'

done_testing
