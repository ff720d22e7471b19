#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# In a session whose processes share their user's rings, a hostile process, and a child that outlives
# it, keep `awake` set there, so that none of that user's programs rings: nothing of another user
# waits.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

attack_buffers=user
attack_rules+=('steady:*')
awake() { # DIR ATTACKER PROGRAM
	export LTTNGMAP_RUNTIME_DIR=$1 LTTNGMAP_ALLOW_BLOCKING=1
	"$2" awake "$1" 120 4 &
	# Events of that user, so that there is something to be silent about.
	while :; do
		"$3" 10000
	done
}
export -f awake
attack_with awake setpriv --reuid=@UID@ --regid=@UID@ --clear-groups bash -c 'awake "$@"' bash \
	@DIR@ "$attacker" "$LTTNGMAP_BUILD/tests/utils/steady"
done_testing
