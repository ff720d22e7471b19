#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A traced program lies on its user's file system, which does not answer any more. The daemon of
# `record` notes which file each program is that registers: it asks the kernel, and not that
# file system.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be two users'
[[ -c /dev/fuse ]] || skip_all 'no /dev/fuse'
need_plain
[[ -x /usr/bin/python3 ]] || skip_all 'no /usr/bin/python3'
python=$(readlink -f /usr/bin/python3)
mount=$TAP_DIR/mount where=$TAP_DIR/orders/where
chmod 0755 "$TAP_DIR"
mkdir "$TAP_DIR/theirs" "$TAP_DIR/orders" "$mount"
cp "$python" "$TAP_DIR/theirs/program"
: >"$where"
chown -R 65534 "$TAP_DIR/theirs" "$TAP_DIR/orders"
"$LTTNGMAP_PLAIN/tests/utils/hang-fs" "$TAP_DIR/theirs" "$mount" "$where" 65534 2>"$TAP_DIR/fs.log" &
server=$!
end_fs() {
	: >"$where"
	umount -l "$mount" 2>/dev/null
	kill "$server" 2>/dev/null
}
cleanup end_fs
wait_for mountpoint -q "$mount" || bail_out "no file system: $(<"$TAP_DIR/fs.log")"

sessiond_start --preloaded
mkfifo "$TAP_DIR/lines"
LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR PYTHONHOME=/usr setpriv --reuid=65534 --regid=65534 --clear-groups \
	"$mount/program" -c 'import ctypes
print("ready", flush=True)
input()
ctypes.CDLL("'"$LTTNGMAP_PLAIN"'/.libs/liblttngmap-libc.so")
print("loaded", flush=True)
input()' <"$TAP_DIR/lines" >"$TAP_DIR/said" 2>&1 &
program=$!
exec 8>"$TAP_DIR/lines"
wait_for grep -q ready "$TAP_DIR/said" || bail_out "no program: $(<"$TAP_DIR/said")"
echo getattr >"$where"
stat "$mount/program" >/dev/null 2>&1 &
asker=$!
wait_for test -e "$where.hung"
echo >&8
# Before it has an answer, it waits.
ok 'a program whose file system does not answer goes on' wait_for grep -q loaded "$TAP_DIR/said"
like "$(timeout 20 "$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" '{"verb": "processes"}')" \
	"\"pid\": $program," 'and is registered'
ok 'whoever else asks that file system waits all the time' kill -0 "$asker"
: >"$where"
exec 8>&-
wait "$program"
is "$?" 1 'the program ends'
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
