# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# sessiond.sh - a session daemon for an integration test; after tap.sh.
#
#   sessiond_start [OPTION]...   in $SESSIOND_DIR; its messages in $TAP_DIR/log
#   control MESSAGE...           to it; see tests/utils/control.c
#   sessiond_stop [SIGNAL]       sets $sessiond_status

SESSIOND_DIR=$TAP_DIR/run
sessiond_pid=

control() {
	"$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" "$@"
}

# Wait up to 10 s for a command to succeed.
wait_for() {
	local i

	for ((i = 0; i < 500; i++)); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.02
	done
	diag "waited in vain for: $*"
	return 1
}

sessiond_start() {
	"$LTTNGMAP_BUILD/lttngmap-sessiond" --runtime-dir="$SESSIOND_DIR" "$@" \
		>>"$TAP_DIR/log" 2>&1 &
	sessiond_pid=$!
	wait_for control || bail_out "the session daemon does not start: $(cat "$TAP_DIR/log")"
}

sessiond_stop() {
	[[ -n $sessiond_pid ]] || return 0
	kill -"${1:-TERM}" "$sessiond_pid" 2>/dev/null
	wait "$sessiond_pid" 2>/dev/null
	sessiond_status=$?
	sessiond_pid=
}
cleanup sessiond_stop
