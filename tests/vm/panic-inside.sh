#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# panic-inside.sh SOURCES BUILD PANICS - in the machine that panic.sh booted, after each restart:
# look at what the panic before left, trace again, and panic.
#
# Rings, traces and the writers' counts lie in one file system on persistent memory. Four
# writers emit numbered events and count them there; a fifth is stopped in the middle of one.

src=$1 build=$2 panics=$3
export LTTNGMAP_SRC=$src LTTNGMAP_BUILD=$build HOME=/root LC_ALL=C.UTF-8
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LTTNGMAP_ALLOW_BLOCKING=1 LTTNGMAP_RUNTIME_DIR=/run/lttngmap
lttngmap=$build/lttngmap
pmem=/run/pmem

stty -F /dev/ttyS1 raw -echo
exec </dev/null >/dev/ttyS1 2>&1
mount -t tmpfs -o mode=755 run /run
mkdir -p $pmem
[[ -b /dev/pmem0 ]] || { echo "# no /dev/pmem0: $(dmesg | grep -i nvdimm | tail -n 3)"; /bin/busybox poweroff -f; }
blkid /dev/pmem0 >/dev/null 2>&1 || mkfs.ext4 -q /dev/pmem0 2>/dev/null
mount -o dax /dev/pmem0 $pmem || { echo "# no DAX: $(dmesg | tail -n 3)"; /bin/busybox poweroff -f; }

# shellcheck source=tests/vm/panic-judge.sh
. "$src/tests/vm/panic-judge.sh"

# look_back: at the panic before; what was emitted, and what is in the trace.
look_back() {
	local mode

	mode=$(<$pmem/mode)
	"$lttngmap" recover --json $pmem/rings >$pmem/json 2>$pmem/err
	tell "$1, $mode: recovered" || sed 's/^/# /' $pmem/err
	judge "$1" "$mode" $pmem/trace $pmem/counts $pmem/json
	[[ -z $(ls -A $pmem/rings) ]]
	tell "$1, $mode: nothing is left to recover"
}

# is_in_event PID: a process that stands still has begun an event, and not counted it as done.
is_in_event() {
	od -An -v -t u8 -w24 -j 64 -N 240 $pmem/counts |
		awk -v pid="$1" '$3 % 4294967296 == pid && $1 > $2 {found = 1} END {exit !found}'
}

# trace MODE PANIC: begin, and write until the panic.
trace() {
	local create=() channel=(--mode discard)

	rm -rf $pmem/trace $pmem/rings
	echo "$1" >$pmem/mode
	# With all of its room, and no hole that would be filled later.
	head -c 3145792 /dev/zero >$pmem/counts
	case $1 in
	recorder) create=(--snapshot) channel=(--mode overwrite) ;;
	blocking) channel=(--mode blocking) ;;
	esac
	"$build/lttngmap-sessiond" --survive-panic $pmem/rings >$pmem/log 2>&1 &
	for _ in {1..200}; do
		[[ ! -S $LTTNGMAP_RUNTIME_DIR/control.sock ]] || break
		sleep 0.1
	done
	"$lttngmap" create s -o $pmem/trace "${create[@]}" >$pmem/said 2>&1 &&
		"$lttngmap" channel c "${channel[@]}" --subbuf-size 64K --subbufs 8 >>$pmem/said 2>&1 &&
		"$lttngmap" enable 'numbered:*' -c c >>$pmem/said 2>&1 &&
		"$lttngmap" start >>$pmem/said 2>&1
	tell "$2: a session begins" || sed 's/^/# /' $pmem/said $pmem/log
	sync -f $pmem
	for _ in 1 2 3 4; do
		"$build/tests/utils/emit" $pmem/counts 1 1000000000 /run/never &
	done
	GLIBC_TUNABLES=glibc.pthread.rseq=0 "$build/tests/utils/emit" $pmem/counts 1 1000000000 &
	for _ in {1..50}; do
		# That is somewhere in its loop; more than half of it is an event.
		sleep "0.$((RANDOM % 8 + 1))"
		kill -STOP $!
		! is_in_event $! || break
		kill -CONT $!
	done
	sleep "1.$((RANDOM % 8 + 1))"
}

round=$(cat $pmem/round 2>/dev/null || echo 0)
((round == 0)) || look_back "panic $round"
if ((round >= panics)); then
	echo 'done'
	sleep 1
	/bin/busybox poweroff -f
fi
round=$((round + 1))
echo $round >$pmem/round
modes=(recorder discard blocking)
trace "${modes[(round + 2) % 3]}" "panic $round"
sleep 0.5
echo c >/proc/sysrq-trigger
