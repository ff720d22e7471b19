#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Members of the group tracing start, rotate, clear, flush, take snapshots, stop, all the time.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

attack_in_tracing
mkdir -m 0777 "$TAP_DIR/member"
attack_as 65001 65002
attack storm 4 "$TAP_DIR/member"
done_testing
