#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# What the daemons gave up, seen from outside; and a consumer that somebody has
# taken over: what it must not call is refused or kills it, the session daemon
# says so, and the trace is complete all the same.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

trace=$TAP_DIR/trace
inject=$LTTNGMAP_BUILD/tests/utils/inject-call

field() { # PID KEY: of /proc/PID/status
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"
}
has_only() { # HEX NUMBER...: no capabilities but these
	local bits=$((16#$1)) number

	for number in "${@:2}"; do
		bits=$((bits & ~(1 << number)))
	done
	[[ $bits == 0 ]]
}
emit() { # so many events
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$LTTNGMAP_BUILD/tests/utils/steady" "$1" >/dev/null
}

sessiond_start
ok 'a consumer runs' wait_for sessiond_consumer
ok 'a session' control '{"verb": "create", "session": "s", "output": "'"$trace"'"}' \
	'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 65536, "subbufs": 4,
	  "mode": "discard"}' \
	'{"verb": "enable", "session": "s", "channel": "c", "rule": "steady:*"}' \
	'{"verb": "start", "session": "s"}'
emit 1000
consumer=$(sessiond_consumer)
daemon=$(pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR")

for pid in "$sessiond_pid" "$daemon" "$consumer"; do
	is "$(field "$pid" NoNewPrivs)" 1 "$(<"/proc/$pid/comm"): what it executes gains nothing"
	[[ -n ${LTTNGMAP_SANITIZED:-} ]] ||
		is "$(field "$pid" Seccomp)" 2 'its system calls are looked at'
done
# CAP_CHOWN DAC_OVERRIDE FOWNER SETGID SETUID LINUX_IMMUTABLE SYS_PTRACE SYS_ADMIN
ok 'the session daemon has the capabilities that it needs at most' \
	has_only "$(field "$daemon" CapPrm)" 0 1 3 6 7 9 19 21
ok 'the consumer has those to write as an owner at most' has_only "$(field "$consumer" CapPrm)" 1 6 7
ok 'now' has_only "$(field "$consumer" CapEff)" 1 6 7

# x86-64: socket(AF_INET, SOCK_STREAM), then execve(NULL).
result=$("$inject" "$consumer" 41 2 1 0 2>&1)
status=$?
if [[ -n ${LTTNGMAP_SANITIZED:-} ]]; then
	skip 6 'a sanitizer makes system calls of its own'
elif [[ $status == 77 ]]; then
	skip 6 'processes cannot be traced here (kernel.yama.ptrace_scope, or no x86-64)'
else
	is "$result" -97 'a consumer that opens a connection to the network is refused'
	is "$(sessiond_consumer)" "$consumer" 'and lives on'
	is "$("$inject" "$consumer" 59 0 0 0 2>&1)" 'killed by signal 31' \
		'one that executes a program is killed'
	restarted() {
		local pid

		pid=$(sessiond_consumer) && [[ $pid != "$consumer" ]]
	}
	ok 'another is started' wait_for restarted
	like "$(cat "$TAP_DIR/log")" 'the consumer made a system call that no consumer makes' \
		'a message says why'
	like "$(control '{"verb": "status", "session": "s"}')" 'system call that no consumer makes' \
		'and so does the status'
fi
emit 1000
ok 'the session stops' control '{"verb": "stop", "session": "s"}'
# One more each, which comes before the others.
is "$(babeltrace2 "$trace" 2>"$TAP_DIR/errors" | wc -l)" 2002 'the trace is complete'
is "$(cat "$TAP_DIR/errors")" '' 'without a warning'
done_testing
