# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Real programs recorded by `lttngmap record`: in the trace is each call of an
# allocation function that an independent library counted, no more, no less,
# and babeltrace2 has nothing to say about it.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
need_plain
libc=$LTTNGMAP_PLAIN/.libs/liblttngmap-libc.so
count=$LTTNGMAP_PLAIN/tests/utils/.libs/libcount-libc.so
count_sum=$LTTNGMAP_PLAIN/tests/utils/count-sum

. "$LTTNGMAP_SRC/tests/utils/libc-programs.sh"
libc_programs_make "$TAP_DIR"

# run PRELOAD NAME: in a shell of its own, which is not traced.
# shellcheck disable=SC2016
run=(bash -c '. "$1"; libc_programs_dir=$2; LD_PRELOAD=$3 libc_program "$4"' bash
	"$LTTNGMAP_SRC/tests/utils/libc-programs.sh" "$libc_programs_dir")

# Events by name, as count-sum prints calls.
events_in() {
	babeltrace2 "$1" 2>"$TAP_DIR/complaints" >"$TAP_DIR/text"
	babeltrace_status=$?
	sed -En 's/.* lttng_ust_libc:([a-z_]+): .*/\1/p' "$TAP_DIR/text" | LC_ALL=C sort | uniq -c |
		awk '{ print $2, $1 }' >"$TAP_DIR/events"
}

recorded() {
	local name=$1 calls=$TAP_DIR/calls trace=$TAP_DIR/trace-$1 status expected

	rm -rf "$calls"
	mkdir "$calls"
	"${run[@]}" '' "$name" >"$TAP_DIR/out.plain" 2>&1
	expected=$?
	"$lttngmap" record -q -o "$trace" -e 'lttng_ust_libc:*' --preload none --mode blocking -- \
		env LTTNGMAP_COUNT_DIR="$calls" "${run[@]}" "$count $libc" "$name" \
		>"$TAP_DIR/out" 2>&1
	status=$?
	is "$status" "$expected" "$name: record returns the program's status" ||
		diag "$(cat "$TAP_DIR/out")"
	events_in "$trace"
	is "$babeltrace_status$(cat "$TAP_DIR/complaints")" 0 "$name: babeltrace2 reads the trace"
	is "$(cat "$TAP_DIR/events")" "$("$count_sum" "$calls" 2>&1)" \
		"$name: each call is one event"
}

for name in $(libc_program_large_names) $(libc_program_names); do
	recorded "$name"
done

# What an event holds: the address of a block, in its order of life.
first=$(sed -En 's/.* lttng_ust_libc:malloc: .*size = ([0-9]+), ptr = (0x[0-9A-F]+) .*/\1 \2/p' \
	"$TAP_DIR/text" | head -n 1)
like "$first" '^[0-9]+ 0x[0-9A-F]+$' 'malloc shows a size, and the pointer in hexadecimal'
done_testing
