#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Members of the group tracing make as many sessions as they may: each next one has some, too, and
# root has its own.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be several users'
group=$(getent group tracing | cut -d: -f3)
[[ -n $group ]] || skip_all 'there is no group tracing (addgroup --system tracing)'

chmod 0755 "$TAP_DIR"
ask() { # UID MESSAGE...
	setpriv --reuid="$1" --regid="$1" --groups="$group" --no-new-privs \
		"$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" "${@:2}"
}
# How many sessions the user gets.
make_all() { # UID
	local i answer

	for ((i = 0; i < 20; i++)); do
		answer=$(ask "$1" '{"verb": "create", "session": "s'$i'", "output": "/nowhere/'$i'"}')
		[[ $answer != *'"ok": false'* ]] || break
	done
	echo "$i"
}

sessiond_start
is "$(make_all 65011) $(make_all 65012) $(make_all 65013) $(make_all 65014)" '16 16 8 4' \
	'each user leaves half of what is left'
ok 'root makes one' control '{"verb": "create", "session": "r", "output": "'"$TAP_DIR/r"'"}'
like "$(ask 65011 '{"verb": "create", "session": "more", "output": "/nowhere/more"}')" \
	'has 16 sessions already' 'who has all of its own hears how many'
sessiond_stop
done_testing
