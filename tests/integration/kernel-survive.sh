#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The consumer is killed in a flood of the kernel's events: each that the kernel
# gave out is in the trace once, and all others are counted as it counts them. Whoever
# is killed, nothing is left of it in tracefs after the next start.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/kernel.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

flood() {
	dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null
}
stats() { # LINE: that count of the kernel's, of all CPUs together
	cat "$tracefs/instances/lttngmap-$sessiond_pid-"*-s/per_cpu/cpu*/stats |
		awk -v key="$1" -F': ' '$1 == key { sum += $2 } END { print sum + 0 }'
}
number() { # KEY: of the session's status, its kernel part
	control '{"verb": "status", "session": "s"}' |
		sed -nE "s/.*\"kernel\": \{.*\"$1\": ?([0-9]+).*/\1/p"
}
restarted() {
	local pid

	pid=$(sessiond_consumer) && [[ $pid != "$killed" ]]
}

sessiond_start
ok 'a session with small rings' control \
	'{"verb": "create", "session": "s", "output": "'"$TAP_DIR/trace"'"}' \
	'{"verb": "kernel", "session": "s", "buffer_size": 262144}' \
	'{"verb": "kernel-enable", "session": "s", "rule": "syscalls:sys_*_write"}' \
	'{"verb": "start", "session": "s"}'
for ((i = 0; i < 4; i++)); do
	flood
	killed=$(sessiond_consumer)
	kill -KILL "$killed"
	flood
	flood
	wait_for restarted
done
flood
ok 'the session stops' control '{"verb": "stop", "session": "s"}'
overrun=$(stats overrun)
read=$(stats 'read events')
diag "$read events, $overrun lost"
ok 'events were lost' test "$overrun" -gt 0
is "$(number discarded)" "$overrun" 'as many as the kernel says'
is "$(number overrun)" "$overrun" 'which the status has, too'
babeltrace2 "$TAP_DIR/trace" >"$TAP_DIR/text" 2>"$TAP_DIR/errors"
is $? 0 'the trace is read'
is "$(grep -vc discarded "$TAP_DIR/errors")" 0 'without a warning but for lost events'
is "$(wc -l <"$TAP_DIR/text")" "$read" 'and has each event that the kernel gave out, once'
ok 'it starts again' control '{"verb": "start", "session": "s"}'
flood
ok 'and stops' control '{"verb": "stop", "session": "s"}'
is "$(babeltrace2 "$TAP_DIR/trace" 2>/dev/null | wc -l)" "$(stats 'read events')" \
	'what came then is behind it'
is "$(number discarded)" "$(stats overrun)" 'and what was lost is counted on'

# ---- the size of what is read ---------------------------------------------------------

instance=$(echo "$tracefs/instances/lttngmap-$sessiond_pid-"*-s)
ok 'it starts once more' control '{"verb": "start", "session": "s"}'
flood
kilobytes=$(<"$instance/buffer_size_kb")
for file in buffer_size_kb buffer_subbuf_size_kb per_cpu/cpu0/buffer_size_kb; do
	if [[ $kernel_mapped == False ]]; then
		skip 1 'the kernel resizes what is not mapped'
		continue
	fi
	like "$(echo 32 2>&1 >"$instance/$file")" 'Device or resource busy' \
		"while it records, the kernel refuses to change $file"
done
like "$(control '{"verb": "kernel", "session": "s", "buffer_size": 1048576}')" \
	'session s is started.*stop it first' 'the daemon says what to do'
ok 'it is stopped' control '{"verb": "stop", "session": "s"}'
like "$(control '{"verb": "kernel", "session": "s", "buffer_size": 1048576}')" \
	'does not change the size of a buffer that is being read.*before the session is started' \
	'and what to do instead'
is "$(<"$instance/buffer_size_kb")" "$kilobytes" 'the size is what it was'
sessiond_stop
gone() {
	[[ -z $(compgen -G "$tracefs/instances/lttngmap-$1-*") ]]
}
ok 'with the daemon the instance goes' gone "${instance#*/lttngmap-}"

# ---- who is killed -----------------------------------------------------------------------

daemon() {
	pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR"
}
has_ended() {
	! pgrep -f "lttngmap-(sessiond|consumerd) .*$SESSIOND_DIR"
}
# The consumer has them open.
has_rings() {
	[[ $(find "/proc/$(sessiond_consumer)/fd" -lname '*/trace_pipe_raw' 2>/dev/null) ]]
}
for who in consumer daemon supervisor 'supervisor daemon' 'supervisor daemon consumer' 'daemon consumer'; do
	sessiond_start
	mkdir "$TAP_DIR/$who"
	control '{"verb": "create", "session": "s", "output": "'"$TAP_DIR/$who/trace"'"}' \
		'{"verb": "kernel-enable", "session": "s", "rule": "syscalls:sys_*_write"}' \
		'{"verb": "start", "session": "s"}' >/dev/null
	wait_for has_rings
	keeper=$sessiond_pid
	ok "$who: there is an instance" compgen -G "$tracefs/instances/lttngmap-$keeper-*-s"
	victims=()
	[[ $who != *supervisor* ]] || victims+=("$keeper")
	[[ $who != *daemon* ]] || victims+=("$(daemon)")
	[[ $who != *consumer* ]] || victims+=("$(sessiond_consumer)")
	kill -KILL "${victims[@]}"
	# What is left ends well, or by itself.
	[[ $who == *supervisor* ]] || kill "$keeper"
	wait "$keeper" 2>/dev/null
	ok "$who: the others end" wait_for has_ended
	sessiond_start
	ok "$who: after the next start it is gone" wait_for gone "$keeper"
	sessiond_stop
done
done_testing
