#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The session daemon ends in order, or is killed: the next one records the kernel's events by the
# same rules, into a trace beside the earlier one, and says what it could not have again.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/kernel.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
. "$LTTNGMAP_SRC/tests/utils/relayd.sh"
[[ -e $tracefs/uprobe_events ]] || skip_all 'this kernel has no uprobes (CONFIG_UPROBE_EVENTS)'

unset LD_PRELOAD
cd "$TAP_DIR" || exit 1
cp "$LTTNGMAP_PLAIN/tests/utils/probe-load" load
cp load gone
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
sessiond_sessions=()
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
# What list says, but for the instance, which is another one.
rules() {
	map list "$1" --json | sed -E 's/"instance": *"[^"]*"//'
}
events() { # TRACE NAME
	babeltrace2 "$1" 2>said | grep -c " $2: "
}
# Is the event recorded in the session's instance? Its group is called after that.
on() { # SESSION NAME
	local instance

	instance=$tracefs/instances/$(map list "$1" --json | sed -nE 's/.*"instance": *"([^"]*)".*/\1/p')
	[[ $(cat "$instance"/events/lttngmap_*/"$2"/enable) == *1* ]]
}
killed() {
	local keeper=$sessiond_pid daemon

	daemon=$(pgrep -P "$keeper" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR")
	kill -KILL "$daemon"
	wait_for are_gone "$daemon"
	wait_for control
}
sessiond_start
cleanup sessiond_stop

# ---- the same rules -----------------------------------------------------------------------

map create s -o "$TAP_DIR/s" >/dev/null
control '{"verb": "kernel", "session": "s", "buffer_size": 1048576}' >/dev/null
map enable -s s --uprobe ./load:load_work >/dev/null
map enable -s s --uprobe ./load:load_steps >/dev/null
map enable -s s --kernel sched:sched_process_fork --filter 'child_pid == 1' >/dev/null
map enable -s s --kernel 'sched:sched_process_ex*' >/dev/null
map disable -s s --kernel uprobes:load_steps >/dev/null
map disable -s s --kernel 'sched:sched_process_ex*' >/dev/null
map start s >/dev/null
./load 10 >/dev/null
before=$(rules s)
sessiond_stop
is "$sessiond_status" 0 'the daemon ends in order'
./load 5 >/dev/null
sessiond_start
ok 'the next one records the probe again' wait_for on s load_work || bail_out 'nothing is recorded again'
is "$(rules s)" "$before" '... by the same rules, under the same numbers, in buffers of that size'
like "$(control '{"verb": "status", "session": "s"}')" \
	'kernel events from here on are in [^ ]*kernel-2, for the session daemon ended' '... and says where'
./load 20 >/dev/null
ok 'a disabled one can be enabled' map enable -s s --uprobe ./load:load_steps
wait_for on s load_steps
./load 40 >/dev/null
map stop s >/dev/null
is "$(events s/kernel uprobes:load_work) $(<said)" '10 ' 'the first trace is whole'
is "$(events s/kernel-2 uprobes:load_work) $(<said)" '60 ' '... and the second one'
is "$(events s uprobes:load_steps) $(<said)" '40 ' '... and both are read as one'
is "$(map status s --json | member kernel events)" 110 'status counts the events of both'

# ---- a kill ---------------------------------------------------------------------------------

map start s >/dev/null
./load 80 >/dev/null
map stop s >/dev/null
map start s >/dev/null
killed
ok 'killed: its next life records, too' wait_for on s load_work
like "$(control '{"verb": "status", "session": "s"}')" \
	'kernel events from here on are in [^ ]*kernel-3, for the session daemon was killed' '... and says where'
./load 160 >/dev/null
map stop s >/dev/null
is "$(events s/kernel-2 uprobes:load_work) $(events s/kernel-3 uprobes:load_work)" '140 160' \
	'what it recorded before is there'
sessiond_stop
sessiond_start
is "$(map list s --json | member sessions 0 active)" False 'one that is stopped stays so'
map start s >/dev/null
wait_for on s load_work
./load 320 >/dev/null
map stop s >/dev/null
is "$(events s/kernel-4 uprobes:load_work)" 320 '... and can be started'
map destroy s >/dev/null
cleanup relayd_stop
relayd_start
ok 'all of them are sent' timeout 60 "$LTTNGMAP_BUILD/lttngmap" relay "$RELAYD_URL" s
babeltrace2 s >here.text
babeltrace2 "$(relayed s)" >there.text
ok '... and are the same there' cmp here.text there.text
is "$(grep -c ' uprobes:load_work: ' there.text)" 630 '... each event that was recorded'

# ---- some processes alone ---------------------------------------------------------------------

mkfifo in
# A shell that is recorded, and one that it starts, which outlives it.
sh -c 'read line <&3; sh -c "while read line <&3; do ./load \$line >/dev/null; done; echo >ended" & wait' 3<in &
shell=$!
exec 7>in
map create p -o "$TAP_DIR/p" >/dev/null
control '{"verb": "kernel", "session": "p", "pids": ['$shell']}' >/dev/null
map enable -s p --uprobe ./load:load_work >/dev/null
map start p >/dev/null
echo begin >&7
kill_shell() {
	[[ -n $(pgrep -P "$shell") ]] && kill -KILL "$shell"
}
wait_for kill_shell
sessiond_stop
sessiond_start 7>&-
wait_for on p load_work
./load 7 >/dev/null
echo 30 >&7
exec 7>&-
ok 'a process that was started by one of these ends' wait_for test -e ended
map stop p >/dev/null
is "$(events p uprobes:load_work)" 30 '... is recorded, and others are not'
map destroy p >/dev/null

# ---- what cannot be had again -------------------------------------------------------------------

map create g -o "$TAP_DIR/g" >/dev/null
map enable -s g --uprobe gone=./gone:load_work >/dev/null
map enable -s g --uprobe ./load:load_work >/dev/null
map start g >/dev/null
sessiond_stop
rm gone
sessiond_start
ok 'a probe whose file is gone keeps no other from being there' wait_for on g load_work
like "$(control '{"verb": "status", "session": "g"}')" \
	'kernel events of gone are not recorded any more, since the session daemon ended: ' '... and is named'
map stop g >/dev/null
sessiond_stop
sessiond_before=(unshare --mount bash -c "umount -l $tracefs; exec \"\$@\"" --)
sessiond_start
like "$(control '{"verb": "status", "session": "g"}')" \
	'kernel events of all rules are not recorded any more.*tracefs is not mounted' 'without tracefs, all are named'
sessiond_stop
sessiond_before=()
sessiond_start
map start g >/dev/null
ok 'the next daemon that has it records again' wait_for on g load_work
map destroy g >/dev/null
done_testing
