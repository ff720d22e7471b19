#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap report --text`: each figure is what the events of the trace say, read one by one.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
utils=$LTTNGMAP_SRC/tests/utils
export LC_ALL=C.UTF-8 PAGER=cat
cd "$TAP_DIR" || exit 1

# ---- a real program ---------------------------------------------------------------------

cat >leak.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* More asks for it than the compiler can see is needed. */
__attribute__((noinline)) void *volatile_of(size_t size)
{
	void *volatile block = malloc(size);

	return block;
}
__attribute__((noinline)) void leak_much(void) { ((char *)malloc(3000))[0] = 1; __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void leak_little(void) { ((char *)malloc(70))[0] = 1; __asm__ volatile("" ::: "memory"); }

int main(void)
{
	static char block[300];

	for (int i = 0; i < 300; i++) {
		free(volatile_of(500));
		if (i < 40)
			leak_much();
		leak_little();
		close(open("/dev/null", O_RDONLY));
		if (i < 11) {
			int fd = open("own", O_RDWR | O_CREAT, 0600);

			/* Its number is that of other files before and later. */
			if (write(fd, block, sizeof(block)) < 0 || close(fd) < 0)
				return 1;
			if (i < 10)
				open("nosuch", O_RDONLY);
		}
	}
	return 0;
}
END
"${LTTNGMAP_CC:-cc}" -g -O0 -fno-builtin -o leak leak.c || bail_out 'no compiler'
LTTNGMAP_ALLOW_BLOCKING=1 "$lttngmap" record -q --mode blocking -o trace --preload libc,dl,io --context vtid,ip -- ./leak ||
	bail_out 'it was not recorded'
"$lttngmap" report --text trace >out 2>err
is "$?:$(<err)" '0:' 'sums as text'
ok '  ... and no page' test ! -e trace.html
"$lttngmap" view --json trace >events.json
# Without commas between digits, and with one space between words.
plain() { sed -E ':a;s/([0-9]),([0-9])/\1\2/;ta;s/ +/ /g;s/^ //' "$@"; }
plain out >plain
like "$(head -n 1 plain)" "^$(wc -l <events.json) events in [0-9]+\.[0-9]{6} s\$" 'the events'
sed -n '/EVENTS NAME/,/^$/p' plain | sed '1d;$d' | sort >classes
sed -E 's/.*"event":"([^"]*)".*/\1/' events.json | sort | uniq -c | sed -E 's/^ +//' | sort >right
is "$(comm -13 right classes | wc -l) $(grep -c . classes)" "0 $(($(wc -l <right) < 15 ? $(wc -l <right) : 15))" \
	'how often there was each' || diag "$(<out)"
like "$(tr '\n' ' ' <plain)" "EVENTS PROCESS $(wc -l <events.json) leak $(head -n 1 events.json | sed -E 's/.*"pid":([0-9]+).*/\1/') " 'of which process'
python3 - <<'END' >"$TAP_DIR/times"
import json
times = {}
for event in map(json.loads, open("events.json")):
    if "duration" in event["fields"]:
        times.setdefault(event["event"].split(":")[1], []).append(event["fields"]["duration"])
for name, all in times.items():
    all.sort()
    print(name, len(all), sum(all), all[(len(all) - 1) // 2], all[-1])
END
# Calls are shown to three digits; the median is known to an eighth.
is "$(python3 - <<'END'
units = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
right = {line.split()[0]: [int(word) for word in line.split()[1:]] for line in open("times")}
rows, wrong, inside = 0, [], False
for line in open("plain"):
    words = line.split()
    if inside and not words:
        break
    if inside:
        name, numbers = words[-1], words[1:-1]
        total, median, late, most = (float(numbers[i]) * units[numbers[i + 1]] for i in range(0, 8, 2))
        rows += 1
        truth = right[name]
        if not (int(words[0]) == truth[0] and abs(total - truth[1]) <= 0.01 * truth[1]
                and abs(median - truth[2]) <= 0.13 * truth[2] + 1 and abs(most - truth[3]) <= 0.01 * truth[3]
                and median <= late * 1.01 and late <= most * 1.01):
            wrong.append((line, truth))
    inside = inside or words[:1] == ["CALLS"]
print(wrong, rows == min(15, len(right)))
END
)" '[] True' 'how long calls took' || diag "$(<out)"
like "$(tr '\n' ' ' <plain)" ' ALLOCATED BY 120000 40 leak_much\+0x[0-9a-f]+ at leak.c:12 \(malloc\) 21000 300 leak_little\+0x' \
	'whose memory was not freed, the most first' || diag "$(<out)"
is "$(sed '1,/NOT FREED/d' plain | awk '{ bytes += $1; blocks += $2 } END { print bytes, blocks }')" \
	"$(python3 "$utils/held_blocks.py" <events.json)" '  ... and all of it'
# bytes_by < EVENTS.JSON: BYTES CALLS FUNCTION of who allocated by malloc in the program itself.
python3 - <<'END' >right
import json
sums = {}
for event in map(json.loads, open("events.json")):
    symbol = event.get("symbols", {}).get("ip", {})
    if event["event"] == "lttng_ust_libc:malloc" and "line" in symbol:
        sum = sums.setdefault(symbol["function"], [0, 0])
        sum[0] += event["fields"]["size"]
        sum[1] += 1
for name, (bytes, calls) in sorted(sums.items()):
    print(bytes, calls, name)
END
is "$(sed '1,/ALLOCATED, B CALLS/d; /^$/,$d' plain | sed -En 's/^([0-9]+ [0-9]+ \S+)\+0x.* \(malloc\)$/\1/p' |
	LC_ALL=C sort -k 3)" "$(<right)" 'who allocated how much, freed since or not' || diag "$(<out)"
like "$(<right)" '120000 40 leak_much.*150000 300 volatile_of' '  ... as the program is'
python3 - <<'END' >right
import json
files, open_files = {}, {}
for event in map(json.loads, open("events.json")):
    provider, name = event["event"].split(":")
    fields = event["fields"]
    if provider != "lttngmap_io":
        continue
    path = fields.get("path") or open_files.get(fields["fd"]) or \
        ["(standard input)", "(standard output)", "(standard error)"][fields["fd"]]
    if name in ("open", "openat") and fields["error"] == 0:
        open_files[fields["result"]] = path
    file = files.setdefault(path, [0, 0, 0, 0])
    file[0] += name in ("open", "openat")
    file[1] += 1
    file[2] += fields["result"] if name in ("read", "write") and fields["result"] > 0 else 0
    file[3] += fields["error"] != 0 and name in ("open", "openat")
for path, (opens, calls, bytes, failed) in sorted(files.items()):
    print(opens, calls, bytes, path + (" (%d failed)" % failed if failed else ""))
END
is "$(sed '1,/OPENS CALLS BYTES TIME FILE/d; /^$/,$d' plain | sed -E 's/^([0-9]+ [0-9]+ [0-9]+) [0-9.]+ [mnu]?s /\1 /' |
	LC_ALL=C sort -k 4)" "$(LC_ALL=C sort -k 4 right)" 'which files, how often, how much' || diag "$(<out)"
like "$(<right)" '300 600 0 /dev/null.*10 10 0 nosuch \(10 failed\).*11 33 3300 own' '  ... as the program is'
# Copies of descriptors, and numbers that come to be of other files without a close() that is seen.
printf '%01000d' 1 >A
printf '%060000d' 1 >B
cat >copies.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

int main(void)
{
	static char block[50000];
	int a = open("A", O_RDONLY), b = open("B", O_RDONLY), c, ends[2];
	FILE *stream;

	/* 50,000 of B, by the number of A. */
	dup2(b, a);
	close(b);
	if (read(a, block, 50000) != 50000)
		return 1;
	/* 1,000, 2,000 and 3,000 of B by copies. */
	c = dup(a);
	if (pread(c, block, 1000, 0) != 1000 || pread(dup3(c, 90, 0), block, 2000, 0) != 2000 ||
	    pread(fcntl(90, F_DUPFD, 95), block, 3000, 0) != 3000)
		return 2;
	/* 20,000 each way in a pipe that has the number of what was B. */
	close_range(3, 100, 0);
	if (pipe(ends) || write(ends[1], block, 20000) < 0 || read(ends[0], block, 20000) < 0)
		return 3;
	close_range(3, 100, 0);
	/* A number that fclose() closed, and that a call without an event made: 8 bytes. */
	stream = fdopen(open("A", O_RDONLY), "r");
	fclose(stream);
	if (write(eventfd(0, 0), "12345678", 8) != 8)
		return 4;
	/* Standard input is a pipe: 500 bytes. */
	if (pipe(ends) || dup2(ends[0], 0) || write(ends[1], block, 500) != 500 || read(0, block, 500) != 500)
		return 5;
	return 0;
}
END
"${LTTNGMAP_CC:-cc}" -g -O0 -o copies copies.c || bail_out 'no compiler'
LTTNGMAP_ALLOW_BLOCKING=1 "$lttngmap" record -q --mode blocking -o copied --preload io -- ./copies ||
	bail_out 'it was not recorded'
"$lttngmap" report --text copied | plain >copies.out
is "$(sed '1,/OPENS CALLS BYTES TIME FILE/d; /^$/,$d' copies.out | sed -En 's/^([0-9]+) [0-9]+ ([0-9]+) [0-9.]+ [mnu]?s /\1 \2 /p' |
	grep -E ' (A|B|\(.*)$' | LC_ALL=C sort -k 3)" "$(printf '%s\n' '1 8 (eventfd 3)' '1 20000 (pipe 3)' \
	'2 20500 (pipe 4)' '1 500 (pipe 5)' '2 0 A' '1 56000 B')" 'descriptors are of the files that they were made of' ||
	diag "$(<copies.out)"
# Children have their parents' descriptors, and executed programs those that exec leaves open.
cat >children.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char block[1000];

int main(int argc, char **argv)
{
	int a, b;

	if (argc > 1)
		/* 200 of A. What is 4 now is no file of B's, and has no event: 30. */
		return read(3, block, 200) != 200 || memfd_create("x", 0) != 4 || write(4, block, 30) != 30;
	close_range(3, 100, 0);
	a = open("A", O_RDONLY);
	b = open("B", O_RDONLY | O_CLOEXEC);
	if (fork() == 0) {
		/* The parent's event of it comes first; and its close() before these. */
		usleep(300000);
		if (read(a, block, 100) != 100 || read(b, block, 50) != 50)
			_exit(1);
		execl("./after", "after", "again", NULL);
		_exit(2);
	}
	close(a);
	close(b);
	wait(&b);
	return b;
}
END
"${LTTNGMAP_CC:-cc}" -g -O0 -o children children.c || bail_out 'no compiler'
cp children after
# files_of COMMAND...: its files, by opens and bytes
files_of() {
	rm -rf inherited
	LTTNGMAP_ALLOW_BLOCKING=1 "$lttngmap" record -q --mode blocking -o inherited --preload io,proc -- "$@" >/dev/null
	"$lttngmap" report --text inherited | plain >inherited.out
	sed '1,/OPENS CALLS BYTES TIME FILE/d; /^$/,$d' inherited.out | sed -En 's/^([0-9]+) [0-9]+ ([0-9]+) [0-9.]+ [mnu]?s /\1 \2 /p' |
		grep -E ' (A|B|\((descriptor|standard input).*)$' | LC_ALL=C sort -k 3
}
is "$(files_of ./children)" "$(printf '%s\n' '0 30 (descriptor 4)' '1 300 A' '1 50 B')" \
	"a child's descriptors are of its parent's files, and those of what it executes" || diag "$(<inherited.out)"
is "$(files_of sh -c 'cat <A; true' | grep ' A$')" '1 1000 A' "  ... by a shell's redirection" || diag "$(<inherited.out)"
# Streams have descriptors, and what has no path is named by what it is. One number comes to be several in turn.
cat >named.c <<'END'
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(void)
{
	static char block[9000];
	struct sockaddr_un name = { AF_UNIX, "socket" };
	FILE *stream;
	DIR *folder;
	int server, client, ends[2], fd;

	close_range(3, 100, 0);
	/* 510 of A by a stream's descriptor 3. */
	stream = fopen("A", "r");
	if (read(fileno(stream), block, 10) != 10 || pread(fileno(stream), block, 500, 0) != 500)
		return 1;
	fclose(stream);
	/* 3 is a socket, 5 an accepted connection: 700 bytes; 4 the client. Then 3 is one more socket. */
	server = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(server, (struct sockaddr *)&name, sizeof(name)) || listen(server, 1))
		return 2;
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(client, (struct sockaddr *)&name, sizeof(name)) || (fd = accept(server, NULL, NULL)) != 5)
		return 3;
	if (write(client, block, 700) != 700 || read(fd, block, 700) != 700)
		return 4;
	close_range(3, 5, 0);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || send(ends[0], block, 30, 0) != 30 || recv(ends[1], block, 30, 0) != 30)
		return 5;
	close_range(3, 4, 0);
	if (epoll_create1(0) != 3 || eventfd(0, 0) != 4)
		return 6;
	close_range(3, 4, 0);
	/* 40 bytes of folder/A, which is another file than A. */
	folder = opendir("folder");
	fd = openat(dirfd(folder), "A", O_RDONLY);
	if (read(fd, block, 40) != 40)
		return 7;
	close(fd);
	closedir(folder);
	stream = tmpfile();
	if (write(fileno(stream), block, 60) != 60)
		return 8;
	fclose(stream);
	/* 12 bytes by dprintf. */
	dprintf(1, "%s", "standard out");
	/* 1 is C from now on: 11 bytes by dprintf, 5 by write, and it stays that where its mode alone is changed. */
	if (!freopen("C", "w", stdout))
		return 9;
	dprintf(1, "%010d\n", 5);
	if (!freopen(NULL, "a", stdout) || write(1, "12345", 5) != 5)
		return 10;
	return 0;
}
END
mkdir folder && cp A folder/A
"${LTTNGMAP_CC:-cc}" -g -O0 -o named named.c || bail_out 'no compiler'
LTTNGMAP_ALLOW_BLOCKING=1 "$lttngmap" record -q --mode blocking -o streams --preload io -- ./named >standard ||
	bail_out 'it was not recorded'
"$lttngmap" report --text --rows 0 streams | plain >named.out
is "$(sed '1,/OPENS CALLS BYTES TIME FILE/d; /^$/,$d' named.out | sed -En 's/^([0-9]+) [0-9]+ ([0-9]+) [0-9.]+ [mnu]?s /\1 \2 /p' |
	LC_ALL=C sort -k 3)" "$(printf '%s\n' '1 700 (accepted connection 5)' '1 0 (epoll 3)' '1 0 (eventfd 4)' '2 30 (socket 3)' \
	'2 730 (socket 4)' '0 12 (standard output)' '1 60 (temporary file 3)' '1 510 A' '2 16 C' '1 0 folder' '1 40 folder/A')" \
	'streams have descriptors, sockets and others are named by what they are' || diag "$(<named.out)"
is "$(wc -c <C) $(<standard)" '16 standard out' '  ... and dprintf writes what it should'
most=$(python3 - <<'END'
import json
held, now, most = {}, 0, 0
for event in map(json.loads, open("events.json")):
    name, fields = event["event"].split(":")[1], event["fields"]
    if name == "free":
        now -= held.pop(fields["ptr"], 0)
    elif name in ("malloc", "calloc") and fields["ptr"]:
        held[fields["ptr"]] = fields["size"] * fields.get("nmemb", 1)
        now += held[fields["ptr"]]
        most = max(most, now)
print(most)
END
)
like "$(tr '\n' ' ' <plain)" "MOST HELD, B PROCESS $most leak [0-9]+ " 'how much it held at one time'
middle=$(python3 -c 'import json
events = [json.loads(line) for line in open("events.json")]
sizes = [event["timestamp"] for event in events if event["fields"].get("size") == 3000]
print("+%.9f" % ((sizes[9] - events[0]["timestamp"] + 100) / 1e9))')
like "$("$lttngmap" report -t --to "$middle" trace | plain | tr '\n' ' ')" 'ALLOCATED BY 30000 10 leak_much' \
	'with --to: what was held then'
is "$(awk 'length > 110' out | wc -l)" 0 'no line is long'
"$lttngmap" report -t -e 'open*' -o opens.txt trace >out2 2>err
is "$? $(<err) $(head -n 1 opens.txt | cut -d ' ' -f 1-2) $(<out2)" '0  321 events ' 'into a file, of some events'

"$lttngmap" report -t --rows 1 trace | plain >out2
is "$(grep -c 'more; --rows 0 shows all' out2) $(grep -c '(malloc)' out2)" '5 2' '--rows: so many of each table' || diag "$(<out2)"
"$lttngmap" report -t --rows 0 trace | plain >out2
is "$(sed -n '/EVENTS NAME/,/^$/p' out2 | sed '1d;$d' | wc -l)" "$(sed -E 's/.*"event":"([^"]*)".*/\1/' events.json | sort -u | wc -l)" \
	'  ... or all'
"$lttngmap" report --rows 1 trace >out2 2>&1
is "$? $(head -n 1 out2)" '2 lttngmap: report: --rows is for --text' '  ... which a page has not'

# ---- what contexts would tell ------------------------------------------------------------

"$lttngmap" record -q -o bare --preload libc,io --context none -- ./leak || bail_out 'it was not recorded'
"$lttngmap" report --text bare >out 2>err
like "$(<err)" 'no durations: .* thread.*lttngmap context vtid,ip. in a session' 'without threads: why there are no durations'
is "$(plain out | grep -c '^CALLS TOTAL') $(plain out | grep -cx '120000 40 ? (malloc)\|291000 640 ? (malloc)')" '0 1' '  ... there are none'
"$lttngmap" record -q -o half --preload libc,io --context vtid -- ./leak || bail_out 'it was not recorded'
"$lttngmap" report --text half >out 2>err
like "$(<err)" 'not tell who called malloc.*--context vtid,ip' 'without callers: why there are none'
"$lttngmap" report --text trace >out 2>err
is "$(<err)" '' '  ... with both, nothing is missed'
"$lttngmap" record -q -o nameless --preload libc --context vtid,ip -- ./leak || bail_out 'it was not recorded'
"$lttngmap" report --text nameless >out 2>err
like "$(<err)" 'callers without a name: .*what their processes had loaded.*--preload libc,dl' 'without what was loaded: why callers have no names'
"$lttngmap" report --text --no-symbols nameless >out 2>err
is "$(<err)" '' '  ... which nobody misses who wants none'

# ---- other traces ------------------------------------------------------------------------

"$utils/make-slices" slices || bail_out 'the trace was not made'
sed -i 's/w:outer_begin/w:outer__start/; s/w:outer_end/w:outer__done/' slices/metadata
"$lttngmap" report -t slices >out
like "$(<out)" '^19 events in 0.000001 s; 5 lost' 'what was lost is said'
is "$(plain out | grep -cx '2 65 ns 31 ns 34 ns 35 ns outer')" 1 'a pair of probes with two underscores is a slice of the name before them'
cp -r slices calls
sed -i 's/w:outer__start/syscalls:sys_enter_nap/; s/w:outer__done/syscalls:sys_exit_nap/' calls/metadata
is "$("$lttngmap" report -t calls | plain | grep -cx '2 65 ns 31 ns 34 ns 35 ns nap')" 1 \
	'a system call of the kernel is a slice'
"$utils/make-hostile" hostile || bail_out 'the trace was not made'
sed -i 's/<img src/\x1b[1mxsrc/g' hostile/stream_0
"$lttngmap" report -t hostile >out
is "$(grep -c $'\x1b' out) $(grep -cF '?[1mxsrc=x' out)" '0 1' 'no name acts on the terminal'
mkdir empty
cp slices/metadata empty
"$lttngmap" report -t empty >out 2>err
is "$? $(<out)" '0 ' 'no event: nothing'
like "$(<err)" "no event in 'empty'" '  ... which is said'
"$lttngmap" report -t -e 'foo*' slices >out 2>err
is "$? $(<out) $(<err)" "1  lttngmap: report: no event 'foo*' in 'slices'" 'an event that is not there is a failure'
"$lttngmap" report -p nosuch slices >out 2>err
is "$? $(<out) $(<err) $(find . -name slices.html)" "1  lttngmap: report: no process 'nosuch' in 'slices' " \
	'  ... so is a process, and there is no page'
[[ ! -e /dev/full ]] || {
	"$lttngmap" report -t slices >/dev/full 2>err
	is "$?" 1 'a full disk'
	like "$(<err)" 'report: cannot write: No space' '  ... is said'
}
done_testing
