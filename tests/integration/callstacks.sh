#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The context callstack: beside backtrace(3), in recursion, handlers, threads, children and a
# library that is loaded meanwhile; its depth; and what readers make of it.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
program=$LTTNGMAP_BUILD/tests/utils/callstacks
cd "$TAP_DIR" || exit 1
command -v jq >/dev/null || bail_out 'no jq: on Debian, install jq'
cat >call.c <<'END'
volatile int called;
void call(void (*function)(void)) { function(); called++; }
END
"${LTTNGMAP_CC:-cc}" -O2 -fomit-frame-pointer -fPIC -shared -o libcall.so call.c ||
	bail_out 'no C compiler'

# recorded TRACE CONTEXTS: of the program's places; what it says goes to TRACE.told
recorded() {
	"$lttngmap" record -q -o "$1" --preload dl -e 'callstacks:*' -e 'lttng_ust_*:*' --context "$2" \
		-- "$program" ./libcall.so >"$1.told" 2>"$1.errors" || diag "$(<"$1.errors")"
}
# stacks TRACE: "PLACE ADDRESS...", from the caller of here() on
stacks() {
	"$lttngmap" view --json --no-symbols "$1" -e 'callstacks:*' |
		jq -r '[.fields.place, .context.callstack_user[1:][]] | join(" ")' | sort -n
}
# cut_to DEPTH: as much of these lines as a stack has beside its first address
cut_to() { cut -d ' ' -f "1-$1" | sort -n; }

recorded deep vtid,ip,callstack:128
is "$(stacks deep | cut -d ' ' -f 1 | xargs)" '1 2 3 4 5 6 7 8' 'an event of each place'
is "$(stacks deep)" "$(cut_to 128 <deep.told)" 'each stack is what backtrace(3) finds'
recorded some callstack
is "$(stacks some)" "$(cut_to 32 <some.told)" '32 addresses unless told otherwise, the innermost'
recorded one callstack:1
is "$(stacks one | xargs)" '1 2 3 4 5 6 7 8' 'one address'

babeltrace2 some >text 2>errors
is "$?:$(<errors)" 0: 'babeltrace2 reads the trace'
like "$(grep 'place = 8 ' text)" 'callstack_user = \[ \[0\] = 0x[0-9A-F]+, \[1\] = 0x' 'and the stack'
is "$("$lttngmap" query deep "SELECT count(*) FROM events
	WHERE name = 'callstacks:here' AND json_array_length(context, '$.callstack_user') > 3" |
	tail -n 1 | tr -d ' ')" 8 'query reads it, and the fields behind it'
is "$("$lttngmap" query --csv deep 'SELECT place FROM "callstacks:here" ORDER BY place' | tail -n +2 | xargs)" \
	'1 2 3 4 5 6 7 8' 'which are those that were written'
"$lttngmap" view deep -e 'callstacks:*' >text
like "$(grep 'place=1 ' text)" 'callstack_user=\[0x[0-9a-f]* <here\+.*> 0x[0-9a-f]* <recurse\+.*<main\+' \
	'view names functions'
is "$("$lttngmap" view --json deep -e 'callstacks:*' |
	jq -r 'select(.fields.place == 7) | .symbols.callstack_user[2].function')" call 'also in JSON'
"$lttngmap" report deep -o page.html >/dev/null 2>errors
is $? 0 'report reads it'

for depth in 0 129 x '' 1x -1; do
	"$lttngmap" record -q -o none --context "callstack:$depth" -- true >/dev/null 2>errors
	like "$(<errors)" 'no depth that a stack can be recorded with' "no stack of '$depth' frames"
done
"$lttngmap" record -q -o none --context callstack -f '$ctx.callstack == 1' -- true >/dev/null 2>errors
like "$(<errors)" "there is no context 'callstack'" 'no filter by a whole stack'
done_testing
