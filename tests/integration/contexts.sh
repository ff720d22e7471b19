#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# All contexts at once, compared with what the program finds out of itself, in
# its threads, its children and after a change of user.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

trace=$TAP_DIR/trace
names='"vpid", "vtid", "procname", "pthread_id", "ip", "cgroup_ns", "ipc_ns", "mnt_ns", "net_ns",
	"pid_ns", "time_ns", "user_ns", "uts_ns", "vuid", "veuid", "vsuid", "vgid", "vegid", "vsgid"'
program=$LTTNGMAP_BUILD/tests/utils/contexts
arguments=()
[[ $EUID != 0 ]] || arguments=(become-somebody)

sessiond_start
ok 'two channels, one with all contexts' \
	control '{"verb": "create", "session": "s", "output": "'"$trace"'"}' \
	'{"verb": "channel", "session": "s", "channel": "all", "subbuf_size": 4096, "subbufs": 8,
	  "mode": "discard", "contexts": ['"$names"']}' \
	'{"verb": "channel", "session": "s", "channel": "none", "subbuf_size": 4096, "subbufs": 8,
	  "mode": "discard"}' \
	'{"verb": "enable", "session": "s", "channel": "all", "rule": "contexts:*"}' \
	'{"verb": "enable", "session": "s", "channel": "none", "rule": "contexts:*"}' \
	'{"verb": "start", "session": "s"}'
# LeakSanitizer cannot look at one that changed its user.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 \
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$program" "${arguments[@]}" >"$TAP_DIR/told"
is $? 0 'the program runs'
ok 'the session stops' control '{"verb": "stop", "session": "s"}'
babeltrace2 "$trace" >"$TAP_DIR/text" 2>"$TAP_DIR/errors"
is "$?:$(<"$TAP_DIR/errors")" 0: 'babeltrace2 reads the trace'

sed -nE 's/.* (\{ vpid = [^}]*\}), \{ place = .*/\1/p' "$TAP_DIR/text" |
	sed -E 's/ ip = 0x[0-9A-F]+,//' >"$TAP_DIR/traced"
is "$(<"$TAP_DIR/traced")" "$(<"$TAP_DIR/told")" 'each context is what the program finds itself'
is "$(grep -c 'procname = "[a-z]*" }, { place = ' "$TAP_DIR/text")" "$(wc -l <"$TAP_DIR/told")" \
	'the channel without contexts has none'

# The address is in the function that has the event.
ip=$(sed -nE '/place = 1 /s/.* ip = (0x[0-9A-F]+),.*/\1/p' "$TAP_DIR/text")
like "$ip" '^0x[0-9A-F]+$' 'an address'

refused=$(control '{"verb": "channel", "session": "s", "channel": "x", "subbuf_size": 4096,
	"subbufs": 8, "mode": "discard", "contexts": ["vpid", "shoe_size"]}')
like "$refused" "there is no context 'shoe_size'" 'an unknown context is refused'
refused=$(control '{"verb": "channel", "session": "s", "channel": "x", "subbuf_size": 4096,
	"subbufs": 8, "mode": "discard", "contexts": ["perf:thread:instructions"]}')
like "$refused" "perf:thread:instructions cannot be had: each thread .*lttngmap-context" \
	'counters of the CPU are refused, and why is said'
refused=$(control '{"verb": "context", "session": "s", "channel": "none", "context": "cpu_id"}')
like "$refused" 'stands in each packet' 'what is there anyway is refused'
sessiond_stop
done_testing
