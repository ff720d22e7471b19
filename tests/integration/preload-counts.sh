# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The wrappers of liblttngmap-libc.so under real programs, with no daemon:
#  - with a liblttngmap in which every event is on, each call is one event;
#  - programs do what they do without it, also with other allocators.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

built=$LTTNGMAP_BUILD/tests/utils/.libs
libc=$LTTNGMAP_BUILD/.libs/liblttngmap-libc.so
fake=$built/libfake-lttngmap.so
count=$built/libcount-libc.so
[[ -z ${LTTNGMAP_SANITIZED:-} ]] || skip_all 'all of this is without sanitizers: the wrappers, and no daemon'

. "$LTTNGMAP_SRC/tests/utils/libc-programs.sh"
libc_programs_make "$TAP_DIR"

# counted PRELOAD NAME: calls and events of a program are the same.
counted() {
	local name=$2 calls=$TAP_DIR/calls events=$TAP_DIR/events sum

	rm -rf "$calls" "$events"
	mkdir "$calls" "$events"
	LTTNGMAP_COUNT_DIR=$calls LTTNGMAP_EVENTS_DIR=$events LD_PRELOAD=$1 \
		libc_program "$name" >"$TAP_DIR/out" 2>&1
	sum=$("$LTTNGMAP_BUILD/tests/utils/count-sum" "$calls" 2>&1) || diag "$sum"
	like "$sum" 'malloc [0-9]+' "$name: calls were counted" || return
	is "$("$LTTNGMAP_BUILD/tests/utils/count-sum" "$events" 2>&1)" "$sum" \
		"$name: each call is one event"
}

# same PRELOAD WHAT: programs print and return the same as without.
same() {
	local name expected got different=

	for name in $(libc_program_names); do
		expected=$(libc_program "$name" 2>&1; echo "status $?")
		got=$(LD_PRELOAD=$1 libc_program "$name" 2>&1; echo "status $?")
		[[ $got == "$expected" ]] || different+="$name: $got"$'\n'
	done
	is "$different" '' "$2"
}

for name in $(libc_program_names); do
	counted "$count $fake $libc" "$name"
done
# Registration allocates nothing, so that the other order counts the same.
counted "$fake $libc $count" threads

same "$libc" 'without a daemon programs do what they always do'
same "$fake $libc" 'with all events on, too'
same "$fake $libc $built/libother-malloc.so" 'with an allocator of their own, too'
same "$built/libother-malloc.so $fake $libc" 'with one that comes first, too'
same "$fake $libc $built/libgreedy-dlsym.so" 'with a dlsym() that allocates, too'

is "$("$LTTNGMAP_BUILD/tests/utils/own-malloc")" 'own malloc' \
	'a program with a malloc of its own uses it'
is "$(LD_PRELOAD="$fake $libc" "$LTTNGMAP_BUILD/tests/utils/own-malloc")" 'own malloc' \
	'  ... with the wrappers before it, too'
done_testing
