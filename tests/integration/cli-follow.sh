#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap view --follow`: what it shows of a session that runs, through rotations, new
# processes and classes, and the deaths of the daemons, is what `view` shows at the end.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
paced=$LTTNGMAP_BUILD/tests/utils/paced
steady=$LTTNGMAP_BUILD/tests/utils/steady
export TMPDIR=$TAP_DIR/tmp
mkdir "$TMPDIR" "$TAP_DIR/web"

sessiond_start
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
control '{"verb": "create", "session": "web", "output": "'"$TAP_DIR"'/web"}' \
	'{"verb": "channel", "session": "web", "channel": "c", "subbuf_size": 65536, "subbufs": 8, "mode": "discard"}' \
	'{"verb": "enable", "session": "web", "channel": "c", "rule": "*"}' \
	'{"verb": "start", "session": "web"}' >/dev/null || bail_out 'no session'
mkfifo "$TAP_DIR/leash"
"$paced" 2000 "$TAP_DIR/paced.log" <"$TAP_DIR/leash" &
exec 9>"$TAP_DIR/leash"
"$lttngmap" view --follow --json "$TAP_DIR/web" >"$TAP_DIR/followed" 2>"$TAP_DIR/said" 9>&- &
follower=$!
end_follower() {
	exec 9>&-
	kill "$follower" 2>/dev/null
}
cleanup end_follower

# follows COMMAND...: is what was emitted by now seen soon?
emitted() {
	tail -2 "$TAP_DIR/paced.log" | head -1 | cut -d' ' -f2
}
sees() {
	grep -q "\"event\":\"paced:event\",\"fields\":{\"number\":$1}" "$TAP_DIR/followed"
}
wait_for grep -q . "$TAP_DIR/paced.log"
follows() {
	local last=$(($(emitted) - 1))

	wait_for sees "$last" || diag "$(date) $(tail -1 "$TAP_DIR/followed")"
}
ok 'what was emitted is seen while it is recorded, with no sub-buffer full' follows
ok 'the rotation' "$lttngmap" rotate web
ok 'events go on after a rotation' follows
"$steady" 500 >/dev/null
ok 'a new process, and its class, are seen' \
	wait_for grep -q '"steady:event","fields":{"number":499,' "$TAP_DIR/followed"
kill -9 "$(sessiond_consumer)"
ok 'events go on after the death of the consumer' follows
kill -9 "$(pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR")"
ok 'and after that of the session daemon' follows
ok 'another rotation' "$lttngmap" rotate web
ok 'events go on' follows
exec 9>&-
ok 'stop' "$lttngmap" stop web
wait "$follower"
is "$?" 0 'which ends it'
is "$(<"$TAP_DIR/said")" '' 'and it has complained of nothing'
is "$(ls "$TMPDIR")" '' 'nor left anything behind'

"$lttngmap" view --json "$TAP_DIR/web" >"$TAP_DIR/viewed"
ok 'there was something to see' test "$(wc -l <"$TAP_DIR/viewed")" -gt 1000
# The frequency of the clock is better known at the end: times are a little different then.
timeless() {
	sed -E 's/"timestamp":[0-9]+,//' "$1" | sort
}
timeless "$TAP_DIR/viewed" >"$TAP_DIR/a"
timeless "$TAP_DIR/followed" >"$TAP_DIR/b"
ok 'it has shown each event, and each once' cmp "$TAP_DIR/a" "$TAP_DIR/b" ||
	diag "$(diff "$TAP_DIR/a" "$TAP_DIR/b" | head -5)"
# What came late on a machine under load is shown when it comes.
late=$(grep -oE '"timestamp":[0-9]+' "$TAP_DIR/followed" | cut -d: -f2 |
	awk '$1 < before { late++ } { before = $1 } END { print late + 0 }')
ok "in order, but for what came late ($late)" test "$late" -lt "$(($(wc -l <"$TAP_DIR/viewed") / 50))"

# ---- what is not recorded ------------------------------------------------------------

"$lttngmap" view --follow --json "$TAP_DIR/web" >"$TAP_DIR/again" 2>"$TAP_DIR/said"
is "$?" 0 'a trace that is complete'
like "$(<"$TAP_DIR/said")" 'web. is not being recorded now' 'is said to be'
timeless "$TAP_DIR/again" >"$TAP_DIR/b"
ok 'and shown' cmp "$TAP_DIR/a" "$TAP_DIR/b"
"$lttngmap" view --follow "$TAP_DIR/none" 2>"$TAP_DIR/said"
is "$?" 1 'no such folder'
like "$(<"$TAP_DIR/said")" 'none.*No such file' 'is said'

# ---- an index that is damaged ----------------------------------------------------------

cp -r "$TAP_DIR/web" "$TAP_DIR/broken"
index=$(find "$TAP_DIR/broken" -name '*.idx' -size +159c | head -1)
printf '\xff\xff\xff\xff' | dd of="$index" bs=1 seek=$((16 + 72)) conv=notrunc status=none
"$lttngmap" view --follow --json "$TAP_DIR/broken" >"$TAP_DIR/again" 2>"$TAP_DIR/said"
like "$(<"$TAP_DIR/said")" 'it is damaged: this stream is followed no further' 'a damaged index is told of'
ok 'and the other streams are shown' test -s "$TAP_DIR/again"
printf 'nonsense' | dd of="$index" bs=1 conv=notrunc status=none
"$lttngmap" view --follow --json "$TAP_DIR/broken" 2>&1 >/dev/null | grep -q 'no index that is known'
is "$?" 0 'so is one that is none'
cp -r "$TAP_DIR/web" "$TAP_DIR/odd"
index=$(find "$TAP_DIR/odd" -name '*.idx' -size +159c | head -1)
stream=${index%/index/*}/$(basename "$index" .idx)
rm "$stream"
mkfifo "$stream"
timeout 60 "$lttngmap" view --follow "$TAP_DIR/odd" 2>&1 >/dev/null | grep -q 'its stream is no file'
is "${PIPESTATUS[*]}" '3 0' 'a FIFO in place of a stream is not waited for'
mkdir "$TAP_DIR/broken/ust/index/deep.idx"
ln -s /etc/passwd "$TAP_DIR/broken/ust/index/link.idx"
"$lttngmap" view --follow "$TAP_DIR/broken" >/dev/null 2>&1
is "$?" 3 'what is no file is left alone'

# ---- a recording, and a reader that goes ------------------------------------------------

unset LTTNGMAP_RUNTIME_DIR
export XDG_RUNTIME_DIR=$TAP_DIR/xdg
mkdir -m 0700 "$XDG_RUNTIME_DIR"
mkfifo "$TAP_DIR/leash2"
rm "$TAP_DIR/paced.log"
"$lttngmap" record -q --preload none -e 'paced:*' -o "$TAP_DIR/recording" -- "$paced" 2000 "$TAP_DIR/paced.log" \
	<"$TAP_DIR/leash2" 2>"$TAP_DIR/record.log" &
exec 8>"$TAP_DIR/leash2"
wait_for grep -q . "$TAP_DIR/paced.log" || diag "$(<"$TAP_DIR/record.log")"
is "$("$lttngmap" view -F "$TAP_DIR/recording" | head -100 | wc -l)" 100 \
	'a recording is followed; a reader that goes ends that'
"$lttngmap" view -F --json "$TAP_DIR/recording" >"$TAP_DIR/followed" 8>&- &
follower=$!
ok 'seen' follows
kill -INT "$follower"
wait "$follower"
is "$?" 0 'an interrupt ends it well'
"$lttngmap" view -F --json "$TAP_DIR/recording" >"$TAP_DIR/followed" 8>&- &
follower=$!
ok 'seen again' follows
exec 8>&-
wait "$follower"
is "$?" 0 'the end of the recording ends it'
"$lttngmap" view --json "$TAP_DIR/recording" >"$TAP_DIR/viewed"
cmp <(timeless "$TAP_DIR/viewed") <(timeless "$TAP_DIR/followed")
is "$?" 0 'and all of it was shown'
is "$(ls "$TMPDIR")" '' 'nothing is left behind'
done_testing
