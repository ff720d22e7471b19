#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap query`: 28 questions, answered in Python from what view says (in the long form from what
# babeltrace2's bindings say); conditions that choose packets; broken streams, names that want to be SQL;
# what is denied; Ctrl-C; each output; the prompt.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/short.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
asked=$LTTNGMAP_BUILD/tests/utils/asked
export TMPDIR=$TAP_DIR LTTNGMAP_ALLOW_BLOCKING=1 HOME=$TAP_DIR
cd "$TAP_DIR" || exit 1

query() {
	timeout 60 "$lttngmap" query "$@"
}

# rows ARG...: what a query prints as CSV, without its head.
rows() {
	query --csv "$@" | tail -n +2
}

rounds=$(short_or 2000 100000)
"$lttngmap" record -o trace --preload none -e 'asked:*' --context vtid --subbuf-size 64K --mode blocking -- \
	sh -c "$asked 3 $rounds; $asked 1 300" >said 2>&1 || bail_out "nothing was recorded: $(<said)"

# ---- answers ---------------------------------------------------------------------------------

"$LTTNGMAP_SRC/tests/utils/query_oracle.py" "$lttngmap" trace view >answers 2>&1
like "$(<answers)" '^28 questions about [0-9]+ events$' 'all is as view has it' || diag "$(<answers)"
if is_full; then
	python=python3
	"$python" -c 'import bt2' 2>/dev/null || python=/usr/bin/python3
	"$python" "$LTTNGMAP_SRC/tests/utils/query_oracle.py" "$lttngmap" trace bt2 >answers 2>&1
	like "$(<answers)" '^28 questions about [0-9]+ events$' "all is as babeltrace2's bindings have it" ||
		diag "$(<answers)"
fi
# A clock so coarse that events of several streams have one time; streams that begin later come before earlier ones.
cp -r trace coarse
python3 - coarse/ust <<'END'
import os, re, struct, sys
folder, streams = sys.argv[1], []
metadata = open(folder + "/metadata", encoding="utf-8").read()
frequency, = re.findall(r"\bfreq = (\d+)", metadata)
open(folder + "/metadata", "w", encoding="utf-8").write(metadata.replace(f"freq = {frequency}", f"freq = {frequency}00000000"))
for name in os.listdir(folder):
    if name not in ("metadata", "index"):
        data = bytearray(open(f"{folder}/{name}", "rb").read())
        streams.append((struct.unpack_from("<Q", data, 32)[0] * 10 // int(frequency), name, data))
for number, (_, name, data) in enumerate(sorted(streams, reverse=True), 1):
    index, at = bytearray(open(f"{folder}/index/{name}.idx", "rb").read()), 0
    while at < len(data):
        struct.pack_into("<Q", data, at + 24, number)
        at += struct.unpack_from("<Q", data, at + 56)[0] // 8
    for entry in range(16, len(index), 72):
        struct.pack_into(">Q", index, entry + 56, number)
    open(f"{folder}/{name}", "wb").write(data)
    open(f"{folder}/index/{name}.idx", "wb").write(index)
END
"$LTTNGMAP_SRC/tests/utils/query_oracle.py" "$lttngmap" coarse view >answers 2>&1
like "$(<answers)" '^28 questions about [0-9]+ events$' "events of one time are in view's order" || diag "$(<answers)"
is "$(rows coarse "SELECT count(*) > 0 FROM (SELECT 1 FROM events GROUP BY time HAVING count(DISTINCT pid || '-' || cpu) > 1)")" 1 \
	'  ... which several streams have'
is "$(query --csv trace "SELECT count(*), sum(words = ''), sum(value) FROM \"asked:empty\"")" \
	$'count(*),sum(words = \'\'),sum(value)\n20,10,90' 'empty strings are empty'
is "$("$LTTNGMAP_BUILD/lttngmap" view --json trace -e asked:empty | grep -c '"words": *""')" 10 \
	'  ... as view shows them, where babeltrace2 has the string before'
is "$(query --csv trace trace 'SELECT count(*) / 2.0 = (SELECT sum(events) / 2 FROM threads) FROM events' |
	tail -n 1)" 1 'two folders are one trace'
first=$("$lttngmap" view --json trace | head -n 1 | sed 's/.*"timestamp":\([0-9]*\).*/\1/')
is "$(rows trace "SELECT trace_time('+0'), trace_time('+1.25') - trace_time('+0')")" "$first,1250000000" \
	'times from the first event on'
is "$(rows trace "SELECT time('12:30'), time('12:30', '+1 hour')")" 12:30:00,13:30:00 "SQLite's own time() is left as it is"
# plan ORDER: whether the events are scanned, and whether SQLite sorts them.
plan() {
	rows trace "EXPLAIN QUERY PLAN SELECT name FROM events ORDER BY $1" >plan
	printf '%s ' "$(grep -c 'SCAN events' plan)" "$(grep -c 'TEMP B-TREE' plan)"
}
is "$(plan time)$(plan 'time DESC')$(plan 'time, name')" '1 0 1 1 1 1 ' 'ORDER BY time sorts nothing, if ascending and alone'
cp -r trace 'a b'
is "$(rows 'a b' <<<'SELECT count(*) > 9 FROM events')" 1 'a folder of two words is no SQL'
: >'a file'
like "$(query trace 'a file' </dev/null 2>&1)" "'a file'" '  ... nor is a file'

# ---- spans -----------------------------------------------------------------------------------

"$lttngmap" record -o deep --preload none -e 'asked:*' --context vtid --mode blocking -- "$asked" deep >said 2>&1 ||
	bail_out "nothing was recorded: $(<said)"
is "$(rows deep 'SELECT name, count(*), sum(cut), max(depth) FROM spans GROUP BY 1' 2>err)" \
	$'request,1,0,0\nstep,4095,0,4095' 'the ends of spans that lie too deep end no others'
like "$(<err)" '4096 spans lie in one another on thread [0-9]+ of process [0-9]+' '  ... which a message tells'
# Other readers take several folders, too.
both=$("$lttngmap" view --json trace deep | tee both.json | wc -l)
is "$both" "$(($("$lttngmap" view --json trace | wc -l) + $("$lttngmap" view --json deep | wc -l)))" 'view: two folders are one trace'
ok '  ... in the order of time' sort -c -n <(sed 's/.*"timestamp":\([0-9]*\).*/\1/' both.json)
is "$("$lttngmap" view --json deep trace | cksum)" "$(cksum <both.json)" '  ... whichever is named first'
"$lttngmap" export deep trace --json exported.json >/dev/null 2>&1
is "$(wc -l <exported.json)" "$both" '  ... for export'
like "$("$lttngmap" report --text deep trace 2>&1)" "$(sed ':a;s/\B[0-9]\{3\}\>/,&/;ta' <<<"$both") events" '  ... and for report'
like "$("$lttngmap" view trace deep -e nothing 2>&1)" "no event 'nothing' in 'trace', 'deep'" '  ... and a message names both'
like "$("$lttngmap" view trace /var/empty/none 2>&1)" "'/var/empty/none'" '  ... or the one that is none'
"$lttngmap" record -o untold --preload none -e 'asked:*' --context none --mode blocking -- "$asked" deep >said 2>&1 ||
	bail_out "nothing was recorded: $(<said)"
for table in spans threads; do
	is "$(rows untold "SELECT count(*) FROM $table; SELECT count(*) FROM $table" 2>err | tail -n 1):$(grep -c 'no event tells its thread' err)" 0:1 \
		"without the context vtid there are no $table, and one message says why"
done
is "$(rows untold 'SELECT count(*) > 0 FROM events' 2>&1)" 1 '  ... where they are asked for'

# lose N: five events are said to be lost before packet N of the largest stream; the packet behind it is missing.
lose() {
	rm -rf lossy
	cp -r trace lossy
	lossy=$(find lossy -path '*/ust/*' -type f ! -name metadata ! -name '*.idx' -printf '%s %p\n' | sort -n | tail -n 1 | cut -d' ' -f2)
	read -r pid cpu number < <(python3 - "$lossy" "$1" <<'END'
import struct, sys
data, at, packets, n = open(sys.argv[1], "rb").read(), 0, [], int(sys.argv[2])
while at < len(data):
    size = struct.unpack_from("<Q", data, at + 56)[0] // 8
    packets.append(bytearray(data[at:at + size]))
    at += size
for packet in packets[n:]:
    struct.pack_into("<Q", packet, 72, 5)
open(sys.argv[1], "wb").write(b"".join(packets[:n + 1] + packets[n + 2:]))
print(struct.unpack_from("<I", data, 84)[0], struct.unpack_from("<I", data, 80)[0], len(packets))
END
	)
	lost=$(rows lossy "SELECT min(time) FROM events WHERE pid = $pid AND cpu = $cpu AND name GLOB 'asked:[rs]*' AND
		time >= (SELECT \"begin\" FROM packets WHERE stream = '${lossy##*/}' AND lost_events = 5)")
}
# over TRACE: spans that were open when events were lost, and how many end there and are cut.
over() {
	rows "$1" "SELECT count(*) FILTER (WHERE \"begin\" < $lost AND \"begin\" + duration > $lost),
		count(*) FILTER (WHERE \"begin\" + duration = $lost AND cut) FROM spans WHERE pid = $pid"
}
# A packet may begin where no thread has a span open.
for ((n = 1; n == 1 || n < number - 2; n++)); do
	lose "$n"
	IFS=, read -r open cut < <(over trace)
	[[ $open == 0 ]] || break
done
ok 'the stream has several packets' test "$number" -gt 3
is "$(rows lossy 'SELECT pid, cpu, events, packets FROM losses ORDER BY time')" "$pid,$cpu,5,0
$pid,$cpu,0,1" 'losses'
ok 'spans were open when events were lost' test "$open" -gt 0
IFS=, read -r still cut < <(over lossy)
is "$still:$((cut >= open))" 0:1 'lost events cut all spans of their process that are open'

# ---- functions' names -------------------------------------------------------------------------

"$lttngmap" record -o calls --preload libc,dl -- perl -e 'my @a = map { $_ x 100 } 1 .. 99' >said 2>&1 || bail_out "nothing was recorded: $(<said)"
"$lttngmap" view calls -e lttng_ust_libc:malloc -f ip 2>/dev/null | sed -n 's/.*ip=0x[0-9a-f]* <\([^>]*\)>.*/\1/p' | sort >named-by-view
ok 'view names functions' test -s named-by-view
is "$(rows calls 'SELECT symbol(ip, pid) AS caller FROM "lttng_ust_libc:malloc" WHERE caller IS NOT NULL' | tr -d '"' | sort)" \
	"$(<named-by-view)" 'symbol() names them as view does'
is "$(rows calls --no-symbols 'SELECT count(symbol(ip, pid)) FROM "lttng_ust_libc:malloc"')" 0 '  ... but with --no-symbols'

# ---- what is not read --------------------------------------------------------------------------

# A wrong packet is noticed if it is read: only the last one of the largest stream is sound.
cp -r trace wrong
stream=$(find wrong -path '*/ust/*' -type f ! -name metadata ! -name '*.idx' -printf '%s %p\n' | sort -n | tail -n 1 | cut -d' ' -f2)
read -r packets cpu others < <(python3 - "$stream" <<'END'
import struct, sys
data, at, found = bytearray(open(sys.argv[1], "rb").read()), 0, []
while at < len(data):
    found.append(at)
    at += struct.unpack_from("<Q", data, at + 56)[0] // 8
for packet in found[:-1]:
    struct.pack_into("<H", data, packet + 128, 0xffff)
open(sys.argv[1], "wb").write(data)
print(len(found), struct.unpack_from("<I", data, 80)[0], struct.unpack_from("<I", data, 84)[0])
END
)
ok 'the stream has several packets' test "$packets" -gt 2
name=${stream##*/}
# asks WHERE: the status, and how many events there are.
asks() {
	local got

	got=$(query --csv wrong "SELECT count(*) FROM events WHERE $1" 2>err | tail -n 1)
	printf '%s %s' "$(grep -c ' is broken: packet ' err)" "$got"
}
begin=$(query --csv trace "SELECT max(\"begin\") FROM packets WHERE stream = '$name'" | tail -n 1)
expected=$(query --csv trace "SELECT count(*) FROM events WHERE time > $begin AND time < $begin + 1000000000" | tail -n 1)
is "$(asks "time > $begin AND time < $begin + 1000000000")" "0 $expected" 'packets before a time are not read'
is "$(asks "time > $begin AND +time < $begin + 1000000000")" "0 $expected" 'nor are they without an end'
is "$(asks 'cpu = 100000')" '0 0' 'nor those of another CPU'
is "$(asks 'pid = 1')" '0 0' 'nor those of another process'
is "$(asks "cpu = $cpu AND pid = $others" | cut -d' ' -f1)" 1 'but those of this one are'
query wrong 'SELECT count(*) FROM events' >out 2>err
is "$?" 3 'and the status says so'
is "$(query --csv wrong 'SELECT count(*) FROM events' 2>/dev/null | tail -n 1)" \
	"$("$lttngmap" view wrong 2>/dev/null | grep -c 'asked:')" 'a broken stream: what view shows'
# Of many broken streams 20 are named, and the others counted.
for number in {1..23}; do
	printf garbage >"${stream%/*}/broken-$number" # of `wrong`, which has one of its own
done
query wrong 'SELECT count(*) FROM events' >out 2>err
is "$?:$(grep -c ' is broken: ' err):$(grep -c ' 4 more streams are broken' err)" 3:20:1 'many broken streams'
rm -f "${stream%/*}"/broken-*
# An index that is wrong costs time and no event.
cp -r trace misled
index=misled/${stream#wrong/}
index=${index%/*}/index/$name.idx
python3 - "$index" <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
for at in range(16, len(data), 72):
    struct.pack_into(">Q", data, at + 32, 1)
open(sys.argv[1], "wb").write(data)
END
is "$(query --csv misled "SELECT count(*) FROM events WHERE time > $first" 2>&1)" \
	"$(query --csv trace "SELECT count(*) FROM events WHERE time > $first" 2>&1)" 'an index that says "earlier" leaves nothing out'

# ---- what wants to be SQL ------------------------------------------------------------------------

cp -r trace named
metadata=$(find named -name metadata)
# shellcheck disable=SC2016 # a program's text
python3 - "$metadata" <<'END'
import sys
text = open(sys.argv[1], encoding="utf-8").read()
for old, new in (("asked:point", r"a\"); DROP TABLE events; --"), ("asked:kinds", "events"),
                 ("asked:step_entry", "sqlite_master"), ("asked:step_exit", r"\033[31mred"),
                 ("asked:request_begin", "json_each"), ("_value;", "_select;")):
    assert old in text
    text = text.replace(old, new)
open(sys.argv[1], "w", encoding="utf-8").write(text)
END
is "$(query --csv named 'SELECT count(*) > 100 FROM "a""); DROP TABLE events; --" WHERE "select" >= 0;
	SELECT count(DISTINCT name) FROM events' 2>&1 | paste -sd' ')" \
	'count(*) > 100 1 count(DISTINCT name) 7' 'names of events and fields are names'
is "$(query --csv named 'SELECT count(*) FROM classes' 2>&1 | tail -n 1)" 7 "an event named as one of SQLite's own tables"
ok 'what acts on a terminal is escaped' grep -qF '\x1b[31mred' <(query named 'SELECT name FROM events GROUP BY 1')

# ---- what is denied --------------------------------------------------------------------------------

sum() { find trace -type f -exec cksum {} + | sort; }
before=$(sum)
for statement in 'CREATE TABLE a(b)' 'CREATE TEMP TABLE a(b)' "ATTACH '$TAP_DIR/file' AS f" 'DELETE FROM events' \
	'INSERT INTO events(time) VALUES (1)' 'UPDATE events SET time = 1' 'DROP VIEW threads' 'PRAGMA writable_schema = 1' \
	"VACUUM INTO '$TAP_DIR/file'" "SELECT load_extension('x')" "SELECT writefile('$TAP_DIR/file', 1)" \
	'CREATE VIRTUAL TABLE a USING events' 'BEGIN' "PRAGMA temp_store_directory = '$TAP_DIR'"; do
	query trace "$statement;" >out 2>err
	is "$?:$(wc -l <out)" 1:0 "denied: $statement" || diag "$(<err)"
done
ok 'no file was made' test ! -e file
is "$(sum)" "$before" 'and none was changed'
like "$(query trace 'CREATE TABLE a(b);' 2>&1)" 'only read: SELECT' 'a message says why'
like "$(query trace 'SELECT count(*) FROM evnts' 2>&1)" 'no such table: evnts.*did you mean events\?' 'and what is wrong with SQL'
like "$(query trace 'SELECT count(*) FROM "asked:pont"' 2>&1)" 'did you mean "asked:point"\?' '  ... with an event that is meant'
like "$(query trace 'SELECT count(*) FROM qqqqqqqqq' 2>&1)" '\.tables. lists them' '  ... or where to look'
like "$(query trace 'SELECT proces FROM events' 2>&1)" 'no such column: proces.*did you mean process\?' '  ... or a column'
like "$(query trace 'SELECT e.value FROM events AS e' 2>&1)" "field of \"asked:.*\": a column there, fields->>'value' in events" \
	"  ... or an event's field"
like "$(query trace 'SELECT vtid FROM events' 2>&1)" "context->>'vtid'" '  ... or a context'
like "$(query trace 'SELECT valeu FROM "asked:point"' 2>&1)" 'no such column: valeu.*did you mean value\?' "  ... or a column of an event's table"
like "$(query trace 'SELECT cout(*) FROM events' 2>&1)" 'no such function: cout.*did you mean count\(\)\?' "  ... or SQLite's function"
like "$(query trace 'SELECT percentle(time, 50) FROM events' 2>&1)" 'did you mean percentile\(\)\?' '  ... or a function of query'
like "$(query trace 'SELECT qqqqqqqq(1)' 2>&1)" 'no such function: qqqqqqqq.*PRAGMA function_list' '  ... or none that is meant'
is "$(query trace .tables | grep -c -e '^events$' -e '^"asked:point"$')" 2 '.tables as an argument'
is "$(query trace <<<.tables)" "$(query trace .tables)" '  ... and from standard input'
ok 'columns can be asked for' grep -q duration <(query trace 'PRAGMA table_info(spans)')

# ---- Ctrl-C --------------------------------------------------------------------------------------------

# interrupted SQL: its status, and how many lines of output there are, after SIGINT.
interrupted() {
	python3 - "$lttngmap" "$1" <<'END'
import signal, subprocess, sys, time
process = subprocess.Popen([sys.argv[1], "query", "trace", sys.argv[2]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
# Until it reads the trace, which nothing tells.
time.sleep(1)
process.send_signal(signal.SIGINT)
begin = time.monotonic()
try:
    out, err = process.communicate(timeout=30)
finally:
    process.kill()
print(process.returncode, len(out.splitlines()), "interrupted" in err.decode(), time.monotonic() - begin < 10)
END
}
is "$(interrupted 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n')" \
	'-2 0 True True' 'a statement that does not end'
is "$(interrupted 'SELECT count(*) FROM events AS a, events AS b, events AS c')" '-2 0 True True' 'one that reads all the time'
is "$(interrupted "SELECT count(*) FROM events AS a, events AS b WHERE b.name = 'none' || a.tid")" '-2 0 True True' \
	'one that finds nothing'

# ---- outputs -------------------------------------------------------------------------------------------

is "$(query trace "SELECT 1 AS one, 'b' AS text, 2.5 AS real, NULL AS none UNION ALL SELECT 1000, 'longer', -1, 'x'")" \
	' one  text    real  none
────  ──────  ────  ────
   1  b        2.5
1000  longer    -1  x' 'a table'
is "$(query --json trace "SELECT 1 AS one, 'a\"' || char(10, 27) AS text, 0.1 AS real, NULL AS none")" \
	'{"one":1,"text":"a\"\u000a\u001b","real":0.1,"none":null}' 'JSON'
is "$(query --csv trace "SELECT 'a,\"b\"' AS \"x y\", 2" | od -An -c | tr -d ' \n')" 'xy,2\n"a,""b""",2\n' 'CSV'
is "$(query --plot trace "SELECT 'a' AS n, 4 AS v UNION ALL SELECT 'bb', 2")" \
	'a   ████████████████████████████████████████████████████████████ 4
bb  ██████████████████████████████ 2' 'bars'
is "$(query --plot trace 'SELECT value % 100 FROM "asked:point"' | awk '{ printf "%s ", $1 }')" \
	'0 5 10 15 20 25 30 35 40 45 50 55 60 65 70 75 80 85 90 95 ' 'a histogram, of whole numbers by whole numbers'
is "$(query --plot trace 'SELECT value % 3 FROM "asked:point"' | awk '{ printf "%s ", $1 }')" '0 1 2 ' '  ... of few, a bar each'
is "$(query --plot trace 'SELECT value % 100 / 200.0 FROM "asked:point"' | wc -l)" 20 '  ... of others'
is "$(LC_ALL=C query --plot trace "SELECT 'a' AS n, 4 AS v UNION ALL SELECT 'bb', 2" | tail -n 1)" \
	'bb  ############################## 2' 'a locale without UTF-8 has bars of ASCII'
is "$(LC_ALL=C query trace 'SELECT value, value FROM "asked:point"; SELECT 1' | LC_ALL=C grep -c '[^ -~]')" 0 '  ... and rules'
is "$(rows trace 'SELECT percentile(column1 / 100.0, 30) FROM (VALUES (1), (2), (6))')" 0.016 'percentiles without the dust of floating point'
is "$(query --plot trace 'SELECT value % 100, count(*) FROM "asked:point" GROUP BY 1' | wc -l)" 13 'a line'
query --csv --json trace 'SELECT 1' >out 2>&1
is "$?" 2 'one output at a time'
is "$(query --csv trace <<<'SELECT 1; SELECT 2;' | paste -sd' ')" '1 1 2 2' 'statements from standard input'
is "$(query none 'SELECT 1' 2>&1 | head -n 1)" "lttngmap: query: 'none': No such file or directory" 'no such folder'
mkdir foreign
"$LTTNGMAP_SRC/tests/utils/make-trace" foreign/trace || bail_out 'the trace was not made'
query foreign 'SELECT 1' >out 2>err
is "$?:$(head -n 1 err)" "1:lttngmap: query: 'foreign/trace' is not a trace that lttngmap wrote" "another tracer's trace"

# ---- the prompt ------------------------------------------------------------------------------------------

# On a terminal: TAB completes a table, a statement of two lines runs, Ctrl-C gives one up, Ctrl-D ends.
python3 - "$lttngmap" <<'END' >shown 2>&1
import os, pty, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[1], [sys.argv[1], "query", "trace"])
shown = b""
def wait(text, patience=30):
    global shown
    end = time.monotonic() + patience
    while text not in shown and time.monotonic() < end and select.select([fd], [], [], patience)[0]:
        shown += os.read(fd, 4096)
    at = shown.find(text)
    if at >= 0 or patience == 30:
        print(text, at >= 0)
    if at >= 0:
        shown = shown[at + len(text):]
    return at >= 0
wait(b"query> ")
os.write(fd, b"SELECT count(*) || 'rows' AS n\n")
wait(b"...> ")
os.write(fd, b'FROM "asked:em\t')
wait(b"pty")
os.write(fd, b'";\n')
wait(b"20rows")
wait(b"query> ")
os.write(fd, b"SELECT 1 +\n")
wait(b"...> ")
# The prompt is there before the editor reads.
for _ in range(30):
    os.write(fd, b"\x03")
    if wait(b"query> ", 1):
        break
os.write(fd, b"SELECT 'still ' || 'here';\n")
wait(b"still here\r\n")
wait(b"query> ")
os.write(fd, b"\x04")
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
is "$(grep -c True shown):$(tail -n 1 shown)" 9:0 'the prompt' || diag "$(<shown)"

# Ctrl-C while symbol() reads which libraries lie where: after many streams that tell nothing of it.
cp -r trace linked
linked=$(find linked -path '*/ust/*' -type f ! -name metadata ! -name '*.idx' -printf '%s %p\n' | sort -n | tail -n 1 | cut -d' ' -f2)
for number in {1..400}; do
	echo "${linked%/*}/link-$number"
done | xargs -n 1 ln "$linked"
IFS=, read -r address pid < <(rows calls 'SELECT ip, pid FROM "lttng_ust_libc:malloc" WHERE symbol(ip, pid) IS NOT NULL')
python3 - "$lttngmap" "SELECT 'named ' || count(symbol($address, $pid)) AS n;" <<'END' >shown 2>&1
import os, pty, select, signal, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[1], [sys.argv[1], "query", "linked", "calls"])
shown = b""
def wait(text):
    global shown
    end = time.monotonic() + 60
    while text not in shown and time.monotonic() < end and select.select([fd], [], [], 60)[0]:
        shown += os.read(fd, 4096)
    at = shown.find(text)
    print(text, at >= 0, "" if at >= 0 else shown)
    shown = shown[at + len(text):]
def ticks():
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return sum(int(number) for number in file.read().rsplit(") ", 1)[1].split()[11:13])
wait(b"query> ")
before = ticks()
os.write(fd, sys.argv[2].encode() + b"\n")
while ticks() < before + 15:
    time.sleep(0.01)
os.kill(pid, signal.SIGINT)
wait(b"interrupted")
wait(b"query> ")
os.write(fd, sys.argv[2].encode() + b"\n")
wait(b"named 1")
wait(b"query> ")
os.write(fd, b"\x04")
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
is "$(grep -c True shown):$(tail -n 1 shown)" 5:0 'a statement after Ctrl-C has all names of functions' || diag "$(<shown)"
rm -r linked
ok 'the history is kept, for its owner' test "$(stat -c %a .lttngmap-query)" = 600

done_testing
