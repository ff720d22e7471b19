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
# The next one's page begins where the jump of odd:taken leads.
build odd -no-pie -Wl,--section-start=.far=0x33802000
build late -pthread

# With these contexts.
context=none
# record RULE ARGUMENT...: what it returns. A program waits 100 ms for its registration, which
# a busy machine may exceed.
record() {
	local result

	for _ in {1..9}; do
		rm -rf trace
		"$LTTNGMAP_BUILD/lttngmap" record -o trace --context "$context" --mode overwrite --sdt "$@" >out 2>err
		result=$?
		grep -qE 'did not (wait for an answer|answer them in time)' err || break
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
context=vtid,ip
record 'odd:*' -- ./registers 2000
is $? 0 'with vtid and ip: all registers, flags and the red zone are as they were'
events | sed -E 's/.*\{ (arg1 = )/\1/; s/arg[0-9]+ = //g; s/,//g; s/ \}$//' >seen
ok '  ... and each argument is what it was' cmp -s out seen
is "$(babeltrace2 trace 2>/dev/null | grep -oE 'vtid = [0-9]+, ip = 0x[0-9A-F]+' | sort -u | wc -l)" 1 \
	'  ... of one thread, from one place' || diag "$(babeltrace2 trace 2>&1 | head -n 2)"
context=none

# ---- on and off --------------------------------------------------------------------------

record 'toggle:*' -- ./toggle "$cycles"
is $? 0 "$cycles times on and off: everything goes on, and no byte is another one"
like "$(cat out)" "^0 after $cycles cycles, [1-9]" '  ... nor a semaphore'
events | sed -E 's/^toggle:last: .* = (.*) \}/last \1/; s/^toggle:step: .*/step/' |
	awk '{ seen[$1]++ } $1 == "last" && $2 % 2 == 0 { off++ }
		END { print seen["last"] + 0, off + 0, seen["step"] + 0 }' >seen
read -r on off steps <seen
is "$on" 1000 'what is on is recorded'
is "$off" 0 '  ... and what is off is not'
ok 'threads were recorded meanwhile' test "$steps" -gt 0
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
odd:lands: { arg1 = 0x3 }
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
below:no jump can be written there: the code that follows would make it lead beyond the address space
beside:less than five bytes away
long:there is no nop of one byte
taken:would make it lead to memory in use
low:would make it lead to where the kernel allows no memory
twice:other probes have the place that it needs
END
like "$(cat err)" 'odd:memory at [^ ]*/odd:0x[0-9a-f]+ is not recorded: its argument' \
	'what is refused is told'
like "$(cat err)" "as root, the kernel can record it: lttngmap record --uprobe '[^ ]*/odd:0x" '  ... and who can do it'
like "$(cat err)" 'and 4 more' '  ... in few lines'
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

# shellcheck disable=SC2016 # the recorded shell's
record 'odd:*' -- sh -c 'printf "a:b\tc\033[2J:0x1\tit is \001\177 hostile\n" >>"$LTTNGMAP_SDT_REPORT"'
like "$(cat err)" 'a:b at c.\[2J:0x1 is not recorded: it is \?\? hostile' \
	'what a process tells is cleaned before it is shown'

# Others than are kept at a time.
{
	printf '#include "sdt-probe.h"\nint main(void)\n{\n'
	for i in {1..150}; do
		printf '\t__asm__ volatile(PROBE("n%d", "0", "8@(%%%%rax)", "0x0f, 0x1f, 0x40, 0x21"));\n' "$i"
	done
	printf '\treturn 0;\n}\n'
} >many.c
"${LTTNGMAP_CC:-cc}" -I "$programs" -o many many.c || bail_out 'cannot build many probes'
record 'many:*,odd:*' -e 'lttngmap_sdt:*' -- ./many
is "$(events | grep -c '^lttngmap_sdt:refused: .*name = "n')" 150 'each of many is told'
like "$(cat err)" 'and 140 more' '  ... though not in as many lines'

# The file of a library, when it is looked at: another one, none, or one that is no file.
"${LTTNGMAP_CC:-cc}" -O2 -shared -fPIC -o plugin-other.so "$programs/sdt-plugin.c" \
	-Wl,--build-id=0x0123456789012345678901234567890123456789 ||
	bail_out 'cannot build the plugin with another build id'
late() { # ELSEWHERE [hangs]
	PLUGIN_LINK=link.so PLUGIN_ELSEWHERE=$1 record 'plugin:*' -- \
		sh -c 'ln -sf plugin.so link.so && exec ./late ./link.so "$@"' sh "${@:2}"
}
mkfifo pipe
while IFS=: read -r elsewhere why; do
	late "$elsewhere"
	is "$(cat out)" 0 "a library's file is $elsewhere: not served"
	like "$(cat err)" "link.so:0x0 is not recorded: $why" '  ... and said'
done <<'END'
plugin-other.so:the file is another one since it was loaded
nowhere:the file cannot be read
pipe:the file cannot be read
END
if [[ $EUID == 0 && -c /dev/fuse ]]; then
	: >hanging
	"$LTTNGMAP_BUILD/tests/utils/hanging-file" "$PWD/hanging" &
	server=$!
	# shellcheck disable=SC2317 # called by cleanup
	end_server() {
		kill -9 "$server"
		umount -l "$TAP_DIR/hanging"
	} 2>/dev/null
	cleanup end_server
	for _ in {1..1500}; do
		mountpoint -q hanging && break
		sleep 0.02
	done
	mkfifo told
	late hanging hangs <told &
	late=$!
	exec 5>told
	for _ in {1..1500}; do
		grep -q free out 2>/dev/null && break
		sleep 0.02
	done
	is "$(cat out)" free 'a file that hangs who reads it: nobody else waits, nor does a child'
	kill -9 $server
	echo >&5
	exec 5>&-
	wait $late
	is "$(tail -n 1 out)" 0 '  ... and the program goes on'
else
	skip 2 'a file that hangs is for root, with /dev/fuse'
fi

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
