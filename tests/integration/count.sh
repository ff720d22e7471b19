#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap count`: the counts of what a program emits, its status, where they are printed, and that
# nothing stays; a daemon that is killed meanwhile.

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
emit=$LTTNGMAP_BUILD/tests/utils/emit
mkdir "$TAP_DIR/run" "$TAP_DIR/here"
chmod 700 "$TAP_DIR/run"
export XDG_RUNTIME_DIR=$TAP_DIR/run
cd "$TAP_DIR/here" || exit 1

count() {
	: >counts
	timeout 60 "$lttngmap" count "$@"
}
# counts FILE: keys, events and sums of its last line, as CSV
counts() {
	tail -n 1 "$1" | python3 -c '
import json, sys
for key, count, total in json.load(sys.stdin)["counts"]:
    print(f"{key},{count},{total}")'
}
left() {
	find "$TAP_DIR/run" -mindepth 1
	pgrep -f "lttngmap-sessiond.*$TAP_DIR/run"
}

# ---- what is counted
count --json -o out -e numbered:event --by source --sum 'number + 1' -- "$emit" counts 3 300 2>err
is $? 0 'a program is counted' || diag "$(<err)"
is "$(counts out)" $'0,100,5050\n1,100,5050\n2,100,5050' '  ... all of its events, by a key, with a sum'
is "$(<err)" '' '  ... with no message'
is "$(left)" '' '  ... and no daemon, file or folder is left'
is "$(ls)" $'counts\nerr\nout' '  ... nor a trace'
count --json -o out -e numbered:event --filter 'number % 3 == 0' --histogram number -- "$emit" counts 1 90 2>err
is "$(counts out | awk -F, '{ n += $2 } END { print n, NR }')" '30 30' 'a filter, and a histogram' || diag "$(<out)"
count -- "$emit" counts 1 10 >out 2>err
like "$(<err)" '^emit: [0-9,]+ events of [0-9]+ keys?.* numbered:event +10 ' 'without a rule, all events, by name'
# shellcheck disable=SC2016 # contexts are not variables
count --by '$ctx.procname' --sum 1 -e numbered:event -- "$emit" counts 1 10 >out 2>err
like "$(<err)" 'emit: 10 events, sum 10.* emit +10 +10' 'by the name of the process'
deep=$(printf 'd%.0s' {1..60})/$(printf 'e%.0s' {1..60})
mkdir -p "$deep"
touch "$deep"/one "$deep"/two
count -e 'lttngmap_io:*' --filter 'path == "d*"' --by path --json -o out -- cat "$deep"/one "$deep"/two "$deep"/one 2>err
tail -n 1 out | python3 -c '
import json, sys
for key, count, total in sorted(json.load(sys.stdin)["counts"], key=lambda row: row[1]):
    print(count, key["begin"] == sys.argv[1][:94], key["hash"] > 0)' "$deep/one" >said
is "$(<said)" $'1 True True\n2 True True' 'a long string is told by its begin and its hash' || diag "$(<out)" "$(<err)"
count -e 'lttngmap_io:*' --filter 'path == "d*"' --by path -- cat "$deep"/one >out 2>err
like "$(<err)" 'e{33}\.\.\. +1 ' '  ... and shown so'
rm -r d*

# ---- where it is printed
count -e numbered:event --by source -- sh -c "'$emit' counts 2 100; echo of the program" >out 2>err
is "$(tail -n 1 out)" 'of the program' 'standard output is the program'"'"'s'
like "$(<err)" '^sh: 100 events of 2 keys.*KEY +EVENTS.* 0 +50 #+.* 1 +50 #+' '  ... and the table is on standard error'
count -o - -e numbered:event -- "$emit" counts 1 100 >out 2>err
like "$(<out)" 'emit: 100 events of 1 key' 'on standard output where that is asked for'
count -o /nowhere/x -e numbered:event -- touch ran 2>err
is $? 125 'a file that cannot be written'
ok '  ... the program is not run' test ! -e ran
like "$(<err)" 'count: cannot write /nowhere/x: No such file' '  ... and why is told'
# sleeps: the program lasts a few periods
count --every 200ms -e numbered:event -- sh -c "'$emit' counts 1 100; sleep 1; '$emit' counts 1 50" >out 2>err
is "$(grep '^sh: ' err | tail -n 1)" 'sh: 150 events of 1 key' 'so often as is asked for'
ok '  ... while the program runs' test "$(grep -c 'sh: 100 events' err)" -ge 2

# ---- statuses
count -e 'numbered:*' -- sh -c "'$emit' counts 1 5; exit 7" 2>err
is $? 7 'the status is the program'"'"'s'
# shellcheck disable=SC2016 # the shell to be killed
count -e 'numbered:*' -- sh -c 'kill -TERM $$' 2>err
is $? 143 '  ... or its signal'
refused() { # NAME STATUS WANTED ARGUMENT...
	count "${@:4}" >out 2>err
	is $? "$2" "$1" || diag "$(<err)"
	like "$(<err)" "$3" '  ... why'
}
refused 'no program' 125 'no command to run' --by a
refused 'a program that is not there' 127 'command not found' -- no-such-program
refused 'no rule' 125 "'a' is not a rule" -e a -- true
refused 'both kinds' 125 'not both' --by a --histogram b -- true
refused 'no time' 125 "'soon' cannot be used" --every soon -- true
refused 'an expression that is none' 125 'ends here, but a value has to follow' --by 'a +' -- true
is "$(left)" '' 'nothing is left'
refused 'a rule that matches nothing' 0 "no event matched the rule 'numbered:evnt'.*did you mean 'numbered:event'" \
	-e numbered:evnt -- "$emit" counts 1 5
refused 'a program without tracepoints' 0 'nothing traced' -e 'numbered:*' -- true

# ---- whatever becomes of processes and threads
export NUMBERED_COUNTS=$PWD/counts NUMBERED_PLUGIN=$LTTNGMAP_BUILD/tests/utils/.libs/numbered-plugin.so
for name in fork clone vfork exec-self daemon dlopen raw-clone clone-vfork; do
	count --follow --json -o out -e numbered:event --by source -- \
		"$LTTNGMAP_BUILD/tests/utils/processes" $name 40 >said 2>err
	status=$?
	[[ $status != 77 ]] || { skip 1 "$name: $(head -n 1 said)" && continue; }
	like "$(counts out | "$LTTNGMAP_SRC/tests/utils/count_sources.py" counts)" '^[1-9][0-9]* sources$' \
		"$name, 40 times: each source has its events" || diag "$(<err)"
done
count --json -o out -e numbered:event --by source -- "$emit" counts 64 6400 2>err
is "$(counts out | grep -c ,100,)" 64 '64 threads'

# ---- what outlives the program, and the daemon
count --follow --json -o out -e numbered:event --by source -- \
	sh -c "(sleep 0.5; # when its parent has ended
		'$emit' counts 2 70) >/dev/null 2>&1 &" 2>err
is "$(counts out)" $'0,35,0\n1,35,0' 'descendants are counted'
cat >kills <<-EOF
	'$emit' counts 1 40
	daemon=\$(pgrep -f "lttngmap-sessiond.*--runtime-dir.* \$LTTNGMAP_RUNTIME_DIR" | tail -n 1)
	kill -KILL "\$daemon"
	sleep 1 # the daemon is started again
	'$emit' counts 1 2
EOF
count --json -o out -e numbered:event --by source -- sh ./kills 2>err
is "$(counts out)" $'0,40,0\n1,2,0' 'a daemon that is killed loses no count' || diag "$(<err)"
is "$(left)" '' 'nothing is left'
done_testing
