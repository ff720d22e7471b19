# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Real programs recorded with the io family: in the trace is each call that an
# independent library counted, no more, no less.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
. "$LTTNGMAP_SRC/tests/utils/libc-programs.sh"
. "$LTTNGMAP_SRC/tests/utils/counted-calls.sh"
libc_programs_make "$TAP_DIR"
# The interpreter itself, where `python3` is a script that finds one.
python=$(python3 -c 'import sys; print(sys.executable)')
cat >"$TAP_DIR/sockets.py" <<'END'
import os, selectors, socket, threading

def serve(listener):
	with listener.accept()[0] as connection, selectors.DefaultSelector() as selector:
		selector.register(connection, selectors.EVENT_READ)
		while selector.select() and (data := connection.recv(100)):
			connection.sendall(data.upper())

with socket.create_server(("127.0.0.1", 0)) as listener:
	server = threading.Thread(target=serve, args=[listener])
	server.start()
	with socket.create_connection(listener.getsockname()) as client:
		for i in range(100):
			client.sendall(b"hello %d" % i)
			answer = client.recv(100)
	server.join()
print(answer)
END
functions='__(open|openat|read|pread|recv|recvfrom|poll|ppoll)(64)?_(2|chk)|(open|openat|creat|pread|pwrite)64|'
functions+='open|openat|creat|close|read|pread|readv|write|pwrite|writev|socket|connect|accept4?|'
functions+='send|sendto|sendmsg|recv|recvfrom|recvmsg|poll|ppoll|select|epoll_(create1?|ctl|p?wait)|'
functions+='f(re|d)?open(64)?|tmpfile(64)?|fclose|f?d?opendir|closedir|scandir(64)?|[lf]?stat(64)?|fstatat(64)?|'
functions+='statx|f?access(at)?|unlink(at)?|remove|rename(at2?)?|mkdir(at)?|rmdir|dup[23]?|fcntl(64)?|pipe2?|socketpair|eventfd|'
functions+='(__)?v?dprintf(_chk)?|close_range'

# recorded NAME COMMAND...: variants of a function are one event.
recorded() {
	counted_record "$1" io lttngmap_io "$functions" "${@:2}"
	is "$counted_events" "$(sed -E 's/^__//; s/_(2|chk) / /; s/64 / /; s/^accept4 /accept /;
		s/^epoll_create1 /epoll_create /; s/^epoll_pwait /epoll_wait /; s/^renameat2 /renameat /; s/^pipe2 /pipe /; s/^vdprintf /dprintf /' <<<"$counted_calls" |
		awk '{ calls[$1] += $2 } END { for (name in calls) print name, calls[name] }' |
		LC_ALL=C sort)" "$1: each call is one event"
}

recorded cat cat "$libc_programs_dir/numbers"
like "$(cat "$TAP_DIR/text")" \
	'lttngmap_io:open(at)?: .* path = "[^"]*/numbers", flags = 0x[0-9A-F]+, mode = 00?, result = [0-9]+, error = 0, duration = [1-9]' \
	'cat: what was opened'
recorded python "$python" -B "$TAP_DIR/sockets.py"
like "$counted_events" 'connect 1' 'python: a connection'
like "$counted_events" 'recv 2[0-9][0-9]' 'python: what it took'
like "$(cat "$TAP_DIR/text")" \
	'lttngmap_io:connect: .* family = 2, .*0x7F, \[5\] = 0x0, \[6\] = 0x0, \[7\] = 0x1,' \
	'python: where to'
recorded perl perl -e 'open my $f, "<", $ARGV[0] or die; my $n = 0; $n++ while <$f>; syswrite STDOUT, "$n\n"' \
	"$libc_programs_dir/numbers"
# By stdio: the file that is read, and standard output.
echo 2001-02-03 >"$TAP_DIR/dates"
recorded date date -u -f "$TAP_DIR/dates"
like "$(cat "$TAP_DIR/text")" \
	'lttngmap_io:fopen: .* path = "[^"]*/dates", mode = "r[a-z]*", fd = [0-9]+, result = 0x[0-9A-F]{4,}, error = 0, duration = [1-9]' \
	'date: what was opened by stdio'
like "$counted_events" 'fclose [1-9]' 'date: and closed'
mkdir "$TAP_DIR/names"
# Names of files: each is made, asked for, moved and gone.
recorded names "$python" -B -c 'import os, sys
os.chdir(sys.argv[1])
for i in range(10):
    os.mkdir("one"); open("one/a", "w").close(); os.rename("one/a", "one/b"); os.stat("one/b"); os.lstat("one/b")
    print(os.listdir("one"), os.access("one/none", os.R_OK)); os.unlink("one/b"); os.rmdir("one")' "$TAP_DIR/names"
like "$counted_events" 'mkdir 10.*opendir [12][0-9].*rename 10.*rmdir 10.*unlink 10' 'names: all of them'
like "$(cat "$TAP_DIR/text")" 'lttngmap_io:rename: .* path = "one/a", to = "one/b", result = 0, error = 0, duration = [1-9]' \
	'  ... with what moved where'
like "$(cat "$TAP_DIR/text")" 'lttngmap_io:access: .* path = "one/none", mode = 04, result = -1, error = 2, ' '  ... and what was not there'
# Descriptors of others, in pairs, and gone in numbers. fcntl's argument is what it was, or nothing.
recorded descriptors "$python" -B -c 'import fcntl, os, socket
for i in range(10):
    a, b = os.pipe(); c = os.dup(a); os.dup2(b, c); d = fcntl.fcntl(b, fcntl.F_DUPFD, 50)
    fcntl.fcntl(b, fcntl.F_SETFL, os.O_NONBLOCK); print(d, fcntl.fcntl(b, fcntl.F_GETFL) & os.O_NONBLOCK != 0)
    e = socket.socketpair(); os.close(os.eventfd(1)); e[0].close(); e[1].close()
    os.closerange(a, d + 1)'
like "$counted_events" 'close_range 10.*dup[23] 10.*eventfd 10.*fcntl [0-9]{2,}.*pipe 10.*socketpair 10' 'descriptors: all of them'
like "$(cat "$TAP_DIR/text")" 'lttngmap_io:fcntl: .* command = 0, argument = 50, result = 5[0-9], error = 0, ' \
	'  ... with the lowest number asked for'
recorded git git -C "$libc_programs_dir/repository" --no-pager log --stat --format=%s

record_close() {
	rm -rf "$TAP_DIR/trace"
	"$LTTNGMAP_BUILD/lttngmap" record -q -o "$TAP_DIR/trace" -e lttngmap_io:close -- \
		cat "$libc_programs_dir/numbers" >"$TAP_DIR/out" 2>&1
	babeltrace2 "$TAP_DIR/trace" >"$TAP_DIR/text" 2>&1
}
some_events record_close
like "$(cat "$TAP_DIR/text")" 'lttngmap_io:close: ' \
	'a rule that names the provider preloads the family'
done_testing
