#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A user's session is sent to a collector, and lies on a file system of that user's that does not
# answer: root's commands do not wait for it.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be two users'
[[ -c /dev/fuse ]] || skip_all 'no /dev/fuse'
need_plain
group=$(getent group tracing | cut -d: -f3)
[[ -n $group ]] || skip_all 'there is no group tracing (addgroup --system tracing)'

uid=65534 where=$TAP_DIR/where mount=$TAP_DIR/mount
chmod 0755 "$TAP_DIR"
mkdir "$TAP_DIR/theirs" "$mount"
chown $uid "$TAP_DIR/theirs"
"$LTTNGMAP_PLAIN/tests/utils/hang-fs" "$TAP_DIR/theirs" "$mount" "$where" $uid 2>"$TAP_DIR/fs.log" &
fs=$!
# Whoever hangs there goes on then.
let_go() {
	rm -f "$where"
	umount -f "$mount" 2>/dev/null || umount -l "$mount" 2>/dev/null
	kill "$fs" 2>/dev/null
}
cleanup let_go
wait_for mountpoint -q "$mount" || bail_out "no file system: $(<"$TAP_DIR/fs.log")"

sessiond_start
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
setpriv --reuid=$uid --regid=$uid --groups="$group" --no-new-privs \
	"$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" \
	'{"verb": "create", "session": "s", "output": "'"$mount"'/s", "url": "net://127.0.0.1"}' >/dev/null
is $? 0 'a session of a user'
# Without such a name nothing is asked of that file system.
wait_for test -d "$TAP_DIR/theirs/s" || diag "$(<"$TAP_DIR/log")"
echo 'open opendir getattr lookup' >"$where.new"
mv "$where.new" "$where"

# commands COMMAND...: root's; one that hangs ends when the file system answers
does_not_wait() {
	local i pid

	"$LTTNGMAP_BUILD/lttngmap" "$@" >"$TAP_DIR/out" 2>&1 </dev/null &
	pid=$!
	for ((i = 0; i < 500; i++)); do
		kill -0 $pid 2>/dev/null || break
		sleep 0.02
	done
	if kill -0 $pid 2>/dev/null; then
		diag "lttngmap $* waits: $(<"/proc/$pid/wchan")"
		kill -KILL $pid
		return 1
	fi
	wait $pid
}
ok 'list does not wait' does_not_wait list
like "$(<"$TAP_DIR/out")" "^$uid/s .*of user $uid" 'it has the session'
ok 'nor does list of that session' does_not_wait list "$uid/s"
ok 'nor does its status' does_not_wait status "$uid/s"
let_go
done_testing
