#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Collectors that hang, lie, or go: each is given up in bounded time with a word about why,
# what is recorded here beside it does not notice, and nothing grows.

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
. "$LTTNGMAP_SRC/tests/utils/relayd.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
emit=$LTTNGMAP_BUILD/tests/utils/emit
export LTTNGMAP_SPOOL_DIR=$TAP_DIR/spool XDG_RUNTIME_DIR=$TAP_DIR/xdg
mkdir -m 700 "$LTTNGMAP_SPOOL_DIR" "$XDG_RUNTIME_DIR"
cd "$TAP_DIR" || exit 1
fakes=()
cleanup eval 'kill -KILL "${fakes[@]}" 2>/dev/null'
fake() { # HOW [SEED]: sets $url
	rm -f ports
	"$LTTNGMAP_SRC/tests/utils/fake-relayd" "$1" ports "${2:-1}" 2>>fake.log &
	fakes+=($!)
	wait_for test -e ports
	url=net://127.0.0.1:$(<ports)
}

: >counts
"$lttngmap" record -o trace --preload none -e 'numbered:*' -- "$emit" counts 2 20000 >out 2>err ||
	bail_out "$(cat err)"
mv trace whole
cp -r whole trace

# ---- a trace that is there; all of them at once, for each takes its time

relays=()
# bad HOW [SEED]
bad() {
	fake "$@"
	cp -r whole "trace-$1${2:-}"
	timeout -k 5 120 "$lttngmap" relay --timeout "$patience" "$url" "trace-$1${2:-}" \
		>"out-$1${2:-}" 2>"err-$1${2:-}" </dev/null &
	relays+=($!)
}
# given_up REGEX HOW [SEED]
given_up() {
	wait "${relays[0]}"
	is $? 1 "$2${3:-}: it is given up, in bounded time"
	relays=("${relays[@]:1}")
	like "$(<"err-$2${3:-}")" "$1" '  ... and it is said why'
	ok '  ... nothing is missing here' diff -r --exclude='.rel*' "trace-$2${3:-}" whole
}
patience=1s
for way in hang mute pending trickle; do bad "$way"; done
# What these say is what is waited for.
patience=6s
for way in half refuse close large; do bad "$way"; done
for seed in 1 2 3; do bad random $seed; done
given_up 'does not answer' hang
given_up 'does not answer' mute
given_up 'does not answer' pending
given_up 'does not answer' trickle
given_up 'closed the connection' half
given_up 'it refuses' refuse
given_up 'closed the connection' close
given_up 'no answer' large
for seed in 1 2 3; do
	given_up '(refuses|no answer|does not answer|older than|closed)' random $seed
done
kill -KILL "${fakes[@]}"
wait "${fakes[@]}" 2>/dev/null
"$lttngmap" relay --timeout 1s "net://127.0.0.1:$(<ports)" trace >out 2>err
like "$(<err)" 'Connection refused' 'a collector that is gone is told of'
# shellcheck disable=SC2016 # a message
like "$(<err)" 'the rest lies in trace; `lttngmap relay --session trace net://.* trace` sends it' 'and what to do'

# One that is merely late: what it has written makes room for the next part at once. There
# are 32 parts, of 16 MiB.

cp -r whole large
python3 - large/ust <<'END'
import glob, os, struct, sys
index = max(glob.glob(sys.argv[1] + "/index/*.idx"), key=os.path.getsize)
with open(index, "r+b") as file:
    header, entry = file.read(16), list(struct.unpack(">9Q", file.read(72)))
    file.truncate(0)
    file.seek(0)
    file.write(header)
    for sequence in range(512):
        entry[0], entry[1], entry[8] = sequence << 20, 8 << 20, sequence
        file.write(struct.pack(">9Q", *entry))
os.truncate(os.path.join(sys.argv[1], os.path.basename(index)[:-4]), 512 << 20)
END
# What else the machine does, it does not do each time.
for _ in 1 2 3; do
	cp -r --sparse=always large late
	fake later
	SECONDS=0
	timeout -k 5 120 "$lttngmap" relay "$url" late >out 2>err
	status=$? seconds=$SECONDS
	rm -rf late
	[[ $status == 0 && $seconds -ge 10 ]] || break
done
is $status 0 'late: all of it is sent' || diag "$(cat err)"
ok '  ... and nobody waits for nothing' test $seconds -lt 10 || diag "$seconds s"
rm -rf large

# ---- a session, beside another one

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
sessiond_start
cleanup sessiond_stop
cleanup eval 'pkill -KILL -f "lttngmap relay .*$LTTNGMAP_SPOOL_DIR"'
fake pending
do_all "create away --set-url $url --spool-size 16M" 'create here -o here' \
	'channel events -s away --subbuf-size 64K' 'channel events -s here --subbuf-size 64K --mode blocking' \
	'enable numbered:* -s away' 'enable numbered:* -s here' 'start away' 'start here'
spool=$(echo "$LTTNGMAP_SPOOL_DIR"/*)
many=0
: >counts
# On a busy machine, its buffers are full before the spool is.
for _ in {1..16}; do
	"$emit" counts 4 700000 >out 2>&1 || bail_out "emit: $(cat out)"
	many=$((many + 700000))
	[[ $(du -sk "$spool" | cut -f1) -lt 16384 ]] || break
done
count() { # SESSION KEY
	"$lttngmap" status --json "$1" | python3 -c \
		"import json, sys; print(json.load(sys.stdin)['$2'])"
}
told() { [[ $("$lttngmap" status away 2>&1) == *'the spool is full'* ]]; }
ok 'that the spool is full is told' wait_for told
ok 'the spool has an end' test "$(du -sk "$spool" | cut -f1)" -le $((18 * 1024))
relay_pid=$(pgrep -n -f "lttngmap relay .*$spool")
ok 'so has the memory of what sends' test "$(awk '/VmRSS/ { print $2 }' "/proc/$relay_pid/status")" \
	-le 32768
mapfile -t consumers < <(sessiond_consumer)
ok 'so has that of each consumer' test \
	"$(for pid in "${consumers[@]}"; do awk '/VmRSS/ { print $2 }' "/proc/$pid/status"; done |
		sort -n | tail -n 1)" -le 65536
do_all 'stop here'
is "$(count here kept) $(count here discarded)" "$many 0" 'the session beside it has everything'
ok 'it can be destroyed meanwhile' "$lttngmap" destroy here
is "$(babeltrace2 here 2>said | wc -l)" $many 'and its trace is whole'

# What sends is ended, and goes on with a good one, which gets all that was kept.
kill -INT "$relay_pid"
ended() { ! kill -0 "$relay_pid"; }
ok 'who sends can be ended' wait_for ended
cleanup relayd_stop KILL
relayd_start
"$lttngmap" relay --session away --spool "$RELAYD_URL" "$spool" >out-away 2>err-away &
relay_pid=$!
has_room() { ! told; }
ok 'there is room again' wait_for has_room
"$lttngmap" stop away >out 2>&1
is $? 0 'what waited in the rings is written when there is room again' || diag "$(cat out)"
kept=$(count away kept) lost=$(count away discarded)
is $((kept + lost)) $many 'each event was kept, or counted as lost'
ok 'and some were lost' test "$lost" -gt 0
"$lttngmap" destroy away >out 2>&1
wait "$relay_pid"
is $? 0 'all of it is sent' || diag "$(cat err-away)"
ok 'the spool goes' test ! -e "$spool"
is "$(babeltrace2 "$(relayed away)" 2>said | wc -l)" "$kept" 'the collector has all that was kept'
done_testing
