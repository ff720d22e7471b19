#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap record` with its real daemons: programs of all kinds give traces
# that babeltrace2 reads without a word and that hold what the summary says;
# what goes wrong on the way is said and leaves nothing behind.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain

lttngmap=$LTTNGMAP_BUILD/lttngmap
mkdir "$TAP_DIR/run" "$TAP_DIR/here"
chmod 700 "$TAP_DIR/run"
export XDG_RUNTIME_DIR=$TAP_DIR/run
export PYTHONDONTWRITEBYTECODE=1
cd "$TAP_DIR/here" || exit 1
command -v babeltrace2 >/dev/null || bail_out 'babeltrace2 is missing'

kept() { sed -n 's/.*traced, \([0-9,]*\) events* kept.*/\1/p' err | tr -d ,; }
lost() { sed -n 's/.* kept, \([0-9,]*\) lost.*/\1/p' err | tr -d ,; }
left() { find "$TAP_DIR/run" -mindepth 1; }

# recorded NAME STATUS OPTIONS... -- COMMAND...: and the trace is sound. Once more where the machine
# is busy, for a program waits for the daemon 100 ms only.
recorded() {
	local name=$1 expected=$2 status lines

	shift 2
	for _ in {1..9}; do
		rm -rf out
		timeout 120 "$lttngmap" record -o out "$@" >stdout 2>err </dev/null
		status=$?
		grep -qE 'did not (wait for an answer|answer them in time)' err || break
	done
	is "$status" "$expected" "$name: its status" || diag "$(<err)"
	lines=$(babeltrace2 out 2>warnings | wc -l)
	is "$lines" "$(kept)" "$name: babeltrace2 reads what the summary says"
	[[ ${loses:-} ]] || is "$(<warnings)" '' "$name: without a warning"
	is "$("$lttngmap" view out | grep -vc ' \.\.\. ')" "$(kept)" "$name: so does view"
	is "$(left)" '' "$name: nothing left behind"
}

cat >loop.c <<'EOF'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int i = 0; i < 50000; i++) {
		void *volatile memory = malloc(i + 1);

		free(memory);
	}
	if (argc > 1 && strcmp(argv[1], "leak") == 0)
		return !memset(malloc(100), 1, 100);
	if (argc > 1 && strcmp(argv[1], "segv") == 0)
		raise(SIGSEGV);
	if (argc > 1 && strcmp(argv[1], "kill") == 0)
		raise(SIGKILL);
	return 0;
}
EOF
cat >threads.cc <<'EOF'
#include <map>
#include <string>
#include <thread>
#include <vector>

int main()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < 4; i++)
		threads.emplace_back([] {
			std::map<int, std::string> map;

			for (int k = 0; k < 20000; k++)
				map[k] = std::string(40 + k % 50, 'x');
		});
	for (auto &thread : threads)
		thread.join();
}
EOF
"${LTTNGMAP_CC:-cc}" -g -O1 -fno-builtin -o loop loop.c || bail_out 'no C compiler'
"${LTTNGMAP_CXX:-c++}" -O1 -o threads threads.cc -lpthread || bail_out 'no C++ compiler'
mkdir sources
{
	printf 'all:'
	for i in {1..12}; do
		echo "int f$i(int x) { return x + $i; }" >"sources/f$i.c"
		printf ' f%d.o' "$i"
	done
	echo
} >sources/Makefile

# ---- programs
export PATH=/usr/bin:/bin:$PATH # not the shims that some put before
recorded 'killed by SIGKILL' 137 --preload libc --mode blocking -- ./loop kill
is "$(kept)" 100000 'killed by SIGKILL: every event of it'
recorded 'killed by SIGSEGV' 139 --preload libc --mode blocking -- ./loop segv
is "$(babeltrace2 out | grep -c ':malloc:')" 50000 'killed by SIGSEGV: every allocation'
recorded 'threads in C++' 0 --mode blocking -- ./threads
ok 'threads in C++: all their allocations' test "$(kept)" -ge 320000
recorded 'python3' 0 --mode blocking -- python3 -c 'print(len(set(str(i) for i in range(20000))))'
is "$(<stdout)" 20000 'python3: its output'
recorded 'perl' 7 --mode blocking -- perl -e '$h{$_} = "x$_" for 1 .. 20000; exit 7'
recorded 'a compiler' 0 --mode blocking -- "${LTTNGMAP_CC:-cc}" -c -o loop.o loop.c
recorded 'make -j2' 0 --mode blocking -- make -s -j2 -C sources CC="${LTTNGMAP_CC:-cc}"
ok 'make -j2: its children, too' test "$(sed -n 's/.*lttngmap: \([0-9]*\) processes.*/\1/p' err)" -gt 12
seq 100000 | sort -R >numbers
recorded 'sort' 0 --mode blocking -- sort -n --parallel=2 -o sorted numbers
ok 'sort: its output' cmp sorted <(seq 100000)
# What the user preloads does not come in between.
if [[ -z ${LTTNGMAP_SANITIZED:-} ]]; then
	export LD_PRELOAD=$LTTNGMAP_PLAIN/tests/utils/.libs/libother-malloc.so
	recorded 'a preloaded allocator' 0 --preload libc --mode blocking -- ./loop
	is "$(babeltrace2 out | grep -c ':malloc:')" 50000 'a preloaded allocator: every allocation'
	unset LD_PRELOAD
else
	skip 6 'our commands would have another allocator than the one of their sanitizer'
fi
# gcc's sanitizer is a library that wants to come first.
if "${LTTNGMAP_CC:-cc}" -fsanitize=address -fno-builtin -o sanitized loop.c 2>/dev/null && ./sanitized; then
	recorded 'AddressSanitizer' 0 --mode blocking -- ./sanitized
	ok 'AddressSanitizer: every allocation' test "$(babeltrace2 out | grep -c ':malloc:')" -ge 50000
	ASAN_OPTIONS=exitcode=7 recorded 'a leak that it finds' 7 --mode blocking -- \
		sh -c 'ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=1 ./sanitized leak'
else
	skip 11 'no AddressSanitizer here'
fi

# valgrind has neither restartable sequences nor each instruction.
if command -v valgrind >/dev/null; then
	recorded 'valgrind' 0 --preload libc --mode blocking -- valgrind -q --tool=none ./loop
	ok 'valgrind: the events of the program in it' test "$(babeltrace2 out | grep -c ':malloc:')" -ge 50000
else
	skip 6 'valgrind is not installed'
fi

# ---- small buffers: every event is in the trace or counted
loses=1
recorded 'discard' 0 --preload libc --subbuf-size 4K --subbufs 2 -- ./loop
is $(($(kept) + $(lost))) 100000 'discard: kept and lost make all'
recorded 'overwrite' 0 --preload libc --subbuf-size 4K --subbufs 2 --mode overwrite -- ./loop
is $(($(kept) + $(lost))) 100000 'overwrite: kept and lost make all'
loses=
recorded 'blocking' 0 --preload libc --subbuf-size 4K --subbufs 2 --mode blocking -- ./loop
is "$(kept):$(lost)" 100000:0 'blocking: none lost'

recorded 'contexts' 0 --preload libc --mode blocking --context vpid,vtid --context procname -- ./loop
is "$(babeltrace2 out | grep -cE '\{ vpid = [0-9]+, vtid = [0-9]+, procname = "loop" \}')" 100000 \
	'contexts: each event has them'
timeout 60 "$lttngmap" record -o small --context vpid,shoe_size -- ./loop 2>err
like "$?:$(<err)" "^125:.*no context 'shoe_size'" 'an unknown context: said'

recorded 'limits of files' 0 --preload libc --subbuf-size 4K --file-size 8K --file-count 2 --mode blocking -- ./loop
is $(($(kept) + $(lost))) 100000 'limits of files: kept and lost make all'
ok 'limits of files: some were thrown away' test "$(lost)" -gt 0
like "$(<err)" ' [KM]iB written in [0-9]+ stream' 'limits of files: so much was written, and not all of it is there'
timeout 60 "$lttngmap" record -o small --subbuf-size 64K --file-size 8K -- ./loop 2>err
like "$?:$(<err)" '^125:.*no room for a sub-buffer' 'a file too small: said'

# ---- rules
recorded 'one event only' 0 -e 'lttng_ust_libc:mal*' --mode blocking -- ./loop
is "$(kept)" 50000 'one event only: that one'
timeout 60 "$lttngmap" record -o none -e 'other:*' -- ./loop 2>err
like "$(<err)" 'nothing traced: no process with tracepoints.*--preload libc' \
	'nothing to preload: said'
ok 'and no directory' test ! -e none

# ---- what is left behind by others
"$lttngmap" record -o background -- sh -c 'perl -e "open F, q(>), q(begun); sleep 60" & echo $! >pid
	until [ -e begun ]; do :; done; exit 3' >stdout 2>err
is $? 3 'a background process does not hold the recording up'
like "$(<err)" '1 traced process is still running' 'but is told of'
kill "$(<pid)"
"$lttngmap" record -q -o killed -- \
	perl -e '$h{$_} = "x$_" for 1 .. 20000; open F, ">", "all"; sleep 60' &
pid=$!
for _ in {1..600}; do
	[[ -e all && $(find killed/ust -name 'events_*' 2>/dev/null) ]] && break
	sleep 0.05
done
child=$(pgrep -P "$pid" perl)
daemon=$(pgrep -f "sessiond --private --runtime-dir $TAP_DIR")
kill -9 "$pid"
wait "$pid" 2>/dev/null
for _ in {1..600}; do kill -0 "${daemon%%$'\n'*}" 2>/dev/null || break; sleep 0.05; done
is "$(pgrep -f "runtime-dir $TAP_DIR")" '' 'a killed command leaves no daemon'
is "$(find "$TAP_DIR/run" -mindepth 2)" '' 'nor anything in its directory'
find "$TAP_DIR/run" -mindepth 1 -delete
kill -9 "$child"
ok 'and a trace of what had happened' test "$(babeltrace2 killed 2>/dev/null | wc -l)" -gt 20000
is "$(babeltrace2 killed 2>&1 >/dev/null)" '' 'that babeltrace2 reads without a word'

# ---- places that fail
if [[ $EUID == 0 && ${LTTNGMAP_MEDIATOR:-} != ring-socket ]] && unshare -m true 2>/dev/null; then
	output=$(unshare -m bash -c '
		[[ ! -e /dev/fuse ]] || mount --bind /dev/null /dev/fuse
		"$1" record -o nofuse --mediator=ring-fs -- touch started; echo "status $?"' - \
		"$lttngmap" 2>&1)
	like "$output" 'ring-fs cannot serve here.*ring-socket.*status 125' 'no /dev/fuse: said'
	ok 'no /dev/fuse: nothing left behind' test ! -e nofuse -a ! -e started -a -z "$(left)"
else
	skip 2 'hiding /dev/fuse needs root'
fi

done_testing
