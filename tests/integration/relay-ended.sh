#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A session of many short programs: what those left goes from the spool, and is closed at the collector, when that has it.
# Neither has more and more files open, and nothing is missing in the end.
#
#   LTTNGMAP_TEST_PROGRAMS   how many (60)

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/relayd.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
emit=$LTTNGMAP_BUILD/tests/utils/emit
programs=${LTTNGMAP_TEST_PROGRAMS:-60}
export LTTNGMAP_SPOOL_DIR=$TAP_DIR/spool XDG_RUNTIME_DIR=$TAP_DIR/xdg LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
mkdir -m 700 "$LTTNGMAP_SPOOL_DIR" "$XDG_RUNTIME_DIR" "$SESSIOND_DIR"
cd "$TAP_DIR" || exit 1
cleanup relayd_stop KILL
relayd_start
sessiond_start
cleanup sessiond_stop
sender() { pgrep -n -f "lttngmap relay .*$1"; }
no_relay() { ! pgrep -f "lttngmap relay .*$TAP_DIR"; }
cleanup eval 'pkill -KILL -f "lttngmap relay .*$TAP_DIR"'
: >counts
run_programs() {
	local i

	for ((i = 0; i < programs; i++)); do
		"$emit" counts 1 100 >out 2>&1 || bail_out "emit: $(<out)"
	done
}
begin() { # OPTIONS...: the session s
	local step

	"$lttngmap" create s --set-url "$RELAYD_URL" "$@" >out 2>&1 || bail_out "create: $(cat out)"
	do_all "channel events --mode blocking ${channel:-}" 'enable numbered:*' start
}
# Files of streams that are open at the collector; streams that are there at all.
held() {
	local fd count=0

	for fd in "/proc/$relayd_pid/fd"/*; do
		[[ $(readlink "$fd") != "$RELAYD_DIR"/*/ust/* ]] || count=$((count + 1))
	done
	echo $count
}
there() { find "$RELAYD_DIR" -path '*/ust/*' -name '*.idx' | wc -l; }
here() { find "$1/ust" -maxdepth 1 -type f ! -name '.*' ! -name metadata | wc -l; }
few_held() { [[ $(held) -le 6 && $(there) -ge $programs ]]; }
none_here() { [[ $(here "$spool") == 0 ]]; }
stop() {
	"$lttngmap" stop >out 2>&1 || diag "$(<out)"
	kept=$(sed -n 's/^ *\([0-9,]*\) events* kept.*/\1/p' out | tr -d ,)
	"$lttngmap" destroy >out 2>&1 || diag "$(<out)"
	ok "$1: what sends ends by itself" wait_for no_relay
}
all_there() { # NAME
	is "$(babeltrace2 "$(relayed s)" 2>said | wc -l) $(<said)" "$kept " \
		"$1: the collector has all that was kept, and babeltrace2 nothing to say"
	rm -rf "${RELAYD_DIR:?}"/*
}

# ---- a spool

begin
spool=$(echo "$LTTNGMAP_SPOOL_DIR"/*)
run_programs
ok 'the collector closes what has ended' wait_for few_held || diag "$(held) of $(there)"
ok '  ... nothing of it stays in the spool' wait_for none_here || diag "$(here "$spool")"
# A note is of 280 bytes. In each round, those of the one before can be used.
notes=$(($(stat -c %s "$spool/ust/.relayed") / 280))
for _ in 1 2 3; do
	run_programs
	ok '  ... once more' wait_for none_here || diag "$(here "$spool")"
done
diag "$notes notes, then $(($(stat -c %s "$spool/ust/.relayed") / 280)) of $(there) streams"
ok '  ... notes are used again' test "$(stat -c %s "$spool/ust/.relayed")" -le $(($(there) * 2 / 3 * 280))
"$lttngmap" stop >out 2>&1 || diag "$(<out)"
"$lttngmap" start >out 2>&1 || diag "$(<out)"
seen=$(there)
"$emit" counts 1 100 >out 2>&1
# Its files may not be there yet when the program has ended.
came_and_went() { [[ $(there) -gt $seen ]] && none_here; }
ok 'so does what comes after a stop and a start' wait_for came_and_went
kill -STOP "$(sender "$spool")"
"$emit" counts 2 100 >out 2>&1
kill -KILL "$(sender "$spool")"
ok 'and what ended while nobody sent' wait_for none_here
"$lttngmap" stop >out 2>&1 || diag "$(<out)"
kept=$(sed -n 's/^ *\([0-9,]*\) events* kept.*/\1/p' out | tr -d ,)
"$lttngmap" destroy >out 2>&1 || diag "$(<out)"
ok 'what sends ends by itself' wait_for no_relay
is "$(ls -A "$LTTNGMAP_SPOOL_DIR")" '' 'and leaves nothing'
events=0
while read -r folder; do
	events=$((events + $(babeltrace2 "$folder" 2>>said | wc -l)))
done < <(relayed_all s)
is "$events" "$kept" 'the collector has all that was kept' || diag "$(<said)"
rm -rf "${RELAYD_DIR:?}"/*

# ---- files of a stream that are full have ended, too

channel='--subbuf-size 4K --file-size 16K' begin
"$emit" counts 1 100000 >out 2>&1
spool=$(echo "$LTTNGMAP_SPOOL_DIR"/*)
ok 'files that are full are closed' wait_for few_held || diag "$(held) of $(there)"
ok '  ... and go from the spool' wait_for none_here || diag "$(here "$spool")"
stop 'files'
all_there 'files'

# ---- a trace that stays

begin -o kept
run_programs
ok 'what stays is closed at the collector' wait_for few_held || diag "$(held) of $(there)"
ok '  ... and stays' test "$(here kept)" -ge "$programs"
stop 'kept'
same_trace 'kept: at the collector' kept/ust "$(relayed s)/ust"
rm -rf "${RELAYD_DIR:?}"/*

# ---- one that has ended goes on, which cannot be: the collector would empty what it has

begin -o again
"$emit" counts 1 100 >out 2>&1
closed() { [[ $(there) -gt 0 && $(held) -le 4 ]]; }
ok 'one program was there' wait_for closed
python3 - again/ust <<'END'
import glob, os, struct, sys
index = glob.glob(sys.argv[1] + "/index/*.idx")[0]
stream = os.path.join(sys.argv[1], os.path.basename(index)[:-4])
with open(index, "rb") as file:
    entry = list(struct.unpack(">9Q", file.read()[-72:]))
with open(stream, "r+b") as file:
    packet = file.read()[entry[0] : entry[0] + entry[1] // 8]
    file.seek(0, os.SEEK_END)
    entry[0], entry[8] = file.tell(), entry[8] + 1
    file.write(packet)
with open(index, "ab") as file:
    file.write(struct.pack(">9Q", *entry))
END
packets_there() { # those of both connections
	[[ $(relayed_all s | wc -l) == 2 && -n $(find "$(relayed s)" -name '*.idx' -size +16c) ]]
}
ok '  ... and more of it comes by another connection' wait_for packets_there
ok '  ... beside what was there' test -n "$(find "$(relayed_all s | head -1)" -name '*.idx' -size +16c)"
stop 'again'
rm -rf "${RELAYD_DIR:?}"/*

# ---- watched meanwhile

begin --live 500ms
"$emit" counts 1 100 >out 2>&1
sees() { babeltrace2 -i lttng-live "$RELAYD_LIVE" 2>/dev/null | grep -q '/s (timer'; }
begun() { [[ $(there) -gt 0 ]]; }
ok 'the collector has a session that can be watched' wait_for sees
wait_for begun
LC_ALL=C babeltrace2 -i lttng-live "$RELAYD_LIVE/host/$(hostname)/s" >seen 2>seen.err &
watching=$!
attached() { [[ $(babeltrace2 -i lttng-live "$RELAYD_LIVE" 2>/dev/null) == *'1 client'* ]]; }
ok '  ... and is' wait_for attached
run_programs
# Beside those of spools, the one by which viewers hear of others.
few_held() { [[ $(held) -le 8 && $(there) -gt $programs ]]; }
ok 'what has ended is closed, and viewers had their time' wait_for few_held || diag "$(held) of $(there)"
"$emit" counts 1 100 >out 2>&1
stop 'live'
wait $watching
is "$? $(<seen.err)" '0 ' 'the viewer ends with the session, and has nothing to say'
events=$(wc -l <seen)
# Who attaches late does not see what has ended before.
ok 'it has seen everything' test "$events" -eq "$kept" -o "$events" -eq $((kept - 100)) ||
	diag "$events of $kept"
done_testing
