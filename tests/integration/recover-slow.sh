#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A flight recorder is recovered by a writer that does nothing for longer than a snapshot waits for a
# ring: all events are in the trace, before the rings are removed.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
unset XDG_RUNTIME_DIR
export TMPDIR=$TAP_DIR
cleanup eval 'umount -l "$SESSIOND_DIR/rings" 2>/dev/null'

sessiond_start
{
	"$lttngmap" create s --snapshot -o "$numbered_trace" &&
		"$lttngmap" channel c --subbuf-size 1M --subbufs 8 &&
		"$lttngmap" enable 'numbered:*' -c c && "$lttngmap" start
} >"$TAP_DIR/said" 2>&1 || bail_out "no session: $(<"$TAP_DIR/said")"
: >"$NUMBERED_COUNTS"
LTTNGMAP_ALLOW_BLOCKING=1 "$LTTNGMAP_BUILD/tests/utils/emit" "$NUMBERED_COUNTS" 1 100000000 &
program=$!
cleanup kill -9 "$program"
done_events() { od -An -t u8 -j 72 -N 8 "$NUMBERED_COUNTS"; }
wait_for eval '(($(done_events) > 2000000))'
kill -STOP "$program"
kill -STOP "$sessiond_pid"
all="$(pgrep -P "$sessiond_pid") $(sessiond_consumer)"
# shellcheck disable=SC2086 # process ids
kill -KILL $all "$sessiond_pid"
wait "$sessiond_pid" 2>/dev/null
sessiond_pid=

# It stands still from when it has made the snapshot's folder.
printf '#!/bin/bash\necho $$ >"%s"\nexec "%s" "$@"\n' "$TAP_DIR/pid" "$LTTNGMAP_BUILD/lttngmap-consumerd" \
	>"$TAP_DIR/consumer"
chmod +x "$TAP_DIR/consumer"
LTTNGMAP_CONSUMERD=$TAP_DIR/consumer "$lttngmap" recover --json "$SESSIOND_DIR" >"$TAP_DIR/json" 2>"$TAP_DIR/err" &
recovery=$!
until compgen -G "$numbered_trace/snapshot-*" >"$TAP_DIR/folder"; do :; done
kill -STOP "$(<"$TAP_DIR/pid")"
bytes() { cat "$(<"$TAP_DIR/folder")"/ust/c_* 2>/dev/null | wc -c; }
before=$(bytes)
sleep 4 # longer than a snapshot waits for a ring that is not read
kill -CONT "$(<"$TAP_DIR/pid")"
wait "$recovery"
is $? 0 'recovered' || diag "$(<"$TAP_DIR/err")"
ok 'its writer was slow' test "$before" -lt "$(bytes)"
numbered_trace=$(compgen -G "$numbered_trace/snapshot-*")
numbered_check
ok 'what the flight recorder had is in the trace' test "$numbered_sound" = 0 -a "$numbered_events" -gt 50000 -a "$numbered_missing" = "$numbered_gaps" || diag "$(<"$TAP_DIR/found")"
is "$(sed -n 's/.*"events":\([0-9]*\).*/\1/p' "$TAP_DIR/json")" "$numbered_events" 'as many as recover says'
done_testing
