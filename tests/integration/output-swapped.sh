#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Root records into a folder that another user owns, who replaces what is in it by links to a
# folder of root's while sessions are rotated, cleared, stopped, started: that folder stays as it
# is, the message names what was replaced, and another session has all of its events. The unit
# test output-swapped does the same before each single call.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be two users'
them=65534
chmod 0755 "$TAP_DIR"
mkdir "$TAP_DIR/theirs" "$TAP_DIR/secret" "$TAP_DIR/secret/index"
chown $them:$them "$TAP_DIR/theirs"
echo "root's" | tee "$TAP_DIR/secret/stream" >"$TAP_DIR/secret/index/stream.idx"
out=$TAP_DIR/theirs/out

they() {
	setpriv --reuid=$them --regid=$them --clear-groups "$@"
}
look() {
	find "$TAP_DIR/secret" -printf '%P %m %u %s %T@\n' | sort
	cat "$TAP_DIR/secret/stream" "$TAP_DIR/secret/index/stream.idx"
}
lttngmap() {
	timeout 60 "$LTTNGMAP_BUILD/lttngmap" "$@" --runtime-dir "$SESSIOND_DIR" 2>&1
}
before=$(look)
they mkdir "$out"

sessiond_start --clock=monotonic
for name in s other; do
	[[ $name == s ]] && to=$out || to=$TAP_DIR/other
	ok "a session into $to" control \
		'{"verb": "create", "session": "'$name'", "output": "'"$to"'"}' \
		'{"verb": "channel", "session": "'$name'", "channel": "c", "subbuf_size": 4096,
		  "subbufs": 4, "mode": "discard"}' \
		'{"verb": "enable", "session": "'$name'", "channel": "c", "rule": "levels:error"}' \
		'{"verb": "start", "session": "'$name'"}'
done
exec {program}> >(LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$LTTNGMAP_BUILD/tests/utils/rounds" \
	>>"$TAP_DIR/done")
rounds=0
emit() {
	echo >&"$program"
	rounds=$((rounds + 1))
	wait_for eval "[[ \$(wc -l <'$TAP_DIR/done') == $rounds ]]"
}
# Their link to root's folder in the place of $1, and away again.
swap() {
	they mv "$out/$1" "$out/.aside" 2>/dev/null
	they ln -s "$TAP_DIR/secret" "$out/$1"
}
mend() {
	they rm "$out/$1"
	[[ ! -e $out/.aside ]] || they mv "$out/.aside" "$out/$1"
}
# What is in the way of $1 is named by $2... or else by the status; without it all goes on.
refused() {
	local name=$1 said

	shift
	said=$("$@")
	[[ $said == *"$out/$name is"* ]] || wait_for told "$name"
	is $? 0 "$name, a link: ${*:2}: it is named"
	is "$(look)" "$before" "$name, a link: ${*:2}: root's folder is as it was"
}
told() {
	[[ $(lttngmap status s) == *"$out/$1 is"* ]]
}
# Of the session, status shows the consumer's death.
said_again() {
	(($(grep -c "lttngmap-sessiond.*$out/ust is" "$TAP_DIR/log") > said))
}
well() {
	[[ $(lttngmap status s) != *'cannot write'* ]]
}

emit
for name in archives .ust.next ust; do
	emit
	swap "$name"
	refused "$name" lttngmap rotate s
	emit
	mend "$name"
	ok "$name put back: all goes on" wait_for well
done
# What was begun ends first.
ok 'it is rotated then' wait_for lttngmap rotate s
emit
# `clear` empties the folder that it holds.
swap ust
lttngmap clear s >/dev/null
is "$(look)" "$before" "ust, a link: clear: root's folder is as it was"
mend ust
emit
swap ust
lttngmap stop s >/dev/null
ok 'and started' lttngmap start s
is "$(look)" "$before" "ust, a link: stop, start: root's folder is as it was"
said=$(grep -c "lttngmap-sessiond.*$out/ust is" "$TAP_DIR/log")
mapfile -t consumers < <(sessiond_consumer)
kill -KILL "${consumers[@]}"
ok 'ust, a link: the next consumer says so' wait_for said_again
is "$(look)" "$before" "and root's folder is as it was"
mend ust
ok 'without it, all goes on' wait_for lttngmap rotate s
emit
ok "the other session stops" lttngmap stop other
is "$(babeltrace2 "$TAP_DIR/other" | grep -c levels:error)" "$rounds" 'and has all events'
# Trouble is over when half a second went by without.
stopped() {
	lttngmap stop s || {
		lttngmap start s
		return 1
	}
}
ok 'this one stops, too' wait_for stopped
is "$(look)" "$before" "root's folder is as it was"
exec {program}>&-

# Outputs of theirs where nothing of theirs can be.
group=$(getent group tracing | cut -d: -f3)
member() {
	setpriv --reuid=$them --regid=$them --groups="${group:-$them}" --no-new-privs \
		"$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" "$@" 2>&1 | tr -d '\134'
}
if [[ -z $group ]]; then
	skip 25 'there is no group tracing (addgroup --system tracing)'
else
	mkdir -m 0755 "$TAP_DIR/roots"
	# What the consumer has open is its own, and shown to it there.
	descriptors=$(seq -f '/proc/self/fd/%g/out' 0 9)
	for to in /proc/out /proc/self/fd $descriptors /proc/self/cwd/out /proc/1/root/out /dev/out \
		/dev/null /dev/fd/3 /dev/stdin /dev/shm/../out /sys/out /sys/fs/cgroup/out \
		/sys/kernel/tracing/instances/out "$TAP_DIR/theirs/../roots/out" "$TAP_DIR/roots/out"; do
		member '{"verb": "create", "session": "m", "output": "'"$to"'"}' \
			'{"verb": "channel", "session": "m", "channel": "c"}' \
			'{"verb": "enable", "session": "m", "channel": "c", "rule": "*"}' \
			'{"verb": "start", "session": "m"}' >/dev/null
		said=$(member '{"verb": "rotate", "session": "m"}' '{"verb": "clear", "session": "m"}' \
			'{"verb": "destroy", "session": "m"}' | tail -n 1)
		like "$said" "\"trouble\": \"cannot write $to/ust: (Permission denied|No such file|Not a dir|Too many)" \
			"$to cannot be an output"
	done
	is "$(find /proc/out /dev/out /sys/out /out /sys/kernel/tracing/instances/out "$TAP_DIR/roots" \
		-mindepth 1 2>/dev/null)" '' 'and nothing is made there'
fi
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
