#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Who watches at the collector, by babeltrace2, sees what is recorded within twice the
# period: of processes that rest and that do not, of new ones, of short ones and of new classes;
# and later when daemon and consumer were killed. It ends when the session does, and has seen all of it,
# once, in order. The same with events of the kernel's beside the program's.
#
#   LTTNGMAP_TEST_SECONDS   how long it is watched (8)

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/relayd.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
utils=$LTTNGMAP_BUILD/tests/utils
seconds=${LTTNGMAP_TEST_SECONDS:-8}
period_ms=3000
export LC_ALL=C LTTNGMAP_SPOOL_DIR=$TAP_DIR/spool LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
mkdir -m 700 "$LTTNGMAP_SPOOL_DIR" "$SESSIOND_DIR"
cd "$TAP_DIR" || exit 1
cleanup relayd_stop KILL
relayd_start
sessiond_start
cleanup sessiond_stop
no_relay() { ! pgrep -f "lttngmap relay .*$LTTNGMAP_SPOOL_DIR"; }
cleanup eval 'pkill -KILL -f "lttngmap relay .*$LTTNGMAP_SPOOL_DIR"'

is "$("$lttngmap" create x --set-url "$RELAYD_URL" --live 10ms 2>&1 | head -1)" \
	"lttngmap: create: --live: '10ms' cannot be used" 'a period that is too short is refused'
like "$("$lttngmap" create x --live 1s 2>&1)" '--live is about a collector' 'so is one without a collector'
do_all "create s --set-url $RELAYD_URL --live ${period_ms}ms" 'channel events --mode blocking' \
	'enable paced:*,numbered:*' 'start'
like "$("$lttngmap" list --json s)" "\"live_ms\": ?$period_ms" 'the list tells of the period'
like "$("$lttngmap" rotate 2>&1)" 'watched' 'it has no chunks'

# Whoever watched has seen all events of it, of which EVENTS were kept.
watched() { # SESSION EVENTS PERIODS
	wait $watching
	diag "it ended $((($(date +%s%N) - stopped) / 1000000)) ms after the session was stopped"
	is "$(<seen.status)" 0 'the viewer ends by itself, with the session' || diag "$(tail -5 seen.err)"
	is "$(<seen.err)" '' 'and has nothing to say'
	is "$(relayed_all "$1" | wc -l)" 1 "one connection did"
	read -r events most <latency
	is "$events" "$2" 'all events that were kept were seen'
	ok "the latest was seen $most ms after it came: no more than $3 periods" \
		test "${most:-99999}" -le $(($3 * period_ms * ${LTTNGMAP_TEST_PATIENCE:-1}))
	ok 'all is sent' wait_for no_relay
	babeltrace2 --clock-seconds --no-delta "$(relayed "$1")" >whole 2>&1
	# While it follows, babeltrace2 (2.0.4) shows the text of an earlier event where one is empty.
	lines() { sed 's/text = "[^"]*"/text/' "$1" | sort; }
	is "$(lines seen | md5sum)" "$(lines whole | md5sum)" 'it is what the collector has, once' ||
		diag "$(diff <(lines seen) <(lines whole) | head)"
	is "$(sort -s -k1,1 seen | md5sum)" "$(md5sum <seen)" 'in order'
}

# ---- watched

sees() { # SESSION
	babeltrace2 -i lttng-live "$RELAYD_LIVE" 2>/dev/null | grep -q "/$1 (timer = ${period_ms}000,"
}
watch() { # SESSION; $watching ends with it, then there are seen, seen.err, seen.status, latency
	ok "$1: the collector has a session that can be watched" wait_for sees "$1"
	{
		stdbuf -oL babeltrace2 --clock-seconds --no-delta -i lttng-live \
			"$RELAYD_LIVE/host/$(hostname)/$1" 2>seen.err
		echo $? >seen.status
	} | python3 "$LTTNGMAP_SRC/tests/utils/live_latency.py" seen >latency &
	watching=$!
}
watch s
mkfifo hold-slow hold-fast
"$utils/paced" 4 slow.log <hold-slow &
"$utils/paced" 500 fast.log <hold-fast &
exec 8>hold-slow 9>hold-fast
: >counts
deadline=$((SECONDS + seconds))
round=0
while ((SECONDS < deadline)); do
	"$utils/emit" counts 2 20
	case $((round++)) in
	5) kill -KILL "$(sessiond_consumer)" ;;
	15) pkill -KILL -P "$sessiond_pid" ;;
	esac
	sleep 0.2 # the pace of the rounds
done
ok 'events are seen while it is recorded' wait_for grep -q 'paced:event.*number = 500 ' seen
ok 'those of a class that came later, too' wait_for grep -q 'numbered:event' seen
exec 8>&- 9>&-
wait_for test -s fast.log
"$lttngmap" stop >out 2>&1 || diag "$(cat out)"
kept=$(sed -n 's/^ *\([0-9,]*\) events kept.*/\1/p' out | tr -d ,)
stopped=$(date +%s%N)
"$lttngmap" destroy >out 2>&1 || diag "$(cat out)"
# With two rounds that were cut short.
watched s "$kept" 3
is "$(ls -A "$LTTNGMAP_SPOOL_DIR")" '' 'nothing is left here'

# ---- programs that rest, or have ended, beside new ones; and one who comes late

do_all "create r --set-url $RELAYD_URL --live ${period_ms}ms" 'channel events' 'enable numbered:*' \
	'start'
"$utils/emit" counts 1 20
begun() { [[ -n $(find "$(relayed r)" -name '*.idx' -size +16c) ]]; }
ok 'what was recorded before somebody watches is there' wait_for begun
watch r
# What has ended before is not for who attaches later.
attached() { [[ $(babeltrace2 -i lttng-live "$RELAYD_LIVE" 2>/dev/null) == *"/r "*'1 client'* ]]; }
ok '  ... and is' wait_for attached
"$utils/emit" counts 1 30
has() { [[ $(wc -l <seen) -ge $1 ]]; }
ok 'a new program is seen when all others have ended' wait_for has 30
"$utils/emit" counts 1 40
ok 'and another one' wait_for has 70
"$lttngmap" stop >out 2>&1
"$lttngmap" destroy >out 2>&1 || diag "$(cat out)"
wait $watching
is "$(<seen.status) $(<seen.err)" '0 ' 'until the end'

# ---- more comes in a period than the spool may hold

do_all "create f --set-url $RELAYD_URL --live ${period_ms}ms --spool-size 16M" \
	'channel events --mode blocking' 'enable numbered:*' 'start'
: >counts
timeout 300 "$utils/emit" counts 2 1000000
is $? 0 'a spool that is full is sent, whatever its time'
"$lttngmap" stop >out 2>&1
like "$(<out)" ' 1,000,000 events kept' 'and nothing is lost'
"$lttngmap" destroy >out 2>&1 || diag "$(cat out)"
ok 'all is sent' wait_for no_relay
is "$(babeltrace2 "$(relayed f)" 2>&1 | wc -l)" 1000000 'and is there'
rm -rf "$(relayed f)"

# ---- with the kernel's events

if [[ $EUID == 0 ]] && [[ -d /sys/kernel/tracing/instances || -d /sys/kernel/debug/tracing/instances ]]; then
	do_all "create k --set-url $RELAYD_URL --live ${period_ms}ms" 'channel events' 'enable paced:*' \
		'enable --kernel sched:sched_process_*,syscalls:sys_enter_*poll' 'start'
	watch k
	"$utils/paced" 100 kernel.log <hold-fast &
	exec 9>hold-fast
	for ((round = 0; round < 10; round++)); do
		/bin/true
		sleep 0.2 # the pace of the rounds
	done
	ok "beside the kernel's, those of a program are seen" wait_for grep -q 'paced:event' seen
	ok "and the kernel's" wait_for grep -q 'sched_process_exec: .*/bin/true' seen
	exec 9>&-
	wait_for test -s kernel.log
	"$lttngmap" stop >out 2>&1 || diag "$(cat out)"
	kept=$(grep -oE '[0-9,]+ events kept' out | tr -d , | awk '{ all += $1 } END { print all }')
	stopped=$(date +%s%N)
	"$lttngmap" destroy >out 2>&1 || diag "$(cat out)"
	watched k "$kept" 2
else
	skip 11 "only root sees the kernel's events, where there is tracefs"
fi
done_testing
