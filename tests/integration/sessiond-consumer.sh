#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The consumer beside the session daemon: started, told, started again when it
# is killed; a trace is complete all the same.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

need_plain
preload=$LTTNGMAP_PLAIN/.libs/liblttngmap-libc.so
trace=$TAP_DIR/trace

number() { # KEY: of the session's status
	control '{"verb": "status", "session": "s"}' | sed -nE "s/.*\"$1\": ?([0-9]+).*/\1/p"
}
consumer_pid() {
	sessiond_consumer
}
traced() {
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR LD_PRELOAD=$preload \
		LD_LIBRARY_PATH=$LTTNGMAP_PLAIN/.libs "$@"
}

sessiond_start
ok 'a consumer runs' wait_for consumer_pid
first=$(consumer_pid)
ok 'a session' control '{"verb": "create", "session": "s", "output": "'"$trace"'"}' \
	'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 4096, "subbufs": 8,
	  "mode": "discard"}' \
	'{"verb": "enable", "session": "s", "channel": "c", "rule": "*"}' \
	'{"verb": "start", "session": "s"}'

traced ls -lR / --time=ctime >/dev/null 2>&1 &
busy=$!
wait_for compgen -G "$trace/ust/c_*"
kill -KILL "$first"
restarted() {
	local pid

	pid=$(consumer_pid) && [[ $pid != "$first" ]]
}
ok 'killed, it is started again' wait_for restarted
sleep 0.3 # in which the other one reads what the program goes on to emit
kill "$busy" 2>/dev/null
wait "$busy" 2>/dev/null
traced ls / >/dev/null
ok 'the session stops' control '{"verb": "stop", "session": "s"}'
status=$(control '{"verb": "status", "session": "s"}')
diag "$status"
like "$status" 'consumer was killed by signal 9' 'the death is told'
ok 'babeltrace2 reads the trace' eval 'babeltrace2 "$trace" >"$TAP_DIR/text" 2>"$TAP_DIR/errors"'
is "$(grep -v 'discarded' "$TAP_DIR/errors")" '' 'without a warning but for lost events'

written=$(sed -nE 's/.*"written": ?([0-9]+).*/\1/p' <<<"$status")
kept=$(sed -nE 's/.*"kept": ?([0-9]+).*/\1/p' <<<"$status")
overwritten=$(sed -nE 's/.*"overwritten": ?([0-9]+).*/\1/p' <<<"$status")
is "$((kept + overwritten))" "$written" 'what was written is kept'
is "$(wc -l <"$TAP_DIR/text")" "$kept" 'and is in the trace'

gave_up() {
	local pid

	pid=$(consumer_pid) && kill -KILL "$pid"
	grep -q 'not started again' "$TAP_DIR/log"
}
ok 'a consumer that dies again and again is given up' wait_for gave_up
ok 'a session can be destroyed without it' control '{"verb": "destroy", "session": "s"}'
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'

# Sessions that end before their consumers come: nobody is refused, and nothing is logged.
: >"$TAP_DIR/log"
sessiond_start
messages=()
for i in {1..20}; do
	messages+=('{"verb": "create", "session": "s'"$i"'", "output": "'"$TAP_DIR/none"'"}'
		'{"verb": "destroy", "session": "s'"$i"'"}')
done
ok 'twenty sessions come and go' control "${messages[@]}"
ok 'a consumer is there' wait_for consumer_pid
# One that finds the daemon ending says so: this session's stop waits for it.
ok '  ... and serves' control '{"verb": "create", "session": "t", "output": "'"$TAP_DIR/t"'"}' \
	'{"verb": "channel", "session": "t", "channel": "c", "subbuf_size": 4096, "subbufs": 4,
	  "mode": "discard"}' '{"verb": "start", "session": "t"}' '{"verb": "stop", "session": "t"}'
# So does a channel that is gone when its consumer looks.
held=$(consumer_pid)
kill -STOP "$held"
ok 'a channel comes and goes' control '{"verb": "channel", "session": "t", "channel": "d", "subbuf_size": 4096,
	  "subbufs": 4, "mode": "discard"}' '{"verb": "channel-remove", "session": "t", "channel": "d"}'
kill -CONT "$held"
ok '  ... and the consumer serves on' control '{"verb": "start", "session": "t"}' '{"verb": "stop", "session": "t"}'
sessiond_stop
is "$(grep -c consumer "$TAP_DIR/log")" 0 'nothing is logged of that' || diag "$(<"$TAP_DIR/log")"

# Nobody else's place is taken while the consumer is on its way.
printf '#!/bin/sh\nexec sleep 60\n' >"$TAP_DIR/late"
chmod +x "$TAP_DIR/late"
sessiond_start --consumer="$TAP_DIR/late"
like "$(control '!{"verb": "consumer", "version": 1}')" \
	'cannot be the consumer: Operation not permitted' 'a consumer that nobody started'
sessiond_stop

# Each session has a consumer of its own, which is told of no other one, and reports of no other one.
cat >"$TAP_DIR/liar" <<'END'
#!/usr/bin/env python3
import json, os, socket, sys

COUNTS = ("generation", "packets", "events", "lapped", "broken", "bytes", "streams", "cleared", "overwritten")
connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
connection.connect(sys.argv[1].removeprefix("--control="))
connection.send(b'{"verb": "consumer", "version": 1}')
while data := connection.recv(65536):
    message = json.loads(data)
    if message.get("event") != "session":
        continue
    own = message["session"]
    # Whichever does this last would spoil what is told of the other.
    for name, count in (own, 7), ("mine" if own == "others" else "others", 5):
        written = {key: count for key in COUNTS}
        connection.send(json.dumps({"verb": "written", "session": name, **written}).encode())
    with open(os.environ["TOLD"], "a", encoding="utf-8") as told:
        told.write(f"{os.getpid()} {own}\n")
END
chmod +x "$TAP_DIR/liar"
export TOLD=$TAP_DIR/told
sessiond_start --consumer="$TAP_DIR/liar"
ok 'two sessions' control '{"verb": "create", "session": "mine", "output": "'"$TAP_DIR/mine"'"}' \
	'{"verb": "create", "session": "others", "output": "'"$TAP_DIR/others"'"}'
ok 'each has a consumer' wait_for eval '[[ $(wc -l <"$TOLD") -ge 2 ]]'
is "$(cut -d' ' -f1 "$TOLD" | sort -u | wc -l)" 2 'of its own'
is "$(cut -d' ' -f2 "$TOLD" | sort | xargs)" 'mine others' 'which is told of it alone'
packets() { control '{"verb": "status", "session": "'"$1"'"}' | sed -nE 's/.*"packets": ?([0-9]+).*/\1/p'; }
ok 'what it reports of it is taken' wait_for eval '[[ $(packets mine) == 7 ]]'
sleep 0.3 # in which nothing more is to be counted
is "$(packets mine) $(packets others)" '7 7' 'and of no other one'
ok 'a session ends' control '{"verb": "destroy", "session": "mine"}'
ok 'and its consumer does' wait_for are_gone "$(sed -n 's/ mine$//p' "$TOLD")"
ok 'the other one runs' eval '! are_gone "$(sed -n "s/ others$//p" "$TOLD")"'
sessiond_stop

# A disk that is full: the stop says so soon, in the consumer's own words.
mkdir "$TAP_DIR/full"
if [[ $EUID == 0 ]] && unshare -m true 2>/dev/null; then
	output=$(unshare -m --propagation private bash -c '
		mount -t tmpfs -o size=1m none "$1/full" || exit
		"$0/lttngmap" record -o "$1/full/trace" -- \
			sh -c "for i in 1 2 3; do ls -lR /usr/lib >/dev/null; done; date +%s >$1/ended"
		echo "status $?"' "$LTTNGMAP_BUILD" "$TAP_DIR" 2>&1)
	like "$output" 'cannot complete the trace.*is not complete.*No space left.*status 125' \
		'a full disk is said'
	seconds=$(($(date +%s) - $(<"$TAP_DIR/ended")))
	ok "soon, after $seconds s" test "$seconds" -lt 20

	# Each event of a program is in a line of the text.
	output=$(unshare -m --propagation private bash -c '
		lttngmap=$0/lttngmap
		export LTTNGMAP_RUNTIME_DIR=$2
		mount -t tmpfs -o size=1m none "$1/full" || exit
		"$lttngmap" create s -o "$1/full/s" && "$lttngmap" enable "steady:*" && "$lttngmap" start
		"$0/tests/utils/steady" 500000
		for verb in stop status destroy; do echo "== $verb"; "$lttngmap" "$verb"; done
		kill "$(sed -n "s/.*sessiond, process \([0-9]*\).*/\1/p" "$1/made")"
		rm -r "$1/full/s"
		echo "== record"
		"$lttngmap" record -o "$1/full/r" -e "steady:*" -- "$0/tests/utils/steady" 500000
		' "$LTTNGMAP_BUILD" "$TAP_DIR" "$TAP_DIR/full-run" 2>&1 | tee "$TAP_DIR/made")
	sum() { # TEXT: of the numbers of events in its lines
		grep -oE '[0-9,]+ (events? (kept|discarded)|more in the buffers, not on disk)' <<<"$1" |
			tr -d , | awk '{ all += $1 } END { print all }'
	}
	is "$(sum "$(sed -n '/^== status/,/^== destroy/p' <<<"$output")")" 500001 \
		'status: each event is kept, discarded, or in the buffers'
	waiting=$(sed -nE 's/.* ([0-9,]+) more in the buffers, not on disk$/\1/p' <<<"$output")
	ended=$(sed -n '/^== destroy/,$p' <<<"$output")
	like "$ended" "^== destroy.* ${waiting:-none} events lost: they were in the buffers" \
		'destroy says which of them are lost'
	like "$ended" 'events were in the buffers, not on disk: they are lost' 'so does record'
	is "$(sed -nE 's/.*traced, ([0-9,]+) events? kept, ([0-9,]+) lost/\1 \2/p' <<<"$ended" |
		tr -d , | awk '{ print $1 + $2 }')" 500001 'each is kept or lost'
	is "$(sed -n '/cannot complete/,$p' <<<"$ended" | grep -cE 'goes on by itself|larger buffers')" 0 \
		'and no advice is given that is of no use'
else
	skip 7 'mounting a small tmpfs needs root'
fi
done_testing
