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
same 'enable-channel, by time' '{"verb": "channel", "session": "s", "channel": "t", "mode": "discard", "flush_ms": 1500, "subbuf_size": 524288, "subbufs": 8}' \
	enable-channel -u t --switch-timer=1500ms --discard
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
like "$map_out" 'shop.*shop:order' 'list -u: the events of each process'
good 'list -u -f' 'count' list -u -f
if [[ -r /sys/kernel/tracing/available_events ]]; then
	good 'list -k' 'sched:sched_switch' list -k
else
	bad 'list -k' 1 "cannot read the kernel's list" list -k
fi
good 'list -u of a session' 'channel a: overwrite' list -u s
map create f --snapshot
same 'snapshot record' '{"verb": "snapshot", "session": "f", "max_size": 1048576}' \
	snapshot record -s f --max-size=1M
same 'start NAME' '{"verb": "start", "session": "s"}' start s
same 'stop NAME' '{"verb": "stop", "session": "s"}' stop s
map save --output-path="$TAP_DIR/saved" s
ok 'save --output-path' test -s "$TAP_DIR/saved"
same 'destroy NAME' '{"verb": "destroy", "session": "s"}' destroy s
good 'help of a synonym' 'lttngmap enable ' help enable-event

for verb in 'regenerate metadata' 'metadata regenerate'; do
	# shellcheck disable=SC2086 # two words
	bad "$verb" 2 "unknown verb.*metadata is whole.*stop.*start" $verb
done
for verb in add-trigger list-triggers remove-trigger; do
	bad "$verb" 2 "unknown verb '$verb'.*status --json" "$verb"
done
for option in -j -l -p --jul --log4j --python; do
	good "events of loggers, $option" "enabled 'logger' in channel events of session f" enable-event "$option" logger
	bad "their contexts, $option" 2 'enable --python' add-context "$option" -t vpid
done
for option in --syscall --function --probe --userspace-probe; do
	bad "places of the kernel's, $option" 2 '--kprobe' enable-event -k "$option" open
done
bad 'XML' 2 "unknown option -m.*--json" list -m xml
bad 'XML, before the verb' 2 "unknown option '-m'.*--json" -m xml list
bad 'XML, in full' 2 "unknown option '--mi=xml'.*--json" --mi=xml list
for spelling in version -V --version; do
	good "$spelling" '^lttngmap [0-9]+\.[0-9]+' "$spelling"
done
good 'set-session' 'session f is the current one' set-session f
bad 'another' 2 'lttngmap channel --remove' disable-channel -u a
bad 'a number without a unit means something else' 2 "'5000000' is not a duration.*unit" \
	enable-rotation -s f --timer=5000000
done_testing
