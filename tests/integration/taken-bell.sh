#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A program that has a file of its own where the library had its eventfd: full
# sub-buffers write nothing into that file, and its events are recorded.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
sessiond_start
do_all "create s -o $TAP_DIR/trace" 'channel c --mode discard --subbuf-size 4K --subbufs 64' \
	'enable taken:*' 'start'
# Without a number beyond the limit, which no program comes by.
size=$(ulimit -n 256 && "$LTTNGMAP_BUILD/tests/utils/taken-bell" "$TAP_DIR/file")
is "$?" 0 'a program takes the number of the eventfd'
is "$size" 0 'nothing is written to its file'
do_all stop
ok 'its events are in the trace' test "$("$LTTNGMAP_BUILD/lttngmap" view "$TAP_DIR/trace" | grep -c taken:event)" -gt 1000
do_all destroy
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
