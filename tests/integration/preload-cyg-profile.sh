# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Functions of a program that was built with -finstrument-functions, recorded
# with cyg-profile and cyg-profile-fast: each call is an entry and an exit, and
# in each thread they give the stacks that there were; all have names, for no
# thread goes on before it is told what is loaded.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
. "$LTTNGMAP_SRC/tests/utils/counted-calls.sh"
program=$LTTNGMAP_PLAIN/tests/utils/instrumented
own_count=$("$program")
like "$own_count" 'fibonacci 14160' 'the program counts what it calls'

# recorded FAMILY PROVIDER
recorded() {
	counted_record "$1" "$1" "$2" '__cyg_.*' "$program"
	is "$(sed 's/^func_entry /__cyg_profile_func_enter /; s/^func_/__cyg_profile_func_/' \
		<<<"$counted_events")" "$counted_calls" "$1: each call is an event"
	is "$(python3 "$LTTNGMAP_SRC/tests/utils/call_stacks.py" "$program" <"$TAP_DIR/text"; echo $?)" \
		"$own_count"$'\n0' "$1: the functions are those that were called, in whole stacks"
}
counted_contexts=vtid
recorded cyg-profile lttng_ust_cyg_profile
recorded cyg-profile-fast lttng_ust_cyg_profile_fast
grep -v ':func_exit:' "$TAP_DIR/text" |
	python3 "$LTTNGMAP_SRC/tests/utils/call_stacks.py" "$program" >"$TAP_DIR/out"
is $? 1 'stacks that are not whole are found'

# By the option and by the rule; not both at once, for they wrap the same.
# shellcheck disable=SC2317 # called by some_events
chosen() { # OPTION...
	rm -rf "$TAP_DIR/trace"
	"$LTTNGMAP_BUILD/lttngmap" record -q -o "$TAP_DIR/trace" "$@" -- "$program" 1 >"$TAP_DIR/out" 2>&1
	babeltrace2 "$TAP_DIR/trace" >"$TAP_DIR/text"
}
some_events chosen --preload cyg-profile -e 'lttng_ust_cyg_profile:*'
is "$(grep -c 'cyg_profile:func_exit' "$TAP_DIR/text")" 1069 '--preload cyg-profile preloads it'
some_events chosen -e 'lttng_ust_cyg_profile_fast:func_entry'
is "$(grep -c 'cyg_profile_fast:func_entry' "$TAP_DIR/text")" 1069 \
	'a rule that names the provider preloads it'
for arguments in '--preload cyg-profile,cyg-profile-fast' '--preload cyg-profile-fast,cyg-profile' \
	'-e lttng_ust_cyg_profile:* -e lttng_ust_cyg_profile_fast:*'; do
	# shellcheck disable=SC2086 # words
	"$LTTNGMAP_BUILD/lttngmap" record -o "$TAP_DIR/none" $arguments -- "$program" 1 \
		>"$TAP_DIR/out" 2>&1
	is "$? $(head -n 1 "$TAP_DIR/out")" \
		"125 lttngmap: record: --preload: cyg-profile and cyg-profile-fast cannot be used together" \
		"$arguments is refused"
done
ok 'nothing was recorded then' test ! -e "$TAP_DIR/none"

# Threads whose first events come at once, while one of them tells of many libraries.
cd "$TAP_DIR" || bail_out "no $TAP_DIR"
cat >threads.c <<'END'
#include <pthread.h>
static pthread_barrier_t barrier;
int called(int n);
__attribute__((noinline)) int called(int n) { return n + 1; }
__attribute__((no_instrument_function)) static void *run(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 100; i++)
		called(i);
	return unused;
}
__attribute__((no_instrument_function)) int main(void)
{
	pthread_t threads[4];
	pthread_barrier_init(&barrier, 0, 4);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, run, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], 0);
	return 0;
}
END
read -ra cc <<<"${LTTNGMAP_CC:-cc}"
echo 'int nothing;' >nothing.c
mkdir libraries
"${cc[@]}" -shared -fPIC -nostdlib nothing.c -o nothing.so || bail_out 'cannot build a library'
for number in {1..300}; do cp nothing.so "libraries/$number.so"; done
"${cc[@]}" -g -O1 -finstrument-functions -pthread threads.c -o threads -Wl,--no-as-needed libraries/*.so ||
	bail_out 'cannot build a program of many libraries'
# shellcheck disable=SC2317 # called by some_events
record_threads() {
	rm -rf trace-threads
	"$LTTNGMAP_BUILD/lttngmap" record -q -o trace-threads --preload cyg-profile,dl -e '*:*' \
		--mode blocking --context vpid,ip -- ./threads >out 2>&1
	babeltrace2 trace-threads --debug-info >text
}
some_events record_threads
is "$(grep -c ':bin_info:.* path = "[^"]*/[0-9]*\.so"' text)" 300 'the libraries are told, once'
is "$(grep -c ':func_entry:.* func = "called+' text)" 400 'no thread writes before they are' ||
	diag "$(cat out) $(grep -c ':func_entry:' text) entries"
done_testing
