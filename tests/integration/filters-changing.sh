#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Rules with filters come and go while a program emits as fast as it can: what a
# rule that stays is for is recorded all the while, and nothing that no rule is
# for.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

export LTTNGMAP_RUNTIME_DIR=$TAP_DIR/run
lttngmap=$LTTNGMAP_BUILD/lttngmap
program=$LTTNGMAP_BUILD/tests/utils/filtered
events=${FILTERS_EVENTS:-6000000}
cd "$TAP_DIR" || exit 1
daemon=

end_daemon() {
	local i

	[[ -n $daemon ]] || return 0
	# A daemon that ends leaves its sessions to the next one.
	"$lttngmap" destroy --all >/dev/null 2>&1
	kill "$daemon" 2>/dev/null
	for ((i = 0; i < 250; i++)); do
		[[ -e $LTTNGMAP_RUNTIME_DIR ]] || return 0
		sleep 0.02
	done
	diag "the daemon $daemon does not end"
}
cleanup end_daemon

good() { # NAME ARGUMENT...
	local name=$1

	shift
	output=$("$lttngmap" "$@" 2>&1 </dev/null)
	is "$?" 0 "$name" || diag "$output"
}

good 'a session' create s -o trace
daemon=$(sed -nE 's/.*started lttngmap-sessiond, process ([0-9]+)$/\1/p' <<<"$output")
good 'its channel' channel c --subbuf-size 64K --subbufs 4 --mode blocking
good 'the rule that stays' enable 'filtered:*' -f 'number % 1000 == 3'
good 'start' start

LTTNGMAP_ALLOW_BLOCKING=1 "$program" "$events" >out </dev/null &
pid=$!
rounds=0 failed=0
while kill -0 "$pid" 2>/dev/null; do
	# Of many lengths, so that filters take each other's place in memory.
	filter="number % 1000 == 7 && wide != $rounds"
	for ((i = 0; i < rounds % 40; i++)); do
		filter+=" && number != -$i"
	done
	"$lttngmap" enable 'filtered:*' -f "$filter" --json >answer 2>&1 || failed=1
	id=$(sed -nE 's/.*"id": ([0-9]+).*/\1/p' answer)
	((rounds % 2)) || "$lttngmap" disable --id="$id" >answer 2>&1 || failed=1
	"$lttngmap" remove --id="$id" >answer 2>&1 || failed=1
	((failed == 0)) || break
	rounds=$((rounds + 1))
done
is "$failed" 0 'rules come and go' || diag "$(<answer)"
wait "$pid"
is "$?:$(<out)" 0:emitted 'the program ends well'
ok "while it runs, $rounds times" test "$rounds" -ge 5
good 'stop' stop
like "$("$lttngmap" status --json)" '"discarded": 0, "overwritten": 0' 'nothing is lost'
good 'destroy' destroy

babeltrace2 trace 2>warnings |
	sed -nE 's/.* filtered:(numbers|plain): .*\{ number = ([0-9-]+), .*/\1 \2/p' >recorded
is "$(<warnings)" '' 'the trace is well'
is "$(awk '$2 % 1000 == 3' recorded | sort | uniq | wc -l)" $((2 * events / 1000)) \
	'all that the rule is for that stays'
is "$(awk '$2 % 1000 != 3 && $2 % 1000 != 7' recorded | wc -l)" 0 'nothing that no rule is for'
is "$(sort recorded | uniq -d | wc -l)" 0 'nothing twice'
ok 'some of what came and went' test "$(awk '$2 % 1000 == 7' recorded | wc -l)" -gt 0
done_testing
