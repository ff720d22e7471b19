#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Event classes of programs that have ended are given back when their user runs short of them.
# One user's short programs register three times what one user may have; then its programs and
# another user's are described and recorded as ever. What a session has described keeps its id
# until that session is destroyed, and the same ids are there when the daemon was killed. The
# child of a program that is gone, whose ids are other classes' by now, registers anew.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be several users'
one=65534 two=64123 # user ids; none of them needs a name
programs=50 each=143 # together a user's share: 7168 less some
many=$LTTNGMAP_BUILD/tests/utils/many-classes
chmod 0755 "$TAP_DIR"

as() { # UID COMMAND...
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"
}
make_session() { # NAME RULE...
	local rule rules=()

	for rule in "${@:2}"; do
		rules+=('{"verb": "enable", "session": "'"$1"'", "channel": "c", "rule": "'"$rule"'"}')
	done
	control '{"verb": "create", "session": "'"$1"'", "output": "'"$TAP_DIR/$1"'"}' >/dev/null
	# A daemon that was killed a moment ago has no channel free yet.
	wait_for control '{"verb": "channel", "session": "'"$1"'", "channel": "c", "subbuf_size": 65536,
		  "subbufs": 8, "mode": "discard"}'
	control "${rules[@]}" '{"verb": "start", "session": "'"$1"'"}' >/dev/null
}
stop_session() {
	control '{"verb": "stop", "session": "'"$1"'"}' >/dev/null
}
# Lines "ID NAME" of all classes that there are.
classes() {
	python3 - "$SESSIOND_DIR" <<-'EOF'
		import json, subprocess, os, sys
		at = 0
		while True:
		    out = subprocess.run([os.environ["LTTNGMAP_BUILD"] + "/tests/utils/control", sys.argv[1],
		                          json.dumps({"verb": "events", "from": at})],
		                         capture_output=True, text=True, check=True).stdout
		    answer = json.loads(out)
		    for event in answer["events"]:
		        print(event["id"], event["name"])
		    at = answer.get("next", 0)
		    if not at:
		        break
	EOF
}
id_of() { # NAME
	awk -v name="$1" '$2 == name { print $1 }' "$TAP_DIR/classes"
}
name_of() { # ID
	awk -v id="$1" '$1 == id { print $2 }' "$TAP_DIR/classes"
}
# Events of a provider in a trace whose name, field and value belong together; all others as -1.
events() { # SESSION PROVIDER
	babeltrace2 "$TAP_DIR/$1" 2>"$TAP_DIR/complaints" |
		sed -nE "s/.* $2:c_([0-9]+): .*\{ $2_([0-9]+) = ([0-9]+) \}\$/\1 \2 \3/p; t; s/.* $2:.*/wrong/p" |
		awk '$1 != $2 || $2 != $3 { bad = 1 } END { print bad ? -1 : NR }'
	[[ ! -s $TAP_DIR/complaints ]] || diag "$(cat "$TAP_DIR/complaints")"
}
daemon_pid() {
	pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR"
}
kill_daemon() {
	local before now

	before=$(daemon_pid)
	kill -KILL "$before"
	for ((i = 0; i < 500; i++)); do
		now=$(daemon_pid) && [[ $now != "$before" ]] && control && return
		sleep 0.02
	done
	return 1
}

# A round of short programs of user one's, one after another: each has all of its classes.
round() { # PREFIX
	local i

	for ((i = 0; i < programs; i++)); do
		as $one "$many" "$1" $((i * each)) "$each"
	done >"$TAP_DIR/round"
	is "$(awk '{ sum += $2 } END { print sum }' "$TAP_DIR/round")" $((programs * each)) \
		"$programs programs of the user have $each classes each: the $1 round"
}

sessiond_start --clock=monotonic
# Registered, recorded by nobody, its parent gone.
mkfifo "$TAP_DIR/in"
exec {in}<>"$TAP_DIR/in"
as $one "$LTTNGMAP_BUILD/tests/utils/orphan" <"$TAP_DIR/in" >"$TAP_DIR/out"
nobody() {
	! control '{"verb": "processes", "from": 0}' | grep -q '"pid"'
}
ok 'a program leaves a child' wait_for nobody
classes >"$TAP_DIR/classes"
orphan=$(id_of orphan:event)
like "$orphan" '^[0-9]+$' 'its class is known'

# A session that has described a class, of a program that is gone.
make_session old 'old:*'
as $one "$many" old 0 3 >/dev/null
classes >"$TAP_DIR/classes"
old=$(id_of old:c_1)

round first
round second
ok 'the daemon is killed, and comes back' kill_daemon
round third
classes >"$TAP_DIR/classes"
is "$(grep -c ' first:' "$TAP_DIR/classes")" 0 'those of the first are forgotten'
is "$(id_of old:c_1)" "$old" 'a class that a session describes has the id that it had'
is "$(awk '{ print $1 }' "$TAP_DIR/classes" | sort -n | uniq -d | wc -l)" 0 'no two classes have one id'
ok 'the daemon is killed again' kill_daemon
classes >"$TAP_DIR/again"
ok 'all classes have the ids that they had' cmp "$TAP_DIR/classes" "$TAP_DIR/again"

like "$(name_of "$orphan")" "^third:c_" 'the id of the orphan'\''s class is another'\''s now'
make_session late 'late:*' 'other:*' 'old:*' 'orphan:*' "$(name_of "$orphan")"
as $one "$many" late 0 50 >/dev/null
as $two "$many" other 0 500 >/dev/null
as $one "$many" old 0 3 >/dev/null
echo >&"$in"
said() { grep -q 'done' "${1:-$TAP_DIR/out}"; }
ok 'the orphan has written its events' wait_for said
stop_session late
stop_session old
is "$(events late late)" 50 'a later program of the user is recorded'
is "$(events late other)" 500 'so is one of another user'
is "$(events late old)" 3 'and one whose classes were there'
is "$(events old old)" 6 'the session that described these has them by their names, before and after'
is "$(babeltrace2 "$TAP_DIR/late" 2>&1 | grep -c 'orphan:event.*{ number = ')" 3 \
	'the orphan'\''s events are there by their own name'
is "$(babeltrace2 "$TAP_DIR/late" 2>&1 | grep -cE ' (first|second|third):')" 0 'and by no other'

# What a session described is given back when it is destroyed.
control '{"verb": "destroy", "session": "old"}' '{"verb": "destroy", "session": "late"}' >/dev/null
round fourth
classes >"$TAP_DIR/classes"
is "$(grep -cE ' (old|late|other):' "$TAP_DIR/classes")" 0 'what sessions described is given back'

# Of classes that programs have, nothing is given back, however short others run.
as $two "$many" stays 0 100 wait <"$TAP_DIR/in" >"$TAP_DIR/out-stays" &
stays=$!
wait_for said "$TAP_DIR/out-stays"
classes | grep ' stays:' >"$TAP_DIR/stays"
round fifth
ok 'a program that runs has its own' cmp "$TAP_DIR/stays" <(classes | grep ' stays:')
echo >&"$in"
wait "$stays"

# Programs of user one register classes; those of user two have the same ones, and live on. User two is
# charged for them then, as far as its share goes. Each program has a FIFO of its own to wait at.
ends=()
hold() { # UID NUMBER
	local fifo=$TAP_DIR/in-$1-$2

	mkfifo "$fifo"
	as "$1" "$many" "held$2" 0 3000 wait <"$fifo" >"$fifo.out" &
	holder=$!
	exec {end}>"$fifo"
	wait_for said "$fifo.out"
}
has_all() { # NUMBER. Classes are given back in a twentieth of the daemon's time: it takes several tries.
	[[ $(as $one "$many" "held$1" 0 3000) == 'done 3000' ]]
}
for i in {1..6}; do
	for ((try = 0; try < 5; try++)); do
		has_all "$i" && break
		sleep 0.2 # until that time has come
	done
	hold $one "$i"
	first=$holder first_end=$end
	hold $two "$i"
	ends+=("$end")
	echo >&"$first_end"
	wait "$first"
done
held_classes=$(classes | grep -c ' held')
# The first user's share is 7168, the second one's 6272.
ok "two users who take turns hold $held_classes classes: more than one user may" \
	test "$held_classes" -gt 7168
ok 'and no more than two may' test "$held_classes" -le 13440
for end in "${ends[@]}"; do
	echo >&"$end"
done
sessiond_stop TERM
is "$sessiond_status" 0 'the daemon ends well'
done_testing
