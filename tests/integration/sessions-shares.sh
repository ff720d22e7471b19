#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Members of the group tracing make as many sessions and channels as they may: each next one has some, too, and
# root has its own. None has more commands connected at once than it may.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be several users'
group=$(getent group tracing | cut -d: -f3)
[[ -n $group ]] || skip_all 'there is no group tracing (addgroup --system tracing)'

chmod 0755 "$TAP_DIR"
ask() { # UID MESSAGE...
	setpriv --reuid="$1" --regid="$1" --groups="$group" --no-new-privs \
		"$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" "${@:2}"
}
# How many sessions the user gets.
make_all() { # UID
	local i answer

	for ((i = 0; i < 20; i++)); do
		answer=$(ask "$1" '{"verb": "create", "session": "s'$i'", "output": "/nowhere/'$i'"}')
		[[ $answer != *'"ok": false'* ]] || break
	done
	echo "$i"
}

sessiond_start
is "$(make_all 65011) $(make_all 65012) $(make_all 65013) $(make_all 65014)" '16 16 8 4' \
	'each user leaves half of what is left'
ok 'root makes one' control '{"verb": "create", "session": "r", "output": "'"$TAP_DIR/r"'"}'
like "$(ask 65011 '{"verb": "create", "session": "more", "output": "/nowhere/more"}')" \
	'has 16 sessions already' 'who has all of its own hears how many'

channel='"subbuf_size": 4096, "subbufs": 2, "mode": "discard"'
# How many channels the user gets in its session.
make_channels() { # UID
	local i

	for ((i = 0; i < 20; i++)); do
		answer=$(ask "$1" '{"verb": "channel", "session": "s0", "channel": "c'$i'", '"$channel}")
		[[ $answer != *'"ok": false'* ]] || break
	done
	made+=" $i"
}
made=
for uid in 65011 65012 65013 65014; do
	make_channels "$uid"
done
is "$made" ' 16 16 8 4' 'of channels, too'
like "$answer" 'user 65014 has as many as it may' 'which is said'
ok 'root makes one' control '{"verb": "channel", "session": "r", "channel": "c", '"$channel}"

# greet COUNT UID [silent]: so many commands connect, and each says hello: how many are served, and
# the last one's error. With `silent`, as many others connected before, and said nothing.
greet() {
	python3 - "$SESSIOND_DIR/control.sock" "$1" "$2" "$group" "${3:-}" <<'END'
import json, os, socket, sys
uid = int(sys.argv[3])
os.setgroups([int(sys.argv[4])]), os.setgid(uid), os.setuid(uid)
def connect():
    one = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    one.settimeout(60)
    one.connect(sys.argv[1])
    return one
def greet(one):
    try:
        one.send(b'{"verb": "hello", "version": 1}')
    except OSError:
        pass
    return json.loads(one.recv(65536))
count = int(sys.argv[2])
silent = [connect() for _ in range(count if sys.argv[5] else 0)]
all, answers = [], []
for _ in range(count):
    all.append(connect())
    answers.append(greet(all[-1]))
print(sum(answer["ok"] for answer in answers), answers[-1].get("error"))
END
}
is "$(greet 20 65011)" '16 16 commands are connected already, or 16 of this user' \
	'a user has 16 commands at once'
is "$(greet 16 65011 silent)" '16 None' 'those of its own that say nothing make room'
is "$(greet 20 0)" '20 None' 'root has more'
sessiond_stop
done_testing
