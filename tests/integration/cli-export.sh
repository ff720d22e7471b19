# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap export`: what it writes for Perfetto decodes by protoc and Perfetto's own numbers
# of fields, and holds the slices that the trace has, as do the other formats.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
utils=$LTTNGMAP_SRC/tests/utils
cd "$TAP_DIR" || exit 1
command -v protoc >/dev/null || bail_out 'no protoc: on Debian, install protobuf-compiler'

# slices FILE: PID TID NAME BEGIN END FIELD=VALUE... of what is in a trace for Perfetto.
slices() {
	protoc --decode=Trace -I "$utils" perfetto.proto <"$1" >decoded 2>complaints &&
		python3 "$utils/perfetto_slices.py" <decoded
}

"$utils/make-slices" trace || bail_out 'the trace was not made'
"$lttngmap" export trace --perfetto out.perfetto >out 2>&1
is "$?:$(<out)" '0:lttngmap: export: 2 ends without a begin are single events' \
	'a trace is exported, and what is odd is told'
is "$(slices out.perfetto; cat complaints)" "10 11 w:outer 1000000000000000100 1000000000000000130 id=-1 id=-1
10 11 w:inner 1000000000000000110 1000000000000000120 text='a\"b;?é\\n'
10 12 w:outer 1000000000000000115 1000000000000000150 id=2 id=2
10 12 w:inner 1000000000000000140 1000000000000000140
10 11 p:0x100 1000000000000000200 1000000000000000310 addr=0x100 addr=0x100
10 11 p:0x200 1000000000000000210 1000000000000000300 addr=0x200 addr=0x200
10 11 p:0x300 1000000000000000220 1000000000000000300 addr=0x300
10 11 lttngmap_io:read 1000000000000000230 1000000000000000260 fd=3 duration=30
10 12 w:alone_begin 1000000000000000320 1000000000000000320
10 12 w:fields 1000000000000000330 1000000000000000330 real=-1.5 red='RED' none=7 list=[1,2,3] flow=77
10 11 w:fields 1000000000000000340 1000000000000000340 real=2.5 red='RED' none=7 list=[1,2,3] flow=77
10 11 w:outer 1000000000000000400 1000000000000000450 id=4
10 - 5 events lost 1000000000000000450 1000000000000000450
10 11 w:outer 1000000000000000600 1000000000000000600 id=4
10 12 w:outer 1000000000000000610 - id=5" 'each slice is there, with its bounds and fields'
is "$(grep -cE '^  (track_descriptor|clock_snapshot)' decoded)" 5 'process, threads, CPU, clock'
like "$(tr -d '\n' <decoded)" 'thread \{ +pid: 10 +tid: 12 +thread_name: "some prog"' \
	'threads have their names'
ok 'nothing is unknown to the schema' bash -c '! grep -E "^ *[0-9]+[:{ ]" decoded'
"$lttngmap" export trace --counter w:fields.real --flow flow --perfetto out.perfetto >out 2>&1
like "$(slices out.perfetto)" \
	$'real=-1.5 .* flow=78\n10 counter w:fields.real 1000000000000000330 -1.5\n.*real=2.5 .* flow=78\n' \
	'a field is a counter, another one joins events'

# Of processes that share rings, any may have lost them.
"$utils/make-slices" shared shared || bail_out 'the trace was not made'
"$lttngmap" export shared --perfetto out.perfetto >out 2>&1
is "$(slices out.perfetto)" '10 11 w:outer 1000000000000000100 1000000000000000450 id=1
20 21 w:outer 1000000000000000110 1000000000000000450 id=2
- - 3 events lost 1000000000000000450 1000000000000000450
10 11 w:outer 1000000000000000600 1000000000000000600 id=1' \
	"nobody's losses end the slices of all"

# ---- Chrome ---------------------------------------------------------------------------

"$lttngmap" export trace --counter w:fields.real --chrome out.chrome >out 2>&1
ok 'Chrome: JSON, with the same slices' python3 - out.chrome <<'END'
import json, sys
trace = json.load(open(sys.argv[1], encoding="utf-8"))
assert trace["otherData"]["begin_ns"] == "1000000000000000100"
stacks, slices = {}, []
for e in trace["traceEvents"]:
	us = e.get("ts")
	stack = stacks.setdefault(e.get("tid"), [])
	if e["ph"] == "B":
		stack.append((e["name"], us, e["args"]))
	elif e["ph"] == "E":
		name, begin, _ = stack.pop()
		slices.append((e["tid"], name, begin, us))
	elif e["ph"] == "X":
		slices.append((e["tid"], e["name"], us, round(us + e["dur"], 3)))
	elif e["ph"] in "iC":
		slices.append((e["tid"] % 1000000000, e["name"], us, e["args"].get("value", us) if e["ph"] == "C" else us))
assert sorted(slices, key=lambda s: (s[2], s[0], s[1])) == [
	(11, "outer", 0, 0.03), (11, "inner", 0.01, 0.02), (12, "outer", 0.015, 0.05),
	(12, "inner", 0.04, 0.04), (11, "0x100", 0.1, 0.21), (11, "0x200", 0.11, 0.2),
	(11, "0x300", 0.12, 0.2), (11, "read", 0.13, 0.16), (12, "alone_begin", 0.22, 0.22),
	(12, "fields", 0.23, 0.23), (999999999, "w:fields.real", 0.23, -1.5),
	(11, "fields", 0.24, 0.24), (999999999, "w:fields.real", 0.24, 2.5),
	(11, "outer", 0.3, 0.35), (1, "5 events lost", 0.35, 0.35), (11, "outer", 0.5, 0.5)] or \
	sys.exit("\n".join(map(str, sorted(slices, key=lambda s: (s[2], s[0], s[1])))))
assert stacks[12] == [("outer", 0.51, {"id": 5, "vtid": 12})], stacks
assert trace["traceEvents"][1]["args"] == {"name": "some prog"}, trace["traceEvents"][1]
END

# ---- flame graphs, lines of JSON, standard output -----------------------------------------

is "$("$lttngmap" export trace --folded - 2>out | LC_ALL=C sort)" 'some prog;0x100 20
some prog;0x100;0x200 10
some prog;0x100;0x200;0x300 50
some prog;0x100;0x200;0x300;read 30
some prog;outer 105
some prog;outer;inner 10' 'stacks, and the time in each'
is "$("$lttngmap" export trace --folded - -e 'w:*' -p 'some*' --from +0.00000001 --to +0.00000002 2>&1)" \
	'some prog;inner 10' 'of the events that are asked for'
is "$("$lttngmap" export trace --json - | md5sum)" "$("$lttngmap" view --json trace | md5sum)" \
	'lines of JSON are those of view'

# ---- a process that becomes another program ------------------------------------------------

# What made an event names it, in every format: `env` made none of those of `cat`. The kernel's own
# name of the thread, at the time of the event, says who it was.
programs_of() {
	python3 "$utils/programs_of.py" "$1" 2>&1
}
named_right() { # PROGRAMS SLICED COMMAND...: these have events, and those of them slices
	local programs=$1 sliced=$2 format

	shift 2
	rm -rf named
	"$lttngmap" record -q -o named --preload libc,io --context vtid,procname --mode blocking -- "$@" >out 2>&1 </dev/null
	"$lttngmap" view --json named | sed -nE 's/.*"procname":"([^"]*)".*/\1/p' | sort | uniq -c |
		awk '{ print $2, $1 }' >expected
	is "$(cut -d' ' -f1 expected | tr '\n' ' ')" "$programs" "a chain of programs is recorded: $*" || diag "$(<out)"
	for format in json chrome; do
		"$lttngmap" export named "--$format" - | programs_of "$format" | diff expected - >differences
		is "$(<differences)" '' "  ... and named so by --$format"
	done
	"$lttngmap" export named --perfetto out.perfetto
	protoc --decode=Trace -I "$utils" perfetto.proto <out.perfetto | programs_of perfetto | diff expected - >differences
	is "$(<differences)" '' '  ... by --perfetto'
	"$lttngmap" report -o named.html named >out 2>&1
	programs_of page <named.html | diff expected - >differences
	is "$(<differences)" '' '  ... by the page'
	is "$("$lttngmap" export named --folded - | programs_of folded | cut -d' ' -f1 | tr '\n' ' ')" "$sliced" \
		'  ... by stacks, of those that have slices'
}
echo 'exec nice /usr/bin/python3 -m this' >chain
named_right 'env nice python3 sh ' 'python3 sh ' env A=1 sh ./chain
named_right 'env git ' 'git ' env A=1 git -C "$LTTNGMAP_SRC" -c 'safe.directory=*' grep -c --no-index traced -- README.md
if command -v redis-server >/dev/null; then
	named_right 'redis-server sh ' 'redis-server sh ' sh -c 'exec redis-server --version'
fi

# ---- what is no use --------------------------------------------------------------------

# refused STATUS WHAT TEXT ARGUMENT...
refused() {
	"$lttngmap" export "${@:4}" >out 2>&1
	is "$?" "$1" "$2: status $1"
	like "$(<out)" "$3" '  ... and said'
}
refused 2 'no format' 'give one of --perfetto, --chrome, --folded and --json' trace
refused 2 'two formats' 'give one of --perfetto' trace --json - --folded -
"$lttngmap" export trace --counter nope:tick.number --perfetto out.perfetto >out 2>&1
like "$(<out)" "no event has 'nope:tick.number', as a number" 'a counter that no event has'
refused 2 'a counter that is none' "'x' is not PROVIDER:EVENT.FIELD" trace --json - --counter x
refused 1 'no trace' "export: 'nothing': No such file" nothing --json -
refused 1 'no such file' "export: cannot write 'no/file': No such" trace --json no/file
"$utils/make-trace" plain || bail_out 'the trace was not made'
refused 1 'no call stacks' "no call stacks in 'plain'.*cyg-profile" plain --folded out.folded
ok '  ... and no empty file' test ! -e out.folded
if [[ -e /dev/full ]]; then
	refused 1 'a full disk' "cannot write '/dev/full': No space" trace --perfetto /dev/full
fi
echo older >held-back
for format in perfetto chrome json; do
	(ulimit -f 0; trap '' XFSZ; "$lttngmap" export trace --$format held-back 2>&1) >out
	is "$?:$(<held-back):$(ls held-back.* 2>/dev/null)" 1:older: "$format: nothing is left of a file that cannot be written"
done
truncate -s -20 trace/stream_0
refused 1 'a damaged trace' 'export: (the trace is damaged|cannot read)' trace --perfetto cut

# ---- of a program -----------------------------------------------------------------------

# The oracle reads lines of JSON and knows of begin and end only what a page would say.
cat >oracle.py <<'END'
import json, sys
stacks, lines = {}, []
for event in map(json.loads, sys.stdin):
	name, ns = event["event"].split(":")[1], event["timestamp"]
	pid, tid = event["context"]["vpid"] if "vpid" in event["context"] else event["pid"], event["context"]["vtid"]
	stack = stacks.setdefault(tid, [])
	if name == "func_entry":
		stack.append([pid, tid, hex(event["fields"]["addr"]), ns, "-"])
		lines.append(stack[-1])
	elif name == "func_exit":
		stack.pop()[4] = ns
	else:
		lines.append([pid, tid, name, ns - event["fields"]["duration"], ns])
for pid, tid, name, begin, end in sorted(lines, key=lambda l: (l[3], str(l[1]))):
	print(pid, tid, name, begin, end)
END
if [[ -n ${LTTNGMAP_PLAIN:-} ]]; then
	for try in 1 2 3; do
		rm -rf recorded
		"$lttngmap" record -q -o recorded --preload cyg-profile,io --mode blocking --context vtid \
			-- "$LTTNGMAP_PLAIN/tests/utils/instrumented" 3 >out 2>&1
		! "$lttngmap" view --json recorded 2>/dev/null | grep -q func_entry || break
		diag "no events, try $try: the program was not answered in time"
	done
	"$lttngmap" view --json recorded | python3 oracle.py >expected
	like "$(wc -l <expected)" '^[0-9]{3}' 'a program with threads and calls is recorded'
	"$lttngmap" export recorded --perfetto out.perfetto
	slices out.perfetto |
		sed -E 's/ lttng(_ust_cyg_profile|map_io):/ /; s/ (addr|fd|size|path)=.*//' >exported
	is "$(diff expected exported | head -20)" '' 'and exported: the same slices as in the trace'
fi
done_testing
