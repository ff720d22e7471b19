#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# LTTng's spellings do what they do there; ours are the same requests.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/verbs.sh"

# same NAME REQUEST ARGUMENT...
same() {
	local name=$1 request=$2

	shift 2
	map "$@"
	is "$map_status" 0 "$name" || diag "$map_err"
	is "$(asked)" "$request" "$name: the request"
}

map create s --output="$TAP_DIR/s"
is "$map_status" 0 'create NAME --output=PATH'
same 'enable-channel' '{"verb": "channel", "session": "s", "channel": "a", "mode": "overwrite", "subbuf_size": 8192, "subbufs": 4, "file_size": 1048576, "file_count": 3}' \
	enable-channel --userspace --session=s --overwrite --subbuf-size=8k --num-subbuf=4 \
	--tracefile-size=1M --tracefile-count=3 a
same 'enable-channel, short' '{"verb": "channel", "session": "s", "channel": "b", "mode": "discard", "subbuf_size": 524288, "subbufs": 8, "file_size": 65536, "file_count": 2}' \
	enable-channel -u b -s s --discard -C 64k -W 2
same 'enable-channel, blocking' '{"verb": "channel", "session": "s", "channel": "c", "mode": "blocking", "blocking_timeout_ms": 100, "subbuf_size": 524288, "subbufs": 8}' \
	enable-channel -u c --blocking-timeout=100ms --discard
same 'enable-channel, blocking for ever' '{"verb": "channel", "session": "s", "channel": "d", "mode": "blocking", "blocking_timeout_ms": 0, "subbuf_size": 524288, "subbufs": 8}' \
	enable-channel -u d --blocking-timeout=inf
same 'enable-event' '{"verb": "enable", "session": "s", "channel": "a", "rule": "app:*", "exclude": "app:x,app:y", "loglevel": 6, "loglevel_only": false, "filter": "a > 1"}' \
	enable-event -u 'app:*' -s s -c a --exclude=app:x,app:y --loglevel=TRACE_INFO \
	--filter='a > 1'
same 'enable-event --all' '{"verb": "enable", "session": "s", "channel": "a", "rule": "*"}' \
	enable-event --userspace --all --channel=a
same 'disable-event' '{"verb": "disable", "session": "s", "channel": "a", "id": 1}' \
	disable-event -u 'app:*' -c a
same 'disable-event --all' '{"verb": "disable", "session": "s", "channel": "a", "id": 2}' \
	disable-event -u --all -c a
same 'add-context' '{"verb": "context", "session": "s", "channel": "a", "context": "vtid"}' \
	add-context -u -s s -c a -t vpid --type=vtid
same 'track' '{"verb": "track", "session": "s", "kind": "pid", "value": 12}' track -u --vpid=12
same 'track a user' '{"verb": "track", "session": "s", "kind": "uid", "value": 0}' \
	track --userspace --vuid=root
same 'untrack' '{"verb": "untrack", "session": "s", "kind": "pid", "value": 12}' \
	untrack -u -p 12
same 'enable-rotation' '{"verb": "rotation", "session": "s", "period_ms": 5000, "size": 0}' \
	enable-rotation -s s --timer=5s
same 'list -u' '{"verb": "unregistered", "from": 0}' list -u
map create f --snapshot
same 'snapshot record' '{"verb": "snapshot", "session": "f", "max_size": 1048576}' \
	snapshot record -s f --max-size=1M
same 'start NAME' '{"verb": "start", "session": "s"}' start s
same 'stop NAME' '{"verb": "stop", "session": "s"}' stop s
map save --output-path="$TAP_DIR/saved" s
ok 'save --output-path' test -s "$TAP_DIR/saved"
same 'destroy NAME' '{"verb": "destroy", "session": "s"}' destroy s
good 'help of a synonym' 'lttngmap enable ' help enable-event

bad 'a verb without a counterpart' 2 "unknown verb 'set-session'.*-s SESSION" set-session s
bad 'another' 2 'lttngmap channel --remove' disable-channel -u a
bad 'a number without a unit means something else' 2 "'5000000' is not a duration.*unit" \
	enable-rotation -s f --timer=5000000
bad 'other kinds of events' 2 'unknown option -k' enable-event -k sched_switch
done_testing
