#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# kernel.sh BUILD-DIRECTORY - what it costs to have the kernel's events on disk, to be
# read: our daemons' CPU time beside that of trace-cmd, which records the kernel's
# sub-buffers as they are and converts them afterwards. `./dev bench` calls it.
#
# The load is dd, byte by byte: four events of system calls each. Both record them in a
# tracefs instance of their own, with buffers of one size, in turns. All is counted that
# is done for it, from making the instance to the last byte on disk. trace-cmd makes no
# other format of what it recorded but text (`trace-cmd report`), so this is its
# conversion. It is spared compressing its file, which it would do unasked. What it costs
# to have text of ours, too, by babeltrace2, is a row of its own.
#
#   BENCH_ROUNDS=N   more rounds, or fewer (5)
#   BENCH_DIR=DIR    where traces go for the while (TMPDIR, else /tmp)
set -euo pipefail

build=$(cd "${1:?usage: kernel.sh BUILD-DIRECTORY}" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rounds=${BENCH_ROUNDS:-5}
bytes=500000
# As ours are.
buffer_kib=4096
events=(syscalls:sys_enter_read syscalls:sys_exit_read syscalls:sys_enter_write
	syscalls:sys_exit_write)
tracefs=/sys/kernel/tracing
# shellcheck source=tests/bench/samples.sh
. "$here/samples.sh"

if ! mountpoint -q $tracefs; then
	[[ ${BENCH_MOUNTED:-} != 1 ]] || die "tracefs cannot be mounted at $tracefs"
	BENCH_MOUNTED=1 exec unshare --mount "$BASH" -c \
		"mount -t tracefs nodev $tracefs; exec \"\$0\" \"\$@\"" "$0" "$@"
fi

work=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/lttngmap-bench.XXXXXX")
export LTTNGMAP_RUNTIME_DIR=$work/run
instance=lttngmap-bench-$$
daemon=
peer=

cleanup() {
	set +e
	[[ -z $daemon ]] || kill "$daemon"
	[[ -z $peer ]] || kill -INT "$peer"
	wait 2>/dev/null
	rmdir "$tracefs/instances/$instance" 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

lttngmap() {
	"$build/lttngmap" "$@" >>"$work/log" 2>&1 ||
		die "lttngmap $*: $(tail -n 3 "$work/log")"
}

load() {
	dd if=/dev/zero of=/dev/null bs=1 count=$bytes status=none
}

# add WHAT ROUND TICKS EVENTS: milliseconds for a million of them
add() {
	awk -v what="$1 $2" -v ticks="$3" -v events="$4" -v hz="$(getconf CLK_TCK)" \
		'BEGIN { print what, ticks * 1000 / hz / (events / 1e6) }' >>"$work/samples"
}
# kept WHO ROUND EVENTS: of those that there were, at least
kept() {
	echo "$1.kept $2 $((100 * $3 / (4 * bytes)))" >>"$work/samples"
}

# Of our children that ended.
cpu_of_ended() {
	awk '{ sub(/.*\) /, ""); print $14 + $15 }' "/proc/$$/stat"
}

measure_ours() { # ROUND
	local before count event recorded

	before=$(cpu_of "$daemon")
	lttngmap create s -o "$work/trace"
	for event in "${events[@]}"; do
		lttngmap enable --kernel -s s "$event"
	done
	lttngmap start s
	load
	lttngmap stop s
	count=$("$build/lttngmap" status --json s |
		sed -nE 's/.*"kernel": ?\{[^}]*"events": ?([0-9]+).*/\1/p')
	lttngmap destroy s
	recorded=$(($(cpu_of "$daemon") - before))
	before=$(cpu_of_ended)
	babeltrace2 "$work/trace/kernel" >"$work/report" 2>>"$work/log" || die "babeltrace2"
	add map.cpu "$1" "$recorded" "$count"
	add map.text "$1" $((recorded + $(cpu_of_ended) - before)) "$count"
	[[ $(wc -l <"$work/report") == "$count" ]] || die "babeltrace2 shows not $count events"
	kept map "$1" "$count"
	rm -r "$work/report" "$work/trace"
}

is_recording() {
	grep -qx 1 "$tracefs/instances/$instance/events/syscalls/sys_exit_write/enable" &&
		grep -qx 1 "$tracefs/instances/$instance/tracing_on"
}
# In 3.1 it must be told to leave function tracing alone (-d), which not every kernel
# has, and not to reset the instance's (-k), and has to be given no command.
measure_theirs() { # ROUND
	local before count recorded converted

	trace-cmd record -d -k --compression none -B "$instance" -b $buffer_kib \
		"${events[@]/#/-e}" -o "$work/trace.dat" >>"$work/log" 2>&1 &
	peer=$!
	wait_for 20 is_recording || die "trace-cmd: $(tail -n 3 "$work/log")"
	load
	before=$(cpu_of_ended)
	kill -INT "$peer"
	wait "$peer" || die "trace-cmd: $(tail -n 3 "$work/log")"
	peer=
	recorded=$(($(cpu_of_ended) - before))
	count=$(awk '/^read events/ { sum += $3 } END { print sum }' \
		"$tracefs/instances/$instance"/per_cpu/cpu*/stats)
	before=$(cpu_of_ended)
	trace-cmd report -i "$work/trace.dat" >"$work/report" 2>>"$work/log" || die "trace-cmd report"
	converted=$(($(cpu_of_ended) - before))
	[[ $(grep -c ' sys_' "$work/report") == "$count" ]] || die "trace-cmd shows not $count events"
	add cmd.record "$1" "$recorded" "$count"
	add cmd.cpu "$1" $((recorded + converted)) "$count"
	kept cmd "$1" "$count"
	rm "$work/report" "$work"/trace.dat*
	rmdir "$tracefs/instances/$instance"
}

type -P trace-cmd >/dev/null || die "trace-cmd is missing (on Debian, install trace-cmd)"
"$build/lttngmap-sessiond" --runtime-dir="$work/run" >>"$work/log" 2>&1 &
daemon=$!
wait_for 10 "$build/lttngmap" list || die "$(tail -n 3 "$work/log")"
for ((round = 1; round <= rounds; round++)); do
	measure_ours "$round"
	measure_theirs "$round"
done
printf '%-46s %12s %12s %6s %8s\n' 'the kernel'"'"'s events' lttngmap trace-cmd ratio bound
row 'CPU time per million, to be read' ms map.cpu cmd.cpu kernel
row '  theirs without its conversion' ms map.cpu cmd.record
row '  and as text, ours by babeltrace2' ms map.text cmd.cpu
row '  kept, of those that there were' % map.kept cmd.kept
