# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# tracers.sh - the two tracers of a bench, with daemons of their own, and what programs
# that they trace say. After samples.sh, with $build, $here, $subbuf_size and the
# arguments of the script; makes $work, which is removed in the end.
# shellcheck disable=SC2034,SC2154

# LTTng's daemon, run by root, has its files in /run/lttng and nowhere else: give
# it one of its own. An ordinary user's has them in $LTTNG_HOME.
if [[ $EUID == 0 && ${BENCH_NAMESPACE:-} != 1 ]]; then
	unshare --mount true 2>/dev/null ||
		die "root cannot have a mount namespace here, which keeps LTTng's daemon apart:" \
			"run this as an ordinary user"
	exec env BENCH_NAMESPACE=1 unshare --mount "$BASH" "$0" "$build"
fi

work=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/lttngmap-bench.XXXXXX")
peer_pid=
declare -A daemon_pid=()
# What programs of LTTng-UST leave, where /dev/shm is not our own.
left_behind=()
if [[ $EUID != 0 ]]; then
	for file in /dev/shm/lttng-ust-wait-8 /dev/shm/lttng-ust-wait-8-$EUID; do
		[[ -e $file ]] || left_behind+=("$file")
	done
fi

cleanup() {
	local pid

	set +e
	for pid in "${daemon_pid[@]}" $peer_pid; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	rm -rf "$work"
	rm -f "${left_behind[@]}"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

if [[ $EUID == 0 ]]; then
	mkdir -p /run/lttng
	mount -t tmpfs -o mode=755 tmpfs /run/lttng
	mount -t tmpfs tmpfs /dev/shm
fi

# ---- the two tracers ---------------------------------------------------------

control() { # DAEMON MESSAGE...
	local directory=$work/$1

	shift
	"$build/tests/utils/control" "$directory" "$@"
}

ask() { # DAEMON MESSAGE...: that have to be answered well
	control "$@" >"$work/answer" || die "lttngmap-sessiond refused: $(cat "$work/answer")"
}

daemon_start() { # DAEMON [OPTION]...
	local name=$1

	shift
	"$build/lttngmap-sessiond" --runtime-dir="$work/$name" "$@" >>"$work/log" 2>&1 &
	daemon_pid[$name]=$!
	wait_for 10 control "$name" || die "lttngmap-sessiond does not start: $(cat "$work/log")"
}

# What both are asked to record an event for; empty: always.
filter=
# Contexts that both are to write with each event; empty: none.
context=
# Members more of our session's making.
create_more=
# Members more of our channel's making.
channel_more=
# Options more of LTTng's channel.
peer_channel=()

session_start() { # DAEMON MODE SUBBUFS RULE
	local one contexts=()

	for one in $context; do
		contexts+=('{"verb": "context", "session": "s", "channel": "c", "context": "'"$one"'"}')
	done
	ask "$1" '{"verb": "create", "session": "s", "output": "'"$work/$1-trace"'"'"$create_more"'}' \
		'{"verb": "channel", "session": "s", "channel": "c", "mode": "'"$2"'",
		  "subbuf_size": '"$subbuf_size"', "subbufs": '"$3$channel_more"'}' \
		"${contexts[@]}" \
		'{"verb": "enable", "session": "s", "channel": "c", "rule": "'"$4"'"
		  '"${filter:+, \"filter\": \"$filter\"}"'}' \
		'{"verb": "start", "session": "s"}'
}

# On a busy machine a program of many would be registered too late, and go without.
with_map() { # DAEMON COMMAND...
	local directory=$work/$1

	shift
	env LTTNGMAP_RUNTIME_DIR="$directory" LTTNGMAP_REGISTER_TIMEOUT=10000 "$@"
}

with_ust() {
	env HOME="$work/ust" LTTNG_HOME="$work/ust" "$@"
}

peer() { # ARGUMENT...: to the command `lttng`
	with_ust lttng --no-sessiond --quiet "$@" >>"$work/log" 2>&1
}

peer_start() {
	mkdir "$work/ust"
	env HOME="$work/ust" LTTNG_HOME="$work/ust" lttng-sessiond --no-kernel --quiet \
		>>"$work/log" 2>&1 &
	peer_pid=$!
	wait_for 10 peer list || die "lttng-sessiond does not start: $(cat "$work/log")"
}

peer_session_start() { # SUBBUFS RULE CREATE-OPTION...
	local subbufs=$1 rule=$2

	shift 2
	{
		peer create s "$@" &&
			peer enable-channel --userspace c --session=s \
				--subbuf-size=$subbuf_size --num-subbuf="$subbufs" \
				"${peer_channel[@]}" &&
			peer enable-event --userspace --session=s --channel=c "$rule" \
				${filter:+--filter="$filter"} &&
			${context:+peer add-context --userspace --session=s --channel=c --type=${context// / --type=}} &&
			peer start s
	} || die "LTTng makes no session: $(tail -n 5 "$work/log")"
}

sample() { # PREFIX ROUND COMMAND...: of a program that prints "NAME VALUE UNIT"
	local prefix=$1 round=$2

	shift 2
	"$@" >"$work/output" || die "$* failed"
	awk -v prefix="$prefix" -v round="$round" '{ print prefix "." $1, round, $2 }' \
		"$work/output" >>"$work/samples"
}

# ---- programs that wait --------------------------------------------------------

idle_start() { # COUNT COMMAND...: processes that wait until descriptor 9 is closed
	local i count=$1

	shift
	mkfifo "$work/in"
	: >"$work/ready"
	exec 9<>"$work/in"
	for ((i = 0; i < count; i++)); do
		"$@" <"$work/in" 9>&- >>"$work/ready" &
		# Not all at once.
		if ((i % 20 == 19)); then
			wait_for 30 all_ready $((i + 1)) || die "processes do not start: $*"
		fi
	done
	wait_for 30 all_ready "$count" || die "processes do not start: $*"
}

all_ready() {
	(($(wc -l <"$work/ready") == $1))
}

idle_end() {
	local pid

	exec 9>&-
	rm "$work/in"
	for pid in $(jobs -p); do
		[[ " ${daemon_pid[*]} $peer_pid " == *" $pid "* ]] || wait "$pid"
	done
}
