#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap record` on a terminal: ^C and ^Z reach the program once and the
# daemon never, the status line is drawn beside the program's output, and not
# at all when the program edits a line.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

mkdir "$TAP_DIR/run" "$TAP_DIR/here"
chmod 700 "$TAP_DIR/run"
export XDG_RUNTIME_DIR=$TAP_DIR/run
export LTTNGMAP_SESSIOND=$LTTNGMAP_SRC/tests/utils/fake-sessiond
export FAKE_SESSIOND=
cd "$TAP_DIR/here" || exit 1

# terminal SCRIPT COMMAND...: runs it with a terminal of its own, in a job of
# its own. SCRIPT is python over `term`: send(), wait_for(), sleep(), stop
# states by state(). Prints what the terminal showed, then "status N".
cat >terminal.py <<'EOF'
import fcntl, os, pty, select, signal, sys, termios, time

shown = b""
pid, master = pty.fork()
if pid == 0:
    if os.environ.get("TERMINAL_RAW"):
        mode = termios.tcgetattr(0)
        mode[3] &= ~termios.ICANON
        termios.tcsetattr(0, termios.TCSANOW, mode)
    # As a shell does: the job is a group of its own, in the foreground.
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execvp(sys.argv[2], sys.argv[2:])
    while True:
        _, status = os.waitpid(job, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            os.write(1, b"STOPPED\r\n")
            time.sleep(0.3)
            os.killpg(job, signal.SIGCONT)
            continue
        os._exit(os.waitstatus_to_exitcode(status) & 255)

def read(seconds):
    global shown
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([master], [], [], 0.02)[0]:
            try:
                shown += os.read(master, 65536)
            except OSError:
                return False
    return True

def wait_for(text):
    end = time.monotonic() + 30
    while text not in shown and time.monotonic() < end and read(0.05):
        pass

def send(data):
    os.write(master, data)

exec(sys.argv[1])
while read(0.2):
    pass
_, status = os.waitpid(pid, 0)
os.write(1, shown)
print("\nstatus", os.waitstatus_to_exitcode(status))
EOF

record() {
	local script=$1

	shift
	timeout 120 python3 terminal.py "$script" "$LTTNGMAP_BUILD/lttngmap" record --preload none "$@"
}

cat >program.py <<'EOF'
import signal, sys, time
count = 0
def handler(number, frame):
    global count
    count += 1
    print("hit", count, flush=True)
    if count == int(sys.argv[2]):
        signal.setitimer(signal.ITIMER_REAL, 0.5)
def end(number, frame):
    print("got", count, flush=True)
    sys.exit(9)
signal.signal(getattr(signal, sys.argv[1]), handler)
signal.signal(signal.SIGALRM, end)
print("READY", flush=True)
while True:
    signal.pause()
EOF

# Three times, each when the one before has come, for two signals on their way at once become one.
three='wait_for(b"READY")
for i in range(1, 4):
    send(key)
    wait_for(b"hit %d" % i)'
output=$(record "key = b'\x03'; $three" -q -o a -- python3 program.py SIGINT 3)
like "$output" 'got 3' '^C reaches the program once'
like "$output" 'status 9' 'and the recording ends with its status'
ok 'the daemon was not hit' test -d a/ust
output=$(record "key = b'\x1c'; $three" -q -o b -- python3 program.py SIGQUIT 3)
like "$output" 'got 3.*status 9' '^\ likewise'
output=$(record 'wait_for(b"READY"); fcntl.ioctl(master, termios.TIOCSWINSZ, b"\x20\0\x40\0\0\0\0\0")' \
	-q -o c -- python3 program.py SIGWINCH 1)
like "$output" 'got 1.*status 9' 'a new window size likewise'
output=$(record 'wait_for(b"READY"); send(b"\x1a"); wait_for(b"STOPPED"); read(1); send(b"\x03")' \
	-q -o d -- python3 program.py SIGINT 1)
like "$output" 'STOPPED.*got 1.*status 9' '^Z stops the job, which goes on afterwards'

# The same with the standard output elsewhere.
record_aside() {
	local script=$1

	shift
	timeout 120 python3 terminal.py "$script" sh -c 'exec "$@" >aside' sh "$LTTNGMAP_BUILD/lttngmap" \
		record --preload none "$@"
}
output=$(record_aside 'wait_for(b"[lttngmap:"); send(b"\n")' -o e -- sh -c 'echo one; read line; echo two')
like "$output" '\[lttngmap: 1,234 events, 55\.5 KiB, 0 lost, 2 processes\]' 'a status line'
like "$output$(<aside)" '2 processes traced.*two' 'and a summary'
# Its newline moved the cursor into the status line: that goes from there, too.
like "$output" $'2 processes\\].*\e\\[K\e7\e\\[B\r\e\\[K' '  ... which is taken away wherever it is'
output=$(FAKE_SESSIOND=empty,slow record_aside 'wait_for(b"[lttngmap:")' -o s -- sleep 1.2)
like "$output" '\[lttngmap: 4,000 events,' '  ... which has the events that are in the buffers yet'
output=$(record_aside '' -q -o f -- sleep 1.2)
is "$output" $'\nstatus 0' 'neither with --quiet'
# For longer than the status line needs to come.
output=$(record '' -o p -- sh -c 'for i in 1 2 3 4; do echo line; sleep 0.3; done')
is "$(grep -c '\[lttngmap:' <<<"$output")" 0 'no status line among lines of the program'
output=$(TERMINAL_RAW=1 record_aside '' -o g -- sleep 1.5)
[[ $output != *'[lttngmap:'* ]]
is $? 0 'no status line while the terminal is raw'
output=$(record '' -o h -- sleep 1.2 2>&1 | cat)
like "$output" '2 processes traced' 'a summary in any case'

# A signal that the program sends to its parent is not sent back to it.
output=$(record '' -q -o i -- sh -c 'trap "echo back" TERM; kill -TERM $PPID; sleep 0.5; exit 6')
is "$(tr -d '\r' <<<"$output")" $'\nstatus 6' 'a signal from the program itself is not sent back'

done_testing
