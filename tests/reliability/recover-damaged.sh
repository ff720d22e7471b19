#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap recover` on what is not as a daemon left it: refused in words, or read
# as far as it makes sense; and on traces whose ends are torn.
#
#   LTTNGMAP_SOAK_SECONDS   damaged ledgers for about so long
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
. "$LTTNGMAP_SRC/tests/utils/short.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
RINGS=$TAP_DIR/rings
LEFT=$TAP_DIR/left
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
unset XDG_RUNTIME_DIR
damaged=$((8 + ${LTTNGMAP_SOAK_SECONDS:-0} * 5))
# shellcheck disable=SC2317 # called by name
unmount() {
	umount -l "$SESSIOND_DIR/rings" 2>/dev/null
}
cleanup unmount

# refused NAME REGEX ARGUMENT...: with status 1, saying why
refused() {
	local name=$1 regex=$2

	shift 2
	said=$(timeout 60 "$lttngmap" recover "$@" 2>&1)
	is $? 1 "$name: status 1"
	like "$said" "$regex" "$name: said"
}

# What a daemon and two programs leave that were killed.
sessiond_start --ring-dir="$RINGS"
: >"$NUMBERED_COUNTS"
ok 'a session' eval '
	"$lttngmap" create s -o "$numbered_trace" &&
	"$lttngmap" channel c --mode discard --subbuf-size 4K --subbufs 4 &&
	"$lttngmap" enable "numbered:*" -c c && "$lttngmap" start'
programs=()
for _ in 1 2; do
	"$LTTNGMAP_BUILD/tests/utils/survivors" "$TAP_DIR/never" >/dev/null 2>&1 &
	programs+=($!)
	wait_for compgen -G "$numbered_trace/ust/c_*-$!-*"
done
refused 'its daemon lives' 'a session daemon lives there' "$RINGS"
refused 'a trace that is being written' 'it is being written: stop its session' "$numbered_trace"
refused 'what is not there' 'No such file' "$TAP_DIR/nothing"
is "$("$lttngmap" recover "$numbered_trace" 2>/dev/null)" '' '  ... whose streams nobody counted'
mkdir "$TAP_DIR/empty"
like "$("$lttngmap" recover "$TAP_DIR/empty" 2>&1; echo "status $?")" 'is empty: nothing is left.*status 0' \
	'a directory of nothing'
like "$("$LTTNGMAP_BUILD/lttngmap-sessiond" --runtime-dir="$TAP_DIR/other" --ring-dir="$RINGS" 2>&1)" \
	'another session daemon has its rings' 'another daemon is refused'
daemons="$(pgrep -P "$sessiond_pid") $(sessiond_consumer)"
# First, or they read the rings of programs that are gone to their ends.
# shellcheck disable=SC2086 # process ids
kill -STOP "$sessiond_pid" $daemons
# shellcheck disable=SC2086 # process ids
kill -KILL "${programs[@]}" $daemons "$sessiond_pid"
wait 2>/dev/null
sessiond_pid=
# shellcheck disable=SC2086 # process ids
wait_for are_gone $daemons
umount -l "$SESSIOND_DIR/rings" 2>/dev/null
# Processes that these started are nobody's children now, and may be dying yet.
wait_for flock -n "$RINGS/ledger" true
like "$("$LTTNGMAP_BUILD/lttngmap-sessiond" --runtime-dir="$TAP_DIR/other" --ring-dir="$RINGS" 2>&1)" \
	"rings of a daemon that was killed.*lttngmap recover $RINGS" \
	'the next daemon there says what to do'
cp -a --sparse=always "$RINGS" "$LEFT"
cp -a "$numbered_trace" "$TAP_DIR/trace-left"
again() {
	rm -rf "$RINGS" "$numbered_trace"
	cp -a --sparse=always "$LEFT" "$RINGS"
	cp -a "$TAP_DIR/trace-left" "$numbered_trace"
}

# ---- a saved state that is none -------------------------------------------------------------

put() {
	printf %b "$2" | dd of="$RINGS/ledger" bs=1 seek="$1" conv=notrunc status=none
}
put 0 'nothing.'
refused 'other bytes' 'it is no saved state' "$RINGS"
again
put 8 '\0377'
refused 'another version' 'another version of lttngmap' "$RINGS"
again
put 12 '\0377\0377\0377\0377'
refused 'too many CPUs' 'its number of CPUs cannot be' "$RINGS"
again
truncate -s 100000 "$RINGS/ledger"
refused 'a saved state that is cut short' 'it is cut short' "$RINGS"
again
chmod 0666 "$RINGS/ledger"
refused 'one that others may write to' "another user's, or others may write" "$RINGS"
again
if [[ $EUID == 0 ]]; then
	chown nobody "$RINGS/ledger"
	refused "another user's" "another user's, or others may write" "$RINGS"
	again
fi
rm "$RINGS/ledger"
mkfifo "$RINGS/ledger"
refused 'a pipe' 'there is no trace in it' "$RINGS"
again

# ---- rings that are not whole --------------------------------------------------------------

truncate -s 4096 "$RINGS"/ring-*/ring-*
"$lttngmap" recover "$RINGS" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
is $? 0 'rings that are cut short: all that is left is recovered'
like "$(cat "$TAP_DIR/err")" 'cannot be read: their memory is cut short' 'which is told'
ok 'and the trace can be read' babeltrace2 "$numbered_trace/ust" -o dummy
again
# The data's bytes alone: also of the packet that the consumer had in its hands.
python3 - "$RINGS" <<-'PYTHON'
	import glob, os, re, sys
	for path in glob.glob(sys.argv[1] + "/ring-*/ring-*"):
	    with open(path, "r+b") as ring:
	        for at in range(0, os.path.getsize(path), 4096):
	            ring.seek(at)
	            if re.search(rb"[a-p]{8}", ring.read(4096)):
	                ring.seek(at)
	                ring.write(bytes(4096))
PYTHON
"$lttngmap" recover "$RINGS" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
is $? 0 'data that never reached the disk: all that is left is recovered'
like "$(cat "$TAP_DIR/err")" 'not all of its rings had reached the disk' 'which is told'
ok 'none of it is in the trace' timeout 60 babeltrace2 "$numbered_trace/ust" -o dummy
again
find "$RINGS" -name 'ring-*' -delete
"$lttngmap" recover --json "$RINGS" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
is $? 0 'rings that are gone: all that is left is recovered'
like "$(cat "$TAP_DIR/out")" '"processes":0,"processes_lost":2,"problems":\["survivors' 'which is told'
again

# spoiled HOW...: recover with a saved state that is spoilt so, and read the trace. Sets $status, $events.
spoiled() {
	"$LTTNGMAP_SRC/tests/utils/spoil_ledger.py" "$RINGS/ledger" "$@"
	timeout 60 "$lttngmap" recover "$RINGS" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
	status=$?
	babeltrace2 "$numbered_trace/ust" >"$TAP_DIR/events" 2>"$TAP_DIR/bt"
	unread=$?
	events=$(wc -l <"$TAP_DIR/events")
	again
}

# What was on disk needs its event classes, whatever the saved state says of them.
on_disk=$(babeltrace2 "$numbered_trace/ust" | wc -l)
spoiled described
is "$status:$unread" 0:0 'a saved state that lost which classes its session describes: the trace is readable' ||
	diag "$(tail -n 3 "$TAP_DIR/bt")"
ok 'and has what the rings held' test "$events" -gt "$on_disk"
spoiled class 255
is "$status:$unread:$events" "0:0:$on_disk" 'a saved state in which a class has another id: what was on disk stays readable' ||
	diag "$(tail -n 3 "$TAP_DIR/bt")"
like "$(<"$TAP_DIR/err")" 'the trace keeps its metadata' 'which is told'
like "$(<"$TAP_DIR/err")" 'survivors \(process [0-9]+, channel c\): packet [0-9]+: unknown event \(event id' \
	'and which program, process and record is left out'
ok 'and counted' grep -qE ' [1-9][0-9,]* overwritten' "$TAP_DIR/out"

# Wild values: each try ends, in words, and leaves a trace that can be read, with all that it had.
bad=0
for ((i = 0; i < damaged; i++)); do
	seed=$((RANDOM * 32768 + RANDOM))
	spoiled "$seed"
	if ((status > 1 || unread || events < on_disk)); then
		bad=$((bad + 1))
		diag "seed $seed, status $status, $events events: $(tail -n 3 "$TAP_DIR/err" "$TAP_DIR/bt")"
	fi
done
is "$bad" 0 "$damaged ledgers with wild values: each is refused or read"
timeout 60 "$lttngmap" recover --json "$RINGS" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
is $? 0 'as it was left it is recovered'

# ---- traces ------------------------------------------------------------------------------

numbered_check
whole=$numbered_events
streams=("$numbered_trace"/ust/c_*)
printf '\301\037\374\301 half a packet' >>"${streams[0]}"
rm "$numbered_trace/ust/index/${streams[1]##*/}.idx"
: >"$numbered_trace/ust/c_empty-1-1_0"
"$lttngmap" recover --json "$numbered_trace" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
is $? 0 'a torn trace is mended' || diag "$(cat "$TAP_DIR/err")"
like "$(cat "$TAP_DIR/out")" '"kind":"traces".*"cut_streams":[12],"cut_bytes":[1-9].*"removed":1,"set_aside":0,"problems":\[\]' \
	'which is told'
numbered_check
is "$numbered_sound:$numbered_events" "0:$whole" 'it has the same events'
ok 'and the index that was gone' test -s "$numbered_trace/ust/index/${streams[1]##*/}.idx"
echo 'no packet of this trace' >"$numbered_trace/ust/other"
refused 'a file that is not of the trace' 'other: it is not of this trace' "$numbered_trace"
is "$(cat "$numbered_trace/ust/other")" 'no packet of this trace' 'and is left as it is'
rm "$numbered_trace/ust/other"
size=$(stat -c %s "$numbered_trace/ust/metadata")
truncate -s $((size - 20)) "$numbered_trace/ust/metadata"
refused 'metadata that is cut' 'metadata: line [0-9]+: .* is expected there' "$numbered_trace"
echo nonsense >"$numbered_trace/ust/metadata"
refused 'no metadata' 'metadata: it does not begin as CTF metadata does' "$numbered_trace"
is "$(ls "$RINGS")" '' 'the ring directory is empty'
is "$(pgrep -f "$TAP_DIR/never")" '' 'no process is left'
done_testing
