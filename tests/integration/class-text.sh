#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Two users register enumerations of thousands of lines, while root's session records everything. The
# text of each user's classes in the metadata is bounded: what goes beyond is counted and named. A third
# user's program is described and recorded, also by a daemon that was killed and describes all anew.
# So are classes that a user without any share left registered before those whose they are.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be several users'
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
chmod 0755 "$TAP_DIR"
metadata=$TAP_DIR/trace/ust/metadata
# A user's eighth of the 64 MiB less root's eighth, the next one's of what is left.
shares=$(((7 << 20) + (49 << 17)))

as() { # UID COMMAND...
	setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"
}
is_named() { # UID
	grep -q "the event classes of user $1 have as much of the session's metadata" "$TAP_DIR/log"
}
# Bytes of text: the file ends in spaces, as room for more.
text_size() {
	tr -s ' ' <"$metadata" | wc -c
}
has_text() { # BYTES
	(($(text_size) > $1))
}

daemon() {
	pgrep -P "$sessiond_pid" -f lttngmap-sessiond | head -n 1
}
is_another() {
	[[ $(daemon) != "$before" ]] && control '{"verb": "list", "from": 0}'
}

sessiond_start
chmod 0711 "$SESSIOND_DIR"
do_all "create s -o $TAP_DIR/trace"
"$LTTNGMAP_BUILD/lttngmap" enable '*' >/dev/null
do_all start
for uid in 64123 64124; do
	as "$uid" "$LTTNGMAP_BUILD/tests/attack/attacker" enums "$SESSIOND_DIR" 120 1 &
	attackers+=($!)
done
for uid in 64123 64124; do
	ok "user $uid is named, whose classes are left out" wait_for is_named "$uid"
done
kill "${attackers[@]}"
wait "${attackers[@]}"
"$LTTNGMAP_BUILD/lttngmap" status >"$TAP_DIR/status"
like "$(<"$TAP_DIR/status")" ' [1-9][0-9]* event classes not recorded' 'they are counted'
ok 'what both described is written' wait_for has_text $((shares * 9 / 10))
size=$(text_size)
ok "of $size bytes of metadata both have no more than $shares" test "$size" -le $((shares + 65536))

# What is left of the first user's share goes to small classes; then come classes of the others.
many=$LTTNGMAP_BUILD/tests/utils/many-classes
as 64123 "$many" filler 0 1000 >/dev/null
# It stays: classes that nobody has are forgotten.
mkfifo "$TAP_DIR/go"
exec 9<>"$TAP_DIR/go"
as 64123 "$many" owned_by_others 0 6 wait <&9 >"$TAP_DIR/owner" &
owner=$!
wait_for grep -q 'done' "$TAP_DIR/owner"
as 64125 "$many" owned_by_others 0 3 >/dev/null
"$many" owned_by_others 3 3 >/dev/null
# The next session takes the third user after it has refused these classes.
do_all "create next -o $TAP_DIR/next" 'track -s next --uid 64123'
"$LTTNGMAP_BUILD/lttngmap" enable '*' -s next >/dev/null
do_all 'start next'
as 64123 "$many" filler 0 1 >/dev/null
do_all 'untrack -s next --all'
as 64125 "$many" owned_by_others 0 3 >/dev/null
"$many" owned_by_others 3 3 >/dev/null
do_all 'destroy next'

echo >&9
wait "$owner"
as 64125 "$many" third 0 3 >/dev/null
before=$(daemon)
kill -KILL "$before"
wait_for is_another
as 64125 "$many" third 3 3 >/dev/null
do_all stop
babeltrace2 "$TAP_DIR/trace" >"$TAP_DIR/all" 2>&1
is "$(grep -c ' third:c_[0-5]: ' "$TAP_DIR/all")" 6 \
	"a third user's events are there, before and after the daemon was killed"
# Twice: while each of the two sessions is recorded, both run.
is "$(grep -c ' owned_by_others:c_[0-2]: ' "$TAP_DIR/all") $(grep -c ' owned_by_others:c_[3-5]: ' "$TAP_DIR/all")" '6 6' \
	"the third user's and root's events are there, whose classes the first one registered before"
is "$(babeltrace2 "$TAP_DIR/next" 2>&1 | grep -c ' owned_by_others:c_[0-5]: ')" 6 'in the next session, too'
size=$(text_size)
ok "then, too, both have no more: $size" test "$size" -le $((shares + 65536))
do_all destroy
sessiond_stop
done_testing
