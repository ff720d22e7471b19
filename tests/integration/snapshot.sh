#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A flight recorder: programs write at full speed, nobody else does anything,
# until a snapshot is taken: the newest events of each ring, without a gap.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
lttngmap=$LTTNGMAP_BUILD/lttngmap
counts=$TAP_DIR/counts
out=$TAP_DIR/out
writers=()
cleanup eval 'kill -9 "${writers[@]}" 2>/dev/null'
: >"$counts"

good() { # NAME ARGUMENT...
	local name=$1

	shift
	output=$("$lttngmap" "$@" 2>&1 </dev/null)
	is "$?" 0 "$name" || diag "$output"
}
bad() { # NAME REGEX ARGUMENT...
	local name=$1 regex=$2

	shift 2
	output=$("$lttngmap" "$@" 2>&1 </dev/null)
	is "$?" 1 "$name: status"
	like "$output" "$regex" "$name: said"
}
# A thread that emits for ever on one CPU, so that its events are in one stream. Another one where the
# daemon had no time for it within 100 ms, in the place of that.
writer() { # CPU
	local number=${#writers[@]}

	for _ in {1..9}; do
		taskset -c "$1" "$LTTNGMAP_BUILD/tests/utils/emit" "$counts" 1 100000000000 &
		writers[number]=$!
		wait_for has_emitted $((number + 1))
		"$lttngmap" list --processes | grep -q "^${writers[number]} .*since" && return
		diag 'the writer was not traced; once more'
		kill -9 "${writers[number]}"
		wait "${writers[number]}" 2>/dev/null
		python3 - "$counts" "$number" <<'END'
import os, struct, sys
file, number = os.open(sys.argv[1], os.O_WRONLY), int(sys.argv[2])
os.pwrite(file, struct.pack("=I", number), 0)
os.pwrite(file, bytes(24), 64 + 24 * number)
END
	done
}
has_emitted() { [[ $(emitted "$1") -gt 1000 ]]; }
emitted() { # N: by the Nth writer, so far
	od -An -t u8 -j $((64 + 24 * ($1 - 1) + 8)) -N 8 "$counts" 2>/dev/null | tr -d ' '
}
# "SOURCE FIRST LAST EVENTS GAPS", a line a source; what babeltrace2 has to say goes to "said".
tell() { # TRACE
	babeltrace2 "$1" 2>"$TAP_DIR/said" |
		sed -nE 's/.*\{ source = ([0-9]+), number = ([0-9]+),.*/\1 \2/p' |
		awk '{ if (!($1 in last)) first[$1] = $2; else if ($2 != last[$1] + 1) gaps[$1]++
			last[$1] = $2; events[$1]++ }
			END { for (s in last) print s, first[s], last[s], events[s], gaps[s] + 0 }' | sort
}
snapshot() { # NAME ARGUMENT...: sets $taken
	good "$1" snapshot fr "${@:2}"
	taken=$(sed -nE 's/.*: (\/.*)$/\1/p' <<<"$output" | head -1)
	tell "$taken" >"$TAP_DIR/told"
	is "$(<"$TAP_DIR/said")" '' "$1: babeltrace2 has nothing to say"
	is "$(awk '{ gaps += $5 } END { print gaps + 0 }' "$TAP_DIR/told")" 0 "$1: no stream has a gap"
}
of() { # N: the Nth writer's line
	sed -n "s/^$(($1 - 1)) //p" "$TAP_DIR/told"
}
# Of writers at full speed: while whoever copies is kept from it, all is overwritten.
until_there() { # COMMAND...: of the last snapshot, or else of another one
	for _ in {1..20}; do
		! "$@" || return 0
		diag "once more: $(tr '\n' ',' <"$TAP_DIR/told")"
		"$lttngmap" snapshot fr >"$TAP_DIR/again" || return 1
		tell "$(sed -nE 's/.*: (\/.*)$/\1/p' "$TAP_DIR/again" | head -1)" >"$TAP_DIR/told"
	done
	"$@"
}
are_many() {
	read -r _ _ events _ <<<"$(of 1)"
	[[ $events -ge 3000 ]]
}
are_two() {
	[[ $(wc -l <"$TAP_DIR/told") == 2 ]]
}
ticks() { # of both daemons
	local pid all=0

	for pid in $(pgrep -g "$(ps -o pgid= -p $sessiond_pid | tr -d ' ')" 'lttngmap-(sess|cons)'); do
		all=$((all + $(awk '{ print $14 + $15 }' "/proc/$pid/stat")))
	done
	echo $all
}

set -m
sessiond_start
set +m
good 'an ordinary session' create plain -o "$TAP_DIR/plain"
good 'a flight recorder' create fr --snapshot -o "$out"
good 'its channel' channel c -s fr --subbuf-size 64K --subbufs 8
good 'a rule' enable 'numbered:*' -s fr
good 'start it' start fr
bad 'a snapshot of nothing' 'session fr has nothing yet' snapshot fr
bad 'of an ordinary session' 'session plain is not a flight recorder' snapshot plain
bad 'another mode than overwriting' 'flight recorder' channel d -s fr --mode discard

writer 0
# What they had to do when it began may come late.
for _ in {1..8}; do
	before=$(ticks)
	sleep 0.5 # it is measured for so long
	spent=$(($(ticks) - before))
	[[ $spent -gt 2 ]] || break
	diag "once more: $spent ticks"
done
ok "beside a writer at full speed the daemons do nothing: $spent ticks" test "$spent" -le 2
is "$(find "$out" -mindepth 1 2>/dev/null)" '' 'and nothing is written'

begin=$(emitted 1)
snapshot 'the first snapshot'
ok 'it has many' until_there are_many
read -r first last _ <<<"$(of 1)"
ok "the newest of its moment: up to $last" test "$last" -ge $((begin - 1))
begin=$(emitted 1)
snapshot 'the second one'
ok 'it has many, too' until_there are_many
read -r next _ <<<"$(of 1)"
ok 'newer ones' test "$next" -gt "$last"
if [[ $(nproc) -gt 1 ]]; then
	writer 1
	snapshot 'with two writers'
	ok 'both are in it' until_there are_two
else
	skip 5 'there is one CPU'
fi
like "$("$lttngmap" status fr)" '  [0-9,]{7,} events written to the buffers' 'the status says how many there were'
snapshot 'a small one' --max-size 300K
size=$(find "$taken/ust" -maxdepth 1 -name 'c_*' -printf '%s\n' | awk '{ all += $1 } END { print all }')
ok "$size bytes are not too much" test "$size" -le 307200
ok 'and something' test "$size" -gt 20000
bad 'one that is too small' 'there is nothing in it' snapshot fr --max-size 1K -o "$TAP_DIR/small"
ok 'leaves no folder' test ! -e "$TAP_DIR/small" || diag "$(find "$TAP_DIR/small")"
least=$(sed -nE 's/.*--max-size ([0-9]+K) has room.*/\1/p' <<<"$output")
ok "it says how much it takes: ${least:-nothing}" test "${least%K}" -gt 4
ok 'one of that size has events' \
	wait_for eval '"$lttngmap" snapshot fr --max-size "${least:-1}" | grep -qE "fr: [1-9]"'
good 'one elsewhere' snapshot fr -o "$TAP_DIR/elsewhere"
ok 'is there' test -s "$TAP_DIR/elsewhere/ust/metadata"
bad 'once more there' 'another trace lies there' snapshot fr -o "$TAP_DIR/elsewhere"
bad 'where nothing can be' 'snapshot is not complete: .*null' snapshot fr -o /dev/null/snapshot
like "$("$lttngmap" view "$TAP_DIR/elsewhere" 2>&1 | head -1)" 'numbered:event' 'it can be viewed'

# What a killed program left stays for the next ones.
kill -9 "${writers[0]}"
wait "${writers[0]}" 2>/dev/null
end=$(emitted 1)
snapshot 'after a death'
read -r first last events _ <<<"$(of 1)"
ok "all up to its last event, $last" test "$last" -ge $((end - 1))
snapshot 'and again'
is "$(of 1)" "$first $last $events 0" 'it is still there'

kill -9 "${writers[@]:1}" 2>/dev/null
wait "${writers[@]:1}" 2>/dev/null
good 'stop it' stop fr
snapshot 'when it is stopped'
cp "$TAP_DIR/told" "$TAP_DIR/before"
snapshot 'once more'
is "$(<"$TAP_DIR/told")" "$(<"$TAP_DIR/before")" 'has the same'
good 'clear it' clear fr
snapshot 'after that'
is "$(<"$TAP_DIR/told")" '' 'it has nothing'
like "$("$lttngmap" list fr)" 'snapshots' 'the list says what it is'
good 'destroy it' destroy fr
sessiond_stop
done_testing
