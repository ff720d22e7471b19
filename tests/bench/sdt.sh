#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# sdt.sh BUILD-DIRECTORY - what an event of an SDT probe costs the program, beside the
# kernel's uprobe at the same place with the same arguments: a probe in a loop, Python's
# returns of functions, the C++ library's exceptions. `./dev bench` calls it.
#
# Each program does its passes in many short batches, and says what a pass took in one that few
# others were faster than: an exception costs twenty times as much as its event does, so that in
# a whole run's time others' work on the machine would be larger than the difference. The
# ways are taken in turns: the probe armed, with nobody who wants it; recorded by `lttngmap record
# --sdt`; and with the uprobe on in a tracefs instance, whose ring nobody reads. Both overwrite
# what is old. An event's cost is the difference to the first: what Python does to have arguments
# for a probe that is wanted at all is in neither. What an armed probe costs is a row of its own.
#
#   BENCH_ROUNDS=N   more rounds, or fewer (5)
#   BENCH_DIR=DIR    where traces go for the while (TMPDIR, else /tmp)
set -euo pipefail

build=$(cd "${1:?usage: sdt.sh BUILD-DIRECTORY}" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rounds=${BENCH_ROUNDS:-5}
tracefs=/sys/kernel/tracing
# shellcheck source=tests/bench/samples.sh
. "$here/samples.sh"

if ! mountpoint -q $tracefs; then
	[[ ${BENCH_MOUNTED:-} != 1 ]] || die "tracefs cannot be mounted at $tracefs"
	BENCH_MOUNTED=1 exec unshare --mount "$BASH" -c \
		"mount -t tracefs nodev $tracefs; exec \"\$0\" \"\$@\"" "$0" "$@"
fi

work=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/lttngmap-bench.XXXXXX")
preload=$build/.libs/liblttngmap-sdt.so:$build/.libs/liblttngmap.so
group=lttngmap_bench_$$
instance=$tracefs/instances/lttngmap-bench-$$

remove_probe() {
	[[ ! -e $instance/events/$group ]] || echo 0 >"$instance/events/$group/enable"
	[[ ! -e $tracefs/events/$group/it ]] || echo "-:$group/it" >>$tracefs/uprobe_events
}
cleanup() {
	set +e
	remove_probe
	rmdir "$instance"
	rm -rf "$work"
} 2>/dev/null
trap cleanup EXIT
trap 'exit 130' INT TERM

cat >"$work/batches.h" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BATCHES 2000

static double batches[BATCHES];

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return a < b ? -1 : a > b;
}

/* Of a pass, in nanoseconds: one batch in twenty was faster. */
static void tell(int passes)
{
	qsort(batches, BATCHES, sizeof(batches[0]), compare);
	printf("%.2f\n", batches[BATCHES / 20] / passes);
}
END
cat >"$work/pass.c" <<'END'
#include <sys/sdt.h>
#include "batches.h"

#define PASSES 200

static __attribute__((noinline)) void pass(long a, int b)
{
	DTRACE_PROBE2(bench, pass, a, b);
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
	for (int batch = 0; batch < BATCHES; batch++) {
		double begin = now();

		for (int i = 0; i < PASSES; i++)
			pass(i, -i);
		batches[batch] = now() - begin;
	}
	tell(PASSES);
	return 0;
}
END
cat >"$work/throw.cc" <<'END'
#include "batches.h"

#define PASSES 50

int main()
{
	int sum = 0;

	for (int batch = 0; batch < BATCHES; batch++) {
		double begin = now();

		for (int i = 0; i < PASSES; i++) {
			try {
				throw i;
			} catch (int number) {
				sum += number;
			}
		}
		batches[batch] = now() - begin;
	}
	tell(PASSES);
	return sum == 1;
}
END
cat >"$work/call.py" <<'END'
import time

def call(n):
	return n

batches = []
for batch in range(1000):
	begin = time.perf_counter_ns()
	for i in range(200):
		call(i)
	batches.append(time.perf_counter_ns() - begin)
print(sorted(batches)[50] / 200)
END
"${CC:-cc}" -O2 -o "$work/pass" "$work/pass.c" || die 'cannot build (on Debian, install systemtap-sdt-dev)'
"${CXX:-c++}" -O2 -o "$work/throw" "$work/throw.cc" || die 'cannot build a C++ program'
python=$(readlink -f /usr/bin/python3)
library=$(ldd "$work/throw" | awk '/libstdc/ { print $3 }')

# in_file FILE ADDRESS: its offset
in_file() {
	readelf -lW "$1" | while read -r type offset address _ size _; do
		if [[ $type == LOAD ]] && (($2 >= address && $2 < address + size)); then
			printf '0x%x' $(($2 - address + offset))
		fi
	done
}
# place FILE NAME: where the first probe of that name is, and its semaphore, as uprobes have it
place() {
	local probe

	probe=$(readelf -nW "$1" 2>/dev/null | awk -v name="$2" '
		$1 == "Name:" { is = $2 == name }
		$1 == "Location:" && is { sub(/,/, "", $2); print $2, $NF; exit }')
	[[ -n $probe ]] || return 1
	printf '%s:%s' "$1" "$(in_file "$1" "${probe% *}")"
	((${probe#* } == 0)) || printf '(%s)' "$(in_file "$1" "${probe#* }")"
}

# measure NAME ROUND RULE PLACE FIELDS COMMAND...: nanoseconds of an event
measure() {
	local bare armed ours kernel name=$1 round=$2 rule=$3 at=$4 fields=$5

	shift 5
	bare=$("$@")
	rm -rf "$work/trace"
	armed=$("$build/lttngmap" record -o "$work/trace" --preload none -e none:none -- \
		env LTTNGMAP_SDT="$rule" LD_PRELOAD="$preload" "$@" 2>>"$work/log")
	rm -rf "$work/trace"
	ours=$("$build/lttngmap" record -o "$work/trace" --mode overwrite --sdt "$rule" -- \
		"$@" 2>>"$work/log")
	grep -q "$rule" "$work/trace/ust/metadata" || die "$rule: $(tail -n 3 "$work/log")"
	echo "p:$group/it $at $fields" >>$tracefs/uprobe_events
	echo 1 >"$instance/events/$group/enable"
	kernel=$("$@")
	grep -q ' it: ' "$instance/trace" || die "no event of the kernel's at $at"
	remove_probe
	: >"$instance/trace"
	awk -v name="$name" -v round="$round" -v armed="$armed" -v ours="$ours" -v kernel="$kernel" \
		-v bare="$bare" '
		BEGIN {
			print name ".armed", round, armed - bare
			print name ".ours", round, ours - armed
			print name ".uprobe", round, kernel - armed
		}' >>"$work/samples"
}

mkdir "$instance"
for ((round = 1; round <= rounds; round++)); do
	measure pass "$round" bench:pass "$(place "$work/pass" pass)" 'a=%di:s64 b=%si:s32' "$work/pass"
	measure throw "$round" libstdcxx:throw "$(place "$library" throw)" 'a=%di:x64 b=%si:x64' \
		"$work/throw"
	if at=$(place "$python" function__return); then
		measure python "$round" python:function__return "$at" 'a=%bp:x64 b=%r12:x64 c=%ax:s32' \
			"$python" -I "$work/call.py"
	fi
done

printf '\n%-46s %12s %12s %6s %8s\n' 'SDT probes: an event (medians)' lttngmap uprobe ratio bound
row '  armed, and wanted by nobody' ns pass.armed
row 'a probe in a loop, two arguments' ns pass.ours pass.uprobe sdt-loop
row 'libstdc++: an exception thrown' ns throw.ours throw.uprobe sdt-throw
[[ -z $at ]] || row 'Python: a return of a function' ns python.ours python.uprobe sdt-python
