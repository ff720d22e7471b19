#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Snapshots go to LTTng's own collector when they are taken: each in a folder of its own,
# called as LTTng's are, with what a local one has; nothing stays here, but what a
# collector that was away did not take.

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/relayd.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
export LTTNGMAP_SPOOL_DIR=$TAP_DIR/spool XDG_RUNTIME_DIR=$TAP_DIR/xdg LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
mkdir -m 700 "$LTTNGMAP_SPOOL_DIR" "$XDG_RUNTIME_DIR" "$SESSIOND_DIR"
cd "$TAP_DIR" || exit 1
: >counts
cleanup relayd_stop KILL
relayd_start
sessiond_start
cleanup sessiond_stop

# good NAME ARGUMENT...: what it says is in $output
good() {
	local name=$1

	shift
	output=$("$lttngmap" "$@" 2>&1 </dev/null)
	is $? 0 "$name" || diag "$output"
}
bad() { # STATUS NAME ARGUMENT...
	local status=$1 name=$2

	shift 2
	output=$("$lttngmap" "$@" 2>&1 </dev/null)
	is $? "$status" "$name: status" || diag "$output"
}
written() { # SESSION: events, so far
	"$lttngmap" status "$1" | sed -nE 's/^  ([0-9,]+) events written to the buffers.*/\1/p'
}
# A program is traced; again where it was not, for it waits for the daemon 100 ms only.
emit() { # SESSION EVENTS
	local before

	before=$(written "$1")
	for _ in 1 2 3; do
		"$LTTNGMAP_BUILD/tests/utils/emit" counts 2 "$2" >out 2>&1 || diag "$(<out)"
		[[ $(written "$1") == "$before" ]] || return 0
		diag 'the program was not traced'
	done
}
spooled() { find "$LTTNGMAP_SPOOL_DIR" -mindepth 1 | wc -l; }
shots() { # SESSION: the folders of its snapshots, the oldest first
	find "$RELAYD_DIR" -mindepth 3 -maxdepth 3 -path "*/$1-*/*" | sort -t - -k 1,1 -k 2,2n | sort -V
}
events_in() { babeltrace2 "$1" 2>>said | wc -l; }
: >said

good 'a flight recorder with a collector' create fr --snapshot --set-url "$RELAYD_URL"
like "$output" "^created session fr for snapshots: $RELAYD_URL\$" 'it says where its snapshots go'
is "$(spooled)" 1 'nothing sends: there is nothing yet'
good 'its channel' channel c -s fr --subbuf-size 64K --subbufs 8
good 'a rule' enable 'numbered:*' -s fr
good 'start it' start fr
emit fr 20000

# The programs have ended: all snapshots have the same, and so has a local one.
good 'a snapshot' snapshot fr
like "$output" "^snapshot of session fr: [1-9][0-9,]* events, .*: $RELAYD_URL\$" 'is there, not here'
is "$(spooled)" 1 'nothing of it stays'
good 'another one' snapshot --json fr
like "$output" "\"number\": 2, \"url\": \"$RELAYD_URL\", \"events\": [1-9][0-9]*, \"bytes\": [0-9]+, \"least\": [0-9]+ }\$" '  ... as JSON'
good 'one that stays here, too' snapshot fr -o here
like "$output" "^[^:]*: [1-9][0-9,]* events, .*: $PWD/here\$" '  ... which is said'
mapfile -t found < <(shots fr)
is "${#found[@]}" 3 'three are at the collector'
like "${found[*]##*/}" \
	'^snapshot-1-[0-9]{8}-[0-9]{6}-0 snapshot-1-[0-9]{8}-[0-9]{6}-1 snapshot-1-[0-9]{8}-[0-9]{6}-2$' \
	'  ... called as LTTng calls them'
is "$(relayed_all fr | wc -l)" 1 '  ... in one folder of the session'
same_trace 'the local one' here/ust "${found[2]}/ust"
number=$(events_in here)
is "$(events_in "${found[0]}") $(events_in "${found[1]}")" "$number $number" \
	'all have as many events as the local one'
ok "many: $number" test "$number" -ge 5000
is "$(<said)" '' 'babeltrace2 has nothing to say of them'
# Room for a sub-buffer of each of two rings.
good 'a small one' snapshot fr --max-size 136K
mapfile -t found < <(shots fr)
ok '  ... is smaller there, too' test "$(events_in "${found[3]}")" -lt "$number"
good 'it can be cleared' clear fr
good 'a snapshot of nothing' snapshot fr
like "$output" ': 0 events' '  ... has nothing'

# ---- a collector that is away

emit fr 20000
relayd_stop
bad 1 'while the collector is away' snapshot fr --timeout 300ms
like "$output" "does not take all of the trace" '  ... that is said'
hint=$(sed -n 's/.*`lttngmap \(relay --spool .*\)` sends it$/\1/p' <<<"$output")
like "$hint" "^relay --spool --session fr $RELAYD_URL $LTTNGMAP_SPOOL_DIR/" '  ... and how it is sent later'
left=${hint##* }
number=$(events_in "$left")
ok "  ... it lies here: $number events" test "$number" -ge 5000
good 'the session is destroyed' destroy fr
like "$output" "were not sent lie in ${left%/*}" '  ... which says what was not sent'
relayd_start
# shellcheck disable=SC2086 # words
good 'that command sends it' $hint
is "$(events_in "$(relayed fr)")" "$number" '  ... all of it'
ok '  ... and removes it' test ! -e "$left"
rmdir "$LTTNGMAP_SPOOL_DIR"/* || diag 'more lay there'

# ---- to any collector

good 'a flight recorder without one' create plain --snapshot -o "$TAP_DIR/plain"
good 'its channel' channel c -s plain --subbuf-size 64K
good 'its rule' enable 'numbered:*' -s plain
good 'start that' start plain
bad 1 'a snapshot of nothing' snapshot plain --url "$RELAYD_URL"
is "$(spooled)" 0 '  ... leaves no folder'
emit plain 1000
good 'a snapshot to a collector' snapshot plain --url "$RELAYD_URL"
like "$output" ": $RELAYD_URL\$" '  ... goes there'
is "$(spooled) $(find plain -mindepth 1 2>/dev/null | wc -l)" '0 0' '  ... and nowhere else'
is "$(events_in "$(shots plain)")" 1000 '  ... with all events'
good 'that is destroyed, too' destroy plain
good 'a session of which all was sent' create fr --snapshot --set-url "$RELAYD_URL"
good 'is destroyed' destroy fr
is "$(spooled)" 0 '  ... and leaves nothing'

bad 2 'a limit of what is one piece' create fr --snapshot --set-url "$RELAYD_URL" --spool-size 16M
like "$output" 'all of a snapshot waits' '  ... is refused'
bad 2 'watching what is not there' create fr --snapshot --set-url "$RELAYD_URL" --live 1s
like "$output" 'nothing to watch' '  ... is refused'
bad 2 'a URL that is none' snapshot fr --url http://127.0.0.1
bad 2 'a time that is none' snapshot fr --timeout never

# ---- of another user

group=$(getent group tracing | cut -d: -f3)
if [[ $EUID == 0 && -n $group ]]; then
	sessiond_stop
	one=65534
	chmod 755 "$TAP_DIR" "$SESSIOND_DIR"
	install -d -m 700 -o $one -g $one theirs theirs/spool
	sessiond_start
	theirs() {
		HOME=$TAP_DIR/theirs LTTNGMAP_SPOOL_DIR=$TAP_DIR/theirs/spool setpriv --reuid=$one --regid=$one \
			--groups="$group" "$@"
	}
	for step in "create fr --snapshot --set-url $RELAYD_URL" 'channel c --subbuf-size 64K' \
		'enable numbered:*' start; do
		# shellcheck disable=SC2086 # words
		theirs "$lttngmap" $step >out 2>&1 || bail_out "$step: $(cat out)"
	done
	chmod 666 counts
	for _ in 1 2 3; do
		theirs "$LTTNGMAP_BUILD/tests/utils/emit" counts 2 1000 >out 2>&1 || diag "$(<out)"
		[[ $(written $one/fr) == 0 ]] || break
	done
	output=$(theirs "$lttngmap" snapshot fr 2>&1)
	is $? 0 'a user of root'"'"'s daemon takes a snapshot' || diag "$output"
	is "$(find theirs/spool -mindepth 2)" '' '  ... which is sent'
	good 'root takes one of that session' snapshot $one/fr
	like "$output" "another user's: it is not sent" '  ... which root does not send'
	ok '  ... nor remove' test -s "$(find theirs/spool -name metadata)"
	rm -rf theirs/spool/*/*
	good 'root destroys it' destroy $one/fr
	is "$(find theirs/spool -mindepth 1 | wc -l)" 1 '  ... and removes nothing of theirs'
else
	skip 7 'only root, where there is a group tracing, has sessions of other users'
fi
done_testing
