#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Programs written for LTTng-UST, built as they are against include/lttng-compat,
# give the events that LTTng-UST makes of them: level, name and each field. What
# that is was recorded by tests/lttng/peer.sh, and is looked at again where LTTng
# is installed.
# shellcheck disable=SC2317 # ok() calls what looks unreachable
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
need_plain

: "${LTTNGMAP_CC:=cc}" "${LTTNGMAP_CXX:=c++}"
lttngmap=$LTTNGMAP_BUILD/lttngmap
programs=$LTTNGMAP_PLAIN/tests/lttng
sources=$LTTNGMAP_SRC/tests/lttng
cd "$TAP_DIR" || exit 1

# record NAME [OPTION...] -- COMMAND...: level, name and fields of its events, into NAME.txt.
# A program waits 100 ms for its registration, which a busy machine may exceed: once more then.
record() {
	local name=$1 status try

	shift
	for try in {1..5}; do
		status=0
		rm -rf "$name"
		"$lttngmap" record -q --preload none --context none -o "$name" "$@" >"$name.out" 2>"$name.err" ||
			status=$?
		[[ $name != never ]] &&
			grep -qE 'no process with tracepoints ran|did not (wait for an answer|answer them in time)' \
				"$name.err" || break
		diag "$name was not traced, try $try"
	done
	: >"$name.txt"
	[[ ! -e $name/ust ]] ||
		babeltrace2 --no-delta --fields=loglevel "$name" 2>>"$name.err" |
		sed -n 's/^\[[^]]*\] \(.*\): { cpu_id[^}]*}, /\1: /p' >"$name.txt"
	return "$status"
}

# same NAME FILE WHAT: the events of NAME.txt are those of FILE.
same() {
	if diff "$2" "$1.txt" >"$1.diff"; then
		pass "$3"
	else
		fail "$3"
		diag "$(head -20 "$1.diff")"
		diag "$(head -5 "$1.err")"
	fi
}

expected_robot=$sources/robot.expected
ok 'robot.expected has three times 35 events' [ "$(sort -u -k 3,3 "$expected_robot" | wc -l)" = 35 ]

# ---- linked with the provider ---------------------------------------------------

for name in hello fields messages; do
	ok "$name is recorded" record "$name" -- "$programs/$name"
	same "$name" "$sources/$name.expected" "$name: LTTng-UST's events, each field the same"
done

# ---- what LTTng-UST takes, though its manual does not say so -----------------------

# compile NAME COMPILER...: its program, with warnings in NAME.warnings.
compile() {
	local name=$1

	shift
	"$@" -D_GNU_SOURCE -Wall -Wextra -Werror -I"$sources" -I"$LTTNGMAP_SRC/include/lttng-compat" \
		-I"$LTTNGMAP_SRC/include" -o "./$name-program" -L"$LTTNGMAP_PLAIN/.libs" -llttngmap \
		-Wl,-rpath,"$LTTNGMAP_PLAIN/.libs" 2>"$name.warnings" ||
		{ cat "$name.warnings"; return 1; }
}

# taken NAME COMPILER...: its program is built, and gives LTTng-UST's events.
taken() {
	local name=$1

	ok "$name compiles, also where warnings are errors" compile "$@"
	ok "$name is recorded" record "$name" -- "./$name-program"
	same "$name" "$sources/$name.expected" "$name: LTTng-UST's events"
}
taken taken "$LTTNGMAP_CC" "$sources/taken.c"
is "$(grep -oE 'loglevel_without_event_[A-Za-z_]+___[a-z]+' taken.warnings | sort -u | paste -sd ' ')" \
	"$(printf 'loglevel_without_event_%s ' TAKEN_PROVIDER___macro other___late taken___nothing taken___number | sed 's/ $//')" \
	'  ... with a warning of each log level that no event has'
# What stands behind two strings, of which one is among the first 64 fields.
ok 'a filter knows fields after the 64th' \
	record far -e 'taken:far' --filter 'i0 == 6 && last == 6 && i0 == last' -- ./taken-program
grep taken:far "$sources/taken.expected" >far.expected
same far far.expected '  ... by their values'
record far -e 'taken:far' --filter 'i0 == 6 && last == 7' -- ./taken-program
is "$(<far.txt)" '' '  ... also if they are others'
taken nested "$LTTNGMAP_CXX" "$sources/nested.cc"
is "$(grep -c 'warning:.*never recorded' nested.warnings)" 3 \
	"  ... with a warning of each instance whose arguments are not its class's"

# LTTng-UST's headers alone, all that are installed, and what they include.
ok "a program has includes of no others than LTTng-UST's" compile brought "$LTTNGMAP_CC" "$sources/brought.c"
./brought-program >brought.out 2>&1
is "$?" 77 '  ... and plugins of clock and CPU, which are refused'
like "$(<brought.out)" 'lttngmap: a clock plugin is not used.*lttngmap: a getcpu plugin is not used' '  ... with a message'
if echo '#include <lttng/ust-events.h>' | "$LTTNGMAP_CC" -fsyntax-only -x c - 2>/dev/null; then
	ok '  ... as it compiles with LTTng-UST' \
		"$LTTNGMAP_CC" -D_GNU_SOURCE -Wall -Wextra -Werror -I"$sources" -fsyntax-only "$sources/brought.c"
else
	skip 1 'LTTng-UST is not installed'
fi

# ---- a provider that comes on its own --------------------------------------------

provider=$programs/.libs/robot-tp.so
record never -- "$programs/robot"
is "$(<never.out)" 'on: 0' 'robot runs without its provider, and no event is on'
ok 'robot is recorded with its provider preloaded' \
	record preloaded -- env LD_PRELOAD="$provider" "$programs/robot"
same preloaded "$expected_robot" "robot, preloaded: LTTng-UST's events"
ok 'robot is recorded, and loads its provider itself' \
	record loaded -- "$programs/robot" "+$provider"
same loaded "$expected_robot" 'robot, loaded: the same'
ok 'robot is recorded with its provider in it' record whole -- "$programs/robot-whole"
same whole "$expected_robot" 'robot, whole: the same'

sed -n 36,70p "$expected_robot" >second
ok 'robot is recorded, its provider there for one of three rounds' \
	record once -- "$programs/robot" '' "+$provider" -
same once second 'robot, loaded and unloaded: the events of the round between'
cat <(sed -n 1,35p "$expected_robot") <(sed -n 71,105p "$expected_robot") >others
ok 'robot is recorded, its provider gone and there again' \
	record twice -- "$programs/robot" "+$provider" - "+$provider"
same twice others 'robot, unloaded and loaded again: the events of the rounds with it'

# Several providers of one tracepoint are all called.
cp "$provider" other.so
ok 'robot is recorded with its provider there by two names' \
	record both -- env LD_PRELOAD="$PWD/other.so" "$programs/robot" "+$provider"
sed p "$expected_robot" >twofold
same both twofold 'robot: each event of both'

# build_multi: a program, and libraries with versions of its provider, of which the fourth is the first again.
build_multi() {
	local flags=(-D_GNU_SOURCE -Wall -Wextra -Werror -I"$sources"
		-I"$LTTNGMAP_SRC/include/lttng-compat" -I"$LTTNGMAP_SRC/include") number

	for number in 1 2 3; do
		"$LTTNGMAP_CC" "${flags[@]}" -DMULTI_PROVIDER="$number" -fPIC -shared "$sources/multi-tp.c" \
			-o "multi-$number.so" -L"$LTTNGMAP_PLAIN/.libs" -llttngmap || return
	done
	cp multi-1.so multi-4.so
	"$LTTNGMAP_CC" "${flags[@]}" "$sources/multi.c" -o multi-program -ldl \
		-Wl,-rpath,"$LTTNGMAP_PLAIN/.libs"
}
ok 'a program and four providers of its tracepoint are built' build_multi
read -ra order < <(paste -sd ' ' "$sources/multi.order")
ok '  ... they come and go, in all orders' record multi -- ./multi-program "${order[@]}"
same multi "$sources/multi.expected" "  ... LTTng-UST's events"
is "$(<multi.out)" 'on: 12' '  ... and with none that fits, the event is off'
# A linker that takes out what nothing refers to.
build_small() {
	local flags=(-O2 -ffunction-sections -fdata-sections -I"$sources"
		-I"$LTTNGMAP_SRC/include/lttng-compat" -I"$LTTNGMAP_SRC/include")

	"$LTTNGMAP_CC" "${flags[@]}" -c "$sources/robot-define.c" -o robot-define.o &&
		"$LTTNGMAP_CXX" "${flags[@]}" -o robot-small "$sources/robot.cc" robot-define.o \
			-fuse-ld=lld -Wl,--gc-sections,-z,start-stop-gc,-rpath,"$LTTNGMAP_PLAIN/.libs"
}
if command -v ld.lld >/dev/null; then
	ok 'robot is built, and what is not used taken out' build_small
	ok '  ... is recorded' record small -- env LD_PRELOAD="$provider" ./robot-small
	same small "$expected_robot" "  ... LTTng-UST's events"
else
	skip 3 'ld.lld is not installed'
fi

# ---- what the calls are, and where -------------------------------------------------

# The event is where the program calls, not in a stand-in or a provider: all places are in
# one function of it, wherever its pages were mapped.
for how in whole preloaded; do
	program=$programs/robot
	[[ $how != whole ]] || program=$programs/robot-whole
	record "ip-$how" --context ip -- \
		env LD_PRELOAD="$([[ $how == whole ]] || echo "$provider")" "$program"
	sed -n 's/^.*: { ip = 0x\([0-9A-F]*\) }.*/\1/p' "ip-$how.txt" | sort -u >ips
	is "$(wc -l <ips)" 35 "$how: 35 places"
	read -r _ start size < <(nm --demangle -S "$program" |
		grep -E ' \(anonymous namespace\)::emit\(int\)$| main$' | sort -k 2 -r |
		awk '{ print "_", $1, $2; exit }')
	((start = 16#$start, first = 16#$(head -1 ips), last = 16#$(tail -1 ips)))
	((base = (first - start) / 4096 * 4096))
	ok "$how: all of them in the function that calls" \
		[ $((first - base >= start && last - base <= start + 16#$size)) = 1 ]
done

# ---- our own names for messages -------------------------------------------------------

cat >own.c <<'END'
#include <errno.h>
#include <string.h>
#define TRACE_DEBUG no such thing
#include <lttngmap/tracef.h>
#undef TRACE_DEBUG
#include <lttng/tracelog.h>
#define TRACE_DEBUG no such thing
#define TRACE_WARNING 2
#define TRACE_INFO 3
static int evaluated;
int main(void)
{
	char text[6000];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = 0;
	errno = 77;
	lttngmap_tracef("%d and %s", ++evaluated, "more");
	lttngmap_tracelog(WARNING, "%c", 'w');
	tracelog(TRACE_INFO, "%%");
	lttngmap_tracef("%s", text);
	lttngmap_tracelog(DEBUG, "d");
	return errno == 77 ? evaluated : 77;
}
END
ok 'a program has messages' "$LTTNGMAP_CC" -D_GNU_SOURCE -Wall -Wextra -Werror \
	-I"$LTTNGMAP_SRC/include/lttng-compat" -I"$LTTNGMAP_SRC/include" own.c -o own-program \
	-L"$LTTNGMAP_PLAIN/.libs" -llttngmap -Wl,-rpath,"$LTTNGMAP_PLAIN/.libs"
record own -- ./own-program
is "$?" 1 'its arguments are evaluated once, and errno is kept'
cut=$(printf 'x%.0s' {1..3959})
cat >own.expected <<END
TRACE_DEBUG (14) lttng_ust_tracef:event: { _msg_length = 10, msg = "1 and more" }
TRACE_WARNING (4) lttng_ust_tracelog:TRACE_WARNING: { line = 19, file = "own.c", func = "main", _msg_length = 1, msg = "w" }
TRACE_INFO (6) lttng_ust_tracelog:TRACE_INFO: { line = 20, file = "own.c", func = "main", _msg_length = 1, msg = "%" }
TRACE_DEBUG (14) lttng_ust_tracef:event: { _msg_length = 3959, msg = "$cut" }
TRACE_DEBUG (14) lttng_ust_tracelog:TRACE_DEBUG: { line = 22, file = "own.c", func = "main", _msg_length = 1, msg = "d" }
END
same own own.expected 'messages are as printf makes them; what is too long is cut'
is "$(./own-program && echo 0 || echo $?)" 0 'while they are off, nothing is evaluated'

# ---- every compiler -----------------------------------------------------------------

strict=(-D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$sources"
	-I"$LTTNGMAP_SRC/include/lttng-compat" -I"$LTTNGMAP_SRC/include")
for try in 'gcc -std=c99 -O0' 'gcc -std=gnu17 -O2' 'clang -std=c99 -O2' 'clang -std=c11 -O0' \
	'g++ -x c++ -std=c++11 -O2' 'g++ -x c++ -std=c++20 -O0' 'clang++ -x c++ -std=c++11 -O0' \
	'clang++ -x c++ -std=c++20 -O2'; do
	read -ra compiler <<<"$try"
	if ! command -v "${compiler[0]}" >/dev/null; then
		skip 1 "${compiler[0]} is not installed"
		continue
	fi
	status=0
	for file in fields fields-tp messages robot-define; do
		"${compiler[@]}" "${strict[@]}" -fPIC -fvisibility=hidden -c "$sources/$file.c" \
			-o "$file.o" >>warnings 2>&1 || status=1
	done
	is "$status" 0 "no warning from $try"
done
[[ ! -s warnings ]] || diag "$(head -20 warnings)"

# ---- what is wrong --------------------------------------------------------------------

# refused NAME REGEX < EVENT: as a header of tracepoints it does not compile, and says why.
refused() {
	local output

	{
		echo '#define LTTNG_UST_TRACEPOINT_PROVIDER w'
		echo '#define LTTNG_UST_TRACEPOINT_INCLUDE "wrong.h"'
		echo '#if !defined(WRONG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)'
		echo '#define WRONG_H'
		echo '#include <lttng/tracepoint.h>'
		cat
		echo '#endif'
		echo '#include <lttng/tracepoint-event.h>'
	} >wrong.h
	printf '#define LTTNG_UST_TRACEPOINT_CREATE_PROBES\n#include "wrong.h"\n' >wrong.c
	if output=$("$LTTNGMAP_CC" "${strict[@]}" -I. -c wrong.c -o wrong.o 2>&1); then
		if [[ $2 == none ]]; then pass "$1"; else fail "$1 does not compile"; fi
	else
		like "$output" "$2" "$1 does not compile"
	fi
}

event='LTTNG_UST_TRACEPOINT_EVENT(w, e'
args='LTTNG_UST_TP_ARGS(int, a)'
refused 'what is right compiles' none <<END
$event, $args, LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, f, a)))
END
refused 'an 11th argument' 'no_more_than_10_arguments' <<END
$event, LTTNG_UST_TP_ARGS($(printf 'int, a%d, ' {1..10}) int, a11), LTTNG_UST_TP_FIELDS())
END
refused 'an argument without a name' 'an_argument_has_a_type_and_a_name' <<END
$event, LTTNG_UST_TP_ARGS(int, a, int), LTTNG_UST_TP_FIELDS())
END
refused 'an integer field of type double' 'field f is not of an integer type' <<END
$event, $args, LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(double, f, a)))
END
refused 'a float field of type int' 'field f is neither float nor double' <<END
$event, $args, LTTNG_UST_TP_FIELDS(lttng_ust_field_float(int, f, a)))
END
refused 'text of int' 'text field f is not of char' <<END
$event, $args, LTTNG_UST_TP_FIELDS(lttng_ust_field_array_text(int, f, &a, 1)))
END
refused 'an array of length 0' 'length of field f is not above 0' <<END
$event, $args, LTTNG_UST_TP_FIELDS(lttng_ust_field_array(int, f, &a, 0)))
END
refused 'an array larger than a record' 'do not fit in a record' <<END
$event, $args, LTTNG_UST_TP_FIELDS(lttng_ust_field_array(int, f, &a, 989)))
END
refused 'an array as large as a record compiles' none <<END
$event, LTTNG_UST_TP_ARGS(int *, a), LTTNG_UST_TP_FIELDS(lttng_ust_field_array(int, f, a, 988)))
END
refused 'a 121st field' 'no more than 120 fields' <<END
$event, $args, LTTNG_UST_TP_FIELDS($(printf 'lttng_ust_field_integer(int, f%d, a) ' {1..121})))
END
refused 'a 120th field compiles' none <<END
$event, $args, LTTNG_UST_TP_FIELDS($(printf 'lttng_ust_field_integer(int, f%d, a) ' {1..120})))
END
refused 'a name that is too long' 'name of this tracepoint is too long' <<END
LTTNG_UST_TRACEPOINT_EVENT(w, $(printf 'e%.0s' {1..254}), $args, LTTNG_UST_TP_FIELDS())
END
strict+=(-DLTTNG_UST_COMPAT_API_VERSION=1)
refused 'an old name, where only the new ones are asked for,' 'ctf_integer' <<END
$event, $args, LTTNG_UST_TP_FIELDS(ctf_integer(int, f, a)))
END

# ---- beside LTTng-UST -----------------------------------------------------------------

for name in hello fields messages robot multi taken nested; do
	mkdir "peer-$name"
	"$BASH" "$sources/peer.sh" "$sources" "$name" "peer-$name" >"peer-$name.txt" \
		2>"peer-$name.err"
	case $? in
	77) skip 1 "LTTng is not installed: $name.expected is what version 2.13.5 made of it" ;;
	0) same "peer-$name" "$sources/$name.expected" "$name under LTTng-UST: as expected" ;;
	*)
		fail "$name under LTTng-UST"
		diag "$(tail -5 "peer-$name.err" "peer-$name/log")"
		;;
	esac
done
done_testing
