#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Root asks for a probe in a file whose path leads over a user's file system that does not answer:
# the command is told so, and nobody else waits, nor does the daemon's end.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/kernel.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
[[ -e $tracefs/uprobe_events ]] || skip_all 'this kernel has no uprobes (CONFIG_UPROBE_EVENTS)'
[[ -c /dev/fuse ]] || skip_all 'no /dev/fuse'

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
chmod 0755 "$TAP_DIR"
mount=$TAP_DIR/mount where=$TAP_DIR/orders/where
patience=$((1000 * ${LTTNGMAP_TEST_PATIENCE:-1}))
mkdir "$TAP_DIR/theirs" "$TAP_DIR/orders" "$mount"
cp "$LTTNGMAP_PLAIN/tests/utils/probe-load" "$TAP_DIR/load"
cp "$TAP_DIR/load" "$TAP_DIR/theirs/load"
ln -s "$TAP_DIR/load" "$TAP_DIR/theirs/link"
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

ms() { # COMMAND...: how long it takes
	local from=${EPOCHREALTIME/./}

	"$@" >/dev/null 2>&1
	echo $(((${EPOCHREALTIME/./} - from) / 1000))
}
create() { # SESSION
	control '{"verb": "create", "session": "'"$1"'", "output": "'"$TAP_DIR/$1"'"}' >/dev/null
}
probe() { # SESSION PATH
	# JSON may have "\/" for '/'.
	control '{"verb": "kernel-probe", "session": "'"$1"'", "kind": "uprobe", "name": "work",
		"path": "'"$2"'", "offset": 4096}' | tr -d '\134'
}
# In the background: its answer comes into $TAP_DIR/answer.SESSION.
probe_hung() { # SESSION
	rm -f "$where.hung"
	# Written again, it would be empty for a moment: who waits would go on.
	[[ $(<"$where") == getattr ]] || echo getattr >"$where"
	probe "$1" "$mount/load" >"$TAP_DIR/answer.$1" 2>&1 &
	asker=$!
	wait_for test -e "$where.hung"
}
child() {
	pgrep -f 'lttngmap-probe --make-probe .* '"$mount/"
}

sessiond_start --consumer=none
create s
create other
like "$(probe s "$mount/load")" 'it lies on a FUSE file system' 'none in a file of a FUSE file system'
is "$(control '{"verb": "status", "session": "s"}' | grep -c '"kernel"')" 0 \
	'and the session has no kernel events for that'
like "$(probe s "$mount/link")" '"ok": true' 'a link there may lead to another one'
like "$(grep work $tracefs/dynamic_events)" "work $TAP_DIR/load:0x" 'which the kernel is told of'

probe_hung other
took=$(ms control '{"verb": "status", "session": "s"}')
ok "while it does not answer, status takes $took ms" test "$took" -le "$patience"
like "$(probe other "$TAP_DIR/load")" 'being given another probe' 'one after the other'
wait "$asker"
like "$(<"$TAP_DIR/answer.other")" \
	"no probe in $mount/load: in 5 s the kernel did not find the file.*servers answer" 'it is told'
held=$(child)
like "$(ps -o stat= -p "$held")" '^D' 'the process that looked it up cannot be killed'
is "$(find "/proc/$held/fd" -type l -printf '%f %l\n' | grep -vE ' (/dev/null|pipe:.*|.*/kernel-probe-hung.*\.log)$')" '' \
	"and has no descriptor of the daemon's"
like "$(probe other "$TAP_DIR/load")" '"ok": true' 'another probe can be made meanwhile'
: >"$where"
ok 'it ends when the file system answers' wait_for are_gone "$held"

probe_hung s
took=$(ms control '{"verb": "destroy", "session": "s"}')
ok "a session is destroyed in $took ms" test "$took" -le "$patience"
wait "$asker"
like "$(<"$TAP_DIR/answer.s")" 'was destroyed before the probe was made' 'and who asked is told'
for i in {2..8}; do
	create "s$i"
	probe_hung "s$i"
	control '{"verb": "destroy", "session": "s'"$i"'"}' >/dev/null
	wait "$asker"
done
create s
like "$(probe s "$mount/load")" '8 files of probes before do not answer' 'of such processes there are eight'
mapfile -t held < <(child)
is "${#held[@]}" 8 'and no more'
: >"$where"
ok 'they end when it answers' wait_for are_gone "${held[@]}"
like "$(probe s "$TAP_DIR/load")" '"ok": true' 'then there are others again'

create last
probe_hung last
from=${EPOCHREALTIME/./}
sessiond_stop
took=$(((${EPOCHREALTIME/./} - from) / 1000))
ok "SIGTERM ends the daemon in $took ms" test "$took" -le $((3 * patience))
is "$sessiond_status" 0 'well'
like "$(ps -o stat= -p "$(child)")" '^D' 'though its child waits'
wait "$asker"
no_probes() {
	! grep -F "$TAP_DIR/" $tracefs/dynamic_events
}
ok 'no probe is left' wait_for no_probes

# The next daemon makes the probes of this one again.
: >"$where"
# shellcheck disable=SC2034 # of sessiond.sh
sessiond_sessions=()
sessiond_start --consumer=none
create again
like "$(probe again "$mount/link")" '"ok": true' 'a session whose one probe is behind a link'
sessiond_stop
rm -f "$where.hung"
echo getattr >"$where"
sessiond_start --consumer=none
ok 'the next daemon makes it again, and the file system does not answer' wait_for test -e "$where.hung"
like "$(control '{"verb": "start", "session": "again"}')" '"ok": true' 'the session can be started meanwhile'
: >"$where"
is_made() {
	grep -F "work $TAP_DIR/load:0x" $tracefs/dynamic_events
}
ok 'and its probe is there when the file system answers' wait_for is_made
done_testing
