#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap trigger`: firings are counted exactly, by rseq and by trylock; a snapshot is taken where an
# event passes a filter; once a period, and so often; daemons that are killed before and in a round;
# floods; other users; conditions of sessions and maps; what is refused.

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
emit=$LTTNGMAP_BUILD/tests/utils/emit
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR HOME=$TAP_DIR
cd "$TAP_DIR" || exit 1
sessiond_sessions=()
sessiond_start --consumer="$LTTNGMAP_BUILD/lttngmap-consumerd"
cleanup sessiond_stop
cleanup eval '"$lttngmap" destroy --all >/dev/null 2>&1'
cleanup eval 'kill -CONT $stopped 2>/dev/null'
stopped=

trigger() {
	timeout 60 "$lttngmap" trigger "$@"
}
# add NAME ARGUMENT...: as a test
add() {
	trigger add "$@" >said 2>&1
	is $? 0 "trigger $1" || diag "$(<said)"
}
# member TRIGGER NAME: of the list
member() {
	trigger list --json | jq -r --arg name "$1" --arg key "$2" \
		'.triggers[] | select(.trigger == $name) | .[$key] // "none"'
}
has() { [[ $(member "$1" "$2") == "$3" ]]; }
has_some() { [[ $(member "$1" rounds) -ge 1 ]]; }
done_with() { has "$1" rounds "$2" && has "$1" under_way none; } # TRIGGER ROUNDS: and their actions
# rounds TRIGGER JQ: of all that are kept
rounds() {
	trigger wait "$1" --after 0 --json --timeout 20s | jq -c "$2"
}
# emits THREADS EVENTS
emits() {
	: >counts
	"$emit" counts "$@" >out 2>&1
}
snapshots() {
	find "$1" -mindepth 1 -maxdepth 1 -name 'snapshot-*' 2>/dev/null | wc -l
}

# ---- counted -------------------------------------------------------------------------------------

is "$(trigger list)" 'no triggers' 'there is no trigger'
add all --on event:numbered:event --capture source
add none --on event:numbered:event --filter 'number > 100000000'
like "$(trigger list | xargs)" 'all: on event numbered:event captures source does notify rounds: 0, events: 0' \
	'the list has them'
is "$("$lttngmap" complete -- trigger remove al | cut -f1)" all 'shells complete their names'
emits 8 5000
: >counts
GLIBC_TUNABLES=glibc.pthread.rseq=0 "$emit" counts 8 5000 >out 2>&1
ok '10,000 firings are counted' wait_for has all events 10000
is "$(member all lost)" 0 '  ... and none is lost'
is "$(member none events)" 0 '  ... and none of a filter that none passes'
few=$(member all rounds)
ok "  ... in a few rounds: $few" test "$few" -ge 1 -a "$few" -lt 5000
trigger remove none
rm -f stop
: >counts
before=$(member all rounds)
"$emit" counts 1 100000000 stop >out 2>&1 &
program=$!
# The first event takes the general way; those after it are to ring, too.
again() { [[ $(member all rounds) -ge $((before + 4)) ]]; }
ok 'a program that lives rings again and again' wait_for again || diag "$(trigger list)"
: >stop
wait $program
rm -f stop
trigger remove all

# ---- told, with what is captured -------------------------------------------------------------------

add point --on 'event:numbered:event' --filter 'number == 7' --capture 'number, text' --times 1
"$lttngmap" trigger wait point --json --timeout 60s >told 2>&1 &
waits=$!
waiting() { grep -qE '^(7|271) ' "/proc/$waits/syscall"; } # poll() or ppoll()
wait_for waiting
emits 1 100
wait $waits
is $? 0 'who waits is told'
like "$(jq -c '[.last, .rounds[0].events, .rounds[0].captured]' told)" '^\[1,1,\[\[\[7,"[a-z]+"\],1\]\]\]$' \
	'  ... what was captured' || diag "$(<told)"
is "$(member point spent)" true 'what is to be once is over'
emits 1 100
is "$(member point rounds)" 1 '  ... and comes no more'
trigger wait point >said 2>&1
is $? 1 '  ... and nobody can wait for it'
like "$(<said)" 'no round comes any more' '  ... which is told'
trigger remove point
add later --on event:numbered:event
"$lttngmap" trigger wait later --timeout 60s >said 2>&1 &
waits=$!
wait_for waiting
trigger remove later
wait $waits
like "$(<said)" 'was removed' 'who waits for one that is removed is told'
add later --on event:numbered:event
trigger wait later --timeout 200ms >said 2>&1
is $? 1 'who waits for so long'
like "$(<said)" 'no round of later in 200ms' '  ... is told that none came'
trigger remove later

# ---- a snapshot --------------------------------------------------------------------------------------

do_all 'create --snapshot rec -o rec' 'enable numbered:* -s rec' 'start rec'
add slow --on event:numbered:event --filter 'number == 4000' --do snapshot:rec --every 1h
emits 1 5000
# shellcheck disable=SC2034 # for wait_for
taken() { [[ $(snapshots rec) -eq 1 ]] && has slow rounds 1; }
ok 'an event takes a snapshot' wait_for taken
traced() { "$lttngmap" view rec/snapshot-1-* 2>/dev/null | grep -q 'number=4000 '; }
ok '  ... which has the event' wait_for traced || diag "$("$lttngmap" view rec/snapshot-1-* 2>&1 | tail -3)"
emits 1 5000
is "$(member slow rounds)" 1 'once in a period'
like "$(member slow muted_ms)" '^3[0-9]{6}$' '  ... for the rest of which it is mute'
is "$(snapshots rec)" 1 '  ... and no other snapshot is taken'
trigger remove slow
add again --on event:numbered:event --filter 'number == 40' --every 50ms
emits 1 50
ok 'a period ends' wait_for has again rounds 1
twice() { emits 1 50; [[ $(member again rounds) -ge 2 ]]; }
ok '  ... and it comes again' wait_for twice
trigger remove again

# ---- other actions, and conditions ------------------------------------------------------------------

do_all 'create s -o s' 'enable numbered:* -s s' 'map add m numbered:event'
add on --on event:numbered:event --filter 'number == 1' --do start:s --times 1
active() { [[ $("$lttngmap" status s --json | jq .active) == "$1" ]]; }
# A program whose rings come late on a busy machine loses its first events.
starts() { emits 1 2; active true; }
ok 'an event starts a session' wait_for starts
trigger remove on
add turn --on bytes:s --above 10K --do rotate:s --times 1
add chunk --on rotated:s
emits 1 6000
ok 'bytes rotate a session' wait_for has turn rounds 1
ok '  ... a chunk tells' wait_for has chunk rounds 1
add many --on count:m --above 5000 --do stop:s
emits 1 6000
ok 'a count of a map stops it' wait_for active false
is "$(member many failed)" 0 '  ... well'
emits 1 6000
ok '  ... and once more, where it is stopped' wait_for has many failed 1
like "$(trigger list)" '1 actions failed; the last: stop s: session s is not started' '  ... which is told'
is "$(rounds many '.rounds[0].value > 5000')" true '  ... with the value'
for name in turn chunk many; do trigger remove $name; done
do_all 'create d -o d' 'channel c -s d --subbuf-size 4K --subbufs 2 --mode discard' 'enable numbered:* -s d -c c' 'start d'
add lost --on lost:d --above 100
add full --on fill:d --above 40
stopped=$(sessiond_consumer)
# shellcheck disable=SC2086 # words
kill -STOP $stopped
emits 2 50000
ok 'lost events are told' wait_for has_some lost
ok 'a full ring is told' wait_for has_some full
# shellcheck disable=SC2086 # words
kill -CONT $stopped
for name in lost full; do trigger remove $name; done
do_all 'destroy d' 'map remove m' 'destroy s'

# ---- daemons that are killed ----------------------------------------------------------------------------

daemon() { pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR"; }
add once --on event:numbered:event --filter 'number == 70' --do snapshot:rec --capture number
emits 1 10
before=$(snapshots rec)
# The event comes while the daemon is stopped, which is killed then.
: >counts
rm -f stop
"$emit" counts 1 100000000 stop >out 2>&1 &
program=$!
ok 'a round, first' wait_for done_with once 1
: >stop
wait $program
ok '  ... is done' wait_for eval '[[ $(snapshots rec) -eq $((before + 1)) ]]'
is "$(member once missed)" 0 '  ... and not missed'
rm -f stop
: >counts
# It has its rings before the daemon stops.
"$LTTNGMAP_BUILD/tests/utils/emit-late" counts 70 go >out 2>&1 &
program=$!
late() { grep -q ready out; }
wait_for late
stopped=$(daemon)
kill -STOP "$stopped"
: >go
wait $program
kill -KILL "$stopped"
wait_for control
ok 'a daemon that is killed between event and action: the next one acts' wait_for done_with once 2
ok '  ... once' wait_for eval '[[ $(snapshots rec) -eq $((before + 2)) ]]'
is "$(member once missed):$(member once events)" 0:2 '  ... and knows of each event'
is "$(rounds once '.rounds[-1] | [.events, .others]')" '[1,1]' '  ... but not of values'
# In a round: a consumer that is stopped keeps the snapshot from being taken.
stopped=$(sessiond_consumer)
# shellcheck disable=SC2086 # words
kill -STOP $stopped
emits 1 80
ok 'a round begins' wait_for has once rounds 3
kill -KILL "$(daemon)"
# shellcheck disable=SC2086 # words
kill -CONT $stopped
wait_for control
is "$(member once missed):$(member once rounds)" 1:3 'a daemon that is killed in a round: that is told'
like "$(trigger list)" '1 rounds may have been missed' '  ... to people'
emits 1 80
ok '  ... and it goes on' wait_for done_with once 4
# Slots rest for a second after a restart.
ok 'trigger mute' wait_for trigger add mute --on event:numbered:event --every 1h
emits 1 10
ok 'one that is mute' wait_for has mute rounds 1
kill -KILL "$(daemon)"
wait_for control
emits 1 10
is "$(member mute rounds)" 1 '  ... stays so under the next daemon'
sessiond_stop
sessiond_start --consumer="$LTTNGMAP_BUILD/lttngmap-consumerd"
is "$(member once rounds):$(member once events)" 4:4 'the daemon after one that ended has its counts'
# Likewise.
ok '  ... and goes on' wait_for eval 'emits 1 80; has once rounds 5'
trigger remove once
trigger remove mute

# ---- floods --------------------------------------------------------------------------------------------

ok 'trigger flood' wait_for trigger add flood --on event:numbered:event
emits 4 2000000 &
program=$!
begin=${EPOCHREALTIME/./}
before=$(member flood rounds)
for _ in {1..20}; do control '{"verb": "list"}' >out 2>&1 || fail 'the daemon answers'; done
wait $program
after=$(member flood rounds)
seconds=$(((${EPOCHREALTIME/./} - begin) / 1000 + 1))
ok "a flood is bounded: $((after - before)) rounds in $seconds ms" test $((after - before)) -le $((seconds / 5 + 1))
ok '  ... and counted' wait_for has flood events 2000000 || diag "$(member flood events)"
trigger remove flood
ok 'trigger forged' wait_for trigger add forged --on event:numbered:event
emits 1 10
ok '  ... has events' wait_for has forged events 10
"$LTTNGMAP_BUILD/tests/utils/forge-map" >out 2>&1
is $? 0 'a program writes nonsense into its tables' || diag "$(<out)"
ok '  ... what was counted stays' test "$(member forged events)" -ge 10 -a "$(member forged events)" -le 11
is "$(member forged problem)" none '  ... and the daemon goes on'
trigger remove forged

# ---- refused -------------------------------------------------------------------------------------------

refused() { # NAME WANTED ARGUMENT...
	trigger "${@:3}" >said 2>&1
	is $? "${status:-1}" "$1" || diag "$(<said)"
	like "$(<said)" "$2" '  ... why'
}
refused 'a name that is none' 'is no name for a trigger' add a/b --on 'event:numbered:*'
refused 'a condition that is none' 'the condition is none of' add t --on frob:s
refused 'a session that is not there' "there is no session 'x'" add t --on lost:x
refused 'a map that is not there' "there is no map 'x'" add t --on count:x
refused 'an action that is none' 'an action is none of' add t --on 'event:numbered:*' --do frob
refused 'an action on nothing' "there is no session 'x'" add t --on 'event:numbered:*' --do stop:x
do_all 'create plain -o plain'
refused 'a snapshot of what is no flight recorder' 'is not a flight recorder' add t --on 'event:numbered:*' \
	--do snapshot:plain
refused 'what cannot be captured' 'ends here, but a value has to follow' add t --on 'event:numbered:*' --capture 'number +'
refused 'a trigger that is not there' "there is no trigger 't'" wait t
status=2 refused 'no condition' 'on what' add t
status=2 refused 'a filter of no event' 'are for events' add t --on lost:plain --filter 'a > 1'
status=2 refused 'a bound of events' 'not for events' add t --on 'event:numbered:*' --above 3
refused 'no time' "'soon' cannot be used" add t --on 'event:numbered:*' --every soon
add t --on 'event:numbered:*'
refused 'a name that is taken' "there is a trigger 't' already" add t --on 'event:numbered:*'
is "$("$lttngmap" map list):$("$lttngmap" list 2>&1 | grep -c 'numbered')" 'no maps:0' 'no map, and no session is seen'
trigger remove t
do_all 'destroy plain' 'destroy rec'

# ---- other users ---------------------------------------------------------------------------------------

group=$(getent group tracing | cut -d: -f3)
if [[ $EUID != 0 || -z $group ]] ||
	! setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$LTTNGMAP_PLAIN/.libs/liblttngmap.so"; then
	skip 1 'only root can be several users'
	done_testing
	exit
fi
chmod 0755 "$TAP_DIR"
mkdir -m 0777 one
: >one/counts
chmod 0666 one/counts
as() {
	setpriv --reuid=65534 --regid=65534 --groups="$group" --no-new-privs "$@"
}
ok 'trigger root' wait_for trigger add root --on event:numbered:event
as timeout 60 "$lttngmap" trigger add own --on event:numbered:event >said 2>&1
is $? 0 'a member of the group has a trigger' || diag "$(<said)"
root_fires() { emits 1 10 && has root events 10; }
ok "root's program fires root's trigger" wait_for root_fires
is "$(trigger list --json | jq '.triggers[] | select(.trigger == "65534/own") | .events')" 0 "  ... not another user's"
own_events() { as timeout 60 "$lttngmap" trigger list --json | jq '.triggers[0].events'; }
# Likewise, where rings come late.
own_fires() { as "$emit" one/counts 1 5 && [[ $(own_events) -ge 1 ]]; }
ok "its own does" wait_for own_fires
ok "  ... and root's, who takes all" wait_for eval '[[ $(member root events) -eq $((10 + $(own_events))) ]]'
is "$(as timeout 60 "$lttngmap" trigger list --json | jq -c '[.triggers[].trigger]')" '["own"]' 'it sees its own alone'
as timeout 60 "$lttngmap" trigger remove 0/root >said 2>&1
is $? 1 'and removes no other'
trigger remove 65534/own
trigger remove root
done_testing
