# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Entries of functions of programs with room for that, or calls of it, as compilers make
# them: each call is an event, of those functions that are named and of no other; no
# register is other than it was; what cannot be changed safely is left, and said.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
. "$LTTNGMAP_SRC/tests/utils/counted-calls.sh"
# As words: it may be a compiler behind another command.
read -ra cc <<<"${LTTNGMAP_CC:-cc}"
utils=$LTTNGMAP_SRC/tests/utils
cd "$TAP_DIR" || bail_out "no $TAP_DIR"

build() { # NAME WORD...: of tests/utils/entered.c
	local name=$1

	shift
	"$@" -g -O1 -c "$utils/entered.c" -o "$name.o" >log 2>&1 &&
		"${cc[@]}" "${link[@]}" "$name.o" -o "$name" >>log 2>&1 || bail_out "cannot build: $(head -n 3 log)"
}

# recorded FAMILY NAMES COMMAND...: NAMES empty for all; $status is the command's
recorded() {
	some_events record_once "$@"
}
record_once() {
	local family=$1 chosen=$2

	shift 2
	rm -rf trace
	"$LTTNGMAP_BUILD/lttngmap" record -q -o trace --preload "$family,dl" ${chosen:+--functions "$chosen"} \
		-e '*:*' --mode blocking --context vpid,vtid,ip -- "$@" >out 2>err
	status=$?
	babeltrace2 trace --debug-info >text 2>complaints
}

# The functions that were entered, and how often; what is before and after main() aside.
entered() {
	sed -En 's/.* (lttngmap_function:entry|lttng_ust_cyg_profile:func_entry): .* func = "([a-z_]+)\+[0-9a-fx]+".*/\2/p' text |
		grep -v '^_' | LC_ALL=C sort | uniq -c | awk '{ print $2, $1 }'
}
expected() { # REGEX: of what the program says itself
	{ cat out && echo 'main 1'; } | LC_ALL=C sort | grep -E "^($1) "
}
object() { # END-OF-PATH
	sed -En "s|.*:object: .* path = \"[^\"]*$1\", (.*) \}\$|\1|p" text
}

# ---- as compilers make them
link=()
build patched "${cc[@]}" -fpatchable-function-entry=5 -Wall -Wextra -Werror
build patched-pad "${cc[@]}" -fpatchable-function-entry=7 -fcf-protection=full
build called "${cc[@]}" -pg -mfentry
build called-pad "${cc[@]}" -pg -mfentry -fcf-protection=full
link=(-no-pie)
build patched-fixed "${cc[@]}" -fpatchable-function-entry=5 -fno-pie
build called-fixed "${cc[@]}" -pg -mfentry -fno-pie
variants=(patched patched-pad patched-fixed called called-pad called-fixed)
link=()
if command -v clang >/dev/null; then
	build patched-clang clang -fpatchable-function-entry=5
	variants+=(patched-clang)
else
	skip 2 'no clang here'
fi
for variant in "${variants[@]}"; do
	recorded function '' "./$variant" 3
	is "$status $(entered)" "0 $(expected '.*')" "$variant: each call is an event" || diag "$(cat err)"
	[[ $variant != *-pad ]] || continue
	recorded function 'fib*,*a*,!many,leaf' "./$variant" 3
	is "$status $(entered)" "0 $(expected 'fibonacci|leaf|main')" "$variant: those that are named" ||
		diag "$(cat err)"
done

# ---- names
recorded function '!leaf,!w*e' ./patched 2
is "$(entered)" "$(expected '(che|fib|jum|man|rou|sum|mai).*')" 'all but those that are taken out'
recorded function 'leaf' ./patched 1
like "$(object /patched)" 'selected = 1, patched = 1, unfit = 0, problem = \( "none"' \
	'how many are traced is told'
recorded function "$(printf 'x%.0s' {1..5000}),*" ./patched 1
is "$status $(entered)" '0 ' 'too many names are none'
strip -s patched -o stripped
recorded function 'leaf' ./stripped 1
is "$status $(entered)" '0 ' 'what has lost its names is not found by them'
like "$(object /stripped)" '^functions = 0, selected = 0, patched = 0' '  ... which is told'

# ---- what cannot be
build small "${cc[@]}" -fpatchable-function-entry=2
recorded function '' ./small 1
like "$status $(entered)$(object /small)" '^0 functions = 0, selected = 0, patched = 0, unfit = [1-9]' \
	'two bytes are no room'
cat >early.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static void *sleeper(void *unused) { for (;;) pause(); return unused; }
__attribute__((constructor)) static void early(void)
{
	pthread_t thread;
	if (getenv("EARLY_THREAD"))
		pthread_create(&thread, NULL, sleeper, NULL);
	if (getenv("EARLY_RENAME"))
		rename("other.so", "libwork.so");
	if (getenv("EARLY_MAP"))
		mmap((void *)0x10000, 0x3f0000, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}
int early_is_here;
END
echo 'int work(int n); int work(int n) { return n + 1; }' >work.c
echo 'int other(void); int other(void) { return 7; } int work(int n); int work(int n) { return n + 1; }' >other.c
echo 'int work(int n); extern int early_is_here; int main(void) { return work(41) + early_is_here - 42; }' >main.c
for library in early work other; do
	"${cc[@]}" -fPIC -shared -pthread -fpatchable-function-entry=5 $library.c -o lib$library.so ||
		bail_out "cannot build lib$library.so"
done
mv libother.so other.so
"${cc[@]}" -fpatchable-function-entry=5 -fno-pie -no-pie main.c -o main -L. -learly -lwork \
	-Wl,-rpath,"$TAP_DIR" || bail_out 'cannot build a program with libraries'
recorded function '' ./main
is "$status $(entered | tr '\n' ' ')" '0 main 1 work 1 ' 'functions of libraries are events, too'
EARLY_THREAD=1 recorded function '' ./main
is "$status $(entered)" '0 ' 'a process that has threads already is left as it is'
like "$(object /main)" 'patched = 0, unfit = 0, problem = \( "threads"' '  ... which is told'
# Its code ends where its data begin, so that a page is wanted.
"${cc[@]}" -fpatchable-function-entry=5 -fno-pie -no-pie -Wl,-z,noseparate-code,-z,norelro main.c -o main-dense \
	-L. -learly -lwork -Wl,-rpath,"$TAP_DIR" || bail_out 'cannot build a dense program'
recorded function '' ./main-dense
is "$status $(entered | tr '\n' ' ')" '0 main 1 work 1 ' 'where nothing is free behind the code, a page is'
EARLY_MAP=1 recorded function '' ./main-dense
is "$status $(entered)" '0 work 1' 'where nothing is free beside the code, it is left, too' ||
	diag "$(cat err)"
like "$(object /main-dense)" 'problem = \( "no_room"' '  ... which is told, too'
EARLY_RENAME=1 recorded function '' ./main
is "$status $(entered)" '0 main 1' 'a library whose file is another one by now is left'

# ---- registers
"${cc[@]}" -shared -fPIC -O2 -I"$LTTNGMAP_SRC/include" "$utils/rough-lttngmap.c" -o rough.so ||
	bail_out 'cannot build a rough stand-in'
for variant in "${variants[@]}"; do
	LD_PRELOAD="$PWD/rough.so $LTTNGMAP_PLAIN/.libs/liblttngmap-function.so" \
		LD_LIBRARY_PATH=$LTTNGMAP_PLAIN/.libs "./$variant" 2 >out 2>&1
	is "$?" 0 "$variant: registers are as they were" || diag "$(cat out)"
done

# ---- the same names for -finstrument-functions
recorded cyg-profile 'fib*' "$LTTNGMAP_PLAIN/tests/utils/instrumented" 1
is "$(entered)" "$(expected fibonacci)" 'cyg-profile: those that are named'
is "$(grep -c ':func_exit:' text)" "$(grep -c ':func_entry:' text)" '  ... which are left, too'
recorded cyg-profile-fast 'rounds' "$LTTNGMAP_PLAIN/tests/utils/instrumented" 1
is "$(grep -cE ':func_(entry|exit):' text)" 8 'cyg-profile-fast, too'
"$LTTNGMAP_BUILD/lttngmap" record -o none --functions 'a*' -- true >out 2>&1
is "$? $(head -n 1 out)" "125 lttngmap: record: --functions: nothing would trace 'a*'" \
	'names without a family for them are refused'
done_testing
