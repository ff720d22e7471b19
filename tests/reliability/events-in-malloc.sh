#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Row 20, as programs have it: signal handlers emit, three deep, in a program that
# calls malloc all the time, each call of which is traced (--preload libc). Each
# event is in the trace once, whole. At the ring alone: tests/unit/ring-nested.c.
#
#   LTTNGMAP_SOAK_SECONDS   50 times as many
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"

need_plain
nested=2000
[[ -z ${LTTNGMAP_SOAK_SECONDS:-} ]] || nested=100000

numbered_record_traced --preload libc -e 'lttng_ust_libc:*' --mode blocking --subbuf-size 64K --subbufs 4 -- \
	"$LTTNGMAP_PLAIN/tests/utils/processes" nested "$nested"
is "$numbered_status" 0 'the program ends' || diag "$(cat "$TAP_DIR/err")"
numbered_is_whole 'all that it emitted is there, once'
ok "calls of malloc were traced: ${numbered_others:-?}" test "${numbered_others:-0}" -gt "$nested"
ok 'handlers came three deep' test "${numbered_done:-0}" -ge $((6 * nested))
figure 20 "$numbered_done events of a program and its signal handlers, $nested times three deep, and \
$numbered_others of its malloc and free: ${numbered_missing:-?} missing"
done_testing
