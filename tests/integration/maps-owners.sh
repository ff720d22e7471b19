#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Whose a map is: a member of the group tracing counts its own programs' events alone, and neither sees
# nor changes another's map; root counts those of all. A member's program that fills its tables, or
# writes nonsense there, changes nobody else's counts.

unset LD_PRELOAD
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be several users'
group=$(getent group tracing | cut -d: -f3)
[[ -n $group ]] || skip_all 'there is no group tracing (addgroup --system tracing)'

one=65534 two=64123 # user ids; none of them needs a name
chmod 0755 "$TAP_DIR"
for user in 0 $one $two; do
	mkdir "$TAP_DIR/$user"
	chown $user:$user "$TAP_DIR/$user"
done
export HOME=$TAP_DIR
emit=$LTTNGMAP_BUILD/tests/utils/emit

# as UID COMMAND...
as() {
	setpriv --reuid="$1" --regid="$1" --groups="$group" --no-new-privs "${@:2}"
}
# map UID ARGUMENT...
map() {
	as "$1" timeout 60 "$LTTNGMAP_BUILD/lttngmap" map "${@:2}" --runtime-dir "$SESSIOND_DIR" 2>&1
}
# counts UID MAP: as CSV, by key
counts() {
	map "$1" show "$2" --json | python3 -c 'import json, sys
for key, count, total in json.load(sys.stdin)["counts"]:
    print(key, count, total, sep=",")'
}
# emits UID SOURCES NUMBER
emits() {
	: >"$TAP_DIR/$1/counts"
	chown "$1" "$TAP_DIR/$1/counts"
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR as "$1" "$emit" "$TAP_DIR/$1/counts" "$2" "$3" >"$TAP_DIR/out" 2>&1
}

sessiond_start
for user in 0 $one $two; do
	map $user add m numbered:event --by source >"$TAP_DIR/said"
	is $? 0 "user $user makes a map of the same name" || diag "$(<"$TAP_DIR/said")"
done
emits $one 2 200
emits $two 1 70
emits 0 1 3
is "$(counts $one m)" $'0,100,0\n1,100,0' 'a member counts its own events'
is "$(counts $two m)" 0,70,0 '  ... and so does another'
is "$(counts 0 m)" $'0,173,0\n1,100,0' 'root counts those of all'
is "$(counts 0 $one/m)" $'0,100,0\n1,100,0' "  ... and sees a member's map"
is "$(map $one list | grep -c ^m:)" 1 'a member sees its own map'
is "$(map 0 list | grep -c 'm: counts')" 3 'root sees all'
for verb in show clear remove; do
	like "$(map $one $verb $two/m)" "there is no map '$two/m'" "a member cannot $verb another's"
	like "$(map $one $verb 0/m)" "there is no map '0/m'" "  ... nor root's"
done
like "$(as $one "$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" '{"verb": "status", "map": "'$two'/m"}')" \
	"there is no map" '  ... nor ask for its status'
like "$(as $one "$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" '{"verb": "status", "map": "m"}')" \
	'"processes": 1' '  ... but its own'

# ---- a member's program fills what is its own, or writes anything there
map 0 add full numbered:event --by number --keys 256 >"$TAP_DIR/said"
emits $one 1 5000
like "$(map 0 show full)" 'events of keys that had no room' "a member's program fills its tables"
other() {
	map 0 show full --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["other"])'
}
before=$(other)
emits $two 1 100
is "$(other)" "$before" '  ... and another user has room in tables of its own'
before=$(counts $two m)
LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR as $one "$LTTNGMAP_BUILD/tests/utils/forge-map" >"$TAP_DIR/out" 2>&1
is $? 0 "a member's program writes nonsense into its tables" || diag "$(<"$TAP_DIR/out")"
like "$(map $one show m)" 'a program damaged them' '  ... which it is told'
like "$(map 0 show m)" 'a program damaged them' '  ... and root'
is "$(counts $two m)" "$before" "  ... and another's counts are as they were"
emits $two 1 5
is "$(counts $two m)" 0,175,0 '  ... and go on'
done_testing
