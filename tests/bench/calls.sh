#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# calls.sh BUILD-DIRECTORY - what it costs to trace entry and exit of each function of a
# program that was built with -finstrument-functions, beside LTTng-UST's library for the
# same; and whether all of ten million calls are in the trace, in whole stacks. `./dev
# bench` calls it.
#
# Cost is CPU time of the program, less that of the same one untraced, which calls empty
# functions of the C library's. Nobody reads the rings then, and both overwrite.
#
#   BENCH_ROUNDS=N   more rounds, or fewer (15)
#   BENCH_CALLS=N    so many calls, at least, have to be in the trace (10000000)
#   BENCH_DIR=DIR    where traces go for the while (TMPDIR, else /tmp)
set -euo pipefail

build=$(cd "${1:?usage: calls.sh BUILD-DIRECTORY}" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rounds=${BENCH_ROUNDS:-15}
calls=${BENCH_CALLS:-10000000}
subbuf_size=$((512 * 1024))
program=$build/tests/bench/calls

# shellcheck source=tests/bench/samples.sh
. "$here/samples.sh"
# shellcheck source=tests/bench/tracers.sh
. "$here/tracers.sh"

# ours FAMILY CALLS, theirs FAMILY CALLS
ours() { # DAEMON FAMILY CALLS
	with_map "$1" env LD_PRELOAD="$build/.libs/liblttngmap-$2.so $build/.libs/liblttngmap.so" \
		"$program" "$3"
}

theirs() { # FAMILY CALLS
	with_ust env LD_PRELOAD="liblttng-ust-$1.so" "$program" "$2"
}

# of FAMILY EVENTS-OF-IT SAMPLES: each round all three once
measure() {
	local family=$1 rule=$2 name=$3 round

	session_start quiet overwrite 8 "$rule"
	peer_session_start 8 "$rule" --snapshot
	for ((round = 1; round <= rounds; round++)); do
		sample "bare.$name" "$round" "$program" 2000000
		sample "with-map.$name" "$round" ours quiet "$family" 2000000
		sample "with-ust.$name" "$round" theirs "$family" 1000000
		for who in map ust; do
			echo "$who.$name $round $(value_of "with-$who.$name.call" "$round")" \
				"$(value_of "bare.$name.call" "$round")"
		done | awk '{ print $1, $2, $3 - $4 }' >"$work/added"
		cat "$work/added" >>"$work/samples"
	done
	ask quiet '{"verb": "destroy", "session": "s"}'
	peer destroy s
}

# All of them, on disk: the program waits where the disk is slower than it.
check_stacks() { # FAMILY PROVIDER
	local trace=$work/trace-$1

	"$build/lttngmap" record -q -o "$trace" --preload "$1" -e "$2:*" --mode blocking \
		--context vtid -- "$program" "$calls" >"$work/counts" 2>>"$work/log" ||
		die "lttngmap record: $(tail -n 3 "$work/log")"
	"$build/tests/bench/check-calls" "$trace/ust" "$work/counts" >"$work/output" ||
		die "stacks are not whole: $(grep -m 1 '^wrong' "$work/output")"
	awk -v family="$1" '$1 == "calls" { calls = $2 } $1 == "depth" { depth = $2 }
		END { printf "%s: all of %d calls, in stacks of up to %d\n", family, calls, depth }' \
		"$work/output" >>"$work/stacks"
	rm -r "$trace"
}

peer_start
daemon_start quiet --consumer=none
echo "Calls of functions, $rounds rounds of each kind"
measure cyg-profile 'lttng_ust_cyg_profile:*' full
context=vtid
measure cyg-profile 'lttng_ust_cyg_profile:*' vtid
measure cyg-profile-fast 'lttng_ust_cyg_profile_fast:*' fast
echo "Stacks of $calls calls"
check_stacks cyg-profile lttng_ust_cyg_profile
check_stacks cyg-profile-fast lttng_ust_cyg_profile_fast
echo
printf '%-46s %12s %12s %6s %8s\n' 'entry and exit of a function' lttngmap LTTng-UST ratio bound
row 'cyg-profile: added to a call' ns map.full ust.full calls
row '  with the context vtid' ns map.vtid ust.vtid calls-vtid
row 'cyg-profile-fast, with vtid: added to a call' ns map.fast ust.fast calls-fast
row '  a call of the untraced program' ns bare.fast.call
cat "$work/stacks"
