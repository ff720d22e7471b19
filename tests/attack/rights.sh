#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Users send the daemon descriptors whose last close waits for a file system of theirs.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

touch "$TAP_DIR/file"
chmod 666 "$TAP_DIR/file"
hang() {
	"$LTTNGMAP_BUILD/tests/attack/dirty-file" "$TAP_DIR/file" &
	hanging=$!
	wait_for mountpoint -q "$TAP_DIR/file"
}
let_go() {
	kill -KILL "$hanging" 2>/dev/null
	umount -l "$TAP_DIR/file" 2>/dev/null
}
cleanup let_go
attack_before=hang attack_over=let_go
attack rights 8 "$TAP_DIR/file"
done_testing
