#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# inside.sh SOURCES BUILD PATTERN:... - in the machine that tests/vm/run.sh booted: run the tests
# of the kernel's events whose names match, count what they say, and turn it off.

export LTTNGMAP_SRC=$1 LTTNGMAP_BUILD=$2
IFS=: read -r -a patterns <<<"$3"
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8

stty -F /dev/ttyS1 raw -echo
exec </dev/null >/dev/ttyS1 2>&1
mount -t tmpfs -o mode=755 run /run
mkdir -p /run/tests /dev/shm
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t tracefs nodev /sys/kernel/tracing
ip link set lo up 2>/dev/null
export TMPDIR=/run/tests
# The machine's CPUs are nobody else's.
export LTTNGMAP_TEST_CPU_OFF=1
# The host's clock ticks are not the machine's: what waits is given more time, and programs
# that are traced wait for the daemon, too.
export LTTNGMAP_ALLOW_BLOCKING=1
# shellcheck source=tests/vm/tally.sh
. "$LTTNGMAP_SRC/tests/vm/tally.sh"

chmod 1777 /run/tests
wanted() { # NAME
	local pattern

	for pattern in "${patterns[@]}"; do
		# shellcheck disable=SC2053 # It is one.
		[[ $1 != $pattern ]] || return 0
	done
	return 1
}

cd "$LTTNGMAP_BUILD" || exit 1
echo "# $(uname -srm), clock source $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)"
for test in tests/unit/kernel-* tests/unit/ring-file tests/unit/ring-file-read \
	tests/unit/ring-kernel tests/unit/consumer-kernel* tests/abi/ring-abi \
	tests/integration/kernel-* "$LTTNGMAP_SRC"/tests/integration/kernel-*.sh; do
	name=${test#"$LTTNGMAP_SRC"/}
	case $test in
	*.sh) command=(bash "$test") ;;
	*.*) continue ;; # What the compiler left.
	*) command=("./$test") ;;
	esac
	wanted "${test##*/}" || continue
	tally_test "$name" "${command[@]}"
done
tally_end
