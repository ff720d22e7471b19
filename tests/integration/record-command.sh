#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap record` and the program that it runs, with a daemon that only
# plays one: status, signals, environment, what the daemon is asked for.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
mkdir "$TAP_DIR/run" "$TAP_DIR/here"
chmod 700 "$TAP_DIR/run"
export XDG_RUNTIME_DIR=$TAP_DIR/run
export LTTNGMAP_SESSIOND=$LTTNGMAP_SRC/tests/utils/fake-sessiond
export FAKE_SESSIOND_LOG=$TAP_DIR/log
export FAKE_SESSIOND=
unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
cd "$TAP_DIR/here" || exit 1

record() {
	rm -f "$FAKE_SESSIOND_LOG"
	"$lttngmap" record --preload none "$@"
}

left() {
	find "$TAP_DIR/run" -mindepth 1
	# The fake daemon's number is in its log.
	[[ -e $FAKE_SESSIOND_LOG ]] && kill -0 "$(asked 0 pid)" 2>/dev/null && echo 'a daemon'
	return 0
}

# asked LINE KEY...: a value in the daemon's log.
asked() {
	python3 -c '
import json, sys
thing = json.loads(open(sys.argv[1]).read().splitlines()[int(sys.argv[2])])
for key in sys.argv[3:]:
    thing = thing[int(key) if key.isdigit() else key]
print(thing)' "$FAKE_SESSIOND_LOG" "$@"
}

# ---- status
record -o a -- true 2>err
is $? 0 'the status of true'
is "$(left)" '' 'nothing left running or lying'
ok 'the directory stays' test -d a/ust
like "$(<err)" '2 processes traced, 1,234 events kept, 0 lost' 'the summary tells events'
like "$(<err)" '55.5 KiB in 3 streams, in .*/here/a' 'the summary tells bytes and directory'
record -o b -- sh -c 'exit 37' 2>err
is $? 37 'the status of the program'
record -o c -- sh -c 'kill -9 $$' 2>err
is $? 137 '128 + 9 for SIGKILL'
record -q -o d -- sh -c 'kill -SEGV $$' 2>err
is $? 139 '128 + 11 for SIGSEGV'
is "$(<err)" '' '--quiet says nothing'
FAKE_SESSIOND=lost record -q -o e -- true 2>err
like "$(<err)" 'lost: 17 discarded.*--subbuf-size' '--quiet tells what was lost'
FAKE_SESSIOND=alive record -o f -- true 2>err
like "$(<err)" '1 traced process is still running' 'who still runs is told'

# ---- directories
record -o a -- true 2>err
is $? 125 'a directory that holds something is refused'
like "$(<err)" "'a' is not empty" 'and said'
mkdir empty
record -o empty -- true 2>err
is $? 0 'an empty one is taken'
touch file
record -o file -- true 2>err
is $? 125 'a file is refused'
if [[ $EUID == 0 ]]; then
	record -o /proc/out -- true 2>err
else
	mkdir closed && chmod 555 closed
	record -o closed/out -- true 2>err
fi
is $? 125 'an unwritable place is refused'
like "$(<err)" 'cannot make the directory.*-o DIR' 'and said'
is "$(left)" '' 'nothing left of it'
record -- true 2>err
record -- true 2>err
like "$(echo true-*)" '^true-[0-9]{8}-[0-9]{6} true-[0-9]{8}-[0-9]{6}(-2)?$' \
	'default names: program, date and time, never twice the same'

# ---- nothing traced
cat >still.c <<-'EOF'
	int main(void) { return 5; }
EOF
if "${LTTNGMAP_CC:-cc}" -static -o still still.c 2>/dev/null; then
	FAKE_SESSIOND=static record -o g -- ./still 2>err
	is $? 5 'a static program keeps its status'
	like "$(<err)" 'nothing traced: ./still is statically linked' 'and the reason is said'
	ok 'no directory stays' test ! -e g
	printf '#!%s/still\n' "$PWD" >script && chmod +x script
	FAKE_SESSIOND=static record -o g -- ./script 2>err
	like "$(<err)" 'nothing traced: .*/still is statically' 'also for an interpreter'
else
	skip 4 'no static libc here'
fi

# ---- what the program sees
record -o h -- sh -c 'echo "$LTTNGMAP_RUNTIME_DIR|$LTTNGMAP_ALLOW_BLOCKING|$LD_PRELOAD"' >out 2>err
like "$(<out)" "^$TAP_DIR/run/lttngmap-......\|\|\$" 'the environment'
record -o i --mode blocking -- sh -c 'echo "$LTTNGMAP_ALLOW_BLOCKING"' >out 2>err
is "$(<out)" 1 'blocking is allowed where asked for'
ls -l /proc/self/fd >/dev/null
python3 -c 'import os; print(sorted(os.listdir("/proc/self/fd")))' >expected
record -o j -- python3 -c 'import os; print(sorted(os.listdir("/proc/self/fd")))' >out 2>err
is "$(<out)" "$(<expected)" 'no descriptor more'
cat >open.c <<-'EOF'
	#include <fcntl.h>
	int main(void)
	{
		int open = 0;

		for (int fd = 0; fd < 7; fd++)
			open |= (fcntl(fd, F_GETFD) >= 0) << fd;
		return open;
	}
EOF
"${LTTNGMAP_CC:-cc}" -o open open.c || bail_out 'no C compiler'
record -q -o without -- ./open <&- >&- 2>&- 3>&- 4>&- 5>&- 6>&-
is $? 0 'descriptors that were closed stay closed'
record -q -o kept -- ./open 2>err 3>&- 4>&- 5>/dev/null 6>&-
is $? $((1 + 2 + 4 + 32)) 'and those that were open open'
# Of all signals but 32 and 33, which are libc's: as soon as there is a second thread, as
# in a program with a sanitizer, it does with them what it likes.
signals() {
	local name mask

	while read -r name mask; do
		printf '%s %x\n' "$name" $((0x$mask & ~0x180000000))
	done
}
grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status | signals >expected
record -o k -- grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status 2>err | signals >out
is "$(<out)" "$(<expected)" 'signals as they were'
(trap '' USR1 CHLD; grep -E '^SigIgn' /proc/self/status | signals >expected
	record -o l -- grep -E '^SigIgn' /proc/self/status 2>err | signals >out)
is "$(<out)" "$(<expected)" 'ignored signals stay ignored'
echo hello | record -o m -- cat >out 2>err
is "$(<out)" hello 'stdin is the program'\''s'

# ---- what the daemon is asked for
record -o n -e 'a:*' -e 'b:c' --subbuf-size 64K --subbufs 4 --mode overwrite \
	--file-size 1M --file-count 3 --context vpid,ip --context vtid --mediator ring-socket --clock monotonic -- true 7>/dev/null 2>err
is "$(asked 0 arguments 0)" --private 'a private daemon'
ok 'in a session of its own' test "$(asked 0 pid)" = "$(asked 0 sid)"
like "$(asked 0 arguments)" "--mediator=ring-socket.*--clock=monotonic" 'mediator and clock'
like "$(asked 0 fds)" '^\[0, 1, 2(, 3)?\]$' 'no descriptor of the caller'
is "$(asked 1)" "{'verb': 'hello', 'version': 1}" 'hello first'
is "$(asked 2 output)" "$PWD/n" 'the output, absolute'
is "$(asked 3)" "{'verb': 'channel', 'session': 'record', 'channel': 'events', 'subbuf_size': 65536, 'subbufs': 4, 'mode': 'overwrite', 'contexts': ['vpid', 'ip', 'vtid'], 'file_size': 1048576, 'file_count': 3}" \
	'the channel'
is "$(asked 4 rule) $(asked 5 rule)" 'a:* b:c' 'the rules'
is "$(for i in 6 7 8 9 10; do asked $i verb; done | xargs)" 'start stop status events destroy' \
	'then start, stop, status, events (which rules had none), destroy'
record -o o -- true 2>err
is "$(asked 4 rule)" '*:*' 'everything by default'
record -o filtered -e 'a:*' -f 'x < 1' -e 'b:c' -- true 2>err
is "$(asked 4 filter) $(asked 5)" \
	"x < 1 {'verb': 'enable', 'session': 'record', 'channel': 'events', 'rule': 'b:c'}" \
	'a filter with its rule'

# ---- signals
# LTTng-UST's plugins, which no program here is to load.
LTTNG_UST_CLOCK_PLUGIN=c.so LTTNG_UST_GETCPU_PLUGIN=g.so record -o plugins -- true >out 2>err
like "$(<err)" 'record: ignored: LTTNG_UST_CLOCK_PLUGIN, LTTNG_UST_GETCPU_PLUGIN: ' 'plugins of clock and CPU are ignored, and this is said'
LTTNG_UST_GETCPU_PLUGIN=g.so record -o plugin -- true >out 2>err
is "$(grep -c PLUGIN err)" 1 '  ... of one, too'
like "$(<err)" 'ignored: LTTNG_UST_GETCPU_PLUGIN: '  '  ... which is named'
record -q -o none -- true >out 2>err
is "$(grep -c PLUGIN err)" 0 '  ... and not where none is set'

# signalled NAME SIGNAL STATUS: sent to record alone.
signalled() {
	local pid

	rm -f ready
	record -o "sig-$2" -- sh -c 'trap "echo got; exit 9" '"$2"'; : >ready
		while :; do sleep 0.05; done' >out 2>err &
	for _ in {1..600}; do [[ -e ready ]] && break; sleep 0.05; done
	# The job is the function's shell; record is its child.
	pid=$(pgrep -P $!) || pid=$!
	kill -s "$2" "$pid"
	wait $!
	is "$?:$(<out)" "9:got" "$2 reaches the program, once"
}
for signal in TERM HUP USR1 USR2 QUIT INT WINCH; do
	signalled "$signal" "$signal"
done
is "$(left)" '' 'nothing left after signals'

done_testing
