#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Each verb of the control socket, right and wrong.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

sessiond_start --consumer=none --clock=monotonic

# good MESSAGE NAME, bad MESSAGE ERROR-REGEX NAME
good() {
	like "$(control "$1")" '"ok": ?true' "$2"
}
bad() {
	like "$(control "$1")" "\"ok\": ?false, \"error\": ?\"[^\"]*$2.*\"hint\": ?\"[^\"]+\"" "$3"
}
channel() { # SUBBUF-SIZE SUBBUFS MODE [MORE]
	echo '{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": '"$1"',
		"subbufs": '"$2"', "mode": '"$3${4:-}"'}'
}

like "$(control '{"verb": "hello", "version": 1}')" '"version": ?1.*"mediator": ?"ring-' hello
like "$(control '{"verb": "hello", "version": 1}')" '"clock": ?"monotonic"' 'tells the clock'
bad '!{"verb": "hello", "version": 2}' 'version 2' 'another version'
bad '!{"verb": "hello"}' "'version' is missing" 'no version'
bad '!{"verb": "status", "session": "s"}' "before 'hello'" 'no hello'
bad '!nonsense' 'JSON' 'what is no JSON'
bad '![1, 2]' 'JSON' 'what is no object'
bad '{}' 'without a verb' 'an empty object'
bad '{"verb": 7}' 'without a verb' 'a verb that is no string'
bad '{"verb": "dance"}' "no verb 'dance'" 'an unknown verb'
bad '{"verb": "start", "session": "s", "loudly": true}' "no member 'loudly'" 'an unknown member'
bad '{"verb": "consumer", "version": 3}' 'version 3' 'a consumer of another version'

bad '{"verb": "create", "output": "/o"}' "'session' is missing" 'create: no name'
bad '{"verb": "create", "session": 5, "output": "/o"}' 'not a string' 'create: a number'
bad '{"verb": "create", "session": "../s", "output": "/o"}' 'no name' 'create: a path'
bad '{"verb": "create", "session": "", "output": "/o"}' 'no name' 'create: an empty name'
bad '{"verb": "create", "session": "s"}' "'output' is missing" 'create: no output'
bad '{"verb": "create", "session": "s", "output": "o"}' "write to 'o'" 'create: a relative path'
bad '{"verb": "create", "session": "s", "output": "/o", "snapshot": 1}' 'not a boolean' \
	'create: a number for a flag'
for live in '"live_ms": 1000' '"url": "net://h", "live_ms": 99' '"url": "net://h", "live_ms": 60001' \
	'"url": "net://h", "live_ms": 1000, "snapshot": true'; do
	bad "{\"verb\": \"create\", \"session\": \"s\", \"output\": \"/o\", $live}" '(live|live_ms)' \
		"create: $live"
done
good '{"verb": "create", "session": "f", "output": "/o", "snapshot": true}' \
	'create: a flight recorder'
bad '{"verb": "snapshot", "session": "f"}' 'nothing yet' 'snapshot: of nothing'
bad '{"verb": "snapshot", "session": "f", "output": "o"}' "written to 'o'" \
	'snapshot: a relative path'
bad '{"verb": "snapshot", "session": "f", "max_size": -1}' 'max_size' 'snapshot: a negative size'
good '{"verb": "destroy", "session": "f"}' 'destroy: a flight recorder'
good '{"verb": "create", "session": "s", "output": "/o"}' 'create'
bad '{"verb": "create", "session": "s", "output": "/o"}' 'already' 'create: twice'

bad '{"verb": "start", "session": "s"}' 'no channel' 'start: nothing to start'
bad '{"verb": "start", "session": "t"}' "no session 't'" 'start: no such session'
for size in 0 1000 2048 12288 2147483648 -4096 '"4096"' 4096.5; do
	bad "$(channel "$size" 4 '"discard"')" '(sub-buffer|subbuf_size)' \
		"channel: sub-buffers of $size bytes"
done
for count in 0 1 3 8192 1000000; do
	bad "$(channel 4096 $count '"discard"')" "$count sub-buffers" "channel: $count sub-buffers"
done
bad "$(channel 4096 4 '"discard", "file_size": 8191')" 'no room for a sub-buffer' \
	'channel: files that a packet does not fit in'
bad "$(channel 4096 4 '"discard", "file_size": -1')" file_size 'channel: a bad size of files'
bad "$(channel 4096 4 '"discard", "file_count": 2')" 'without a limit of size' \
	'channel: a count of files without a size'
bad "$(channel 4096 4 '"discard", "file_size": 8192, "file_count": 4294967296')" file_count \
	'channel: too many files'
bad "$(channel 4096 4 '"discard", "contexts": "vpid"')" 'not an array' 'channel: no list of contexts'
bad "$(channel 4096 4 '"discard", "contexts": ["mood"]')" "no context 'mood'" \
	'channel: an unknown context'
bad "$(channel 4096 4 '"ignore"')" "no mode 'ignore'" 'channel: an unknown mode'
bad "$(channel 4096 4 '"blocking", "blocking_timeout_ms": -1')" timeout 'channel: a bad timeout'
bad '{"verb": "channel", "session": "s", "channel": "c"}' 'missing' 'channel: no geometry'
bad '{"verb": "channel", "session": "s", "channel": "a/b", "subbuf_size": 4096, "subbufs": 2,
	"mode": "discard"}' 'no name' 'channel: a path'
good "$(channel 4096 4 '"blocking", "blocking_timeout_ms": 100')" channel
bad "$(channel 4096 4 '"discard"')" 'already' 'channel: twice'
ok 'its directory is there' test -d "$SESSIOND_DIR/rings/s/c"

bad '{"verb": "enable", "session": "s", "channel": "d", "rule": "*"}' "no channel 'd'" \
	'enable: no such channel'
bad '{"verb": "enable", "session": "s", "channel": "c"}' "'rule' is missing" 'enable: no rule'
bad '{"verb": "enable", "session": "s", "channel": "c", "rule": ""}' 'enable' 'enable: an empty rule'
bad '{"verb": "enable", "session": "s", "channel": "c", "rule": "*", "filter": "x =="}' \
	'' 'enable: a filter that cannot be'
good '{"verb": "enable", "session": "s", "channel": "c", "rule": "app:*"}' enable

bad '{"verb": "stop", "session": "s"}' 'not started' 'stop: not started'
good '{"verb": "start", "session": "s"}' start
bad '{"verb": "start", "session": "s"}' 'already' 'start: twice'
like "$(control '{"verb": "status", "session": "s"}')" '"active": ?true.*"processes": ?0' status
like "$(control '{"verb": "usage"}')" \
	'"now_us": ?[1-9].*"pid": ?[1-9].*"consumer": ?0.*"session": ?"s".*"active": ?true' usage
like "$(control '{"verb": "usage", "from": 1}')" '"sessions": \[ \].*"next": 0' 'usage: beyond the last'
like "$(control '{"verb": "rings"}')" '"rings": \[ \]' 'rings: there is no process'
bad '{"verb": "rings", "from": -1}' 'from' 'rings: from nowhere'
good '{"verb": "flush", "session": "s"}' flush
bad '{"verb": "flush", "session": "none"}' "no session 'none'" 'flush: no such session'
good '{"verb": "stop", "session": "s"}' stop
good '{"verb": "flush", "session": "s"}' 'flush: stopped, there is nothing to do'
good '{"verb": "create", "session": "flight", "output": "/o2", "snapshot": true}' 'a flight recorder'
bad '{"verb": "flush", "session": "flight"}' 'flight recorder' 'flush: it writes nothing'
good '{"verb": "destroy", "session": "flight"}' 'which goes'
like "$(control '{"verb": "status", "session": "s"}')" '"active": ?false' 'status of a stopped one'
good '{"verb": "start", "session": "s"}' 'start again'
good '{"verb": "destroy", "session": "s"}' 'destroy while it runs'
bad '{"verb": "destroy", "session": "s"}' "no session 's'" 'destroy: twice'
ok 'its directory is gone' wait_for test ! -e "$SESSIOND_DIR/rings/s"

# Slots: 64 channels in all, each at rest for a second when it is gone.
sleep 1.2
for ((i = 0; i < 66; i++)); do
	echo '{"verb": "create", "session": "m'$((i / 8))'", "output": "/o"}'
	echo '{"verb": "channel", "session": "m'$((i / 8))'", "channel": "c'$i'",
		"subbuf_size": 4096, "subbufs": 2, "mode": "discard"}' | tr -d '\n'
	echo
done | control - >"$TAP_DIR/many"
is "$(grep -c 'cannot make channel' "$TAP_DIR/many")" 2 'there are 64 channels and no more'
like "$(tail -1 "$TAP_DIR/many")" '64 channels already' 'which is said'
late='{"verb": "channel", "session": "m7", "channel": "late", "subbuf_size": 4096, "subbufs": 2,
	"mode": "discard"}'
# Both at once, for a second is soon over on a busy machine.
control '{"verb": "destroy", "session": "m0"}' "$late" >"$TAP_DIR/many"
like "$(head -1 "$TAP_DIR/many")" '"ok": ?true' 'some of them go'
like "$(tail -1 "$TAP_DIR/many")" '"ok": ?false, "error": ?"[^"]*rest, or are read.*"hint": ?"[^"]+"' \
	'and rest'
ok 'and can be had again' wait_for control "$late"

if [[ $EUID == 0 ]]; then
	chmod 0666 "$SESSIOND_DIR/control.sock"
	chmod 0755 "$TAP_DIR"
	like "$(setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" '!{"verb": "x"}' 2>&1)" \
		"this daemon is user 0's" 'another user is not served'
else
	skip 1 'only root can be another user'
fi
# More rules than `list` can tell of are refused.
long=$(printf '%0200d' 0)
{
	echo '{"verb": "create", "session": "big", "output": "/o"}'
	for c in 1 2; do
		echo '{"verb": "channel", "session": "big", "channel": "'$c'", "subbuf_size": 4096,
			"subbufs": 2, "mode": "discard"}' | tr -d '\n'
		echo
		for ((i = 0; i < 200; i++)); do
			echo '{"verb": "enable", "session": "big", "channel": "'$c'",
				"rule": "p:'$i$long'"}' | tr -d '\n'
			echo
		done
	done
	echo '{"verb": "track", "session": "big", "kind": "name", "value": "'"${long:0:199}"'"}'
} | control - >"$TAP_DIR/many"
accepted=$(grep -c '"id"' "$TAP_DIR/many")
ok 'many rules are taken' test "$accepted" -gt 100
ok 'and not all of them' test "$accepted" -lt 400
like "$(grep -v '"ok": true' "$TAP_DIR/many" | head -1)" \
	'session big has as many rules, channels and trackers as it can' 'which is said'
like "$(tail -1 "$TAP_DIR/many")" 'as many rules' 'nor is a tracker taken then'
next=$(control '{"verb": "list", "from": 0}' | sed -nE 's/.*"next": ([0-9]+).*/\1/p')
is "$(control '{"verb": "list", "from": '"$next"'}' | grep -o '"rule":' | wc -l)" "$accepted" \
	'all that were taken are listed'
control '{"verb": "destroy", "session": "big"}' >/dev/null

# Trackers to both bounds: 255 bytes of a pattern, 1024 of them.
control '{"verb": "create", "session": "few", "output": "/o"}' >/dev/null
track() { # KIND VALUE
	echo '{"verb": "track", "session": "few", "kind": "'"$1"'", "value": '"$2"'}'
}
like "$(control "$(track name "\"$(printf '%0255d' 0)\"")")" '"ok": ?true' 'a pattern of 255 bytes is tracked'
for pattern in '' "$(printf '%0256d' 0)"; do
	like "$(control "$(track name "\"$pattern\"")")" '"ok": ?false, "error": ?"this is no pattern' \
		"one of ${#pattern} is not"
done
for ((i = 1; i <= 1024; i++)); do
	track pid "$i"
done | control - >"$TAP_DIR/many"
is "$(grep -cE '"ok": ?true' "$TAP_DIR/many"):$(wc -l <"$TAP_DIR/many")" 1023:1024 \
	'a session has 1024 trackers, and no more'
like "$(tail -n 1 "$TAP_DIR/many")" 'session few tracks 1024 sets already.*"hint": ?"[^"]+"' 'which is said'
control '{"verb": "destroy", "session": "few"}' >/dev/null

sessiond_stop
is "$sessiond_status" 0 'it ends well'
done_testing
