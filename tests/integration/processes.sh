#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The life of processes: fork, vfork, exec, their kin and what else can happen
# (tests/utils/processes*.c). In blocking mode each event of each process is
# in the trace once, in discard mode what is not there was counted. Programs
# end as they do without us, and no file of theirs has a byte too many.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/short.sh"
no_leak_check

processes=$LTTNGMAP_BUILD/tests/utils/processes
cd "$TAP_DIR" || exit 1
mkdir empty
chmod 755 . empty
ulimit -c 0
# Beyond a moderate soft limit our descriptors are out of a program's reach.
ulimit -Sn 1024

# The odd ones, which have a test of their own below, are not here.
names=(child fork fork-threads unregistered raw-clone clone-vfork clone chain double-fork daemon vfork
	vfork-threads spawn exec-self exec-thread exec-fails closefrom dup-over undumpable
	no-environment handler nested fork-in-handler exit-in-handler first-events killed killed-early)
[[ $EUID != 0 ]] || names+=('chroot /' 'namespaces pid')

# lived STATUS SCENARIO OPTIONS...
lived() {
	local expected=$1 name=$2

	shift 2
	# shellcheck disable=SC2086
	numbered_record "$@" -- "$processes" $name
	# A program waits 100 ms for its registration, which a busy machine may exceed.
	for _ in 1 2; do
		[[ $numbered_status == "$expected" ]] || break
		grep -qE 'did not (wait for an answer|answer them in time)' "$TAP_DIR/err" || break
		diag "$name: a process was not traced; once more"
		# shellcheck disable=SC2086
		numbered_record "$@" -- "$processes" $name
	done
	name="${name/$TAP_DIR\//}, $*"
	if [[ $numbered_status == 77 ]]; then
		skip 3 "$name: $(cat "$TAP_DIR/err" "$TAP_DIR/out" | head -n 1)"
		return
	fi
	is "$numbered_status" "$expected" "$name: it ends as it should" ||
		diag "$(cat "$TAP_DIR/err")"
	if [[ $* == *blocking* ]]; then
		numbered_is_whole "$name: all events are there"
		is "$(babeltrace2 "$numbered_trace" 2>&1 >/dev/null)" '' \
			"$name: babeltrace2 has nothing to say"
	else
		numbered_is_counted "$name: what is not there is counted"
	fi
}

short_pick 10 "${names[@]}" 'namespaces user'
for name in "${picked[@]}"; do
	lived 0 "$name" --mode blocking --subbuf-size 64K --subbufs 4
done
lived 137 kill-self --mode blocking
lived 139 crash --mode blocking
short_pick 3 fork-threads chain vfork-threads exec-thread closefrom dup-over first-events killed
for name in "${picked[@]}"; do
	lived 0 "$name" --mode discard --subbuf-size 4K --subbufs 2
done
# Children that cannot come to the daemon are not traced: their events count as lost.
if [[ $EUID == 0 ]]; then
	for name in setuid "chroot $TAP_DIR/empty"; do
		lived 0 "$name" --mode discard --subbuf-size 64K --subbufs 8
	done
	ok 'chroot: its child is not traced, and counted' test "$numbered_lost" -gt 0
	like "$(cat "$TAP_DIR/err")" '1 process not traced: processes \(1\)' 'chroot: it is named'
fi
lived 0 killed --mode overwrite --subbuf-size 4K --subbufs 2

# 100 at once, and none of them too late to be traced.
lived 0 'storm 100' --mode blocking
like "$(cat "$TAP_DIR/err")" '101 processes traced' 'storm: each of its processes is traced'
lived 0 fork-storm --mode blocking
like "$(cat "$TAP_DIR/err")" '501 processes traced' 'fork-storm: each of its processes is traced'

# With next to no descriptors, or memory, a program runs on, traced or not.
lived 0 few-files --mode discard --subbuf-size 4K --subbufs 2
numbered_record --mode discard -- "$LTTNGMAP_PLAIN/tests/utils/processes" little-memory
is "$numbered_status" 0 'little-memory: it runs' || diag "$(cat "$TAP_DIR/err")"

# Static, or with other rights: it runs, and nothing is traced.
# shellcheck disable=SC2016
printf 'int main(int argc, char **argv) { return argc > 1 ? argv[1][0] : 5; }' >still.c
if "${LTTNGMAP_CC:-cc}" -static -o still still.c 2>/dev/null; then
	numbered_record -- ./still
	is "$numbered_status" 5 'static: it runs'
	like "$(cat "$TAP_DIR/err")" 'nothing traced: ./still is statically linked' \
		'static: why nothing is traced is said'
else
	skip 2 'there is no static C library here'
fi
if [[ $EUID == 0 ]] && ! findmnt -no OPTIONS -T . | grep -q nosuid; then
	cp "$LTTNGMAP_PLAIN/tests/utils/processes" other-user
	chown 65534 other-user
	chmod 4755 other-user
	: >counts-of-other
	chmod 666 counts-of-other
	chmod 711 "$TAP_DIR"
	numbered_record -- env NUMBERED_COUNTS="$TAP_DIR/counts-of-other" ./other-user child
	is "$numbered_status" 0 'set-user-ID: it runs' || diag "$(cat "$TAP_DIR/err")"
else
	skip 1 'a set-user-ID program needs root'
fi
ok 'nothing is left running' test -z "$(of_this_test "^$processes ")"
done_testing
