#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The session daemon ends in order, and another one is started: it has the sessions, those that
# were active go on, programs are traced again, and each event is kept or counted as lost.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
sessiond_sessions=()
map() {
	"$LTTNGMAP_BUILD/lttngmap" "$@"
}
# said VERB...: what it says is in $TAP_DIR/said
said() {
	map "$@" >"$TAP_DIR/said" 2>&1
}
count() { # SESSION KEY
	map status "$1" --json | sed -nE "s/.*\"$2\": ?([0-9]+).*/\1/p"
}
kept() { echo $(($(count "$1" kept) + $(count "$1" discarded) + $(count "$1" overwritten))); }
events() { # DIRECTORY: that babeltrace2 reads; what else it says is in $TAP_DIR/warnings
	babeltrace2 "$1" 2>"$TAP_DIR/warnings" | wc -l
}
# program N: paced events, 4000 a second; sets $program; `program_end N` sets $emitted
program() {
	mkfifo "$TAP_DIR/in.$1"
	"$LTTNGMAP_BUILD/tests/utils/paced" 4000 "$TAP_DIR/log.$1" <"$TAP_DIR/in.$1" &
	program=$!
	cleanup eval "kill $program 2>/dev/null"
	exec 7>"$TAP_DIR/in.$1"
}
program_end() {
	exec 7>&-
	wait "$program"
	emitted=$(tail -n 1 "$TAP_DIR/log.$1")
	emitted=${emitted#* }
}
start() {
	sessiond_start "$@" 7>&-
}
restart() {
	sessiond_stop
	[[ $sessiond_status == 0 ]] || diag "the daemon ended with $sessiond_status"
	sleep "${1:-0}" # without a daemon for so long
	start
}
records() { # SESSION MORE-THAN
	[[ $(count "$1" written) -gt $2 ]]
}
nothing_in() { [[ -z $(ls -A "$1" 2>/dev/null) ]]; }

# ---- active, filtered, stopped, rotated --------------------------------------------------

start
do_all "create s -o $TAP_DIR/s" 'channel c -s s --subbuf-size 16K --subbufs 8' \
	'enable paced:* -s s -c c' 'context vtid -s s -c c' 'start s' \
	"create f -o $TAP_DIR/f" "create off -o $TAP_DIR/off" 'enable paced:* -s off' \
	'start off' 'stop off' "create r -o $TAP_DIR/r" 'enable paced:* -s r' 'start r'
map enable 'paced:*' -s f --filter 'number % 2 == 0' >/dev/null
map start f >/dev/null
program 1
wait_for records s 100
ok 'one is rotated' said rotate r
before=$(map list --json)
restart 0.3
is "$(map list --json)" "$before" 'the next daemon has sessions, channels, rules as they were'
like "$(map status s 2>&1)" 'the session daemon was away from [0-9:]* to [0-9:]*' \
	'and says for how long nobody recorded'
first=$(count s written)
ok 'the program is traced again' wait_for records s "$first"
restart
is "$("$LTTNGMAP_BUILD/lttngmap" list --json | jq -r '.sessions[] | select(.current) | .session')" r \
	'the current session is the same'
again=$(count s written)
ok 'also after one more' wait_for records s "$again"
program_end 1
ok 'the sessions stop' eval 'said stop s && said stop f && said stop r'
is "$(kept s)" "$emitted" 'each event is kept, or counted as lost'
is "$(kept f)" $(((emitted + 1) / 2)) 'of one with a filter, each that passes'
is "$(kept r)" "$emitted" 'of one with chunks, too'
ok 'some were lost, some kept' test "$(count s discarded)" -gt 0 -a "$(count s kept)" -gt "$again"
for session in s f r; do
	is "$(events "$TAP_DIR/$session")" "$(count $session kept)" "$session: babeltrace2 reads it"
	is "$(grep -vc discarded "$TAP_DIR/warnings")" 0 "$session: without a complaint but for lost ones"
done
is "$(find "$TAP_DIR/r/archives" -mindepth 1 -maxdepth 1 | wc -l)" 1 'the chunk is where it was'
is "$(count s processes)" 1 'the program is one process'
is "$(count off kept)" 0 'who was stopped stays so'
ok 'and can be started' said start off
program 2
ok 'it records' wait_for records off 0
program_end 2
said stop off
is "$(kept off)" "$emitted" 'all'

# ---- a kill after that --------------------------------------------------------------------

said start s
program 3
wait_for records s "$(count s written)"
before=$(map list --json)
pkill -KILL -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR"
wait_for control
ok 'killed, it goes on' wait_for records s "$(count s written)"
is "$(map list --json)" "$before" 'with what it had'
program_end 3
is "$(map status s --json | grep -c '"active": *true')" 1 's is active'

# ---- the end for good ----------------------------------------------------------------------

sessiond_stop
ok 'it leaves them to the next one' test -e "$SESSIOND_DIR/ledger"
like "$(map recover "$SESSIOND_DIR" 2>&1)" 'ended in order.*the next one goes on' \
	'there is nothing to recover'
start --forget
is "$(map list --json | grep -c '"session":')" 0 '--forget takes over none'
said create t -o "$TAP_DIR/t"
sessiond_stop
ok 'and leaves none' nothing_in "$SESSIOND_DIR"
start
said create t -o "$TAP_DIR/t"
said destroy --all
sessiond_stop
ok 'destroyed, none is left' nothing_in "$SESSIOND_DIR"

# ---- what is not taken over ------------------------------------------------------------------

leave() { # a session
	rm -rf "$TAP_DIR/t"
	start
	said create t -o "$TAP_DIR/t"
	sessiond_stop
}
refused() { # WHY NAME
	: >"$TAP_DIR/log"
	start
	is "$(map list --json | grep -c '"session": *"t"')" 0 "$2: not taken over"
	like "$(cat "$TAP_DIR/log")" "$1" "$2: said"
	sessiond_stop
	ok "$2: the daemon is well" test "$sessiond_status" = 0
	rm -rf "$SESSIOND_DIR"
}
leave
printf '\xff' | dd of="$SESSIOND_DIR/ledger" bs=1 seek=8 conv=notrunc 2>/dev/null
refused 'sessions of the daemon before do not go on: it is of another version of lttngmap.*ledger.refused' \
	'another version'
# A killed daemon of another version: what it left is for its own `recover`.
start
said create t -o "$TAP_DIR/t"
sessiond_stop KILL
printf '\x0a' | dd of="$SESSIOND_DIR/ledger" bs=1 seek=8 conv=notrunc 2>/dev/null
: >"$TAP_DIR/log"
start
like "$(<"$TAP_DIR/log")" \
	"cannot be recovered by this program: it is of another version.*stays in $SESSIOND_DIR/ledger.refused" \
	'killed, of another version: said'
said recover "$SESSIOND_DIR/ledger.refused"
like "$(<"$TAP_DIR/said")" 'ledger.refused: it is of another version of lttngmap' 'it is there, and refused by name'
sessiond_stop
rm -rf "$SESSIOND_DIR"
leave
python3 - "$SESSIOND_DIR/ledger" <<'PYTHON'
import mmap, sys
with open(sys.argv[1], 'r+b') as file:
    head = file.read(64 << 20)
    at = head.rindex(b'{"sessions":[')
    file.seek(at + 13)
    file.write(b'}')
PYTHON
refused 'sessions of the daemon before cannot be taken over' 'damaged'
leave
chmod g+w "$SESSIOND_DIR/ledger"
refused "do not go on: it is another user's, or others may write to it" 'writable by others'
leave
: >"$TAP_DIR/log"
start --clock=monotonic
if [[ $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource 2>/dev/null) == tsc ]]; then
	like "$(cat "$TAP_DIR/log")" 'events had another clock' 'another clock is no clock of theirs'
else
	ok 'the clock is the same' test "$(map list --json | grep -c '"session": *"t"')" = 1
fi
said destroy --all
sessiond_stop
rm -rf "$SESSIOND_DIR"

# ---- rings in files ----------------------------------------------------------------------------

start --ring-dir="$TAP_DIR/rings"
do_all "create d -o $TAP_DIR/d" 'enable paced:* -s d' 'start d'
program 4
wait_for records d 100
sessiond_stop
start --ring-dir="$TAP_DIR/rings"
ok 'with rings in files it goes on, too' wait_for records d "$(count d written)"
program_end 4
said stop d
is "$(kept d)" "$emitted" 'each event is kept, or counted'
is "$(events "$TAP_DIR/d")" "$(count d kept)" 'and read'
said destroy --all
sessiond_stop
ok 'nothing is left there' wait_for nothing_in "$TAP_DIR/rings" || diag "$(ls -AR "$TAP_DIR/rings")"
done_testing
