#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Tracing is brought into running processes and taken out of them, under load: none
# is harmed by it, the calls in between are in the trace, and what cannot be attached to is
# refused and left as it is. LTTNGMAP_ATTACH_ROUNDS: how often (6).
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/started-daemon.sh"

[[ $(uname -m) == x86_64 ]] || skip_all 'only x86-64 can be attached to'
need_plain
yama=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)
[[ $EUID == 0 || $yama == 0 ]] || skip_all "Yama lets root alone attach (ptrace_scope is $yama)"
lttngmap=$LTTNGMAP_PLAIN/lttngmap
attached=$LTTNGMAP_PLAIN/tests/utils/attached
rounds=${LTTNGMAP_ATTACH_ROUNDS:-6}
export LTTNGMAP_RUNTIME_DIR=$TAP_DIR/run
mkdir -m 0700 "$LTTNGMAP_RUNTIME_DIR"
started=()
# shellcheck disable=SC2317 # called by cleanup
end_all() {
	kill -KILL "${started[@]}" 2>/dev/null
	started_daemon_end
}
cleanup end_all

# target PROGRAM...: runs it, knowing of no daemon; $pid, its output in $TAP_DIR/said.
target() {
	: >"$TAP_DIR/said"
	env -u LTTNGMAP_RUNTIME_DIR "$@" >"$TAP_DIR/said" 2>&1 <"${input:-/dev/null}" &
	pid=$!
	started+=("$pid")
}
wait_for_line() { # REGEX: of what the target says
	local i

	for ((i = 0; i < 1500; i++)); do
		grep -Eq "$1" "$TAP_DIR/said" && return
		sleep 0.02
	done
	diag "it does not say $1: $(cat "$TAP_DIR/said")"
	return 1
}
# wait_for_program NAME [PID]: until the target is no shell of ours, and not env(1), any more.
wait_for_program() {
	local i pid=${2:-$pid}

	for ((i = 0; i < 1500; i++)); do
		[[ $(<"/proc/$pid/comm") == "$1" ]] && return
		sleep 0.02
	done
	diag "it is $(<"/proc/$pid/comm"), not $1"
}
# What a process has of the kernel, but for memory, and files that it reads at the moment.
possessions() {
	find "/proc/$pid/fd" \( -lname 'socket:*' -o -lname 'anon_inode:*' -o -lname 'pipe:*' \) |
		wc -l
	find "/proc/$pid/task" -mindepth 1 -maxdepth 1 -printf 'thread\n' | sort | uniq -c
	grep -c liblttngmap "/proc/$pid/maps"
}
# patiently VERB ARGUMENT...: on a busy machine no thread may come to a safe point in time, or one
# not stop, which is told, with the advice to try again.
patiently() {
	local try

	for ((try = 0; try < 4; try++)); do
		"$lttngmap" "$@" 2>"$TAP_DIR/complaint" && return
		grep -qE 'came to a point|cannot be interrupted' "$TAP_DIR/complaint" || break
	done
	cat "$TAP_DIR/complaint" >>"$TAP_DIR/complaints"
	return 1
}
# again NAME [OPTION]...: attach and detach the target many times.
again() {
	local name=$1 failed=0 first=
	shift

	for ((round = 0; round < rounds; round++)); do
		patiently attach -q "$@" "$pid" || failed=$((failed + 1))
		patiently detach -q "$pid" || failed=$((failed + 1))
		[[ -n $first ]] || first=$(possessions)
	done
	is "$failed" 0 "$name: attached and detached $rounds times" ||
		diag "$(sort "$TAP_DIR/complaints" | uniq -c)"
	is "$(possessions)" "$first" "$name: no descriptor, thread or library more than after the first"
	: >"$TAP_DIR/complaints"
}
refused() { # NAME REGEX [OPTION]... PID; $refusal: the status
	local name=$1 regex=$2 output
	shift 2

	output=$("$lttngmap" attach "$@" 2>&1)
	is "$?" "${refusal:-1}" "$name: refused"
	like "$output" "$regex" "$name: said why"
}

output=$("$lttngmap" create all -o "$TAP_DIR/trace" 2>&1) || bail_out "create: $output"
started_daemon "$output"
"$lttngmap" enable -s all 'lttng_ust_libc:*' >/dev/null || bail_out 'enable'
"$lttngmap" context -s all vpid >/dev/null || bail_out 'context'
target "$attached" sleep
wait_for_line ready
like "$("$lttngmap" attach --preload libc "$pid" 2>&1)" 'nothing is recorded yet: no session is started.*lttngmap start' \
	'attach before a session records: said'
"$lttngmap" start all >/dev/null || bail_out 'start'
output=$("$lttngmap" attach --preload libc "$pid" 2>&1)
is "$? $(grep -c 'nothing is recorded' <<<"$output")" '0 0' '  ... and not once one does'
kill -TERM "$pid"
wait "$pid"
target "$attached" sleep
wait_for_line ready
like "$("$lttngmap" attach --preload libc --runtime-dir "$TAP_DIR" "$pid" 2>&1)" 'nothing is recorded yet: no session daemon runs' \
	'  ... and that no daemon runs'
kill -TERM "$pid"
wait "$pid"

# A server's processes that were there before.
target sh -c 'sleep 600 & sleep 601 & echo ready; wait'
wait_for_line ready
for child in $(<"/proc/$pid/task/$pid/children"); do
	started+=("$child")
	wait_for_program sleep "$child"
done
"$lttngmap" attach -q --preload libc "$child" || diag 'a child: attach'
like "$("$lttngmap" attach --preload libc "$pid" 2>&1)" \
	"process $pid: 1 process below it is not attached: ${started[-2]} \(sleep\).*attach. each of them" \
	'processes below it that are not attached are named'
is "$("$lttngmap" attach -q --preload libc "$pid" 2>&1)" '' '  ... and with --quiet are not'
kill "${started[@]: -2}" "$pid"
wait "$pid"

# ---- the calls between attach and detach are in the trace, no other ---------------------
mkfifo "$TAP_DIR/input"
calls() {
	local i

	echo "$1" >&3
	lines=$((lines + 1))
	for ((i = 0; i < 1500; i++)); do
		[[ $(grep -c "done" "$TAP_DIR/said") -ge $lines ]] && return
		sleep 0.02
	done
}
# Where the daemon has no time to answer within a tenth of a second, a process is not traced.
attach_counting() {
	local try

	for ((try = 0; try < 20; try++)); do
		input=$TAP_DIR/input target "$attached" count
		exec 3>"$TAP_DIR/input"
		counting=$pid lines=0
		calls 10
		"$lttngmap" attach -q "$pid" || return
		"$lttngmap" list --processes | grep -q "^$pid .*since" && return
		exec 3>&-
		wait "$pid"
	done
	return 1
}
attach_counting
is "$?" 0 'a process that waits for input: attach'
expected=0
calls 7
output=$("$lttngmap" attach "$pid" 2>&1)
is "$?" 0 'attach again, which changes nothing'
like "$output" "process $pid: libc: [0-9]+ places that call it lead through tracing" 'and says so'
calls 5
ok 'detach' "$lttngmap" detach -q "$pid"
calls 20
like "$("$lttngmap" detach "$pid" 2>&1)" 'nothing leads through tracing' 'detach again: nothing to do'
ok 'attach a third time' "$lttngmap" attach -q "$pid"
calls 3
expected=15
exec 3>&-
wait "$pid"
is "$?" 0 'and the process ended as it should'

# ---- none is harmed ----------------------------------------------------------------------
spin() { while :; do :; done; }
spin &
started+=("$!")
load=$!
target "$attached" sleep
wait_for_line ready
again 'a sleeping process'
sleep 1 # in which nothing is to wake it
kill -TERM "$pid"
wait "$pid"
is "$?" 0 'it slept as long as it wanted to, without an interruption' || diag "$(cat "$TAP_DIR/said")"

target "$attached" serve
wait_for_line ready
for thread in "/proc/$pid/task/"*; do
	thread=${thread##*/}
done
refused 'a thread' "$thread is a thread of process $pid" "$thread"
again 'a server of many threads' --preload libc,pthread,io
# Killed in the middle, `attach` leaves a process that brings itself back.
killed=0
for ((round = 0; round < rounds * 4; round++)); do
	verb=attach
	[[ $((round % 2)) == 0 ]] || verb=detach
	timeout -s KILL "0.$(printf %03d $((20 + RANDOM % 120)))" "$lttngmap" "$verb" -q "$pid" \
		2>/dev/null
	[[ $? != 137 ]] || killed=$((killed + 1))
done 2>/dev/null
[[ $killed -gt 0 ]] || diag 'attach was never killed in the middle'
kill -TERM "$pid"
wait "$pid"
is "$?" 0 'the server lost and mixed up nothing, also where attach was killed' ||
	diag "killed $killed times: $(cat "$TAP_DIR/said")"

cat >"$TAP_DIR/program.py" <<'EOF'
import hashlib, signal, threading, time
stop = []
signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
digest = hashlib.sha256(b"x" * 100000).hexdigest()
def work():
    while not stop:
        assert hashlib.sha256(b"x" * 100000).hexdigest() == digest
        assert sum(i * i for i in range(1000)) == 332833500
        assert len({str(i): [i] for i in range(500)}) == 500
        time.sleep(0.001)
other = threading.Thread(target=work)
other.start()
print("ready", flush=True)
work()
other.join()
print("well")
EOF
target python3 "$TAP_DIR/program.py"
wait_for_line ready
again python3
again 'python3, and its probes' --sdt 'python:*'
kill -TERM "$pid"
wait "$pid"
is "$?:$(tail -n 1 "$TAP_DIR/said")" 0:well 'python3 computed what it should' ||
	diag "$(cat "$TAP_DIR/said")"
kill "$load"

# ---- what is in the trace ------------------------------------------------------------------
"$lttngmap" destroy all >/dev/null
babeltrace2 "$TAP_DIR/trace" 2>"$TAP_DIR/complaints" >"$TAP_DIR/text"
is "$(grep -c "lttng_ust_libc:malloc: .*vpid = $counting .*size = 12345," "$TAP_DIR/text")" \
	"$expected" 'each call between attach and detach is in the trace, and no other'
# Of the server's events some are lost, where the consumer has no time.
is "$(grep -v 'Tracer discarded' "$TAP_DIR/complaints")" '' 'babeltrace2 has nothing else to say'

# ---- what cannot be attached to --------------------------------------------------------------
refused 'no process' 'there is no process 999999' 999999
refused 'the kernel' 'is the kernel.s own|may not be|cannot be' 2
target sleep 600
sleeping=$pid
wait_for_program sleep
kill -STOP "$pid"
for ((i = 0; i < 1500; i++)); do
	grep -q '^State:.*stopped' "/proc/$pid/status" && break
	sleep 0.02
done
refused 'a stopped process' 'is stopped' "$pid"
kill -CONT "$pid"
mkfifo "$TAP_DIR/hold"
input=$TAP_DIR/hold target "$attached" trace "$sleeping"
exec 4>"$TAP_DIR/hold"
wait_for_line ready
refused 'a process under a debugger' "is traced by process $pid already" "$sleeping"
exec 4>&-
wait "$pid"
input=$TAP_DIR/hold target "$attached" filtered
exec 4>"$TAP_DIR/hold"
wait_for_line ready
refused 'a process with seccomp' 'system calls filtered' "$pid"
exec 4>&-
wait "$pid"
is "$?" 0 'and lives on'
input=$TAP_DIR/hold target "$attached" filtered-thread
exec 4>"$TAP_DIR/hold"
wait_for_line ready
refused 'a process with one thread with seccomp' 'system calls filtered' "$pid"
exec 4>&-
wait "$pid"
is "$?" 0 'and lives on'
input=$TAP_DIR/hold target "$attached" vfork
exec 4>"$TAP_DIR/hold"
wait_for_line 'child [0-9]+'
refused 'a child of vfork' "shares the memory of process $pid" \
	"$(sed -n 's/^child //p' "$TAP_DIR/said")"
is "$(grep -c liblttngmap "/proc/$pid/maps")" 0 'which did nothing to its parent'
exec 4>&-
wait "$pid"
is "$?" 0 'and both live on'
printf 'int main(void) { for (;;) __builtin_ia32_pause(); }\n' >"$TAP_DIR/static.c"
# shellcheck disable=SC2153 # the test environment's
if $LTTNGMAP_CC -static -o "$TAP_DIR/static" "$TAP_DIR/static.c" 2>/dev/null; then
	target "$TAP_DIR/static"
	wait_for_program static
	refused 'a static program' 'statically linked' "$pid"
	kill "$pid"
fi
printf 'char go[] __attribute__((section(".go.buildinfo"))) = "go"; int main(void) { for (;;) ; }\n' \
	>"$TAP_DIR/go.c"
$LTTNGMAP_CC -o "$TAP_DIR/go" "$TAP_DIR/go.c" || bail_out 'cannot compile'
target "$TAP_DIR/go"
wait_for_program go
refused 'a Go program' 'is a Go program' "$pid"
kill "$pid"
refusal=2
refused 'a family that is none' "no family 'nonsense'" --preload nonsense "$sleeping"
refusal=2 refused "a program's name" 'no process.s number.*pgrep -x redis-server' redis-server
refused 'a mistyped family' "no family 'lbic'.*did you mean 'libc'.*families: libc, dl, " --preload lbic "$sleeping"
refused 'a family for programs that begin' 'from a program.s start only' \
	--preload libc,function "$sleeping"
refused 'two families for the same calls' 'cannot be used together' \
	--preload cyg-profile-fast,cyg-profile "$sleeping"
refusal=1
locked() { # FILE [PREFIX...]: it is locked by $pid when this returns
	local file=$1
	shift

	input=$TAP_DIR/hold target "$@" flock -x "$file" sh -c 'echo locked; exec cat'
	exec 4>"$TAP_DIR/hold"
	wait_for_line locked
}
locked "/proc/$sleeping/mem"
refused 'two at the same time' 'another lttngmap is attaching' "$sleeping"
exec 4>&-
wait "$pid"
printf 'no library\n' >"$TAP_DIR/none.so"
before=$(cat "/proc/$sleeping/maps")
refused 'a library that is none' 'none.so' --preload none --library "$TAP_DIR/none.so" "$sleeping"
is "$(diff <(echo "$before") "/proc/$sleeping/maps" | grep '^[<>]' | grep -Ev 'liblttngmap|00:00 0 |\[heap\]|locale')" '' \
	'after which it has nothing but liblttngmap more'
if [[ $EUID == 0 ]]; then
	chmod 0711 "$TAP_DIR"
	locked "/proc/$sleeping/status" setpriv --reuid 65534 --clear-groups
	ok 'nobody else can keep it from being attached to' "$lttngmap" attach -q "$sleeping"
	"$lttngmap" detach -q "$sleeping"
	exec 4>&-
	wait "$pid"
	output=$(setpriv --reuid 65534 --clear-groups "$lttngmap" attach "$sleeping" 2>&1)
	like "$output" "process $sleeping (cannot be looked at|may not be traced)" \
		"another user's process: refused, and said why"
	if unshare -m true 2>/dev/null; then
		target unshare -m sleep 600
		wait_for_program sleep
		refused 'a container' 'in a container' "$pid"
		kill "$pid"
	fi
fi
ok 'the process that was not harmed is there' kill -0 "$sleeping"
kill "$sleeping"
done_testing
