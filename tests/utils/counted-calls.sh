# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# counted-calls.sh - programs recorded with a preloaded family, whose calls an
# independent library counts. After tap.sh and need_plain.
#
#   counted_record NAME FAMILY PROVIDER FUNCTIONS COMMAND...
#
# records COMMAND; its events in $counted_events, its calls of FUNCTIONS, a regular
# expression, in $counted_calls, each a line "NAME COUNT", sorted; and the trace as text in $TAP_DIR/text.
# With the contexts of $counted_contexts, if that is set. Two tests: the program's output and status are as without, and babeltrace2
# reads the trace.

# shellcheck disable=SC2034 # for who sources this
counted_record() {
	local name=$1 family=$2 provider=$3 calls=$TAP_DIR/calls trace=$TAP_DIR/trace-$1
	local functions=$4 status expected built=$LTTNGMAP_PLAIN/tests/utils/.libs

	shift 4
	rm -rf "$calls"
	mkdir "$calls"
	"$@" >"$TAP_DIR/out.plain" 2>&1
	expected=$?
	LTTNGMAP_COUNT_DIR=$calls \
		"$LTTNGMAP_BUILD/lttngmap" record -q -o "$trace" -e "$provider:*" --preload none \
		--mode blocking \
		${counted_contexts:+--context "$counted_contexts"} -- \
		env LD_PRELOAD="$built/libcount-calls.so $LTTNGMAP_PLAIN/.libs/liblttngmap-$family.so" \
		"$@" >"$TAP_DIR/out" 2>&1
	status=$?
	is "$status $(cat "$TAP_DIR/out")" "$expected $(cat "$TAP_DIR/out.plain")" \
		"$name: record returns what the program does, and prints the same" ||
		diag "$(cat "$TAP_DIR/out")"
	counted_calls=$("$LTTNGMAP_PLAIN/tests/utils/count-sum" "$calls" 2>&1 | grep -E "^($functions) ")
	babeltrace2 "$trace" 2>"$TAP_DIR/complaints" >"$TAP_DIR/text"
	is "$?$(cat "$TAP_DIR/complaints")" 0 "$name: babeltrace2 reads the trace"
	counted_events=$(sed -En "s/.* $provider:([a-z0-9_]+): .*/\1/p" "$TAP_DIR/text" |
		LC_ALL=C sort | uniq -c | awk '{ print $2, $1 }')
}
