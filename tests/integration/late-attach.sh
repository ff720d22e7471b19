#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Programs that run before their daemon does, or after it died: the daemon tells
# them by a word in their memory, and lists those that it cannot tell.

. "$LTTNGMAP_SRC/tests/utils/tap.sh" || exit 1
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

# The data of a library with sanitizers is larger than what a daemon searches.
need_plain
# Looking for leaks stops each thread of the daemon first, and one waits for a child that hangs.
no_leak_check
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
lttngmap=$LTTNGMAP_BUILD/lttngmap
chmod 0755 "$TAP_DIR"
mkdir "$TAP_DIR/lib"

# program FD COMMAND...: with its standard input at that descriptor; sets $program
program() {
	mkfifo "$TAP_DIR/in.$1"
	"${@:2}" <"$TAP_DIR/in.$1" >"$TAP_DIR/out.$1" 2>"$TAP_DIR/err.$1" &
	program=$!
	cleanup eval "kill $program 2>/dev/null"
	eval "exec $1>'$TAP_DIR/in.$1'"
}
# round FD N: a line to it, until it has said N lines
round() {
	echo >&"$1"
	wait_for eval "[[ \$(wc -l <'$TAP_DIR/out.$1') == $2 ]]" || diag "$(cat "$TAP_DIR/err.$1")"
}
listed() { "$lttngmap" list --processes 2>&1 | grep "^$1 "; }
is_listed() { [[ $(listed "$1") =~ $2 ]]; }
session() {
	"$lttngmap" create s -o "$TAP_DIR/$1" && "$lttngmap" enable '*:*' -s s &&
		"$lttngmap" start s
}
rounds_in() { # TRACE: which ones are in it
	babeltrace2 "$TAP_DIR/$1" 2>&1 | sed -nE 's/.*levels:info.*round = ([0-9]+).*/\1/p' | xargs
}
descriptors() { find "/proc/$1/fd" -type l | wc -l; }

program 11 "$LTTNGMAP_PLAIN/tests/utils/rounds"
early=$program
round 11 1
before=$(descriptors "$early")

sessiond_start
ok 'a program that was there before its daemon is listed' \
	wait_for is_listed "$early" 'rounds .*not yet: it was told, and comes with its next event'
like "$("$lttngmap" list --processes --json)" "\"unregistered\": \[.*\"pid\": $early, " \
	'also in JSON'
ok 'a session' session first
like "$("$lttngmap" status s)" "1 running process is not registered yet, and not traced:
    rounds \\($early\\): it was told, and comes with its next event" 'whose status says who is not traced yet, and why'
round 11 2
ok 'with its next event it is registered' wait_for is_listed "$early" 'rounds \(user [0-9]+, since '
is "$("$lttngmap" status s | grep -c 'not registered')" 0 '  ... and status says it no more'
round 11 3
ok 'stopped' "$lttngmap" stop s
is "$(rounds_in first)" '1 2' 'from that one on, its events are recorded'
is "$(find "/proc/$early/task" -mindepth 1 -maxdepth 1 | wc -l)" 1 'it has no thread more'
is "$(($(descriptors "$early") - before))" 2 'and two descriptors'

# All sessions are stopped, and the daemon ends: every event is on, once.
sessiond_stop
round 11 4
sessiond_start
ok 'the daemon ended, and another is there' \
	wait_for is_listed "$early" 'rounds .*not yet: it was told'
ok 'a session there' session second
round 11 5
ok 'the program is with the new one' wait_for is_listed "$early" 'rounds \(user [0-9]+, since '
round 11 6
# Now one that ends while it records, and is replaced before the program's next event.
sessiond_stop
sessiond_start
wait_for is_listed "$early" 'rounds .*not yet: it was told'
round 11 7
ok 'and with the third' wait_for is_listed "$early" 'rounds \(user [0-9]+, since '
ok 'a session there, too' session third
round 11 8
"$lttngmap" stop s >/dev/null
is "$(rounds_in third)" 7 'has its events'
is "$(($(descriptors "$early") - before))" 2 'it has two descriptors still'

# What the program does for that, seen by strace: its registration.
if ! strace -o /dev/null true 2>/dev/null; then
	skip 4 'strace cannot trace here'
else
	program 12 strace -f -o "$TAP_DIR/strace" "$LTTNGMAP_PLAIN/tests/utils/rounds"
	round 12 1
	traced=$(pgrep -P "$program")
	sessiond_stop
	sessiond_start
	is_traced() { is_listed "$traced" 'told'; }
	ok 'a program under strace is told' wait_for is_traced
	round 12 2
	round 12 3
	sed -n '/"round\\n"/,$p' "$TAP_DIR/strace" | sed 's/^[0-9]* *//' >"$TAP_DIR/after"
	is "$(grep -c '^connect(' "$TAP_DIR/after")" 1 'it connects, once'
	is "$(grep -cE '^(clone|fork|rt_sig|tgkill|---)' "$TAP_DIR/after")" 0 \
		'no thread, no signal'
	is "$(sed '1,/"round\\n"/d' "$TAP_DIR/after" | sed '1,/"round\\n"/d' |
		grep -vcE '^(read|write|exit_group|\+\+\+)')" 0 'and then nothing more'
	exec 12>&-
fi

# Those that only look so are not touched, but for the word that is as it should be.
sessiond_stop
descriptor=20
look_alike() { # KIND WHY CHANGED
	local pid name="a look-alike, $1"

	program $descriptor "$LTTNGMAP_SRC/tests/utils/fake-attach-request" "$1" \
		"$TAP_DIR/lib/liblttngmap.so.0" "$SESSIOND_DIR/app.sock"
	pid=$program
	wait_for grep -q ready "$TAP_DIR/out.$descriptor"
	sessiond_start
	"$lttngmap" list --processes >/dev/null
	if [[ -n $2 ]]; then
		ok "$name: listed" wait_for is_listed "$pid" "$2" || diag "$(listed "$pid")"
	else
		is "$(listed "$pid")" '' "$name: not for us"
	fi
	round $descriptor 2
	is "$(tail -1 "$TAP_DIR/out.$descriptor")" "$3" "$name: memory"
	sessiond_stop
	is "$sessiond_status" 0 "$name: the daemon is well"
	eval "exec $descriptor>&-"
	descriptor=$((descriptor + 1))
}
look_alike garbage 'another version, or none of ours' unchanged
look_alike empty 'another version, or none of ours' unchanged
look_alike copy 'another version, or none of ours' unchanged
look_alike version 'another version, or none of ours' unchanged
look_alike size 'another version, or none of ours' unchanged
look_alike elsewhere '' unchanged
look_alike other 'registered with another daemon, at \?+' unchanged
look_alike good 'told' 4128
look_alike attached 'told' 4128

if [[ $EUID != 0 ]]; then
	program 13 python3 -c 'import ctypes; ctypes.CDLL(None).prctl(4, 0); input()'
	sessiond_start
	ok 'who is not to be looked at is listed' wait_for is_listed "$program" \
		'cannot be examined: Permission denied; start it again to trace it'
	skip 9 'only root can make somebody wait, and be another user'
else
	# One that lets whoever reads its memory wait for ever.
	touch "$TAP_DIR/liblttngmap.so.0"
	program 15 "$LTTNGMAP_BUILD/tests/utils/hanging-file" "$TAP_DIR/liblttngmap.so.0"
	server=$program
	cleanup eval "kill -9 $server 2>/dev/null"
	cleanup umount -l "$TAP_DIR/liblttngmap.so.0"
	wait_for mountpoint -q "$TAP_DIR/liblttngmap.so.0"
	# Nine users do, and one of them by two subordinate ids, too.
	hanging=()
	echo 65520:700000:10 >"$TAP_DIR/subuid"
	for uid in 65534 {65520..65527} 700000 700009; do
		program 13 setpriv --reuid=$uid --regid=$uid --clear-groups \
			"$LTTNGMAP_SRC/tests/utils/fake-attach-request" hang "$TAP_DIR/liblttngmap.so.0" -
		hanging+=("$program")
		wait_for grep -q ready "$TAP_DIR/out.13"
		rm "$TAP_DIR/in.13"
	done
	namespace=(unshare --mount "$BASH" -c "mount --bind '$TAP_DIR/subuid' /etc/subuid
		exec \"\$0\" \"\$@\"")
	sessiond_before=("${namespace[@]}")
	sessiond_start
	sessiond_before=()
	round 11 9
	"$lttngmap" list --processes >/dev/null
	ok 'one that makes us wait is listed' wait_for is_listed "${hanging[0]}" \
		"blocks whoever examines it; no process of user 65534 is examined until that ends"
	like "$(cat "$TAP_DIR/log")" "process ${hanging[0]} of user 65534 makes whoever" 'and told of'
	ok 'eight more users do, too' eval "wait_for is_listed ${hanging[8]} 'blocks whoever'"
	is "$(grep -c 'makes whoever' "$TAP_DIR/log")" 9 'each costs one search, its subordinate ids none'
	ok 'the others are picked up' eval "round 11 10 && wait_for is_listed $early since"
	# The next daemon finds the children of this one.
	children() { pgrep -cx lttngmap-attach; }
	before=$(children)
	log=$(grep -c 'makes whoever' "$TAP_DIR/log")
	sessiond_stop
	sessiond_before=("${namespace[@]}")
	sessiond_start
	sessiond_before=()
	ok 'the next daemon lists them, too' wait_for is_listed "${hanging[8]}" 'blocks whoever'
	is "$(children) $(grep -c 'makes whoever' "$TAP_DIR/log")" "$before $log" 'and has no process wait for them'
	"$lttngmap" create h -o "$TAP_DIR/h" >/dev/null
	like "$("$lttngmap" status h 2>&1)" 'block whoever examines them: 9;' 'status counts these users'
	"$lttngmap" destroy h >/dev/null
	exec 13>&- 15>&-
	kill -9 "$server" "${hanging[@]}"
	gone() { ! listed "${hanging[0]}"; }
	ok 'when it is gone it is gone from the list' wait_for gone
	# A user's program, and root's daemon.
	sessiond_stop
	program 14 setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$LTTNGMAP_PLAIN/tests/utils/rounds"
	round 14 1
	sessiond_start
	wait_for is_listed "$program" told
	round 14 2
	ok "another user's program is picked up by root's daemon" wait_for is_listed "$program" since
fi
sessiond_stop
# The later programs have the ends of earlier ones' pipes.
exec 11>&- 13>&- 14>&-
wait "$early"
is "$?" 0 'the program ends well'
done_testing
