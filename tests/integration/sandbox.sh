#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A program that gives up system calls by seccomp, on pain of death, does not die of being traced,
# nor does its child: what cannot be traced any more is counted as lost.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"

# A busy machine takes longer for a registration than the 100 ms that a program has.
export LTTNGMAP_ALLOW_BLOCKING=1
# A sanitizer's runtime makes calls of its own.
need_plain
sandboxed=$LTTNGMAP_PLAIN/tests/utils/sandboxed

# sandboxed WHEN CALL...
sandboxed() {
	numbered_record_traced --mode discard --subbuf-size 64K --subbufs 8 "${preload[@]}" -- \
		"$sandboxed" "$@"
	is "$numbered_status" 0 "$* ${preload[*]}: it lives" || diag "$(cat "$TAP_DIR/err")"
}

preload=()
for calls in socket connect 'socket connect' prctl getsockopt clock_gettime rest; do
	# shellcheck disable=SC2086 # names
	sandboxed before $calls
	numbered_is_counted "before, $calls: all events are there or counted"
	ok "before, $calls: its child's are" test "$numbered_lost" -eq 500
	# shellcheck disable=SC2086 # names
	sandboxed after $calls
	numbered_is_counted "after, $calls: all events are there or counted"
done
sandboxed after strict
numbered_is_counted 'after, strict: all events are there or counted'

# Where liblttngmap comes behind the C library, a family leads there.
preload=(--preload 'libc')
for calls in socket prctl rest; do
	sandboxed before "$calls"
	sandboxed after "$calls"
done

# A program that knows nothing of liblttngmap.
cat >"$TAP_DIR/plain.c" <<'END'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };
	int status = 1;

	free(malloc(10));
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (strcmp(argv[1], "prctl") == 0)
		status = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	else
		status = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
	if (status != 0)
		return 2;
	/* Refused, as it is without the library. */
	if (syscall(SYS_close, -1) != -1 || prctl(-1, 0, 0, 0, 0) != -1)
		return 3;
	if (fork() == 0) {
		free(malloc(10));
		_exit(0);
	}
	wait(&status);
	return status != 0;
}
END
"${LTTNGMAP_CC:-cc}" -w -O0 -o "$TAP_DIR/plain" "$TAP_DIR/plain.c" || bail_out 'no compiler'
for how in prctl syscall; do
	ok "plain, $how: it lives untraced" "$TAP_DIR/plain" "$how"
	for family in libc io pthread dl proc syslog; do
		"$LTTNGMAP_BUILD/lttngmap" record -q -o "$TAP_DIR/plain-trace" \
			--preload "libc,$family" -- "$TAP_DIR/plain" "$how" 2>"$TAP_DIR/err"
		is "$?" 0 "plain, $how, $family: it lives traced" || diag "$(cat "$TAP_DIR/err")"
		rm -rf "$TAP_DIR/plain-trace"
	done
done
done_testing
