#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Row 14: a consumer that is stopped while more files appear beside its rings than
# inotify queues events for: when it goes on, it records what it was not told
# of, soon.
#
#   LTTNGMAP_SOAK_SECONDS   50000 files instead of some thousand beyond the queue
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

trace=$TAP_DIR/trace
steady=$LTTNGMAP_BUILD/tests/utils/steady
queue=$(</proc/sys/fs/inotify/max_queued_events)
files=$((queue + 4000))
# Nothing that it opens: it is the rescan that counts.
name=.passed-over
[[ -z ${LTTNGMAP_SOAK_SECONDS:-} ]] || files=50000
((files > queue && files < 200000)) || skip_all "the kernel queues $queue events: too many to overflow"

sessiond_start --mediator=ring-socket
ok 'a consumer runs' wait_for sessiond_consumer
ok 'a session is started' control '{"verb": "create", "session": "s", "output": "'"$trace"'"}' \
	'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 4096, "subbufs": 8,
	  "mode": "discard"}' \
	'{"verb": "enable", "session": "s", "channel": "c", "rule": "*"}' \
	'{"verb": "start", "session": "s"}'
rings=$SESSIOND_DIR/rings/s/c
consumer=$(sessiond_consumer)
cleanup kill -CONT "$consumer"

kill -STOP "$consumer"
(cd "$rings" && seq -f "$name-%.0f-1" "$files" | xargs touch)
LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$steady" 100 >/dev/null
announced() { compgen -G "$rings/steady-*" >/dev/null; }
ok 'a ring appears when no more events fit' wait_for announced
begin=$(date +%s%N)
kill -CONT "$consumer"
recorded() { compgen -G "$trace/ust/c_steady-*" >/dev/null; }
ok 'it is recorded' wait_for recorded
took=$((($(date +%s%N) - begin) / 1000000))
# Some hundred it takes; a machine may stand still for a while.
ok "after $took ms" test "$took" -le 5000
is "$(sessiond_consumer)" "$consumer" 'by the same consumer'
ok 'the session stops' control '{"verb": "stop", "session": "s"}'
is "$(babeltrace2 "$trace" | wc -l)" 101 'all events are in the trace'
figure 14 "$files files, then a ring, while the consumer was stopped: recorded $took ms after it went on"
find "$rings" -name "*$name*" -delete 2>/dev/null
done_testing
