#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# System calls of the session daemon for forked children that write a few events each: those whose
# number does not depend on how busy the machine is. The daemon asks once for what never changes,
# and once for many children where it can.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

command -v strace >/dev/null || skip_all 'strace is not installed'
[[ $EUID == 0 ]] || skip_all 'only root may trace the daemon'
need_plain
children=100
plan 7

sessiond_start
control '{"verb": "create", "session": "s", "output": "'"$TAP_DIR/trace"'"}' \
	'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 65536, "subbufs": 4,
	  "mode": "discard"}' \
	'{"verb": "enable", "session": "s", "channel": "c", "rule": "lttng_ust_libc:malloc"}' \
	'{"verb": "start", "session": "s"}' >/dev/null
strace -f -c -o "$TAP_DIR/calls" -p "$(pgrep -P "$sessiond_pid" -f "runtime-dir=$SESSIOND_DIR")" \
	2>"$TAP_DIR/attached" &
tracer=$!
end_tracer() {
	[[ -z $tracer ]] || kill "$tracer"
}
cleanup end_tracer
is_attached() {
	grep -q 'attached' "$TAP_DIR/attached"
}
ok 'strace looks at the daemon' wait_for is_attached
LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR LD_PRELOAD=$LTTNGMAP_PLAIN/.libs/liblttngmap-libc.so \
	perl -e 'for (1 .. $ARGV[0]) {
		my $child = fork;
		if (!$child) {
			my $text = "x" x (100000 + $child);
			exit;
		}
		waitpid $child, 0;
	}' "$children"
# All that they wrote is read.
control '{"verb": "stop", "session": "s"}' >/dev/null
kill -INT "$tracer"
wait "$tracer"
tracer=

calls() { # NAME: how many of them
	awk -v name="$1" '$NF == name { print $4; found = 1 } END { if (!found) print 0 }' "$TAP_DIR/calls"
}
at_most() { # CALL COUNT WHY
	local count

	count=$(calls "$1")
	ok "$1: $count, $3" test "$count" -le "$2" || diag "$(cat "$TAP_DIR/calls")"
}
ok "all children are answered" test "$(calls sendmsg)" -gt "$children"
at_most fstatfs 10 'which kind of file a pidfd is, and how large the disk is, is not asked for each'
at_most getrandom $((children / 10)) 'random numbers are had for many children at once'
at_most recvmsg $((children * 33 / 10)) 'a message and its sender are one call'
at_most ioctl $((children * 33 / 10)) "a new memory's flags are not asked for"
sessiond_stop TERM
is "$sessiond_status" 0 'the daemon ends well'
