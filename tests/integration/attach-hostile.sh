#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Root attaches to processes of another user, who has put FIFOs and links where mapped files were,
# or whose files are on a FUSE file system that does not answer. The command waits for none of them.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be two users'
[[ $(uname -m) == x86_64 ]] || skip_all 'only x86-64 can be attached to'
[[ -c /dev/fuse ]] || skip_all 'no /dev/fuse'
need_plain
[[ -x /usr/bin/python3 ]] || skip_all 'no /usr/bin/python3'
python=$(readlink -f /usr/bin/python3)
mount=$TAP_DIR/mount where=$TAP_DIR/orders/where
theirs=$TAP_DIR/theirs
chmod 0755 "$TAP_DIR"
mkdir "$theirs" "$TAP_DIR/orders" "$mount"
cp "$python" "$theirs/program"
: >"$where"
chown -R 65534 "$theirs" "$TAP_DIR/orders"
"$LTTNGMAP_PLAIN/tests/utils/hang-fs" "$theirs" "$mount" "$where" 65534 2>"$TAP_DIR/fs.log" &
server=$!
started=()
end_all() {
	: >"$where"
	kill -KILL "${started[@]}" 2>/dev/null
	umount -l "$mount" 2>/dev/null
	kill "$server" 2>/dev/null
}
cleanup end_all
wait_for mountpoint -q "$mount" || bail_out "no file system: $(<"$TAP_DIR/fs.log")"

# theirs NAME COMMAND...: a process of the other user's, in $pid; its program is Python.
theirs() {
	local name=$1
	shift

	: >"$TAP_DIR/said"
	PYTHONHOME=/usr "$@" >"$TAP_DIR/said" 2>&1 </dev/null &
	pid=$!
	started+=("$pid")
	wait_for grep -q ready "$TAP_DIR/said" || bail_out "$name: $(<"$TAP_DIR/said")"
}
as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
# attach: its status in $status, what it says in $output. The file system answers again where that
# takes too long.
attach() {
	local seconds=$((10 * ${LTTNGMAP_TEST_PATIENCE:-1})) watch

	(sleep "$seconds" && : >"$where") & # It is too late then.
	watch=$!
	output=$(timeout -k 1 "$seconds" "$LTTNGMAP_PLAIN/lttngmap" attach \
		--runtime-dir "$TAP_DIR" --preload libc "$pid" 2>&1 </dev/null)
	status=$?
	kill "$watch"
}
# waits_at NAME FIFO: $TAP_DIR/opened.NAME is there once somebody has opened it to read.
waits_at() {
	timeout 90 "$BASH" -c ": >'$2' && : >'$TAP_DIR/opened.$1'" &
	started+=("$!")
}
# Maps a copy of Python as a library.
map='import ctypes, mmap, os, shutil, sys, time
def map(path):
	shutil.copyfile("/proc/self/exe", path)
	file = os.open(path, os.O_RDONLY)
	return [mmap.mmap(file, 65536, mmap.MAP_PRIVATE, rights)
		for rights in (mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_EXEC)]
def wait():
	print("ready", flush=True)
	while True:
		time.sleep(0.1)
'

# ---- names of removed files ---------------------------------------------------------------
theirs fifo "${as[@]}" "$python" -c "$map
path = sys.argv[1]
kept = map(path)
os.unlink(path)
os.mkfifo(path + ' (deleted)')
wait()" "$theirs/fifo.so"
waits_at fifo "$theirs/fifo.so (deleted)"
attach
is "$status" 0 'a FIFO where a mapped file was: attached' || diag "$output"
ok '  ... which was not opened' test ! -e "$TAP_DIR/opened.fifo"
kill -KILL "$pid"

theirs other "${as[@]}" "$python" -c "$map
path = sys.argv[1]
kept = map(path)
os.unlink(path)
shutil.copyfile('/proc/self/exe', path + ' (deleted)')
os.utime(path + ' (deleted)', (1, 2))
wait()" "$theirs/other.so"
attach
is "$status" 0 'another file there: attached' || diag "$output"
is "$(stat -c %X "$theirs/other.so (deleted)")" 1 '  ... which was not read'
kill -KILL "$pid"

mkfifo "$TAP_DIR/device"
chmod 666 "$TAP_DIR/device"
theirs link "${as[@]}" "$python" -c "$map
path = sys.argv[1]
kept = map(path)
os.unlink(path)
os.symlink(sys.argv[2], path + ' (deleted)')
wait()" "$theirs/link.so" "$TAP_DIR/device"
waits_at device "$TAP_DIR/device"
attach
is "$status" 0 'a link to something else there: attached' || diag "$output"
ok '  ... and what it leads to was not opened' test ! -e "$TAP_DIR/opened.device"
kill -KILL "$pid"

# ---- a FUSE file system --------------------------------------------------------------------
hang() { # OPERATION: it does not answer any more
	rm -f "$where.hung"
	echo "$1" >"$where"
}
answer() {
	kill -KILL "$pid"
	: >"$where"
}
theirs library "${as[@]}" "$python" -c "$map
kept = map(sys.argv[1])
wait()" "$mount/library.so"
hang 'open getattr read'
attach
is "$status" 1 'a mapped file whose file system does not answer: refused'
like "$output" "$pid uses $mount/library.so.*FUSE" '  ... and says which'
ok '  ... without asking it' test ! -e "$where.hung"
answer

theirs program "${as[@]}" "$mount/program" -c "$map
wait()"
hang 'open getattr' # Its own pages may still be read.
attach
is "$status" 1 'a program whose file system does not answer: refused'
like "$output" "$pid uses .*FUSE" '  ... and says so'
ok '  ... without asking it' test ! -e "$where.hung"
answer

# The same, but it has unmapped its program, and waits in code that is elsewhere.
theirs unmapped "${as[@]}" "$mount/program" -c "$map
import ctypes
code = b''
for line in open('/proc/self/maps'):
	if line.rstrip().endswith(sys.argv[1]):
		begin, end = (int(at, 16) for at in line.split()[0].split('-'))
		code += b'\\x48\\xbf' + begin.to_bytes(8, 'little')
		code += b'\\x48\\xbe' + (end - begin).to_bytes(8, 'little')
		code += b'\\xb8\\x0b\\0\\0\\0\\x0f\\x05' # munmap()
code += b'\\xb8\\x22\\0\\0\\0\\x0f\\x05\\xeb\\xf7' # pause(), again and again
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(code)
print('ready', flush=True)
ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()" "$mount/program"
is_unmapped() {
	! grep -q "$mount/program" "/proc/$pid/maps"
}
wait_for is_unmapped || diag 'it is still mapped'
hang 'open getattr read'
attach
is "$status" 1 'a program that is not mapped any more: refused'
ok '  ... without asking its file system' test ! -e "$where.hung"
answer

# What hides the file now is mounted over its folder.
mkdir "$theirs/below" "$TAP_DIR/over"
chown 65534 "$TAP_DIR/over"
mkdir "$TAP_DIR/over/below"
chown 65534 "$TAP_DIR/over/below"
theirs hidden "${as[@]}" "$python" -c "$map
kept = map(sys.argv[1])
wait()" "$TAP_DIR/over/below/hidden.so"
mount --bind "$mount" "$TAP_DIR/over"
hang 'open getattr read'
attach
is "$status" 0 'a file system that does not answer, mounted over a mapped file: attached' || diag "$output"
ok '  ... without asking it' test ! -e "$where.hung"
umount -l "$TAP_DIR/over"
answer

theirs root "$python" -c "$map
root = os.open(sys.argv[1], os.O_PATH)
os.fchdir(root)
os.chroot('.')
os.setgid(65534)
os.setuid(65534)
wait()" "$mount"
hang 'open getattr read'
attach
is "$status" 1 'a root directory whose file system does not answer: refused'
like "$output" 'sees other files' '  ... for it is another root'
ok '  ... without asking it' test ! -e "$where.hung"
answer
done_testing
