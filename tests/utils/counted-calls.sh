# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# counted-calls.sh - programs recorded with a preloaded family, whose calls an
# independent library counts. After tap.sh and need_plain.
#
#   counted_record NAME FAMILY PROVIDER FUNCTIONS COMMAND...
#
# records COMMAND; its events in $counted_events, its calls of FUNCTIONS, a
# regular expression, in $counted_calls, each a line "NAME COUNT", sorted; and the
# trace as text in $TAP_DIR/text. With the contexts of $counted_contexts, if that
# is set. Two tests: the program's output and status are as without, and
# babeltrace2 reads the trace.
#
#   some_events COMMAND...
#
# runs COMMAND, which records to $TAP_DIR/text and says what it has to say in
# $TAP_DIR/out, again where no event at all is in there, or not all programs were
# traced: on a machine so loaded that the daemon does not answer a program within
# 100 ms this one goes on without. Five times at most.

some_events() {
	local tries

	for tries in 1 2 3 4 5; do
		"$@"
		[[ ! -s $TAP_DIR/text ]] ||
			grep -qsE 'did not (wait for an answer|answer them in time)' "$TAP_DIR/out" || return 0
		diag "try $tries: a program was not answered in time"
	done
}

counted_try() {
	local family=$1 provider=$2 built=$LTTNGMAP_PLAIN/tests/utils/.libs

	shift 2
	rm -rf "$counted_dir" "$counted_trace"
	mkdir "$counted_dir"
	LTTNGMAP_COUNT_DIR=$counted_dir \
		"$LTTNGMAP_BUILD/lttngmap" record -q -o "$counted_trace" -e "$provider:*" --preload none \
		--mode blocking ${counted_contexts:+--context "$counted_contexts"} -- \
		env LD_PRELOAD="$built/libcount-calls.so $LTTNGMAP_PLAIN/.libs/liblttngmap-$family.so" \
		"$@" >"$TAP_DIR/out" 2>&1
	counted_status=$?
	babeltrace2 "$counted_trace" 2>"$TAP_DIR/complaints" >"$TAP_DIR/text"
	counted_read="$?$(cat "$TAP_DIR/complaints")"
}

# shellcheck disable=SC2034 # for who sources this
counted_record() {
	local name=$1 family=$2 provider=$3 functions=$4 expected
	local counted_dir=$TAP_DIR/calls counted_trace=$TAP_DIR/trace-$1 counted_status counted_read

	shift 4
	"$@" >"$TAP_DIR/out.plain" 2>&1
	expected=$?
	some_events counted_try "$family" "$provider" "$@"
	is "$counted_status $(cat "$TAP_DIR/out")" "$expected $(cat "$TAP_DIR/out.plain")" \
		"$name: record returns what the program does, and prints the same" ||
		diag "$(cat "$TAP_DIR/out")"
	is "$counted_read" 0 "$name: babeltrace2 reads the trace"
	counted_calls=$("$LTTNGMAP_PLAIN/tests/utils/count-sum" "$TAP_DIR/calls" 2>&1 |
		grep -E "^($functions) ")
	counted_events=$(sed -En "s/.* $provider:([a-z0-9_]+): .*/\1/p" "$TAP_DIR/text" |
		LC_ALL=C sort | uniq -c | awk '{ print $2, $1 }')
}
