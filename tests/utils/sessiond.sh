# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# sessiond.sh - a session daemon for an integration test; after tap.sh.
#
#   sessiond_start [OPTION]...   in $SESSIOND_DIR; its messages in $TAP_DIR/log
#   control MESSAGE...           to it; see tests/utils/control.c
#   do_all STEP...               `lttngmap STEP` each, its words as one argument here; in vain: the end
#   sessiond_stop [SIGNAL]       sets $sessiond_status; KILL is for the supervisor too
#   sessiond_signal SIGNAL       to supervisor and daemon
#   sessiond_consumer            prints its process id: of each session's, a line; of an idle one, where
#                                there is no session
#   are_gone PID...              have they ended?

# Programs wait for their registration so long as it takes, not 100 ms, which a busy machine may
# exceed. Tests of that, and of what must not wait, unset LTTNGMAP_ALLOW_BLOCKING.
export LTTNGMAP_ALLOW_BLOCKING=1

SESSIOND_DIR=$TAP_DIR/run
sessiond_pid=

control() {
	"$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" "$@"
}

do_all() {
	local step

	for step in "$@"; do
		# shellcheck disable=SC2086 # words
		"$LTTNGMAP_BUILD/lttngmap" $step >"$TAP_DIR/out" 2>&1 || bail_out "$step: $(<"$TAP_DIR/out")"
	done
}

# Wait for a command to succeed, a minute at most: a busy machine may stand still for seconds.
wait_for() {
	local i

	for ((i = 0; i < 3000; i++)); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.02
	done
	diag "waited in vain for: $*"
	return 1
}

sessiond_before=()           # a command that executes the daemon
sessiond_sessions=(--forget) # what becomes of sessions when it ends: (): the next one has them
sessiond_start() {
	"${sessiond_before[@]}" "$LTTNGMAP_BUILD/lttngmap-sessiond" --runtime-dir="$SESSIOND_DIR" \
		"${sessiond_sessions[@]}" "$@" >>"$TAP_DIR/log" 2>&1 &
	sessiond_pid=$!
	wait_for control || bail_out "the session daemon does not start: $(cat "$TAP_DIR/log")"
}

# The supervisor first: else it would start another. The daemon, whose last will it is to end well
# when its supervisor is gone, has no time for that where it is to be killed.
sessiond_signal() {
	local daemon

	daemon=$(pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR")
	[[ $1 != KILL || -z $daemon ]] || kill -STOP "$daemon" 2>/dev/null
	kill -"$1" "$sessiond_pid" 2>/dev/null
	[[ -z $daemon ]] || kill -"$1" "$daemon" 2>/dev/null
}

sessiond_consumer() {
	pids_of "lttngmap-consumerd --control=$SESSIOND_DIR/"
}

# Have these processes ended, with all of their threads? Whoever is killed holds its files until then.
are_gone() {
	! ps -o stat= -p "$(IFS=, && echo "$*")" | grep -qvE '^[XZ][^l]*$'
}

sessiond_stop() {
	[[ -n $sessiond_pid ]] || return 0
	if [[ ${1:-} == KILL ]]; then
		sessiond_signal KILL
	else
		kill -"${1:-TERM}" "$sessiond_pid" 2>/dev/null
	fi
	wait "$sessiond_pid" 2>/dev/null
	# shellcheck disable=SC2034 # for who includes this
	sessiond_status=$?
	sessiond_pid=
}
cleanup sessiond_stop
