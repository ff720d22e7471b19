#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A child of a program that has ended, which has not registered yet: its events
# are recorded all the same, also in a session that takes nobody but it.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

plan 6

make_session() { # NAME COMMAND...
	control '{"verb": "create", "session": "'"$1"'", "output": "'"$TAP_DIR/$1"'"}' \
		'{"verb": "channel", "session": "'"$1"'", "channel": "c", "subbuf_size": 4096,
		  "subbufs": 4, "mode": "discard"}' "${@:2}" \
		'{"verb": "enable", "session": "'"$1"'", "channel": "c", "rule": "orphan:*"}' \
		'{"verb": "start", "session": "'"$1"'"}' >/dev/null
}
events() { # SESSION
	babeltrace2 "$TAP_DIR/$1" | grep -c orphan:event
}

sessiond_start --clock=monotonic
mkfifo "$TAP_DIR/in"
exec {in}<>"$TAP_DIR/in"
LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$LTTNGMAP_BUILD/tests/utils/orphan" <"$TAP_DIR/in" \
	>"$TAP_DIR/out"
nobody() {
	! control '{"verb": "processes", "from": 0}' | grep -q '"pid"'
}
ok 'the program has ended' wait_for nobody
child=$(pgrep -u "$EUID" -f "^$LTTNGMAP_BUILD/tests/utils/orphan")
ok 'a session of all' make_session all
ok 'a session of the child' make_session child \
	'{"verb": "track", "session": "child", "kind": "pid", "value": '"$child"'}'
echo >&"$in"
said() { grep -q 'done' "$TAP_DIR/out"; }
ok 'the child has written its events' wait_for said
control '{"verb": "stop", "session": "all"}' '{"verb": "stop", "session": "child"}' >/dev/null
is "$(events all)" 3 'they are in the one trace'
is "$(events child)" 3 'and in the other'
sessiond_stop
