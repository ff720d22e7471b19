#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The runtime directory is on a small file system. Two users register all processes and large
# classes that they may.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

mount -t tmpfs -o size=24m none "$attack_run" || bail_out 'no tmpfs'
cleanup umount -l "$attack_run"
chmod 0711 "$attack_run"

attack_look() { # NAME
	local left

	left=$(df --output=avail -k "$attack_run" | tail -n 1)
	ok "$1: $left KiB of the file system are free" test "$left" -ge $((24 * 1024 / 8 - 512))
	ok "$1: the log says what is full" grep -q 'its share of the runtime directory' "$TAP_DIR/log"
	is "$(grep -c 'it will not know\|No space' "$TAP_DIR/log")" 0 "$1: all was saved"
}

attack_as 65001 65002
attack_with room setpriv --reuid=@UID@ --regid=@UID@ --clear-groups sh -c \
	'"$1" hoard "$2" 120 2 & "$1" classes "$2" 120 1 & exec "$1" enums "$2" 120 1' sh "$attacker" @DIR@
done_testing
