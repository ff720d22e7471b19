#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Traced processes write records that no reader can read, of each kind, again and again: the
# others' events stay readable, for babeltrace2 and for view.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

attack_rules+=('forge:*')
forge() { # DIR PROGRAM
	export LTTNGMAP_RUNTIME_DIR=$1 LTTNGMAP_ALLOW_BLOCKING=1
	while :; do
		for kind in id time back length string sound; do
			"$2" "$kind" &
		done
		wait
		sleep 0.5 # the pace of the attack
	done
}
export -f forge
attack_look() {
	local status shown

	"$LTTNGMAP_BUILD/lttngmap" view "$TAP_DIR/first" >"$TAP_DIR/view" 2>"$TAP_DIR/view-errors"
	status=$?
	shown=$(grep -c 'numbered:event' "$TAP_DIR/view")
	is "$status:$shown" "0:$numbered_done" "$1: view shows all events of the victims" ||
		diag "$(head -n 5 "$TAP_DIR/view-errors")"
	ok "$1: forged records were left out" test "$(grep -c 'which is left out' "$TAP_DIR/log")" -ge 1
}
attack_with forge setpriv --reuid=@UID@ --regid=@UID@ --clear-groups bash -c 'forge "$@"' bash \
	@DIR@ "$LTTNGMAP_BUILD/tests/utils/forge"
done_testing
