#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Programs into which nothing is preloaded, started in each way that a program starts others: a static
# one, one that gains privileges, one without our libraries in its environment. Each is
# counted once, and named, also where its caller closed all descriptors after vfork(), as Python does.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

need_plain
lttngmap=$LTTNGMAP_BUILD/lttngmap
mkdir -m 700 "$TAP_DIR/run-here"
export XDG_RUNTIME_DIR=$TAP_DIR/run-here
unset LD_PRELOAD
cd "$TAP_DIR" || exit 1

# The program, not a script that finds it.
python=$(python3 -c 'import sys; print(sys.executable)')

left_out() { sed -En 's/^lttngmap: (nothing traced: )?([0-9]+ process.* not traced.*)/\2/p' err; }
traced() { sed -n 's/^lttngmap: \([0-9]*\) process\(es\)* traced,.*/\1/p' err; }
recorded() { # PROGRAM ARGUMENT...
	rm -rf trace
	timeout 60 "$lttngmap" record -o trace --preload libc -- "$@" >stdout 2>err </dev/null
}

program='int main(void) { return 0; }'
"${LTTNGMAP_CC:-cc}" -static -x c -o a-static - <<<"$program"
"${LTTNGMAP_CC:-cc}" -x c -o a-bare - <<<"$program"
"${LTTNGMAP_CC:-cc}" -x c -o a-traced - <<<"$program"
# It gains privileges: it has another user, or another group, than who starts it.
cp a-bare a-secure
if [ "$EUID" = 0 ]; then
	chown 65534 a-secure && chmod 4755 a-secure
else
	group=$(id -G | tr ' ' '\n' | grep -vx "$(id -g)" | head -n 1)
	[ -n "$group" ] && chgrp "$group" a-secure && chmod 2755 a-secure || rm a-secure
fi
secure=0
[ -e a-secure ] && ! findmnt -no OPTIONS -T . | grep -qw nosuid && secure=1
[ "$secure" = 1 ] || diag 'no program that gains privileges: of one group, or mounted nosuid'

# named COUNT-OF-EACH [WITH-BARE]: what the summary is to say.
named() {
	local list="a-static ($1)" all=$1

	if [ $secure = 1 ]; then
		list="a-secure ($1), $list"
		all=$((all + $1))
	fi
	if [ "${2:-}" ]; then
		list="a-bare ($1), $list"
		all=$((all + $1))
	fi
	echo "$all process$([ $all = 1 ] || echo es) not traced: $list"
}

cat >run.py <<END
import os, subprocess, sys

secure = ["./a-secure"] if $secure else []

def run(program, env=None):
    subprocess.run([program], env=env, check=True, close_fds=sys.argv[1] == "closed")

for _ in range(2):
    for program in ["./a-static", "./a-traced"] + secure:
        run(program)
    run("./a-bare", {})
END
for how in closed open; do
	recorded "$python" -S -E run.py $how
	is "$(traced) $(left_out)" "3 $(named 2 bare)" "subprocess.run of Python, descriptors $how: each counts once" ||
		diag "$(<err)"
done
cat >env.py <<'END'
import os, subprocess

subprocess.run(["./a-static"], env={}, check=True)
for name in ["./no-such-program", "./a-static/none"]:
    try:
        subprocess.run([name], env={})
    except OSError:
        pass
END
recorded "$python" -S -E env.py
like "$(<err)" 'programs that these start are neither traced nor counted' 'what a program that is not traced starts is not counted: it is said'
is "$(traced) $(left_out)" '1 1 process not traced: a-static (1)' \
	'a program that could not be executed does not count' || diag "$(<err)"

# dash calls vfork(), make posix_spawn(), bash fork().
secure_line=
[ $secure = 0 ] || secure_line='./a-secure;'
for shell in dash bash; do
	recorded $shell -c "./a-static; ./a-traced; $secure_line ./a-traced; true"
	is "$(traced) $(left_out)" "3 $(named 1)" "$shell: each counts once" || diag "$(<err)"
done
printf 'all:\n\t./a-static\n\t./a-traced\n' >Makefile
[ $secure = 0 ] || printf '\t./a-secure\n' >>Makefile
recorded make -s
is "$(traced) $(left_out)" "2 $(named 1)" 'make: each counts once' || diag "$(<err)"

# It closes all of its descriptors, and is another program then, as sudo is.
"${LTTNGMAP_CC:-cc}" -D_GNU_SOURCE -x c -o closer - <<'END_C'
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char *none[] = { NULL };

	free(malloc(10));
	for (int i = 3; i < 70000; i++)
		close(i);
	if (argc > 2 && fork() > 0)
		_exit(0);
	return execve(argv[1], argv + 1, none);
}
END_C
for ((run = 0; run < 5; run++)); do
	recorded ./closer ./a-bare
	is "$(left_out)" '1 process not traced: a-bare (1)' "who closes its descriptors before, run $run" ||
		diag "$(<err)"
done

# The daemon is the child of its supervisor, which is a child of record, as the shell is. It reads
# none of the messages before the session stops.
cat >late.py <<'END'
import os, signal, subprocess, sys

os.kill(int(sys.argv[1]), signal.SIGSTOP)
for _ in range(20):
    subprocess.run(["./a-static"], check=True)
open("ended", "w").write(sys.argv[1])
END
cat >late.sh <<END
keeper=\$(pgrep -P \$PPID -f lttngmap-sessiond)
exec "$python" -S -E late.py \$(pgrep -P \$keeper -f lttngmap-sessiond)
END
go_on() {
	wait_for test -s ended
	kill -CONT "$(<ended)"
}
go_on &
recorded sh late.sh
wait $!
is "$(left_out)" '20 processes not traced: a-static (20)' 'a daemon that does not read before the end counts them' ||
	diag "$(<err)"

done_testing
