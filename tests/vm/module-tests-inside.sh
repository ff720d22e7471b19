#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# module-tests-inside.sh SOURCES BUILD MODULE:TEST... - in the machine that module.sh booted: load MODULE,
# run tests whose daemons keep their rings in it, those that are named or all, count what they say, and
# turn the machine off.

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

run_test() { # NAME: of a program, or a script
	if [[ -x tests/$1 ]]; then
		tally_test "$1" "tests/$1"
	else
		tally_test "$1" bash "$LTTNGMAP_SRC/tests/$1.sh"
	fi
}

cd "$LTTNGMAP_BUILD" || exit 1
IFS=: read -r -a tests <<<"$3"
insmod "${tests[0]}"
tests=("${tests[@]:1}")
[[ ${#tests[@]} != 0 ]] || tests=(integration/million integration/survive vm/module-record)
# The machine takes twenty times as long.
export LTTNGMAP_TEST_EVENTS=50000 LTTNGMAP_TEST_KILLS=2 LTTNGMAP_TEST_PATIENCE=20
for test in "${tests[@]}"; do
	run_test "$test"
done
tally_end
