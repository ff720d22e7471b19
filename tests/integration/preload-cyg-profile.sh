# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Functions of a program that was built with -finstrument-functions, recorded
# with cyg-profile and cyg-profile-fast: each call is an entry and an exit, and
# in each thread they give the stacks that there were.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
. "$LTTNGMAP_SRC/tests/utils/counted-calls.sh"
program=$LTTNGMAP_PLAIN/tests/utils/instrumented
own_count=$("$program")
like "$own_count" 'fibonacci 14160' 'the program counts what it calls'

# recorded FAMILY PROVIDER
recorded() {
	counted_record "$1" "$1" "$2" '__cyg_.*' "$program"
	is "$(sed 's/^func_entry /__cyg_profile_func_enter /; s/^func_/__cyg_profile_func_/' \
		<<<"$counted_events")" "$counted_calls" "$1: each call is an event"
	is "$(python3 "$LTTNGMAP_SRC/tests/utils/call_stacks.py" "$program" <"$TAP_DIR/text"; echo $?)" \
		"$own_count"$'\n0' "$1: the functions are those that were called, in whole stacks"
}
counted_contexts=vtid
recorded cyg-profile lttng_ust_cyg_profile
recorded cyg-profile-fast lttng_ust_cyg_profile_fast
grep -v ':func_exit:' "$TAP_DIR/text" |
	python3 "$LTTNGMAP_SRC/tests/utils/call_stacks.py" "$program" >"$TAP_DIR/out"
is $? 1 'stacks that are not whole are found'

# By the option and by the rule; not both at once, for they wrap the same.
"$LTTNGMAP_BUILD/lttngmap" record -q -o "$TAP_DIR/trace" --preload cyg-profile \
	-e 'lttng_ust_cyg_profile:*' -- "$program" 1 >"$TAP_DIR/out" 2>&1
is "$(babeltrace2 "$TAP_DIR/trace" | grep -c 'cyg_profile:func_exit')" 1069 \
	'--preload cyg-profile preloads it'
"$LTTNGMAP_BUILD/lttngmap" record -q -o "$TAP_DIR/trace-fast" \
	-e 'lttng_ust_cyg_profile_fast:func_entry' -- "$program" 1 >"$TAP_DIR/out" 2>&1
is "$(babeltrace2 "$TAP_DIR/trace-fast" | grep -c 'cyg_profile_fast:func_entry')" 1069 \
	'a rule that names the provider preloads it'
for arguments in '--preload cyg-profile,cyg-profile-fast' '--preload cyg-profile-fast,cyg-profile' \
	'-e lttng_ust_cyg_profile:* -e lttng_ust_cyg_profile_fast:*'; do
	# shellcheck disable=SC2086 # words
	"$LTTNGMAP_BUILD/lttngmap" record -o "$TAP_DIR/none" $arguments -- "$program" 1 \
		>"$TAP_DIR/out" 2>&1
	is "$? $(head -n 1 "$TAP_DIR/out")" \
		"125 lttngmap: record: --preload: cyg-profile and cyg-profile-fast cannot be used together" \
		"$arguments is refused"
done
ok 'nothing was recorded then' test ! -e "$TAP_DIR/none"
done_testing
