#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# What a traced program executes may be of another C library, whose loader ends it over ours: it
# runs as it does untraced, without our libraries and with the user's, however it is executed and
# whichever family is preloaded. It is counted once, and named.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
lttngmap=$LTTNGMAP_BUILD/lttngmap
mkdir -m 700 "$TAP_DIR/run-here"
export XDG_RUNTIME_DIR=$TAP_DIR/run-here
unset LD_PRELOAD
cd "$TAP_DIR" || exit 1

# By the name of its loader it is musl's. It says what of LD_PRELOAD it got.
"${LTTNGMAP_CC:-cc}" -x c -o lose - <<<'int main(void) { return 0; }'
loader=$(readelf -l lose | sed -nE 's/.*interpreter: (.*)\]/\1/p')
cp "$loader" ld-musl-x86_64.so.1
"${LTTNGMAP_CC:-cc}" -Wl,--dynamic-linker="$TAP_DIR/ld-musl-x86_64.so.1" -x c -o foreign - <<'END_C'
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	const char *preload = getenv("LD_PRELOAD"), *kept = getenv("KEPT");

	printf("%s %s\n", preload ? preload : "none", kept ? kept : "");
	return 7;
}
END_C
printf '#!%s/foreign\n' "$TAP_DIR" >script
chmod +x script
# Each way to execute it: the first argument says which.
"${LTTNGMAP_CC:-cc}" -D_GNU_SOURCE -x c -o starter - <<'END_C'
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void execute(const char *how, const char *path, char *const argv[])
{
	if (!strcmp(how, "execve"))
		execve(path, argv, environ);
	else if (!strcmp(how, "execv"))
		execv(path, argv);
	else if (!strcmp(how, "execvp"))
		execvp(strrchr(path, '/') + 1, argv);
	else if (!strcmp(how, "execvpe"))
		execvpe(strrchr(path, '/') + 1, argv, environ);
	else if (!strcmp(how, "execl"))
		execl(path, path, (char *)NULL);
	else if (!strcmp(how, "execlp"))
		execlp(strrchr(path, '/') + 1, path, (char *)NULL);
	else if (!strcmp(how, "execle"))
		execle(path, path, (char *)NULL, environ);
	else if (!strcmp(how, "fexecve"))
		fexecve(open(path, O_RDONLY | O_CLOEXEC), argv, environ);
	else if (!strcmp(how, "execveat"))
		execveat(AT_FDCWD, path, argv, environ, 0);
	_exit(99);
}

int main(int argc, char **argv)
{
	const char *how = argv[1], *path = argv[2];
	char *arguments[] = { argv[2], NULL };
	pid_t child = 0;
	int status = 0, result = 0;

	if (argc > 3)
		execute(how, path, arguments);
	if (!strcmp(how, "posix_spawn"))
		result = posix_spawn(&child, path, NULL, NULL, arguments, environ);
	else if (!strcmp(how, "posix_spawnp"))
		result = posix_spawnp(&child, strrchr(path, '/') + 1, NULL, NULL, arguments, environ);
	else if ((child = strcmp(how, "execve") ? fork() : vfork()) == 0)
		execute(how, path, arguments);
	if (result || waitpid(child, &status, 0) != child)
		return 98;
	return WEXITSTATUS(status);
}
END_C
export PATH=$TAP_DIR:$PATH KEPT=kept

# run FAMILIES COMMAND...: its output and status.
run() {
	local families=$1

	shift
	rm -rf trace
	timeout 60 "$lttngmap" record -o trace --preload "$families" -e '*:*' -- "$@" 2>err
	echo "status $?"
}
left_out() { sed -En 's/^lttngmap: (nothing traced: )?([0-9]+ process.* not traced.*)/\2/p' err; }
is_run() { # FAMILIES NAME WHAT COMMAND...
	local families=$1 name=$2 what=$3

	shift 3
	is "$(run "$families" "$@")" $'none kept\nstatus 7' "$what" || diag "$(<err)"
	is "$(left_out)" "1 process not traced: $name (1)" '  ... and it is named' || diag "$(<err)"
}

is_run libc,dl foreign 'in a shell' sh -c './foreign; exit $?'
for family in libc pthread io proc dl syslog; do
	is_run "$family" foreign "by $family, of a vfork" ./starter execve "$TAP_DIR/foreign"
done
for how in execv execvp execvpe execl execlp execle fexecve execveat posix_spawn posix_spawnp; do
	family=$([[ ${#how} == *[02468] ]] && echo libc,proc || echo io)
	is_run "$family" foreign "by $how" ./starter "$how" "$TAP_DIR/foreign"
done
is_run libc foreign 'in place of the program itself' ./starter execv "$TAP_DIR/foreign" own
is_run libc,proc script 'as the interpreter of a script' ./starter posix_spawn "$TAP_DIR/script"

# The user's own library stays, here one that such a program takes.
"${LTTNGMAP_CC:-cc}" -shared -o user.so -x c - <<<'int user;'
export LD_PRELOAD=$PWD/user.so
# Our command, too, has it before a sanitizer's runtime.
[[ -z ${LTTNGMAP_SANITIZED:-} ]] || export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
is "$(run libc ./starter posix_spawn "$TAP_DIR/foreign")" "$PWD/user.so kept"$'\nstatus 7' \
	"what the user preloads stays" || diag "$(<err)"
unset LD_PRELOAD

# Each family wraps posix_spawn().
"${LTTNGMAP_CC:-cc}" -static -x c -o static - <<<'int main(void) { return 7; }' || bail_out 'no static C library'
is "$(run libc,dl,io,pthread,proc,syslog ./starter posix_spawn "$TAP_DIR/static")" 'status 7' 'a static program' ||
	diag "$(<err)"
is "$(left_out)" '1 process not traced: static (1)' '  ... is counted once'

# What is started without LD_PRELOAD may end before the daemon looks. What was traced before is there.
for family in libc proc,io; do
	is "$(run "$family" sh -c 'true; env -i ./lose; exit 3')" 'status 3' "$family: without its environment" || diag "$(<err)"
	is "$(left_out)" '1 process not traced: lose (1)' '  ... a program is named'
	is "$(run "$family" sh -c 'x=$(echo 1); env -i ./lose; exec env -i ./lose')" 'status 0' \
		"$family: the same in place of a traced program" || diag "$(<err)"
	is "$(left_out)" '2 processes not traced: lose (2)' '  ... is named'
	ok '  ... and the events before it are kept' test "$("$lttngmap" view trace | grep -c ' sh ')" -gt 0
done
is "$(run libc env -i ./lose; "$lttngmap" view trace | grep -c ' env ' >seen; left_out)" \
	$'status 0\n1 process not traced: lose (1)' 'of one process that executed such a program'
ok '  ... the events before are kept, too' test "$(<seen)" -gt 0

# Of another word size: as much as an ELF header needs.
"${LTTNGMAP_CC:-cc}" -nostdlib -static -m32 -x c -o small - <<'END_C'
void _start(void)
{
	__asm__ volatile("int $0x80" ::"a"(1), "b"(7));
}
END_C
is "$(run libc ./starter posix_spawn "$TAP_DIR/small")" 'status 7' 'a program of another word size' ||
	diag "$(<err)"
is "$(left_out)" '1 process not traced: small (1)' '  ... is named'
done_testing
