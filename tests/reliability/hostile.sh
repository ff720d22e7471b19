#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Row 3: a hostile program writes random values over all that it can write, while five
# others are traced: these lose nothing, the daemons neither grow nor keep its
# descriptors, and its rings are closed with a message that names it.
#
#   LTTNGMAP_SOAK_SECONDS   how long instead of 8 s
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

seconds=${LTTNGMAP_SOAK_SECONDS:-8}
# A life is slow there.
[[ -z ${LTTNGMAP_SANITIZED:-} || -n ${LTTNGMAP_SOAK_SECONDS:-} ]] || seconds=40
others=5
trace=$TAP_DIR/trace
emit=$LTTNGMAP_BUILD/tests/utils/emit
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR LTTNGMAP_ALLOW_BLOCKING=1
: >"$NUMBERED_COUNTS"

# Root's daemon is attacked by another user, who reaches what everybody does.
chmod 711 "$TAP_DIR"
# What it waits for in rings that it damaged may never come.
as_stranger=(env -u LTTNGMAP_ALLOW_BLOCKING)
another=
if [[ $EUID == 0 ]]; then
	stranger=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	# What such a user cannot even execute here says nothing.
	if "${stranger[@]}" test -x "$LTTNGMAP_BUILD/tests/utils/hostile"; then
		as_stranger+=("${stranger[@]}")
		another=' of another user'
	fi
fi

sessiond_start
ok 'a consumer runs' wait_for sessiond_consumer
ok 'a session is started' control '{"verb": "create", "session": "s", "output": "'"$trace"'"}' \
	'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 16384, "subbufs": 8,
	  "mode": "blocking"}' \
	'{"verb": "enable", "session": "s", "channel": "c", "rule": "*"}' \
	'{"verb": "start", "session": "s"}'
consumer=$(sessiond_consumer)
daemon=$(pgrep -P "$sessiond_pid" -f 'lttngmap-sessiond' | head -n 1)

children=()
for ((i = 0; i < others; i++)); do
	"$emit" "$NUMBERED_COUNTS" 1 100000000 "$TAP_DIR/stop" &
	children+=($!)
done
# A hostile life or a few first: what is allocated once is.
"${as_stranger[@]}" "$LTTNGMAP_BUILD/tests/utils/hostile" "$TAP_DIR/stop-hostile" "$SESSIOND_DIR" 20 \
	>/dev/null 2>&1

private() { # PID: KiB of memory of its own
	sed -n 's/^RssAnon:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"
}
resident() { # PID: KiB in all
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"
}
descriptors() {
	find "/proc/$1/fd" -mindepth 1 | wc -l
}
# But for two of each stream: the others may come to write one more.
of_daemons() {
	echo $(($(descriptors "$daemon") + $(descriptors "$consumer") - \
		2 * $(find "$trace/ust" -maxdepth 1 -name 'c_emit-*' | wc -l)))
}
# What a process that is gone had goes a second later.
settled() { # FDS: so many, or fewer
	(($(of_daemons) <= $1))
}
# More than that second.
sleep 2
memory=("$(private "$daemon")" "$(private "$consumer")")
all=("$(resident "$daemon")" "$(resident "$consumer")")
fds=$(of_daemons)

"${as_stranger[@]}" "$LTTNGMAP_BUILD/tests/utils/hostile" "$TAP_DIR/stop-hostile" "$SESSIOND_DIR" \
	>"$TAP_DIR/hostile" 2>&1 &
hostile=$!
most=("${memory[@]}")
end=$((SECONDS + seconds))
while ((SECONDS < end)); do
	sleep 0.5
	now=("$(private "$daemon")" "$(private "$consumer")")
	for i in 0 1; do ((now[i] <= most[i])) || most[i]=${now[i]}; done
done
touch "$TAP_DIR/stop-hostile"
wait "$hostile"
is $? 0 'the hostile program came to its end'
value() { sed -n "s/^$1 //p" "$TAP_DIR/hostile"; }
diag "$(tr '\n' ' ' <"$TAP_DIR/hostile")"
is "$(value hung)" 0 'none of its lives hung'
ok 'it wrote a lot' test "$(value writes)" -gt 10000 -a "$(value messages)" -gt 100 \
	-a "$(value rings)" -gt 100
ok 'it forged records, and floods of classes' test "$(value forged)" -gt 100 -a "$(value classes)" -gt 1000
is "$(value files)" 0 'but no file of the daemon'

ok 'its descriptors are given back' wait_for settled "$fds" ||
	diag "$fds before, then $(of_daemons): $(ls -l "/proc/$daemon/fd" "/proc/$consumer/fd")"
after=("$(private "$daemon")" "$(private "$consumer")")
names=(daemon consumer)
for i in 0 1; do
	change=$(((after[i] - memory[i]) * 1000 / all[i]))
	# A sanitizer's runtime remembers what was freed. Each thread that looked for programs may have left the C
	# library some pages.
	ok "memory of the ${names[i]}, ${all[i]} KiB, its own ${memory[i]} before, ${most[i]} at most, ${after[i]} after" \
		test -n "${LTTNGMAP_SANITIZED:-}" -o "$change" -le 50 -o $((after[i] - memory[i])) -le 1536
	changes[i]=$(printf '%+d.%d %%' $((change / 10)) $((change < 0 ? -change % 10 : change % 10)))
done
is "$(sessiond_consumer) $(pgrep -P "$sessiond_pid" -f 'lttngmap-sessiond' | head -n 1)" \
	"$consumer $daemon" 'both are those from before'

touch "$TAP_DIR/stop"
bad=0
for child in "${children[@]}"; do wait "$child" || bad=$((bad + 1)); done
is "$bad" 0 'the others end well'
ok 'the session stops' control '{"verb": "stop", "session": "s"}'
closed=$(grep -cE 'ring [0-9]+ of hostile \(process [0-9]+, channel c\) was closed' "$TAP_DIR/log")
ok "its rings were closed with a message: $closed" test "$closed" -gt 0
is "$(grep -E 'ring [0-9]+ of ' "$TAP_DIR/log" | grep -vc ' of hostile ')" 0 'nobody else'"'"'s'

# Its own trace it may spoil: that is in files of its own.
mkdir -p "$TAP_DIR/others/ust/index"
ln "$trace/ust/metadata" "$trace"/ust/c_emit-* "$TAP_DIR/others/ust"
ln "$trace"/ust/index/c_emit-* "$TAP_DIR/others/ust/index"
numbered_trace=$TAP_DIR/others
numbered_check
is "$numbered_sound:$numbered_missing:$numbered_discarded:$numbered_uncounted" 0:0:0:0 \
	'nothing of the others is wrong or missing' || diag "$(<"$TAP_DIR/found")"
is "$numbered_events" "$numbered_done" 'each of their events is there once'
ok "these are many: $numbered_events" test "$numbered_events" -gt $((seconds * 1000))
figure 03 "$seconds s, $(value lives) lives of a hostile program$another, $(value writes) words, $(value messages) messages: $closed rings closed with a message; daemon ${changes[0]}, consumer ${changes[1]} memory, $fds descriptors before, $(of_daemons) after; $numbered_events of $numbered_done events of $others others"
done_testing
