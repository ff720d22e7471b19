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

# The dynamic loader initialises libraries that the program is linked with before those preloaded.
"${LTTNGMAP_CC:-cc}" -O0 -fno-builtin -shared -fPIC -x c -o "$TAP_DIR/libearly.so" - <<'END_C'
#include <stdlib.h>

static void times(int count)
{
	while (count--)
		free(malloc(4711));
}

__attribute__((constructor)) static void first(void)
{
	times(1000);
}

__attribute__((destructor)) static void last(void)
{
	times(500);
}

void early(void)
{
	times(1);
}
END_C
"${LTTNGMAP_CC:-cc}" -x c -o "$TAP_DIR/early" - -L"$TAP_DIR" -learly -Wl,-rpath,"$TAP_DIR" \
	<<<'void early(void); int main(void) { early(); return 0; }'
"$lttngmap" record -q -o "$TAP_DIR/trace-early" --mode blocking -- "$TAP_DIR/early" >"$TAP_DIR/out" 2>&1
events_in "$TAP_DIR/trace-early"
is "$(grep -c ':malloc: .*size = 4711' "$TAP_DIR/text")" 1501 \
	"calls in a linked library's constructor and destructor have events" || diag "$(<"$TAP_DIR/out")"
is "$(sed -n 's/^free //p' "$TAP_DIR/events")" 1501 '  ... each of them'
done_testing
