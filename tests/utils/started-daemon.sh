# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# started-daemon.sh - a session daemon that a verb has started in $LTTNGMAP_RUNTIME_DIR, and
# that is nobody's child; after tap.sh.
#
#   started_daemon TEXT    sets $daemon by what the verb said; fails where it started none
#   started_daemon_end     waits until it has gone; nothing where there is none

daemon=

started_daemon() {
	daemon=$(sed -nE 's/.*started lttngmap-sessiond, process ([0-9]+).*/\1/p' <<<"$1")
	[[ -n $daemon ]]
}

started_daemon_end() {
	local i

	[[ -n $daemon ]] || return 0
	kill "$daemon"
	for ((i = 0; i < 1500; i++)); do
		[[ -e $LTTNGMAP_RUNTIME_DIR/control.sock ]] || return 0
		sleep 0.02
	done
}
