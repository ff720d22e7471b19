# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Programs with threads, recorded with the pthread family: in the trace is each
# call that an independent library counted, once, or twice where it can wait;
# and --preload preloads it.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
. "$LTTNGMAP_SRC/tests/utils/libc-programs.sh"
. "$LTTNGMAP_SRC/tests/utils/counted-calls.sh"
libc_programs_make "$TAP_DIR"
cat >"$TAP_DIR/threads.py" <<'END'
import queue, threading

numbers, squares = queue.Queue(10), queue.Queue()

def work():
	sum(range(1000000))  # so long that the others wait for the interpreter's lock
	while (n := numbers.get()) is not None:
		squares.put(n * n)

threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
	thread.start()
for n in list(range(1000)) + [None] * 4:
	numbers.put(n)
for thread in threads:
	thread.join()
print(sum(squares.get() for _ in range(1000)))
END

# recorded NAME COMMAND...
recorded() {
	counted_record "$1" pthread lttng_ust_pthread 'pthread_([a-jl-r]|[a-z]+join).*' "${@:2}"
	is "$(sed -En '/_(acq|ret) /d; s/_req / /; p' <<<"$counted_events")" "$counted_calls" \
		"$1: each call is an event"
	is "$(sed -En 's/_(acq|ret) / /p' <<<"$counted_events")" \
		"$(sed -En 's/_req / /p' <<<"$counted_events")" "$1: each wait has its end"
}

recorded threads "$libc_programs_dir/threads"
like "$counted_calls" 'pthread_create 4' '  ... there were threads'
recorded python python3 "$TAP_DIR/threads.py"
like "$counted_calls" 'pthread_mutex_lock [0-9]{4}' '  ... there were locks'
like "$counted_calls" 'pthread_cond_[a-z]*wait [0-9]' '  ... and waits'
recorded sort sort -n --parallel=2 -S 1M "$libc_programs_dir/numbers"
recorded git git -C "$libc_programs_dir/repository" --no-pager grep --threads=4 -n .

# By the option, and by a rule that names the provider, but not by one for all.
preloaded() {
	rm -rf "$TAP_DIR/trace"
	"$LTTNGMAP_BUILD/lttngmap" record -q --mode blocking \
		-o "$TAP_DIR/trace" "$@" -- "$libc_programs_dir/threads" >"$TAP_DIR/out" 2>&1
	babeltrace2 "$TAP_DIR/trace" 2>&1 | sed -En 's/.* (lttng_ust_[a-z]+):.*/\1/p' | LC_ALL=C sort -u
}
is "$(preloaded --preload libc,pthread -e 'lttng_ust_libc:free' -e 'lttng_ust_pthread:*')" \
	$'lttng_ust_libc\nlttng_ust_pthread' '--preload libc,pthread preloads both'
is "$(preloaded -e 'lttng_ust_pthread:pthread_create*')" lttng_ust_pthread \
	'a rule that names the provider preloads the family'
is "$(preloaded -e '*:*')" lttng_ust_libc 'a rule for everything does not'
done_testing
