# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A program that is only preloaded into, by any family, has liblttngmap's vfork(), which
# knows the child in its parent's memory, and not the C library's; and its events.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
cat >"$TAP_DIR/vforks.c" <<'END'
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 20; i++) {
		if (write(1, "p", 1) == 1 && vfork() == 0) {
			write(1, "cc", 2);
			_exit(0);
		}
	}
	return 0;
}
END
"${LTTNGMAP_CC:-cc}" -w -O2 -o "$TAP_DIR/vforks" "$TAP_DIR/vforks.c" || bail_out 'no compiler'
for family in libc pthread dl io proc syslog cyg-profile cyg-profile-fast; do
	library=$LTTNGMAP_PLAIN/.libs/liblttngmap-$family.so
	bindings=$(LD_DEBUG=bindings LD_PRELOAD=$library "$TAP_DIR/vforks" 2>&1 >/dev/null | grep vfork)
	like "$bindings" "vforks \\[0\\] to $library \\[0\\].*vfork'" "$family: whose vfork() it is"
	like "$bindings" "$library \\[0\\] to [^ ]*/liblttngmap.so.0 \\[0\\].*lttngmap_vfork(_then)?'" '  ... and where that leads'
done

record() {
	rm -rf "$TAP_DIR/trace"
	"$LTTNGMAP_BUILD/lttngmap" record -o "$TAP_DIR/trace" --mode blocking --context vpid --preload io \
		-e lttngmap_io:write -- "$TAP_DIR/vforks" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
	babeltrace2 "$TAP_DIR/trace" >"$TAP_DIR/text" 2>&1
}
# A program waits 100 ms for its registration, which a busy machine may exceed.
for _ in 1 2 3; do
	record
	grep -qE 'did not (wait for an answer|answer them in time)' "$TAP_DIR/err" || break
done
is "$(tr -d '\n' <"$TAP_DIR/out")" "$(printf 'pcc%.0s' {1..20})" 'the program does what it does'
is "$(grep -c ' size = 1, ' "$TAP_DIR/text")" 20 'each write of the parent is an event'
is "$(grep ' size = 2, ' "$TAP_DIR/text" | grep -o 'vpid = [0-9]*' | sort -u | wc -l)" 20 \
	'and each of its children'
is "$(grep ' size = 1, ' "$TAP_DIR/text" | grep -o 'vpid = [0-9]*' | sort -u | wc -l)" 1 \
	'the parent is not taken for one of them'
is "$(grep ' size = 2, ' "$TAP_DIR/text" | grep -o 'cpu_id = [0-9]*' | sort -u)" 'cpu_id = 4294967295' \
	'no CPU is made up for the children'
is "$("$LTTNGMAP_BUILD/lttngmap" view "$TAP_DIR/trace" | awk '/size=2/ { print $5 }' | sort -u)" cpu- '  ... and view shows none'
parent_cpus=$(grep ' size = 1, ' "$TAP_DIR/text" | grep -o 'cpu_id = [0-9]*' | cut -d' ' -f3)
if [[ ${LTTNGMAP_TEST_RSEQ:-} != off ]]; then
	ok "the parent's CPU is one that there is" awk -v cpus="$(nproc --all)" '$1 >= cpus { exit 1 }' <<<"$parent_cpus"
fi
# Children that clone() makes on the thread pointer of their parent, who waits for them or not.
cat >"$TAP_DIR/clones.c" <<'END'
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char stack[65536];

static int child(void *unused)
{
	(void)unused;
	return write(1, "cc", 2) != 2;
}

int main(int argc, char **argv)
{
	int flags = atoi(argv[argc - 1]) | SIGCHLD;

	for (int i = 0; i < 20; i++) {
		if (write(1, "p", 1) == 1 && clone(child, stack + sizeof(stack), flags, NULL) > 0)
			wait(NULL);
	}
	return 0;
}
END
"${LTTNGMAP_CC:-cc}" -w -O2 -o "$TAP_DIR/clones" "$TAP_DIR/clones.c" || bail_out 'no compiler'
record_clones() {
	rm -rf "$TAP_DIR/trace"
	"$LTTNGMAP_BUILD/lttngmap" record -o "$TAP_DIR/trace" --mode blocking --context vpid --preload io,proc \
		-e lttngmap_io:write -- "$TAP_DIR/clones" "$1" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
	babeltrace2 "$TAP_DIR/trace" >"$TAP_DIR/text" 2>&1
}
for flags in $((0x4100)) $((0x100)); do # CLONE_VM, with CLONE_VFORK and without
	for _ in 1 2 3; do
		record_clones "$flags"
		grep -qE 'did not (wait for an answer|answer them in time)' "$TAP_DIR/err" || break
	done
	is "$(tr -d '\n' <"$TAP_DIR/out")" "$(printf 'pcc%.0s' {1..20})" "clone, flags $flags: the program does what it does"
	is "$(grep ' size = 2, ' "$TAP_DIR/text" | grep -o 'vpid = [0-9]*' | sort | uniq | wc -l)" 20 \
		'  ... each of its children is itself'
	is "$(grep ' size = 1, ' "$TAP_DIR/text" | grep -o 'vpid = [0-9]*' | sort | uniq -c | awk '{ print $1 }')" 20 \
		'  ... and the parent is not taken for one of them'
done

# A child whose thread pointer leads to zeros, as sandboxes make one: it has no thread-local storage.
cat >"$TAP_DIR/no-storage.c" <<'END'
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static char stack[65536], storage[8192];

static int child(void *unused)
{
	(void)unused;
	write(1, "c", 1);
	_exit(0);
}

int main(void)
{
	int status = -1;

	clone(child, stack + sizeof(stack), CLONE_FS | CLONE_VM | CLONE_VFORK | CLONE_SETTLS | SIGCHLD,
	      NULL, NULL, storage + sizeof(storage) / 2, NULL);
	wait(&status);
	printf("%x\n", status);
	return 0;
}
END
"${LTTNGMAP_CC:-cc}" -w -O2 -o "$TAP_DIR/no-storage" "$TAP_DIR/no-storage.c" || bail_out 'no compiler'
"$LTTNGMAP_BUILD/lttngmap" record -o "$TAP_DIR/no-storage.trace" --preload io,proc,libc -e '*:*' -- \
	"$TAP_DIR/no-storage" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
is "$(<"$TAP_DIR/out")" c0 'a child without thread-local storage does what it does' || diag "$(<"$TAP_DIR/err")"
like "$(<"$TAP_DIR/err")" 'kept, 2 lost' 'and its events are counted as lost'
done_testing
