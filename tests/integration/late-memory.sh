#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A program that asks for a channel's memory while the daemon does not answer:
# what it emits meanwhile is lost, and counted where it belongs; when the daemon
# is back, all goes on.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

plan 9

value() { # KEY SESSION
	control '{"verb": "status", "session": "'"$2"'"}' | sed -nE "s/.*\"$1\": ?([0-9]+).*/\1/p"
}
counted() { # SESSION: written, kept, discarded
	echo "$(value written "$1") $(value kept "$1") $(value discarded "$1")"
}
verb() { # VERB SESSION
	control '{"verb": "'"$1"'", "session": "'"$2"'"}' >/dev/null
}
make_session() { # NAME RULE
	control '{"verb": "create", "session": "'"$1"'", "output": "'"$TAP_DIR/$1"'"}' \
		'{"verb": "channel", "session": "'"$1"'", "channel": "c", "subbuf_size": 4096,
		  "subbufs": 4, "mode": "discard"}' \
		'{"verb": "enable", "session": "'"$1"'", "channel": "c", "rule": "'"$2"'"}' >/dev/null
}
said() { # ROUNDS: so many are done
	[[ $(wc -l <"$TAP_DIR/done") -ge $1 ]]
}
round() { # [LINE]
	local before

	before=$(wc -l <"$TAP_DIR/done")
	echo "${1:-}" >&"$rounds"
	wait_for said $((before + 1))
}
registered() {
	control '{"verb": "events", "from": 0}' | grep -q 'levels:debug'
}

# ThreadSanitizer forks for vfork.
rounds_build=$LTTNGMAP_BUILD
[[ ${LTTNGMAP_SANITIZED:-} != *=thread* ]] || { need_plain; rounds_build=$LTTNGMAP_PLAIN; }

# A busy daemon may be too late for a program's start.
start_program() {
	local try looks

	for ((try = 0; try < 10; try++)); do
		exec {rounds}> >(LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR \
			exec "$rounds_build/tests/utils/rounds" >"$TAP_DIR/done")
		program=$!
		for ((looks = 0; looks < 25; looks++)); do
			! registered || return 0
			sleep 0.02 # Whether it comes too late, nobody says.
		done
		exec {rounds}>&-
	done
	return 1
}

sessiond_start --no-supervise
start_program || bail_out 'no program registers'
make_session other 'levels:error'
verb start other
round

make_session late 'levels:*'
verb start late
kill -STOP "$sessiond_pid"
ok 'a program runs on while its daemon is stopped' round
kill -CONT "$sessiond_pid"
wait_for control
# The late answer has to be there, else what comes now is lost, too. Only the program sees it.
sleep 0.2
round
verb stop late
is "$(counted late)" '3 3 3' 'what it emitted was lost, and counted; then all goes on'
is "$(babeltrace2 "$TAP_DIR/late" 2>/dev/null | grep -c 'round = 2')" 3 'as the trace shows'

# Never asked again: nobody but the session's end sees what was counted.
make_session never 'levels:*'
verb start never
kill -STOP "$sessiond_pid"
round
kill -CONT "$sessiond_pid"
wait_for control
sleep 0.2 # the late answer, as above
verb stop never
is "$(counted never)" '0 0 3' 'lost, and never asked for again: counted all the same'
verb start never
round
verb stop never
is "$(counted never)" '3 3 3' 'but once'

verb stop other
is "$(counted other)" '5 5 0' 'another session counts none of it'

# Its requests would not be answered: the parent asks after it, and waits for no answer to these.
if [[ $(id -u) == 0 ]]; then
	make_session vfork 'levels:*'
	verb start vfork
	round vfork
	round
	verb stop vfork
	is "$(counted vfork)" '3 3 3' 'what a child of vfork that became another user emits is counted'
else
	skip 1 'only root becomes another user'
fi

make_session ended 'levels:*'
verb start ended
kill -STOP "$sessiond_pid"
round
exec {rounds}>&-
wait_for eval "! kill -0 $program"
kill -CONT "$sessiond_pid"
verb stop ended
is "$(counted ended)" '0 0 3' 'of a program that ended meanwhile, too'
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
