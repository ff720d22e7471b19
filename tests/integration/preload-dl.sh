# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Libraries of real programs, recorded with the dl family: the calls are those
# that an independent library counted; what is told to be loaded is what the
# kernel has mapped, each session is told it, and babeltrace2 finds functions and
# lines by it. Who calls dlopen() finds what it would find otherwise.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
. "$LTTNGMAP_SRC/tests/utils/counted-calls.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
dl=$LTTNGMAP_PLAIN/.libs/liblttngmap-dl.so
cc=${LTTNGMAP_CC:-cc}
# The interpreter itself, where `python3` is a script that finds one.
python=$(python3 -c 'import sys; print(sys.executable)')

# ---- calls
cat >"$TAP_DIR/modules.py" <<'END'
import ctypes, decimal, hashlib, json, sqlite3, zlib

for name in ["libBrokenLocale.so.1", "libnosuch.so.1"]:
	try:
		print(name, ctypes.CDLL(name) is not None)
	except OSError:
		print(name, "is not there")
END
counted_record python dl lttng_ust_dl 'dlm?open|dlclose' "$python" -B "$TAP_DIR/modules.py"
like "$(cat "$TAP_DIR/out")" 'libnosuch.so.1 is not there' 'python: a library was not found'
is "$(awk '/^dlopen/ { calls += $2 } END { print "dlopen", calls }' <<<"$counted_events")" \
	"$(grep '^dlopen ' <<<"$counted_calls")" 'python: each dlopen is an event'
is "$(grep '^dlclose ' <<<"$counted_events")" "$(grep '^dlclose ' <<<"$counted_calls")" \
	'python: each dlclose is an event'

# ---- the first event is of a constructor that runs before those of preloaded libraries, as libstdc++'s does
mkdir "$TAP_DIR/early"
"$cc" -g -O0 -fno-builtin -shared -fPIC -x c -o "$TAP_DIR/early/libearly.so" - <<'END'
#include <stdlib.h>

void *block;

__attribute__((constructor)) void early_begin(void)
{
	block = malloc(4711);
}
END
"$cc" -x c -o "$TAP_DIR/early/program" - -L"$TAP_DIR/early" -Wl,--no-as-needed -learly -Wl,-rpath,"$TAP_DIR/early" \
	<<<'int main(void) { return 0; }'
LTTNGMAP_ALLOW_BLOCKING=1 "$LTTNGMAP_BUILD/lttngmap" record -q --mode blocking -o "$TAP_DIR/early/trace" --preload libc,dl \
	--context ip -- "$TAP_DIR/early/program" >"$TAP_DIR/out" 2>&1
like "$("$LTTNGMAP_BUILD/lttngmap" view "$TAP_DIR/early/trace" | grep 'size=4711')" 'ip=0x[0-9a-f]+ <early_begin\+' \
	'an early constructor: the caller has a name' || diag "$(<"$TAP_DIR/out")"

# ---- what is loaded, against /proc/self/maps
cat >"$TAP_DIR/maps.py" <<'END'
import decimal, json, os, zlib

print(len(os.environ))
with open("/proc/self/maps") as maps, open(os.environ["MAPS"], "w") as seen:
	for line in maps:
		words = line.split()
		if len(words) == 6 and words[2] == "00000000" and (".so" in words[5] or "python" in words[5]):
			print(f"0x{int(words[0].split('-')[0], 16):X}", words[5], file=seen)
END
record_maps() {
	rm -rf "$TAP_DIR/trace-maps"
	MAPS=$TAP_DIR/maps "$LTTNGMAP_BUILD/lttngmap" record -o "$TAP_DIR/trace-maps" \
		--preload libc,dl -e '*:*' --mode blocking -- "$python" -B "$TAP_DIR/maps.py" \
		>"$TAP_DIR/out" 2>&1 &&
		babeltrace2 "$TAP_DIR/trace-maps" >"$TAP_DIR/text"
}
ok 'a program is recorded that keeps its own map' some_events record_maps
# A library is at the real path of what the loader calls it.
told=$(sed -En 's/.* lttng_ust_(statedump:bin_info|lib:load): .* baddr = (0x[0-9A-F]+), .* path = "([^"]+)".*/\2 \3/p' \
	"$TAP_DIR/text" | while read -r baddr path; do echo "$baddr $(readlink -f "$path")"; done | LC_ALL=C sort)
like "$told" 'libc.so.6' 'libraries are told' || diag "$(cat "$TAP_DIR/out")"
is "$told" "$(LC_ALL=C sort "$TAP_DIR/maps")" '  ... which are those that the kernel has mapped'
is "$(grep -c 'lttng_ust_statedump:start' "$TAP_DIR/text")" 1 'the state is told once'
like "$(head -n 1 "$TAP_DIR/text")" 'lttng_ust_statedump:start' '  ... before all other events'

# Build id and debug link of a library, against readelf.
libc=$(ldd "$python" | awk '$1 == "libc.so.6" { print $3 }')
baddr=$(sed -En "s|.*statedump:bin_info: .* baddr = (0x[0-9A-F]+), .* path = \"[^\"]*/libc.so.6\".*|\1|p" "$TAP_DIR/text")
is "$(sed -En "s/.*statedump:build_id: .* baddr = $baddr, .*build_id = \[ (.*) \] .*/\1/p" "$TAP_DIR/text" |
	grep -oE '0x[0-9A-F]+' | while read -r byte; do printf '%02x' "$byte"; done)" \
	"$(readelf -n "$libc" | sed -n 's/.*Build ID: //p')" "the C library's build id is right"
is "$(sed -En "s/.*statedump:debug_link: .* baddr = $baddr, .*filename = \"([^\"]*)\".*/\1/p" "$TAP_DIR/text")" \
	"$(readelf --string-dump=.gnu_debuglink "$libc" 2>/dev/null | sed -En 's/^ *\[ *0\] *(.*)/\1/p')" \
	'  ... and its debug link'
crc=$(sed -En "s/.*statedump:debug_link: .* baddr = $baddr, crc = ([0-9]+), .*/\1/p" "$TAP_DIR/text")
is "$(printf '%08x' "${crc:-0}")" "$(readelf --hex-dump=.gnu_debuglink "$libc" 2>/dev/null |
	sed -En 's/^ *0x[0-9a-f]+ (([0-9a-f]{8} ?){1,4}) .*/\1/p' | tr -d ' \n' |
	sed -E 's/.*(..)(..)(..)(..)$/\4\3\2\1/')" '  ... with its checksum'

# ---- who calls
mkdir -p "$TAP_DIR/private" "$TAP_DIR/lib"
cat >"$TAP_DIR/private.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int private_value(void);
int private_value(void)
{
	return 42;
}
/* Who called, as far as an allocator could find out that looks at each call's stack. */
__attribute__((constructor)) static void look_back(void)
{
	void *calls[100];
	int count = backtrace(calls, 100);
	Dl_info info;

	if (getenv("LOOK_BACK") && dladdr(calls[count - 1], &info))
		puts(strrchr(info.dli_fname, '/') + 1);
}
END
cat >"$TAP_DIR/caller.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int ask(const char *name);
/* The first function of the page, whose return is not the way back from a call of another. */
__attribute__((used, noinline, no_reorder, aligned(4096))) static char with_frame(int c)
{
	volatile char room[1000];

	memset((char *)room, c, sizeof(room));
	return room[c];
}
__attribute__((no_reorder)) int ask(const char *name)
{
	void *handle = dlopen(name, RTLD_NOW);
	int (*function)(void) = handle ? (int (*)(void))dlsym(handle, "private_value") : NULL;
	int value = function ? function() : -1;
	if (!function)
		puts(dlerror());
	return handle ? dlclose(handle), value : value;
}
END
cat >"$TAP_DIR/program.c" <<'END'
#include <stdio.h>
int ask(const char *name);
int main(void)
{
	int first = ask("libprivate.so");
	return printf("%d %d\n", first, ask("$ORIGIN/../private/libprivate.so")) < 0;
}
END
(
	cd "$TAP_DIR" || exit
	"$cc" -shared -fPIC private.c -o private/libprivate.so &&
		"$cc" -O1 -w -shared -fPIC caller.c -o lib/libcaller.so -Wl,--enable-new-dtags \
			-Wl,-rpath,"\$ORIGIN/../private" -ldl &&
		"$cc" program.c -o program -Llib -lcaller -Wl,-rpath,"$TAP_DIR/lib"
) || bail_out 'cannot build a program with a library of its own'
# One without such a path, for an older library with a DT_RPATH.
echo 'int ask(const char *name); int outer(void); int outer(void) { return ask("libprivate.so"); }' \
	>"$TAP_DIR/outer.c"
echo 'int outer(void); int main(void) { return outer(); }' >"$TAP_DIR/older.c"
(
	cd "$TAP_DIR" || exit
	"$cc" -w -shared -fPIC caller.c -o private/libasks.so -ldl &&
		"$cc" -shared -fPIC outer.c -o lib/libouter.so -Lprivate -lasks -Wl,--disable-new-dtags \
			-Wl,-rpath,"\$ORIGIN/../private" &&
		"$cc" older.c -o older -Llib -louter -Wl,--enable-new-dtags -Wl,-rpath,"$TAP_DIR/lib" \
			-Wl,-rpath-link,private
) || bail_out 'cannot build a program with libraries in two places'
older_program() {
	LD_PRELOAD=$1 "$TAP_DIR/older"
	echo "$?"
}
is "$(older_program '')" 42 'an older library serves what it has loaded'
is "$(older_program "$dl $LTTNGMAP_PLAIN/.libs/liblttngmap.so")" 42 \
	'  ... and with the family preloaded, too'

is "$("$TAP_DIR/program")" '42 42' 'a library finds another one where it says'
is "$(LD_PRELOAD="$dl $LTTNGMAP_PLAIN/.libs/liblttngmap.so" "$TAP_DIR/program")" '42 42' \
	'  ... and with the family preloaded, too'

is "$(LOOK_BACK=1 LD_PRELOAD="$dl $LTTNGMAP_PLAIN/.libs/liblttngmap.so" "$TAP_DIR/program" | head -n 1)" \
	libcaller.so '  ... and who looks at the stack meanwhile finds the caller, and the end of it'

# A note that no segment brings into memory, as of files that were worked over.
cat >"$TAP_DIR/move-note.py" <<'END'
import struct, sys

with open(sys.argv[1], "r+b") as file:
	image = bytearray(file.read())
	at, = struct.unpack_from("<Q", image, 32)
	size, count = struct.unpack_from("<HH", image, 54)
	notes = [i for i in range(at, at + size * count, size)
		 if struct.unpack_from("<I", image, i)[0] == 4]
	for note in notes:
		struct.pack_into("<QQ", image, note + 16, 1 << 40, 1 << 40)
	file.seek(0)
	file.write(image)
	print(len(notes) > 0)
END
cp "$TAP_DIR/private/libprivate.so" "$TAP_DIR/odd.so"
is "$("$python" "$TAP_DIR/move-note.py" "$TAP_DIR/odd.so")" True 'a library has its notes nowhere in memory'
is "$(LD_PRELOAD="$TAP_DIR/odd.so" env echo loaded)" loaded '  ... and is loaded'
is "$(LD_PRELOAD="$dl $LTTNGMAP_PLAIN/.libs/liblttngmap.so $TAP_DIR/odd.so" env echo loaded 2>&1)" loaded \
	'  ... also where it is looked at for its build id'

# A program has a dl_iterate_phdr() of its own, as some that unwind without a lock.
cat >"$TAP_DIR/own-iterate.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
	(void)callback;
	(void)data;
	return puts("ours was called");
}
int main(void)
{
	return dlopen("libBrokenLocale.so.1", RTLD_NOW) == NULL;
}
END
"$cc" "$TAP_DIR/own-iterate.c" -o "$TAP_DIR/own-iterate" -rdynamic -ldl || bail_out 'no compiler'
is "$(LD_PRELOAD="$dl $LTTNGMAP_PLAIN/.libs/liblttngmap.so" "$TAP_DIR/own-iterate"; echo "status $?")" \
	'status 0' "a program's own dl_iterate_phdr() is not asked"

# ---- sessions that begin while a process runs
sessiond_start
exec {rounds}> >(LD_PRELOAD="$dl $LTTNGMAP_PLAIN/.libs/liblttngmap.so" \
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$LTTNGMAP_PLAIN/tests/utils/rounds" >"$TAP_DIR/done")
rounds_done() {
	[[ $(wc -l <"$TAP_DIR/done") == "$1" ]]
}
session() { # NAME ROUNDS: create, start, a round of events
	control '{"verb": "create", "session": "'"$1"'", "output": "'"$TAP_DIR/$1"'"}' \
		'{"verb": "channel", "session": "'"$1"'", "channel": "c", "subbuf_size": 65536,
		  "subbufs": 4, "mode": "discard"}' \
		'{"verb": "enable", "session": "'"$1"'", "channel": "c", "rule": "*:*"}' \
		'{"verb": "start", "session": "'"$1"'"}' >>"$TAP_DIR/log"
	echo >&"$rounds"
	ok "a process goes on, with $1" wait_for rounds_done "$2"
}
registered() {
	control '{"verb": "events", "from": 0}' | grep -q 'levels:debug'
}
ok 'a process registers' wait_for registered
session first 1
session second 2
echo >&"$rounds"
ok '  ... and another round' wait_for rounds_done 3
exec {rounds}>&-
for name in first second; do
	control '{"verb": "destroy", "session": "'"$name"'"}' >>"$TAP_DIR/log"
done
shape() { # start, bin_infos of all, end, and the others, in their order
	babeltrace2 "$TAP_DIR/$1" 2>&1 | sed -En 's/.* (lttng_ust_statedump|levels|other):([a-z_]+): .*/\2/p' |
		grep -vE '^(build_id|debug_link)$' | uniq | tr '\n' ' '
}
state='start bin_info procname end '
round='error info debug event '
is "$(shape second)" "$state$round$round" 'a session that begins later is told the state first'
like "$(shape first)" "^$state$round(error )?$state(error )?info debug event $round\$" \
	'  ... which the older one is told again then'
sessiond_stop

# ---- functions and lines
record_lines() {
	rm -rf "$TAP_DIR/trace-lines"
	"$LTTNGMAP_BUILD/lttngmap" record -q -o "$TAP_DIR/trace-lines" --preload cyg-profile,dl \
		-e '*:*' --mode blocking --context vpid,ip -- \
		"$LTTNGMAP_PLAIN/tests/utils/instrumented" 1 >"$TAP_DIR/out" 2>&1
	babeltrace2 "$TAP_DIR/trace-lines" --debug-info 2>"$TAP_DIR/complaints" >"$TAP_DIR/text"
}
some_events record_lines
functions() { # NAME LINE CALLS
	sed -En 's/.*:func_entry: .* func = "([a-z]+)\+0", src = "instrumented.c:([0-9]+)".*/\1 \2/p' "$TAP_DIR/text" |
		LC_ALL=C sort | uniq -c | awk '{ print $2, $3, $1 }'
}
expected_functions() {
	local name calls address

	while read -r name calls; do
		address=$(nm "$LTTNGMAP_PLAIN/tests/utils/instrumented" | awk -v name="$name" '$3 == name { print $1 }')
		echo "$name $(addr2line -e "$LTTNGMAP_PLAIN/tests/utils/instrumented" "$address" |
			sed -E 's/.*:([0-9]+).*/\1/') $calls"
	done <"$TAP_DIR/out"
}
is "$(functions)" "$(expected_functions)" 'babeltrace2 shows functions and lines' ||
	diag "$(head -n 3 "$TAP_DIR/complaints")"
done_testing
