#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A process that damages its rings: each summary names it, and what it says it lost is told apart
# from what was lost.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
lttngmap=$LTTNGMAP_BUILD/lttngmap
forge=$LTTNGMAP_BUILD/tests/utils/forge
cleanup touch "$TAP_DIR/stop"

is_closed() {
	"$lttngmap" status s --json | grep -q '"closed_rings": \?[1-9]'
}
sessiond_start
do_all "create s -o $TAP_DIR/trace" 'channel c -s s' 'enable forge:* -s s -c c' 'start s'
"$forge" lost "$TAP_DIR/stop" >"$TAP_DIR/out" &
pid=$!
damaged="  [12] rings? closed, damaged by forge \\($pid\\); claimed, which nobody can check: 10 more events lost"
ok 'its rings are closed' wait_for is_closed || diag "$("$lttngmap" status s)"
like "$("$lttngmap" status s)" "$damaged" 'status names it, and what it claims'
touch "$TAP_DIR/stop"
wait "$pid"
output=$("$lttngmap" stop s --json)
like "$output" '"written": ?0, ?"kept": ?0, ?"buffered": ?0, ?"discarded": ?0, ?"overwritten": ?0' \
	'no sum has what it claims'
like "$output" '"claimed": ?10, ?"damagers": ?\[ ?\{ ?"pid": ?'"$pid"', ?"name": ?"forge" ?\}' \
	'stop --json has it apart'
do_all 'start s'
output=$("$lttngmap" destroy s)
like "$output" "$damaged" 'destroy tells of it, though it has ended'
ok 'nothing else is lost' test "${output/lost: they were in the buffers/}" = "$output"

rm "$TAP_DIR/stop"
# shellcheck disable=SC2016 # for that shell
"$lttngmap" record --preload none -e 'forge:*' -o "$TAP_DIR/recorded" -- sh -c \
	'"$0" lost "$1" & sleep 1; touch "$1"; wait' "$forge" "$TAP_DIR/stop" >/dev/null 2>"$TAP_DIR/err"
like "$(<"$TAP_DIR/err")" '[12] rings? closed, damaged by forge \([0-9]+\)' 'record tells of it'
done_testing
