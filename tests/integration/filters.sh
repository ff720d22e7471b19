#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Filters, from `enable` to the trace: several sessions filter the same events,
# and each has just those that its rules are for, of what one without a filter
# has.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

export LTTNGMAP_RUNTIME_DIR=$TAP_DIR/run
lttngmap=$LTTNGMAP_BUILD/lttngmap
program=$LTTNGMAP_BUILD/tests/utils/filtered
cd "$TAP_DIR" || exit 1
daemon=

end_daemon() {
	local i

	[[ -n $daemon ]] || return 0
	# A daemon that ends leaves its sessions to the next one.
	"$lttngmap" destroy --all >/dev/null 2>&1
	kill "$daemon" 2>/dev/null
	for ((i = 0; i < 250; i++)); do
		[[ -e $LTTNGMAP_RUNTIME_DIR ]] || return 0
		sleep 0.02
	done
	diag "the daemon $daemon does not end"
}
cleanup end_daemon

good() { # NAME ARGUMENT...
	local name=$1

	shift
	output=$("$lttngmap" "$@" 2>&1 </dev/null)
	is "$?" 0 "$name" || diag "$output"
}
# A session with one channel, and a rule of it: SESSION RULE OPTION...
session() {
	good "session $1" create "$1" -o "trace-$1"
	daemon=${daemon:-$(sed -nE 's/.*started lttngmap-sessiond, process ([0-9]+)$/\1/p' \
		<<<"$output")}
	good 'its channel' channel c -s "$1" --subbuf-size 64K --subbufs 4 --mode blocking
	[[ $# == 1 ]] || good "its rule: ${*:2}" enable -s "$1" "${@:2}"
}

names=(all number text either none both context missing late)
session all 'filtered:*'
session number 'filtered:*' --filter 'number % 10 == 3 && wide > 500'
session text 'filtered:*' --filter 'text == "n*7" || list[1] == 12'
session either 'filtered:*' --filter 'number < 5'
good 'another rule beside it' enable 'filtered:n*' -s either --filter 'wide == 1994'
session none 'filtered:*' --filter 'number < 0'
session both 'filtered:*' --filter 'number < 5'
good 'and one without a filter for the same' enable 'filtered:numbers' -s both
# shellcheck disable=SC2016 # contexts are not variables
session context 'filtered:*' --filter \
	'$ctx.procname == "filtered" && $ctx.vpid > 0 && $ctx.cpu_id >= 0 && number >= 990'
session missing 'filtered:*' --filter 'shoe_size == 43'
session late
for name in "${names[@]}"; do
	good "start $name" start "$name"
done

# It emits, waits for a line, and emits again.
coproc PROGRAM { LTTNGMAP_ALLOW_BLOCKING=1 exec "$program" 1000; }
read -r line <&"${PROGRAM[0]}"
is "$line" emitted 'the program emits a thousand times'

good 'a filter while it runs' enable 'filtered:*' -s late --filter 'number >= 1200'
good 'one that takes the place of another' remove --id=1 -s either
good 'none any more' disable --id=1 -s number
output=$("$lttngmap" enable 'filtered:*' -s none --filter 'list[0] == 5 && number == 1' 2>&1)
is "$?" 0 'a filter with a field that one of two classes lacks'
like "$output" "no event filtered:plain is recorded by this rule: .*list" 'of which one is warned'
is "$(grep -c warning <<<"$output")" 1 'once'
output=$("$lttngmap" enable 'filtered:*' -s none --filter 'number < 0 && list[0] & 1 == 1' 2>&1)
like "$output" "warning: as in C, and unlike in LTTng" 'what may be meant otherwise is told, too'
before=$("$lttngmap" list --json)
output=$("$lttngmap" enable 'filtered:*' -s number --filter 'number == 1 && text > 5' 2>&1)
is "$?" 1 'a comparison of text with a number is refused'
like "$output" $'\n[a-z: ]*number == 1 && text > 5\n[a-z:]* +\\^' 'with its place'
output=$("$lttngmap" enable 'filtered:*' -s number --filter 'number ==' 2>&1)
is "$?" 1 'and what is no expression'
is "$("$lttngmap" list --json)" "$before" 'and nothing changes'
# Rules that are too long together: their number is by how long each one's code is.
long='number < 0'
for ((i = 1; i < 200; i++)); do
	long+=" || text == \"x$i\""
done
for ((i = 0; i < 20; i++)); do
	before=$("$lttngmap" list --json)
	output=$("$lttngmap" enable 'filtered:*' -s none --filter "$long || number == -$i" 2>&1) ||
		break
done
ok 'some long filters are taken' test "$i" -gt 1
like "$output" "the filters of all rules for filtered:[a-z]+ are too long together" \
	'then one is refused, as there is no room for it'
is "$("$lttngmap" list --json)" "$before" 'and is not there'

echo >&"${PROGRAM[1]}"
read -r line <&"${PROGRAM[0]}"
is "$line" emitted 'the program emits a thousand times more'
pid=$PROGRAM_PID
eval "exec ${PROGRAM[1]}>&-"
wait "$pid"
is "$?" 0 'and ends well'
for name in "${names[@]}"; do
	good "stop $name" stop "$name"
done

# What is to be there is worked out from the trace without a filter.
recorded() { # SESSION
	babeltrace2 "trace-$1" 2>"$TAP_DIR/warnings" | sed -nE 's/.* filtered:(numbers|plain): '\
'.*\{ number = ([0-9-]+), wide = ([0-9-]+), text = "([^"]*)".*/\1 \2 \3 \4/p'
	cat "$TAP_DIR/warnings"
}
expect() { # SESSION CONDITION: of class, number, wide, text
	is "$(recorded "$1")" "$(awk "$2" all)" "$1: just what its filters are for"
}
recorded all >all
is "$(wc -l <all)" 4000 'without a filter all events are there'
expect number '$2 < 1000 && $2 % 10 == 3 && $3 > 500'
# The other class has no list, so that the rule is not for it.
expect text '$1 == "numbers" && ($4 ~ /^n.*7$/ || $2 % 13 == 12)'
expect either '$2 < 5 || ($1 == "numbers" && $3 == 1994)'
expect none '0'
expect both '$1 == "numbers" || $2 < 5'
expect context '$2 >= 990'
expect missing '0'
expect late '$2 >= 1200'

# It has ended: its classes are no reason for a warning any more.
for ((i = 0; i < 1000; i++)); do
	[[ $("$lttngmap" list --processes --json) == *'"processes":[]'* ]] && break
	sleep 0.01
done
output=$("$lttngmap" enable 'filtered:*' -s none --filter 'of_a_later_build == 1' 2>&1)
is "$?:$(grep -c warning <<<"$output")" 0:0 'no filter is judged by a program that ended'
good 'save' save number -o saved
like "$(<saved)" 'number % 10 == 3 && wide > 500' 'filters are saved'
for name in "${names[@]}"; do
	good "destroy $name" destroy "$name"
done
good 'and loaded' load saved -o elsewhere
like "$("$lttngmap" list number)" 'number % 10 == 3 && wide > 500' 'as they were'

# ---- record
# A program waits for the daemon, however loaded the machine is.
export XDG_RUNTIME_DIR=$TAP_DIR/private LTTNGMAP_ALLOW_BLOCKING=1
mkdir -m 700 "$XDG_RUNTIME_DIR"
# shellcheck disable=SC2016
output=$("$lttngmap" record --preload none -o of-rules -e 'filtered:n*' --filter 'list[0] == 6' \
	-e 'filtered:plain' -f '$ctx.procname == "filtered" && number == 40' -e 'filtered:p*' \
	-f 'number > 97' -- "$program" 100 2>&1 </dev/null)
is "$?" 0 'record with filters' || diag "$output"
is "$(babeltrace2 of-rules | sed -nE 's/.* filtered:(.).*number = ([0-9]+).*/\1\2/p' | tr '\n' ' ')" \
	"$(for ((i = 6; i < 100; i += 7)); do printf 'n%d ' $i; done | sed 's/n41/p40 &/')p98 p99 " \
	'each is of the rule before it'
output=$("$lttngmap" record --preload none -o of-all -f 'list[1] == 12' -- "$program" 100 2>&1 \
	</dev/null)
is "$(babeltrace2 of-all | wc -l)" 7 'one without a rule is of all events'
like "$output" "does not record event filtered:plain: .*no field 'list'" 'who lacks a field is told'
output=$("$lttngmap" record -o of-none -f 'number + )' -- "$program" 1 2>&1)
is "$?" 125 'what is no filter is refused'
like "$output" $'\n[a-z: ]*number \\+ \\)\n[a-z:]* +\\^' 'with its place'
ok 'and leaves no directory' test ! -e of-none
done_testing
