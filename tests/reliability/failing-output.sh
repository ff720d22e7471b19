#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A user's output lies on a file system of that user's. While the session is rotated, or cleared, an
# operation and all later ones fail, find no room, or are not answered: the first one, the second
# one, and so on. The session says what is wrong, another one keeps all of its events, and `status`
# is answered. When the file system is well again, the session goes on: each event that was
# emitted is in the trace, or counted as lost.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be several users'
[[ -c /dev/fuse ]] || skip_all 'no /dev/fuse'
need_plain
group=$(getent group tracing | cut -d: -f3)
[[ -n $group ]] || skip_all 'there is no group tracing (addgroup --system tracing)'

one=65534 two=64123
at_once=8  # sessions, each with a file system that fails at another step
events=400 # before the fault, and meanwhile
patience=$((1000 * ${LTTNGMAP_TEST_PATIENCE:-1}))
chmod 0755 "$TAP_DIR"

# ---- the file systems --------------------------------------------------------------------
orders() { echo "$TAP_DIR/orders/$1"; }
mount_all() {
	local i mount

	mkdir "$TAP_DIR/orders" "$TAP_DIR/other"
	chown $one:$one "$TAP_DIR/orders"
	chown $two:$two "$TAP_DIR/other"
	servers=()
	for ((i = 1; i <= at_once; i++)); do
		mount=$TAP_DIR/mount$i
		mkdir "$TAP_DIR/beneath$i" "$mount"
		chown $one:$one "$TAP_DIR/beneath$i"
		: >"$(orders "$i")"
		"$LTTNGMAP_PLAIN/tests/utils/hang-fs" "$TAP_DIR/beneath$i" "$mount" "$(orders "$i")" \
			$one 2>>"$TAP_DIR/fs.log" &
		servers+=($!)
		wait_for mountpoint -q "$mount" || bail_out "no file system: $(<"$TAP_DIR/fs.log")"
	done
}
answer_all() {
	local i

	for ((i = 1; i <= at_once; i++)); do
		: >"$(orders "$i")"
	done
}
unmount_all() {
	local i

	for ((i = 1; i <= at_once; i++)); do
		umount -l "$TAP_DIR/mount$i" 2>/dev/null
	done
	kill "${servers[@]}" 2>/dev/null
}
end_all() {
	answer_all
	sessiond_stop
}
cleanup unmount_all
cleanup end_all
is_hit() { [[ -e $(orders "$1").hung ]]; }

# ---- sessions ----------------------------------------------------------------------------
ask() { # UID MESSAGE...
	setpriv --reuid="$1" --regid="$1" --groups="$group" --no-new-privs \
		"$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" "${@:2}" | tr -d '\134'
}
begin() { # UID SESSION OUTPUT MODE
	ask "$1" '{"verb": "create", "session": "'"$2"'", "output": "'"$3"'"}' \
		'{"verb": "channel", "session": "'"$2"'", "channel": "c", "subbuf_size": 4096,
		  "subbufs": 8, "mode": "'"$4"'"}' \
		'{"verb": "enable", "session": "'"$2"'", "channel": "c", "rule": "numbered:*"}' \
		'{"verb": "start", "session": "'"$2"'"}' >"$TAP_DIR/begun"
	! grep -q '"ok": false' "$TAP_DIR/begun" || bail_out "no session: $(<"$TAP_DIR/begun")"
}
emit() { # UID
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR setpriv --reuid="$1" --regid="$1" --clear-groups \
		"$LTTNGMAP_BUILD/tests/utils/emit" "$TAP_DIR/counts-$1" 1 $events >/dev/null 2>&1
}
status() { ask "$1" '{"verb": "status", "session": "'"$2"'"}'; }
number() { # UID SESSION KEY
	status "$1" "$2" | sed -nE "s/.*\"$3\": ?([0-9]+).*/\1/p"
}
stops() { # UID SESSION: it has stopped, or does now
	! ask "$1" '{"verb": "stop", "session": "'"$2"'"}' 2>&1 | grep -qE 'being stopped|does not answer|as soon as'
}
is_done() { # SESSION VERB: nothing is left of it to be done
	! ask $one '{"verb": "rotate", "session": "'"$1"'"}' 2>&1 |
		grep -qE 'being (rotated|cleared)|"ok": false'
}
# check UID SESSION DIR: sets $kept, $lost, $emitted and $sound
check() {
	local traces

	mapfile -t traces < <(find "$3" -name metadata -printf '%h\n')
	"$LTTNGMAP_BUILD/tests/utils/check-trace" "${traces[@]}" "$TAP_DIR/counts-$1" \
		>"$TAP_DIR/found" 2>&1
	sound=$?
	kept=$(sed -n 's/^events //p' "$TAP_DIR/found")
	emitted=$(sed -n 's/^done //p' "$TAP_DIR/found")
	lost=$(number "$1" "$2" discarded)
}

# ---- one batch ---------------------------------------------------------------------------
# a_batch VERB ERROR REGEX STEP...
a_batch() {
	local verb=$1 error=$2 regex=$3 name="$1, errno $2" i=0 step from took slowest=0 askers=()
	local said expected

	shift 3
	[[ $error != 0 ]] || name="$verb, no answer"
	for user in $one $two; do
		: >"$TAP_DIR/counts-$user"
		chmod 0666 "$TAP_DIR/counts-$user"
	done
	begin $two other "$TAP_DIR/other/trace" blocking
	for step; do
		i=$((i + 1))
		begin $one "s$i" "$TAP_DIR/mount$i/trace" discard
	done
	emit $one
	emit $two
	i=0
	for step; do
		i=$((i + 1))
		rm -f "$(orders $i).hung"
		echo "from $step $error" >"$(orders $i)"
		ask $one '{"verb": "'"$verb"'", "session": "s'$i'"}' >"$TAP_DIR/answer$i" 2>&1 &
		askers+=($!)
	done
	wait "${askers[@]}"
	i=0
	for step; do
		i=$((i + 1))
		from=${EPOCHREALTIME/./}
		status $one "s$i" >"$TAP_DIR/status"
		took=$(((${EPOCHREALTIME/./} - from) / 1000))
		((took <= slowest)) || slowest=$took
		said="$(<"$TAP_DIR/answer$i") $(<"$TAP_DIR/status")"
		if is_hit $i; then
			like "$said" "$regex" "$name, from step $step ($(<"$(orders $i).hung")): it says what is wrong"
			hits=$((hits + 1))
		else
			like "$said" '"ok": true' "$name, from step $step: it is done before"
			missed=$((missed + 1))
		fi
	done
	ok "$name: status takes $slowest ms at most" test "$slowest" -le "$patience"
	emit $one
	emit $two
	like "$(ask $two '{"verb": "stop", "session": "other"}')" '"ok": true' "$name: another session stops"
	check $two other "$TAP_DIR/other"
	is "$sound $kept $lost" "0 $emitted 0" "$name: and has all events" || diag "$(<"$TAP_DIR/found")"
	ask $two '{"verb": "destroy", "session": "other"}' >/dev/null
	rm -rf "$TAP_DIR/other/trace"

	answer_all
	i=0
	for step; do
		i=$((i + 1))
		ok "$name, from step $step: it goes on" wait_for is_done "s$i" || diag "$(status $one "s$i")"
		! grep -q "session s$i: cannot write" "$TAP_DIR/log" ||
			ok "$name, from step $step: which is told" wait_for \
				grep -q "session s$i: $TAP_DIR/mount$i/trace/ust can be written again" "$TAP_DIR/log"
		wait_for stops $one "s$i"
		check $one "s$i" "$TAP_DIR/beneath$i"
		expected=$emitted
		[[ $verb != clear ]] || expected=$((emitted - events))
		is "$sound $((kept + ${lost:-0}))" "0 $expected" \
			"$name, from step $step: $kept events kept, $lost lost, of $expected" ||
			diag "$(<"$TAP_DIR/found")" "$(<"$TAP_DIR/answer$i")" "$(tail -n 5 "$TAP_DIR/log")"
		ask $one '{"verb": "destroy", "session": "s'$i'"}' >/dev/null
		rm -rf "$TAP_DIR/beneath$i/trace"
	done
	: >"$TAP_DIR/log"
}

# at_each_step STEPS VERB ERROR REGEX: there are so many at least
at_each_step() {
	local first

	hits=0 missed=0
	for ((first = 1; missed == 0; first += at_once)); do
		# shellcheck disable=SC2046 # a word each
		a_batch "${@:2}" $(seq $first $((first + at_once - 1)))
	done
	ok "$2, errno $3: $hits steps tried, and then there are no more" test "$hits" -ge "$1"
}

mount_all
sessiond_start
for verb in rotate clear; do
	at_each_step 3 $verb 5 "mount[0-9]/trace.*Input/output error"
	at_each_step 3 $verb 30 "mount[0-9]/trace.*Read-only file system"
	at_each_step 3 $verb 0 "does not answer"
done
at_each_step 3 rotate 28 "mount[0-9]/trace.*No space left"
# To clear needs no room; what is emitted meanwhile does.
at_each_step 0 clear 28 "mount[0-9]/trace.*No space left"
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
