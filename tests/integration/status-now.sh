#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `status` of a session that is active tells of each event at once, whether or not a sub-buffer
# is full: kept, or in the buffers yet.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
count() { # KEY
	"$LTTNGMAP_BUILD/lttngmap" status s --json | sed -nE "s/.*\"$1\": ?([0-9]+).*/\1/p"
}
mkfifo "$TAP_DIR/in"
sessiond_start

# told NAME CREATE-OPTIONS CHANNEL-OPTIONS; `live`: sent to a collector, and watched there
told() {
	local steady total

	if [[ $2 == live ]]; then
		control '{"verb": "create", "session": "s", "output": "'"$TAP_DIR/$1"'",
			"url": "net://localhost", "live_ms": 1000}' \
			>/dev/null
	else
		do_all "create s -o $TAP_DIR/$1 $2"
	fi
	do_all "channel c -s s $3" 'enable steady:* -s s -c c' 'start s'
	"$LTTNGMAP_BUILD/tests/utils/steady" 1565 wait <"$TAP_DIR/in" >"$TAP_DIR/out" &
	steady=$!
	exec 5>"$TAP_DIR/in"
	wait_for grep -q end "$TAP_DIR/out"
	# Of the first answer: nobody waits for anything.
	total=$("$LTTNGMAP_BUILD/lttngmap" status s --json)
	like "$total" '"written": ?1566,' "$1: all are written"
	is "$(($(sed -nE 's/.*"kept": ?([0-9]+).*/\1/p' <<<"$total") + \
		$(sed -nE 's/.*"buffered": ?([0-9]+).*/\1/p' <<<"$total")))" 1566 \
		"$1: kept, or in the buffers"
	if [[ $2 == *--snapshot* ]]; then
		like "$("$LTTNGMAP_BUILD/lttngmap" status s)" '1,566 events written' "$1: people see it"
	elif [[ $2 == '' ]]; then
		like "$("$LTTNGMAP_BUILD/lttngmap" status s)" ' events? kept.*; [0-9,]* more in the buffers' \
			"$1: people see it"
	fi
	exec 5>&-
	wait "$steady"
	do_all 'stop s'
	[[ $2 == *--snapshot* ]] || is "$(count kept):$(count buffered)" 1566:0 "$1: then all are kept"
	do_all 'destroy s'
}
told process '' ''
told user '' '--buffers user'
told overwrite '' '--mode overwrite'
told blocking '' '--mode blocking'
told recorder --snapshot ''
told live live ''
done_testing
