#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# All daemons were killed, and another process has the dead consumer's number and name. `recover` waits
# for its end only if it is a process of the same user, by its real user, too.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root chooses the number of a process'
lttngmap=$LTTNGMAP_BUILD/lttngmap
export XDG_RUNTIME_DIR=$TAP_DIR LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
chmod 755 "$TAP_DIR"
mkdir "$TAP_DIR/programs"
program=$TAP_DIR/programs/lttngmap-consumerd
stranger=
cleanup eval '[[ -z $stranger ]] || kill -KILL "$stranger" 2>/dev/null'
cleanup eval 'umount -l "$SESSIOND_DIR/rings" 2>/dev/null'

# as PID COMMAND...: in the background, as the process of that number; sets `stranger`.
as() {
	python3 - "$@" <<-'END' &
		import ctypes, os, struct, sys
		pid = int(sys.argv[1])
		wanted = ctypes.c_int(pid)
		# struct clone_args, to set_tid_size
		arguments = struct.pack("=10Q", 0, 0, 0, 0, 17, 0, 0, 0, ctypes.addressof(wanted), 1)
		libc = ctypes.CDLL(None, use_errno=True)
		child = libc.syscall(435, arguments, ctypes.c_size_t(len(arguments)))
		if child == 0:
		    os.execvp(sys.argv[2], sys.argv[2:])
		if child != pid:
		    sys.exit(f"clone3: {os.strerror(ctypes.get_errno())}")
		os.waitpid(pid, 0)
	END
	stranger=$1
	wait_for eval '[[ $(cat "/proc/$stranger/comm" 2>/dev/null) == lttngmap-consum ]]'
}
ended() {
	kill -KILL "$stranger"
	wait
	stranger=
}

sessiond_start
do_all "create s -o $TAP_DIR/trace" 'enable numbered:*' start
mapfile -t consumers < <(sessiond_consumer)
consumer=${consumers[0]}
# The supervisor can do nothing when the daemon dies.
kill -STOP "$sessiond_pid"
mapfile -t all < <(pgrep -P "$sessiond_pid")
all+=("${consumers[@]}")
kill -KILL "${all[@]}" "$sessiond_pid" 2>/dev/null
wait "$sessiond_pid" 2>/dev/null
sessiond_pid=
wait_for eval '[[ ! -e /proc/$consumer ]]' # nor a zombie

cp "$(command -v sleep)" "$program"
as "$consumer" "$program" 1000
is "$(cat "/proc/$consumer/comm")" lttngmap-consum "a process has the consumer's number and name"
is "$("$lttngmap" recover "$SESSIOND_DIR" 2>&1 | grep -c "process $consumer writes a trace yet")" 1 \
	'recover waits for one of the same user'
ended
chmod 4755 "$program"
as "$consumer" setpriv --reuid=65534 --regid=65534 --clear-groups "$program" 1000
is "$(awk '/^Uid:/ { print $2, $3 }' "/proc/$stranger/status")" '65534 0' "another user's executes a set-user-ID program"
"$lttngmap" recover "$SESSIOND_DIR" >"$TAP_DIR/out" 2>&1
is "$?" 0 '  ... recover does not wait for it' || diag "$(<"$TAP_DIR/out")"
ok '  ... which lives yet' kill -0 "$stranger"
ended
done_testing
