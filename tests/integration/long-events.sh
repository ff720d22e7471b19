#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Events that are longer than the least sub-buffer are recorded whole, as long as they fit in a
# sub-buffer of their channel. Longer ones are cut, and counted.

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
emit=$LTTNGMAP_BUILD/tests/utils/long-events
export LC_ALL=C.UTF-8 PAGER=cat
cd "$TAP_DIR" || exit 1

# What the trace has: a line "LENGTH TEXT-LENGTH" for each event that is whole, "LENGTH cut TEXT-LENGTH"
# for one that is not. (babeltrace2 2.0.4 shows an earlier event's string where one is empty.)
events() { # TRACE
	"$lttngmap" view "$1" 2>/dev/null | perl -ne '
		/number=(\d+) text="(\w*)" items=\[(.*?)\] last="(\w*)"/ or next;
		my ($length, $text, $items, $last) = ($1, $2, $3, $4);
		my $pattern = join("", "a".."z") x ($length / 26 + 1);
		my $is_whole = $text eq substr($pattern, 0, $length) && $last eq "end" &&
			$items eq "4711 4712 4713";
		my $is_begin = $text eq substr($pattern, 0, length $text) && $last eq "";
		print $length, " ", $is_whole ? "" : $is_begin ? "cut " : "wrong ", length $text, "\n"'
}
record() { # OUTPUT OPTION... -- ARGUMENT...
	local output=$1
	shift
	XDG_RUNTIME_DIR=$TAP_DIR/run "$lttngmap" record -o "$output" --preload none -e 'long_events:*' "$@" >"$output.said" 2>&1 ||
		diag "$(<"$output.said")"
}
mkdir -m 700 run
lengths=(10 3900 3950 4000 20000 130000)
whole=$(printf '%s\n' "${lengths[@]}" | sed 's/.*/& &/')

# ---- whole
unset LTTNGMAP_RUNTIME_DIR
record whole --subbuf-size 128K --mode blocking -- "$emit" 1 1 "${lengths[@]}"
is "$(events whole)" "$whole" 'events of up to a sub-buffer are whole'
is "$(grep -c 'cut\|lost: ' whole.said)" 0 '  ... and nothing is told of them'
record contexts --subbuf-size 128K --mode blocking --context vtid,procname,ip -- "$emit" 1 1 "${lengths[@]}"
is "$(events contexts)" "$whole" 'with contexts'
is "$(babeltrace2 contexts | grep -c 'procname = "long-events", vtid = [0-9]*\|vtid = [0-9]*, .*procname = "long-events"')" \
	"${#lengths[@]}" '  ... which each of them has'
GLIBC_TUNABLES=glibc.pthread.rseq=0 record unrestarted --subbuf-size 128K --mode blocking -- "$emit" 1 1 "${lengths[@]}"
is "$(events unrestarted)" "$whole" 'without restartable sequences'
record filtered --subbuf-size 128K --mode blocking --filter 'last == "end" && number > 4000' -- "$emit" 1 1 "${lengths[@]}"
is "$(events filtered)" "$(tail -n 2 <<<"$whole")" 'a filter has the fields behind a long one'
record many --subbuf-size 256K --mode blocking -- "$emit" 8 10 30000 5000
is "$(events many | sort | uniq -c | sed 's/^ *//')" "$(printf '80 %s %s\n' 30000 30000 5000 5000)" \
	'from many threads at once'

# ---- cut
record cut --subbuf-size 4K --mode blocking -- "$emit" 1 3 10 3900 20000
is "$(events cut | sort | uniq -c | sed 's/^ *//' | sed -E 's/(cut) [0-9]+/\1/')" \
	"$(printf '%s\n' '3 10 10' '3 20000 cut' '3 3900 3900')" 'longer ones are cut'
is "$(grep -o '3 events were cut: longer than a sub-buffer' cut.said)" '3 events were cut: longer than a sub-buffer' '  ... as record tells'
told=' lost: none; 3 recorded, and cut: longer than a sub-buffer'
is "$("$lttngmap" view cut 2>&1 >/dev/null | grep -o ' lost: .*')" "$told" '  ... and view'
is "$("$lttngmap" recover cut 2>&1 | grep -o ' lost: .*')" "$told" '  ... and recover'

# ---- a session
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
sessiond_sessions=()
sessiond_start
"$lttngmap" create cutting -o "$TAP_DIR/session" >/dev/null
"$lttngmap" channel small --subbuf-size 8K --mode blocking >/dev/null
"$lttngmap" enable --channel small 'long_events:*' >/dev/null
"$lttngmap" start >/dev/null
"$emit" 1 1 5000 20000
is "$("$lttngmap" status | grep -o '1 event recorded, and cut: longer than a sub-buffer')" \
	'1 event recorded, and cut: longer than a sub-buffer' 'status tells it'
is "$("$lttngmap" status --json | grep -o '"cut": *[0-9]*' | tr -d ' ')" '"cut":1' '  ... and its JSON'
pkill -KILL -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR"
wait_for sh -c "'$lttngmap' status >/dev/null 2>&1 && '$lttngmap' status | grep -q '1 event recorded, and cut'"
"$emit" 1 1 20000
wait_for sh -c "'$lttngmap' status | grep -q '2 events recorded, and cut'"
is "$("$lttngmap" stop | grep -o '2 events recorded, and cut: longer than a sub-buffer')" \
	'2 events recorded, and cut: longer than a sub-buffer' 'stop tells it, after a restart of the daemon'
is "$(grep cut session/.losses)" 'cut 2' '  ... and the file of losses'
is "$(events session | sed -E 's/(cut) [0-9]+/\1/')" "$(printf '%s\n' '5000 5000' '20000 cut' '20000 cut')" \
	'  ... what fits in the sub-buffer is whole'
sessiond_sessions=(--forget)
sessiond_stop
done_testing
