#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `lttngmap top`: what it shows is what a program of known pace did, as JSON and on a
# terminal (tmux), which may change its size, and while daemons die.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

export LC_ALL=C TERM=xterm
lttngmap=$LTTNGMAP_BUILD/lttngmap
# So slow that rings of half a megabyte hold what comes while nobody reads for some seconds.
rate=5000
unset LTTNGMAP_RUNTIME_DIR
export XDG_RUNTIME_DIR=$TAP_DIR/xdg
mkdir -m 0700 "$XDG_RUNTIME_DIR"

# ---- what it refuses ----------------------------------------------------------

refused() { # NAME STATUS REGEX ARGUMENT...
	local name=$1 expected=$2 regex=$3 output

	shift 3
	output=$("$lttngmap" top "$@" 2>&1 </dev/null)
	is "$?" "$expected" "$name: status $expected"
	like "$output" "$regex" "$name: said"
}
refused 'no terminal' 2 'this is no terminal.*--once'
refused 'an argument' 2 "'web' is one" --once web
refused 'an interval that is none' 2 "'soon' is no time" --once --interval soon
refused 'an interval that is too short' 2 "'1ms' is no time" --once -i 1ms
refused 'no daemon' 1 "no session daemon runs in $SESSIOND_DIR" --once --runtime-dir "$SESSIOND_DIR"
refused 'no daemon, as JSON' 1 '\{"ok":false,"error":"top: no session daemon runs' \
	--json --once --runtime-dir "$SESSIOND_DIR"

# ---- the figures ----------------------------------------------------------------

# A recording that was killed leaves its socket.
left=$XDG_RUNTIME_DIR/lttngmap-killed
mkdir "$left"
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$left/control.sock"
# Somebody's recording may run on this machine.
"$lttngmap" top --once >"$TAP_DIR/once" 2>&1 </dev/null
is "$?:$(grep -c "$left" "$TAP_DIR/once")" "$(! grep -q 'top: no session daemon runs' "$TAP_DIR/once"; echo $?):0" \
	'what a killed recording left is no daemon' || diag "$(<"$TAP_DIR/once")"
rm -r "$left"

sessiond_start
mkdir "$TAP_DIR/full" "$TAP_DIR/web"
control '{"verb": "create", "session": "web", "output": "'"$TAP_DIR"'/web"}' \
	'{"verb": "channel", "session": "web", "channel": "large", "subbuf_size": 65536, "subbufs": 8, "mode": "discard"}' \
	'{"verb": "enable", "session": "web", "channel": "large", "rule": "paced:*"}' \
	'{"verb": "start", "session": "web"}' >/dev/null || bail_out 'no session'

mkfifo "$TAP_DIR/leash"
LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$LTTNGMAP_BUILD/tests/utils/paced" "$rate" "$TAP_DIR/paced.log" \
	<"$TAP_DIR/leash" &
paced=$!
exec 9>"$TAP_DIR/leash"
end_paced() {
	exec 9>&-
	wait "$paced" 2>/dev/null
}
cleanup end_paced
wait_for grep -q . "$TAP_DIR/paced.log"
top=("$lttngmap" top --runtime-dir "$SESSIOND_DIR")

# check JSON LOG: what top says beside what the program did meanwhile.
cat >"$TAP_DIR/check.py" <<'END'
import json, sys

top = json.load(open(sys.argv[1]))
log = [tuple(map(int, line.split())) for line in open(sys.argv[2]) if line.count(" ") == 1
       and line.endswith("\n")]
daemon = top["daemons"][0]

def emitted(us):
    """Between two lines of the log, as if it were by a steady hand."""
    for (before, count), (after, more) in zip(log, log[1:]):
        if before <= us <= after:
            return count + (more - count) * (us - before) / (after - before)
    return log[-1][1] if us > log[-1][0] else 0

end = daemon["sampled_us"]
seconds = daemon["interval_seconds"]
truth = (emitted(end) - emitted(end - seconds * 1e6)) / seconds
session = daemon["sessions"][0]
rings = [entry for entry in daemon["rings"] if entry["program"] == "paced"]
total = lambda entry: entry["events_per_second"] + entry["lost_per_second"]
near = lambda value, right: "yes" if abs(value - right) <= 0.05 * right else f"{value}, not {right}"
print("rate:", near(total(session), truth))
print("ring:", near(sum(map(total, rings)), truth))
print("count:", near(session["events"] + session["lost"], emitted(end)))
print("lost:", session["lost"] > 0, session["lost_per_second"] > 0)
print("fill:", max(max(entry["fill"]) for entry in rings) >= 0.95)
print("pids:", daemon["sessiond"]["pid"], *(usage["pid"] for usage in daemon["consumers"]), rings[0]["pid"])
print("state:", session["active"], session["alive"], session["kernel"], session["snapshot"])
END
figures() {
	"${top[@]}" --once --json >"$TAP_DIR/json" || return
	# What was emitted until then is in the log a moment later.
	sleep 0.05
	python3 "$TAP_DIR/check.py" "$TAP_DIR/json" "$TAP_DIR/paced.log"
}
daemon_pid() {
	pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR" ||
		echo "$sessiond_pid"
}
# The log tells a steady hand from a program that waits for its CPU only from line to line; and
# where that moves to another one, the ring there has room yet.
steady_figures() { # TEXT: they have that, too
	for _ in {1..40}; do
		found=$(figures)
		[[ $found != *rate:\ yes*ring:\ yes*count:\ yes*"$1"* ]] || return
	done
}
steady_figures 'lost: False False'
like "$found" 'rate: yes' 'the rate of the session is within 5 % of the truth' || diag "$found"
like "$found" 'ring: yes' 'so is that of the process'
like "$found" 'count: yes' 'and what was counted in all'
like "$found" 'lost: False False' 'nothing is lost'
like "$found" "pids: $(daemon_pid) $(sessiond_consumer) $paced" 'who they are'
like "$found" 'state: True 1 False False' 'the session is active, with one process'
like "$("${top[@]}" --once)" "$paced .* paced +web/large .*[0-9]" 'the same as text'
printf -v command '%q ' "${top[@]}" --once
script -qec "stty cols 80; $command" /dev/null </dev/null | tr -d '\r' >"$TAP_DIR/narrow"
like "$(<"$TAP_DIR/narrow")" "$paced paced .* web/large" 'and on a terminal of 80 columns'
is "$(sed '/^SESSION/,$!d' "$TAP_DIR/narrow" | awk 'length > max { max = length } END { print max <= 80 }')" 1 \
	'  ... that is not wider'
lines=$(timeout 60 "${top[@]}" --json -i 100ms | head -3 | grep -c '^{"ok":true')
is "$lines" 3 'without --once, a line for each interval'

# Nobody reads any more: the rings fill up, and what does not fit is lost.
kill -STOP "$(sessiond_consumer)"
is_full() {
	figures | grep -q 'fill: True'
}
ok 'a stopped consumer: the rings are full' wait_for is_full
steady_figures 'lost: True True'
like "$found" 'lost: True True' 'what is lost is told'
like "$found" 'rate: yes' 'kept and lost together are what was emitted' || diag "$found"
kill -CONT "$(sessiond_consumer)"

# Each session has a consumer.
control '{"verb": "create", "session": "second", "output": "'"$TAP_DIR"'/second"}' >/dev/null
mapfile -t pids < <(sessiond_consumer)
is "${#pids[@]}" 2 'two sessions have two consumers'
"${top[@]}" --once --json | python3 -c 'import json, sys
print(*sorted(usage["pid"] for usage in json.load(sys.stdin)["daemons"][0]["consumers"]), sep="\n")' \
	>"$TAP_DIR/consumers"
is "$(<"$TAP_DIR/consumers")" "$(printf '%s\n' "${pids[@]}" | sort -n)" 'as JSON, both are there'
is "$("${top[@]}" --once | grep -cE "consumerd process (${pids[0]}|${pids[1]}),")" 2 'as text, too'
control '{"verb": "destroy", "session": "second"}' >/dev/null

# ---- on a terminal ----------------------------------------------------------------

tmux=(tmux -S "$TAP_DIR/tmux" -f /dev/null)
end_tmux() {
	"${tmux[@]}" kill-server 2>/dev/null
}
cleanup end_tmux
screen() {
	"${tmux[@]}" capture-pane -p -t top
}
shows() {
	screen | grep -qE "$1"
}
# Is the rate on the screen, without its commas, within 5 % of what was asked for?
shows_rate() {
	screen | tr -d , | awk -v rate="$rate" '$1 ~ /^[0-9]+$/ && $3 == "paced" {
		found = $4 > rate * 0.95 && $4 < rate * 1.05 } END { exit !found }'
}
# Its server ends with its only session, and may do so when the next one is to begin.
tmux -S "$TAP_DIR/odd-tmux" -f /dev/null new-session -d \
	"TERM=nosuch ${top[*]} 2>$TAP_DIR/odd; echo \$? >>$TAP_DIR/odd" || bail_out 'tmux does not start'
wait_for grep -qx '[0-9]' "$TAP_DIR/odd"
like "$(<"$TAP_DIR/odd")" "terminal 'nosuch' is not known.*1\$" 'a terminal that is not known'
"${tmux[@]}" new-session -d -s top -x 130 -y 24 \
	"${top[*]} -i 500ms; echo \$? >$TAP_DIR/status" || bail_out 'tmux does not start'
ok 'the screen shows the rate, within 5 %' wait_for shows_rate || diag "$(screen)"
ok 'the session' wait_for shows '^web +active +1 '
ok 'the daemons' wait_for shows "^$SESSIOND_DIR: 1 registered \| sessiond $(daemon_pid): up "
ok 'how full the rings are' wait_for shows '^fullest ring of each CPU: \[[.0-9#]+\] [0-9.]+ %'
ok 'and its keys, below' \
	wait_for eval 'screen | tail -1 | grep -q "^q quit  s sort by rate .*every 500 ms"'
"${tmux[@]}" send-keys -t top s s +
ok 'keys do what they say' wait_for shows '^q quit  s sort by lost .*every 1 s'
"${tmux[@]}" send-keys -t top -- - ' '
ok 'it pauses' wait_for shows 'space go on .*every 500 ms'
"${tmux[@]}" send-keys -t top ' '

"${tmux[@]}" resize-window -t top -x 80 -y 24
ok '80 columns: the totals have their headings' \
	wait_for shows '^SESSION +STATE +PROCS +EVENTS/S +LOST/S +EVENTS +LOST +BYTES$' || diag "$(screen)"
ok '  ... and are there' wait_for shows '^web +active .* [0-9,]+ +[0-9,]+ +[0-9.]+ (bytes|[KMG]iB)$' || diag "$(screen)"
ok '  ... each ring is there with how full it is' wait_for shows '^ +[0-9]+ paced +[^ ]+ .* web/[^ ]+ +[.0-9#]+$'
ok '  ... and what the daemons take' wait_for shows '^  consumerd [0-9]+: .*[KMG]iB$'
"${tmux[@]}" resize-window -t top -x 70 -y 9
ok 'a smaller terminal: the keys are in its last line' \
	wait_for eval 'screen | sed -n 9p | grep -q "^q quit"'
ok 'and no line is longer' eval '[[ $(screen | awk "{ if (length > 70) print }" | wc -l) == 0 ]]'
for size in '20 3' '1 1' '300 60'; do
	"${tmux[@]}" resize-window -t top -x "${size% *}" -y "${size#* }"
	sleep 0.1 # it draws in each, and nothing of it may be seen
done
ok 'sizes that leave no room, and a large one' wait_for shows_rate || diag "$(screen)"

# No sample is due for a long time: what is there is drawn anew, and the rates are not known yet.
"${tmux[@]}" new-session -d -s long -x 80 -y 24 "${top[*]} -i 60s"
long() { # REGEX, of the whole screen
	[[ $("${tmux[@]}" capture-pane -p -t long) =~ $1 ]]
}
wait_for long 'q quit'
ok 'rates of the first sample are not known' long $'\nweb +active +1 +- +- '
for size in '70 12' '60 10' '110 30'; do
	"${tmux[@]}" resize-window -t long -x "${size% *}" -y "${size#* }"
	# Keys in the last line alone, and the first line in its place.
	ok "resized to $size: all is there, once" wait_for eval \
		'long "^$SESSIOND_DIR: 1 " && [[ $("${tmux[@]}" capture-pane -p -t long | grep -n "q quit") == "${size#* }":* ]]' ||
		diag "$("${tmux[@]}" capture-pane -p -t long)"
done
"${tmux[@]}" kill-session -t long

# ---- daemons that die ---------------------------------------------------------------

before=$(daemon_pid)
kill -9 "$before"
is_new() {
	[[ $(daemon_pid) != "$before" ]] && shows "sessiond $(daemon_pid): up " && shows_rate
}
ok 'the daemon is killed: it is there again, and so are the rates' wait_for is_new ||
	diag "$(screen)"
kill -STOP "$(daemon_pid)"
ok 'one that hangs is told of' wait_for shows 'does not answer; trying again' || diag "$(screen)"
kill -CONT "$(daemon_pid)"
ok 'and shown again' wait_for shows_rate || diag "$(screen)"
sessiond_stop
ok 'none is left: told' wait_for shows 'no session daemon runs there; trying again' ||
	diag "$(screen)"
"${tmux[@]}" send-keys -t top q
ok 'q leaves' wait_for test -s "$TAP_DIR/status"
is "$(<"$TAP_DIR/status")" 0 'with status 0'
end_paced

# ---- recordings ---------------------------------------------------------------------

mkfifo "$TAP_DIR/leash2"
"$lttngmap" record -q --preload none -e 'paced:*' -o "$TAP_DIR/recording" -- "$LTTNGMAP_BUILD/tests/utils/paced" "$rate" \
	"$TAP_DIR/paced2.log" <"$TAP_DIR/leash2" 2>"$TAP_DIR/record.log" &
record=$!
exec 8>"$TAP_DIR/leash2"
wait_for grep -q . "$TAP_DIR/paced2.log" || diag "$(<"$TAP_DIR/record.log")"
found=$("$lttngmap" top --once --json -i 200ms)
like "$found" "\"runtime_dir\":\"$XDG_RUNTIME_DIR/lttngmap-[^\"]*\".*\"program\":\"paced\"" \
	'the daemon of a recording is found, and what it traces'
exec 8>&-
wait "$record"
is "$?" 0 'the recording went well'
done_testing
