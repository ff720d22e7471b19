#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# relay.sh BUILD-DIRECTORY - what it costs to send a trace to lttng-relayd, and how fast that
# goes: our daemons and `lttngmap relay` beside LTTng's daemons, to one collector on loopback.
# `./dev bench` calls it.
#
# Both have rings of one size, and write nothing but what goes there: LTTng sends from its rings, we
# from a spool (256 MiB at most), which is on the file system that the collector writes to. What is
# counted is what lies at the collector.
#
#   cost         a program emits at a steady pace, slow enough that hardly anything is lost:
#                CPU time of all daemons but the collector, from the start of the program to the
#                session's stop, and of our sender from its start to its end
#   the least    likewise, of a program that asks for packets and writes them into a socket
#                (least.c) and our session daemon: what a consumer can only add to. By
#                sendfile(), too, and with packets leased from the ring until
#                lttng-relayd says that it has written them
#   throughput   it emits as fast as it can, waiting where rings are full: from its start until
#                the collector wrote the last of it
#
#   BENCH_ROUNDS=N   more rounds, or fewer (5)
#   BENCH_MIB=N      so much is emitted in a round (512)
#   BENCH_DIR=DIR    where traces go for the while (TMPDIR, else /tmp)
#   LTTNGMAP_MEDIATOR=ring-socket|ring-fs
set -euo pipefail

build=$(cd "${1:?usage: relay.sh BUILD-DIRECTORY}" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rounds=${BENCH_ROUNDS:-5}
mib=${BENCH_MIB:-512}
# The same rings for both: 32 sub-buffers of 512 KiB a CPU.
subbuf_size=$((512 * 1024))
subbufs=32
steady=250 # MiB a second
unbounded=100000 # likewise

# shellcheck source=tests/bench/samples.sh
. "$here/samples.sh"
# Congestion control is a setting of a network namespace, and root can have one. There it may use
# those of net.ipv4.tcp_allowed_congestion_control.
if [[ $EUID == 0 && ${BENCH_NET:-} != 1 ]] && unshare --net true 2>/dev/null; then
	exec env BENCH_NET=1 unshare --net "$BASH" "$0" "$build"
fi
setting=/proc/sys/net/ipv4/tcp_congestion_control
controls=()
if [[ ${BENCH_NET:-} == 1 ]]; then
	ip link set lo up
	for control in bbr cubic; do
		! { echo $control >$setting; } 2>/dev/null || controls+=("$control")
	done
fi
[[ ${#controls[@]} != 0 ]] || controls=("$(cat $setting)")
# shellcheck source=tests/bench/tracers.sh
. "$here/tracers.sh"
map=$build/tests/bench/events-lttngmap
ust=$build/tests/bench/events-lttng-ust
there=$work/there
sender=
# It would go on to look for a collector that is gone.
trap '[[ -z $sender ]] || kill -INT "$sender" || true; cleanup' EXIT

# ---- the collector -----------------------------------------------------------

free_port() {
	local port

	while :; do
		port=$((RANDOM % 20000 + 10000))
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
	done
	echo $port
}

is_listening() {
	(exec 3<>"/dev/tcp/127.0.0.1/${ports[0]}")
}

collector_start() {
	ports=("$(free_port)" "$(free_port)" "$(free_port)")
	url=net://127.0.0.1:${ports[0]}:${ports[1]}
	mkdir "$there"
	env HOME="$work/ust" LTTNG_HOME="$work/ust" lttng-relayd -o "$there" -C "tcp://127.0.0.1:${ports[0]}" \
		-D "tcp://127.0.0.1:${ports[1]}" -L "tcp://127.0.0.1:${ports[2]}" \
		>>"$work/log" 2>&1 &
	daemon_pid[relayd]=$!
	wait_for 10 is_listening || die "lttng-relayd does not start: $(tail -n 3 "$work/log")"
}

# Bytes of packets that are there, and when the last of them was written, in us.
collected() {
	find "$there" -type f ! -name '*.idx' ! -name metadata -printf '%s %T@\n' |
		awk '{ n += $1; if ($2 > end) end = $2 } END { printf "%.0f %.0f\n", n, end * 1e6 }'
}

# ---- both ----------------------------------------------------------------------

now_us() {
	echo "${EPOCHREALTIME/[.,]/}"
}

# Both find memory for what they write that was used a moment ago: in a virtual
# machine a page's first use costs more than all that is done with it here.
warm_memory() {
	head -c $((2 * mib))M /dev/zero >"$work/warm"
	rm "$work/warm"
}

# Ticks of our children that ended and were waited for; begins no child itself.
ended_ticks() { # VARIABLE
	local line fields

	read -r line <"/proc/$$/stat"
	read -ra fields <<<"${line##*) }"
	printf -v "$1" %s $((fields[13] + fields[14]))
}

ours() { # MODE RATE
	local mode=$1 rate=$2 before ended

	create_more=', "url": "'"$url"'", "spool": '$((256 << 20))
	session_start away "$mode" $subbufs 'bench:block'
	"$build/lttngmap" relay --quiet --spool --session s "$url" "$work/away-trace" \
		>>"$work/log" 2>&1 &
	sender=$!
	daemons=$(cpu_of "${daemon_pid[away]}")
	begin=$(now_us)
	with_map away env LTTNGMAP_ALLOW_BLOCKING=1 "$map" block "$mib" "$rate" || die "$map failed"
	ask away '{"verb": "stop", "session": "s"}'
	daemons=$(($(cpu_of "${daemon_pid[away]}") - daemons))
	ask away '{"verb": "destroy", "session": "s"}'
	ended_ticks before
	# Nothing more is recorded.
	kill -TERM "$sender"
	wait "$sender" || die "not all is sent: $(tail -n 3 "$work/log")"
	ended_ticks ended
	sender=
	ticks=$((daemons + ended - before))
	sending=$((ended - before))
}

theirs() { # MODE RATE
	local mode=$1 rate=$2

	peer_channel=()
	[[ $mode != blocking ]] || peer_channel=(--blocking-timeout=inf)
	peer_session_start $subbufs 'bench:block' --set-url="$url"
	ticks=$(cpu_of "$peer_pid")
	begin=$(now_us)
	with_ust env LTTNG_UST_ALLOW_BLOCKING=1 "$ust" block "$mib" "$rate" || die "$ust failed"
	peer stop s
	ticks=$(($(cpu_of "$peer_pid") - ticks))
	peer destroy s
}

# What a reader of our rings takes that copies them into a socket, and its daemon.
least() { # copy|lend|lease MODE RATE
	local how=$1 mode=$2 rate=$3 reader to=$there/stream

	[[ $how != lease ]] || to=$url

	create_more=
	session_start alone "$mode" $subbufs 'bench:block'
	begin=$(now_us)
	ticks=$(cpu_of "${daemon_pid[alone]}")
	"$build/tests/bench/least" "$how" "$work/alone/rings/s/c" "$to" >"$work/least" 2>>"$work/log" &
	reader=$!
	with_map alone env LTTNGMAP_ALLOW_BLOCKING=1 "$map" block "$mib" "$rate" || die "$map failed"
	wait $reader || die "not all is read: $(tail -n 3 "$work/log")"
	ticks=$(($(cpu_of "${daemon_pid[alone]}") - ticks))
	ticks=$(awk -v ticks=$ticks -v hz="$(getconf CLK_TCK)" '{ print ticks + $1 * hz / 1000 }' "$work/least")
	ask alone '{"verb": "stop", "session": "s"}'
	ask alone '{"verb": "destroy", "session": "s"}'
}

# Do rings lie in files that have their bytes? By ring-socket they do not.
is_file() {
	[[ $(stat -f -c %T "$work/alone/rings") == fuse* ]]
}

copied() {
	least copy "$@"
}

lent() {
	least lend "$@"
}

leased() {
	least lease "$@"
}

# take WHO WHAT ROUND MODE RATE
take() {
	local bytes end

	warm_memory
	$1 "$4" "$5"
	read -r bytes end < <(collected)
	rm -rf "${there:?}"/*
	awk -v what="$1.$2" -v round="$3" -v us=$((end - begin)) -v ticks="$ticks" -v bytes="$bytes" \
		-v hz="$(getconf CLK_TCK)" 'BEGIN {
			print what ".cpu", round, ticks * 1000 / hz / (bytes / 1e9)
			print what ".time", round, us / 1000 / (bytes / 1e9)
			print what ".rate", round, bytes / us
			print what ".kept", round, 100 * bytes / '$((mib * 1024 * 1024))'
		}' >>"$work/samples"
	[[ $1 != ours ]] ||
		awk -v what="$1.$2" -v round="$3" -v ticks="$sending" -v bytes="$bytes" \
			-v hz="$(getconf CLK_TCK)" 'BEGIN {
			print what ".sending", round, ticks * 1000 / hz / (bytes / 1e9) }' >>"$work/samples"
}

peer_start
daemon_start away
daemon_start alone --consumer=none
collector_start
set_control() { # CONGESTION-CONTROL: of connections that are made from now on
	((${#controls[@]} == 1)) || echo "$1" >$setting
}

echo "Sending to lttng-relayd, $rounds rounds of each kind"
for ((round = 1; round <= rounds; round++)); do
	for control in "${controls[@]}"; do
		set_control "$control"
		take ours "steady.$control" "$round" discard $steady
		take theirs "steady.$control" "$round" discard $steady
		take copied "steady.$control" "$round" discard $steady
		! is_file || take lent "steady.$control" "$round" discard $steady
		! is_file || take leased "steady.$control" "$round" discard $steady
	done
	take ours fast "$round" blocking $unbounded
	take theirs fast "$round" blocking $unbounded
done
echo
printf '%-46s %12s %12s %6s %8s\n' 'to lttng-relayd, over loopback' lttngmap LTTng ratio bound
for control in "${controls[@]}"; do
	row "CPU time per GB, steady pace, $control" ms "ours.steady.$control.cpu" "theirs.steady.$control.cpu" "relay-$control"
	row '  of it, the process that sends' ms "ours.steady.$control.sending"
	row '  at the collector, of what was emitted' % "ours.steady.$control.kept" "theirs.steady.$control.kept"
	row '  to ask for it and copy it, and nothing else' ms "copied.steady.$control.cpu" "theirs.steady.$control.cpu"
	! is_file || row '  likewise, by sendfile()' ms "lent.steady.$control.cpu" "theirs.steady.$control.cpu"
	! is_file || row '  likewise, indexed and confirmed' ms "leased.steady.$control.cpu" "theirs.steady.$control.cpu"
	! is_file || row '    at the collector, of what was emitted' % "leased.steady.$control.kept"
done
row 'time per GB, as fast as it goes' ms ours.fast.time theirs.fast.time relay-fast
row '  throughput' MB/s ours.fast.rate theirs.fast.rate
row '  CPU time per GB' ms ours.fast.cpu theirs.fast.cpu
row '  at the collector, of what was emitted' % ours.fast.kept theirs.fast.kept
echo
echo "$(nproc) CPUs, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
	"Linux $(uname -r), lttng-relayd $(lttng-relayd --version)"
