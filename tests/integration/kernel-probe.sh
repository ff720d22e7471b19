#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Probes: each call of a function in a program is an event, with its arguments and what it
# returned; several sessions' do not meet; what is refused; what is left by who was killed.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/kernel.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
[[ -e $tracefs/uprobe_events ]] || skip_all 'this kernel has no uprobes (CONFIG_UPROBE_EVENTS)'
case $(uname -m) in
x86_64) first=%di second=%si ;;
aarch64) first=%x0 second=%x1 ;;
*) skip_all "which registers have a function's arguments on $(uname -m), this test does not know" ;;
esac

mkdir -m 700 "$TAP_DIR/user"
export XDG_RUNTIME_DIR=$TAP_DIR/user
unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
cd "$TAP_DIR" || exit 1
# A file of this test's own: whatever is in tracefs about it, is of this test.
cp "$LTTNGMAP_PLAIN/tests/utils/probe-load" load
load=$TAP_DIR/load
before=$(kernel_machine)

record() { # OUTPUT ARGUMENT...
	rm -rf "$1"
	"$LTTNGMAP_BUILD/lttngmap" record --preload none -o "$@"
}
probes() { # What the kernel has of them.
	grep -cF "$TAP_DIR/" $tracefs/dynamic_events
}
no_probes() {
	[[ $(probes) == 0 ]]
}

# ---- what is recorded -------------------------------------------------------------------

calls=2000
cat >run.sh <<'END_RUN'
"$1" "$2"
grep -F "$1:" /sys/kernel/tracing/dynamic_events >while
END_RUN
record one --uprobe "./load:load_work number=$first:s64 text=+0($second):string" \
	--uprobe 'back=./load:load_work%return value=$retval:s64' \
	-- bash run.sh "$load" $calls >out 2>err
is $? 0 'the status of the program'
like "$(tr -d , <err)" "the kernel: $((2 * calls)) events kept 0 lost" 'each call and each return is an event'
like "$(<while)" "p:lttngmap_[0-9]+_[0-9]+_[0-9a-f]{16}/load_work $load:0x" \
	'the kernel has them in a group that is called after the daemon'
ok 'and afterwards no more' wait_for no_probes
babeltrace2 one/kernel >text 2>said
is "$(<said)" '' 'babeltrace2 has nothing to say'
pid=$(head -n 1 out)
is "$(python3 - "$pid" <<'END_PYTHON'
import re, sys
number = 0
inside = False
for line in open("text"):
    assert f"common_pid = {sys.argv[1]}," in line, line
    if " uprobes:load_work: " in line:
        assert not inside and "__probe_ip = " in line, line
        text = "odd" if number % 2 else "even"
        assert f'number = {number}, text = "{text}" }}' in line, line
    else:
        assert inside and " uprobes:back: " in line and "__probe_ret_ip = " in line, line
        assert f"value = {number * 3 - ord(text[0])} }}" in line, line
        number += 1
    inside = not inside
print(number)
END_PYTHON
)" $calls 'with the arguments of each call and what it returned, one after the other'

offset=$(python3 - "$load" <<'END_PYTHON'
import struct, subprocess, sys
address = next(int(line.split()[0], 16) for line in
               subprocess.check_output(["nm", sys.argv[1]], text=True).splitlines()
               if line.endswith(" load_work"))
for line in subprocess.check_output(["readelf", "-lW", sys.argv[1]], text=True).splitlines():
    words = line.split()
    if words[:1] == ["LOAD"]:
        start, base, size = (int(words[i], 16) for i in (1, 2, 4))
        if base <= address < base + size:
            print(hex(address - base + start))
END_PYTHON
)
record two --uprobe "./load:load_work number=$first:s64" --kernel-filter 'number < 10' \
	--uprobe "./load:$offset" --uprobe './load:load_steps+4' --kernel 'sched:sched_process_exec' \
	-- "$load" 500 >out 2>err
is $? 0 'by an offset in the file, behind a begin, filtered, and beside other events'
babeltrace2 two/kernel >text
is "$(grep -c ' uprobes:load_work: ' text)" 10 'a filter is of the one before it'
is "$(grep -c " uprobes:load_$offset: " text)" 500 'an offset is the same place'
is "$(grep -c ' uprobes:load_steps_0x4: ' text)" 500 'a place behind the begin is passed as often'
is "$(grep -c ' sched:sched_process_exec: .*/load"' text)" 1 'the program is there as well'

# Others run the same file meanwhile.
mkfifo ask
cat >both <<'END_BOTH'
echo >ask
while [[ ! -e ended ]]; do sleep 0.02; done
"$1" 5
END_BOTH
others() { # How many calls were recorded, of ours and theirs, with OPTION...
	rm -f ended
	(read -r _ <ask; "$load" 7 >/dev/null; : >ended) &
	record both.trace --uprobe ./load:load_work "$@" -- bash both "$load" >out 2>err
	wait $!
	babeltrace2 both.trace/kernel | grep -c uprobes:load_work
}
is "$(others)" 12 'whoever runs it is recorded'
is "$(others --kernel-pid program)" 5 'or the program alone'

record path --uprobe load:load_work -- "$load" 1 >out 2>err
is $? 125 'a name alone is not of this directory'
PATH=$TAP_DIR:$PATH record path --uprobe load:load_work -- "$load" 3 >out 2>err
like "$(<err)" 'the kernel: 3 events kept' 'but a program along PATH'

# A library by the name that programs need it by.
cat >puts.c <<'END'
#include <stdio.h>

int main(void)
{
	for (int i = 0; i < 37; i++)
		puts("a line");
	return 0;
}
END
"${LTTNGMAP_CC:-cc}" -o puts puts.c || bail_out 'no compiler'
record lines --uprobe "libc.so.6:puts text=+0($first):string" --kernel-pid program -- ./puts >out 2>err
is "$? $(wc -l <out)" '0 37' 'a function of libc.so.6, wherever that is'
is "$(babeltrace2 lines/kernel | grep -c ' uprobes:puts: .*text = "a line"')" 37 '  ... each call is an event' || diag "$(<err)"
is "$(grep -c -e preload -e 'nothing traced' err)" 0 '  ... and nobody advises other events to who asked for those of the kernel'

# ---- sessions ---------------------------------------------------------------------------

# What a user of tracefs has made: nothing of ours.
echo "p:test_probe_$$/mine $load:$offset" >>$tracefs/dynamic_events
cleanup eval "echo -:test_probe_$$/mine >>$tracefs/dynamic_events"
map() {
	"$LTTNGMAP_BUILD/lttngmap" "$@"
}
event() { # SESSION: of its trace
	babeltrace2 "$TAP_DIR/$1/kernel" | grep -c ' uprobes:work: '
}
sessiond_start
cleanup sessiond_stop
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
map create a -o "$TAP_DIR/a" >/dev/null
map create b -o "$TAP_DIR/b" >/dev/null
like "$(map enable -s a --uprobe "work=$load:load_work" "number=$first:s64" --filter 'number > 1')" \
	'enabled event uprobes:work of the kernel.s in session a' 'a session has a probe'
ok 'another one the same' map enable -s b --uprobe "work=$load:load_work"
is "$(probes)" 3 'they are two, beside a third one'
map enable -s a --uprobe "work=$load:load_steps" 2>err >&2
is $? 1 'a name is there once'
like "$(<err)" 'a probe work already.*NAME=' 'which is told'
map enable -s a --kernel 'lttngmap_*:*' 2>err >&2
like "$(<err)" "no event 'lttngmap_" 'none has what is of others'
map enable -s a --kernel "test_probe_$$:*" >/dev/null
like "$(map list a)" "rule 1: uprobes:work at $load:load_work number=$first:s64, if number > 1" 'list shows it'
is "$(map list a --json | python3 -c '
import json, sys
probe = json.load(sys.stdin)["sessions"][0]["kernel"]["probes"][0]
print(*(f"{key}={probe[key]}" for key in sorted(probe)), sep="|")')" \
	"args=number=$first:s64|enabled=True|filter=number > 1|id=1|kind=uprobe|name=work|offset=$((offset))|path=$load|return=False|symbol=load_work" \
	'... as JSON, too'
map start a >/dev/null
map start b >/dev/null
"$load" 10 >/dev/null
map stop b >/dev/null
"$load" 10 >/dev/null
map stop a >/dev/null
"$load" 10 >/dev/null
is "$(event a) $(event b)" '16 10' 'each has its own'
is "$(babeltrace2 a/kernel | grep -c " test_probe_$$:mine: ")" 20 "and somebody's else is as it was made"
map start a >/dev/null
"$load" 10 >/dev/null
map stop a >/dev/null
is "$(event a)" 24 'it goes on when the session does'
map destroy b >/dev/null
two() {
	[[ $(probes) == 2 ]]
}
ok 'with a session its probe goes, and no other' wait_for two

# ---- what is refused --------------------------------------------------------------------

refused() { # NAME REGEX DEFINITION
	map enable -s a --uprobe "$3" >/dev/null 2>err
	is $? 1 "$1"
	like "$(<err)" "$2" '... and why'
}
cp load stripped
strip stripped
cp run.sh script
sed -i '1i#!/bin/bash' script
chmod +x script
refused 'no such function' "load has no function work.*nm" ./load:work
refused 'one that is in another file' 'calls atol|calls strtol|calls .*strtol' "./load:$(nm load | sed -nE 's/^ +U (atol|strtol|__isoc23_strtol)(@.*)?$/\1/p' | head -n 1)"
refused 'two of one name' 'several functions twin.*0xOFFSET' ./load:twin
refused 'data' 'no function load_data' ./load:load_data
refused 'an offset beyond its end' 'load_steps of .* has [0-9]+ bytes' ./load:load_steps+64
refused 'a file without names' 'is stripped.*0xOFFSET' ./stripped:load_work
refused 'a script' 'no program and no library.*script' ./script:main
refused 'no such file' 'cannot open .*nothing: No such file' ./nothing:main
refused 'no code' 'no code at 0x1 ' ./load:1
refused 'no definition' 'no PATH:SYMBOL' ./load
refused 'no such register' "refuses the probe load_work: Invalid register name: '%nothing'" \
	'./load:load_work a=%nothing'
refused 'no such type' "Unknown type is specified: 'u7'" "./load:load_work a=$first:u7"
refused 'one field twice' 'refuses the probe load_work: ' "./load:load_work a=$first a=$first"
refused 'a comment' 'does not take such arguments' './load:load_work a=%nothing # b'
map enable -s a --uprobe ./load:load_steps --filter 'nothing == 1' >/dev/null 2>err
is $? 1 'a filter with a field that there is not'
like "$(<err)" 'wrong for uprobes:load_steps: Field not found' '... and why'
map enable -s a --uprobe --kernel ./load:load_steps >/dev/null 2>err
is $? 2 'a probe that is a rule as well'
map enable -s a --uprobe --all >/dev/null 2>err
is $? 2 'probes of everything'
is "$(probes)" 2 'of all these none is left'
# A program that is built anew, and one in a directory where its owner may put another.
cp load anew
map create anew -o "$TAP_DIR/anew.trace" >/dev/null
map enable -s anew --uprobe ./anew:load_work >/dev/null
map remove -s anew --kernel --all >/dev/null
rm anew
cp load anew
map enable -s anew --uprobe ./anew:load_work >/dev/null 2>err
is $? 1 'a file that is another one by now'
like "$(<err)" 'had a probe load_work, which was another one' '... is told'
mkdir -m 0755 theirs
cp load theirs
chown -R 65534 theirs
map enable -s anew --uprobe theirs=./theirs/load:load_work >/dev/null
like "$(<$tracefs/dynamic_events)" "p:lttngmap_${sessiond_pid}_[^ ]*/theirs /proc/self/fd/[0-9]+:0x" \
	"somebody else's file is probed by what the daemon holds"
map start anew >/dev/null
theirs/load 7 >/dev/null
map stop anew >/dev/null
is "$(babeltrace2 anew.trace/kernel | grep -c ' uprobes:theirs: ')" 7 'and each of its calls is there'
like "$(map list anew)" "uprobes:theirs at $TAP_DIR/theirs/load:load_work" 'list has its path'
refused "one that the kernel refuses" "refuses the probe other: .*'%nothing'" 'other=./theirs/load:load_work a=%nothing'
map destroy anew >/dev/null
# By who does not look first.
probe='"verb": "kernel-probe", "session": "a", "name": "x"'
asked() { # NAME REGEX MEMBERS
	local answer

	answer=$(control "{$probe, $3}")
	like "$answer" "\"ok\": false.*$2" "$1"
}
asked 'another kind' 'no kind of probe' '"kind": "tprobe", "path": "/x", "offset": 0'
asked 'no place' "'path'" '"kind": "uprobe", "offset": 0'
asked 'a file for the kernel' 'in no file' '"kind": "kprobe", "symbol": "f", "path": "/x"'
asked 'a file that there is not' 'cannot find .*nothing: No such file' '"kind": "uprobe", "path": "/nothing", "offset": 0'
asked 'a place that is none' 'it is no file' '"kind": "uprobe", "path": "'"$TAP_DIR"'", "offset": 0'
asked 'another file than the one that was looked at' 'is another file' '"kind": "uprobe", "path": "'"$load"'", "file": "1:2", "offset": 0'
asked 'a second command' 'no probe in' '"kind": "uprobe", "path": "/x\n-:a/b", "offset": 0'
asked 'an offset below 0' "'offset'" '"kind": "uprobe", "path": "/x", "offset": -1'
many=$(for ((i = 0; i < 256; i++)); do
	echo '{"verb": "kernel-probe", "session": "many", "kind": "uprobe", "name": "n'$i'", "path": "'"$load"'", "offset": '"$((offset))"'}'
done)
map create many -o "$TAP_DIR/many" >/dev/null
like "$(control - '{"verb": "kernel-probe", "session": "many", "kind": "uprobe", "name": "x", "path": "/x", "offset": 0}' \
	<<<"$many" | tail -n 1)" 'there are 256 rules for kernel events already' 'a probe too many'
map destroy many >/dev/null
ok '256 probes go' wait_for two

if [[ -e $tracefs/kprobe_events ]]; then
	map enable -s a --kprobe 'entry=vfs_write' >/dev/null
	is $? 0 'a probe in the kernel'
	map enable -s a --kprobe 'back=vfs_write%return' 'value=$retval:s64' >/dev/null
	is $? 0 'and of what a function there returns'
	map start a >/dev/null
	dd if=/dev/zero of=/dev/null bs=77 count=300 2>/dev/null
	map stop a >/dev/null
	babeltrace2 a/kernel >text
	ok 'each call is there' test "$(grep -c ' kprobes:entry: ' text)" -ge 300
	ok 'and each return' test "$(grep -c ' kprobes:back: .* value = 77 }' text)" -ge 300
	map enable -s a --kprobe no_such_function_$$ >/dev/null 2>err
	is $? 1 'a function that the kernel has not'
	like "$(<err)" "refuses the probe no_such_function_$$" '... is told'
else
	map enable -s a --kprobe vfs_write >/dev/null 2>err
	is $? 1 'a kernel without probes in itself'
	like "$(<err)" 'has no kprobes.*CONFIG_KPROBE_EVENTS' '... is told'
fi

# As nobody, with a daemon of nobody's own.
chmod 0711 "$TAP_DIR"
mkdir -m 0700 "$TAP_DIR/nobody"
chown 65534 "$TAP_DIR/nobody"
(
	cd nobody || exit 1
	# A user's own daemon has no FUSE, whatever the round asks for.
	unset LTTNGMAP_RUNTIME_DIR LTTNGMAP_MEDIATOR
	export XDG_RUNTIME_DIR=$TAP_DIR/nobody
	setpriv --reuid=65534 --regid=65534 --clear-groups "$LTTNGMAP_BUILD/lttngmap" record \
		--preload none --uprobe "$load:load_work" -- "$load" 1
) >/dev/null 2>err
is $? 125 'somebody who is not root'
like "$(<err)" "kernel events are root's" '... and why'

# ---- what is left -------------------------------------------------------------------------

map start a >/dev/null
group() {
	sed -nE 's,^p:(lttngmap_[^/]*)/work .*,\1,p' $tracefs/dynamic_events
}
its=$(group)
kill -KILL "$(pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR")"
anew() {
	[[ -n $(group) ]] && ! grep -q "$its/" $tracefs/dynamic_events
}
ok 'the daemon is killed: the next one removes its probes, and has them made anew' wait_for anew
map destroy a >/dev/null
one() {
	[[ $(probes) == 1 ]]
}
ok 'which go with the session' wait_for one
map create c -o "$TAP_DIR/c" >/dev/null
map enable -s c --uprobe ./load:load_work >/dev/null
map start c >/dev/null
"$load" 3 >/dev/null
consumer=$(sessiond_consumer)
# Another daemon of root's, of a test beside this one, would remove it as well: not while this is open.
exec 9<"$tracefs/instances/$(map list c --json | python3 -c '
import json, sys
print(json.load(sys.stdin)["sessions"][0]["kernel"]["instance"])')/tracing_on"
sessiond_stop KILL
gone() {
	[[ ! -e /proc/$consumer ]]
}
wait_for gone
is "$(probes)" 2 'supervisor and daemon are killed: a probe is left'
group=$(sed -nE "s,^p:(lttngmap_[^/]*)/load_work $load:.*,\1,p" $tracefs/dynamic_events)
# Its owner lives until it is in use: another daemon of this machine would remove it.
sleep 600 &
dead=$!
used=lttngmap_${dead}_$(cut -d ' ' -f 22 "/proc/$dead/stat")_0123456789abcdef
echo "p:$used/used $load:$offset" >>$tracefs/dynamic_events
user=$tracefs/instances/lttngmap-test-probe-$$
mkdir "$user"
cleanup eval "echo -:$used/used >>$tracefs/dynamic_events"
cleanup rmdir "$user"
echo 1 >"$user/events/$used/used/enable"
kill "$dead"
wait "$dead" 2>/dev/null
exec 9<&-
sessiond_start --consumer=none
left() {
	! grep -q "$group/" $tracefs/dynamic_events
}
ok 'the next daemon removes it' wait_for left
is "$(probes)" 2 'but none that somebody uses'
echo 0 >"$user/events/$used/used/enable"
ok 'which goes when it is let go' wait_for one
sessiond_stop
is "$sessiond_status" 0 'a daemon ends well'
grep -qF "p:test_probe_$$/mine $load:" $tracefs/dynamic_events
is $? 0 "somebody's else is there all the time"
is "$(kernel_machine)" "$before" 'the machine'"'"'s own tracing is as it was'

done_testing
