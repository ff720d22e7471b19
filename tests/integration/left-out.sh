#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Nobody is left out unsaid: programs under `record` wait for the daemon, and whoever is not
# traced all the same is counted once, and named. The oracle is the recorded script, which
# says how many processes it starts, and stops the daemon while it does.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

need_plain

# What waits for as long as it takes would hide what is tested here.
unset LTTNGMAP_ALLOW_BLOCKING
lttngmap=$LTTNGMAP_BUILD/lttngmap
mkdir -m 700 "$TAP_DIR/run-here"
export XDG_RUNTIME_DIR=$TAP_DIR/run-here
cd "$TAP_DIR" || exit 1

traced() { sed -n 's/^lttngmap: \([0-9]*\) process\(es\)* traced,.*/\1/p' err; }
left_out() { sed -En 's/^lttngmap: (nothing traced: )?([0-9]+ process.* not traced.*)/\2/p' err; }

# recorded SCRIPT OPTION...: by `sh`, whose first process it is.
recorded() {
	local script=$1

	shift
	rm -rf trace
	timeout 60 "$lttngmap" record -o trace --preload libc "$@" -- sh "$script" >stdout 2>err </dev/null
}

# The daemon is the child of its keeper, which is a child of record, as the script is.
cat >stopped.sh <<'END'
keeper=$(pgrep -P $PPID -f lttngmap-sessiond)
daemon=$(pgrep -P $keeper -f lttngmap-sessiond)
echo $daemon >stopped
kill -STOP $daemon
END

# 40 at once, while the daemon does nothing for half a second: five times what they waited once.
{
	cat stopped.sh
	echo 'i=0; while [ $i -lt 40 ]; do ls / >/dev/null & i=$((i + 1)); done; wait'
} >busy.sh
go_on() {
	wait_for test -s stopped
	sleep 0.5
	kill -CONT "$(<stopped)"
}
go_on &
recorded busy.sh
wait $!
# The script, two pgrep, 40 ls.
is "$(traced)" 43 'a daemon that is busy for half a second: all of 40 programs are traced' ||
	diag "$(<err)"
is "$(left_out)" '' '  ... and nobody is named'

# The daemon is stopped for as long as they wait.
{
	cat stopped.sh
	echo 'i=0; while [ $i -lt 20 ]; do ls / >/dev/null & i=$((i + 1)); done; wait'
	echo 'uname >/dev/null; uname >/dev/null; kill -CONT $daemon; id >/dev/null; id >/dev/null'
} >late.sh
recorded late.sh --register-timeout 100ms
is "$(left_out)" '22 processes not traced: ls (20), uname (2)' \
	'a daemon that is stopped: who gives up is counted, and named'
# Of the fork that the shell makes for it, each program is the same process.
is "$(traced)" 5 '  ... each process once: the script, two pgrep, two id' || diag "$(<err)"
like "$("$lttngmap" view trace 2>&1 >/dev/null)" 'processes not traced: ls \(20\), uname \(2\)' \
	'  ... by view'
like "$("$lttngmap" report --output page.html trace 2>&1)" \
	'processes not traced: ls \(20\), uname \(2\)' '  ... by report'
ok '  ... and babeltrace2 reads it' babeltrace2 trace

# Its libraries are taken from a program that is executed by one that was traced.
echo 'true $(echo 1); exec env -u LD_PRELOAD sleep 0.3' >other.sh
recorded other.sh
is "$(left_out)" '1 process not traced: sleep (1)' 'a program that loads no library is named'

# Few descriptors: those that are refused come again while there is time.
echo 'i=0; while [ $i -lt 16 ]; do sleep 0.1 & i=$((i + 1)); done; wait' >many.sh
(ulimit -n 90 && recorded many.sh --register-timeout 20s)
is "$(traced) $(left_out)" '17 ' 'for want of descriptors: all are traced in the end' ||
	diag "$(grep -v 'is not served' err)"
(ulimit -n 40 && recorded many.sh --register-timeout 50ms)
sum=$(left_out)
is $(($(traced) + 10#0${sum%% *})) 17 '  ... or without that time, traced and not traced make all'
like "$sum" '[0-9]+ processes not traced: (sleep|sh) \(' "  ... ($(traced) and $sum)"

# In a session of a daemon's own nobody waits so long.
sessiond_start
cleanup sessiond_stop
do_all "create s --runtime-dir $SESSIOND_DIR -o $TAP_DIR/s" \
	"enable --runtime-dir $SESSIOND_DIR lttng_ust_libc:*" "start --runtime-dir $SESSIOND_DIR"
daemon=$(pgrep -P "$sessiond_pid" -f lttngmap-sessiond)
kill -STOP "$daemon"
for _ in 1 2 3; do
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR LD_PRELOAD=$LTTNGMAP_PLAIN/.libs/liblttngmap-libc.so uname >/dev/null
done
kill -CONT "$daemon"
named() {
	"$lttngmap" "$@" --runtime-dir "$SESSIOND_DIR" 2>&1 | grep -q '3 processes not traced: uname (3)'
}
ok 'status names them' wait_for named status
ok '  ... and top' named top --once
like "$("$lttngmap" status --json --runtime-dir "$SESSIOND_DIR")" \
	'"not_traced": 3,.*"untraced": \[ \{ "name": "uname", "count": 3, "why": "late" \} \]' '  ... and JSON'
kill -KILL "$daemon"
ok '  ... and the next life of the daemon' wait_for named status
ok '  ... and stop' named stop

done_testing
