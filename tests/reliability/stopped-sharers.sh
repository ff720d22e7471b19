#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# As stopped-writers.sh, where all of these programs write into the same rings, one
# after another: whoever was killed in its event leaves them as they are to be for the next.
export LTTNGMAP_TEST_BUFFERS=user LTTNGMAP_TEST_STRIDE=${LTTNGMAP_TEST_STRIDE:-97}
. "$LTTNGMAP_SRC/tests/reliability/stopped-writers.sh"
