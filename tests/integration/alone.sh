#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Programs that ask the daemon for nothing any more: they closed their descriptors, or are under a seccomp
# filter. They are traced in the channels that were started before, and named in those that are started later.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

plan 11

lttngmap=$LTTNGMAP_BUILD/lttngmap
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR

session() { # NAME: is started
	"$lttngmap" create "$1" -o "$TAP_DIR/$1" >/dev/null && "$lttngmap" enable 'levels:*' -s "$1" >/dev/null &&
		"$lttngmap" start "$1" >/dev/null
}
said() { # LINES: so many were answered
	[[ $(wc -l <"$TAP_DIR/done") -ge $1 ]]
}
tell() { # LINE: to the program, and wait
	local before

	before=$(wc -l <"$TAP_DIR/done")
	echo "$1" >&"$lines"
	wait_for said $((before + 1))
}
registered() {
	"$lttngmap" status --json 2>/dev/null | grep -q . && control '{"verb": "events", "from": 0}' | grep -q 'levels:debug'
}
start_program() {
	: >"$TAP_DIR/done"
	exec {lines}> >(exec "$LTTNGMAP_BUILD/tests/utils/rounds" >"$TAP_DIR/done")
	program=$!
	wait_for registered
	wait_for test -S "$SESSIOND_DIR/app.sock"
}
counts() { # SESSION: processes traced, events kept and discarded, not traced, why
	"$lttngmap" stop --json "$1" >"$TAP_DIR/json" 2>/dev/null
	python3 - "$TAP_DIR/json" <<-'PYTHON'
		import json, sys
		status = json.load(open(sys.argv[1]))
		status = status.get("sessions", [status])[0] if isinstance(status.get("sessions"), list) else status
		why = ",".join(u["why"] for u in status.get("untraced", []))
		print(status["kept"], status["discarded"], status["not_traced"], why)
	PYTHON
}

sessiond_start --no-supervise
for way in filter close; do
	start_program
	session "$way-before"
	# The filter comes before the first event; descriptors are closed after it.
	[[ $way == filter ]] || tell round
	tell "$way"
	tell round
	session "$way-later"
	tell round
	ok "$way: the program lives" kill -0 "$program"
	is "$(counts "$way-before")" "$([[ $way == filter ]] && echo 6 || echo 9) 0 0 " \
		"$way: it is traced in what was started before" || diag "$(cat "$TAP_DIR/json")"
	is "$(counts "$way-later")" '0 0 1 alone' "$way: it is named in what was started later" || diag "$(cat "$TAP_DIR/json")"
	like "$(cat "$TAP_DIR/log")" 'rounds \(pid [0-9]+\) is not traced in channel .*: it closed its descriptors' \
		"$way: a message tells why"
	"$lttngmap" destroy "$way-before" >/dev/null
	"$lttngmap" destroy "$way-later" >/dev/null
	exec {lines}>&-
	wait "$program"
	: >"$TAP_DIR/log"
done
# One whose channel was there before has rings of its slot.
start_program
session again
tell round
tell close
"$lttngmap" stop again >/dev/null
"$lttngmap" start again >/dev/null
tell round
is "$(counts again)" '6 0 0 ' 'a channel that is stopped and started again goes on'
exec {lines}>&-
wait "$program"
is $? 0 'the program ends well'
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
