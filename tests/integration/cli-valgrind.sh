#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Each verb of the command under valgrind, which has nothing to say: with a
# daemon, with what is refused, and where there is no daemon. In the short form a third of them a
# day; the others run without it. Then a traced program that forks, which valgrind finds no fault
# with: its child writes to rings that lie where its parent's did, with a filter and without.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/short.sh"

[[ -z ${LTTNGMAP_SANITIZED:-} ]] || skip_all 'valgrind and sanitizers exclude each other'
command -v valgrind >/dev/null || skip_all 'valgrind is not installed'

. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
cleanup sessiond_stop
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
mkdir "$TAP_DIR/here"
cd "$TAP_DIR/here" || exit 1
complaint=99

# clean STATUS ARGUMENT...: the command ends with the status, and valgrind is silent.
clean() {
	local expected=$1 status under=()

	shift
	: >"$TAP_DIR/valgrind"
	! short_takes 1 3 || under=(valgrind -q --error-exitcode="$complaint" --trace-children=no
		--log-file="$TAP_DIR/valgrind")
	"${under[@]}" "$LTTNGMAP_BUILD/lttngmap" "$@" >"$TAP_DIR/out" 2>"$TAP_DIR/err" </dev/null
	status=$?
	# valgrind 3.19 does not know openat2, and says so in five lines.
	sed -i '/unhandled amd64-linux syscall: 437/,+4d' "$TAP_DIR/valgrind"
	is "$status:$(<"$TAP_DIR/valgrind")" "$expected:" "${under:+valgrind, }${*:-no verb}" ||
		diag "$(tail -n 20 "$TAP_DIR/err")"
}

clean 1 list
clean 2 nonsense
clean 0 help record
sessiond_start --mediator=ring-socket
clean 0 create s -o trace
clean 1 create s -o again
clean 0 channel c -s s --subbuf-size 4K --subbufs 4 --mode discard
clean 2 channel c --subbuf-size 5K
clean 0 context vpid vtid -c c -s s
clean 0 enable 'steady:*' -s s -c c --filter 'number > 3'
clean 1 enable 'steady:*' -s s -c c --filter 'number >'
clean 0 track --pid 1,2 -s s
clean 0 untrack --all -s s
clean 0 start s
"$LTTNGMAP_BUILD/tests/utils/steady" 2000 >/dev/null
clean 0 events
clean 0 status s
clean 0 rotate s
clean 0 stop s
clean 0 list s
clean 0 list --json
clean 0 save s -o saved.json
clean 0 clear s
clean 0 disable 'steady:*' -s s -c c
clean 0 remove 'steady:*' -s s -c c
clean 0 view trace
clean 0 view --json trace
clean 0 view trace -e 'steady:*' -p 'st*' --from +0 --to +100 -f text --color always
clean 0 export trace --perfetto trace.perfetto
clean 0 export trace --chrome trace.json --counter steady:event.number
clean 0 report -o trace.html trace
clean 0 destroy s
sed -i 's/"active": *true/"active": false/' saved.json
clean 0 load saved.json -o loaded
clean 1 load "$TAP_DIR/none"
clean 0 record -q --preload none -o recorded -e 'steady:*' -- \
	"$LTTNGMAP_BUILD/tests/utils/steady" 2000
clean 0 view recorded

# More than a page of events, on whatever CPU.
cat >forks.sh <<'END_SCRIPT'
(for ((i = 0; i < 500; i++)); do : </dev/zero; done)
wait
END_SCRIPT
"$LTTNGMAP_BUILD/lttngmap" record -q --preload io --subbuf-size 4K --subbufs 32 -o forked -e lttngmap_io:open -- \
	valgrind -q --error-exitcode="$complaint" --log-file="$TAP_DIR/valgrind" bash forks.sh \
	>"$TAP_DIR/out" 2>"$TAP_DIR/err" </dev/null
is "$?:$(<"$TAP_DIR/valgrind")" 0: 'valgrind, a traced program that forks' || diag "$(<"$TAP_DIR/err")"
is "$("$LTTNGMAP_BUILD/lttngmap" view forked | grep -c 'path="/dev/zero"')" 500 '  ... and its events'

# Filters: a forked child has them, too.
"$LTTNGMAP_BUILD/lttngmap" record -q --preload io --subbuf-size 4K --subbufs 32 -o filtered -e lttngmap_io:open \
	--filter 'path == "/dev/z*"' -- valgrind -q --error-exitcode="$complaint" --log-file="$TAP_DIR/valgrind" \
	bash forks.sh >"$TAP_DIR/out" 2>"$TAP_DIR/err" </dev/null
is "$?:$(<"$TAP_DIR/valgrind"):$(<"$TAP_DIR/err")" 0:: 'valgrind, a traced program whose events pass a filter'
is "$("$LTTNGMAP_BUILD/lttngmap" view filtered | grep -c 'path="/dev/zero"')" 500 '  ... which are there'
done_testing
