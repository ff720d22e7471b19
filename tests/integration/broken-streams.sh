#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Programs, of another user where root runs the test, write records into their rings that no reader
# can read, of each kind, while five others are traced: babeltrace2, view, export and report show all
# events of the others, and the forgers' packets are left out, counted, and named. The owner's own
# packets are left out by view, export and report.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

others=5 each=4000
kinds=(id time back length string)
trace=$TAP_DIR/trace
lttngmap=$LTTNGMAP_BUILD/lttngmap
emit=$LTTNGMAP_BUILD/tests/utils/emit
forge=$LTTNGMAP_BUILD/tests/utils/forge
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR LTTNGMAP_ALLOW_BLOCKING=1 TMPDIR=$TAP_DIR
: >"$NUMBERED_COUNTS"

chmod 711 "$TAP_DIR"
as_stranger=()
if [[ $EUID == 0 ]] &&
	setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$forge"; then
	as_stranger=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi

sessiond_start
ok 'a session is started' control '{"verb": "create", "session": "s", "output": "'"$trace"'"}' \
	'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 16384, "subbufs": 8,
	  "mode": "blocking"}' \
	'{"verb": "enable", "session": "s", "channel": "c", "rule": "*"}' \
	'{"verb": "start", "session": "s"}'
children=()
for ((i = 0; i < others; i++)); do
	"$emit" "$NUMBERED_COUNTS" 1 "$each" &
	children+=($!)
done
"${as_stranger[@]}" "$forge" flip "$TAP_DIR/stop" >"$TAP_DIR/flip" 2>&1 &
flip=$!
is "$("${as_stranger[@]}" "$forge" sound 2>&1)" 10 'a program that leaves its records alone'
for kind in "${kinds[@]}"; do
	is "$("${as_stranger[@]}" "$forge" "$kind" 2>&1)" 10 "a record is forged: $kind"
done
bad=0
for child in "${children[@]}"; do wait "$child" || bad=$((bad + 1)); done
is "$bad" 0 'the others end well'
touch "$TAP_DIR/stop"
wait "$flip"
is $? 0 'so does who changes a record all the time'
ok 'the session stops' control '{"verb": "stop", "session": "s"}'
control '{"verb": "status", "session": "s"}' >"$TAP_DIR/status"
value() { sed -n 's/.*"'"$1"'": \([0-9]*\).*/\1/p' "$TAP_DIR/status"; }

# of_others FILE: the events of the five, each of which is there once.
of_others() { grep -c 'numbered:event' "$1"; }
all=$((others * each))

# The owner's own packets are not checked before they are written: readers leave them out.
if [[ ${#as_stranger[@]} == 0 ]]; then
	"$lttngmap" view "$trace" >"$TAP_DIR/view" 2>"$TAP_DIR/err"
	is $? 3 'view tells by its status that something is left out'
	is "$(of_others "$TAP_DIR/view")" "$all" '... and shows all of the others'
	named=$(grep -cE 'c_forge-[0-9]+-[0-9]+_[0-9]+ of forge \(process [0-9]+\) is broken: packet' "$TAP_DIR/err")
	ok "$named broken streams are named" test "$named" -ge 5 -a "$named" -le 6 ||
		diag "$(<"$TAP_DIR/err")"
	"$lttngmap" export --json "$TAP_DIR/json" "$trace" 2>/dev/null
	is "$?:$(of_others "$TAP_DIR/json")" "3:$all" 'so does export'
	"$lttngmap" report -o "$TAP_DIR/page.html" "$trace" 2>/dev/null
	is $? 3 'and report'
	done_testing
	exit
fi

# Each forger emitted ten events, in one packet; the one that changes all the time may be in or out.
ok "their events are counted: $(value broken)" test "$(value broken)" -ge 50 -a "$(value broken)" -le 60
is "$(($(value kept) + $(value broken) + $(value overwritten)))" "$(value written)" \
	'all that was written is kept or counted'
declare -A what=(
	[id]='unknown event \(event id 65534,' [time]='event with a time outside' [back]='event with a time outside'
	[length]='runs past the packet' [string]='without an end')
for kind in "${kinds[@]}"; do
	ok "what was wrong is said: $kind" grep -qE \
		"forge \(process [0-9]+, user [0-9]+\) .* stream c_forge-[0-9]+-[0-9]+_[0-9]+, packet [0-9]+: .*${what[$kind]}" \
		"$TAP_DIR/log" || diag "$(<"$TAP_DIR/log")"
done
is "$(grep -c 'which is left out' "$TAP_DIR/log")" "$(($(value broken) / 10))" 'once for each process'

into() { "${@:2}" >"$1"; } # FILE COMMAND...
ok 'babeltrace2 reads the trace' into "$TAP_DIR/all" babeltrace2 "$trace"
kept=$(value kept)
is "$(wc -l <"$TAP_DIR/all")" "$kept" 'it has all that was kept'
mkdir -p "$TAP_DIR/others/ust/index"
ln "$trace/ust/metadata" "$trace"/ust/c_emit-* "$TAP_DIR/others/ust"
ln "$trace"/ust/index/c_emit-* "$TAP_DIR/others/ust/index"
numbered_trace=$TAP_DIR/others
numbered_check
is "$numbered_sound:$numbered_missing:$numbered_discarded" 0:0:0 \
	'nothing of the others is wrong or missing' || diag "$(<"$TAP_DIR/found")"
is "$numbered_done" "$((others * each))" 'all of them'
ok 'view' into "$TAP_DIR/view" "$lttngmap" view "$trace"
is "$(grep -c . "$TAP_DIR/view")" "$kept" '... shows all that was kept'
ok 'view --json' into "$TAP_DIR/view" "$lttngmap" view --json "$trace"
is "$(grep -c . "$TAP_DIR/view")" "$kept" '... shows it, too'
ok 'view --follow' into "$TAP_DIR/view" "$lttngmap" view --follow "$trace"
is "$(grep -c . "$TAP_DIR/view")" "$kept" '... likewise'
ok 'export' "$lttngmap" export --json "$TAP_DIR/json" "$trace"
is "$(grep -c . "$TAP_DIR/json")" "$kept" '... likewise'
ok 'report' "$lttngmap" report -o "$TAP_DIR/page.html" "$trace"
is "$(find "$TAP_DIR" -maxdepth 1 -name 'lttngmap-view-*' | wc -l)" 0 'nothing had to be made for that'
done_testing
