#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap record --kernel`: the program's events and the kernel's by one clock, the
# kernel's as the kernel itself shows them, and what is lost of them counted.

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/started-daemon.sh"
. "$LTTNGMAP_SRC/tests/utils/kernel.sh"

load=$LTTNGMAP_PLAIN/tests/utils/kernel-load
utils=$LTTNGMAP_SRC/tests/utils
mkdir -m 700 "$TAP_DIR/run"
export XDG_RUNTIME_DIR=$TAP_DIR/run
cd "$TAP_DIR" || exit 1

record() { # OUTPUT ARGUMENT...
	rm -rf "$1"
	"$LTTNGMAP_BUILD/lttngmap" record --preload none -o "$@"
}
value() { # KEY FILE
	sed -n "s/^$1 //p" "$2"
}

# ---- by one clock

writes=10000
# A program waits 100 ms for the daemon, which may be too short on a loaded machine, and is told.
for ((tries = 0; tries < 5; tries++)); do
	record both --kernel 'syscalls:sys_*_write' -- "$load" writes $writes >pid 2>err
	status=$?
	grep -qE 'did not (wait for an answer|answer them in time)' err || break
done
is $status 0 'the status of the program'
like "$(<err)" 'the kernel: [0-9,]+ events kept, 0 lost; .* in [0-9]+ streams?, in ' \
	'the summary tells what is of the kernel'
is "$(grep -c preload err)" 0 'nobody is told to preload who wants the kernel alone'
# By the threads, whose names are learned on the way: all these are of the program.
is "$("$LTTNGMAP_BUILD/lttngmap" view both -p "$(<pid)" -e sys_enter_write | wc -l)" \
	"$(babeltrace2 both/kernel | grep -c "sys_enter_write: .*common_pid = $(<pid),")" "view knows the kernel's events of a process"
# A thread's calls are those of its process, which the program's own events know by the thread.
cat >threads.py <<'END'
import os, threading

def work():
    kept = [bytearray(1000) for _ in range(100)]
    for _ in range(100):
        os.getppid()

work()
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(os.getpid())
END
rm -rf threads
"$LTTNGMAP_BUILD/lttngmap" record -q -o threads --preload libc --kernel syscalls:sys_enter_getppid --kernel-pid program -- \
	python3 threads.py >pid.threads 2>err.threads
is "$("$LTTNGMAP_BUILD/lttngmap" view threads -e sys_enter_getppid -p 'python3*' | grep -c " python3[.0-9]* $(<pid.threads) cpu")" 200 \
	"view names a thread's process for the kernel's events"
like "$(<err)" "$([[ $kernel_mapped == True ]] && echo 'both$' || echo '\(read: Linux before')" \
	'and whether its rings are mapped'
babeltrace2 both >text 2>"said"
is "$(<said)" '' 'babeltrace2 merges both traces and has nothing to say'
is "$(python3 "$utils/kernel_order.py" "$(<pid)" <text)" $writes \
	"each of $writes writes is between the events around it, its entry before its exit"
is "$(grep -c 'domain = "kernel"' both/kernel/metadata)" 1 'it is a kernel trace'

# ---- as the kernel itself shows it, of an instance beside it

# Of this shell and all that it starts.
events='syscalls:* sched:* signal:* task:* raw_syscalls:* ipi:*'
instance=$tracefs/instances/lttngmap-test-record-$$
mkdir "$instance" || exit 1
cleanup rmdir "$instance"
cleanup eval "echo 0 >$instance/events/enable"
echo 16384 >"$instance/buffer_size_kb"
echo 1 >"$instance/options/event-fork"
echo $$ >"$instance/set_event_pid"
for event in $events; do
	# Older kernels lack some, which is told; then ours have none of these either.
	[[ -d $instance/events/${event%:*} ]] || events=${events/ "$event"/}
done
for event in $events; do
	echo 1 >"$instance/events/${event%:*}/enable"
done
mkdir files
record same --kernel "${events// /,}" --kernel-pid program --kernel-buffer 16M -- "$load" calls "$PWD/files" >pid 2>err
echo 0 >"$instance/tracing_on"
like "$(<err)" 'events kept, 0 lost' 'nothing is lost in large buffers'
cat "$instance/trace" >plain
shows_fields=true
{ echo 1 >"$instance/options/fields"; } 2>/dev/null || shows_fields=false
cat "$instance/trace" >fields
babeltrace2 same/kernel >text 2>"said"
is "$(<said)" '' 'babeltrace2 has nothing to say'
# Its process is there before the events are: both from where it becomes the program.
from_program() { # FILE MARK
	awk -v mark="$2" 'index($0, mark) && /sys_(enter_)?execve/ { begun = 1 } begun || !index($0, mark)' "$1" >./cut
	mv ./cut "$1"
}
from_program plain "-$(<pid) "
from_program fields "-$(<pid) "
from_program text "common_pid = $(<pid),"
if $shows_fields; then
	ok 'its events are those of another instance, each with the same values' \
		eval "python3 '$utils/kernel_compare.py' $(<pid) fields plain text | tee compared; exit \${PIPESTATUS[0]}"
	diag "$(head -n 6 compared | tr '\n' ',')"
else
	# kernel-records compares with what libtraceevent reads, on any kernel.
	skip 1 "Linux $(uname -r) does not show the fields of its events"
fi
# What each event has is in the columns, or nobody's concern; a thread's number is where it is another one.
"$LTTNGMAP_BUILD/lttngmap" view both -e 'sys_*_write' >shown
ok 'view shows kernel events' test -s shown
is "$(grep -c ' common_' shown)" 0 '  ... without what all of them have'
like "$("$LTTNGMAP_BUILD/lttngmap" view both -e 'sys_*_write' --fields common_pid | tail -n 1)" ' common_pid=[0-9]+$' \
	'  ... unless it is asked for'
like "$("$LTTNGMAP_BUILD/lttngmap" view both -e 'sys_*_write' --json | tail -n 1)" '"common_flags":' '  ... or in JSON'
is "$("$LTTNGMAP_BUILD/lttngmap" view threads -e sys_enter_getppid -p 'python3*' | grep -c ' common_pid=[0-9]* ')" 100 \
	'  ... and the number of a thread that is not the first one'
# No event of the program's own, nor one of the scheduler's, says who the threads are.
record named --kernel 'syscalls:*' --kernel-pid program -- sh -c 'ls / >/dev/null; :' 2>err
"$LTTNGMAP_BUILD/lttngmap" view named -p ls -e 'sys_enter_*' >shown 2>err
ok "a program's kernel events are found by its name" test "$(wc -l <shown)" -gt 20
diag "$(<err)"
is "$(grep -vc ' ls tid=[0-9]* cpu' shown)" 0 '  ... and show it'
like "$(<shown)" 'sys_enter_getdents64' '  ... those that it makes itself'
is "$("$LTTNGMAP_BUILD/lttngmap" view named -p ls | grep -c 'sys_enter_execve ')" 0 '  ... and none from before it had the name'
ok 'report chooses them' "$LTTNGMAP_BUILD/lttngmap" report -p ls -o named.html named
"$LTTNGMAP_BUILD/lttngmap" export named -p ls --json - >exported
is "$(grep -c sys_enter_ exported)" "$(wc -l <shown)" '  ... and export'
# By whom they are, in each format.
expected=$("$LTTNGMAP_BUILD/lttngmap" view named -p ls | wc -l)
"$LTTNGMAP_BUILD/lttngmap" export named --chrome - 2>err | python3 "$utils/programs_of.py" ends >programs
is "$(grep '^ls ' programs)" "ls $expected" 'a chrome export has them in the process'
is "$(grep -c 'no slices' err)" 0 '  ... as slices of its threads, though no context tells these'
"$LTTNGMAP_BUILD/lttngmap" report -o named.html named 2>err
python3 "$utils/programs_of.py" page <named.html >programs
is "$(grep '^ls ' programs)" "ls $expected" '  ... and so has the page'
like "$(<programs)" 'sh [0-9]+' '  ... and those of the shell, with its name'
record named --kernel 'task:task_rename' --kernel-pid program -- ls / 2>err
is "$(babeltrace2 named/kernel | grep -c task_newtask)" 0 'rules for tasks are taken as they are'
# Not what record itself writes: here nobody else does.
"$LTTNGMAP_BUILD/lttngmap" record -o one --kernel syscalls:sys_enter_write --kernel-pid program -- true 2>err
is "$(babeltrace2 one/kernel | grep -c sys_enter_write)" 0 'what record itself does is not the program'"'"'s'
# Who starts a process, and who is started.
sed -nE 's/.* task:task_newtask: .* common_pid = ([0-9]+), pid = ([0-9]+),.*/\1\n\2/p' text | sort -u >family
sed -nE 's/.* syscalls:.* common_pid = ([0-9]+),.*/\1/p' text | sort -u >callers
ok 'processes that the program starts are followed' test "$(wc -l <callers)" -gt 5
is "$(comm -23 callers family)" '' 'and no other process is'
if $shows_fields; then
	ok "of $(value classes compared) classes" test "$(value classes compared)" -ge 20
	ok 'of which integers' test "$(value integers compared)" -gt 1000
	ok 'strings' test "$(value strings compared)" -gt 20
	ok 'and arrays were compared' test "$(value arrays compared)" -gt 100
else
	skip 4 "Linux $(uname -r) does not show the fields of its events"
fi
# To one other CPU, which is all that a machine of two has, the kernel sends without a mask.
if ! $shows_fields; then
	skip 1 "Linux $(uname -r) does not show the fields of its events"
elif (($(nproc) > 2)); then
	ok 'and arrays of a length of their own' test "$(value masks compared)" -gt 0
else
	skip 1 "$(nproc) CPUs: the kernel's arrays of numbers that have a length of their own want three"
fi

# ---- more than the buffers hold

# The consumer of this recording is stopped meanwhile.
cat >flood <<'END'
for process in /proc/[0-9]*; do
	[[ $(tr '\0' ' ' 2>/dev/null <"$process/cmdline") != *lttngmap-consumerd*"$XDG_RUNTIME_DIR"* ]] ||
		consumer=${process#/proc/}
	[[ $(tr '\0' ' ' 2>/dev/null <"$process/cmdline") != *lttngmap-sessiond*"$XDG_RUNTIME_DIR"* ]] ||
		echo "${process#/proc/}" >>daemons
done
ls -d /sys/kernel/tracing/instances/lttngmap-*-record >instances
kill -STOP "$consumer" && "$1" writes "$2"
kill -CONT "$consumer"
END
writes=30000
record flood.trace --kernel syscalls:sys_enter_write \
	--kernel-filter 'count > 70000 && count <= 71000' --kernel-buffer 256K \
	-- bash flood "$load" $writes >pid 2>err
kept=$(sed -nE 's/.*the kernel: ([0-9,]+) events? kept, .*/\1/p' err | tr -d ,)
lost=$(sed -nE 's/.*the kernel: .* kept, ([0-9,]+) lost.*/\1/p' err | tr -d ,)
diag "kept $kept, lost $lost"
ok 'of a flood some are kept and some lost' test "${kept:-0}" -gt 0 -a "${lost:-0}" -gt 0
is $((kept + lost)) $writes 'as many as there were'
like "$(<err)" "lost: [0-9,]+ events of the kernel's.*--kernel-buffer" 'which is told, with what to do'
babeltrace2 flood.trace/kernel >text 2>"said"
is "$(grep -c sys_enter_write text)" "$kept" 'babeltrace2 finds those that were kept'
like "$("$LTTNGMAP_BUILD/lttngmap" report --text flood.trace | tr -d ,)" "lost: 0 events discarded 0 overwritten .of [0-9]+.; $lost of the kernel's lost" \
	'report tells how many were lost'
is "$("$LTTNGMAP_BUILD/lttngmap" report --text flood.trace | grep -c 'at least 0')" 0 '  ... and no unknown number as 0'
like "$(<said)" 'discarded' 'and that others were lost'

instances=$(grep -E -- "-($(paste -sd '|' daemons))-[0-9]+-record\$" instances)
is "$(wc -l <<<"$instances")" 1 'it has one instance of tracefs'
ok 'which goes with it' test -n "$instances" -a ! -e "$instances"

# ---- in sessions of a daemon

export LTTNGMAP_RUNTIME_DIR=$TAP_DIR/sessions
map() {
	"$LTTNGMAP_BUILD/lttngmap" "$@"
}
member() { # KEY...: of the JSON that comes
	python3 -c '
import json, sys
thing = json.load(sys.stdin)
for key in sys.argv[1:]:
    thing = thing[int(key) if key.isdigit() else key]
print(thing)' "$@"
}
# shellcheck disable=SC2317 # By cleanup.
stop_daemon() {
	export LTTNGMAP_RUNTIME_DIR=$TAP_DIR/sessions
	map destroy s >/dev/null 2>&1
	started_daemon_end
}
map create s -o "$TAP_DIR/session" >/dev/null 2>err
started_daemon "$(<err)"
is $? 0 'a session'
cleanup stop_daemon
like "$(map enable --kernel 'sched:sched_switch,syscalls:sys_*_write')" \
	'of the kernel.*as rule 1; events that match: 3' 'rules for the kernel are enabled'
ok 'with a filter in its language' map enable --kernel sched:sched_waking --filter 'prio < 130'
map enable --kernel 'sched:*' --loglevel INFO >/dev/null 2>err
is $? 2 'a level is none of it'
like "$(<err)" 'goes with --filter only' '... which is told'
ok 'it is started' map start s
"$load" writes 1000 >pid
like "$(map list s)" 'rule 1: sched:sched_switch.*rule 2: sched:sched_waking, if prio < 130' \
	'list shows them'
is "$(map list s --json | member sessions 0 kernel rules 1 filter)" 'prio < 130' '... as JSON, too'
like "$(map stop s)" "of the kernel's: [0-9,]+ events kept" 'stop tells what was kept'
kept=$(map status s --json | member kernel events)
is "$(map status s --json | member kernel mapped)" $kernel_mapped 'whether they are mapped'
is "$(babeltrace2 session/kernel | wc -l)" "$kept" 'as many as there are'
is "$(babeltrace2 session/kernel | grep -c "common_pid = $(<pid),.* count = 7[01]...* }")" 1000 \
	'those of the program among them'
like "$(map save s 2>&1 >saved)" 'records events of the kernel' 'save tells what no file holds'
is "$(member sessions 0 session <saved)" s 'and writes the rest'
instance=$tracefs/instances/$(map status s --json | member kernel instance)
ok 'it has an instance' test -d "$instance"
ok 'it is destroyed' map destroy s
for ((tries = 0; tries < 1200; tries++)); do
	[[ -e $instance ]] || break
	sleep 0.05
done
ok 'and its instance with it' test ! -e "$instance"
unset LTTNGMAP_RUNTIME_DIR

# ---- what is refused

refused() { # NAME REGEX ARGUMENT...
	record refused.trace "${@:3}" -- true 2>err
	is $? 125 "$1: status 125"
	like "$(<err)" "$2" '... and why'
	ok '... nothing is left' test ! -e refused.trace
}
refused 'an event that there is not' "no event 'sched:nothing'" --kernel sched:nothing
refused 'what is no rule' 'SYSTEM:NAME' --kernel sched
refused 'a filter before its rule' 'stands before' --kernel-filter 'a == 1' --kernel 'sched:*'
refused 'two filters for a rule' 'a second one' --kernel 'sched:*' --kernel-filter 'a == 1' \
	--kernel-filter 'b == 1'
refused 'what is no process' 'no process id' --kernel 'sched:*' --kernel-pid 1,x
refused 'what is no size' 'not a size' --kernel 'sched:*' --kernel-buffer much
refused 'processes without events' 'go with --kernel' --kernel-pid 1
refused 'a filter that no event understands' 'wrong for sched:sched_switch: Field not found' --kernel sched:sched_switch \
	--kernel-filter 'prev_prio == 1 || nonsense == 1'
like "$(<err)" 'prev_prio == 1 \|\| nonsense == 1
lttngmap: {30}\^' '... with the place in it'
is "$(grep -o cannot err | wc -l)" 1 '... and nothing is said twice'

done_testing
