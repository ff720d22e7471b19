#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# storm.sh BUILD-DIRECTORY [PROCESSES [ROUNDS [COMMAND...]]] - what a storm of short processes
# costs: untraced, in rings that they share, in rings of their own, and under LTTng-UST with its
# buffers of a user. Interleaved; the median of the rounds for each, and its ratio to
# untraced. Each process is the command, else an ls(1); its calls of libc's memory functions,
# and those of what it starts, are the events.
set -eu

build=$(cd "${1:?where is it built?}" && pwd)
processes=${2:-10000}
rounds=${3:-5}
command=("${@:4}")
[[ ${#command[@]} != 0 ]] || command=(ls /)
utils=$build/tests/utils
work=$(mktemp -d "${TMPDIR:-/tmp}/lttngmap-storm.XXXXXX")
export LTTNG_HOME=$work
peer=
end() {
	[[ -z $peer ]] || kill "$peer" 2>/dev/null || true
	rm -rf "$work"
}
trap end EXIT

storm() { # The line of figures of $processes times that
	"$utils/storm" "$processes" 2 "${command[@]}"
}
ours() { # WHOSE
	rm -rf "$work/trace"
	"$build/lttngmap" record --buffers "$1" --preload libc -e 'lttng_ust_libc:*' \
		-o "$work/trace" -- "$utils/storm" "$processes" 2 "${command[@]}" 2>"$work/said"
	grep -E 'processes traced|streams' "$work/said" >"$work/ours-$1"
}
theirs() {
	rm -rf "$work/ust"
	lttng --quiet create storm --output="$work/ust"
	lttng --quiet enable-channel --userspace --buffers-uid c
	lttng --quiet enable-event --userspace --channel=c 'lttng_ust_libc:*'
	lttng --quiet start
	(export LD_PRELOAD=liblttng-ust-libc-wrapper.so && storm)
	lttng --quiet stop
	lttng --quiet destroy storm
}
take() { # NAME COMMAND...
	local name=$1

	shift
	"$@" | sed -n 's/^wall \([0-9]*\) cpu \([0-9]*\)$/\1 \2/p' >>"$work/$name"
}
median() { # NAME COLUMN
	sort -n -k "$2,$2" "$work/$1" | awk -v column="$2" '{ all[NR] = $column } END { print all[int((NR + 1) / 2)] }'
}

kinds=(untraced shared own)
if command -v lttng-sessiond >/dev/null; then
	lttng-sessiond --quiet --no-kernel >"$work/peer" 2>&1 &
	peer=$!
	sleep 2
	kinds+=(lttng)
fi
for ((round = 0; round < rounds; round++)); do
	take untraced storm
	take shared ours user
	take own ours process
	[[ -z $peer ]] || take lttng theirs
done

printf '%-10s %12s %8s %12s %8s\n' "$processes" 'wall us each' ratio 'cpu us each' ratio
for kind in "${kinds[@]}"; do
	awk -v name="$kind" -v wall="$(median "$kind" 1)" -v cpu="$(median "$kind" 2)" \
		-v wall0="$(median untraced 1)" -v cpu0="$(median untraced 2)" -v n="$processes" \
		'BEGIN { printf "%-10s %12.0f %8.2f %12.0f %8.2f\n", name, wall / n, wall / wall0, cpu / n, cpu / cpu0 }'
done
sed 's/^/shared: /' "$work/ours-user"
sed 's/^/own: /' "$work/ours-process"
