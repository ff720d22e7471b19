#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A process has a file mapped that is named as the library is, and whose page never comes: a daemon that
# looks for programs that were there before it reads there. All daemons of the machine do that.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

attack_path=$TAP_DIR/liblttngmap.so.0
attack_file hanging
attack library 1 "$attack_path"
done_testing
