#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap metrics`: both formats as Prometheus' own parsers want them, figures as `map show` has
# them, few values of labels, damaged answers, a daemon that hangs, clients that mean harm.

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/short.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
emit=$LTTNGMAP_BUILD/tests/utils/emit
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR HOME=$TAP_DIR
cd "$TAP_DIR" || exit 1
check() {
	/usr/bin/python3 "$LTTNGMAP_SRC/tests/utils/metrics_check.py" "$@" 2>&1
}
metrics() {
	timeout 60 "$lttngmap" metrics "$@"
}

# ---- refused ------------------------------------------------------------------------------------------

refused() { # NAME STATUS WANTED ARGUMENT...
	metrics "${@:4}" >out 2>said
	is $? "$2" "$1" || diag "$(<said)"
	like "$(<said)" "$3" '  ... why'
}
refused 'an argument' 2 "'web' is one" web
refused 'too many keys' 2 'a number from 0 to 10000' --once --series 20000
refused 'once and served' 2 'listen is not for it' --once --listen :1
refused 'a format for those who ask for one' 2 'asks for a format' --openmetrics
refused 'a host that is a name' 1 "'localhost:1' is no address" --listen localhost:1
refused 'a port that is none' 1 'is no address and port' --listen 127.0.0.1:70000
refused 'an address of another machine' 1 'cannot listen at 192.0.2.1:1' --listen 192.0.2.1:1
refused 'no daemon' 1 'no session daemon runs' --once
is "$(check valid out):$(check value out lttngmap_up)" text:0 '  ... which is a metric, too'

# ---- beside what the command shows ----------------------------------------------------------------------

sessiond_start --consumer="$LTTNGMAP_BUILD/lttngmap-consumerd"
cleanup sessiond_stop
cleanup eval '"$lttngmap" destroy --all >/dev/null 2>&1'
do_all "create web -o $TAP_DIR/trace" 'enable numbered:* -s web' 'start web' 'map add all numbered:*' \
	'map add kinds numbered:event --by number%7-3 --sum number' 'map add sizes numbered:event --histogram number' \
	'map add exact numbered:event --histogram number --sum number' \
	'map add texts asked:kinds --by words --sum small' 'map add pairs asked:kinds --by words,small' \
	'map add times asked:kinds --latency asked:point'
"$LTTNGMAP_BUILD/tests/utils/asked" 2 60 >out 2>&1 || bail_out "asked: $(<out)"
: >counts
"$emit" counts 2 3000 >out 2>&1 || bail_out "emit: $(<out)"
wait_for eval '"$lttngmap" status web --json | grep -q "\"alive\": *0"'
metrics --once >text
is $? 0 'it prints' || diag "$(<text)"
metrics --once --openmetrics >open
is "$(check valid text)" text "in Prometheus' format"
is "$(check valid open)" openmetrics '  ... and in OpenMetrics'
like "$(<open)" $'# UNIT lttngmap_session_written_bytes bytes\n' '  ... with units'
for name in all kinds sizes exact texts pairs times; do
	"$lttngmap" map show $name --json >shown
	is "$(check map text shown $name)" same "map $name: what map show has"
done
is "$(check value open lttngmap_map_values_sum map=exact)" "$(check value open lttngmap_map_sums map=kinds |
	paste -sd+ | bc)" 'a histogram with its own sum has it'
"$lttngmap" status web --json >status.json
is "$(check value text lttngmap_session_events_total session=web domain=user)" 3000 'a session has its events'
is "$(check value text lttngmap_session_active session=web)" 1 '  ... and is active'
is "$(check value text lttngmap_up):$(check value text lttngmap_sessions):$(check value text lttngmap_maps)" 1:1:7 \
	'the daemon answers, and has these'
is "$(check value text lttngmap_restarts_total)" 0 'it was not killed'
metrics --once --series 3 >few
is "$(check value few lttngmap_map_events_total map=kinds | wc -l)" 4 'three keys, and all others'
"$lttngmap" map show kinds --json >shown
is "$(check map few shown kinds)" same '  ... are all events'
kill -KILL "$(pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR")"
wait_for control
metrics --once >text
is "$(check value text lttngmap_restarts_total)" 1 'a killed daemon is one that was started again'

# ---- served -----------------------------------------------------------------------------------------------

# serve [OPTION]...: sets $server, its process, and $url.
serve() {
	"$lttngmap" metrics --listen "${address:-127.0.0.1:0}" "$@" 2>said &
	server=$!
	wait_for grep -q serving said || bail_out "it does not serve: $(<said)"
	url=$(grep -o 'http:[^ ]*' said)
}
serve_end() {
	[[ -z $server ]] || kill "$server" 2>/dev/null
	wait "$server" 2>/dev/null
	server=
}
cleanup serve_end
# get [OPTION]...: the page in file page; prints the status.
get() {
	curl -sS --max-time 20 -o page -w '%{http_code}' "$@" "$url"
}
serve --series 3
is "$(get):$(check valid page)" 200:text 'a page'
is "$(get -H 'Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5'):$(check valid page)" \
	200:openmetrics 'whoever asks for OpenMetrics gets it'
like "$(curl -sSI "$url")" '^HTTP/1.1 200 .*Content-Type: text/plain; version=0.0.4' 'HEAD'
is "$(get -X POST -d x=y)" 405 'nothing is changed by POST'
is "$(url=${url%metrics} get):$(url=${url}x get)" 200:404 'other pages'
# A key that comes later is one of the others, however many events it has; those that are shown stay.
get >out
before=$(sed -n 's/^lttngmap_map_events_total{map="kinds",key="\([^"]*\)".*/\1/p' page | sort)
"$lttngmap" map clear kinds
"$emit" counts 1 200 >out 2>&1
sleep 1.1 # an answer is good for a second
get >out
is "$(sed -n 's/^lttngmap_map_events_total{map="kinds",key="\([^"]*\)".*/\1/p' page | sort)" "$before" \
	'keys that were shown stay'
"$lttngmap" map show kinds --json >shown
is "$(check map page shown kinds)" same '  ... with the counts of now'
"$lttngmap" map remove kinds
sleep 1.1 # as above
get >out
is "$(check value page lttngmap_maps):$(grep -c '"kinds"' page)" 6:0 'a map that is removed is not shown'
"$lttngmap" metrics --listen "${url:7:-8}" >out 2>&1
is "$?" 1 'a port that is taken'
like "$(<out)" 'cannot listen.*in use' '  ... why'

# ---- clients that mean harm -------------------------------------------------------------------------------

# The status of an honest request, and whether it took less than two seconds.
honest() {
	local begun=$EPOCHREALTIME status

	status=$(get)
	echo "$status $(((${EPOCHREALTIME/./} - ${begun/./}) < 2000000 * ${LTTNGMAP_TEST_PATIENCE:-1}))"
}
cat >harm.py <<'END'
import socket, sys, time

host, port = sys.argv[1].rsplit(":", 1)
def connect():
    peer = socket.create_connection((host.strip("[]"), int(port)), timeout=30)
    return peer
def closed(peer):
    try:
        while peer.recv(65536):
            pass
    except ConnectionError:
        pass
    return True
kind = sys.argv[2]
if kind == "silent":
    peers = [connect() for _ in range(300)]
    print("there", flush=True)
    sys.stdin.read()
elif kind == "trickle":
    peer = connect()
    begun = time.monotonic()
    try:
        peer.send(b"GET /metrics HTTP/1.1\r\nX: ")
        print("there", flush=True)
        while time.monotonic() - begun < 60:
            peer.send(b"x")
            time.sleep(0.1)
    except OSError:
        print("ended" if time.monotonic() - begun < 30 else "late")
elif kind == "deaf":
    peers = [connect() for _ in range(40)]
    for peer in peers:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        peer.send(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 20)
    print("there", flush=True)
    sys.stdin.read()
else:
    for junk in (b"\0" * 100000, b"GET " + b"/" * 1000000, b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 100000,
                 b"GET / HTTP/9.9\r\n\r\n", b"POST /metrics HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
                 b"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", b"\r\n" * 100000):
        peer = connect()
        try:
            peer.sendall(junk)
            peer.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        closed(peer)
    print("closed")
END
harm() { # KIND: it goes on until harm_end
	mkfifo "leash-$1"
	python3 harm.py "${url:7:-8}" "$1" <"leash-$1" >"harm-$1" 2>&1 &
	harmful=$!
	exec 7>"leash-$1"
	wait_for grep -q there "harm-$1" || diag "$(<"harm-$1")"
}
harm_end() {
	exec 7>&-
	wait "$harmful"
}
is "$(honest)" '200 1' 'a scrape'
harm silent
is "$(honest) $(honest)" '200 1 200 1' '300 silent clients: it is served at once'
ok '  ... and has few descriptors' test "$(find "/proc/$server/fd" | wc -l)" -lt 90
harm_end
harm trickle
is "$(honest)" '200 1' 'one that sends a byte now and then: others are served'
harm_end
is "$(tail -1 harm-trickle)" ended '  ... and it is ended'
harm deaf
is "$(honest)" '200 1' 'clients that do not read'
harm_end
is "$(timeout 60 python3 harm.py "${url:7:-8}" junk)" closed 'nonsense is refused'
is "$(honest)" '200 1' '  ... and others are served'
serve_end
if [[ -e /proc/net/if_inet6 ]] && grep -q ' lo$' /proc/net/if_inet6; then
	address='[::1]:0'
	serve
	like "$url:$(get)" '^http://\[::1\]:[0-9]+/metrics:200$' 'by IPv6'
	serve_end
	address=
fi

# ---- Prometheus itself -------------------------------------------------------------------------------------

# asks EXPRESSION: the value that Prometheus has
asks() {
	curl -sS --max-time 20 --data-urlencode "query=$1" "http://$prometheus/api/v1/query" |
		jq -r '.data.result[] | .value[1]'
}
scraped() {
	[[ $(asks 'lttngmap_up') == 1 ]]
}
if is_full; then
	metrics --once >text
	is "$(promtool check metrics <text 2>&1)" '' 'promtool finds nothing'
	serve
	target=${url:7:-8}
	prometheus=127.0.0.1:$(python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	cat >prometheus.yml <<-END
		global: {scrape_interval: 1s}
		scrape_configs: [{job_name: lttngmap, static_configs: [{targets: ['$target']}]}]
	END
	prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb --web.listen-address="$prometheus" \
		>prometheus.log 2>&1 &
	server_of_all=$!
	cleanup eval 'kill "$server_of_all" 2>/dev/null'
	wait_for scraped || diag "$(tail -5 prometheus.log)"
	: >counts
	rm -f stop
	"$lttngmap" map add kinds numbered:event --by number%7-3
	"$emit" counts 4 100000000 stop >out 2>&1 &
	program=$!
	sleep 60 # under load, a scrape each second
	: >stop
	wait $program
	sleep 3 # the last scrape, and what it shares
	is "$(asks 'count_over_time(up[1m]) > 50')" "$(asks 'sum_over_time(up[1m]) > 50')" 'a minute of load: each scrape has an answer'
	for name in all kinds sizes; do
		is "$(asks "sum(lttngmap_map_events_total{map=\"$name\"} or lttngmap_map_values_count{map=\"$name\"})")" \
			"$("$lttngmap" map show $name --json | jq '[.counts[][1]] | add + '0)" "Prometheus has the counts of $name"
	done
	ok 'and their rate' test "$(asks 'rate(lttngmap_map_events_total{map="all"}[30s]) > bool 100')" = 1
	like "$(asks 'histogram_quantile(0.99, rate(lttngmap_map_values_bucket{map="sizes"}[30s]))')" '^[0-9.e+]+$' '  ... and quantiles'
	"$lttngmap" map remove kinds
	kill "$server_of_all"
	wait "$server_of_all"
	serve_end
fi

# ---- a daemon that is none ----------------------------------------------------------------------------------

mkdir -m 0700 fake
export LTTNGMAP_RUNTIME_DIR=$TAP_DIR/fake
answers() {
	cat >answers.new
	mv answers.new answers
}
answers <<<'{}'
python3 "$LTTNGMAP_SRC/tests/utils/fake-answers" fake answers asked &
cleanup kill $!
wait_for test -S fake/control.sock
: >asked
serve
for _ in {1..40}; do curl -sS --max-time 20 -o /dev/null "$url" & gets+=($!); done
wait "${gets[@]}"
ok "many scrapes share an answer: $(grep -c usage asked)" test "$(grep -c usage asked)" -le 5
serve_end
# damaged NAME <JSON: whatever it answers, what is printed is valid.
damaged() {
	answers
	metrics --once >text 2>said
	metrics --once --openmetrics >open 2>>said
	is "$(check valid text):$(check valid open)" text:openmetrics "$1" || diag "$(<said)"
}
damaged 'an empty answer' <<<'{"usage": {"ok": true}}'
damaged 'no JSON' <<<'{"usage": "what?"}'
damaged 'not even text' <<<'{"rings": "\u00ff\u0000\u0001"}'
damaged 'other types' <<<'{"usage": {"ok": true, "sessions": {"a": 1}, "processes": "many", "pid": -1, "restarts": 1.5},
	"rings": {"ok": true, "rings": [1, null, [], {"unread": [null, "x", -1], "ring_size": "big"}]},
	"map-list": {"ok": true, "maps": [7, null, {"map": 5}]}}'
damaged 'names with quotes, and twice' <<<'{"usage": {"ok": true, "sessions": [{"session": "a\"b\\\n\u00e4"},
	{"session": "a\"b\\\n\u00e4"}, {"session": "s", "kernel": {"events": 5}}, {"session": "s"}]},
	"rings": {"ok": true, "rings": [{"session": "\"", "channel": "\n", "unread": [1], "ring_size": 0},
	{"session": "\"", "channel": "\n", "unread": [1e300], "ring_size": 3}]},
	"map-list": {"ok": true, "maps": [{"map": "m\"\n\u00e4"}, {"map": "m\"\n\u00e4"}]},
	"map-show": {"ok": true, "keys": true, "counts": [[1, 2, 3], [1, 2, 3], [4], "x", [null, {}, []]]}}'
like "$(<text)" 'lttngmap_map_events_total\{map="m\\"\\\\x0a[^"]*",key="1"\} 4' '  ... are escaped, and counted once'
is "$(check value text lttngmap_session_events_total session=s domain=kernel)" 5 '  ... the kernel has its own'
damaged 'a key that is called other' <<<'{"map-list": {"ok": true, "maps": [{"map": "m"}]}, "map-show": {"ok": true,
	"keys": true, "other": 5, "counts": [["other", 2, 0], ["\u00e9\"", 3, 0], ["", 1, 0], [{"begin": "a"}, 4, 0], [{"begin": "a"}, 4, 0]]}}'
is "$(check value text lttngmap_map_events_total key=other)" 7 '  ... is one of the others'
is "$(check value text lttngmap_map_events_total key='é"'):$(check value text lttngmap_map_events_total key=a...)" 3:8 \
	'  ... keys of texts'
: >asked
damaged 'counts without end' <<<'{"map-list": {"ok": true, "maps": [{"map": "m"}]},
	"map-show": {"ok": true, "counts": [[1, 1, 1]], "next_key": 1}}'
is "$(check value text lttngmap_up):$(grep -c map-show asked)" 0:4 '  ... are no answer, and not asked for again'
: >asked
damaged 'a list without end' <<<'{"map-list": {"ok": true, "maps": [{"map": "m"}], "next": 1}}'
is "$(check value text lttngmap_up):$(grep -c map-list asked)" 0:4 '  ... is no answer, and not asked for again'
damaged 'buckets that are none' <<<'{"map-list": {"ok": true, "maps": [{"map": "m"}]}, "map-show": {"ok": true,
	"histogram": true, "counts": [[5, 1, 1], [99999999999, 7, 7], [18446744073709551615, 1, 1]]}}'
is "$(check value text lttngmap_map_values_count)" 1 '  ... are left out'
python3 -c 'import json
print(json.dumps({"usage": {"ok": True, "sessions": [{"session": f"s{i}"} for i in range(300)]},
    "rings": {"ok": True, "rings": [{"session": "s", "channel": f"c{i}", "unread": [1], "ring_size": 2} for i in range(300)]},
    "map-list": {"ok": True, "maps": [{"map": f"m{i}"} for i in range(300)]}}))' >many
damaged 'three hundred of each' <many
is "$(check value text lttngmap_session_active | wc -l):$(check value text lttngmap_channel_rings | wc -l):$(check \
	value text lttngmap_map_processes | wc -l)" 256:256:256 '  ... are not all shown'
is "$(check value text lttngmap_sessions):$(check value text lttngmap_maps)" 300:300 '  ... but counted'
answers <<<'{"rings": null}'
serve
is "$(honest):$(check value page lttngmap_up)" '200 1:0' 'a daemon that hangs is not up'
is "$(honest):$(check value page lttngmap_up)" '200 1:0' '  ... and nobody waits for it twice'
serve_end
done_testing
