#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# vmcore-inside.sh SOURCES BUILD MODULE:MODE:DIR - in the machine that vmcore.sh booted: rings are the
# kernel module's; write into them, and panic. Traces go to DIR of the machine outside; writers count
# their events in memory that both have.

src=$1 build=$2
IFS=: read -r module mode dir <<<"$3"
export LTTNGMAP_SRC=$src LTTNGMAP_BUILD=$build HOME=/root LC_ALL=C.UTF-8
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LTTNGMAP_ALLOW_BLOCKING=1 LTTNGMAP_RUNTIME_DIR=/run/lttngmap
lttngmap=$build/lttngmap

stty -F /dev/ttyS1 raw -echo
exec </dev/null >/dev/ttyS1 2>&1

give_up() {
	echo "# $*"
	sleep 1
	/bin/busybox poweroff -f
}

mount -t tmpfs -o mode=755 run /run
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
mkdir -p /dev/shm /run/host
mount -t tmpfs shm /dev/shm
mount -t virtiofs root /run/host && mount -o remount,rw /run/host || give_up 'the traces have no place'
for shared in /sys/bus/pci/devices/*; do
	[[ $(<"$shared/vendor") == 0x1af4 && $(<"$shared/device") == 0x1110 ]] && break
done
echo 1 >"$shared/enable" || give_up 'no memory is shared'
counts=$shared/resource2
insmod "$module" || give_up "no module: $(dmesg | tail -n 3)"

# is_in_event PID: a process that stands still has begun an event, and not counted it as done.
is_in_event() {
	python3 - "$counts" "$1" <<-'END'
		import mmap, os, struct, sys
		page = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 4096)
		sources = [struct.unpack_from("<QQII", page, 64 + 24 * i) for i in range(10)]
		sys.exit(not any(begun > done and pid == int(sys.argv[2]) for begun, done, pid, _ in sources))
	END
}

create=() channel=(--mode discard)
case $mode in
recorder) create=(--snapshot) channel=(--mode overwrite) ;;
blocking) channel=(--mode blocking) ;;
esac
# Nobody names a mediator: it is the module's.
"$build/lttngmap-sessiond" >/run/log 2>&1 &
for _ in {1..200}; do
	[[ ! -S $LTTNGMAP_RUNTIME_DIR/control.sock ]] || break
	sleep 0.1
done
"$lttngmap" create s -o "/run/host$dir/s" "${create[@]}" >/run/said 2>&1 &&
	"$lttngmap" channel c "${channel[@]}" --subbuf-size 64K --subbufs 8 >>/run/said 2>&1 &&
	"$lttngmap" enable 'numbered:*' -c c >>/run/said 2>&1 &&
	"$lttngmap" start >>/run/said 2>&1 || give_up "$(cat /run/said /run/log)"
for _ in 1 2 3 4; do
	"$build/tests/utils/emit" "$counts" 1 1000000000 /run/never &
done
GLIBC_TUNABLES=glibc.pthread.rseq=0 "$build/tests/utils/emit" "$counts" 1 1000000000 &
for _ in {1..50}; do
	# That is somewhere in its loop; more than half of it is an event.
	sleep "0.$((RANDOM % 8 + 1))"
	kill -STOP $!
	! is_in_event $! || break
	kill -CONT $!
done
sleep "1.$((RANDOM % 8 + 1))"
[[ -d /sys/kernel/debug/lttngmap/s/c ]] || give_up 'the rings are not in the module'
sed "s/^/# /" /run/log
echo panicking
sleep 0.5
echo c >/proc/sysrq-trigger
