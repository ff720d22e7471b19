#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Traced processes hold the inode locks of all memories that they have: each by a write
# whose source is a page that a file system of the user's never gives.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

attack_file hanging
attack inode 2 "$attack_path"
done_testing
