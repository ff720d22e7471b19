#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The session daemon's start and end: options, its directory, other daemons.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

program=$LTTNGMAP_BUILD/lttngmap-sessiond

# refused NAME REGEX OPTION...: ends by itself with a message, leaves nothing.
refused() {
	local name=$1 regex=$2 output status

	shift 2
	output=$(timeout 20 "$program" --consumer=none "$@" 2>&1)
	status=$?
	[[ $status == 1 || $status == 2 ]] || {
		fail "$name: status $status"
		return
	}
	like "$output" "$regex" "$name"
}

like "$("$program" --help)" '--mediator=' 'there is help'
like "$("$program" --version)" '^lttngmap-sessiond [0-9]' 'and a version'
refused 'an unknown option' '--nonsense' --nonsense
refused 'an argument' 'no argument is expected' nonsense
refused 'an unknown mediator' "no 'pigeon'.*ring-fs, ring-socket, ring-kernel or auto" --mediator=pigeon
refused 'ring-kernel with files' 'ring-kernel keeps rings in memory: leave out --ring-dir' --mediator=ring-kernel \
	--ring-dir="$TAP_DIR"
refused 'an unknown clock' "no 'sundial'.*tsc, monotonic or auto" --clock=sundial
refused 'a limit that there is not' "'cpu=2' begins with none of processes=N" --per-user=memory=5,cpu=2
refused 'a limit that is no number' "'memory=much'" --per-user=memory=much
refused 'a limit of nothing' "'messages=0'" --per-user=messages=0
refused 'a relative directory' 'not an absolute path' --runtime-dir=here
refused 'a directory in nowhere' '/nowhere/at/all.*--runtime-dir' --runtime-dir=/nowhere/at/all
refused 'a directory with too long a name' 'too long' --runtime-dir="/tmp/$(printf '%0100d' 0)"
output=$(LTTNGMAP_MEDIATOR=pigeon timeout 20 "$program" --runtime-dir="$TAP_DIR/x" 2>&1)
like "$output" 'LTTNGMAP_MEDIATOR' 'the environment is checked as well'
output=$(timeout 20 "$program" --runtime-dir="$SESSIOND_DIR" --consumer=/nowhere/consumer 2>&1)
like "$output" '/nowhere/consumer.*--consumer=' 'a consumer that is not there'
ok 'nothing is left of these' test ! -e "$SESSIOND_DIR" -a ! -e "$TAP_DIR/x"

mkdir "$TAP_DIR/open"
chmod 0777 "$TAP_DIR/open"
refused 'a directory that others can write to' 'mode 0777.*chmod' --runtime-dir="$TAP_DIR/open"
ln -s "$TAP_DIR" "$TAP_DIR/link"
refused 'a link' 'no link' --runtime-dir="$TAP_DIR/link"
touch "$TAP_DIR/file"
refused 'a file' 'directory' --runtime-dir="$TAP_DIR/file"
if [[ $EUID != 0 ]]; then
	refused "another user's directory" 'belongs to user 0' --runtime-dir=/proc
else
	mkdir "$TAP_DIR/other"
	chown 65534 "$TAP_DIR/other"
	refused "another user's directory" 'belongs to user 65534' --runtime-dir="$TAP_DIR/other"
fi

# Where root is not asked for a directory, others could have put one there.
mkdir -m 0755 "$TAP_DIR/xdg" "$TAP_DIR/xdg/lttngmap"
as_user=()
if [[ $EUID == 0 ]]; then
	chmod 0755 "$TAP_DIR"
	chown -R 65534 "$TAP_DIR/xdg"
	as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
output=$(XDG_RUNTIME_DIR=$TAP_DIR/xdg timeout 20 "${as_user[@]}" "$program" --consumer=none 2>&1)
like "$output" 'xdg/lttngmap has mode 0755.*chmod 0700' "a user's own directory is closed"

sessiond_start --consumer=none
ok 'a daemon starts' test -S "$SESSIOND_DIR/app.sock" -a -d "$SESSIOND_DIR/rings"
mode=$(stat -c %a "$SESSIOND_DIR")
app=$(stat -c %a "$SESSIOND_DIR/app.sock")
if [[ $EUID == 0 ]]; then
	is "$mode $app" '711 666' "everybody reaches root's daemon"
else
	is "$mode $app" '700 600' "nobody else reaches a user's daemon"
fi
control=600
[[ $EUID != 0 ]] || ! getent group tracing >/dev/null || control=660
is "$(stat -c %a "$SESSIOND_DIR/control.sock")" $control 'but for its control socket'
refused 'a second daemon there' "already, as process $sessiond_pid" --runtime-dir="$SESSIOND_DIR"
ok 'which does not disturb the first' control

sessiond_stop KILL
ok 'killed, it leaves its directory' test -S "$SESSIOND_DIR/control.sock"
mkdir -p "$SESSIOND_DIR/rings/old/channel" 2>/dev/null
touch "$SESSIOND_DIR/rings/old/channel/ring" 2>/dev/null
# As an older daemon, or systemd, made it.
[[ $EUID != 0 ]] || chmod 0755 "$SESSIOND_DIR"
sessiond_start --consumer=none
ok 'the next one takes it over' control
is "$(stat -c %a "$SESSIOND_DIR")" "$mode" 'nobody lists it'
ok 'without what was in it' test ! -e "$SESSIOND_DIR/rings/old"
sessiond_stop TERM
is "$sessiond_status" 0 'it ends well by SIGTERM'
# It did not make the directory, the killed one did.
is "$(ls -A "$SESSIOND_DIR")" '' 'and empties its directory'
rmdir "$SESSIOND_DIR"

# A killed daemon's sockets are there for as long as one of its processes needs to end. The first hangs
# up when it is asked, another one is held by a child.
for dying in 'os._exit(0)' 'os.fork() and os._exit(0); time.sleep(3)'; do
	mkdir -m 0700 "$SESSIOND_DIR"
	python3 -c '
import os, socket, sys, time
listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.settimeout(30)
listener.bind(sys.argv[1] + "-")
listener.listen()
os.rename(sys.argv[1] + "-", sys.argv[1])
asked = listener.accept()[0]
exec(sys.argv[2])' "$SESSIOND_DIR/control.sock" "$dying" &
	wait_for test -S "$SESSIOND_DIR/control.sock"
	sessiond_start --consumer=none
	ok "who is ending is waited for: $dying" control
	sessiond_stop
	wait
	rmdir "$SESSIOND_DIR"
done

sessiond_start --consumer=none
sessiond_stop INT
is "$sessiond_status" 0 'it ends well by SIGINT'
ok 'and removes the directory that it made' test ! -e "$SESSIOND_DIR"

sessiond_start --consumer=none --mediator=ring-socket
sessiond_signal STOP
refused 'a daemon that hangs' "process $sessiond_pid holds .* does not answer" \
	--runtime-dir="$SESSIOND_DIR"
sessiond_signal CONT
sessiond_stop

bash -c '"$0" --private --consumer=none --runtime-dir="$1" & echo $!
	until "$2" "$1" 2>/dev/null; do sleep 0.02; done' "$program" "$SESSIOND_DIR" \
	"$LTTNGMAP_BUILD/tests/utils/control" >"$TAP_DIR/pid" 2>/dev/null
private=$(cat "$TAP_DIR/pid")
ok 'a private daemon ends with its parent' wait_for test ! -e "/proc/$private"
ok 'and leaves nothing' wait_for test ! -e "$SESSIOND_DIR"

# Its directory may be its parent's work, which is killed and cannot remove it.
mkdir -m 0700 "$SESSIOND_DIR"
bash -c '"$0" --private --consumer=none --runtime-dir="$1" & echo $!
	until "$2" "$1" 2>/dev/null; do sleep 0.02; done
	: >"$1/notify.sock"; kill -9 $$' "$program" "$SESSIOND_DIR" \
	"$LTTNGMAP_BUILD/tests/utils/control" >"$TAP_DIR/pid" 2>/dev/null
ok 'a private daemon whose parent is killed ends' \
	wait_for test ! -e "/proc/$(cat "$TAP_DIR/pid")"
is "$(ls -A "$SESSIOND_DIR")" notify.sock 'and removes what is its own'
rm -rf "$SESSIOND_DIR"
mkdir -m 0700 "$SESSIOND_DIR"
NOTIFY_SOCKET=$SESSIOND_DIR/notify.sock bash -c ': >"$NOTIFY_SOCKET"
	"$0" --private --consumer=none --runtime-dir="$1" & echo $!
	until "$2" "$1" 2>/dev/null; do sleep 0.02; done
	kill -9 $$' "$program" "$SESSIOND_DIR" \
	"$LTTNGMAP_BUILD/tests/utils/control" >"$TAP_DIR/pid" 2>/dev/null
ok 'likewise with a socket to say that it is ready' \
	wait_for test ! -e "/proc/$(cat "$TAP_DIR/pid")"
ok 'and the directory that was made for it goes with it' test ! -e "$SESSIOND_DIR"

# Whatever cannot be made at the start, from the first thing on: it ends by itself.
crashed=
for ((files = 5; files < 40; files++)); do
	(no_leak_check && ulimit -n $files && exec timeout -s TERM 0.3 "$program" --consumer=none \
		--runtime-dir="$TAP_DIR/few") >"$TAP_DIR/few.log" 2>&1
	status=$?
	# 124: it had enough, and was ended.
	[[ $status == 1 || $status == 124 ]] || crashed+=" $files:$status"
	[[ $status == 124 ]] && break
done
is "$crashed" '' 'a start that fails for want of descriptors is an error, and no more'
ok 'with enough of them it starts' test "$status" = 124
ok 'none of these leaves anything' test ! -e "$TAP_DIR/few"

if [[ $EUID == 0 ]] && unshare -m true 2>/dev/null && [[ -c /dev/fuse ]]; then
	output=$(unshare -m --propagation private bash -c 'mount --bind /dev/null /dev/fuse &&
		timeout 20 "$0" --consumer=none --mediator=ring-fs --runtime-dir="$1"
		echo "status $?"' "$program" "$TAP_DIR/null" 2>&1)
	like "$output" 'ring-fs cannot serve here.*--mediator=ring-socket.*status 1$' \
		'ring-fs without FUSE, though asked for'
	output=$(unshare -m --propagation private bash -c 'mount --bind /dev/null /dev/fuse &&
		timeout -s TERM 1 "$0" --private --consumer=none --mediator=auto --runtime-dir="$1"' \
		"$program" "$TAP_DIR/null" 2>&1)
	is "$output" '' 'nothing is said where nobody asked for it'
else
	skip 2 'taking FUSE away needs root and a mount namespace'
fi

mounted() { grep -q " $TAP_DIR" /proc/self/mounts; }
ok 'no mount is left' eval '! mounted'
done_testing
