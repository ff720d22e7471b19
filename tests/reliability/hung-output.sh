#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A user's output lies on a file system of that user's that stops answering: in the middle of a
# write, of a rename, before a file is made. Its session waits and is told of, and no other one
# notices; when it answers again, the trace is completed. Meanwhile the session is stopped, cleared,
# rotated, destroyed, its consumer killed, the daemon killed or ended: none of that waits for it.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be several users'
[[ -c /dev/fuse ]] || skip_all 'no /dev/fuse'
need_plain
group=$(getent group tracing | cut -d: -f3)
[[ -n $group ]] || skip_all 'there is no group tracing (addgroup --system tracing)'

one=65534 two=64123 three=64124 # user ids; none of them needs a name
where=$TAP_DIR/orders/where mount=$TAP_DIR/mount
chmod 0755 "$TAP_DIR"
patience=${LTTNGMAP_TEST_PATIENCE:-1}
fs_pid='' slowest_of_all=0

# ---- the file system ---------------------------------------------------------------------
mount_fs() {
	mkdir -p "$TAP_DIR/one" "$TAP_DIR/orders" "$mount"
	chown $one:$one "$TAP_DIR/one" "$TAP_DIR/orders"
	: >"$where"
	"$LTTNGMAP_PLAIN/tests/utils/hang-fs" "$TAP_DIR/one" "$mount" "$where" $one 2>>"$TAP_DIR/fs.log" &
	fs_pid=$!
	wait_for mountpoint -q "$mount" || bail_out "no file system: $(<"$TAP_DIR/fs.log")"
}
unmount_fs() {
	: >"$where"
	umount -f "$mount" 2>/dev/null || umount -l "$mount" 2>/dev/null
	[[ -z $fs_pid ]] || kill "$fs_pid" 2>/dev/null
}
# hang OPERATION; answer
hang() {
	rm -f "$where.hung"
	echo "$1" >"$where"
}
answer() { : >"$where"; }
hangs() { [[ -e $where.hung ]]; }

# ---- sessions ------------------------------------------------------------------------------
as() { # UID COMMAND...
	setpriv --reuid="$1" --regid="$1" --groups="$group" --no-new-privs "${@:2}"
}
ask() { # UID MESSAGE...
	as "$1" "$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" "${@:2}"
}
# output of UID: where its trace is; of the hanging one, as it lies beneath
output() {
	if [[ $1 == "$one" ]]; then echo "$mount/trace"; else echo "$TAP_DIR/user-$1/trace"; fi
}
trace() {
	if [[ $1 == "$one" ]]; then echo "$TAP_DIR/one/trace"; else output "$1"; fi
}
# begin UID MODE: a session "s" of that user's that records numbered events
begin() {
	mkdir -p "$TAP_DIR/user-$1"
	chown "$1:$1" "$TAP_DIR/user-$1"
	rm -rf "$(trace "$1")"
	: >"$TAP_DIR/counts-$1"
	chmod 0666 "$TAP_DIR/counts-$1"
	ask "$1" '{"verb": "create", "session": "s", "output": "'"$(output "$1")"'"}' \
		'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 4096,
		  "subbufs": 4, "mode": "'"$2"'"}' \
		'{"verb": "enable", "session": "s", "channel": "c", "rule": "numbered:*"}' \
		'{"verb": "start", "session": "s"}' >/dev/null || bail_out "no session of $1"
}
# emit UID EVENTS: in the background; its process id in $emitter
emit() {
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR NUMBERED_COUNTS=$TAP_DIR/counts-$1 \
		as "$1" "$LTTNGMAP_BUILD/tests/utils/emit" "$TAP_DIR/counts-$1" 1 "$2" "${@:3}" \
		>/dev/null 2>&1 &
	# shellcheck disable=SC2034 # for who calls this
	emitter=$!
}
# Waits for the program of emit(). One that a later emit() had replaced would still emit after `stop`.
end_emitter() {
	ok 'the program emits until it is told to end' kill -0 "$emitter"
	touch "$TAP_DIR/stop"
	wait "$emitter"
}
status() { ask "$1" '{"verb": "status", "session": "s"}'; }
number() { # UID KEY
	status "$1" | sed -nE "s/.*\"$2\": ?([0-9]+).*/\1/p"
}
is_silent() { [[ -n $(number $one output_silent_ms) ]]; }
is_heard() { ! is_silent; }
is_stopped() { ! ask $one '{"verb": "stop", "session": "s"}' 2>&1 | grep -q 'being stopped'; }
# ms COMMAND...: how long it takes; its output in $TAP_DIR/said
ms() {
	local from=${EPOCHREALTIME/./}

	"$@" >"$TAP_DIR/said" 2>&1
	echo $(((${EPOCHREALTIME/./} - from) / 1000))
}
# is_complete UID NAME [lost]: what was emitted is in its trace, once; or was counted as lost
is_complete() {
	local found lost kept done_

	"$LTTNGMAP_BUILD/tests/utils/check-trace" "$(trace "$1")/ust" "$TAP_DIR/counts-$1" \
		>"$TAP_DIR/found" 2>&1
	found=$?
	kept=$(sed -n 's/^events //p' "$TAP_DIR/found")
	done_=$(sed -n 's/^done //p' "$TAP_DIR/found")
	lost=$(number "$1" discarded)
	[[ -n ${3:-} ]] || is "$lost" 0 "$2: nothing was lost"
	ok "$2: $kept events kept, $lost lost, $done_ emitted" test \
		"$found" = 0 -a "${done_:-0}" -gt 0 -a "$((kept + lost))" = "$done_" ||
		diag "$(<"$TAP_DIR/found")" "$(<"$TAP_DIR/log")"
}
# The consumer of the hanging session.
is_held() { # PID: in the kernel
	[[ $(ps -o stat= -p "$1") == D* ]]
}
consumer_of_one() {
	local pid

	for pid in $(sessiond_consumer); do
		[[ -z $(find "/proc/$pid/fd" -lname "$mount/*" 2>/dev/null) ]] || echo "$pid"
	done
}
end_all() {
	answer
	sessiond_stop
	rm -f "$TAP_DIR/log" "$TAP_DIR/stop"
}

# others_go_on NAME: two other users record, and nothing waits
others_go_on() {
	# `emitter`: the caller's stays what it is.
	local slowest=0 took user emitter emitters=()

	for user in $two $three; do
		begin "$user" blocking
		emit "$user" 20000
		emitters+=("$emitter")
	done
	wait "${emitters[@]}"
	for _ in 1 2 3 4 5; do
		took=$(ms status $one)
		((took <= slowest)) || slowest=$took
	done
	((slowest <= slowest_of_all)) || slowest_of_all=$slowest
	# Some ms, but where the machine is busy.
	ok "$1: status takes $slowest ms at most" test "$slowest" -le $((500 * patience))
	for user in $two $three; do
		took=$(ms ask "$user" '{"verb": "stop", "session": "s"}')
		ok "$1: another session stops in $took ms" test "$took" -le $((1000 * patience))
		is_complete "$user" "$1: another session"
		ask "$user" '{"verb": "destroy", "session": "s"}' >/dev/null
	done
}

cleanup end_all
cleanup unmount_fs
mount_fs

# ---- it hangs and answers again ----------------------------------------------------------------
# it_hangs MEDIATOR OPERATION
it_hangs() {
	local name="$1, $2"

	sessiond_start --mediator="$1"
	[[ $2 == write ]] || hang "$2"
	begin $one blocking
	emit $one 2000000 "$TAP_DIR/stop"
	if [[ $2 == write ]]; then
		wait_for eval '[[ $(number $one packets) -gt 0 ]]'
		hang write
	fi
	wait_for hangs
	ok "$name: it is noticed" wait_for is_silent
	like "$(<"$TAP_DIR/log")" "session s: its output $mount/trace does not answer for 5 s.*other sessions" \
		"$name: and told"
	others_go_on "$name"
	answer
	ok "$name: that it answers again is noticed" wait_for is_heard
	end_emitter
	like "$(<"$TAP_DIR/log")" 'answers again' "$name: and told"
	is "$(grep -c 'does not answer' "$TAP_DIR/log")" 1 "$name: each once"
	ok "$name: the session stops" ask $one '{"verb": "stop", "session": "s"}'
	is_complete $one "$name"
	end_all
}
own=ring-socket
[[ ${LTTNGMAP_TEST_MEDIATOR:-ring-fs} == ring-socket ]] || own=ring-fs
it_hangs "$own" write
it_hangs "$own" rename
it_hangs ring-socket create

# ---- what is asked meanwhile -----------------------------------------------------------------
# hung_session MODE [daemon options]: it hangs, and that is known
hung_session() {
	sessiond_start --mediator="$own"
	begin $one "$1"
	emit $one 2000000 "$TAP_DIR/stop"
	wait_for eval '[[ $(number $one packets) -gt 0 ]]'
	hang write
	wait_for hangs && wait_for is_silent
}

hung_session discard
took=$(ms ask $one '{"verb": "rotate", "session": "s"}')
ok "rotate is answered in $took ms" test "$took" -le $((1000 * patience))
like "$(<"$TAP_DIR/said")" 'output does not answer' 'and says why not'
wait_for eval '[[ $(number $one discarded) -gt 0 ]]'
end_emitter
took=$(ms ask $one '{"verb": "stop", "session": "s"}')
ok "stop is answered in $took ms" test "$took" -le $((1000 * patience))
like "$(<"$TAP_DIR/said")" 'output does not answer, and not all was written' 'and says so'
answer
ok 'it stops by itself when the output answers' wait_for is_stopped
is_complete $one 'what was held is written' lost
end_all

hung_session discard
took=$(ms ask $one '{"verb": "clear", "session": "s"}')
ok "clear is answered in $took ms" test "$took" -le $((1000 * patience))
like "$(<"$TAP_DIR/said")" 'not removed yet' 'and says so'
took=$(ms ask $one '{"verb": "destroy", "session": "s"}')
ok "destroy is answered in $took ms" test "$took" -le 17000
like "$(<"$TAP_DIR/said")" 'not all was written' 'and says so'
like "$(status $one 2>&1)" 'no session' 'the session is gone'
held=$(consumer_of_one)
ok 'its consumer is held yet' test -n "$held"
others_go_on 'after destroy'
end_emitter
answer
ok 'and ends when the output answers' wait_for are_gone "${held:-1}"
end_all

# ---- its consumer is killed --------------------------------------------------------------------
hung_session blocking
held=$(consumer_of_one)
kill -KILL "$held"
sleep 1 # in which another one would be started
is "$(sessiond_consumer | wc -l)" 1 'no other consumer is started beside one that was killed and is held'
others_go_on 'consumer killed'
answer
end_emitter
ok 'another is started when it has ended' wait_for eval '[[ -n $(consumer_of_one) && $(consumer_of_one) != "$held" ]]'
ok 'the output answers again' wait_for is_heard
ok 'the session stops' ask $one '{"verb": "stop", "session": "s"}'
is_complete $one 'consumer killed'
end_all

# ---- the daemon is killed ------------------------------------------------------------------------
hung_session blocking
held=$(consumer_of_one)
daemon=$(pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR")
kill -KILL "$daemon"
wait_for control
sleep 2 # channels of the former life rest for a second
others_go_on 'daemon killed'
is "$(consumer_of_one)" "$held" 'its session waits for its former consumer'
ok 'that is noticed' wait_for is_silent
answer
end_emitter
ok 'when that has ended, the session goes on' wait_for eval '[[ -n $(consumer_of_one) && $(consumer_of_one) != "$held" ]]'
ok 'the output answers' wait_for is_heard
ok 'it stops' ask $one '{"verb": "stop", "session": "s"}'
is_complete $one 'daemon killed'
end_all

# ---- the daemon ends -----------------------------------------------------------------------------
hung_session discard
held=$(consumer_of_one)
from=${EPOCHREALTIME/./}
sessiond_stop # in this shell, whose child it is
took=$(((${EPOCHREALTIME/./} - from) / 1000))
ok "the daemon ends in $took ms" test "$took" -le $((3000 * patience))
ok 'which its consumer does not' is_held "$held"
is "$sessiond_status" 0 'well'
end_emitter
answer
ok 'its consumer ends when the output answers' wait_for are_gone "$held"
figure 22 "an output that does not answer, in write, rename and create: told after 5 s; meanwhile \
status takes $slowest_of_all ms at most, and other sessions lose nothing"
done_testing
