#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A program's start without a daemon, with one that is stopped, of another
# version, or out of its mind, and its life after a daemon's death: it runs, says
# what it always says, and waits for next to nothing.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
unset LTTNGMAP_ALLOW_BLOCKING

steady=$LTTNGMAP_BUILD/tests/utils/steady
fake_dir=$TAP_DIR/fake
# 100 ms, and what a loaded machine makes of that.
limit_ms=400

now_ms() {
	echo $((${EPOCHREALTIME/./} / 1000))
}

# runs NAME DIRECTORY: the program runs as if there were nothing, soon enough. What the machine
# does meanwhile, it does not do each time.
runs() {
	local begin took said

	for _ in {1..8}; do
		begin=$(now_ms)
		LTTNGMAP_RUNTIME_DIR=$2 timeout 60 "$steady" 100 >"$TAP_DIR/out" 2>&1
		said="$?:$(tr '\n' ' ' <"$TAP_DIR/out")"
		took=$(($(now_ms) - begin))
		[[ $said == '0:begin end ' && $took -ge $limit_ms ]] || break
		diag "once more: $took ms"
	done
	is "$said" '0:begin end ' "$1: it runs, and says nothing of us"
	ok "$1: $took ms are not too long" test "$took" -lt "$limit_ms"
}

# ---- no daemon
runs 'no daemon' "$TAP_DIR/nothing"
if command -v strace >/dev/null; then
	LTTNGMAP_RUNTIME_DIR=$TAP_DIR/nothing strace -f -o "$TAP_DIR/strace" \
		"$LTTNGMAP_PLAIN/tests/utils/steady" 1000 >/dev/null
	is "$(grep -c 'connect(' "$TAP_DIR/strace")" 1 'no daemon: one connect'
	like "$(grep 'connect(' "$TAP_DIR/strace")" 'app.sock.*ENOENT' 'no daemon: which fails'
	# From the loader's last act to the program's first: whose the lock is, socket, connect, close.
	is "$(sed -n '/^[0-9 ]*munmap/,/write(1, "begin/p' "$TAP_DIR/strace" | sed '1d;$d' |
		sed -E 's/^[0-9]+ +([a-z0-9_]+)\(.*/\1/' | grep -v clock_gettime | tr '\n' ' ')" \
		'getpid socket connect close ' 'no daemon: and nothing else of ours'
else
	skip 3 'strace is not installed'
fi

# ---- a daemon that is not itself
mkdir "$fake_dir"
fakes=()
end_fakes() {
	[[ ${#fakes[@]} == 0 ]] || kill "${fakes[@]}" 2>/dev/null
	wait "${fakes[@]}" 2>/dev/null
	fakes=()
}
cleanup end_fakes

# goes_on COMMAND: while a program has done what it does, and waits; its process is $pid.
goes_on() {
	local pid status

	rm -f "$TAP_DIR/go"
	mkfifo "$TAP_DIR/go"
	LTTNGMAP_RUNTIME_DIR=$fake_dir "$steady" 100 wait <"$TAP_DIR/go" >"$TAP_DIR/kept" 2>&1 &
	pid=$!
	exec {hold}>"$TAP_DIR/go"
	wait_for grep -q end "$TAP_DIR/kept"
	"$1"
	status=$?
	exec {hold}>&-
	wait "$pid"
	return "$status"
}

hangs_up() {
	wait_for grep -q "hung up $pid\$" "$TAP_DIR/fake.log"
}

keeps() {
	local later

	# The fake daemon sees hang-ups in their order: one later is there.
	LTTNGMAP_RUNTIME_DIR=$fake_dir "$steady" 1 >/dev/null 2>&1 &
	later=$!
	wait "$later"
	wait_for grep -q "hung up $later\$" "$TAP_DIR/fake.log"
	! grep -q "hung up $pid\$" "$TAP_DIR/fake.log"
}

# faked BEHAVIOUR
faked() {
	rm -f "$fake_dir/app.sock"
	: >"$TAP_DIR/fake.log"
	python3 "$LTTNGMAP_SRC/tests/utils/fake-app-daemon" "$fake_dir" "$1" >"$TAP_DIR/fake.log" 2>&1 &
	fakes+=($!)
	wait_for grep -q listening "$TAP_DIR/fake.log"
	if [[ $1 == full ]]; then
		python3 -c '
import socket, sys, time
peers = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(8)]
for peer in peers:
    peer.setblocking(False)
    try:
        peer.connect(sys.argv[1])
    except BlockingIOError:
        print("full", flush=True)
time.sleep(600)' "$fake_dir/app.sock" >"$TAP_DIR/full" &
		fakes+=($!)
		wait_for grep -q full "$TAP_DIR/full"
	fi
	runs "a daemon's answer is: $1" "$fake_dir"
	[[ $1 == full ]] || ok '  ... that was the answer' wait_for grep -q served "$TAP_DIR/fake.log"
	case $1 in
	full | close) ;;
	idle) ok '  ... and the library keeps the connection' goes_on keeps ;;
	*) ok '  ... and the library hangs up' goes_on hangs_up ;;
	esac
	end_fakes
}
for behaviour in idle silent full close empty refuse garbage flood version short no-fds few-fds \
	many-fds many-ids wrong-files empty-memory small-control unsealed huge beyond other-page; do
	faked "$behaviour"
done

# ---- a daemon of another user's, that would answer as ours does
# One that that user can execute, unlike what may come first in root's path.
python=$(PATH=/usr/local/bin:/usr/bin:/bin command -v python3)
if [[ $EUID == 0 && -n $python ]]; then
	foreign=$TAP_DIR/foreign
	chmod a+x "$TAP_DIR"
	mkdir "$foreign"
	chown 64123 "$foreign"
	: >"$TAP_DIR/fake.log"
	setpriv --reuid=64123 --regid=64123 --clear-groups "$python" - "$foreign" idle \
		<"$LTTNGMAP_SRC/tests/utils/fake-app-daemon" >"$TAP_DIR/fake.log" 2>&1 &
	fakes+=($!)
	wait_for grep -q listening "$TAP_DIR/fake.log"
	runs "another user's daemon" "$foreign"
	ok '  ... is found' wait_for grep -q connected "$TAP_DIR/fake.log"
	end_fakes
	is "$(grep -c served "$TAP_DIR/fake.log")" 0 '  ... and told nothing'
else
	skip 4 'only root, with python3, can start what is of another user'
fi

# ---- a daemon that is stopped, or killed
sessiond_start --consumer=none --mediator=ring-socket
runs 'a daemon' "$SESSIOND_DIR"
sessiond_signal STOP
runs 'a stopped daemon' "$SESSIOND_DIR"
mkfifo "$TAP_DIR/in"
# A file of its own: that of the program before has an "end" until it is opened again.
LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$steady" 100 wait <"$TAP_DIR/in" >"$TAP_DIR/hasty" 2>&1 &
hasty=$!
exec 9>"$TAP_DIR/in"
wait_for grep -q end "$TAP_DIR/hasty"
sessiond_signal CONT
# Linux before 6.5 does not tell the daemon whether it is still there.
ok 'a daemon that comes too late says who did not wait' \
	wait_for grep -q "process $hasty .* did not wait" "$TAP_DIR/log"
ok '  ... also where it has ended since' \
	wait_for grep -q "has ended, and did not wait" "$TAP_DIR/log"
exec 9>&-
wait "$hasty"
# Where it may block, it waits: the daemon is a second late.
sessiond_signal STOP
LTTNGMAP_ALLOW_BLOCKING=1 LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$steady" 100 wait \
	<"$TAP_DIR/in" >"$TAP_DIR/patient" 2>&1 &
patient=$!
exec 9>"$TAP_DIR/in"
sleep 1 # in which it says nothing
is "$(<"$TAP_DIR/patient")" '' 'where it may block, it waits for a daemon that is stopped'
sessiond_signal CONT
is_traced() { control '{"verb": "processes", "from": 0}' | grep -q "\"pid\": *$patient,"; }
ok '  ... and is traced' wait_for is_traced
exec 9>&-
wait "$patient"
sessiond_stop KILL
runs 'a killed daemon' "$SESSIOND_DIR"
rm -rf "$SESSIOND_DIR"

# A sanitizer's events take ten times as long.
bound_ms=5000
[[ -z ${LTTNGMAP_SANITIZED:-} ]] || bound_ms=50000

# lives MODE EVENTS OPTION...: a program whose daemon is killed; sets $said and $took.
lives() {
	local pid begin

	sessiond_start --consumer=none --mediator=ring-socket "${@:3}"
	control "{\"verb\":\"create\",\"session\":\"s\",\"output\":\"$TAP_DIR/$1\"}" \
		"{\"verb\":\"channel\",\"session\":\"s\",\"channel\":\"c\",\"subbuf_size\":4096,\"subbufs\":2,\"mode\":\"$1\"}" \
		'{"verb":"enable","session":"s","channel":"c","rule":"*:*"}' \
		'{"verb":"start","session":"s"}' >"$TAP_DIR/control" || diag "$(cat "$TAP_DIR/control")"
	: >"$TAP_DIR/out"
	LTTNGMAP_ALLOW_BLOCKING=1 LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR timeout 120 \
		"$steady" "$2" >"$TAP_DIR/out" 2>&1 &
	pid=$!
	wait_for grep -q begin "$TAP_DIR/out"
	# Nobody reads its rings: in blocking mode it waits.
	before=
	if [[ $1 == blocking ]]; then
		sleep 0.2 # in which its rings become full
		before=$(tr '\n' ' ' <"$TAP_DIR/out")
	fi
	sessiond_stop KILL
	begin=$(now_ms)
	wait "$pid"
	said="$?:$(tr '\n' ' ' <"$TAP_DIR/out")"
	took=$(($(now_ms) - begin))
	rm -rf "$SESSIOND_DIR"
}

# goes_on MODE EVENTS OPTION...: it does, to its end, soon enough; as in runs().
goes_on() {
	local before said took

	for _ in {1..4}; do
		lives "$@"
		[[ $said == '0:begin end ' && $took -ge $bound_ms ]] || break
		diag "once more: $took ms"
	done
	[[ $1 != blocking ]] || is "$before" 'begin ' 'blocking: the program waits'
	is "$said" '0:begin end ' "$1: its daemon is killed, it goes on to its end"
	ok "$1: which took $took ms" test "$took" -lt "$bound_ms"
}
goes_on discard 5000000
goes_on overwrite 5000000
goes_on blocking 1000000
goes_on blocking 1000000
done_testing
