#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Members of the group tracing send deep, long and repeated JSON.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

attack_in_tracing
mkdir -m 0777 "$TAP_DIR/member"
attack deep 4 "$TAP_DIR/member"
done_testing
