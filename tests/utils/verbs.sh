# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# verbs.sh - the command's verbs of sessions, on a session daemon that only
# plays one (fake_sessions.py); after tap.sh.
#
#   map VERB [ARGUMENT]...       runs it; sets $map_out, $map_err, $map_status
#   good NAME REGEX ARGUMENT...  it succeeds, and says that on standard output
#   bad NAME STATUS REGEX ARGUMENT...
#                                it fails so, says that on standard error, and
#                                changes nothing in the daemon
#   asked                        the last request that the daemon got

export XDG_RUNTIME_DIR=$TAP_DIR/run
export LTTNGMAP_SESSIOND=$LTTNGMAP_SRC/tests/utils/fake-sessiond
export FAKE_SESSIOND=stay FAKE_SESSIOND_LOG=$TAP_DIR/requests
unset LTTNGMAP_RUNTIME_DIR
mkdir -m 0700 "$XDG_RUNTIME_DIR" "$TAP_DIR/here"
cd "$TAP_DIR/here" || exit 1
# Root's own place is the system's: not for tests.
[[ $EUID != 0 ]] || export LTTNGMAP_RUNTIME_DIR=$XDG_RUNTIME_DIR/lttngmap
VERBS_RUNTIME=$XDG_RUNTIME_DIR/lttngmap

map() {
	map_out=$("$LTTNGMAP_BUILD/lttngmap" "$@" 2>"$TAP_DIR/stderr" </dev/null)
	map_status=$?
	map_err=$(<"$TAP_DIR/stderr")
}

good() {
	local name=$1 regex=$2

	shift 2
	map "$@"
	is "$map_status" 0 "$name" || diag "$map_err"
	[[ -z $regex ]] || like "$map_out" "$regex" "$name: said"
}

state() {
	"$LTTNGMAP_BUILD/lttngmap" list --json 2>&1
}

bad() {
	local name=$1 expected=$2 regex=$3 before

	shift 3
	before=$(state)
	map "$@"
	is "$map_status" "$expected" "$name: status $expected"
	like "$map_err" "$regex" "$name: said"
	[[ " $* " == *' --json '* ]] || is "$map_out" '' "$name: nothing on standard output"
	is "$(state)" "$before" "$name: nothing changed"
}

asked() {
	grep -v '"verb": "\(hello\|list\|status\)"' "$FAKE_SESSIOND_LOG" | tail -1
}

# The daemons that the command started; they told their numbers in the log.
verbs_end() {
	local pid

	for pid in $(sed -nE 's/^\{"arguments".*"pid": ([0-9]+).*/\1/p' "$FAKE_SESSIOND_LOG" \
		2>/dev/null); do
		kill "$pid" 2>/dev/null
	done
	rm -f "$VERBS_RUNTIME/control.sock"
}
cleanup verbs_end
