#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# All daemons are killed at once, while their file system of rings is mounted. That of `record` is gone
# with them; `recover`, and the next daemon there, take away that of a service. What is served stays.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root mounts a file system of rings'
[[ ${LTTNGMAP_TEST_MEDIATOR:-ring-fs} == ring-fs ]] || skip_all 'ring-socket mounts nothing'
lttngmap=$LTTNGMAP_BUILD/lttngmap
export XDG_RUNTIME_DIR=$TAP_DIR
rings=$SESSIOND_DIR/rings
cleanup eval 'umount -l "$rings" "$TAP_DIR"/lttngmap-*/rings 2>/dev/null'

has_mount() { # DIRECTORY
	grep -q " $1.* - fuse.lttngmap " /proc/self/mountinfo
}
is_dead() {
	LC_ALL=C stat "$rings" 2>&1 | grep -q 'not connected'
}
start() {
	sessiond_start --mediator=ring-fs
	do_all "create $1 -o $TAP_DIR/$1" 'enable numbered:*' start
}
kill_all() {
	consumers=$(sessiond_consumer)
	sessiond_stop KILL
	# shellcheck disable=SC2086 # words
	kill -KILL $consumers 2>/dev/null
}
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR

"$lttngmap" record -q -o "$TAP_DIR/trace" --mediator=ring-fs --preload libc -- sleep 1000 &
record=$!
daemons() { # two sessiond, and consumers
	pgrep -f "lttngmap-(sessiond --private --runtime-dir|consumerd --control=).*$TAP_DIR/lttngmap-"
}
has_program() {
	pgrep -P "$record" -x sleep >/dev/null && [[ $(daemons | wc -l) -ge 3 ]] &&
		daemons | sed 's|.*|/proc/&/mountinfo|' |
		xargs grep -q " $TAP_DIR/lttngmap-.* - fuse.lttngmap "
}
ok 'a program is recorded, with a mount' wait_for has_program
ok 'which the machine does not see' eval '! has_mount "$TAP_DIR/lttngmap-"'
program=$(pgrep -P "$record" -x sleep)
mapfile -t all < <(daemons)
kill -KILL "${all[@]}" "$record" "$program" 2>/dev/null
wait "$record" 2>/dev/null
ok 'all are killed' wait_for are_gone "${all[@]}"
ok 'no mount is left' eval '! has_mount "$TAP_DIR/lttngmap-"'
ok 'and what is left can be removed' rm -rf "$TAP_DIR"/lttngmap-*

start one
kill_all
ok "a service's mount stays dead" wait_for is_dead
cp "$SESSIOND_DIR/ledger" "$TAP_DIR/ledger"
timeout 30 "$lttngmap" recover "$SESSIOND_DIR" >/dev/null 2>"$TAP_DIR/err"
is $? 0 'recover does its work' || diag "$(<"$TAP_DIR/err")"
ok 'and takes it away' eval '! has_mount "$rings"'

mkdir -p "$rings"
mount -t tmpfs none "$rings"
cp "$TAP_DIR/ledger" "$SESSIOND_DIR/ledger.old"
timeout 30 "$lttngmap" recover "$SESSIOND_DIR" >/dev/null 2>&1
ok 'what somebody else mounts there it leaves alone' mountpoint -q "$rings"
umount "$rings"

start two
ok 'the next daemon mounts its own' has_mount "$rings"
timeout 30 "$lttngmap" recover "$TAP_DIR/ledger" >/dev/null 2>&1
ok 'which is not taken away for the old one' has_mount "$rings"
kill_all
ok 'it is killed, too' wait_for is_dead
start three
ok 'a daemon takes a dead mount away, and serves' test -d "$rings/three"
do_all stop destroy
sessiond_stop
ok 'nothing is mounted at the end' eval '! has_mount "$rings"'
done_testing
