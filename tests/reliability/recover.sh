#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Supervisor, daemon and consumer are killed at once under load: `lttngmap recover`
# brings what is left into the trace, once. Of programs that live it is in their
# memory; of those that were killed, too, in the ring directory, also after a
# "reboot", of which that alone is left.
#
# In the short form each way with one mode, and each mode once.
#
#   LTTNGMAP_SOAK_SECONDS   as many kills as take about so long
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
. "$LTTNGMAP_SRC/tests/utils/short.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
survivors=$LTTNGMAP_BUILD/tests/utils/survivors
rounds=$((1 + ${LTTNGMAP_SOAK_SECONDS:-0} / 20))
RINGS=$TAP_DIR/rings
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
unset XDG_RUNTIME_DIR
recovered=0
# Where a recovery that is killed leaves its private directory.
export TMPDIR=$TAP_DIR
# A daemon that was killed leaves its mount.
# shellcheck disable=SC2317 # called by name
unmount() {
	umount -l "$SESSIOND_DIR/rings" 2>/dev/null
}
cleanup unmount

# begin MODE [OPTION]...: a daemon that is given the options, and a program that it traces.
begin() {
	local mode=$1

	shift
	rm -rf "$numbered_trace" "$TAP_DIR/stop"
	: >"$NUMBERED_COUNTS"
	sessiond_start "$@"
	{
		"$lttngmap" create s -o "$numbered_trace" &&
			"$lttngmap" channel c --buffers "${LTTNGMAP_TEST_BUFFERS:-process}" --mode "$mode" \
				--subbuf-size 4K --subbufs "${subbufs:-4}" &&
			"$lttngmap" enable 'numbered:*' -c c && "$lttngmap" start
	} >"$TAP_DIR/said" 2>&1 || bail_out "no session: $(cat "$TAP_DIR/said")"
	LTTNGMAP_ALLOW_BLOCKING=1 "$survivors" "$TAP_DIR/stop" >"$TAP_DIR/program" 2>&1 &
	program=$!
	wait_for compgen -G "$numbered_trace/ust/c_*"
	sleep "0.$((RANDOM % 5 + 1))"
}

# All that is ours, in one instant: the supervisor can do nothing when the daemon dies,
# and the daemon is not told of the supervisor's death. $1: or the program, too.
kill_all() {
	local all

	kill -STOP "$sessiond_pid"
	all="$(pgrep -P "$sessiond_pid") $(sessiond_consumer)"
	# shellcheck disable=SC2086 # process ids
	kill -KILL ${1:-} $all "$sessiond_pid"
	wait "$sessiond_pid" 2>/dev/null
	sessiond_pid=
	[[ -z ${1:-} ]] || wait "$1" 2>/dev/null
	# The others are nobody's children here.
	# shellcheck disable=SC2086 # process ids
	wait_for are_gone $all
}

# recover DIR: sets $numbered_kept and $numbered_lost as recording would.
recover() {
	"$lttngmap" recover --json "$1" >"$TAP_DIR/json" 2>"$TAP_DIR/err"
	status=$?
	numbered_kept=$(sed -n 's/.*"events":\([0-9]*\).*/\1/p' "$TAP_DIR/json")
	numbered_lost=$(($(sed -n 's/.*"discarded":\([0-9]*\),.*/\1/p' "$TAP_DIR/json") + \
		$(sed -n 's/.*"overwritten":\([0-9]*\),.*/\1/p' "$TAP_DIR/json")))
	recovered=$((recovered + 1))
}

check_readable() {
	ok "$1: babeltrace2 reads it" babeltrace2 "$numbered_trace/ust" -o dummy
}

end_program() {
	local longest

	touch "$TAP_DIR/stop"
	kill -CONT "$program" 2>/dev/null
	wait "$program"
	is $? 0 "$1: the program ends well"
	longest=$(sed -n 's/^longest \([0-9]*\) us.*/\1/p' "$TAP_DIR/program")
	diag "$1: $numbered_kept events kept, $numbered_lost lost, longest event ${longest:-?} us"
}

# The program lives, and stands still, so that it can be told what was emitted.
living() {
	begin "$1"
	kill_all
	sleep 0.1 # The program writes on without them.
	kill -STOP "$program"
	recover "$SESSIOND_DIR"
	is "$status" 0 "living, $1: recovered" || diag "$(cat "$TAP_DIR/err")"
	numbered_is_counted "living, $1: each event is in the trace, once, or counted"
	check_readable "living, $1"
	ok "living, $1: nothing is left to recover" test ! -e "$SESSIOND_DIR/ledger"
	like "$("$lttngmap" recover "$SESSIOND_DIR" 2>&1; echo "status $?")" 'nothing is left to recover.*status 0' \
		"living, $1: which the same command says then"
	kill -CONT "$program"
	end_program "living, $1"
}

# It goes on writing while it is read.
running() {
	begin "$1"
	kill_all
	cp "$NUMBERED_COUNTS" "$TAP_DIR/counts-before"
	recover "$SESSIOND_DIR"
	is "$status" 0 "running, $1: recovered" || diag "$(cat "$TAP_DIR/err")"
	end_program "running, $1"
	numbered_check
	ok "running, $1: the trace is sound, and says what recover said" \
		test "$numbered_sound:$numbered_events:$numbered_lost_packets" = "0:$numbered_kept:0"
	all=$((numbered_kept + numbered_lost))
	begun=$numbered_begun
	NUMBERED_COUNTS=$TAP_DIR/counts-before numbered_check
	ok "running, $1: what was emitted before is in it, or counted" \
		test "$all" -ge "$numbered_done" -a "$all" -le "$begun" ||
		diag "$all, of $numbered_done before"
	check_readable "running, $1"
}

# All are killed, and the runtime directory is gone.
reboot() {
	begin "$1" --ring-dir="$RINGS"
	kill_all "$program"
	unmount
	rm -rf "$SESSIOND_DIR"
	recover "$RINGS"
	is "$status" 0 "reboot, $1: recovered" || diag "$(cat "$TAP_DIR/err")"
	numbered_is_counted "reboot, $1: each event is in the trace, once, or counted"
	# Nobody waits for a daemon that is gone, but none of these lived on without it.
	[[ $1 != blocking ]] || is "$numbered_lost" 0 "reboot, $1: nothing is lost"
	check_readable "reboot, $1"
	# A CPU's ring has what ran there; without restartable sequences it may have run anywhere.
	[[ ${LTTNGMAP_TEST_RSEQ:-} == off ]] ||
		is "$(babeltrace2 "$numbered_trace/ust" 2>/dev/null | grep -c 'cpu_id = 4294967295[ ,]')" 0 \
			"reboot, $1: events have their CPU"
	is "$(ls -A "$RINGS")" '' "reboot, $1: the ring directory is empty"
	diag "reboot, $1: $numbered_kept events kept, $numbered_lost lost"
}

modes=(discard overwrite blocking)
for ((round = 0; round < rounds; round++)); do
	first=$((RANDOM % 3))
	for i in 0 1 2; do
		! is_full && ((i > 0)) && break
		living "${modes[(first + i) % 3]}"
		running "${modes[(first + i + 1) % 3]}"
		reboot "${modes[(first + i + 2) % 3]}"
	done
done

# The consumer has several packets, which it cannot write.
held() {
	local numbered_trace=$TAP_DIR/small/trace subbufs=32

	mkdir "$TAP_DIR/small"
	if ! mount -t tmpfs -o size=300k small "$TAP_DIR/small" 2>/dev/null; then
		skip 5 'a small disk takes root'
		return
	fi
	begin discard
	ok 'held: the disk is full' wait_for eval '"$lttngmap" status s 2>&1 | grep -q "No space left"'
	# The program writes on, into what room there is.
	sleep 0.3
	kill_all
	kill -STOP "$program"
	mount -o remount,size=100m "$TAP_DIR/small"
	recover "$SESSIOND_DIR"
	is "$status" 0 'held: recovered' || diag "$(cat "$TAP_DIR/err")"
	numbered_is_counted 'held: each event is in the trace, once, or counted'
	check_readable held
	kill -CONT "$program"
	end_program held
	umount "$TAP_DIR/small"
	rmdir "$TAP_DIR/small"
}
# shellcheck disable=SC2317 # called by name
unmount_small() {
	umount -l "$TAP_DIR/small" 2>/dev/null
}
cleanup unmount_small
held

# The saved state has another id of an event class than its records: the trace's metadata still has the right
# one. Where there is none, the records are left out, named and counted.
for metadata in there gone; do
	begin discard
	kill_all
	kill -STOP "$program"
	"$LTTNGMAP_SRC/tests/utils/spoil_ledger.py" "$SESSIOND_DIR/ledger" class 255
	[[ $metadata == there ]] || rm -r "$numbered_trace/ust"
	recover "$SESSIOND_DIR"
	is "$status" 0 "wrong class, metadata $metadata: recovered" || diag "$(cat "$TAP_DIR/err")"
	if [[ $metadata == there ]]; then
		numbered_is_counted 'wrong class: each event is in the trace, once, or counted'
		check_readable 'wrong class'
	else
		like "$(cat "$TAP_DIR/err")" 'survivors \(process [0-9]+,.* stream c_survivors-.*: unknown event \(event id 0,' \
			'wrong class: what is left out is named'
		like "$(cat "$TAP_DIR/json")" '"broken":[1-9]' 'and counted'
		is "$(find "$numbered_trace/ust" -name 'c_*' -size +0)" '' 'and nothing of it is in the trace'
	fi
	kill -CONT "$program"
	end_program 'wrong class'
done

# Recovering is killed, and done again.
begin discard --ring-dir="$RINGS"
kill_all "$program"
for delay in 0.01 0.03 0.05 0.08; do
	"$lttngmap" recover "$RINGS" >/dev/null 2>&1 &
	pid=$!
	sleep "$delay" # the moment when it is killed
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	# What it had begun: it ends by itself, without its daemon.
	wait_for eval '! pgrep -f "lttngmap-consumerd --control=$TAP_DIR/lttngmap-recover-"'
	[[ -e $RINGS/ledger ]] || break
done
if [[ -e $RINGS/ledger ]]; then
	recover "$RINGS"
	is "$status" 0 'killed while it recovers, and done again'
	numbered_is_counted 'each event is in the trace, once, or counted'
else
	pass 'it was done before it was killed'
	numbered_check
	is "$numbered_sound" 0 'and the trace is sound'
fi
check_readable 'recovered again'
is "$(grep " $TAP_DIR/lttngmap-recover" /proc/self/mounts)" '' 'no mount is left'

diag "figure: $recovered recoveries"
done_testing
