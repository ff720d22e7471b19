#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The verbs of sessions with the real daemons, and a program that runs all the
# while: what they set up is what stands in the traces.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

export LTTNGMAP_RUNTIME_DIR=$TAP_DIR/run
lttngmap=$LTTNGMAP_BUILD/lttngmap
steady=$LTTNGMAP_BUILD/tests/utils/steady
mkdir "$TAP_DIR/here"
cd "$TAP_DIR/here" || exit 1
daemon=

end_daemon() {
	local i

	[[ -n $daemon ]] || return 0
	# A daemon that ends leaves its sessions to the next one.
	"$lttngmap" destroy --all >/dev/null 2>&1
	kill "$daemon" 2>/dev/null
	for ((i = 0; i < 1500; i++)); do
		[[ -e $LTTNGMAP_RUNTIME_DIR ]] || return 0
		sleep 0.02
	done
	diag "the daemon $daemon does not end"
}
cleanup end_daemon

# good NAME REGEX ARGUMENT..., bad NAME REGEX ARGUMENT...: as in verbs.sh.
good() {
	local name=$1 regex=$2

	shift 2
	output=$("$lttngmap" "$@" 2>"$TAP_DIR/stderr" </dev/null)
	is "$?" 0 "$name" || diag "$(<"$TAP_DIR/stderr")"
	[[ -z $regex ]] || like "$output" "$regex" "$name: said"
}
# A session's counters move by themselves; its set-up does not.
state() {
	"$lttngmap" list --json 2>&1
}
bad() {
	local name=$1 regex=$2 before

	shift 2
	before=$(state)
	output=$("$lttngmap" "$@" 2>&1 >"$TAP_DIR/stdout" </dev/null)
	is "$?" 1 "$name: status 1"
	like "$output" "$regex" "$name: said"
	is "$(<"$TAP_DIR/stdout")" '' "$name: nothing on standard output"
	is "$(state)" "$before" "$name: nothing changed"
}
events() { # DIR: in how many lines of it
	"$lttngmap" view "$1" 2>/dev/null | wc -l
}

good create '^created session web: ' create web -o web
daemon=$(sed -nE 's/.*started lttngmap-sessiond, process ([0-9]+)$/\1/p' "$TAP_DIR/stderr")
like "$daemon" '^[0-9]+$' 'which starts the daemon'
ok 'that stays' kill -0 "$daemon"
bad 'create: twice' "session 'web'.*already" create web -o again
ok 'which leaves no directory' test ! -e again
good 'create another' '' create other -o other

good channel '' channel c -s web --subbuf-size 64K --subbufs 4
bad 'channel: twice' "'c' already" channel c -s web
good 'change it' '' channel c -s web --change --subbufs 8
like "$("$lttngmap" list web)" 'channel c: discard, 8 sub-buffers of 64.0 KiB' 'as the list shows'
good 'another channel' '' channel d -s web
good 'remove it' '' channel d -s web --remove
bad 'remove it: twice' "no channel 'd'" channel d -s web --remove
bad 'start: no channel' 'no channel' start other
good enable "^enabled 'steady:\*' in channel c of session web, as rule [0-9]+" enable 'steady:*' -s web
good 'enable, no channel yet' 'added channel events' enable 'none:*' -s other
bad 'enable: no such channel' "no channel 'x'" enable a:b -s web -c x
good 'enable: of later programs' 'match now: 0; those of programs that start later will match, too' \
	enable 'later:*' -s other
bad 'enable: no colon' "'x' has no ':'; a rule is PROVIDER:NAME" enable x -s web
is "$(grep -o 'PROVIDER:NAME' <<<"$output" | wc -l)" 1 '  ... the form of a rule is told once'
bad 'enable: no rule' 'cannot enable|rule' enable 'a b' -s web
bad 'a session that is not there' "no session 'x'" start x
good track '' track -s web --name steady
good 'untrack' '' untrack -s web --all
bad 'untrack: not tracked' 'track' untrack -s web --pid 1

good start '' start web
good 'start the other' '' start other
good 'status of one without a program' 'processes: 0' status other
like "$(<"$TAP_DIR/stderr")" 'no program is traced yet:.*LD_PRELOAD=.*liblttngmap-libc.so,.*lttngmap attach' \
	'  ... tells how unchanged programs are traced'
good 'track nobody' '' track -s other --name nosuch
good 'status of one that takes nobody' 'processes: 0' status other
like "$(<"$TAP_DIR/stderr")" 'trackers take is traced yet: .lttngmap list SESSION.*untrack --all' '  ... names the trackers as the reason'
good 'untrack them' '' untrack -s other --all
bad 'start: twice' 'already' start web
ok 'a program' "$steady" 100
good stop '101 events kept' stop web
is "$(events web)" 101 'its events are in the trace'
bad 'stop: twice' 'not started' stop web
good 'stop the other' ' 0 events kept' stop other
good status 'session web: stopped.*101 events kept' status web
good 'the events are known' 'steady:event \(INFO\) \{ number: int32, text: ' events

good disable '^disabled 1 rule' disable 'steady:*' -s web
good 'start again' '' start web
ok 'a program again' "$steady" 100
good 'stop again' '101 events kept' stop web
good 'enable again' '' enable 'steady:*' -s web
good 'start a third time' '' start web
mkfifo pipe
"$steady" 10 wait <pipe >began &
program=$!
exec 9>pipe
for ((i = 0; i < 1500; i++)); do
	grep -q end began && break
	sleep 0.02
done
good 'list processes' "^$program steady \(user " list --processes
like "$("$lttngmap" list --processes --events)" \
	"$program steady.*  steady:event \(INFO\)" 'with their events'
like "$("$lttngmap" events --pid "$program")" '^steady:event' 'of one'
good 'a misspelt field' 'match now: 0' enable 'steady:event' -f 'numbr > 1 && text == "numbr"' -s other
like "$(<"$TAP_DIR/stderr")" "has no field 'numbr'.*did you mean 'number'" '  ... the right one is named'
is "$(grep -c 'did you mean' "$TAP_DIR/stderr")" 1 '  ... and no rule that was right'
good 'a misspelt event' '' enable 'steady:evnt' -s other
like "$(<"$TAP_DIR/stderr")" "did you mean 'steady:event'" '  ... is named as before'
good 'context as add-context' 'added 1 context' context -t vpid -s other
exec 9>&-
wait "$program"
# The daemon knows its events yet, and judges no filter by them.
good 'a misspelt field, of a program that ended' 'match now: 0' enable 'steady:event' -f 'numbr > 2' -s other
like "$(<"$TAP_DIR/stderr")" "'steady:event' of a program that ended has no field 'numbr'.*did you mean 'number'" '  ... is named, too'
if [[ $EUID == 0 ]]; then
	mkfifo held
	"$lttngmap" enable 'lttng_ust_libc:malloc' -s other >/dev/null && "$lttngmap" start other >/dev/null
	LD_PRELOAD=$LTTNGMAP_PLAIN/.libs/liblttngmap-libc.so perl -MPOSIX -e 'POSIX::setuid(65534);
		$| = 1; print "changed\n"; <STDIN>' <held >changed &
	program=$!
	exec 9>held
	for ((i = 0; i < 1500; i++)); do
		grep -q changed changed && break
		sleep 0.02
	done
	good 'list one that changed its user' "^([^\n]*\n)*$program perl \(user 65534," list --processes
	like "$("$lttngmap" top --once)" "$program +nobody +perl" '  ... as top does'
	exec 9>&-
	wait "$program"
	"$lttngmap" stop other >/dev/null
else
	skip 3 'only root changes its user'
fi
good 'stop a third time' '112 events kept' stop web

good save '' save -o saved.json
before=$(state | sed -E 's/"id": [0-9]+, //g')
good 'destroy all' 'destroyed session web.*destroyed session other' destroy --all
is "$(events web)" 112 'the trace stays'
good load '^loaded 2 sessions' load -o loaded saved.json
is "$(state | sed -E 's/"id": [0-9]+, //g')" \
	"${before//"$PWD/"/"$PWD/loaded/"}" 'all is as it was saved'
good 'and can be started' '' start web
good 'and stopped' '' destroy web

if [[ $EUID == 0 ]]; then
	chmod 0711 "$TAP_DIR"
	copy=$TAP_DIR/copy
	"$LTTNGMAP_BUILD/libtool" --mode=install cp "$lttngmap" "$copy" >/dev/null 2>&1
	before=$(state)
	output=$(cd / && setpriv --reuid=65534 --regid=65534 --clear-groups "$copy" list 2>&1)
	is "$?" 1 "another user's daemon: status 1"
	like "$output" 'Permission denied|is user 0' "another user's daemon: said"
	is "$(state)" "$before" "another user's daemon: nothing changed"
else
	skip 3 'only root can be another user'
fi
# A session that is left is the next daemon's, and so is the directory.
"$lttngmap" destroy --all >/dev/null
end_daemon
ok 'the daemon ends, and its directory' test ! -e "$LTTNGMAP_RUNTIME_DIR"
done_testing
