#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Whose a session is: root's daemon serves members of the group tracing, each
# for its own programs, with its own rights, and shows nobody another's.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be several users'
group=$(getent group tracing | cut -d: -f3)
[[ -n $group ]] || skip_all 'there is no group tracing (addgroup --system tracing)'

one=65534 two=64123 # user ids; none of them needs a name
chmod 0755 "$TAP_DIR"
mkdir "$TAP_DIR/one" "$TAP_DIR/root"
chmod 0700 "$TAP_DIR/one" "$TAP_DIR/root"
chown $one:$one "$TAP_DIR/one"

# as UID GROUP COMMAND...
as() {
	setpriv --reuid="$1" --regid="$1" --groups="$2" --no-new-privs "${@:3}"
}
# ask UID MESSAGE...: a member of the group does
ask() {
	as "$1" "$group" "$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" "${@:2}"
}
rounds() {
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$@" "$LTTNGMAP_BUILD/tests/utils/rounds"
}

sessiond_start --clock=monotonic
like "$(stat -c '%a %g' "$SESSIOND_DIR/control.sock")" "^660 $group\$" \
	'the control socket is for the group'
like "$(as $two $two "$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" \
	'!{"verb": "hello", "version": 1}' 2>&1)" 'Permission denied' \
	'who is not in it cannot connect'
chmod 0666 "$SESSIOND_DIR/control.sock"
like "$(as $two $two "$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" \
	'!{"verb": "hello", "version": 1}')" 'group tracing' 'nor would be served if it could'
chmod 0660 "$SESSIOND_DIR/control.sock"

make_session() { # OUTPUT COMMAND...
	"${@:2}" '{"verb": "create", "session": "s", "output": "'"$1"'"}' \
		'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 4096,
		  "subbufs": 4, "mode": "discard"}' \
		'{"verb": "enable", "session": "s", "channel": "c", "rule": "levels:error"}' \
		'{"verb": "start", "session": "s"}'
}
ok 'a member makes a session' make_session "$TAP_DIR/one/trace" ask $one
ok 'root makes one of the same name' make_session "$TAP_DIR/root/trace" control
like "$(ask $one '{"verb": "create", "session": "s", "output": "/o"}')" 'already' \
	'a member has no two of one name'
is "$(ask $one '{"verb": "list"}' | grep -o '"owner": [0-9]*')" '"owner": '$one \
	'a member sees its own'
is "$(control '{"verb": "list"}' | grep -o '"owner": [0-9]*' | xargs)" 'owner: '$one' owner: 0' \
	'root sees all'
like "$(ask $two '{"verb": "list"}')" '"sessions": \[ \]' 'another sees none'
# What root calls the one and the other.
lttngmap() {
	"$LTTNGMAP_BUILD/lttngmap" "$@" --runtime-dir "$SESSIOND_DIR" 2>&1
}
is "$(lttngmap list | sed 's/ (.*//' | sort | xargs)" "$one/s s" "root's list tells them apart"
user=$(id -nu $one)
like "$(lttngmap status "$user/s")" "session $one/s: active" 'root names a user'
like "$(lttngmap status "$one/s")" "session $one/s: active" 'or its number'
like "$(lttngmap list "$one/s")" "$TAP_DIR/one/trace" "and sees what is that user's"
like "$(lttngmap list s)" "$TAP_DIR/root/trace" 'no name is its own'
like "$(lttngmap status)" "^session s:" "and is its own where none is named, whatever others made since"
like "$(lttngmap set-session "$one/s")" "session s is user $one's.*-s USER/SESSION" "another user's is not its current one"
like "$(lttngmap status nosuchuser/s)" "no user 'nosuchuser'" 'a user that is none'
like "$(lttngmap status $two/s)" "no session '$two/s'" 'a session that is none'
like "$(control '{"verb": "status", "session": "x/s"}')" "no session 'x.*/s'" 'nor is this'
like "$(ask $one '{"verb": "status", "session": "0/s"}')" "no session '0.*/s'" \
	"a member gets no other user's by that"
like "$(ask $one '{"verb": "status", "session": "'$one'/s"}')" '"ok": true' 'but its own'
like "$(lttngmap save "$one/s")" '"session": *"s"' 'saved, it is a session of no user'
is "$(lttngmap save | grep -c '"session"')" 1 "and root saves its own"
ok 'a change reaches the right one' lttngmap track -s "$user/s" --pid 4711
lttngmap list s | grep -q 4711
is $? 1 'and no other'
ok 'taken back' lttngmap untrack -s "$one/s" --pid 4711
for verb in start stop destroy status clear rotate; do
	like "$(ask $two '{"verb": "'$verb'", "session": "s"}')" "no session 's'" \
		"nor can it $verb one"
done
like "$(ask $two '{"verb": "channel-remove", "session": "s", "channel": "c"}')" \
	"no session 's'" 'nor touch its channels'

exec {own}> >(rounds as $one $one >>"$TAP_DIR/done")
exec {others}> >(rounds env >>"$TAP_DIR/done")
both() {
	[[ $(control '{"verb": "processes", "from": 0}' | grep -o '"pid"' | wc -l) == 2 ]]
}
ok 'two users run a program each' wait_for both
is "$(ask $one '{"verb": "processes", "from": 0}' | grep -o '"uid": [0-9]*' | xargs)" \
	"uid: $one" 'a member sees its own'
root_pid=$(control '{"verb": "processes", "from": 0}' |
	sed -nE 's/.*"pid": ([0-9]+), "uid": 0.*/\1/p')
like "$(ask $one '{"verb": "events", "pid": '"$root_pid"'}')" 'not traced' \
	"and cannot ask for another's"
# Root's program has classes that no program of the member's has.
LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR LD_PRELOAD=$LTTNGMAP_PLAIN/.libs/liblttngmap-libc.so sleep 0.01
like "$(control '{"verb": "events"}')" '"lttng_ust_libc:malloc"' 'root sees the events of all'
seen=$(ask $one '{"verb": "events"}')
like "$seen" '"levels:error"' "a member sees its own programs' events"
[[ $seen != *lttng_ust_libc* ]]
is $? 0 'and no others'
like "$(ask $one '{"verb": "enable", "session": "s", "channel": "c", "rule": "lttng_ust_libc:*"}')" \
	'"matched": 0' 'a rule of its session matches no others'
ok 'but for what has them' grep -q levels:error "$TAP_DIR/one/trace/ust/metadata"
grep -q lttng_ust_libc "$TAP_DIR/one/trace/ust/metadata"
is $? 1 'and its metadata describes none'
ok 'it may ask to trace it' ask $one '{"verb": "track", "session": "s", "kind": "pid",
	"value": '"$root_pid"'}'
echo >&"$own"
echo >&"$others"
said() { [[ $(wc -l <"$TAP_DIR/done") == "$1" ]]; }
ok 'both have events' wait_for said 2
is "$(ask $one '{"verb": "rings"}' | grep -oE '"(session|uid)": [^,]*' | xargs)" \
	"session: s uid: $one" 'a member sees how its rings stand, and no others'
is "$(control '{"verb": "rings"}' | grep -oE '"session": [^,]*' | sort -u | tr -d '\\' | xargs)" \
	"session: $one/s session: s" 'root sees all'
like "$(ask $two '{"verb": "rings"}')" '"rings": \[ \]' 'another sees no rings'
like "$(ask $two '{"verb": "usage"}')" '"sessions": \[ \]' 'nor any session'
ok 'in vain' ask $one '{"verb": "untrack", "session": "s", "kind": "pid",
	"value": '"$root_pid"'}'
echo >&"$own"
echo >&"$others"
ok 'and more of them' wait_for said 4
ln -s "$TAP_DIR/root" "$TAP_DIR/one/trace/archives"
like "$(ask $one '{"verb": "rotate", "session": "s"}')" 'not rotated.*/archives is a symbolic link' \
	'a chunk goes through no link'
rm "$TAP_DIR/one/trace/archives"
ok "a member's session is rotated" ask $one '{"verb": "rotate", "session": "s"}'
is "$(find "$TAP_DIR/one/trace/archives" -name metadata | wc -l)" 1 'into a chunk'
ok "a member's session stops" ask $one '{"verb": "stop", "session": "s"}'
ok "root's own does" control '{"verb": "stop", "session": "s"}'
events() {
	babeltrace2 "$1" | grep -c levels:error
}
is "$(events "$TAP_DIR/one/trace")" 1 "a member's trace has its own program's events"
is "$(events "$TAP_DIR/root/trace")" 4 "root's has all"
is "$(find "$TAP_DIR/one" ! -uid $one -o ! -gid $one)" '' "its files are the member's"
exec {own}>&- {others}>&-

# Root's consumer is not to be had for what the member could not do itself.
ok "destroy" ask $one '{"verb": "destroy", "session": "s"}'
ok 'a session onto a place of root' make_session "$TAP_DIR/root/stolen" ask $one
echo | rounds as $one $one >/dev/null
failed() { ask $one '{"verb": "status", "session": "s"}' | grep -q 'Permission denied'; }
ok 'is told that it has no permission' wait_for failed
ok 'and nothing is there' test ! -e "$TAP_DIR/root/stolen"
mkdir "$TAP_DIR/group"
chmod 0770 "$TAP_DIR/group"
ok 'destroyed' eval 'ask $one "{\"verb\": \"destroy\", \"session\": \"s\"}"; true'
wait_for eval 'ask $one "{\"verb\": \"list\"}" | grep -q "\"sessions\": \[ \]"'
ok "a session onto a place of root's group" make_session "$TAP_DIR/group/stolen" ask $one
ok 'is told the same' wait_for failed
ok 'and nothing is there, either' test ! -e "$TAP_DIR/group/stolen"
ln -s "$TAP_DIR/root" "$TAP_DIR/one/link"
ok 'destroyed' eval 'ask $one "{\"verb\": \"destroy\", \"session\": \"s\"}"; true'
wait_for eval 'ask $one "{\"verb\": \"list\"}" | grep -q "\"sessions\": \[ \]"'
ok 'by a link of its own it gets no further' make_session "$TAP_DIR/one/link/stolen" ask $one
ok 'but is told' wait_for failed
ok 'nothing there either' test ! -e "$TAP_DIR/root/stolen"

for ((i = 0; i < 17; i++)); do
	echo '{"verb": "create", "session": "m'$i'", "output": "/o"}'
done | ask $one - >"$TAP_DIR/many"
like "$(tail -1 "$TAP_DIR/many")" 'has 16 sessions already' 'one user cannot use up all sessions'
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
