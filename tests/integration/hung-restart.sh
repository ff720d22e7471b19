#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A session's output lies on a file system that does not answer, while the daemon ends in order and
# starts again and again. The consumer that hangs there stays its session's only one; when the file
# system answers, the session is written on. One whose session is destroyed then counts as its
# owner's until it has ended.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be two users'
[[ -c /dev/fuse ]] || skip_all 'no /dev/fuse'
need_plain
group=$(getent group tracing | cut -d: -f3)
[[ -n $group ]] || skip_all 'there is no group tracing (addgroup --system tracing)'

uid=65534 where=$TAP_DIR/orders/where mount=$TAP_DIR/mount
chmod 0755 "$TAP_DIR"
mkdir "$TAP_DIR/theirs" "$TAP_DIR/orders" "$mount"
chown $uid "$TAP_DIR/theirs" "$TAP_DIR/orders"
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

sessiond_sessions=()
ask() {
	setpriv --reuid=$uid --regid=$uid --groups="$group" --no-new-privs \
		"$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" "$@"
}
emit() {
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR setpriv --reuid=$uid --regid=$uid --clear-groups \
		"$LTTNGMAP_BUILD/tests/utils/steady" "$1" >"$TAP_DIR/out"
}
consumers() {
	sessiond_consumer | sort -n | tr '\n' ' '
}
restart() {
	sessiond_stop
	sessiond_start
	chmod 0711 "$SESSIOND_DIR"
}
sessiond_start
chmod 0711 "$SESSIOND_DIR"
ask '{"verb": "create", "session": "s", "output": "'"$mount"'/s"}' \
	'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 4096, "subbufs": 8,
	  "mode": "discard"}' \
	'{"verb": "enable", "session": "s", "channel": "c", "rule": "steady:*"}' \
	'{"verb": "start", "session": "s"}' >/dev/null
is $? 0 'a session of a user'
emit 100
wait_for grep -q steady "$TAP_DIR/theirs/s/ust/metadata" || diag "$(<"$TAP_DIR/log")"
echo 'write' >"$where.new"
mv "$where.new" "$where"
emit 1000
wait_for test -e "$where.hung" || diag 'nothing is written'
first=$(consumers)
for round in 1 2; do
	restart
	# The idle one is for a session that comes.
	like "$(consumers)" "^${first}[0-9]+ $" "restart $round: the session has the consumer that hangs alone"
done
rm "$where"
written_on() {
	emit 100
	[[ " $(consumers)" != *" $first"* ]] &&
		ask '{"verb": "flush", "session": "s"}' >/dev/null &&
		[[ $(babeltrace2 "$TAP_DIR/theirs/s" 2>/dev/null | grep -c "steady:event") -gt $1 ]]
}
before=$(babeltrace2 "$TAP_DIR/theirs/s" 2>/dev/null | grep -c "steady:event")
ok 'when the file system answers, another one writes on' wait_for written_on "$before" ||
	diag "$(<"$TAP_DIR/log")"

echo 'write' >"$where.new"
rm -f "$where.hung"
mv "$where.new" "$where"
emit 1000
wait_for test -e "$where.hung" || diag 'nothing is written'
restart
ask '{"verb": "destroy", "session": "s"}' >/dev/null
made=0
for i in {1..16}; do
	ask '{"verb": "create", "session": "a'"$i"'", "output": "'"$TAP_DIR/theirs/a$i"'"}' \
		>"$TAP_DIR/answer" && made=$((made + 1))
done
is $made 15 'a destroyed session counts while its consumer hangs'
rm "$where"
another() {
	ask '{"verb": "create", "session": "b", "output": "'"$TAP_DIR/theirs/b"'"}' >/dev/null
}
ok 'and no more when it has ended' wait_for another
let_go
sessiond_sessions=(--forget)
sessiond_stop
done_testing
