#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# run.sh BUILD-DIRECTORY - what lttngmap costs, beside LTTng-UST and a bare read
# of the clock; `./dev bench` builds what this needs and calls it.
#
# Machines are noisy: each round runs every contestant once, a ratio is taken
# within the round, and the table shows medians over rounds. A bound that is not
# held is told, and no failure.
#
#   BENCH_ROUNDS=N   more rounds, or fewer (15)
#   BENCH_PARTS=...  some parts only: events, text, maps, filter, memory, enable, start
#   BENCH_DIR=DIR    where traces go for the while (TMPDIR, else /tmp)
#   LTTNGMAP_MEDIATOR=ring-socket|ring-fs
set -euo pipefail

build=$(cd "${1:?usage: run.sh BUILD-DIRECTORY}" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rounds=${BENCH_ROUNDS:-15}
parts=${BENCH_PARTS:-events text maps filter memory enable start}
# The same rings for both: 8 sub-buffers of 512 KiB a CPU.
subbuf_size=$((512 * 1024))

# shellcheck source=tests/bench/samples.sh
. "$here/samples.sh"

# shellcheck source=tests/bench/tracers.sh
. "$here/tracers.sh"
map=$build/tests/bench/events-lttngmap
ust=$build/tests/bench/events-lttng-ust
bare=$build/tests/bench/events-bare

has() { # PART
	[[ " $parts " == *" $1 "* ]]
}

# The same program by other compilers than the build's.
build_others() {
	local root=$here/../.. name

	for name in clang-O2 gcc-O1; do
		"${name%-*}" "-${name#*-}" -std=gnu11 -D_GNU_SOURCE -DBENCH_LTTNGMAP -I"$root" -I"$root/include" \
			"$here/events.c" -o "$work/events-$name" -L"$build/.libs" -llttngmap -lpthread \
			-Wl,-rpath,"$build/.libs" || die "${name%-*} does not build tests/bench/events.c"
	done
}

map_start() { # NAME OPTION...
	daemon_start "map-$1" --consumer=none
	"$build/lttngmap" map add --runtime-dir="$work/map-$1" counted bench:pair "${@:2}" >>"$work/log" 2>&1 ||
		die "no map: $(tail -n 3 "$work/log")"
}

# ---- measures -------------------------------------------------------------------

measure_events() {
	local round name threads what

	for ((round = 1; round <= rounds; round++)); do
		sample map.1 "$round" with_map quiet "$map" mean 1 2000000
		sample ust.1 "$round" with_ust "$ust" mean 1 400000
		sample bare.1 "$round" "$bare" mean 1 2000000
		sample lock.1 "$round" with_map quiet "${no_rseq[@]}" "$map" mean 1 1000000
		sample ids.1 "$round" with_map ids "$map" mean 1 2000000
		for name in clang-O2 gcc-O1; do
			sample "$name.1" "$round" with_map quiet "$work/events-$name" mean 1 2000000
		done
		awk -v round="$round" -v with="$(value_of ids.1.mean "$round")" \
			-v without="$(value_of map.1.mean "$round")" \
			'BEGIN { print "ids.added", round, with - without }' >>"$work/samples"
	done
	for ((round = 1; round <= (rounds + 2) / 3; round++)); do
		for threads in 2 4; do
			sample map.$threads "$round" with_map quiet "$map" mean $threads 1000000
			sample lock.$threads "$round" with_map quiet "${no_rseq[@]}" "$map" mean $threads 1000000
			sample ust.$threads "$round" with_ust "$ust" mean $threads 300000
		done
		for what in 'single 200000' 'cold 50'; do
			# shellcheck disable=SC2086
			{
				sample map "$round" with_map quiet "$map" $what
				sample lock "$round" with_map quiet "${no_rseq[@]}" "$map" $what
				sample ust "$round" with_ust "$ust" $what
				sample bare "$round" "$bare" $what
			}
		done
		sample map.off "$round" with_map quiet "$map" off 30000000
		sample ust.off "$round" with_ust "$ust" off 30000000
	done
}

# Events that both throw away, as their filter says.
measure_filter() {
	local round

	filter='number < 0'
	session_start quiet overwrite 8 'bench:pair'
	peer_session_start 8 'bench:pair' --snapshot
	filter=
	for ((round = 1; round <= rounds; round++)); do
		sample map.filter "$round" with_map quiet "$map" mean 1 2000000
		sample ust.filter "$round" with_ust "$ust" mean 1 400000
	done
	ask quiet '{"verb": "destroy", "session": "s"}'
	peer destroy s
}

measure_text() {
	local round

	session_start quiet overwrite 8 'bench:text'
	peer_session_start 8 'bench:text' --snapshot
	for ((round = 1; round <= rounds; round++)); do
		sample map "$round" with_map quiet "$map" text 2000000
		sample ust "$round" with_ust "$ust" text 400000
		sample bare "$round" "$bare" text 2000000
	done
	ask quiet '{"verb": "destroy", "session": "s"}'
	peer destroy s
}

# Counted in maps, each of a daemon of its own, and recorded.
measure_maps() {
	local round

	session_start quiet overwrite 8 'bench:pair'
	map_start int --by number
	map_start all
	map_start histogram --histogram number
	map_start calculated --by 'number & 63'
	for ((round = 1; round <= rounds; round++)); do
		sample map.recorded "$round" with_map quiet "$map" keys 2000000
		sample bare.recorded "$round" "$bare" keys 2000000
		for map_kind in int all histogram calculated; do
			sample "map.$map_kind" "$round" with_map "map-$map_kind" "$map" keys 2000000
		done
	done
	ask quiet '{"verb": "destroy", "session": "s"}'
}

# Less what the same program has without a tracer.
measure_footprint() {
	local what

	sample bare 1 "$bare" footprint
	sample map 1 with_map quiet "$map" footprint
	sample ust 1 with_ust "$ust" footprint
	for what in threads fds space shared; do
		for who in map ust; do
			echo "added.$who.$what 1 $(value_of "$who.$what" 1) $(value_of "bare.$what" 1)"
		done
	done | awk '{ print $1, $2, $3 - $4 }' >"$work/added"
	cat "$work/added" >>"$work/samples"
}

# Pages of memory files that a daemon (all of its processes) holds open.
pages_of() { # PID
	local pid

	for pid in $(family "$1"); do
		find "/proc/$pid/fd" \( -lname '/memfd:*' -o -lname '/dev/shm/*' \) \
			-exec stat -L -c '%d:%i %b' {} + 2>/dev/null || true
	done | sort -u | awk '{ blocks += $2 } END { print blocks / 8 }'
}

measure_idle() {
	local before count=100

	before=$(pages_of "${daemon_pid[quiet]}")
	idle_start $count with_map quiet "$map" wait
	awk -v a="$(pages_of "${daemon_pid[quiet]}")" -v b="$before" -v n=$count \
		'BEGIN { print "map.idle 1", (a - b) / n }' >>"$work/samples"
	idle_end
	before=$(pages_of "$peer_pid")
	idle_start $count with_ust "$ust" wait
	awk -v a="$(pages_of "$peer_pid")" -v b="$before" -v n=$count \
		'BEGIN { print "ust.idle 1", (a - b) / n }' >>"$work/samples"
	idle_end
}

# With one process, and with a thousand.
measure_enable() {
	local count round

	for count in 1 1000; do
		idle_start $count with_map many "$map" wait
		for ((round = 1; round <= 5; round++)); do
			sample "map.$count" $round python3 "$here/enable.py" "$work/many" $count
		done
		idle_end
	done
}

measure_spawn() {
	local round

	for ((round = 1; round <= (rounds + 1) / 2; round++)); do
		"$build/tests/bench/spawn" 20 "$(type -P true)" plain PATH="$PATH" \
			map PATH="$PATH" LTTNGMAP_RUNTIME_DIR="$work/disk" \
			LD_PRELOAD="$build/.libs/liblttngmap-libc.so" \
			LD_LIBRARY_PATH="$build/.libs" \
			ust PATH="$PATH" HOME="$work/ust" LTTNG_HOME="$work/ust" \
			LD_PRELOAD=liblttng-ust-libc-wrapper.so >"$work/output" ||
			die "could not time $(type -P true)"
		awk -v round=$round '{ us[$1] = $2 } END {
			print "plain.spawn", round, us["plain"]
			print "map.spawn", round, us["map"] - us["plain"]
			print "ust.spawn", round, us["ust"] - us["plain"] }' \
			"$work/output" >>"$work/samples"
	done
}

show_events() {
	row 'enabled event (int, long), one thread' ns map.1.mean ust.1.mean pair
	row '  against a bare read of the clock' ns map.1.mean bare.1.mean clock
	row '  from clang -O2, against the same' ns clang-O2.1.mean map.1.mean clang
	row '  from gcc -O1, against the same' ns gcc-O1.1.mean map.1.mean gcc
	row '  2 threads, against one' ns map.2.mean map.1.mean threads2
	row '  4 threads on 2 CPUs, against one' ns map.4.mean map.1.mean threads4
	row '  4 threads, against LTTng-UST' ns map.4.mean ust.4.mean
	row '  one at a time: median' ns map.median ust.median
	row '  one at a time: 99.9th percentile' ns map.p99.9 ust.p99.9 p999
	row '  cold caches' ns map.cold ust.cold cold
	row '  cold caches, bare read of the clock' ns bare.cold
	row 'contexts vtid and ip add, against the clock' ns ids.added bare.1.mean ids
	row 'int and long by trylock, one thread' ns lock.1.mean ust.1.mean trylock
	row '  one at a time: 99.9th percentile' ns lock.p99.9 ust.p99.9
	row '  cold caches' ns lock.cold ust.cold
	row '  2 threads, each' ns lock.2.mean ust.2.mean
	row '  4 threads, each' ns lock.4.mean ust.4.mean
	row 'disabled event in a loop, with the loop' ns map.off.loop ust.off.loop off
	row '  16 in a row, each, without the loop' ns map.off.row ust.off.row off16
}

show_text() {
	row 'long and a string of 11 characters' ns map.text ust.text
	row '  against a bare read of the clock' ns map.text bare.text text
}

show_maps() {
	row 'counted in a map by an int, against recorded' ns map.int.keys map.recorded.keys map-int
	row '  all events as one' ns map.all.keys map.recorded.keys
	row '  a histogram' ns map.histogram.keys map.recorded.keys map-histogram
	row '  by a calculated key' ns map.calculated.keys map.recorded.keys
	row '  against a bare read of the clock' ns map.int.keys bare.recorded.keys
}

show_filter() {
	row 'event that a filter (number < 0) rejects' ns map.filter.mean ust.filter.mean filter
}

show_start() {
	row 'start and exit of true, libc preload: added' us map.spawn ust.spawn start
	row '  plain true' us plain.spawn
}

show_memory() {
	row 'threads added' '' added.map.threads added.ust.threads added-threads of-ours
	row 'descriptors added' '' added.map.fds added.ust.fds added-fds of-ours
	row 'address space added' MiB added.map.space added.ust.space
	row '  there of it, in shared maps' KiB added.map.shared added.ust.shared \
		"added-shared=$(value_of added.map.space 1 | awk '{ printf "%d", $1 * 1024 / 100 }')" of-ours
	row 'memory of one more process that traces nothing' pages map.idle ust.idle idle-pages of-ours
}

show_enable() {
	row 'enabling an event: 1000 processes, against one' us map.1000.enable map.1.enable enabling
}

show_table() {
	local part

	printf '%-46s %12s %12s %6s %8s\n' what lttngmap LTTng-UST ratio bound
	for part in events text maps filter start memory enable; do
		! has $part || "show_$part"
	done
}

no_rseq=(env GLIBC_TUNABLES=glibc.pthread.rseq=0)
begin=$SECONDS
peer_start
# Nobody reads these rings: the oldest events are overwritten, in both.
daemon_start quiet --consumer=none
if has events || has memory; then
	session_start quiet overwrite 8 'bench:pair'
	peer_session_start 8 'bench:pair' --snapshot
	if has events; then
		echo "Events, $rounds rounds of each kind"
		build_others
		daemon_start ids --consumer=none
		context='vtid ip'
		session_start ids overwrite 8 'bench:pair'
		context=
		measure_events
	fi
	if has memory; then
		echo "Memory, threads and descriptors of a process"
		measure_footprint
		measure_idle
	fi
	ask quiet '{"verb": "destroy", "session": "s"}'
	peer destroy s
fi
if has text; then
	echo "Events with a string"
	measure_text
fi
if has maps; then
	echo "Events that maps count"
	measure_maps
fi
if has filter; then
	echo "Events that a filter rejects"
	measure_filter
fi

if has enable; then
	# With few descriptors each, for the sake of the limit.
	daemon_start many --consumer=none
	session_start many discard 8 'none:*'
	echo "Enabling an event while 1000 processes run"
	measure_enable
fi

if has start; then
	daemon_start disk
	session_start disk discard 8 'lttng_ust_libc:*'
	peer_session_start 8 'lttng_ust_libc:*' --output="$work/ust-trace"
	echo "Start and exit of a process"
	measure_spawn
	ask disk '{"verb": "stop", "session": "s"}' '{"verb": "destroy", "session": "s"}'
	peer destroy s
	rm -rf "$work/disk-trace" "$work/ust-trace"
fi
echo
show_table
echo
echo "$(nproc) CPUs, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
	"Linux $(uname -r), LTTng-UST $(dpkg-query -W -f='${Version}' liblttng-ust1 2>/dev/null ||
		echo '(version unknown)'), $((SECONDS - begin)) s"
