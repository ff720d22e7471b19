#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Rotation: while programs write at full speed, the trace is cut into chunks,
# each of them readable on its own, all of them together all events.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
. "$LTTNGMAP_SRC/tests/utils/chunks.sh"

small=(--subbuf-size 4K --subbufs 4)
sessiond_start

consumer_pid() {
	sessiond_consumer
}

state() {
	find "$chunks_out" | sort
	"$LTTNGMAP_BUILD/lttngmap" list --json
}

# refused NAME REGEX VERB...: and nothing is changed.
refused() {
	local name=$1 regex=$2 before

	shift 2
	before=$(state)
	map "$@"
	is "$?" 1 "$name: status 1"
	like "$(<"$TAP_DIR/said")" "$regex" "$name: said"
	is "$(state)" "$before" "$name: nothing changed"
}

# ---- nothing is lost, nothing is there twice
chunks_begin --mode blocking "${small[@]}"
chunks_emit 600000
rotations=0
while chunks_emitting || ((rotations < 3)); do
	# On a busy machine these events were too few.
	chunks_emitting || chunks_emit_more 600000
	map rotate s || break
	rotations=$((rotations + 1))
done
wait "$chunks_emitter"
map stop s
ok "at full speed, rotated $rotations times" test "$rotations" -ge 3
is "$(chunks_count chunks)" "$rotations" 'as the status says'
is "$(chunks_list | wc -l)" $((rotations + 1)) 'so many chunks are there, and the rest'
chunks_are_whole 'each is readable alone, all together are all events, once'
is "$("$LTTNGMAP_BUILD/lttngmap" view "$chunks_out" 2>/dev/null | wc -l)" "$chunks_events" \
	'view shows all of them together'
chunks_end

# ---- what was emitted before is in it
chunks_begin "${small[@]}"
mkfifo "$TAP_DIR/lines" "$TAP_DIR/answers"
"$LTTNGMAP_BUILD/tests/utils/rounds" <"$TAP_DIR/lines" >"$TAP_DIR/answers" &
program=$!
exec 8>"$TAP_DIR/lines" 9<"$TAP_DIR/answers"
round() {
	echo >&8
	read -r <&9
}
chunk() {
	map rotate s --json
	sed -nE 's/.*"chunk": ?"([^"]*)".*/\1/p' "$TAP_DIR/said"
}
events() {
	babeltrace2 "$1" 2>&1 | wc -l
}
round
first=$(chunk)
like "$first" "^$chunks_out/archives/[0-9]{8}T[0-9]{6}[-+][0-9]{4}-[0-9]{8}T[0-9]{6}[-+][0-9]{4}-0$" \
	'the chunk is named by its times and its number'
is "$(events "$first")" 4 'and has the events of before'
is "$(ls "$chunks_out/ust/index")" '' 'no stream is made that is empty'
round
round
is "$(events "$(chunk)")" 8 'the next has those of after, of the same program'
exec 8>&- 9<&-
wait "$program"
empty=$(chunk)
is "$(events "$empty")" 0 'a chunk may be empty'
is "$(ls "$empty/ust/index")" '' 'a program that ended has no stream in it'
is "$(events "$first")" 4 'the first is as it was'
mv "$first" "$TAP_DIR/moved"
is "$(events "$TAP_DIR/moved")" 4 'and can be moved'
map clear s
is "$(chunks_list | wc -l)" 3 'to clear the session leaves chunks alone'
like "$("$LTTNGMAP_BUILD/lttngmap" status s)" '3 chunks of these completed before `clear`: on disk, and in no count above' \
	'  ... and status says that no count has their events'
chunks_end

# ---- losses
chunks_begin --mode discard "${small[@]}"
chunks_emit 400000
while chunks_emitting; do
	map rotate s
	sleep 0.01
done
wait "$chunks_emitter"
quiet=$(map rotate s && chunk && "$LTTNGMAP_BUILD/tests/utils/steady" 5 >/dev/null && chunk)
map stop s
quiet=${quiet##*$'\n'}
is "$(events "$quiet")" 6 'a chunk after one that lost events says nothing of losses'
rm -r "$quiet"
lost=$(chunks_count discarded)
ok "of discarded events ($lost)" test "$lost" -gt 0
kept=$(chunks_count kept)
chunks_read
is "$chunks_events" $((kept - 6)) '... what is kept is in the chunks'
chunks_end
chunks_begin --mode overwrite "${small[@]}"
chunks_emit 400000
while chunks_emitting; do
	map rotate s
	sleep 0.01
done
map stop s
chunks_are_counted 'in overwrite mode, what is not there is counted'
chunks_end

# ---- a consumer that is killed meanwhile
chunks_begin --mode blocking "${small[@]}"
chunks_emit 800000
for ((i = 0; i < 4; i++)); do
	wait_for consumer_pid
	killed=$(consumer_pid)
	(sleep "0.00$i$((RANDOM % 10))"; kill -KILL "$killed") &
	for ((j = 0; j < 5; j++)); do
		map rotate s
	done
	wait $!
	back() {
		[[ $(consumer_pid) != "$killed" ]] && map rotate s
	}
	ok "killed in rotations, it goes on ($i)" wait_for back
done
wait "$chunks_emitter"
map stop s
chunks_are_whole 'with a consumer killed in rotations: all events, once'
chunks_end
sessiond_stop

# ---- a daemon that is killed meanwhile
sessiond_start --supervise
chunks_begin --mode blocking "${small[@]}"
chunks_emit 1000000
for ((i = 0; i < 4; i++)); do
	(sleep "0.0$((RANDOM % 4))"; kill -KILL "$(pgrep -P "$sessiond_pid" | head -1)") &
	for ((j = 0; j < 5; j++)); do
		map rotate s
	done
	wait $!
	ok "killed in rotations, the daemon goes on ($i)" wait_for map rotate s
done
wait "$chunks_emitter"
map stop s
chunks_are_whole 'with a daemon killed in rotations: all events, once'
chunks_end
sessiond_stop
sessiond_start

# ---- by itself
chunks_begin --mode blocking "${small[@]}"
ok 'by size' map rotate s --size 64K
chunks_emit 300000
wait "$chunks_emitter"
like "$("$LTTNGMAP_BUILD/lttngmap" list s)" 'rotates at 64.0 KiB' '... which the list shows'
by_size() {
	[[ $(chunks_count chunks) -ge 1 ]]
}
ok '... it rotates' wait_for by_size
map rotate s --size 0
# What is left of these events is not for the period to find.
map rotate s
map rotate s --period 150ms
map stop s
before=$(chunks_count chunks)
map start s
# One event, for a period may end between two.
"$LTTNGMAP_BUILD/tests/utils/steady" 0 >/dev/null
by_time() {
	[[ $(chunks_count chunks) -gt $before ]]
}
ok 'by time, also after a stop and a start' wait_for by_time
sleep 0.4 # two periods of 150 ms
is "$(chunks_count chunks)" $((before + 1)) 'but not where nothing was recorded'
map save s -o "$TAP_DIR/saved.json"
like "$(<"$TAP_DIR/saved.json")" '"period_ms": ?150' 'which is saved'
map rotate s --period 0
map stop s
chunks_read
is "$chunks_said:$chunks_events" ":$((300000 + 1))" 'all events are in the chunks'
chunks_end
map load "$TAP_DIR/saved.json" || diag "$(<"$TAP_DIR/said")"
like "$("$LTTNGMAP_BUILD/lttngmap" list s)" 'rotates every 150 ms' 'and loaded'
chunks_end

# ---- a session that is stopped
chunks_begin --mode blocking "${small[@]}"
chunks_emit 1000
wait "$chunks_emitter"
map rotate s
chunks_emit_more 1000
wait "$chunks_emitter"
map stop s
ok 'a session that is stopped is rotated' map rotate s
is "$(chunks_count chunks) $(find "$chunks_out/ust" -name 'c_*' | wc -l)" '2 0' '  ... and all is in chunks'
refused 'once' 'recorded nothing since its last chunk' rotate s
map start s
chunks_emit_more 1000
wait "$chunks_emitter"
map stop s
chunks_are_whole 'started again, it has each event once'
chunks_end

# ---- what cannot be
chunks_begin "${small[@]}"
wait_for test -e "$chunks_out/ust/metadata"
refused 'no such session' "no session 'x'" rotate x
touch "$chunks_out/archives"
refused 'no place for chunks' "not rotated: cannot make $chunks_out/archives/.*is a file" rotate s
rm "$chunks_out/archives"
refused 'a period that is too short' 'every 1 ms' rotate s --period 1ms
if [[ $EUID != 0 ]]; then
	chmod 0555 "$chunks_out"
	refused 'no right to write there' 'Permission denied' rotate s
	chmod 0755 "$chunks_out"
else
	skip 3 'root may write anywhere'
fi
"$LTTNGMAP_BUILD/tests/utils/steady" 5 >/dev/null
stopped=$(consumer_pid)
kill -STOP "$stopped"
"$LTTNGMAP_BUILD/lttngmap" rotate s >"$TAP_DIR/first" 2>&1 &
waiting=$!
"$LTTNGMAP_BUILD/lttngmap" rotate s >"$TAP_DIR/second" 2>&1 &
waiting+=" $!"
ok 'two at once: one is refused' wait_for grep 'being rotated already' "$TAP_DIR/first" \
	"$TAP_DIR/second"
map clear s
like "$(<"$TAP_DIR/said")" 'being rotated' 'as is to clear it'
kill -CONT "$stopped"
# shellcheck disable=SC2086 # two words
wait $waiting
chunk=$(sed -nE 's/^rotated session s: //p' "$TAP_DIR/first" "$TAP_DIR/second")
is "$(events "$chunk")" 6 'the other is done, with what was there'
map stop s
chunks_end
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'

# ---- a disk that is full
if [[ $EUID == 0 ]] && unshare -m true 2>/dev/null; then
	mkdir "$TAP_DIR/full"
	cat >"$TAP_DIR/full.sh" <<-'END'
		. "$LTTNGMAP_SRC/tests/utils/tap.sh"
		. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
		. "$LTTNGMAP_SRC/tests/utils/chunks.sh"
		mount -t tmpfs -o size=2m none "$1" || exit
		chunks_out=$1/out
		sessiond_start
		chunks_begin --mode blocking --subbuf-size 64K --subbufs 2
		dd if=/dev/zero of="$1/filler" bs=64K count=24 2>/dev/null
		chunks_emit 40000
		full() { "$LTTNGMAP_BUILD/lttngmap" status s 2>&1 | grep -q 'No space'; }
		wait_for full
		map rotate s
		echo "status $?: $(<"$TAP_DIR/said")"
		rm "$1/filler"
		wait "$chunks_emitter"
		rotated() {
			[[ $(chunks_count chunks) == 1 ]] && map rotate s
		}
		wait_for rotated && echo completed
		map stop s
		chunks_are_whole 'nothing is lost'
		sessiond_stop
	END
	output=$(unshare -m --propagation private "$BASH" "$TAP_DIR/full.sh" "$TAP_DIR/full" 2>&1)
	like "$output" 'status 1: .*(as soon as it can be written|not rotated).*(No space|room)' \
		'a full disk: it is said'
	like "$output" 'completed' 'when there is room, rotation goes on'
	is "$(grep -c '^ok .*nothing is lost' <<<"$output")" 1 'and nothing is lost' || diag "$output"
else
	skip 3 'mounting a small tmpfs needs root'
fi
done_testing
