#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# disk.sh BUILD-DIRECTORY - what it costs to bring a GB of events to a disk, and how fast that goes,
# beside LTTng-UST and dd; `./dev bench` builds what this needs and calls it.
#
#   CPU time     of the daemons, while a program emits at a steady pace
#   throughput   it emits as fast as it can, waiting where rings are full: from its start until
#                the session has stopped, and all is written
#
#   BENCH_ROUNDS=N   more rounds, or fewer (5)
#   BENCH_DIR=DIR    where traces go for the while (TMPDIR, else /tmp); and to /dev/shm
set -euo pipefail

build=$(cd "${1:?usage: disk.sh BUILD-DIRECTORY}" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rounds=${BENCH_ROUNDS:-5}
subbuf_size=$((512 * 1024))
subbufs=32
mib=512
steady=250
unbounded=1000000

# shellcheck source=tests/bench/samples.sh
. "$here/samples.sh"
# shellcheck source=tests/bench/tracers.sh
. "$here/tracers.sh"
map=$build/tests/bench/events-lttngmap
ust=$build/tests/bench/events-lttng-ust
shm=$(mktemp -d /dev/shm/lttngmap-bench.XXXXXX)
trap 'rm -rf "$shm"; cleanup' EXIT

# Both find memory for what they write that was used a moment ago: in a virtual
# machine a page's first use costs more than all that is done with it here.
warm_memory() { # DIRECTORY
	head -c $((2 * mib))M /dev/zero >"$1/warm"
	rm "$1/warm"
}

ours() { # MEDIATOR OUTPUT MODE RATE
	ask "$1" '{"verb": "create", "session": "s", "output": "'"$2"'"}' \
		'{"verb": "channel", "session": "s", "channel": "c", "mode": "'"$3"'",
		  "subbuf_size": '$subbuf_size', "subbufs": '$subbufs'}' \
		'{"verb": "enable", "session": "s", "channel": "c", "rule": "bench:block"}' \
		'{"verb": "start", "session": "s"}'
	ticks=$(cpu_of "${daemon_pid[$1]}")
	begin=${EPOCHREALTIME/[.,]/}
	with_map "$1" env LTTNGMAP_ALLOW_BLOCKING=1 "$map" block $mib "$4" || die "$map failed"
	ask "$1" '{"verb": "stop", "session": "s"}'
	end=${EPOCHREALTIME/[.,]/}
	ticks=$(($(cpu_of "${daemon_pid[$1]}") - ticks))
	ask "$1" '{"verb": "destroy", "session": "s"}'
}

theirs() { # peer OUTPUT MODE RATE
	peer_channel=()
	[[ $3 != blocking ]] || peer_channel=(--blocking-timeout=inf)
	peer_session_start $subbufs 'bench:block' --output="$2"
	ticks=$(cpu_of "$peer_pid")
	begin=${EPOCHREALTIME/[.,]/}
	with_ust env LTTNG_UST_ALLOW_BLOCKING=1 "$ust" block $mib "$4" || die "$ust failed"
	peer stop s
	end=${EPOCHREALTIME/[.,]/}
	ticks=$(($(cpu_of "$peer_pid") - ticks))
	peer destroy s
}

copied() { # FLAG OUTPUT
	mkdir "$2"
	begin=${EPOCHREALTIME/[.,]/}
	dd if=/dev/zero of="$2/zeros" bs=$subbuf_size count=$((mib * 2)) $1 2>/dev/null || die 'dd failed'
	end=${EPOCHREALTIME/[.,]/}
	ticks=0
}

# take NAME ROUND HOW WHO OUTPUT [MODE RATE]
take() {
	local bytes name=$1 round=$2 how=$3

	shift 3
	warm_memory "${2%/*}"
	$how "$@"
	bytes=$(find "$2" -type f -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }')
	rm -r "$2"
	awk -v what="$name" -v round="$round" -v us=$((end - begin)) -v ticks=$ticks -v bytes="$bytes" \
		-v hz="$(getconf CLK_TCK)" 'BEGIN {
			print what ".cpu", round, ticks * 1000 / hz / (bytes / 1e9)
			print what ".rate", round, bytes / us
			print what ".kept", round, 100 * bytes / '$((mib * 1024 * 1024))'
		}' >>"$work/samples"
}

mediators=(ring-socket)
[[ $EUID != 0 ]] || mediators=(ring-fs ring-socket)
peer_start
for mediator in "${mediators[@]}"; do
	LTTNGMAP_MEDIATOR=$mediator daemon_start "$mediator"
done
echo "Writing to disk, $rounds rounds of each kind"
for ((round = 1; round <= rounds; round++)); do
	for mediator in "${mediators[@]}"; do
		take "$mediator.steady" $round ours "$mediator" "$work/trace" discard $steady
		take "$mediator.disk" $round ours "$mediator" "$work/trace" blocking $unbounded
		take "$mediator.shm" $round ours "$mediator" "$shm/trace" blocking $unbounded
	done
	take ust.steady $round theirs peer "$work/trace" discard $steady
	take ust.disk $round theirs peer "$work/trace" blocking $unbounded
	take ust.shm $round theirs peer "$shm/trace" blocking $unbounded
	take dd.disk $round copied oflag=direct "$work/trace"
	take dd.shm $round copied '' "$shm/trace"
done
echo
printf '%-46s %12s %12s %6s %8s\n' 'events to disk' lttngmap LTTng ratio bound
for mediator in "${mediators[@]}"; do
	row "CPU time of the daemons per GB, by $mediator" ms "$mediator.steady.cpu" ust.steady.cpu "disk-$mediator"
	row '  on disk, of what was emitted' % "$mediator.steady.kept" ust.steady.kept
	row '  throughput to disk' MB/s "$mediator.disk.rate" ust.disk.rate
	row '  throughput to tmpfs' MB/s "$mediator.shm.rate" ust.shm.rate
done
row 'dd oflag=direct, to disk' MB/s dd.disk.rate
row 'dd, to tmpfs' MB/s dd.shm.rate
