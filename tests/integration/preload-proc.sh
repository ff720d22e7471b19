# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Real programs that start and end others, recorded with the proc family: in the
# trace is each call that an independent library counted, by whichever process it was
# made, no more, no less.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
. "$LTTNGMAP_SRC/tests/utils/libc-programs.sh"
. "$LTTNGMAP_SRC/tests/utils/counted-calls.sh"
libc_programs_make "$TAP_DIR"
counted_contexts=vpid
# The interpreter itself, where `python3` is a script that finds one.
python=$(python3 -c 'import sys; print(sys.executable)')
cat >"$TAP_DIR/children.py" <<'END'
import os, signal, subprocess

print(subprocess.run(["true"]).returncode, os.system("exit 3"))
print(subprocess.run("exit 4", shell=True).returncode)
for i in range(5):
	child = os.fork()
	if child == 0:
		os._exit(i)
	print(os.waitpid(child, 0)[1])
signal.signal(signal.SIGUSR1, lambda number, frame: print("handled", number))
os.kill(os.getpid(), signal.SIGUSR1)
signal.sigtimedwait([signal.SIGUSR2], 0)
END
cat >"$TAP_DIR/children.pl" <<'END'
$SIG{USR1} = sub { print "handled\n" };
kill "USR1", $$;
print `echo out`;
open my $pipe, "-|", "seq", "3" or die;
print <$pipe>;
close $pipe;
my $child = fork;
exec "false" if $child == 0;
waitpid $child, 0;
print $? >> 8, "\n";
kill "KILL", $$;
END
functions='fork|_Fork|vfork|forkpty|clone|daemon|wait|waitpid|wait3|wait4|waitid|exit|_exit|_Exit|quick_exit|'
functions+='abort|__assert_fail|exec(l|le|lp|v|ve|vp|vpe|veat)|fexecve|posix_spawnp?|system|popen|pclose|'
functions+='kill|killpg|raise|tgkill|sigqueue|pthread_kill|pthread_sigqueue|sigaction|signal|__sysv_signal|'
functions+='sigprocmask|pthread_sigmask|sigwait|sigwaitinfo|sigtimedwait|sigsuspend|pause'

# recorded NAME COMMAND...: variants of a function are one event; what may not come back is
# counted by its first event.
recorded() {
	counted_record "$1" proc lttngmap_proc "$functions" "${@:2}"
	is "$(grep -vE '_ret |^at_exit ' <<<"$counted_events" | sed -E 's/_req / /')" \
		"$(sed -E 's/^exec(l|le|lp|v|ve|vp|vpe) /exec /; s/^_Fork /fork /; s/^wait(pid|3|4) /wait /
		s/^_Exit /_exit /; s/^posix_spawnp /posix_spawn /; s/^__assert/assert/
		s/^__sysv_signal /signal /; s/^pthread_sigmask /sigprocmask /
		s/^sig(waitinfo|timedwait) /sigwait /' <<<"$counted_calls" |
			awk '{ calls[$1] += $2 } END { for (name in calls) print name, calls[name] }' |
			LC_ALL=C sort)" "$1: each call is one event"
}

recorded python "$python" -B "$TAP_DIR/children.py"
like "$counted_events" 'at_exit 2' '  ... and the end of main(), of python and of true'
like "$counted_events" 'fork 5' '  ... forks'
like "$(cat "$TAP_DIR/text")" 'lttngmap_proc:system: .* command = "exit 3", result = 768, error = 0' \
	'  ... what a command came to'
like "$(cat "$TAP_DIR/text")" 'lttngmap_proc:exec_req: .* path = "[^"]*/sh", arguments = "/bin/sh -c exit 4"' \
	'  ... what a child executed'

# Each child whose end is waited for told its start, or its own parting.
waited=$(sed -En 's/.*:wait: .* result = ([1-9][0-9]*), .*/\1/p' "$TAP_DIR/text" | LC_ALL=C sort -u)
started=$(sed -En 's/.*:(fork|vfork): .* result = ([1-9][0-9]*), .*/\2/p
	s/.*:_exit: .* vpid = ([0-9]+) .*/\1/p; s/.*:exec_req: .* vpid = ([0-9]+) .*/\1/p' \
	"$TAP_DIR/text" | LC_ALL=C sort -u)
like "$waited" '[0-9]' '  ... ends are waited for'
is "$(LC_ALL=C comm -23 <(echo "$waited") <(echo "$started"))" '' \
	'  ... of those that were started'

recorded perl perl "$TAP_DIR/children.pl"
like "$(tail -n 1 "$TAP_DIR/text")" 'lttngmap_proc:kill_req: .* signal = 9 ' \
	'perl: its last event is how it ended'
recorded shell bash -c 'for i in 1 2; do (exit $i) | cat; done; trap "echo bye" EXIT
	sh -c "kill -TERM \$\$"; echo $?'
like "$counted_events" 'fork [0-9]' '  ... forks'
printf 'all: a b\na b:\n\t@echo $@ | cat\n' >"$TAP_DIR/Makefile"
recorded make make -C "$TAP_DIR" -s -j1
recorded git git -C "$libc_programs_dir/repository" --no-pager log --stat --format=%s
recorded find find "$libc_programs_dir/repository" -maxdepth 0 -exec echo '{}' ';'
recorded assertion "$python" -c 'import os, resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
os.abort()'
like "$counted_events" 'abort 1' '  ... ends by it'

record_exit() {
	rm -rf "$TAP_DIR/trace"
	"$LTTNGMAP_BUILD/lttngmap" record -q -o "$TAP_DIR/trace" -e lttngmap_proc:at_exit -- \
		cat /nosuch/file >"$TAP_DIR/out" 2>&1
	babeltrace2 "$TAP_DIR/trace" >"$TAP_DIR/text" 2>&1
}
some_events record_exit
like "$(cat "$TAP_DIR/text")" 'lttngmap_proc:at_exit: .* status = 1 ' \
	'a rule that names the provider preloads the family'
done_testing
