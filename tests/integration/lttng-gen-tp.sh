#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# lttngmap-gen-tp makes of a template what gives the events of a header that was written
# by hand; and a build that asks pkg-config for lttng-ust gets us, where that is wanted.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
need_plain

gen_tp=$LTTNGMAP_BUILD/cli/lttngmap-gen-tp
sources=$LTTNGMAP_SRC/tests/lttng
export CC=${LTTNGMAP_CC:-cc}
export CPPFLAGS="-I$LTTNGMAP_SRC/include -I$LTTNGMAP_SRC/include/lttng-compat -I$sources"
cd "$TAP_DIR" || exit 1

# template FROM TO: the macros of a header alone.
template() {
	echo '#include <stdio.h>'
	echo '#include "hello.h"'
	sed -n '/clang-format off/,/clang-format on/{/clang-format/!p}' "$1"
}
template "$sources/hello-tp.h" >hello-tp.tp

# build: the program with what was made here, and its events into events.
build_and_record() {
	local try

	rm -f hello.o hello events

	# shellcheck disable=SC2086 # flags are words
	$CC -I. $CPPFLAGS -c "$sources/hello.c" -o hello.o &&
		$CC -o hello hello.o "$@" "$LTTNGMAP_PLAIN/.libs/liblttngmap.so" \
			-Wl,-rpath,"$LTTNGMAP_PLAIN/.libs" || return
	for try in 1 2 3; do
		rm -rf trace
		"$LTTNGMAP_BUILD/lttngmap" record -q --preload none --context none --mode blocking -o trace -- ./hello >out 2>&1
		babeltrace2 --no-delta --fields=loglevel trace 2>>out |
			sed -n 's/^\[[^]]*\] \(.*\): { cpu_id[^}]*}, /\1: /p' >events
		[[ ! -s events ]] || break
		diag "no events, try $try: the program was not answered in time"
	done
}

is "$("$gen_tp" hello-tp.tp 2>&1)" '' 'a template becomes three files'
is "$(echo hello-tp.?)" 'hello-tp.c hello-tp.h hello-tp.o' '  ... of its name'
build_and_record hello-tp.o
is "$(<events)" "$(<"$sources/hello.expected")" '  ... whose events are those of the header by hand'

# The spelling from before 2.13: the same macros without their prefix.
mkdir old && sed -E 's/LTTNG_UST_TRACEPOINT_LOGLEVEL_([A-Z]+)/TRACE_\1/; s/LTTNG_UST_//g
	s/lttng_ust_field_(enum_(value|range))/ctf_\1/; s/lttng_ust_field_/ctf_/
	/EVENT_INSTANCE/{n;s/hello, order, hello,/hello, order,/}' hello-tp.tp >old/hello-tp.tp
ok 'no new name is left' bash -c '! grep -i lttng_ust old/hello-tp.tp'
rm hello-tp.[cho]
is "$("$gen_tp" -v -o hello-tp.h -o hello-tp.o old/hello-tp.tp 2>&1 | sed 's/ -I.*//')" \
	"hello-tp.h: made of old/hello-tp.tp, provider hello
${CC//\'/}" 'old names; two outputs of one'\''s choice'
is "$(echo hello-tp.?)" 'hello-tp.h hello-tp.o' '  ... and these only'
build_and_record hello-tp.o
is "$(<events)" "$(<"$sources/hello.expected")" '  ... give the same events'

# ---- what is wrong with a template ---------------------------------------------------

refused() {
	local name=$1 why=$2

	shift 2
	"$gen_tp" "$@" >out 2>&1
	is "$?" 1 "$name: status 1"
	like "$(<out)" "$why" '  ... and said'
}
refused 'no file' 'cannot read none.tp: No such file' none.tp
printf '// TRACEPOINT_EVENT(a, b,\n/* TRACEPOINT_EVENT(a, b, */ "TRACEPOINT_EVENT(a, b,"' >empty.tp
refused 'no event but in comments' 'empty.tp: there is no TRACEPOINT_EVENT' empty.tp
printf 'TRACEPOINT_EVENT(a, b, TP_ARGS())\nTRACEPOINT_EVENT(c, d, TP_ARGS())\n' >two.tp
refused 'two providers' 'several providers \(a, c\)' two.tp
refused 'no template' 'is to end in .tp' hello-tp.h
refused 'an unknown output' 'is to end in .h, .c or .o' -o x.y hello-tp.tp
refused 'an output twice' 'there is one .h already' -o x.h -o y.h hello-tp.tp
refused 'a directory that is not there' 'cannot write no/x.h: No such file' -o no/x.h hello-tp.tp
CC=/no/compiler refused 'no compiler' 'cannot run the compiler /no/compiler' hello-tp.tp
printf 'TRACEPOINT_EVENT(a, b, nonsense)\n' >bad.tp
refused 'what does not compile' 'bad.o was not made' bad.tp
"$gen_tp" >out 2>&1
is $? 2 'wrong usage: status 2'

# ---- pkg-config lttng-ust ------------------------------------------------------------

if command -v pkg-config >/dev/null; then
	export PKG_CONFIG_PATH=$LTTNGMAP_BUILD/liblttngmap
	like "$(pkg-config --cflags --libs 'lttng-ust >= 2.13' 2>&1)" \
		'-I/[^ ]*/lttngmap/lttng-compat/include .*-L/[^ ]*/lttngmap/lttng-compat/lib .*-llttng-ust' \
		'a build that asks for lttng-ust gets lttngmap'
	like "$(pkg-config --variable=includedir lttng-ust)" '/lttngmap/lttng-compat/include$' \
		'  ... and its headers where it is told that they are'
	like "$(pkg-config --variable=lttng_ust_dir lttngmap-lttng-compat)" \
		'/lttngmap/lttng-compat/pkgconfig$' 'if it is told where to look'
else
	skip 3 'no pkg-config here'
fi
done_testing
