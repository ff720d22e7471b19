#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The daemon as a service: started by its control socket, and its units.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

if command -v systemd-socket-activate >/dev/null; then
	mapfile -t environment < <(compgen -e -X '!*SAN_OPTIONS')
	mkdir -m 0700 "$SESSIOND_DIR"
	# It hands on no other environment, and a sanitizer wants its options.
	NOTIFY_SOCKET='' systemd-socket-activate --seqpacket --listen="$SESSIOND_DIR/control.sock" \
		"${environment[@]/#/--setenv=}" \
		"$LTTNGMAP_BUILD/lttngmap-sessiond" --runtime-dir="$SESSIOND_DIR" \
		--consumer=none >"$TAP_DIR/log" 2>&1 &
	sessiond_pid=$!
	ok 'somebody listens for it' wait_for test -S "$SESSIOND_DIR/control.sock"
	ok 'and it does not run yet' test ! -e "$SESSIOND_DIR/app.sock"
	like "$(control '{"verb": "list"}')" '"ok": ?true' 'who asks it something starts it'
	ok 'it traces' test -S "$SESSIOND_DIR/app.sock" -a -d "$SESSIOND_DIR/rings"
	like "$(control '{"verb": "list"}')" '"ok": ?true' 'it goes on'
	sessiond_stop
	is "$sessiond_status" 0 'it ends well'
	is "$(ls -A "$SESSIOND_DIR")" control.sock 'and leaves the socket to whoever made it'
else
	skip 7 'there is no systemd-socket-activate'
fi
output=$(LISTEN_FDS=1 LISTEN_PID=$$ bash -c 'LISTEN_PID=$$ exec "$0" --runtime-dir="$1" 3<&-' \
	"$LTTNGMAP_BUILD/lttngmap-sessiond" "$TAP_DIR/none" 2>&1)
like "$output" 'LISTEN_FDS.*unit' 'sockets that are not there are an error'
output=$(timeout 20 python3 -c '
import os, socket, sys
stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
stream.bind(sys.argv[2] + ".stream")
stream.listen()
os.dup2(stream.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execv(sys.argv[1], [sys.argv[1], "--runtime-dir=" + sys.argv[2]])
' "$LTTNGMAP_BUILD/lttngmap-sessiond" "$TAP_DIR/none" 2>&1)
like "$output" 'LISTEN_FDS.*unit' 'and so is one of another kind'

if command -v systemd-analyze >/dev/null; then
	mkdir "$TAP_DIR/units"
	for kind in system user; do
		for unit in "$LTTNGMAP_BUILD/systemd/$kind"/lttngmap-sessiond.{service,socket}; do
			# Not installed yet, maybe.
			sed "s|^ExecStart=[^ ]*|ExecStart=$LTTNGMAP_BUILD/lttngmap-sessiond|" \
				"$unit" >"$TAP_DIR/units/${unit##*/}"
		done
		output=$(systemd-analyze verify --man=no "--$kind" \
			"$TAP_DIR/units/lttngmap-sessiond.socket" \
			"$TAP_DIR/units/lttngmap-sessiond.service" 2>&1 | grep lttngmap)
		is "$output" '' "systemd takes the $kind units"
	done
	sed "s|^ExecStart=[^ ]*|ExecStart=$LTTNGMAP_BUILD/lttngmap|" \
		"$LTTNGMAP_BUILD/systemd/system/lttngmap-metrics.service" >"$TAP_DIR/units/lttngmap-metrics.service"
	output=$(systemd-analyze verify --man=no --system "$TAP_DIR/units/lttngmap-metrics.service" 2>&1 | grep lttngmap)
	is "$output" '' 'and that of the metrics'
	# It makes /run/systemd where that is missing.
	if [[ $EUID == 0 || -d /run/systemd ]]; then
		exposure=$(systemd-analyze security --offline=yes "$TAP_DIR/units/lttngmap-metrics.service" 2>&1 | tail -1)
		like "$exposure" ' (OK|SAFE) ' '  ... which may do little' || diag "$exposure"
	fi
	command="systemd-analyze security --offline=yes $TAP_DIR/units/lttngmap-sessiond.service"
	diag "$($command 2>/dev/null | tail -1)"
else
	skip 4 'there is no systemd-analyze'
fi

# The calls of a unit's SystemCallFilter=, sets taken apart.
calls_of() { # KIND
	local word

	for word in $(sed -n 's/^SystemCallFilter=//p' \
		"$LTTNGMAP_BUILD/systemd/$1/lttngmap-sessiond.service"); do
		expand "$word"
	done
}
expand() { # @SET or CALL
	local word

	if [[ $1 != @* ]]; then
		echo "$1"
		return
	fi
	for word in $(systemd-analyze syscall-filter "$1" | sed -n 's/^ \+//p' | grep -v '^#'); do
		expand "$word"
	done
}
if [[ -n ${LTTNGMAP_SANITIZED:-} ]]; then
	skip 4 'a sanitizer makes system calls of its own'
elif command -v systemd-analyze >/dev/null; then
	kind=user
	[[ $EUID != 0 ]] || kind=system
	trace=$TAP_DIR/trace
	rm -rf "$SESSIOND_DIR"
	calls_of "$kind" >"$TAP_DIR/calls"
	"$LTTNGMAP_BUILD/tests/utils/only-calls" "$LTTNGMAP_BUILD/lttngmap-sessiond" \
		--runtime-dir="$SESSIOND_DIR" <"$TAP_DIR/calls" >>"$TAP_DIR/log" 2>&1 &
	sessiond_pid=$!
	wait_for control || diag "$(cat "$TAP_DIR/log")"
	ok "with the $kind unit's calls a session is started" control \
		'{"verb": "create", "session": "s", "output": "'"$trace"'"}' \
		'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 65536,
		  "subbufs": 4, "mode": "discard"}' \
		'{"verb": "enable", "session": "s", "channel": "c", "rule": "steady:*"}' \
		'{"verb": "start", "session": "s"}'
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$LTTNGMAP_BUILD/tests/utils/steady" 1000 >/dev/null
	ok 'and stopped' control '{"verb": "stop", "session": "s"}'
	is "$(babeltrace2 "$trace" 2>&1 | wc -l)" 1001 'and its trace is complete'
	sessiond_stop
	is "$sessiond_status" 0 'and the daemon ends well'
	diag "$(cat "$TAP_DIR/log")"
else
	skip 4 'there is no systemd-analyze'
fi
done_testing
