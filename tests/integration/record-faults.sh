#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap record` when its daemon fails, at each point where it can: said,
# a status, nothing left behind; and a program that has begun runs on.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
mkdir "$TAP_DIR/run" "$TAP_DIR/here"
chmod 700 "$TAP_DIR/run"
export XDG_RUNTIME_DIR=$TAP_DIR/run
export LTTNGMAP_SESSIOND=$LTTNGMAP_SRC/tests/utils/fake-sessiond
export FAKE_SESSIOND_LOG=$TAP_DIR/log
cd "$TAP_DIR/here" || exit 1

daemon_pid() {
	sed -n '1s/.*"pid": \([0-9]*\).*/\1/p' "$FAKE_SESSIOND_LOG"
}

# faulty NAME WORDS REGEX: fails before the program starts.
faulty() {
	local output status

	rm -f "$FAKE_SESSIOND_LOG"
	output=$(FAKE_SESSIOND=$2 timeout 30 "$lttngmap" record --preload none -o out -- \
		touch started 2>&1)
	status=$?
	is "$status" 125 "$1: status 125"
	like "$output" "$3" "$1: said"
	ok "$1: the program was not started" test ! -e started
	is "$(find "$TAP_DIR/run" "$TAP_DIR/here" -mindepth 1)" '' \
		"$1: nothing left behind"
	if [[ -s $FAKE_SESSIOND_LOG ]] && kill -0 "$(daemon_pid)" 2>/dev/null; then
		fail "$1: the daemon still runs"
	fi
}

faulty 'daemon of another version' version=7 'version 7 .*this command version 1.*one release'
faulty 'daemon that refuses the version' refuse=hello 'no hello today.*come back'
faulty 'daemon that ends at once' die 'cannot do it: the test said so.*did not start'
faulty 'daemon that is never ready' mute 'not ready within 10 s'
for verb in create channel enable start; do
	faulty "refused $verb" "refuse=$verb" "no $verb today.*come back"
done
output=$(FAKE_SESSIOND=parting,refuse=enable timeout 30 "$lttngmap" record --preload none -o out -- true 2>&1)
like "$output" 'no enable today' 'refused: said'
is "$(grep -c 'cut off' <<<"$output")" 0 '  ... and nothing of the daemons, which are ended'
# A limit that the daemon inherits.
limits=('n 10 10 open.files' 'f 1 1024 bytes')
# A sanitizer's shadow memory takes more address space than that.
[[ -n ${LTTNGMAP_SANITIZED:-} ]] || limits+=('v 200000 204800000 bytes')
for limit in "${limits[@]}"; do
	read -r option value most unit <<<"$limit"
	output=$(ulimit "-$option" "$value" && env -u LTTNGMAP_SESSIOND "$lttngmap" record --preload none \
		-o limited -- true 2>&1)
	is $? 125 "ulimit -$option $value: not recorded"
	like "$output" "did not start.*may have $most $unit at most: raise .ulimit -$option" 'the limit is named'
	is "$(grep -c 'no-supervise' <<<"$output")" 0 'and no option that is of no use'
done
faulty 'daemon that goes away' vanish=channel 'session daemon is gone'
faulty 'daemon that talks nonsense' garbage=create 'in a way unknown'
LTTNGMAP_SESSIOND=/no/such/daemon faulty 'no daemon' '' \
	"'/no/such/daemon': No such file.*LTTNGMAP_SESSIOND"

mkdir full
if [[ $EUID == 0 ]] && unshare -m true 2>/dev/null; then
	output=$(unshare -m bash -c '
		mount -t tmpfs -o size=128k none full && head -c 1M /dev/zero >full/fill 2>/dev/null
		"$1" record --preload none -o full/out -- touch started; echo "status $?"
		ls full' - "$lttngmap" 2>&1)
	like "$output" "'.*/full/out' is full.*make room.*status 125" 'a full tmpfs is said'
	like "$output" $'\nfill$' 'and nothing left on it'
	ok 'nor was the program started' test ! -e started
else
	skip 3 'mounting a small tmpfs needs root'
fi
rmdir full

# ---- after the program has started
output=$(FAKE_SESSIOND=refuse=stop "$lttngmap" record --preload none -o one -- sh -c 'exit 0' 2>&1)
is $? 125 'an incomplete trace of a good program is an error'
like "$output" 'cannot complete the trace: no stop today' 'and said'
output=$(FAKE_SESSIOND=vanish=stop "$lttngmap" record --preload none -o two -- sh -c 'exit 3' 2>&1)
is $? 3 'the status of a failed program is kept'
like "$output" 'two may lack its end' 'the incomplete trace is said'

# Nothing was kept.
output=$(FAKE_SESSIOND=empty "$lttngmap" record --preload none -o none -- sh -c 'exit 0' 2>&1)
like "$output" 'no event matched the rules' 'that no event matched is said'
output=$(FAKE_SESSIOND=empty "$lttngmap" record --preload io -o none2 -- sh -c 'exit 0' 2>&1)
like "$output" 'no event: no call of --preload io was made.*stdio' '  ... without rules, what there might have been'
output=$(FAKE_SESSIOND=empty "$lttngmap" record --preload function -o none3 -- sh -c 'exit 0' 2>&1)
like "$output" 'no call of --preload function was made.*built for that' '  ... and what it takes'
output=$(FAKE_SESSIOND=empty,late "$lttngmap" record --preload none -o late -- sh -c 'exit 0' 2>&1)
like "$output" '0 events kept, 0 lost' 'where a program was not registered'
is "$(grep -c 'matched' <<<"$output")" 0 'it is not, for who knows'

# The daemon is killed, and again each time that it is about to greet.
output=$(FAKE_SESSIOND=vanish=stop,again=3 "$lttngmap" record --preload none -o again -- \
	sh -c 'exit 0' 2>&1)
is $? 0 'a daemon that is there again, at the fourth greeting, is gone on with'
like "$output" '1,234 events kept.*again$' 'and the trace is whole'
output=$(FAKE_SESSIOND=vanish=stop,again=1000 "$lttngmap" record --preload none -o never -- \
	sh -c 'exit 0' 2>&1)
is $? 125 'one that never greets is given up'
like "$output" 'session daemon is gone' 'and said'

# The daemon is killed while the program runs.
rm -f "$FAKE_SESSIOND_LOG"
FAKE_SESSIOND='' "$lttngmap" record --preload none -o three -- \
	sh -c ': >begun; while [ ! -e go ]; do sleep 0.05; done; exit 4' 2>err &
pid=$!
for _ in {1..600}; do [[ -e begun ]] && break; sleep 0.05; done
kill -9 "$(daemon_pid)"
sleep 0.2 # The command may see it before the program ends, and says nothing yet.
touch go
wait "$pid"
is $? 4 'the program outlives its daemon'
like "$(<err)" 'session daemon is gone' 'its end is said'
rm -f begun go

# The command itself is killed; this daemon would not see its connection end.
rm -f "$FAKE_SESSIOND_LOG"
FAKE_SESSIOND=hang=start "$lttngmap" record --preload none -o four -- true 2>err &
pid=$!
for _ in {1..600}; do grep -q '"start"' "$FAKE_SESSIOND_LOG" 2>/dev/null && break; sleep 0.05; done
kill -9 "$pid"
wait "$pid" 2>/dev/null
for _ in {1..600}; do kill -0 "$(daemon_pid)" 2>/dev/null || break; sleep 0.05; done
if kill -0 "$(daemon_pid)" 2>/dev/null; then
	fail 'a killed command takes its daemon along'
	kill -9 "$(daemon_pid)"
else
	pass 'a killed command takes its daemon along'
fi

# Given up before the program starts.
FAKE_SESSIOND=hang=start "$lttngmap" record --preload none -o five -- touch started 2>err &
pid=$!
for _ in {1..600}; do [[ -d five/ust ]] && break; sleep 0.05; done
kill -TERM "$pid"
wait "$pid"
is $? 143 'SIGTERM before the start gives up'
ok 'with nothing left' test ! -e five -a ! -e started

# Killed with its real daemon: `recover` of its rings takes the directory of the sockets away, too.
unset LTTNGMAP_SESSIOND
mkdir -m 700 "$TAP_DIR/own"
export XDG_RUNTIME_DIR=$TAP_DIR/own
mkfifo ended
"$lttngmap" record -q --preload none --ring-dir rings -o six -- sh -c 'echo made >made; read -r _ <ended' 2>err &
pid=$!
for _ in {1..600}; do [[ -s made ]] && break; sleep 0.05; done
mapfile -t daemons < <(pgrep -f -- "lttngmap-(sessiond|consumerd) .*$TAP_DIR/own/lttngmap-")
kill -STOP "$pid"
kill -KILL "${daemons[@]}" "$pid"
wait "$pid" 2>/dev/null
echo >ended
for _ in {1..600}; do flock -n rings/ledger true && break; sleep 0.05; done
like "$(find "$TAP_DIR/own" -name control.sock)" 'lttngmap-.*control.sock' 'killed with its daemon: sockets are left'
"$lttngmap" recover rings >out 2>&1
is $? 0 '  ... recovered' || diag "$(<out)"
is "$(find "$TAP_DIR/own" rings -mindepth 1)" '' '  ... which leaves nothing'

done_testing
