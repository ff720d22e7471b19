#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Limits of a stream's files: none is larger, no more are kept, the newest are,
# and what was thrown away is counted.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
. "$LTTNGMAP_SRC/tests/utils/chunks.sh"

small=(--mode blocking --subbuf-size 4K --subbufs 4)
large=(--mode blocking --subbuf-size 128K --subbufs 2)
sessiond_start

consumer_pid() {
	sessiond_consumer
}
streams() { # files of streams, without the number of each
	find "$chunks_out" -name 'c_*' ! -name '*.idx' "$@" | sed -E 's/_[0-9]+$//' | sort
}
most() { # of lines that are the same
	uniq -c | awk '$1 > most { most = $1 } END { print most + 0 }'
}
emitted() {
	chunks_emit "$1"
	wait "$chunks_emitter"
	map stop s
}
newest() { # threads whose last event is there
	"$LTTNGMAP_BUILD/lttngmap" view "$chunks_out" 2>/dev/null | grep -cE 'number[:=] ?49999\b'
}

# ---- size
chunks_begin "${small[@]}" --file-size 40K
emitted 200000
ok 'files are cut' test "$(streams | most)" -gt 2
is "$(streams -size +40k)" '' 'none is larger than it may be'
is "$(find "$chunks_out" -name '*.idx' | wc -l)" "$(streams | wc -l)" 'each has its index'
chunks_are_whole 'all events are there, once'
chunks_end

chunks_begin "${large[@]}" --file-size 300K
emitted 200000
is "$(streams -size +300k)" '' 'nor with packets of whole pages'
chunks_are_whole 'all events are there, once'
chunks_end

# ---- count
for geometry in small large; do
	declare -n options=$geometry
	size=40K
	[[ $geometry == small ]] || size=300K
	chunks_begin "${options[@]}" --file-size $size --file-count 3
	emitted 200000
	is "$(streams | most)" 3 "$geometry: so many files are kept"
	is "$(find "$chunks_out" -name '*.idx' | wc -l)" "$(streams | wc -l)" "$geometry: and indices"
	ok "$geometry: some were thrown away" test "$(chunks_count overwritten)" -gt 0
	chunks_are_counted "$geometry: emitted = there + counted as overwritten"
	ok "$geometry: the newest are there" test "$(newest)" -gt 0
	chunks_end
done

# ---- with rotations, clears, and a consumer that dies
chunks_begin "${small[@]}" --file-size 20K --file-count 2
chunks_emit 400000
while chunks_emitting; do
	map rotate s
	sleep 0.02
done
map stop s
like "$("$LTTNGMAP_BUILD/lttngmap" status s)" 'kept, [0-9.]+ [KM]iB written in [0-9]+ streams.*[0-9] chunks? completed' \
	'rotated: so much was written, and not all of it is there'
is "$(streams | most)" 2 'rotated: so many in each chunk'
chunks_are_counted 'rotated: what is not there is counted'
chunks_end

chunks_begin "${small[@]}" --file-size 20K --file-count 2
chunks_emit 400000
for ((i = 0; i < 4; i++)); do
	wait_for consumer_pid
	sleep "0.1$((RANDOM % 10))"
	killed=$(consumer_pid)
	kill -KILL "$killed"
	back() {
		[[ -n $(consumer_pid) && $(consumer_pid) != "$killed" ]]
	}
	wait_for back
done
wait "$chunks_emitter"
map stop s
ok 'killed again and again: not more than so many' test "$(streams | most)" = 2
chunks_are_counted 'killed: what is not there is counted, once'
map clear s
is "$(streams)" '' 'cleared, nothing is left'
is "$(chunks_count overwritten)" 0 'nor counted'
map start s
emitted 100000
chunks_are_counted 'and it begins anew'
map channel c --change --file-count 1 -s s || diag "$(<"$TAP_DIR/said")"
like "$("$LTTNGMAP_BUILD/lttngmap" list s)" 'files of 20.0 KiB.*the newest 1 files' 'changed'
chunks_end

# ---- what cannot be
refused() {
	map channel x -s s "${@:3}"
	is "$?" 1 "$1: status 1"
	like "$(<"$TAP_DIR/said")" "$2" "$1: said"
}
map create s -o "$chunks_out"
refused 'files smaller than a sub-buffer' 'no room for a sub-buffer.*68.0 KiB|69632 bytes or more' \
	--subbuf-size 64K --file-size 64K
refused 'a count alone' 'without a limit of size' --file-count 3
is "$("$LTTNGMAP_BUILD/lttngmap" list s | grep -c channel)" 1 'no channel was made'
chunks_end
# `record` chooses sub-buffers that fit.
: >"$TAP_DIR/small-counts"
for small in '64K' '8K' '64K --subbufs 8' "64K --ring-dir $TAP_DIR/rings"; do
	# shellcheck disable=SC2086 # words
	ok "record --file-size $small" "$LTTNGMAP_BUILD/lttngmap" record -q -o "$TAP_DIR/small" --preload none \
		-e 'numbered:*' --mode blocking --file-size $small -- "$LTTNGMAP_BUILD/tests/utils/emit" "$TAP_DIR/small-counts" 1 20000
	is "$(babeltrace2 "$TAP_DIR/small" | wc -l) $(find "$TAP_DIR/small" -size "+${small%% *}" -name '*_*')" '20000 ' \
		'  ... all is there, in files of that size'
	rm -r "$TAP_DIR/small"
done
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
