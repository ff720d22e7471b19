#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# --survive-panic refuses file systems that lose what is mapped in a panic, with the reason;
# tests/vm/panic.sh has one that keeps it. record --flight-recorder keeps the newest events and
# counts the others.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
emit=$LTTNGMAP_BUILD/tests/utils/emit

refused() { # NAME DIRECTORY WHY
	"$lttngmap" record --survive-panic "$2" -o "$TAP_DIR/none" -- "$emit" 2>"$TAP_DIR/err"
	is $? 125 "$1: refused"
	like "$(<"$TAP_DIR/err")" "--survive-panic: $2 is $3" "$1: with the reason"
	ok "$1: and what to do" grep -q 'mounted with -o dax' "$TAP_DIR/err"
	ok "$1: nothing is left there" test -z "$(ls -A "$2")" -a ! -e "$TAP_DIR/none"
}

shm=$(mktemp -d /dev/shm/lttngmap-test.XXXXXX)
cleanup rm -rf "$shm"
"$lttngmap" record --survive-panic "$shm/new" -o "$TAP_DIR/none" -- "$emit" 2>/dev/null
is $? 125 'a directory that is not there, in memory: refused'
ok '  ... and not made' test ! -e "$shm/new"
refused 'a file system in memory' "$shm" 'in memory that a restart of the machine clears'
if [[ $(stat -f -c %T "$TAP_DIR") == tmpfs ]]; then
	skip 4 'temporary files lie in memory here'
else
	mkdir -m 700 "$TAP_DIR/rings"
	refused 'the page cache' "$TAP_DIR/rings" 'of a file system whose files are mapped through the page cache'
fi
is "$("$lttngmap" record --survive-panic a --ring-dir b -- true 2>&1 | head -n 1)" \
	'lttngmap: record: --survive-panic and --ring-dir both say where buffers are' 'one place'

# ---- a flight recorder ----------------------------------------------------------------

numbered_record --flight-recorder --subbuf-size 4K --subbufs 4 -- "$emit" "$NUMBERED_COUNTS" 1 100000
is "$numbered_status" 0 'flight recorder: the program ends well'
overwritten=$(sed -n 's/.*: \([0-9,]*\) older events were overwritten.*/\1/p' "$TAP_DIR/err" | tr -d ,)
numbered_check
is "$((numbered_kept + overwritten))" 100000 'flight recorder: kept and overwritten are all events'
is "$numbered_lost" 0 'flight recorder: none of them is called lost'
ok 'flight recorder: the newest are in the trace' test "$numbered_sound" = 0 \
	-a "$numbered_events" = "$numbered_kept" -a "$numbered_events" -gt 0 -a "$overwritten" -gt 0 \
	-a "$numbered_missing" = "$numbered_gaps" -a "$numbered_lost_packets" = 0 || numbered_tell
numbered_record --flight-recorder -- true
ok 'flight recorder: of a program without events there is no trace' test ! -e "$numbered_trace"

said() { # OPTION...: the first line of a refusal
	"$lttngmap" record --flight-recorder "$@" -- true 2>&1 | head -n 1
}
is "$(said --mode blocking)" \
	'lttngmap: record: --mode blocking: a flight recorder overwrites its oldest events' 'another mode'
like "$(said --file-size 1M)" 'writes one trace' 'limits of files'
like "$(said --url net://localhost)" 'writes one trace' 'a collector'
done_testing
