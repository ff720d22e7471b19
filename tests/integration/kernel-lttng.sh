#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The command lttng of lttngmap records the kernel's events by LTTng's names: of system calls just those that are named.

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/kernel.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

ln -s "$LTTNGMAP_SRC/cli/lttng" "$TAP_DIR/lttng"
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR LTTNGMAP_COMMAND=$LTTNGMAP_BUILD/lttngmap LTTNG_HOME=$TAP_DIR
lttng() {
	"$TAP_DIR/lttng" "$@" 2>>"$TAP_DIR/said"
}

sessiond_start
lttng create kernel -o "$TAP_DIR/trace" >/dev/null
ok 'events by names, with commas between' lttng enable-event -k sched_switch,sched_waking || diag "$(<"$TAP_DIR/said")"
ok 'system calls' lttng enable-event --kernel --syscall open,openat,mkdir
ok 'a context does nothing' lttng add-context -k -t pid
like "$(lttng list kernel)" \
	'rule 1: \*:sched_switch.*rule 2: \*:sched_waking.*rule 3: syscalls:sys_enter_open.*rule 4: syscalls:sys_exit_open' \
	"the kernel's events by LTTng's names"
ok 'it is started' lttng start
python3 -c 'import os, sys
for i in range(20):
    os.mkdir(sys.argv[1]); os.rmdir(sys.argv[1]); os.close(os.open("/dev/null", os.O_RDONLY))
    try: os.open("/nosuch", os.O_RDONLY)
    except FileNotFoundError: pass' "$TAP_DIR/made"
ok 'and stopped' lttng stop
lttng view >"$TAP_DIR/text"
lttng destroy >/dev/null
sort_of() { # of the events that are no others'
	sed -nE 's/.* (syscalls:[a-z0-9_]+): .*/\1/p' "$TAP_DIR/text" | LC_ALL=C sort -u | tr '\n' ' '
}
like "$(sort_of)" '^(syscalls:sys_enter_mkdir )(syscalls:sys_enter_open )?syscalls:sys_enter_openat (syscalls:sys_exit_mkdir )(syscalls:sys_exit_open )?syscalls:sys_exit_openat $' \
	'these calls are recorded, and none of another name'
ok '  ... each time' [ "$(grep -c 'syscalls:sys_enter_mkdir: ' "$TAP_DIR/text")" -ge 20 ]
ok 'what else was named, too' grep -q ' sched:sched_switch: ' "$TAP_DIR/text"
is "$("$LTTNGMAP_BUILD/lttngmap" report --text --rows 0 "$TAP_DIR/trace" 2>/dev/null | grep -cE ' [nmu]?s +mkdir$')" 1 \
	'how long the calls took is in the report'
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
