#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Row 13: symbolic links, FIFOs, devices, directories and other users' files appear
# where the consumer watches for rings, announced by inotify and then found by
# a new consumer: none of them is opened, nor what a link leads to, and the rings
# among them are recorded.
#
#   LTTNGMAP_SOAK_SECONDS   1000 of each kind instead of 20
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

each=20
[[ -z ${LTTNGMAP_SOAK_SECONDS:-} ]] || each=1000
trace=$TAP_DIR/trace
steady=$LTTNGMAP_BUILD/tests/utils/steady
consumer_pid() {
	pids_of "^$LTTNGMAP_BUILD/lttngmap-consumerd --control=$SESSIOND_DIR/"
}
recorded() { # a stream of a program that was started as NAME
	compgen -G "$trace/ust/c_$1-*" >/dev/null
}
run_traced() { # NAME: a program with 100 events and one
	ln -sf "$steady" "$TAP_DIR/$1"
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$TAP_DIR/$1" 100 >/dev/null
}

sessiond_start --mediator=ring-socket
ok 'a consumer runs' wait_for eval '[[ -n $(consumer_pid) ]]'
ok 'a session is started' control '{"verb": "create", "session": "s", "output": "'"$trace"'"}' \
	'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 4096, "subbufs": 8,
	  "mode": "discard"}' \
	'{"verb": "enable", "session": "s", "channel": "c", "rule": "*"}' \
	'{"verb": "start", "session": "s"}'
rings=$SESSIOND_DIR/rings/s/c
ok 'its rings have a directory' test -d "$rings"

# What they look like, or lead to, is a ring's announcement.
LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$steady" 2000 wait >/dev/null < <(sleep 600) &
waiting=$!
cleanup kill "$waiting"
announcement() { compgen -G "$rings/steady-*"; }
ok 'a ring is announced' wait_for announcement
mkdir "$TAP_DIR/elsewhere"
cp "$(announcement)" "$TAP_DIR/elsewhere/announcement"

"$LTTNGMAP_BUILD/tests/utils/opened" "$rings" "$TAP_DIR/elsewhere" >"$TAP_DIR/opened" &
cleanup kill $!
ok 'what is opened is watched' wait_for grep -q ready "$TAP_DIR/opened"

kinds=(link fifo directory)
[[ $EUID != 0 ]] || kinds+=(char block foreign)
for ((i = 0; i < each; i++)); do
	ln -s "$TAP_DIR/elsewhere/announcement" "$rings/link-$i-1"
	mkfifo "$rings/fifo-$i-1"
	mkdir "$rings/directory-$i-1"
	[[ $EUID == 0 ]] || continue
	mknod "$rings/char-$i-1" c 1 5
	mknod "$rings/block-$i-1" b 7 99
	# Until it has another owner it is as good as ours.
	install -o 65534 -g 65534 -m 644 "$TAP_DIR/log" "$rings/.foreign"
	mv "$rings/.foreign" "$rings/foreign-$i-1"
done
put=$((each * ${#kinds[@]}))

run_traced during
ok 'a ring that comes after them is recorded' wait_for recorded during
first=$(consumer_pid)
kill -KILL "$first"
restarted() {
	local pid

	pid=$(consumer_pid) && [[ -n $pid && $pid != "$first" ]]
}
ok 'another consumer is started' wait_for restarted
# Its folder is looked through before it hears of a new ring there.
run_traced after
ok 'it records a ring that comes then' wait_for recorded after

# After the last real ring there is nothing left that could be opened.
for name in during after; do
	ok "the ring of '$name' was opened" wait_for grep -q "^$name-" "$TAP_DIR/opened"
done
touched=$(grep -cE '^((link|fifo|directory|char|block|foreign)-[0-9]+-1|announcement)$' "$TAP_DIR/opened")
is "$touched" 0 'but no stranger, nor what a link leads to' || diag "$(<"$TAP_DIR/opened")"
is "$(grep -c overflow "$TAP_DIR/opened")" 0 'all openings were seen'
for kind in "${kinds[@]}"; do
	case $kind in
	link) what='a symbolic link' ;;
	fifo) what='a FIFO' ;;
	directory) what='a directory' ;;
	foreign) what="another user's file" ;;
	*) what='a device' ;;
	esac
	# Of many the first are told.
	[[ $each == 20 ]] || what='.*'
	like "$(<"$TAP_DIR/log")" "rings/s/c/[a-z]+-[0-9]+-1 is no ring file but $what: it is left alone" \
		"what is $what is told"
done
told=$(grep -c 'it is left alone' "$TAP_DIR/log")
ok "told $told times, not each one of many" test "$told" -le 40

kill "$waiting"
wait "$waiting" 2>/dev/null
ok 'the session stops' control '{"verb": "stop", "session": "s"}'
ok 'babeltrace2 reads the trace' eval 'babeltrace2 "$trace" >"$TAP_DIR/text"'
for name in during after; do
	is "$(grep -c "procname = \"$name\"" "$TAP_DIR/text")" 101 "all events of '$name' are in it"
done
figure 13 "$put strangers of ${#kinds[@]} kinds (${kinds[*]}), found by two consumers: $touched opened"
rm -rf "${rings:?}"/{link,fifo,directory,char,block,foreign}-*
done_testing
