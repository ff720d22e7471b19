# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# SDT probes: what they tell, that they leave everything else alone, those of libraries
# that come and go, what is refused; and Debian's Python and C++ library.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
[[ $(uname -m) == x86_64 ]] || skip_all "SDT probes are served by the kernel only on $(uname -m)"
programs=$LTTNGMAP_SRC/tests/utils
cycles=${LTTNGMAP_SDT_CYCLES:-1000}
cd "${TAP_DIR:?}" || exit

build() { # NAME OPTION...
	"${LTTNGMAP_CC:-cc}" -O2 -o "$1" "$programs/sdt-${1%.so}.c" "${@:2}" ||
		bail_out "cannot build $1 (on Debian, install systemtap-sdt-dev)"
}
build registers
build toggle -pthread
build host -ldl
build plugin.so -shared -fPIC
build odd -no-pie

# record RULE ARGUMENT...: what it returns. A program waits 100 ms for its registration, which
# a busy machine may exceed.
record() {
	local result

	for _ in {1..9}; do
		rm -rf trace
		"$LTTNGMAP_BUILD/lttngmap" record -o trace --mode overwrite --sdt "$@" >out 2>err
		result=$?
		grep -q 'did not wait for an answer' err || break
	done
	return $result
}
events() { # The events of trace, without their times.
	babeltrace2 trace 2>/dev/null | sed -E 's/^\[[^]]*\] \([^)]*\) [^ ]* //; s/\{ cpu_id[^}]*\}, //'
}
count() { # NAME
	events | grep -c "^$1: "
}

# ---- registers ---------------------------------------------------------------------------

record 'odd:*' -- ./registers 2000
is $? 0 'all registers, flags and the red zone are as they were'
events | sed -E 's/.*: \{ //; s/arg[0-9]+ = //g; s/,//g; s/ \}$//' >seen
ok 'each argument is what it was' cmp -s out seen
is "$(wc -l <seen)" 2000 '  ... each time'

# ---- on and off --------------------------------------------------------------------------

record 'toggle:*' -- ./toggle "$cycles"
is $? 0 "$cycles times on and off: everything goes on, and no byte is another one"
like "$(cat out)" "^0 after $cycles cycles, [1-9]" '  ... nor a semaphore'
is "$(count toggle:last)" 1000 'what is on is recorded'
is "$(events | sed -nE 's/^toggle:last: .* = (.*) \}/\1/p' | awk '$1 % 2 == 0' | wc -l)" 0 \
	'  ... and what is off is not'
ok 'threads were recorded meanwhile' test "$(count toggle:step)" -gt 0
LTTNGMAP_SDT='' LD_PRELOAD=$LTTNGMAP_PLAIN/.libs/liblttngmap-sdt.so ./toggle 10 >out 2>&1
is $? 0 'it works without a daemon, too'

# ---- libraries ---------------------------------------------------------------------------

record 'plugin:*' -- ./host ./plugin.so 200
is "$(cat out)" 202 'a semaphore is up in each library that is loaded'
is "$(count plugin:pass)" 202 '  ... and each call of it recorded'
is "$(events | grep -c 'pass: { arg1 = 199, arg2 = -199 }')" 1 '  ... with its arguments'
is "$(events | grep -c 'arg1 = 100000[01]')" 2 "  ... a child's, too"

"${LTTNGMAP_CC:-cc}" -DOWN_DL_ITERATE_PHDR -rdynamic -o own "$programs/sdt-host.c" -ldl ||
	bail_out 'cannot build a program with its own dl_iterate_phdr()'
record 'plugin:*' -- ./own ./plugin.so 20
is "$(count plugin:pass)" 22 'a program that keeps its own list of libraries is served, too'

# ---- what cannot be done -------------------------------------------------------------------

record 'odd:*' -e 'lttngmap_sdt:*' -- ./odd
is "$(cat out)" 1 'what is refused does no harm'
is "$(events | grep '^odd:')" 'odd:before: { arg1 = 0x1 }
odd:frame: { arg1 = 0x1267 }
odd:index: { arg1 = 0x21, arg2 = 22 }' 'what can be served is, and where it can be read'
like "$(cat err)" 'lost: 3 discarded' '  ... and is counted as lost where it cannot'
while IFS=: read -r name why; do
	like "$(events)" "refused: \{ provider = \"odd\", name = \"$name\", path = \"[^\"]*/odd\", offset = 0x[0-9A-F]+, why = \"[^\"]*$why" \
		"$name: refused"
done <<'END'
memory:8@.%rax. is in memory that cannot be read safely
vector:%xmm0 is in a register that is not looked at
segment:%fs.16 is in a register that is not looked at
symbol:nobody.%rip. is at a symbol that the file no longer names
many:no more than twelve
text:is not understood
width:8@%eax is not understood
constant:its semaphore is not in the file
below:beyond the address space
beside:less than five bytes away
long:there is no nop of one byte
END
like "$(cat err)" 'odd:memory at [^ ]*/odd:0x[0-9a-f]+ is not recorded: its argument' \
	'what is refused is told'
like "$(cat err)" "kernel may do it instead: --uprobe '[^ ]*/odd:0x" '  ... and who can do it'
like "$(cat err)" 'and 1 more' '  ... in few lines'
record "$(printf 'odd:%04095d' 0)" -- ./odd
status=$?
is $status 125 'rules that are too long are refused'
LTTNGMAP_SDT='*:*' LTTNGMAP_SDT_REPORT=$PWD/report LD_PRELOAD=$LTTNGMAP_PLAIN/.libs/liblttngmap-sdt.so \
	./odd >out 2>err
is "$(cat out err)" 1 'nothing is printed in the program'
: >report
LTTNGMAP_SDT='*:*' LTTNGMAP_SDT_REPORT=$PWD/report LD_PRELOAD=$LTTNGMAP_PLAIN/.libs/liblttngmap-sdt.so \
	./odd >out 2>err
is "$(stat -c %s report)" 0 '  ... nor written to a file that is not ours'

# ---- programs as they are -------------------------------------------------------------------

cat >calls.py <<'END'
import sys
END
printf '\n%.0s' {1..4240} >>calls.py
cat >>calls.py <<'END'
def called(n):
	return n + 1
for i in range(1234):
	called(i)
END
python=/usr/bin/python3
if readelf -n "$python" 2>/dev/null | grep -q function__entry; then
	# Not its function__entry: Python 3.11 passes that in a few calls only.
	record 'python:function__return' -f 'arg3 == 4243' --sdt python:line -f 'arg3 == 4243' \
		-- "$python" -I calls.py
	is "$(count python:function__return)" 1234 'Python: each return of a function'
	is "$(count python:line)" 1234 '  ... and each line'
else
	skip 2 "$python was built without probes"
fi
cat >throws.cc <<'END'
#include <cstdio>
int main()
{
	int sum = 0;
	for (int i = 0; i < 300; i++) {
		try {
			try {
				throw i;
			} catch (int number) {
				if (number % 3 == 0)
					throw;
				sum += number;
			}
		} catch (...) {
			sum++;
		}
	}
	std::printf("%d\n", sum);
}
END
"${LTTNGMAP_CXX:-c++}" -O2 -o throws throws.cc || bail_out 'cannot build a C++ program'
record 'libstdcxx:*throw' -- ./throws
is "$(cat out)" 30100 'C++: exceptions go where they went'
is "$(count libstdcxx:throw)" 300 '  ... and each is recorded'
is "$(count libstdcxx:rethrow)" 100 '  ... and when it is thrown again'

# ---- as the kernel has them ---------------------------------------------------------------

uprobes=$(grep -c . /sys/kernel/tracing/uprobe_events 2>/dev/null)
if [[ $EUID == 0 && -n $uprobes ]]; then
	offset=$(readelf -n registers | sed -nE 's/.*Location: 0x0*([0-9a-f]+),.*/\1/p')
	rm -rf trace
	"$LTTNGMAP_BUILD/lttngmap" record -q -o trace -e none:none --preload none \
		--uprobe "hit=$PWD/registers:0x$offset a=%ax:u64 b=%cx:s32 c=%dx:u16 d=%bx:s8 e=%bp:u64 f=%di:s64 g=-8(%sp):u64" \
		-- ./registers 500 >out 2>err
	events | sed -nE 's/.*, a = (.*) \}/\1/p' | sed -E 's/, [b-g] = / /g' >kernel
	record 'odd:*' -- ./registers 500
	events | sed -nE 's/.*: \{ arg1 = (.*) \}/\1/p' | sed -E 's/, arg[0-9]+ = / /g' |
		while read -r a b c d e _ f _ _ _ _ g; do
			printf '%u %d %u %d %u %d %u\n' "$a" "$b" "$c" "$d" "$e" "$f" "$g"
		done >ours
	is "$(wc -l <kernel)" 500 'the kernel records the same probe'
	ok '  ... with the same values' cmp -s kernel ours
else
	skip 2 'uprobes are for root, where tracefs is mounted'
fi
done_testing
