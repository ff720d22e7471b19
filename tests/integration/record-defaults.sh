#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# What `lttngmap record` does where nobody says it: which functions, which contexts, how large the
# buffers are; and what it says of what was mistyped, or cannot be traced.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
lttngmap=$LTTNGMAP_BUILD/lttngmap
mkdir -m 700 "$TAP_DIR/run"
# A program waits for the daemon, however loaded the machine is.
export XDG_RUNTIME_DIR=$TAP_DIR/run LTTNGMAP_ALLOW_BLOCKING=1
cd "$TAP_DIR" || exit 1

cat >lose.c <<'END'
#include <stdlib.h>

__attribute__((noinline)) void *lose(size_t size)
{
	void *volatile block = malloc(size);
	return block;
}

int main(void)
{
	return lose(4711) == NULL;
}
END
"${LTTNGMAP_CC:-cc}" -g -O0 -rdynamic -o lose lose.c || bail_out 'no compiler'
"$lttngmap" record -q -o first -- ./lose
is $? 0 'a first recording'
like "$("$lttngmap" view first -e malloc | grep size=4711)" \
	' lttng_ust_libc:malloc .*\{vtid=[0-9]+ ip=0x[0-9a-f]+ <lose\+0x[0-9a-f]+ at lose.c:5>\}' \
	'an event tells its thread, and its caller by name and line'
"$lttngmap" report -o first.html first >out 2>&1
is "$(grep -oE '"threads":(true|false)' first.html)" '"threads":true' 'the page knows the threads'
ok '  ... and who did not free what' grep -q 'lose.0x[0-9a-f]* at lose.c:5' first.html
"$lttngmap" record -q -o less --context none --preload libc -- ./lose
is "$("$lttngmap" view less | grep -cE '\{|statedump')" 0 'less where it is asked for'

# Where programs share buffers, each event names its own.
"$lttngmap" record -q -o shared --buffers user -- sh -c './lose; /bin/cat /dev/null; :'
is "$("$lttngmap" view shared | awk '{ print $3 }' | sort -u | grep -cxE 'lose|cat')" 2 'shared buffers: programs have names'
like "$("$lttngmap" view shared -p lose | grep size=4711)" ' lose [0-9]+ cpu.*\{vtid=[0-9]+ ip=0x[0-9a-f]+ <lose' \
	'  ... and callers'

# Two million events at once, while nobody reads: all are kept.
cat >burst.c <<'END'
#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(burst, one, LTTNGMAP_LOGLEVEL_INFO, (integer, int, number));

int main(void)
{
	for (int i = 0; i < 2000000; i++)
		lttngmap_tracepoint(burst, one, i);
	return 0;
}
END
"${LTTNGMAP_CC:-cc}" -O2 -I"$LTTNGMAP_SRC/include" -o burst burst.c -L"$LTTNGMAP_PLAIN/.libs" -llttngmap \
	-Wl,-rpath,"$LTTNGMAP_PLAIN/.libs" || bail_out 'no compiler'
cat >held <<'END'
for process in /proc/[0-9]*; do
	[[ $(tr '\0' ' ' 2>/dev/null <"$process/cmdline") != *lttngmap-consumerd*"$XDG_RUNTIME_DIR"* ]] ||
		consumer=${process#/proc/}
done
kill -STOP "$consumer" && taskset 1 ./burst
kill -CONT "$consumer"
END
mib=$(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
wanted=$((8 * 65 * ($(getconf _NPROCESSORS_CONF) + 2)))
if ((mib > wanted)); then
	"$lttngmap" record -o burst.trace --preload none -- bash held 2>err
	like "$(<err)" ' 2,000,000 events kept, 0 lost' 'two million events at once are not lost'
else
	skip 1 "of $mib MiB that are available, buffers take less than $wanted would allow"
fi

# ---- addresses keep their names where the oldest events make room
cat >plug.c <<'END'
#include <stdlib.h>

__attribute__((noinline)) void churn(void)
{
	void *volatile block = malloc(4712);
	free(block);
}
END
cat >much.c <<'END'
#include <dlfcn.h>
#include <stdlib.h>

__attribute__((noinline)) static void waste(void)
{
	void *volatile block = malloc(4711);
	free(block);
}

int main(void)
{
	void *plug = dlopen("./plug.so", RTLD_NOW);
	void (*churn)(void) = plug ? (void (*)(void))dlsym(plug, "churn") : NULL;

	for (int i = 0; churn && i < 20000; i++) {
		waste();
		churn();
	}
	return !churn;
}
END
"${LTTNGMAP_CC:-cc}" -g -O0 -shared -fPIC -o plug.so plug.c && "${LTTNGMAP_CC:-cc}" -g -O0 -o much much.c -ldl ||
	bail_out 'no compiler'

# named NAME OPTION...: of two programs, one of them a child of fork
named() {
	local name=$1

	shift
	rm -rf names
	"$lttngmap" record -q -o names --subbuf-size 4K --subbufs 2 "$@" -- sh -c '(./much; :) & ./much; wait' 2>err
	"$lttngmap" view names 2>err | grep 'libc:malloc .*size=471[12]' >lines
	ok "$name: mallocs are left, but not all: $(wc -l <lines)" \
		test "$(wc -l <lines)" -gt 10 -a "$(wc -l <lines)" -lt 80000
	is "$(grep -vcE '<(waste.*much|churn.*plug)\.c:[0-9]+>' lines)" 0 "$name: each has its caller's name" ||
		diag "$(grep -vE '<(waste|churn)' lines | head -n 3)"
	is "$("$lttngmap" view names 2>err | grep -c 'lttng_ust_statedump:start')" \
		"$("$lttngmap" view names 2>err | grep -c 'lttng_ust_statedump:end')" "$name: each dump is whole"
}

named overwrite --mode overwrite
named 'files that make room' --mode blocking --file-size 40K --file-count 2
named 'flight recorder' --flight-recorder
named 'shared buffers' --mode overwrite --buffers user

for i in {1..70}; do echo ./lose; done >many.sh
"$lttngmap" record -o many --flight-recorder -- sh many.sh 2>err
is "$(sed -nE 's/.* ([0-9]+) programs ended early.*/\1/p' err)" \
	$(($(sed -nE 's/.* ([0-9]+) processes traced.*/\1/p' err) - 64)) 'a program that is not kept counts once'

# ---- what was mistyped ---------------------------------------------------------------

"$lttngmap" record -o typo -e 'lttng_ust_libc:maloc' -e 'lttng_ust_libc:fr*' -- ./lose 2>err
is $? 0 'a rule that no event matches'
is "$(grep -c 'no event matched the rule' err)" 1 '  ... is the only one that is named'
like "$(<err)" "no event matched the rule 'lttng_ust_libc:maloc'.*did you mean 'lttng_ust_libc:malloc'" '  ... with what may be meant'

# ---- what cannot be traced ---------------------------------------------------------------

# By its loader it is musl's, which ends programs over libraries of another C library's.
loader=$(readelf -l lose | sed -nE 's/.*interpreter: (.*)\]/\1/p')
cp "$loader" ld-musl-x86_64.so.1
"${LTTNGMAP_CC:-cc}" -Wl,--dynamic-linker="$TAP_DIR/ld-musl-x86_64.so.1" -x c -o musl - <<'END'
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	puts(getenv("LD_PRELOAD") ? "preloaded" : "as it is");
	return 0;
}
END
is "$("$lttngmap" record -o musl.trace -- ./musl 2>err)" 'as it is' 'a program of musl runs as it is'
like "$(<err)" 'nothing traced: ./musl is linked with musl' '  ... and is named'
ok '  ... with no trace' test ! -e musl.trace
"$lttngmap" recover "$TAP_DIR/run" >out 2>&1
is $? 0 'nothing is left to recover'
mkdir -m 700 closed
cp -r first closed/
chmod 000 closed
if [[ $EUID == 0 ]]; then
	chmod 711 "$TAP_DIR"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$lttngmap" view "$TAP_DIR/closed" >out 2>&1
else
	"$lttngmap" view "$TAP_DIR/closed" >out 2>&1
fi
chmod 700 closed
like "$(<out)" "cannot read '[^']*/closed': Permission denied" 'a trace that cannot be read is not called none'
# ---- a filter's field that is mistyped
"$lttngmap" record -o mistyped -f 'sizee > 3' -- ./lose >out 2>&1
is "$(grep -c "did you mean 'size'?" out)" 1 'a mistyped field of a filter: the right one is named, once' || diag "$(<out)"
is "$(grep -cE 'lttngmap-sessiond|of channel|matched the rule' out)" 0 '  ... no rule that nobody typed, no name of ours'
"$lttngmap" record -o none -f 'size > 1000000000' -- ./lose >out 2>&1
like "$(<out)" "no event: the filter 'size > 1000000000' was true of none" 'a filter that is true of no event' || diag "$(<out)"
is "$(grep -c 'did you mean' out)" 0 '  ... but right'

done_testing
