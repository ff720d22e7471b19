#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Commands, daemons and programs look in the same places: a user without XDG_RUNTIME_DIR has a
# daemon in /tmp, which is found by all of that user's, and nobody else's folder is taken for it.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be another user'
if [[ -z ${PLACES_TEST_MOUNTED:-} ]]; then
	rmdir "$TAP_DIR" # It gets another one.
	# The system's own daemon is not there.
	PLACES_TEST_MOUNTED=1 exec unshare --mount "$BASH" -c \
		"mount -t tmpfs -o mode=755 nodev /run; exec \"\$0\" \"\$@\"" "$0" "$@"
fi
# Another checkout's run may have one at the same time. $$ is the same in all of them, for a test has a
# namespace of processes.
folder=/tmp
while [[ -e $folder ]]; do
	uid=$((61000 + RANDOM % 4000))
	folder=/tmp/lttngmap-$uid
done
# What is built without sanitizers is for programs of any user.
export LTTNGMAP_SESSIOND=$LTTNGMAP_BUILD/lttngmap-sessiond LTTNGMAP_ALLOW_BLOCKING=1
export LTTNGMAP_MEDIATOR=auto
unset LTTNGMAP_RUNTIME_DIR XDG_RUNTIME_DIR
chmod 0755 "$TAP_DIR"
mkdir -m 0700 "$TAP_DIR/xdg" "$TAP_DIR/out"
chown $uid "$TAP_DIR/xdg" "$TAP_DIR/out"
who=(setpriv "--reuid=$uid" "--regid=$uid" --clear-groups) where=/
as() {
	(cd "$where" && exec "${who[@]}" "$@")
}
wait_for() {
	local i

	for ((i = 0; i < 3000; i++)); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.02
	done
	return 1
}
daemon() { # its supervisor
	pgrep -o -u $uid -x lttngmap-sessio
}
end() {
	local pid

	pid=$(daemon) || return 0
	kill "$pid"
	wait_for eval "! kill -0 $pid"
	rm -rf "$folder"
}
cleanup end

mkfifo "$TAP_DIR/in"
chmod 666 "$TAP_DIR/in"
as "$LTTNGMAP_PLAIN/tests/utils/rounds" <"$TAP_DIR/in" >"$TAP_DIR/said" &
exec 7>"$TAP_DIR/in"
map=("$LTTNGMAP_BUILD/lttngmap")
ok 'a session without XDG_RUNTIME_DIR' as "${map[@]}" create s -o "$TAP_DIR/out/s"
ok 'its daemon is in /tmp' test -S "$folder/app.sock"
as "${map[@]}" enable '*:*' -s s >/dev/null
as "${map[@]}" start s >/dev/null
as "$LTTNGMAP_PLAIN/tests/utils/steady" 10 >/dev/null
as env XDG_RUNTIME_DIR="$TAP_DIR/xdg" "$LTTNGMAP_PLAIN/tests/utils/steady" 20 >/dev/null
# It has a group that its user has not: that user's daemon is not to see its events, nor make its
# memory.
if [[ -z ${LTTNGMAP_SANITIZED:-} ]]; then
	cp "$LTTNGMAP_PLAIN/tests/utils/steady" "$TAP_DIR/more"
	chgrp 1 "$TAP_DIR/more"
	chmod 2755 "$TAP_DIR/more"
	as "$TAP_DIR/more" 40 >/dev/null
	is $? 0 'a set-group-ID program ends well'
fi
ok 'commands with XDG_RUNTIME_DIR find it' \
	as env XDG_RUNTIME_DIR="$TAP_DIR/xdg" "${map[@]}" stop s
is "$(babeltrace2 "$TAP_DIR/out/s" 2>/dev/null | grep -c steady:event)" 32 \
	'programs without it, and with it, are recorded, and none of more rights than the user has'

# A process is one daemon's: the other one's session names it.
echo >&7
wait_for grep -q round "$TAP_DIR/said"
end_root() {
	pid=$(pgrep -o -u 0 -f "lttngmap-sessiond$" --ns $$ --nslist mnt) || return 0
	kill "$pid"
	wait_for eval "! kill -0 $pid"
}
cleanup end_root
"${map[@]}" create root -o "$TAP_DIR/root" >/dev/null
"${map[@]}" enable '*:*' -s root >/dev/null
"${map[@]}" start root >/dev/null
names_it() {
	[[ $("${map[@]}" status root) =~ '1 running process is registered with another session daemon, not traced here: rounds ('[0-9]+')' ]]
}
ok "root's status names a user's program that is the user's daemon's" wait_for names_it ||
	diag "$("${map[@]}" status root)"
like "$("${map[@]}" status root --json)" '"others": 1, "others_named": \[ \{ "pid": [0-9]+, "name": "rounds" \} \]' \
	'also in JSON'
like "$("${map[@]}" list --processes)" "rounds .*registered with another daemon, at $folder/app.sock" \
	'the list says with which'
[[ ! -e $TAP_DIR/more ]] || as "$TAP_DIR/more" 40 >/dev/null
"${map[@]}" track --uid 0 -s root >/dev/null
is "$("${map[@]}" status root | grep -c 'another session daemon')" 0 'none that its trackers leave out'
"${map[@]}" destroy root >/dev/null
[[ ! -e $TAP_DIR/more ]] ||
	is "$(babeltrace2 "$TAP_DIR/root" 2>/dev/null | grep -c 'steady:event.*"more"')" 41 \
		"root's daemon records a set-group-ID program, with a user's daemon there, too"
end_root
as "${map[@]}" destroy s >/dev/null
exec 7>&-
end

# One that anybody made, in which nobody accepts.
python3 - "$folder" >"$TAP_DIR/backlog" <<'PYTHON' &
import os, socket, sys, time
os.umask(0)
os.setgid(65512), os.setuid(65512)
os.mkdir(sys.argv[1])
servers, clients = [], []
for name in "app.sock", "control.sock":
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.bind(f"{sys.argv[1]}/{name}")
    server.listen(0)
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.connect(f"{sys.argv[1]}/{name}")
    servers.append(server), clients.append(client)
print("full", flush=True)
time.sleep(600)
PYTHON
hostile=$!
cleanup eval "kill $hostile 2>/dev/null; rm -rf '$folder'"
wait_for grep -q full "$TAP_DIR/backlog"
as strace -f -o "$TAP_DIR/out/strace" "$LTTNGMAP_PLAIN/tests/utils/steady" 10 >/dev/null 2>&1
is "$(grep -c "connect(.*$folder" "$TAP_DIR/out/strace")" 0 'a program does not wait at another user'"'"'s folder'
ok 'it looked' grep -q "stat.*$folder" "$TAP_DIR/out/strace"
like "$(as timeout 60 "${map[@]}" list 2>&1)" 'no session daemon runs' 'nor does a command'
kill $hostile
wait $hostile 2>/dev/null
rm -rf "$folder"

# A file system that anybody mounted, and whose server does not answer.
mkdir "$folder"
recording=$(mktemp -d /tmp/lttngmap-XXXXXX)
hang() { # DIRECTORY KIND
	"$LTTNGMAP_BUILD/tests/utils/hanging-file" "$1" "$2" &
	hanging+=($!)
	wait_for grep -q " $1 .* - fuse" /proc/self/mountinfo
}
answer() { # all mounts end
	kill -KILL "${hanging[@]}" 2>/dev/null
	wait "${hanging[@]}" 2>/dev/null
	umount -l "$folder" "$recording" 2>/dev/null || :
}
hanging=()
cleanup eval 'answer; rmdir "$folder" "$recording" 2>/dev/null'
# As that user, to $TAP_DIR/quick. A process that hangs there ends when the mounts do, no earlier.
quick() {
	local i pid

	as "$@" >"$TAP_DIR/quick" 2>&1 &
	pid=$!
	for ((i = 0; i < 1000; i++)); do
		kill -0 $pid 2>/dev/null || break
		sleep 0.02
	done
	kill -0 $pid 2>/dev/null && answer && echo 'it hung' >>"$TAP_DIR/quick"
	wait $pid
	status=$?
}
said() {
	quick "$@"
	cat "$TAP_DIR/quick"
}
for kind in silent $uid; do
	hanging=()
	hang "$folder" "$kind"
	hang "$recording" "$kind"
	# The attributes, which make it the user's, are in the kernel's memory then.
	[[ $kind == silent ]] || as ls -d "$folder" "$recording" >/dev/null
	quick "$LTTNGMAP_PLAIN/tests/utils/steady" 10
	ok "a program does not wait for a mount ($kind)" eval '! grep -q hung "$TAP_DIR/quick"'
	is "$status" 0 'it ends well'
	like "$(said "${map[@]}" list)" 'no session daemon runs' 'nor does a command'
	like "$(said "${map[@]}" top --once)" 'no session daemon runs' 'nor top, at a recording'
	like "$(said "${map[@]}" recover)" 'a directory is missing' 'nor recover'
	like "$(said "${map[@]}" create s -o "$TAP_DIR/out/hung")" "$folder is a mount point" \
		'nor a daemon that starts'
	answer
done
rmdir "$folder" "$recording"

# The same in a folder of everybody's, where root and that user look for their newest recordings.
shared=$TAP_DIR/shared
recording=$shared/x
make_trace=$LTTNGMAP_SRC/tests/utils/make-trace
"$make_trace" "$shared/mine" 3
chmod 1777 "$shared"
for trace in theirs open/ust open; do
	"$make_trace" "$shared/$trace" 7
	sed -i '1a env { trace_creation_datetime = "99999999T999999"; };' "$shared/$trace/metadata"
done
chown -R $uid "$shared/theirs" "$shared/open/metadata" "$shared/open/ust"
chmod 1777 "$shared/open"
mkdir "$recording"
chown $uid "$recording"
other=("${who[@]}") where=$shared
for kind in silent $uid; do
	who=() name=mine
	[[ $kind == silent ]] || who=("${other[@]}") name=theirs
	hanging=()
	hang "$recording" "$kind"
	[[ $kind == silent ]] || as ls -d x >/dev/null
	for words in 'view' 'query SELECT+1' 'report --text' 'complete -- view -e t'; do
		read -ra words <<<"$words"
		quick "${map[@]}" "${words[@]//+/ }"
		is "$(grep -c "it hung" "$TAP_DIR/quick")" 0 \
			"$name, without a folder: ${words[*]} does not wait for a mount ($kind)"
	done
	answer
	like "$(said "${map[@]}" view)" "the newest recording here: $name" \
		"view takes and names the caller's own, of no other user's date"
done
rmdir "$recording"
done_testing
