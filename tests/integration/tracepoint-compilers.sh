#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# lttngmap/tracepoint.h in the hands of its users: every compiler, standard
# and option that one may build a program with gives the same events and no
# warning; a disabled tracepoint costs what is promised; what is wrong does
# not compile, and says why.
# shellcheck disable=SC2317 # ok() calls what looks unreachable
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/short.sh"

: "${LTTNGMAP_CC:=cc}" "${LTTNGMAP_CXX:=c++}"
unit=$LTTNGMAP_SRC/tests/unit
strict=(-D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wshadow -Werror
	-I"$LTTNGMAP_SRC" -I"$LTTNGMAP_SRC/include")
cd "$TAP_DIR" || exit 1

# pass_quietly PROGRAM...: run a unit test; only what fails is worth a line.
pass_quietly() {
	local output status

	output=$("$@" 2>&1)
	status=$?
	grep -v '^ok' <<<"$output"
	return "$status"
}

# all_tests CC CXX FLAGS...: build all unit tests of tracepoints, and run them.
all_tests() {
	local cc=$1 cxx=$2 file

	shift 2
	for file in backend changing dlopen fields module module-c; do
		"$cc" -std=c99 "$@" "${strict[@]}" -fPIE -c "$unit/tracepoint-$file.c" \
			-o "$file.o" || return
	done
	"$cc" -std=c99 "$@" "${strict[@]}" -fPIC -c "$unit/tracepoint-plugin.c" -o plugin.o &&
		"$cxx" -std=c++11 "$@" "${strict[@]}" -fPIC -c "$unit/tracepoint-plugin-cxx.cc" \
			-o plugin-cxx.o || return
	for file in fields-cxx module-cxx; do
		"$cxx" -std=c++11 "$@" "${strict[@]}" -fPIE -c "$unit/tracepoint-$file.cc" \
			-o "$file.o" || return
	done
	"$cc" "$@" -pie changing.o backend.o -o changing -lpthread &&
		"$cc" "$@" -pie fields.o backend.o -o fields &&
		"$cxx" "$@" -pie fields-cxx.o backend.o -o fields-cxx &&
		"$cxx" "$@" -pie module.o module-c.o module-cxx.o backend.o -o module &&
		"$cxx" "$@" -shared plugin.o plugin-cxx.o -o plugin.so &&
		"$cc" "$@" -pie -rdynamic dlopen.o backend.o -o dlopen -ldl || return
	pass_quietly ./fields && pass_quietly ./fields-cxx && pass_quietly ./module &&
		pass_quietly ./changing && pass_quietly ./dlopen ./plugin.so
}

# have COMMAND...: each of them is here. (command -v is content with one.)
have() {
	local name

	for name in "$@"; do
		command -v "$name" >/dev/null || return
	done
}

# with CC CXX FLAGS...: a test of that set, skipped where a compiler is not here. 4 of the 14 a day.
with() {
	short_takes 4 14 || return 0
	if have "$1" "$2"; then
		ok "all tests pass, built by $*" all_tests "$@"
	else
		skip 1 "$1 or $2 is not installed"
	fi
}

with gcc g++ -O0
with gcc g++ -O2
with gcc g++ -O3 -fvisibility=hidden
with gcc g++ -O2 -flto
with gcc g++ -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections
with gcc g++ -O2 -D_FORTIFY_SOURCE=2 -fstack-protector-strong -Wl,-z,now
with gcc g++ -O1 -g -fsanitize=address,undefined
with clang clang++ -O0
with clang clang++ -O2
with clang clang++ -Os -fvisibility=hidden
with clang clang++ -Qunused-arguments -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections
if have ld.lld; then
	with gcc g++ -O2 -fdata-sections -fuse-ld=lld -Wl,--gc-sections -Wl,-z,start-stop-gc
else
	short_takes 4 14 && skip 1 'ld.lld is not installed'
fi
with gcc clang++ -O2
with clang g++ -O1

# Later standards, one file each: what they forbid or warn of is new.
short_pick 3 'gcc -std=c11' 'gcc -std=gnu17' 'clang -std=c11' 'g++ -x c++ -std=c++17' \
	'g++ -x c++ -std=c++20' 'clang++ -x c++ -std=c++14' 'clang++ -x c++ -std=c++20'
for try in "${picked[@]}"; do
	read -ra compiler <<<"$try"
	if have "${compiler[0]}"; then
		ok "no warning from $try" \
			"${compiler[@]}" -O2 "${strict[@]}" -c "$unit/tracepoint-fields.c" -o try.o
	else
		skip 1 "${compiler[0]} is not installed"
	fi
done

# The program that the header opens with.
sed -n '/^ \*   #include <stdint.h>/,/^ \*   }$/s/^ \*\( \{3\}\)\{0,1\}//p' \
	"$LTTNGMAP_SRC/include/lttngmap/tracepoint.h" >usage.c
ok 'the example in the header is a C99 program' \
	"$LTTNGMAP_CC" -std=c99 "${strict[@]}" usage.c "$unit/tracepoint-backend.c" -o usage
ok 'and runs' ./usage
ok 'the example in the header is a C++11 program' \
	"$LTTNGMAP_CXX" -x c++ -std=c++11 "${strict[@]}" -c usage.c -o usage.o

cat >reader.cc <<'END'
#include <lttngmap/ring-file.h>
void *reader();
void *reader() { return (void *)lttngmap_ring_file_open; }
END
ok 'a reader of ring files is a C++11 program' \
	"$LTTNGMAP_CXX" -std=c++11 "${strict[@]}" -c reader.cc -o reader.o
like "$(nm -u reader.o)" 'U lttngmap_ring_file_open$' '  ... which links with the library'

# ---- what a tracepoint costs ------------------------------------------------------

cat >cost.c <<'END'
#include <lttngmap/tracepoint.h>
LTTNGMAP_TRACEPOINT(cost, used, LTTNGMAP_LOGLEVEL_INFO, (integer, int, a), (integer, long, b));
LTTNGMAP_TRACEPOINT(cost, unused, LTTNGMAP_LOGLEVEL_INFO, (string, a));
extern int expensive(int);
void site(int a);
void site(int a) { lttngmap_tracepoint(cost, used, expensive(a), a); }
END

# site COMPILER FLAGS...: the instructions of the way through a disabled site.
site() {
	"$@" "${strict[@]}" -c cost.c -o cost.o &&
		objdump -d --no-show-raw-insn cost.o |
		sed -n '/<site>:/,/^$/p' | sed '1d;/\tret/q' | cut -f 2-
}

for compiler in gcc clang; do
	for pic in -fno-pic -fPIC; do
		if [[ $(uname -m) != x86_64 ]] || ! have "$compiler" objdump; then
			skip 3 "no $compiler and objdump for x86-64 here"
			continue
		fi
		code=$(site "$compiler" -O2 "$pic")
		is "$(grep -c '^j' <<<"$code")" 1 "$compiler $pic: off is one branch"
		is "$(grep -v '^test' <<<"$code" | grep -c '(.*)')" 2 \
			"$compiler $pic: and a load through the word's pointer"
		is "$(grep -c '^call' <<<"${code%%$'\n'j*}")" 0 \
			"$compiler $pic: and no argument is evaluated"
	done
done

if have gcc nm objdump; then
	gcc -O2 -fPIC "${strict[@]}" -c cost.c -o cost.o
	is "$(nm cost.o | grep -c unused)" 0 'a tracepoint that nothing calls leaves nothing'
	is "$(objdump -r cost.o | grep -c 'PLT.*lttngmap_event_write')" 0 \
		'an event does not go through the PLT'
else
	skip 2 'no gcc and binutils here'
fi

# ---- what is wrong ----------------------------------------------------------------

# refused NAME REGEX < SOURCE: it does not compile, and the message tells why.
refused() {
	local output

	{
		echo '#include <lttngmap/tracepoint.h>'
		cat
	} >wrong.c
	if output=$("$LTTNGMAP_CC" "${strict[@]}" -c wrong.c -o wrong.o 2>&1); then
		fail "$1 does not compile"
	else
		like "$output" "$2" "$1 does not compile"
	fi
}

level=LTTNGMAP_LOGLEVEL_INFO
field='(integer, int, f)'
refused 'a 17th field' 'no_more_than_16_fields' <<END
LTTNGMAP_TRACEPOINT(w, e, $level, $(printf "$field, %.0s" {1..16}) $field);
END
refused 'an integer field of type float' 'field f is not of an integer type' <<END
LTTNGMAP_TRACEPOINT(w, e, $level, (integer, float, f));
END
refused 'a sequence of double' 'field f is not of an integer type' <<END
LTTNGMAP_TRACEPOINT(w, e, $level, (sequence, double, f));
END
refused 'a long double' 'field f is neither float nor double' <<END
LTTNGMAP_TRACEPOINT(w, e, $level, (floating, long double, f));
END
refused 'a floating field of type int' 'field f is neither float nor double' <<END
LTTNGMAP_TRACEPOINT(w, e, $level, (floating, int, f));
END
refused 'an integer of 16 bytes' 'field f is not of 1, 2, 4 or 8 bytes' <<END
LTTNGMAP_TRACEPOINT(w, e, $level, (integer, __int128, f));
END
refused 'an array of length 0' 'length of field f is not above 0' <<END
LTTNGMAP_TRACEPOINT(w, e, $level, (array, int, f, 0));
END
refused 'an array that is larger than a record' 'do not fit in a record' <<END
LTTNGMAP_TRACEPOINT(w, e, $level, (array, int64_t, f, 511));
END
refused 'a name that is too long' 'name of this tracepoint is too long' <<END
LTTNGMAP_TRACEPOINT(w, $(printf 'e%.0s' {1..254}), $level);
END
refused 'an unknown kind of field' 'LTTNGMAP_KIND_integral' <<END
LTTNGMAP_TRACEPOINT(w, e, $level, (integral, int, f));
END
refused 'a call with an argument too few' 'too few arguments' <<END
LTTNGMAP_TRACEPOINT(w, e, $level, (integer, int, f), (integer, int, g));
void f(void) { lttngmap_tracepoint(w, e, 1); }
END
refused 'a call with an argument too many' 'too many arguments' <<END
LTTNGMAP_TRACEPOINT(w, e, $level, (integer, int, f));
void f(void) { lttngmap_tracepoint(w, e, 1, 2); }
END
refused 'a string for an integer' 'argument.*(lttngmap_arg_f|lttngmap_emit_w__e)' <<END
LTTNGMAP_TRACEPOINT(w, e, $level, (integer, int, f));
void f(void) { lttngmap_tracepoint(w, e, "1"); }
END
done_testing
