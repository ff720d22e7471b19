#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# SDT probes of running processes: `attach --sdt` arms them, and `detach` puts every byte
# back. LTTNGMAP_ATTACH_ROUNDS: how often (6).
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/started-daemon.sh"

[[ $(uname -m) == x86_64 ]] || skip_all 'only x86-64 can be attached to'
need_plain
yama=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)
[[ $EUID == 0 || $yama == 0 ]] || skip_all "Yama lets root alone attach (ptrace_scope is $yama)"
lttngmap=$LTTNGMAP_PLAIN/lttngmap
rounds=${LTTNGMAP_ATTACH_ROUNDS:-6}
export LTTNGMAP_RUNTIME_DIR=$TAP_DIR/run
mkdir -m 0700 "$LTTNGMAP_RUNTIME_DIR"
cd "$TAP_DIR" || exit
# shellcheck disable=SC2153 # the test environment's
"$LTTNGMAP_CC" -O2 -o passes "$LTTNGMAP_SRC/tests/utils/sdt-passes.c" -pthread ||
	bail_out 'cannot build a program with probes (on Debian, install systemtap-sdt-dev)'
# shellcheck disable=SC2317 # called by cleanup
end_all() {
	exec 3>&-
	kill -KILL "${pid:-}" 2>/dev/null
	started_daemon_end
}
cleanup end_all

output=$("$lttngmap" create all -o "$TAP_DIR/trace" 2>&1) || bail_out "create: $output"
started_daemon "$output"
"$lttngmap" enable -s all 'passes:line' >/dev/null || bail_out 'enable'
"$lttngmap" start all >/dev/null || bail_out 'start'

mkfifo input
# passes COUNT: what it says then; in $said.
passes() {
	local i

	echo "$1" >&3
	lines=$((lines + 1))
	for ((i = 0; i < 1500; i++)); do
		[[ $(wc -l <out) -ge $lines ]] && break
		sleep 0.02
	done
	said=$(tail -n 1 out)
}
# Where the daemon has no time to answer within a tenth of a second, a process is not traced.
begin() {
	local try

	for ((try = 0; try < 20; try++)); do
		: >out
		env -u LTTNGMAP_RUNTIME_DIR ./passes <input >out 2>&1 &
		pid=$!
		exec 3>input
		lines=0
		passes 10
		told=$("$lttngmap" attach --sdt 'passes:*' "$pid" 2>&1) || return
		"$lttngmap" list --processes | grep -q "^$pid .*since" && return
		exec 3>&-
		wait "$pid"
	done
	return 1
}
begin
is $? 0 'probes of a running process: attach' || diag "$told"
like "$told" "process $pid: sdt: 2 places of its code lead through tracing" '  ... and says how many'
is "$(grep -c libc <<<"$told")" 0 '  ... and no family is brought along unasked'
passes 7
is "$said" 'changed 1' 'they are armed, and their semaphores up'
ok 'attach with other rules' "$lttngmap" attach -q --sdt passes:step "$pid"
passes 20
is "$said" 'changed 0' '  ... of which the first ones are not'
ok 'and with two' "$lttngmap" attach -q --sdt passes:step --sdt 'other:*' --sdt 'passes:l*' "$pid"
passes 5
like "$("$lttngmap" detach "$pid" 2>&1)" "process $pid: 2 places lead where they led before" 'detach'
passes 20
is "$said" 'same 0' '  ... puts every byte back, and the semaphores'
like "$("$lttngmap" detach "$pid" 2>&1)" 'nothing leads through tracing' '  ... once'

maps() { grep -c . "/proc/$pid/maps"; }
descriptors() { find "/proc/$pid/fd" -mindepth 1 | wc -l; }
failed=0
before=$(maps):$(descriptors)
for ((round = 0; round < rounds; round++)); do
	"$lttngmap" attach -q --sdt 'passes:*' "$pid" 2>>complaints || failed=$((failed + 1))
	passes 1
	[[ $said == 'changed 1' ]] || failed=$((failed + 1))
	"$lttngmap" detach -q "$pid" 2>>complaints || failed=$((failed + 1))
	passes 100
	[[ $said == 'same 0' ]] || failed=$((failed + 1))
done
is $failed 0 "on and off, $rounds times" || diag "$(sort complaints | uniq -c)"
is "$(maps):$(descriptors)" "$before" '  ... with no map or descriptor more'
ok 'probes and a family' "$lttngmap" attach -q --sdt passes:step --preload libc "$pid"
ok '  ... are taken out together' "$lttngmap" detach -q "$pid"
passes 1
is "$said" 'same 0' '  ... as they were'

refused() { # STATUS NAME REGEX OPTION...
	local status=$1

	shift
	told=$("$lttngmap" attach "${@:3}" "$pid" 2>&1)
	is $? "$status" "$1: refused"
	like "$told" "$2" '  ... and said why'
}
refused 2 'no rule' "'nonsense' is not a rule" --sdt nonsense
refused 1 'rules that are too long' 'longer than 4095 bytes' \
	--sdt "a:$(printf %03000d 0)" --sdt "b:$(printf %03000d 0)"
told=$("$lttngmap" attach --sdt 'nobody:has' "$pid" 2>&1)
is $? 0 'a rule for no probe'
like "$told" 'no probe is armed: none of what is loaded matches' '  ... which is told'
exec 3>&-
wait "$pid"
is $? 0 'the process ends as it should'

"$lttngmap" destroy all >/dev/null
is "$(babeltrace2 trace 2>complaints | grep -c 'passes:line: ')" $((7 + 5 + rounds)) \
	'what it passed while armed is in the trace, and nothing else'
is "$(cat complaints)" '' '  ... of which babeltrace2 has nothing to say'
done_testing
