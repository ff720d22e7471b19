#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# module-tests-inside.sh SOURCES BUILD MODULE - in the machine that module.sh booted: load MODULE, run
# tests whose daemons keep their rings in it, count what they say, and turn the machine off.

export LTTNGMAP_SRC=$1 LTTNGMAP_BUILD=$2 LTTNGMAP_TEST_MEDIATOR=ring-kernel
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8

stty -F /dev/ttyS1 raw -echo
exec </dev/null >/dev/ttyS1 2>&1
mount -t tmpfs -o mode=755 run /run
mkdir -p /dev/shm
[[ -e /dev/fd ]] || ln -s /proc/self/fd /dev/fd
mkdir -m 1777 /run/tests
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
ip link set lo up 2>/dev/null
export TMPDIR=/run/tests
# The host's clock ticks are not the machine's: programs that are traced wait for the daemon.
export LTTNGMAP_ALLOW_BLOCKING=1
# shellcheck source=tests/vm/tally.sh
. "$LTTNGMAP_SRC/tests/vm/tally.sh"

cd "$LTTNGMAP_BUILD" || exit 1
insmod "$3"
# The machine takes twenty times as long.
export LTTNGMAP_TEST_EVENTS=50000 LTTNGMAP_TEST_KILLS=2 LTTNGMAP_TEST_PATIENCE=20
for test in integration/million integration/survive vm/module-record; do
	tally_test "$test" bash "$LTTNGMAP_SRC/tests/$test.sh"
done
tally_end
