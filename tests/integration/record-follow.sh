#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `record --follow`: the recording has the events of descendants that outlive the program, and ends
# with the last of them or with ^C.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
export TMPDIR=$TAP_DIR
cd "$TAP_DIR" || exit 1
mkfifo gate

# Returns after 30 s at the latest: without --follow nothing is said, and the test fails.
wait_said() {
	for _ in {1..1500}; do
		grep -qs 'going on' said && return
		sleep 0.02
	done
}

# A daemon: of a session of its own, and an orphan. It allocates when the gate opens, after the program's end.
cat >daemon.sh <<'END'
read -r _ <gate
exec ls /
END
{
	wait_said
	echo >gate
} &
opener=$!
"$lttngmap" record --follow -o followed --preload libc -- \
	sh -c 'setsid sh -c "echo \$\$ >orphan; exec sh daemon.sh" >/dev/null & while [ ! -s orphan ]; do sleep 0.02; done; exit 3' 2>said
is $? 3 "the status is the program's"
wait "$opener"
like "$(<said)" "program has ended; going on for $(<orphan) \\(sh\\); \\^C" 'what it goes on for is named'
ok "a daemon's events are there" grep -q "^ls " <("$lttngmap" query --csv followed 'SELECT name || " " FROM processes')
ok '  ... and nothing is lost' grep -q ' 0 lost$' said

# Those that are left at ^C go on.
: >orphan
rm said # of the first recording, which would end the waiting
"$lttngmap" record --follow -o cut --preload libc -- \
	sh -c 'setsid sh -c "echo \$\$ >orphan; exec sleep 1000" & while [ ! -s orphan ]; do sleep 0.02; done' 2>said &
recorder=$!
wait_said
kill -INT "$recorder"
wait "$recorder"
is $? 0 '^C ends it'
ok '  ... and no process that is left' kill -0 "$(<orphan)"
ok '  ... with a trace' test -s "$(find cut -name metadata | head -n 1)"
kill "$(<orphan)"

"$lttngmap" record -o plain --preload libc -- sh -c 'sleep 1000 >/dev/null & echo $! >left' >/dev/null 2>said
is "$? $(grep -c 'going on' said)" '0 0' 'without --follow it ends with the program'
ok '  ... of which a process is left' kill -0 "$(<left)"
kill "$(<left)"
done_testing
