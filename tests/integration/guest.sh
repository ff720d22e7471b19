# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# What a traced process shows of being traced: no thread, two descriptors,
# maps with no right too many, and in a steady state no system call but the
# eventfd write of a filled sub-buffer, if its reader sleeps.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
steady=$LTTNGMAP_BUILD/tests/utils/steady
record=("$lttngmap" record -q --preload none -e 'steady:*')
# A program waits for the daemon, however loaded the machine is.
export LTTNGMAP_ALLOW_BLOCKING=1

# look PID: threads, descriptors and maps of a process, into $TAP_DIR.
look() {
	ls "/proc/$1/task" >"$TAP_DIR/threads"
	ls -l "/proc/$1/fd" | sed -n 's/.* \([0-9]*\) -> \(.*\)/\1 \2/p' >"$TAP_DIR/fds"
	cp "/proc/$1/smaps" "$TAP_DIR/smaps" 2>/dev/null
	sed -n 's/^[0-9a-f]*-[0-9a-f]* \(....\) .*memfd:\(lttngmap[^ ]*\).*/\1 \2/p' \
		"/proc/$1/maps" >"$TAP_DIR/maps"
}

# run_and_look COMMAND...: run the program until its events are written, look.
run_and_look() {
	local pid tries child

	rm -f "$TAP_DIR/in" "$TAP_DIR/out"
	mkfifo "$TAP_DIR/in"
	"$@" "$steady" 1000 wait <"$TAP_DIR/in" >"$TAP_DIR/out" 2>"$TAP_DIR/err" &
	pid=$!
	exec 9>"$TAP_DIR/in"
	for ((tries = 0; tries < 1200; tries++)); do
		grep -q end "$TAP_DIR/out" && break
		sleep 0.05
	done
	child=$(pgrep -P "$pid" -f "^$steady 1000 wait")
	look "${child:-$pid}"
	exec 9>&-
	wait
}

run_and_look env
plain_threads=$(wc -l <"$TAP_DIR/threads")
plain_fds=$(wc -l <"$TAP_DIR/fds")
run_and_look "${record[@]}" -o "$TAP_DIR/trace" --
is "$(wc -l <"$TAP_DIR/threads")" "$plain_threads" 'no thread is added' || diag "$(cat "$TAP_DIR/err")"
is "$(($(wc -l <"$TAP_DIR/fds") - plain_fds))" 2 'two descriptors are added' ||
	diag "$(cat "$TAP_DIR/fds")"
is "$(awk '$1 > 900 { sub(/[0-9]+/, "", $2); print $2 }' "$TAP_DIR/fds" | sort | tr '\n' ' ')" \
	'anon_inode:[eventfd] socket:[] ' 'an eventfd and a socket, out of the way of others'

# Each kind of memory has its right, and no other.
rights() {
	sort -u "$TAP_DIR/maps" | awk -v kind="$1" '$2 ~ kind { print $1 }' | tr '\n' ' '
}
diag "$(sort "$TAP_DIR/maps" | uniq -c)"
is "$(rights 'ring-set')" '-w-s rw-s ' 'ring data is mapped for writing only, ring control for reading, too'
is "$(awk '$2 !~ /ring/ { print $1 }' "$TAP_DIR/maps" | sort -u)" 'r--s' \
	'the control pages are mapped for reading only'

# What is mapped is sparse: little of it is there.
there=$(awk '/memfd:lttngmap/ { ours = 1; next } /^[0-9a-f]+-/ { ours = 0 }
	ours && /^Rss:/ { sum += $2 } END { print sum + 0 }' "$TAP_DIR/smaps")
ok "of the maps, $there KiB are there" test "$there" -lt 1024

# The steady state, as strace sees it.
# LeakSanitizer traces the program itself, as only one may.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
if command -v strace >/dev/null; then
	"${record[@]}" -o "$TAP_DIR/straced" --subbuf-size 4K --subbufs 64 --mode overwrite -- \
		strace -f -o "$TAP_DIR/strace" "$steady" 20000 >/dev/null 2>"$TAP_DIR/err"
	is $? 0 'strace ran the program' || diag "$(cat "$TAP_DIR/err")"
	sed -n '/write(1, "begin/,/write(1, "end/p' "$TAP_DIR/strace" | sed '1d;$d' \
		>"$TAP_DIR/between"
	# The library looks whether the descriptor is still the eventfd, and writes.
	is "$(grep -vcE '(fstat|newfstatat)\(|write\([0-9]*, "\\1\\0\\0\\0\\0\\0\\0\\0", 8\) *= 8' "$TAP_DIR/between")" 0 \
		'in the steady state there are only eventfd writes, each after a look' ||
		diag "$(sort "$TAP_DIR/between" | uniq -c | sort -nr | head)"
	# 20000 records of 36 bytes fill 181 sub-buffers. A reader that is awake needs no bell.
	ok 'and at most one for each filled sub-buffer' \
		test "$(wc -l <"$TAP_DIR/between")" -gt 0 -a "$(wc -l <"$TAP_DIR/between")" -le $((2 * 181))

	# Children that are forked and write, while their parent waits for them.
	"$lttngmap" record -q --preload libc -o "$TAP_DIR/forked" -- strace -f -o "$TAP_DIR/fork-calls" \
		bash -c '(: "$(echo x)"; printf -v a %s b; echo $a); :' >/dev/null 2>"$TAP_DIR/err"
	children=$(($(grep -c 'connect(.*app.sock' "$TAP_DIR/fork-calls") - 1))
	ok "$children forked children register" test "$children" -gt 0
	is "$(grep -c 'mmap(.*, 532480, PROT_READ, MAP_SHARED|MAP_FIXED' "$TAP_DIR/fork-calls")" 1 \
		'they map no global control anew' || diag "$(cat "$TAP_DIR/fork-calls")"
	is "$(grep -c 'dup3([0-9]*, [0-9]\{3,\}, O_CLOEXEC) *= [0-9]' "$TAP_DIR/fork-calls")" \
		$((2 * children)) "their sockets and eventfds take the numbers of their parent's"
else
	skip 6 'strace is not installed'
fi
done_testing
