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

# Blocks of operator new are its caller's, in each of its kinds.
cat >"$TAP_DIR/blocks.cc" <<'END_CXX'
#include <cstdlib>
#include <new>
struct alignas(64) wide {
	char bytes[6400];
};
#define BLOCK(name, expression)                                                                    \
	extern "C" __attribute__((noinline)) void *name()                                         \
	{                                                                                          \
		void *volatile block = expression;                                                 \
		return block;                                                                      \
	}
BLOCK(by_new, operator new(1001))
BLOCK(by_array, new char[1002])
BLOCK(by_nothrow, operator new(1003, std::nothrow))
BLOCK(by_nothrow_array, new (std::nothrow) char[1004])
BLOCK(by_aligned, new wide)
BLOCK(by_aligned_array, new wide[2])
BLOCK(by_aligned_nothrow, new (std::nothrow) wide[3])
BLOCK(by_malloc, malloc(1005))
int main()
{
	for (int i = 0; i < 3; i++) {
		operator delete(by_new());
		delete[] (char *)by_array();
		operator delete(by_nothrow());
		delete[] (char *)by_nothrow_array();
		delete (wide *)by_aligned();
		delete[] (wide *)by_aligned_array();
		delete[] (wide *)by_aligned_nothrow();
		free(by_malloc());
	}
	return 0;
}
END_CXX
"${LTTNGMAP_CXX:-c++}" -std=c++17 -O1 -g -fno-builtin -o "$TAP_DIR/blocks" "$TAP_DIR/blocks.cc" || bail_out 'no compiler of C++'
LTTNGMAP_ALLOW_BLOCKING=1 "$lttngmap" record -q -o "$TAP_DIR/trace-blocks" --mode blocking -- "$TAP_DIR/blocks"
is "$("$lttngmap" report --text --rows 0 "$TAP_DIR/trace-blocks" | sed '1,/ALLOCATED, B/d; /^$/,$d' |
	sed -En 's/^ *([0-9,]+) +3 +(by_[a-z_]+)(\(\))?\+0x.* \(([a-z_]+)\)$/\2 \1 \4/p' | LC_ALL=C sort)" \
	"$(printf '%s\n' 'by_aligned 19,200 aligned_alloc' 'by_aligned_array 38,400 aligned_alloc' \
		'by_aligned_nothrow 57,600 aligned_alloc' 'by_array 3,006 malloc' 'by_malloc 3,015 malloc' \
		'by_new 3,003 malloc' 'by_nothrow 3,009 malloc' 'by_nothrow_array 3,012 malloc')" \
	'C++: who called operator new' || diag "$("$lttngmap" report --text "$TAP_DIR/trace-blocks" 2>&1)"
is "$("$lttngmap" query --csv "$TAP_DIR/trace-blocks" "SELECT count(*) FROM events WHERE name LIKE '%alloc' AND fields->>'size' = 1" | tail -n 1)" 0 \
	'  ... and no block to find that out'
# A program's own operator new is called by nobody else.
"${LTTNGMAP_CXX:-c++}" -O1 -x c++ -o "$TAP_DIR/own-new" - <<'END_CXX'
#include <cstdio>
#include <cstdlib>
#include <new>
static int calls;
void *operator new(std::size_t size) { calls++; return std::malloc(size); }
void operator delete(void *block) noexcept { std::free(block); }
int main()
{
	delete new int;
	std::printf("%d\n", calls);
	return 0;
}
END_CXX
is "$("$lttngmap" record -q -o "$TAP_DIR/trace-own" -- "$TAP_DIR/own-new" 2>&1)" 1 "a program's own operator new is called by the program alone"
done_testing
