# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# What Trace Compass needs to offer its views of a program (memory, call stack,
# flame graph, source of an address) is in a trace of one: tests/utils/trace_compass.py
# has the tables. And babeltrace2 tells function and line of each function entry in it.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
. "$LTTNGMAP_SRC/tests/utils/counted-calls.sh"
contexts=vpid,vtid,procname,ip

# recorded PROGRAM FAMILIES: as trace, and as text
recorded() {
	rm -rf "$TAP_DIR/trace"
	"$LTTNGMAP_BUILD/lttngmap" record -q -o "$TAP_DIR/trace" --preload "$2" -e '*:*' \
		--mode blocking --context $contexts -- "$1" 1 >"$TAP_DIR/out" 2>&1 &&
		babeltrace2 "$TAP_DIR/trace" --debug-info >"$TAP_DIR/text" 2>"$TAP_DIR/complaints"
}

# has NAME PROVIDER...: of the trace that was recorded last
has() {
	local name=$1

	shift
	is "$(python3 "$LTTNGMAP_SRC/tests/utils/trace_compass.py" "$TAP_DIR/trace/ust" "$@" 2>&1)" '' \
		"$name" || diag "$(cat "$TAP_DIR/out")"
}

program=$LTTNGMAP_PLAIN/tests/utils/instrumented
some_events recorded "$program" libc,pthread,cyg-profile,dl
has 'memory, locks, calls and libraries' lttng_ust_libc lttng_ust_pthread \
	lttng_ust_cyg_profile lttng_ust_dl lttng_ust_lib lttng_ust_statedump
is "$(grep -c ':func_entry:' "$TAP_DIR/text")" \
	"$(grep -cE ':func_entry: .* func = "(main|rounds|fibonacci|leaf)\+0", src = "instrumented.c:[0-9]+"' \
		"$TAP_DIR/text")" 'babeltrace2 knows where each function that was entered begins'

# What would be missed is: a name, an order, a base, an environment, a context, a packet.
spoiled() { # NAME SED-SCRIPT REGEX
	sed -i.good "$2" "$TAP_DIR/trace/ust/metadata" && mv "$TAP_DIR/trace/ust/metadata.good" "$TAP_DIR/good"
	like "$(python3 "$LTTNGMAP_SRC/tests/utils/trace_compass.py" "$TAP_DIR/trace/ust" \
		lttng_ust_libc lttng_ust_statedump)" "$3" "$1 is missed"
	mv "$TAP_DIR/good" "$TAP_DIR/trace/ust/metadata"
}
spoiled 'a name' 's/libc:calloc/libc:kalloc/' '^there is no lttng_ust_libc:calloc$'
spoiled 'an address' 's/base = 16; } _ptr/base = 10; } _ptr/' "lttng_ust_libc:malloc has .*'ptr'\], not"
spoiled 'a field' 's/_is_pic/_is_pie/' 'statedump:bin_info has .*is_pie'
spoiled 'a version' 's/tracer_minor = 13/tracer_minor = 8/' '^env: tracer_minor is 8$'
spoiled 'a context' 's/_vtid/_tid/' '^there is no context vtid'
for stream in "$TAP_DIR"/trace/ust/events_*; do
	printf '\1' | dd of="$stream" bs=1 seek=48 conv=notrunc status=none
done
like "$(python3 "$LTTNGMAP_SRC/tests/utils/trace_compass.py" "$TAP_DIR/trace/ust")" \
	'the index does not have the packet at 0' '  ... and a packet'

some_events recorded "$program" cyg-profile-fast
has 'calls, in less' lttng_ust_cyg_profile_fast
some_events recorded "$LTTNGMAP_PLAIN/tests/lttng/messages" none
has 'messages' lttng_ust_tracef lttng_ust_tracelog
done_testing
