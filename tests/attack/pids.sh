#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Strangers connect, leave their sockets to others, and end; victims get their process ids and
# are traced. Then somebody registers over each of those sockets.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

strangers=
attack_prepare() {
	rm -f "$TAP_DIR/go"
	setsid setpriv --reuid=65001 --regid=65001 --clear-groups \
		"$attacker" leave "$SESSIOND_DIR" 60 "${#attack_victims[@]}" "$TAP_DIR/go" >"$TAP_DIR/pids" &
	strangers=$!
	wait "$strangers"
	mapfile -t pids <"$TAP_DIR/pids"
	[[ ${#pids[@]} == "${#attack_victims[@]}" ]] || bail_out 'the strangers could not connect'
}
attack_victim() {
	"$LTTNGMAP_BUILD/tests/attack/as-pid" "${pids[$1]}" "${@:2}"
}
end_strangers() {
	[[ -z $strangers ]] || kill -KILL -- "-$strangers" 2>/dev/null
	strangers=
}
cleanup end_strangers
attack_look() {
	end_strangers
}
attack_with pids sh -c "touch '$TAP_DIR/go'; exec sleep 100"
done_testing
