#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Traced processes hold the inode locks of all memories that they have: each by a write
# whose source is a page that a file system of the user's never gives.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

touch "$TAP_DIR/file"
hang() {
	"$LTTNGMAP_BUILD/tests/utils/hanging-file" "$TAP_DIR/file" &
	hanging=$!
	wait_for mountpoint -q "$TAP_DIR/file"
}
let_go() {
	kill -KILL "$hanging" 2>/dev/null
	umount -l "$TAP_DIR/file" 2>/dev/null
}
cleanup let_go
attack_before=hang attack_over=let_go
attack inode 2 "$TAP_DIR/file"
done_testing
