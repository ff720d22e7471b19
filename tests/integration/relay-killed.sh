#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Who sends a trace is killed: another one goes on. Where nobody is left who would start that,
# it is said, with what to type. Nothing is missing at the collector.

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/relayd.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
emit=$LTTNGMAP_BUILD/tests/utils/emit
export LTTNGMAP_SPOOL_DIR=$TAP_DIR/spool XDG_RUNTIME_DIR=$TAP_DIR/xdg
mkdir -m 700 "$LTTNGMAP_SPOOL_DIR" "$XDG_RUNTIME_DIR" "$SESSIOND_DIR"
cd "$TAP_DIR" || exit 1
cleanup relayd_stop KILL
relayd_start
# The older of both is the parent.
export RELAY_PATTERN="lttngmap relay .*$LTTNGMAP_SPOOL_DIR"
sender() { pgrep -n -f "$RELAY_PATTERN"; }
parent() { pgrep -o -f "$RELAY_PATTERN"; }
no_relay() { ! sender; }
cleanup eval 'pkill -KILL -f "$RELAY_PATTERN"'
# Packets in all folders at the collector, without doubles, into $TAP_DIR/merged.
merge() { # SESSION
	local folders

	mapfile -t folders < <(relayed_all "$1")
	rm -rf merged
	"$LTTNGMAP_SRC/tests/utils/relayed_packets.py" merged "${folders[@]/%//ust}" >found 2>&1
	is "$(sed -n 's/^missing //p; s/^changed //p' found | xargs)" '0 0' \
		"$1: no packet is missing at the collector, none is another one" || diag "$(<found)"
	diag "$1: ${#folders[@]} folders"
}

# ---- record

# A record's parent and its child, of which either is to be killed, may not be there when its program is.
await_sender() {
	until [[ $(pgrep -c -f "$RELAY_PATTERN") -ge 2 ]]; do
		sleep 0.02
	done
}
export -f await_sender
cat >kill-sender <<'END'
#!/usr/bin/env bash
"$1" "$NUMBERED_COUNTS" 2 50000
await_sender
pkill -KILL -n -f "$RELAY_PATTERN"
"$1" "$NUMBERED_COUNTS" 2 50000
END
: >"$NUMBERED_COUNTS"
"$lttngmap" record --url "$RELAYD_URL" --preload none -e 'numbered:*' \
	--mode blocking -- bash kill-sender "$emit" >out 2>err </dev/null
is $? 0 'record: who sends is killed meanwhile' || diag "$(<err)"
like "$(<err)" 'was killed by signal 9; it is started again' '  ... which is told'
is "$(ls -A "$LTTNGMAP_SPOOL_DIR")" '' '  ... and nothing is left here'
merge bash
numbered_kept=$(sed -n 's/.*traced, \([0-9,]*\) events* kept.*/\1/p' err | tr -d ,)
is "$(babeltrace2 merged 2>said | wc -l)" "$numbered_kept" 'record: the collector has all that was kept'

# ---- its parent: nobody starts it again, and it goes on

sed 's/pkill -KILL -n/pkill -KILL -o/' kill-sender >kill-parent
: >"$NUMBERED_COUNTS"
"$lttngmap" record --url "$RELAYD_URL" --preload none -e 'numbered:*' --mode blocking -- \
	bash kill-parent "$emit" >out 2>err </dev/null
is $? 0 'record: the parent of who sends is killed, and all is sent' || diag "$(<err)"
is "$(ls -A "$LTTNGMAP_SPOOL_DIR")" '' '  ... nothing is left here'
ok '  ... and nobody' wait_for no_relay

# It removes the spool's folder last, and is slow to: nobody takes that for a trace that was not sent.
yama=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)
if [[ $(uname -m) == x86_64 && ($EUID == 0 || $yama == 0) ]] && command -v strace >/dev/null; then
	cat >slow-parent <<-'END'
		#!/usr/bin/env bash
		"$1" "$NUMBERED_COUNTS" 2 50000
		await_sender
		sender=$(pgrep -n -f "$RELAY_PATTERN")
		strace -qq -o "$2" -e trace=rmdir -e inject=rmdir:delay_enter=700000 -p "$sender" &
		for _ in {1..1500}; do
			grep -q '^TracerPid:[^0-9]*[1-9]' "/proc/$sender/status" && break
			sleep 0.02
		done
		pkill -KILL -o -f "$RELAY_PATTERN"
	END
	: >"$NUMBERED_COUNTS"
	"$lttngmap" record --url "$RELAYD_URL" --preload none -e 'numbered:*' --mode blocking -- \
		bash slow-parent "$emit" "$TAP_DIR/strace" >out 2>err </dev/null
	is $? 0 'record: it is slow to remove the last of the spool' || diag "$(<err)"
	is "$(ls -A "$LTTNGMAP_SPOOL_DIR")" '' '  ... nothing is left here'
	ok '  ... it was' wait_for grep -q DELAYED strace
	ok '  ... and is gone' wait_for no_relay
else
	skip 4 'strace is not installed, or may not look at others'
fi

# It is slow to load its libraries, so that the order to finish comes before it has its handlers.
if [[ $(uname -m) == x86_64 && ($EUID == 0 || $yama == 0) ]] && command -v strace >/dev/null; then
	library=$(ldd "$lttngmap" | sed -n 's/.*libbabeltrace2.* => \(.*\) (.*/\1/p')
	: >"$NUMBERED_COUNTS"
	strace -f -qq -o strace -P "$library" -e trace=openat -e inject=openat:delay_enter=1000000 \
		"$lttngmap" record --url "$RELAYD_URL" --preload none -e 'numbered:*' --mode blocking -- \
		"$emit" "$NUMBERED_COUNTS" 1 1000 >out 2>err </dev/null
	is $? 0 'record: the program ends before the sender has begun' || diag "$(<err)"
	is "$(ls -A "$LTTNGMAP_SPOOL_DIR")" '' '  ... nothing is left here'
	ok '  ... and nobody' wait_for no_relay
else
	skip 3 'strace is not installed, or may not look at others'
fi

# ---- killed while it removed what was sent

mkdir -p left/.relay-gone/index
echo 'no metadata' >left/.relay-gone/index/events_0.idx
python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<7Q", 0x6C6D2D72656C6179, 1, 0, 0, 0, 0, 0))' >left/.relay
"$lttngmap" relay --spool "$RELAYD_URL" left >out 2>&1
is $? 0 'of a spool that was sent, the rest is removed' || diag "$(<out)"
ok '  ... all of it' test ! -e left
: >"$NUMBERED_COUNTS"
"$lttngmap" record -o half --preload none -e 'numbered:*' -- "$emit" "$NUMBERED_COUNTS" 1 1000 >out 2>&1
rm half/ust/metadata
"$lttngmap" relay --timeout 1s "$RELAYD_URL" half >out 2>&1
is $? 1 'a trace without metadata cannot be sent'
like "$(<out)" 'ust/metadata cannot be read' '  ... which is told'
is "$(relayed_all half | wc -l)" 1 '  ... and no reason for another connection'

# ---- a session

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
sessiond_start
cleanup sessiond_stop
do_all "create k --set-url $RELAYD_URL" 'channel events --mode blocking --subbuf-size 64K' \
	'enable numbered:*' 'start'
spool=$(echo "$LTTNGMAP_SPOOL_DIR"/*)
status() { # KEY
	"$lttngmap" status --json | python3 -c "import json, sys; print(json.load(sys.stdin)['$1'])"
}
: >"$NUMBERED_COUNTS"
# More events, which come to the collector.
burst() { # NAME [EVENTS]
	local before written

	before=$(status sent) written=$(status written)
	# It waits for the daemon 100 ms only, and is not traced then.
	for _ in 1 2 3; do
		"$emit" "$NUMBERED_COUNTS" 2 "${2:-30000}" >out 2>&1 || diag "$(<out)"
		[[ $(status written) == "$written" ]] || break
	done
	grows() { [[ $(status sent) -gt $before ]]; }
	ok "$1" wait_for grows
}
is "$(status is_sending)" True 'somebody sends as soon as the session is there'
burst 'what is recorded comes to the collector'
for life in 1 2; do
	kill -KILL "$(sender)"
	is "$(status is_sending)" True "life $life of who sends has ended, and somebody cares"
	burst '  ... another one goes on'
done
# A folder at the collector is named by the second in which it was made.
for life in {3..8}; do
	kill -KILL "$(sender)"
	burst "life $life has ended soon, and another one goes on" 8000
done
like "$("$lttngmap" status 2>&1)" "sent to ${RELAYD_URL//\//.}: " 'the status has how much was sent'
kill -KILL "$(parent)"
burst 'its parent was killed: it goes on alone'
kill -KILL "$(sender)"
# Its lock goes with its last descriptor, some time after its command line.
is_left() { [[ $(status is_sending) == False ]]; }
ok 'then it is killed, too' wait_for is_left
"$lttngmap" status >out 2>err
like "$(<err)" 'nobody sends session k to its collector' 'that nobody sends is told'
"$lttngmap" list >out
like "$(<out)" '^k .active, not being sent' '  ... and in the list'
again=$(sed -n 's/.*`nohup \(lttngmap relay .*\) &` goes on.*/\1/p' err)
is "$again" "lttngmap relay --restart --spool --session k $RELAYD_URL $spool" '  ... with what to type'
# As if it had been killed between what it notes of each stream and what it counts.
sent=$(status sent)
dd if=/dev/zero of="$spool/.relay" bs=8 seek=1 count=1 conv=notrunc status=none
is "$(status sent)" 0 'what was sent is not counted'
# shellcheck disable=SC2086 # words
"$LTTNGMAP_BUILD"/$again >out-again 2>&1 &
again=$!
burst '  ... which goes on'
counts_again() { [[ $(status sent) -gt $sent ]]; }
ok '  ... and counts again what was sent' wait_for counts_again
"$lttngmap" stop >out 2>&1
is $? 0 'the session is stopped' || diag "$(<out)"
kept=$(status kept) lost=$(status discarded)
"$lttngmap" destroy >out 2>&1 || diag "$(<out)"
wait $again
is $? 0 'all of it is sent' || diag "$(<out-again)"
is "$(ls -A "$LTTNGMAP_SPOOL_DIR")" '' 'and nothing is left here'
merge k
is "$lost" 0 'nothing was lost'
is "$(babeltrace2 merged 2>said | wc -l)" "$kept" 'the collector has all that was kept'
mapfile -t folders < <(relayed_all k)
"$lttngmap" merge -o one "${folders[@]}" >out 2>&1
is $? 0 'its folders there can be merged' || diag "$(<out)"
is "$(babeltrace2 one 2>said | md5sum) $(<said)" "$(babeltrace2 merged | md5sum) " \
	'  ... to a trace that has each event once, and of which babeltrace2 has nothing to say'
done_testing
