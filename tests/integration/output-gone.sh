#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The output folder of a session is removed or renamed while the session records: status, start,
# stop, rotate and destroy report it each time, for that session alone, and name no wrong place.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap() {
	timeout 60 "$LTTNGMAP_BUILD/lttngmap" "$@" --runtime-dir "$SESSIOND_DIR" 2>&1
}
# TEXT STATUS REGEX VERB...
says() {
	local name=$1 status=$2 regex=$3 said

	shift 3
	said=$(lttngmap "$@")
	is $? "$status" "$name: status $status"
	like "$said" "$regex" "$name: reported"
}
shows() {
	[[ $(lttngmap status "$1") == *"$2"* ]]
}
is_well() {
	lttngmap status "$1"
}
is_over() {
	! kill -0 "$1" 2>/dev/null
}
sessiond_start
for name in removed moved well; do
	control '{"verb": "create", "session": "'$name'", "output": "'"$TAP_DIR/$name"'"}' \
		'{"verb": "channel", "session": "'$name'", "channel": "c", "subbuf_size": 4096,
		  "subbufs": 4, "mode": "discard"}' \
		'{"verb": "enable", "session": "'$name'", "channel": "c", "rule": "levels:error"}' \
		'{"verb": "start", "session": "'$name'"}' >/dev/null || bail_out "no session $name"
done
exec {program}> >(LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$LTTNGMAP_BUILD/tests/utils/rounds" \
	>>"$TAP_DIR/done")
rounds=0
emit() {
	echo >&"$program"
	rounds=$((rounds + 1))
	wait_for eval "[[ \$(wc -l <'$TAP_DIR/done') == $rounds ]]"
}
emit
wait_for lttngmap rotate moved

# ---- renamed: nothing is lost, and no wrong place is named
mv "$TAP_DIR/moved" "$TAP_DIR/elsewhere"
mkdir "$TAP_DIR/moved"
emit
at="$TAP_DIR/moved is not the folder that the session began with, which is $TAP_DIR/elsewhere now"
says 'moved: rotate' 1 "not rotated.*$at" rotate moved
for i in 1 2; do
	says "moved: status, time $i" 3 "$at" status moved
done
like "$(lttngmap status moved --json)" '"trouble": ".*elsewhere' 'moved: as JSON'
like "$(lttngmap status well)" 'session well: active' 'another session: its status'
is "$(lttngmap status well | grep -cE 'moved|removed')" 0 'shows nothing of that'
is "$(ls "$TAP_DIR/moved")" '' 'moved: nothing is written into the other folder'
rmdir "$TAP_DIR/moved"
mv "$TAP_DIR/elsewhere" "$TAP_DIR/moved"
ok 'moved back: that is over' wait_for is_well moved
says 'moved back: rotate' 0 "^rotated session moved: $TAP_DIR/moved/archives/" rotate moved
mv "$TAP_DIR/moved" "$TAP_DIR/elsewhere"
says 'moved again: stop' 0 'stopped session moved.*began with, which is .*elsewhere now' stop moved
says 'moved again: destroy' 0 'began with, which is .*elsewhere now' destroy moved
is "$(babeltrace2 "$TAP_DIR/elsewhere" | grep -c levels:error)" "$rounds" 'moved: all events are there'

# ---- removed, while its streams are open
control '{"verb": "flush", "session": "removed"}' >/dev/null
ok 'removed: its streams are open' wait_for eval '[[ -n $(ls "$TAP_DIR"/removed/ust/c_*) ]]'
rm -rf "$TAP_DIR/removed"
gone="session removed: $TAP_DIR/removed was removed: what was in it is lost"
says 'removed: stop' 1 'not complete.*removed was removed: what was in it is lost' stop removed
for i in 1 2; do
	says "removed: status, time $i" 3 "$gone" status removed
done
says 'removed: start' 0 "$gone" start removed
# More metadata goes into the file that is open, and that nobody finds any more.
control '{"verb": "enable", "session": "removed", "channel": "c", "rule": "levels:*"}' >/dev/null
emit
sleep 2 # in which nothing is to be said
is "$(grep -c 'removed.*can be written again' "$TAP_DIR/log")" 0 'removed: nobody says that it can be written'
mkdir "$TAP_DIR/removed"
says 'removed, and another one made: rotate' 1 'not rotated.*removed was removed.*create one with another' \
	rotate removed
says 'removed: status while it records' 3 "session removed: active.*$gone" status removed
lttngmap stop removed >/dev/null
says 'removed: destroy' 0 "$gone" destroy removed
says 'the other session stops' 0 'stopped session well' stop well
is "$(babeltrace2 "$TAP_DIR/well" | grep -c levels:error)" "$rounds" 'and has all events'
exec {program}>&-

# ---- removed while a program is recorded: no event of it counts as kept
: >"$TAP_DIR/taken-counts"
said=$("$LTTNGMAP_BUILD/lttngmap" record -o "$TAP_DIR/taken" --subbuf-size 4K -e 'numbered:*' -- sh -c '
	"$1/tests/utils/emit" "$2/taken-counts" 1 2000
	until ls "$2"/taken/ust/index/*.idx >/dev/null 2>&1; do sleep 0.1; done
	rm -r "$2/taken"
	"$1/tests/utils/emit" "$2/taken-counts" 1 2000' sh "$LTTNGMAP_BUILD" "$TAP_DIR" 2>&1)
like "$said" 'taken was removed: what was in it is lost' 'removed beneath record: reported'
like "$said" '2 processes traced, 0 events kept, 4,000 lost' '  ... each event is counted as lost'

# A writer that waits for room goes on without a trace, whatever files it would need.
: >"$TAP_DIR/freed-counts"
said=$(timeout -k 5 60 "$LTTNGMAP_BUILD/lttngmap" record -o "$TAP_DIR/freed" --mode blocking --subbuf-size 4K \
	--subbufs 4 -e 'numbered:*' -- sh -c '
	"$1/tests/utils/emit" "$2/freed-counts" 1 2000
	until ls "$2"/freed/ust/index/*.idx >/dev/null 2>&1; do sleep 0.1; done
	rm -r "$2/freed"
	"$1/tests/utils/emit" "$2/freed-counts" 1 20000' sh "$LTTNGMAP_BUILD" "$TAP_DIR" 2>&1)
like "$said" '2 processes traced, 0 events kept, 22,000 lost' 'removed, blocking: the program goes on; its events count'
like "$said" 'freed was removed: what was in it is lost, and nothing more is kept' '  ... it is reported'
is "$(grep -cE 'destroy the session|session record' <<<"$said")" 0 '  ... to a user of record, who made no session' ||
	diag "$said"

# ---- full for a while: what was written since is complete
if ((EUID)); then
	skip 14 'only root mounts a small disk'
else
	disk=$TAP_DIR/disk counts=$TAP_DIR/counts
	mkdir "$disk"
	: >"$counts"
	mount -t tmpfs -o size=1m none "$disk" || bail_out 'no tmpfs'
	cleanup umount "$disk"
	for verb in 'create full -o '"$disk/trace" 'channel c -s full --subbuf-size 64K --subbufs 16' \
		'enable * -s full -c c' 'start full'; do
		set -f
		# shellcheck disable=SC2086 # words
		lttngmap $verb >/dev/null || bail_out "$verb"
		set +f
	done
	head -c 1000000 /dev/zero >"$disk/fill"
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$LTTNGMAP_BUILD/tests/utils/emit" "$counts" 1 20000
	ok 'full: it is reported' wait_for shows full 'No space left on device'
	mount -o remount,size=64m "$disk"
	said=$(lttngmap destroy full)
	is "$? $(grep -c 'No space' <<<"$said")" '0 0' 'full, and room again: the trace is complete' || diag "$said"
	is "$(babeltrace2 "$disk/trace" | wc -l)" 20000 '  ... with each event'

	rm -rf "${disk:?}"/*
	mount -o remount,size=100k "$disk"
	says 'too small' 1 "is full: [0-9.]+ KiB are free, and a trace takes 256.0 KiB at least" \
		create small -o "$disk/trace"
	mount -o remount,size=1m "$disk"
	said=$("$LTTNGMAP_BUILD/lttngmap" record -o "$disk/trace" --subbuf-size 64K --subbufs 32 -e 'numbered:*' -- \
		"$LTTNGMAP_BUILD/tests/utils/emit" "$counts" 1 100000 2>&1)
	like "$said" 'No space left on device; make room there' 'full beneath record: it is reported'
	is "$(grep -c 'goes on' <<<"$said")" 0 '  ... and promises nothing: writing ends with the program'
	rm -r "$disk/trace"
	said=$("$LTTNGMAP_BUILD/lttngmap" record -o "$disk/trace" -e 'numbered:*' -- \
		"$LTTNGMAP_BUILD/tests/utils/emit" "$counts" 1 100000 2>&1)
	kept=$(babeltrace2 "$disk/trace" | wc -l)
	ok "1 MB beneath record's own choice: $kept events fit" test "$kept" -gt 1000
	[[ ${said//,/} =~ traced\ ([0-9]+)\ events\ kept\ ([0-9]+)\ lost ]]
	is $((BASH_REMATCH[1] + BASH_REMATCH[2])) 100000 '  ... and the others count as lost' || diag "$said"
	# Of the last packets, which are released together, some are on disk.
	is "${BASH_REMATCH[1]}" "$kept" '  ... and what is in the trace counts as kept'

	# Nobody looks at a terminal; a shell takes the signal, and waits for the program.
	rm -r "$disk/trace"
	env --default-signal=INT "$LTTNGMAP_BUILD/lttngmap" record -o "$disk/trace" --mode blocking --subbuf-size 64K \
		--subbufs 4 -e 'numbered:*' -- sh -c 'trap : INT; "$@"; exit 0' sh \
		"$LTTNGMAP_BUILD/tests/utils/emit" "$counts" 1 100000 2>"$TAP_DIR/blocking" &
	record=$!
	ok 'full, blocking: it is reported while the program waits' \
		wait_for grep -q 'No space left on device; make room there$' "$TAP_DIR/blocking"
	ok '  ... and how to end that' wait_for grep -q 'sh waits for that; ^C.*lets it go on untraced' "$TAP_DIR/blocking"
	sleep 1 # it waits on, without an end
	kill -INT "$record"
	ok '  ... an interrupt ends the waiting' wait_for is_over "$record"
	kill -KILL "$record" 2>/dev/null
	wait "$record"
	like "$(<"$TAP_DIR/blocking")" 'recording stops: nothing can be written.*events kept' '  ... as record says'
	like "$(<"$TAP_DIR/blocking")" 'sh ran on for [0-9]+ ms after the recording had stopped: its events.*not counted as lost' \
		'  ... and for how long nothing was counted'
fi
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
