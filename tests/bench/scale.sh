#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# scale.sh BUILD-DIRECTORY - what many channels and many processes cost, beside LTTng-UST with
# its buffers of a user; `./dev bench` builds what this needs and calls it.
#
#   BENCH_ROUNDS=N     more rounds, or fewer (5)
#   BENCH_PARTS=...    some parts only: channels, stop, fork, idle
#   BENCH_IDLE=SECONDS how long the daemons are watched while nothing happens (60)
#   BENCH_DIR=DIR      where traces go for the while (TMPDIR, else /tmp)
set -euo pipefail

build=$(cd "${1:?usage: scale.sh BUILD-DIRECTORY}" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rounds=${BENCH_ROUNDS:-5}
idle=${BENCH_IDLE:-60}
parts=${BENCH_PARTS:-channels stop fork idle}
subbuf_size=$((64 * 1024))

# shellcheck source=tests/bench/samples.sh
. "$here/samples.sh"

# shellcheck source=tests/bench/tracers.sh
. "$here/tracers.sh"
map=$build/tests/bench/events-lttngmap
ust=$build/tests/bench/events-lttng-ust

has() { # PART
	[[ " $parts " == *" $1 "* ]]
}

# One event into so many channels.
measure_channels() { # COUNT
	local round i

	ask quiet '{"verb": "create", "session": "s", "output": "'"$work/quiet-trace"'"}'
	peer create s --snapshot
	for ((i = 0; i < $1; i++)); do
		ask quiet '{"verb": "channel", "session": "s", "channel": "c'$i'", "mode": "overwrite",
			"subbuf_size": '$subbuf_size', "subbufs": 8}' \
			'{"verb": "enable", "session": "s", "channel": "c'$i'", "rule": "bench:pair"}'
		peer enable-channel --userspace c$i --session=s --subbuf-size=$subbuf_size --num-subbuf=8
		peer enable-event --userspace --session=s --channel=c$i bench:pair
	done
	ask quiet '{"verb": "start", "session": "s"}'
	peer start s
	for ((round = 1; round <= rounds; round++)); do
		sample "map.$1" $round with_map quiet "$map" mean 1 200000
		sample "ust.$1" $round with_ust "$ust" mean 1 100000
	done
	ask quiet '{"verb": "destroy", "session": "s"}'
	peer destroy s
}

# A child that is forked, and writes an event: a registration of its own.
measure_fork() {
	local round

	session_start disk discard 8 'bench:pair'
	peer_session_start 8 'bench:pair' --output="$work/ust-trace"
	for ((round = 1; round <= rounds; round++)); do
		sample bare $round "$build/tests/bench/events-bare" fork 300
		sample map $round with_map disk "$map" fork 300
		sample ust $round with_ust "$ust" fork 300
	done
	ask disk '{"verb": "destroy", "session": "s"}'
	peer destroy s
	rm -rf "$work/disk-trace" "$work/ust-trace"
}

# took NAME ROUND COMMAND...: in ms
took() {
	local name=$1 round=$2 before=${EPOCHREALTIME/./}

	shift 2
	"$@"
	echo "$name $round $(((${EPOCHREALTIME/./} - before) / 1000))" >>"$work/samples"
}

# A trace is removed when all was measured: an ext4 without a journal is slow to make files for some
# seconds after others were removed, as it looks at each inode that became free.
put_aside() { # TRACE
	mv "$1" "$work/done-$((++nr_done))"
}
nr_done=0

# The first stop of a session with so many processes, each of which has written: into rings of
# their own, and into rings that they share, as LTTng's do.
measure_stop() { # COUNT
	local round buffers

	for ((round = 1; round <= (rounds + 1) / 2; round++)); do
		for buffers in process user; do
			channel_more=', "buffers": "'$buffers'"'
			session_start disk discard 8 'bench:pair'
			idle_start "$1" with_map disk "$map" wait 100
			took "map.$buffers.$1" $round ask disk '{"verb": "stop", "session": "s"}'
			idle_end
			ask disk '{"verb": "destroy", "session": "s"}'
			put_aside "$work/disk-trace"
		done
		channel_more=
		peer_session_start 8 'bench:pair' --output="$work/ust-trace"
		idle_start "$1" with_ust "$ust" wait 100
		took "ust.stop.$1" $round peer stop s
		idle_end
		peer destroy s
		put_aside "$work/ust-trace"
	done
}

# How often a daemon and all that it started were woken up, and the descriptors that it has.
wakes_of() { # PID
	local pid

	for pid in $(family "$1"); do
		cat "/proc/$pid/task/"*/status 2>/dev/null
	done | awk '/ctxt_switches/ { n += $2 } END { print n }'
}

# count_fds PID
count_fds() {
	find "/proc/$1/fd" -type l | wc -l
}

# note_fds NAME PID BEFORE COUNT: descriptors more than before, for each of so many processes
note_fds() {
	count_fds "$2" | awk -v name="$1" -v before="$3" -v count="$4" \
		'{ printf "%s 1 %.2f\n", name, ($1 - before) / count }' >>"$work/samples"
}

measure_idle() { # COUNT
	local before fds

	session_start disk discard 8 'bench:pair'
	fds=$(count_fds "${daemon_pid[disk]}")
	idle_start "$1" with_map disk "$map" wait 100
	note_fds map.fds "${daemon_pid[disk]}" "$fds" "$1"
	# What was written before is brought to the disk after 10 s.
	sleep 12
	before=$(wakes_of "${daemon_pid[disk]}")
	sleep "$idle"
	echo "map.wakes 1 $((($(wakes_of "${daemon_pid[disk]}") - before) * 60 / idle))" >>"$work/samples"
	idle_end
	ask disk '{"verb": "destroy", "session": "s"}'
	peer_session_start 8 'bench:pair' --output="$work/ust-trace"
	fds=$(count_fds "$peer_pid")
	idle_start "$1" with_ust "$ust" wait 100
	note_fds ust.fds "$peer_pid" "$fds" "$1"
	sleep 12
	before=$(wakes_of "$peer_pid")
	sleep "$idle"
	echo "ust.wakes 1 $((($(wakes_of "$peer_pid") - before) * 60 / idle))" >>"$work/samples"
	idle_end
	peer destroy s
}

show_channels() {
	row 'an event into 16 channels' ns map.16.mean ust.16.mean channels
}

show_stop() {
	for count in 10 100 1000; do
		row "first stop of $count processes" ms map.process.$count ust.stop.$count stop$count
		row '  with shared rings' ms map.user.$count ust.stop.$count stop$count-user
	done
}

show_fork() {
	row 'fork and an event, against an untraced fork' us map.fork_event bare.fork fork
	row '  LTTng against it' us ust.fork_event bare.fork
	row '  fork without an event' us map.fork bare.fork
}

show_idle() {
	row 'descriptors of the daemon, for each process' '' map.fds ust.fds process-fds of-ours
	row 'wake-ups a minute, 100 idle processes' '' map.wakes ust.wakes wakes of-ours
}

show_table() {
	local part

	printf '%-46s %12s %12s %6s %8s\n' what lttngmap LTTng-UST ratio bound
	for part in channels stop fork idle; do
		! has $part || show_$part
	done
}

ulimit -n 20000
peer_start
if has channels; then
	daemon_start quiet --consumer=none
	echo "An event into 16 channels"
	measure_channels 16
fi
daemon_start disk
if has stop; then
	for count in 10 100 1000; do
		echo "The first stop of $count processes"
		measure_stop $count
	done
fi
if has fork; then
	echo "A fork and an event"
	measure_fork
fi
if has idle; then
	echo "Idle, $idle s each"
	measure_idle 100
fi
echo
show_table
