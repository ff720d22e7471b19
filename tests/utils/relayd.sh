# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# relayd.sh - a collector, LTTng's own, on loopback; after tap.sh.
#
#   relayd_start      into $RELAYD_DIR; at $RELAYD_URL, for viewers at
#                     $RELAYD_LIVE; elsewhere than on loopback where
#                     RELAYD_ADDRESS says so, and RELAYD_IN is what runs commands there
#   relayd_stop [SIGNAL]
#   relayed NAME      prints the newest folder of that session there, as soon as it is there
#   relayed_all NAME  all of them, the oldest first
#   same_trace NAME ONE OTHER   the streams of both folders are the same, byte by byte, and
#                     so is what the metadata says

RELAYD_DIR=$TAP_DIR/relayd
RELAYD_ADDRESS=127.0.0.1
RELAYD_IN=()
relayd_pid=
relayd_ports=()

# Does anybody listen at that port?
relayd_listens() {
	"${RELAYD_IN[@]}" bash -c "exec 3<>/dev/tcp/$RELAYD_ADDRESS/$1" 2>/dev/null
}

# Three that nobody listens at.
relayd_choose() {
	local port

	relayd_ports=()
	while [[ ${#relayd_ports[@]} -lt 3 ]]; do
		port=$((RANDOM % 20000 + 10000))
		relayd_listens "$port" || relayd_ports+=("$port")
	done
	# shellcheck disable=SC2034 # for who includes this
	RELAYD_URL=net://$RELAYD_ADDRESS:${relayd_ports[0]}:${relayd_ports[1]}
	# shellcheck disable=SC2034 # likewise
	RELAYD_LIVE=net://$RELAYD_ADDRESS:${relayd_ports[2]}
}

# Begins it, at the ports that were chosen; fails where it ends at once.
relayd_begin() {
	LTTNG_HOME=$TAP_DIR/home LD_PRELOAD='' "${RELAYD_IN[@]}" lttng-relayd -o "$RELAYD_DIR" \
		-C "tcp://$RELAYD_ADDRESS:${relayd_ports[0]}" \
		-D "tcp://$RELAYD_ADDRESS:${relayd_ports[1]}" \
		-L "tcp://$RELAYD_ADDRESS:${relayd_ports[2]}" >>"$TAP_DIR/relayd.log" 2>&1 &
	relayd_pid=$!
	for _ in {1..1500}; do
		kill -0 "$relayd_pid" 2>/dev/null || return 1
		relayd_listens "${relayd_ports[0]}" && return
		sleep 0.02
	done
	return 1
}

# Somebody else may have taken the ports since they were chosen.
relayd_start() {
	local chosen=${#relayd_ports[@]} try

	mkdir -p "$RELAYD_DIR" "$TAP_DIR/home"
	for try in 1 2 3; do
		[[ $chosen -gt 0 ]] || relayd_choose
		relayd_begin && return
		relayd_stop
	done
	bail_out "lttng-relayd does not start, $try times: $(cat "$TAP_DIR/relayd.log")"
}

# shellcheck disable=SC2120
relayd_stop() {
	[[ -n $relayd_pid ]] || return 0
	kill -"${1:-TERM}" "$relayd_pid" 2>/dev/null
	wait "$relayd_pid" 2>/dev/null
	relayd_pid=
}

relayed_all() {
	find "$RELAYD_DIR" -mindepth 2 -maxdepth 2 -name "$1-*" | sort
}

relayed() {
	relayed_all "$1" | tail -1
}

same_trace() {
	ok "$1: its streams and indexes are the same, byte by byte" \
		diff -r --exclude=metadata --exclude='.rel*' "$2" "$3"
	ok "$1: there are streams" test "$(find "$3" -name '*.idx' -size +0 | wc -l)" -gt 0
	is "$(relayed_metadata "$3")" "$(relayed_metadata "$2")" "$1: so is the metadata's text"
}

# Text, or packets of it, but for white space.
relayed_metadata() {
	python3 - "$1/metadata" <<'END'
import struct, sys
data = open(sys.argv[1], "rb").read()
text = b""
while data[:4] == b"\x57\x1d\xd1\x75":
    content, size = struct.unpack_from("<II", data, 24)
    text, data = text + data[37:content // 8], data[size // 8:]
print(" ".join((text + data).decode().split()))
END
}
