#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The programs of doc/examples, recorded and read back by babeltrace2: what
# they emitted is what the trace holds, whatever the kind of field.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
examples=$LTTNGMAP_BUILD/doc/examples
cd "$TAP_DIR" || exit 1

# once NAME COMMAND...: record it; again where the machine is busy, for a program waits for the
# daemon 100 ms only.
once() {
	local status

	for _ in {1..9}; do
		rm -rf "$1"
		"$lttngmap" record -q --preload none -o "$1" -- "${@:2}" >said 2>&1
		status=$?
		grep -qE 'did not (wait for an answer|answer them in time)' said || break
	done
	cat said
	return $status
}

# record NAME COMMAND...: into directory NAME, and its events into NAME.txt.
record() {
	local name=$1

	shift
	ok "$name is recorded" once "$name" "$@" &&
		babeltrace2 --clock-seconds "$name" >"$name.txt" 2>"$name.err"
	is "$?" 0 "$name: babeltrace2 reads the trace"
	is "$(<"$name.err")" '' "$name: and has nothing to complain of"
}

# events NAME: how many, per event, in the order of their names.
events() {
	sed -n 's/^[^ ]* .*([^)]*) [^ ]* \([a-z_]*:[a-z_]*\): .*/\1/p' "$1.txt" | sort | uniq -c |
		awk '{ printf "%s%s %s", sep, $2, $1; sep = ", " }'
}

# shows NAME REGEX WHAT: some line of the trace matches.
shows() {
	if grep -Eq -- "$2" "$1.txt"; then
		pass "$1: $3"
	else
		fail "$1: $3"
		diag "no line matches $2"
		diag "$(head -20 "$1.txt")"
	fi
}

record hello "$examples/hello" 3
is "$(events hello)" 'hello:greet 3' 'hello: three events'
for i in 0 1 2; do
	shows hello "hello:greet:.*number = $i, whom = \"world\" \}" "event $i is as emitted"
done

record shop "$examples/shop"
is "$(events shop)" 'shop:closing 1, shop:connection 1, shop:order 3, shop:summary 1' \
	'shop: all its events'
shows shop 'shop:connection:.*port = 8080,' 'a port in network order is shown as the port'
shows shop 'mac = \[ \[0\] = 0x2, \[1\] = 0x0, \[2\] = 0x5E, \[3\] = 0x10, \[4\] = 0x0, \[5\] = 0xFF \]' \
	'an array in hexadecimal'
shows shop 'cookie = 0xFEEDFACECAFEBEEF, object = 0x' 'a 64-bit number, and a pointer'
shows shop 'shop:order:.*id = 1, customer = "Ada",.*items = \[ \[0\] = 4711 \], price = 9\.5,.*"open"' \
	'the first order'
shows shop 'customer = "Grace",.*\[0\] = 4711, \[1\] = 4712, \[2\] = 4713 \], price = 28\.25,.*"paid"' \
	'the second order'
shows shop 'customer = "",.*items = \[ \], price = 0,.*"sent" : container = 5' \
	'an empty string, an empty sequence, a label of a range'
shows shop 'report = "3 orders, sum 37\.750000"' 'text of a given length'

record plugin "$examples/plugin-host" "$examples/.libs/plugin.so"
is "$(events plugin)" 'host:load 3, host:unload 3, plugin:work 3' \
	'plugin: its events come and go with it'
for i in 0 1 2; do
	shows plugin "plugin:work:.*round = $i \}" "round $i of the plugin"
done
done_testing
