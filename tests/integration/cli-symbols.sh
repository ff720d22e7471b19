# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Names of functions for addresses, in `view` and `export`: as nm(1) and addr2line(1) have
# them, of programs and libraries wherever they lay; none of what has gone, or is not
# what was traced. And in a recorded program as babeltrace2 has them.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
utils=$LTTNGMAP_SRC/tests/utils
cd "$TAP_DIR" || exit 1
command -v addr2line >/dev/null || bail_out 'no addr2line: on Debian, install binutils'
command -v jq >/dev/null || bail_out 'no jq: on Debian, install jq'

cat >code.c <<'END'
__attribute__((noreturn)) void leave(int);
void last(void) { leave(1); }
__attribute__((noinline)) static int hidden(int a) { return a * 3; }
int shown(int a) { return hidden(a) + 1; }
int data = 7;
END
cat >code.cc <<'END'
namespace far { struct Thing { int run(int, const char *); }; }
int far::Thing::run(int a, const char *b) { return a + *b; }
END
build() { "${LTTNGMAP_CC:-cc}" -g -O2 -fPIC -shared -Wl,-z,undefs "$@"; }
build -Wl,--build-id=sha1 -o libcode.so code.c || bail_out 'no C compiler'
build -Wl,--build-id=none -o libnone.so code.c
"${LTTNGMAP_CXX:-c++}" -g -O1 -fPIC -shared -o libthing.so code.cc || bail_out 'no C++ compiler'

address() { printf '0x%x' $((0x$(nm "$1" | awk -v name="$2" '$3 == name { print $1 }') + ${3:-0})); }
bytes() { echo $((0x$(nm -S "$1" | awk -v name="$2" '$4 == name { print $2 }'))); }
# From the first to the last byte in memory.
memsz() { echo $(($(readelf -lW "$1" | awk '$1 == "LOAD" { end = $3 "+" $6 } END { print end }'))); }
build_id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
# at BASE OFFSET: an address in memory.
at() { printf '0x%x' $(($1 + $2)); }
# shown TRACE OPTION...: what the events of w have as names of their fields.
shown() { "$lttngmap" view "$@" -e 'w:*' 2>complaints | sed 's/.* w:at //'; }
made() {
	rm -rf "$1"
	"$utils/make-addresses" "$@"
}
loaded() { # PID BASE FILE
	echo "$1 bin_info $2 $(memsz "$3") $TAP_DIR/$3"
	[[ -z $(build_id "$3") ]] || echo "$1 build_id $2 $(build_id "$3")"
}

one=0x7f1200000000 two=0x7f3400000000
shown=$(address libcode.so shown) hidden=$(address libcode.so hidden) last=$(address libcode.so last)
last_size=$(bytes libcode.so last)

# ---- where, in which process, and when ------------------------------------------------------

{
	echo 10 start
	loaded 10 $one libcode.so
	loaded 10 $two libnone.so
	echo 10 end
	loaded 11 $two libcode.so
	echo "10 w:at $(at $one "$shown") $(at $one $((shown + 1))) $((one + shown))"
	echo "11 w:at $(at $two "$hidden") $(at $one "$shown") 0"
	echo "12 w:at $(at $one "$hidden") 0x0 0"
} | made trace
is "$(shown trace)" "addr=$(at $one "$shown") <shown at code.c:4> call_site=$(at $one $((shown + 1))) <shown+0x1 at code.c:4> this_fn=$((one + shown)) {vtid=10 ip=$(at $one "$shown") <shown at code.c:4>}
addr=$(at $two "$hidden") <hidden at code.c:3> call_site=$(at $one "$shown") this_fn=0 {vtid=11 ip=$(at $two "$hidden") <hidden at code.c:3>}
addr=$(at $one "$hidden") call_site=0x0 this_fn=0 {vtid=12 ip=$(at $one "$hidden")}" \
	'each process has its own; numbers in base 10 are no addresses'
is "$(shown trace --no-symbols; cat complaints)" "$(shown trace | sed 's/ <[^>]*>//g')" \
	'--no-symbols: addresses as they are'
is "$(shown trace -f ip)" "$(shown trace | sed 's/.* {vtid=[0-9]* /{/')" \
	'of fields that are shown'
is "$(shown trace --from +0.000000004 -p 10 | grep -c '<shown at code.c:4>')" 1 \
	'also where the events that tell of it are not shown'

"$lttngmap" view --json trace -e w:at >lines 2>complaints
is "$(head -n 1 lines | jq -cS .symbols)" "{\"addr\":{\"function\":\"shown\",\"line\":4,\"object\":\"$TAP_DIR/libcode.so\",\"offset\":0,\"source\":\"$TAP_DIR/code.c\"},\"call_site\":{\"function\":\"shown\",\"line\":4,\"object\":\"$TAP_DIR/libcode.so\",\"offset\":1,\"source\":\"$TAP_DIR/code.c\"},\"ip\":{\"function\":\"shown\",\"line\":4,\"object\":\"$TAP_DIR/libcode.so\",\"offset\":0,\"source\":\"$TAP_DIR/code.c\"}}" \
	'JSON: function, offset, object, source, line'
is "$(sed -n 3p lines | jq -c .symbols) $("$lttngmap" view --json trace --no-symbols | grep -c symbols)" \
	'null 0' '  ... and nothing where nothing is known'

# Every byte of the code, as binutils have it; what follows a call belongs to who calls.
for function in hidden last shown; do
	for ((i = 0; i < $(bytes libcode.so $function); i++)); do
		address libcode.so $function $i
		echo
	done
done >places
{
	loaded 10 $one libcode.so
	while read -r place; do
		echo "10 w:func_entry $(at $one "$place")"
	done <places
} | made trace
"$lttngmap" view trace -e func_entry | sed 's/.* addr=0x[0-9a-f]*//; s/ {.*//' >ours
addr2line -f -s -e libcode.so <places | paste -d ' ' - - | sed 's/ / at /; s/ (discriminator.*//' >theirs
is "$(sed -n 's/^ <\([a-z]*\)\(+0x[0-9a-f]*\)\{0,1\} at \(.*\)>/\1 at \3/p' ours)" "$(<theirs)" \
	'each byte of the code is where addr2line says'
ok '  ... and these are many' test "$(wc -l <theirs)" -gt 20
{
	loaded 10 $one libcode.so
	echo "10 w:at 0x0 $(at $one $((last + last_size))) 0"
	echo "10 w:at $(at $one $((last + last_size))) 0x0 0"
	echo "10 w:at $(at $one "$(address libcode.so data)") $(at $one "$(memsz libcode.so)") 0"
} | made trace
is "$(shown trace | grep -oE '(call_site|ip)=[^ ]* <[^ ]*' | grep -v bin_info)" "$(printf 'call_site=%s <last+0x%x\nip=%s <last+0x%x\nip=%s <libcode.so+0x%x>}' \
	"$(at $one $((last + last_size)))" "$last_size" "$(at $one $((last + last_size)))" "$last_size" \
	"$(at $one "$(address libcode.so data)")" "$(address libcode.so data)")" \
	'a call that does not return is of who calls; data are of their file; beyond it is nothing'

# Unloaded, and something else there; forgotten with a new dump, as after exec.
{
	loaded 10 $one libcode.so
	echo "10 w:func_entry $(at $one "$shown")"
	echo "10 lttng_ust_lib:unload $one"
	echo "10 w:func_entry $(at $one "$shown")"
	echo "10 lttng_ust_lib:load $one $(memsz libthing.so) $TAP_DIR/libthing.so"
	echo "10 w:func_entry $(at $one "$(address libthing.so _ZN3far5Thing3runEiPKc)")"
	echo "10 lttng_ust_lib:load $(at $one 4096) $(memsz libcode.so) $TAP_DIR/libcode.so"
	echo "10 w:func_entry $(at $one $((4096 + shown)))"
	echo "10 w:func_entry $one"
	echo 10 start
	loaded 10 $two libcode.so
	echo 10 end
	echo "10 w:func_entry $(at $one $((4096 + shown)))"
	echo "10 w:func_entry $(at $two "$shown")"
} | made trace
is "$(shown trace | sed 's/.* addr=0x[0-9a-f]*//; s/ {.*//')" ' <shown at code.c:4>

 <far::Thing::run(int, char const*) at code.cc:2>
 <shown at code.c:4>


 <shown at code.c:4>' 'what was loaded when, and names of C++'

# ---- which file ---------------------------------------------------------------------------

# one_event: an event in libcode.so of process 10, where stdin says what is there.
one_event() {
	cat
	echo "10 w:func_entry $(at $one "${1:-$shown}")"
}
its_name() { shown "$@" | sed 's/.* addr=0x[0-9a-f]* *//; s/{.*//; s/ *$//'; }

mkdir -p root/"$TAP_DIR"
cp libcode.so root/"$TAP_DIR"/libmoved.so
loaded 10 $one libcode.so | sed 's/libcode/libmoved/' | one_event | made trace
printf -v beyond '<libmoved.so+0x%x>' "$shown"
is "$(its_name trace) $(its_name trace --sysroot "$TAP_DIR/root")" "$beyond <shown at code.c:4>" \
	'a file that is not there; --sysroot says where'
id=$(build_id libcode.so)
objcopy --only-keep-debug libcode.so code.debug
mkdir -p root/usr/lib/debug/.build-id/"${id:0:2}"
cp code.debug root/usr/lib/debug/.build-id/"${id:0:2}/${id:2}.debug"
loaded 10 $one libcode.so | sed 's/libcode/libgone/' | one_event | made trace
is "$(its_name trace --sysroot "$TAP_DIR/root")" '<shown at code.c:4>' \
	'debugging information is found by build ID where the file has gone'
mkdir -p .debug
cp libcode.so libstripped.so
objcopy --strip-all libstripped.so
loaded 10 $one libstripped.so | one_event "$hidden" | made trace
printf -v beyond '<libstripped.so+0x%x>' "$hidden"
is "$(its_name trace)" "$beyond" 'a stripped file has no name for what it does not export'
loaded 10 $one libstripped.so | one_event | made trace
is "$(its_name trace)" '<shown>' '  ... and those of what it does'
cp code.debug .debug/code.debug
(cd .debug && objcopy --add-gnu-debuglink=code.debug ../libstripped.so)
loaded 10 $one libstripped.so | one_event "$hidden" | made trace
is "$(its_name trace)" '<hidden at code.c:3>' 'a debug link is followed'

cp code.debug .debug/wrong
objcopy -R .note.gnu.build-id .debug/wrong
cp libcode.so libwrong.so
objcopy --strip-all libwrong.so
(cd .debug && objcopy --add-gnu-debuglink=wrong ../libwrong.so)
loaded 10 $one libwrong.so | one_event | made trace
is "$(its_name trace)" '<shown>' '  ... not to what has another build ID'
cp libnone.so libsum.so
objcopy --only-keep-debug libsum.so .debug/sum
objcopy --strip-all libsum.so
(cd .debug && objcopy --add-gnu-debuglink=sum ../libsum.so)
loaded 10 $one libsum.so | one_event "$hidden" | made trace
is "$(its_name trace)" '<hidden at code.c:3>' '  ... and without one to what has the right sum'
printf x >>.debug/sum
printf -v beyond '<libsum.so+0x%x>' "$hidden"
is "$(its_name trace)" "$beyond" '  ... but to no other'
truncate -s 1000G .debug/sum 2>/dev/null || diag 'no such large files here'
is "$(timeout 60 "$lttngmap" view trace -e w:func_entry | grep -c "$beyond")" 1 \
	'  ... nor is one read that is too large'
cp libcode.so root/"$TAP_DIR"/libbare.so
objcopy --strip-all root/"$TAP_DIR"/libbare.so
loaded 10 $one libcode.so | sed 's/libcode/libbare/' | one_event "$hidden" | made trace
is "$(its_name trace --sysroot "$TAP_DIR/root")" '<hidden at code.c:3>' \
	'--sysroot: debugging information of what is stripped, too'

# Not what was traced: another build ID, or, without one, another size.
loaded 10 $one libcode.so | sed "s/$id/${id:2}00/" | one_event | made trace
printf -v beyond '<libcode.so+0x%x>' "$shown"
is "$(its_name trace)" "$beyond" 'a file of another build has no names to give'
is "$(<complaints)" "lttngmap: view: no names for '$TAP_DIR/libcode.so': it is not what was traced any more" \
	'  ... which is said'
loaded 10 $one libnone.so | one_event | made trace
is "$(its_name trace)" '<shown at code.c:4>' 'without build ID the size in memory decides'
echo "10 bin_info $one $(($(memsz libnone.so) + 4096)) $TAP_DIR/libnone.so" | one_event | made trace
printf -v beyond '<libnone.so+0x%x>' "$shown"
is "$(its_name trace)" "$beyond" '  ... and another one is another file'

# Nothing is believed: neither paths, nor sizes, nor what a file has in it.
mkfifo fifo
head -c 4096 /dev/urandom >noise
head -c 3000 libcode.so >short
for file in fifo noise short . /dev/zero; do
	path=$TAP_DIR/$file
	[[ $file != /* ]] || path=$file
	echo "10 bin_info $one 65536 $path" | one_event | made trace
	like "$(timeout 60 "$lttngmap" view trace -e w:func_entry 2>&1; echo $?)" \
		"addr=0x[0-9a-f]* <[^ ]*\+0x[0-9a-f]*> .*0\$" "$file is no program: no name"
done
echo "10 bin_info $one 65536 /"$'\e[31m' | one_event | made trace
printf -v beyond '<_[31m+0x%x>' "$shown"
is "$(its_name trace)" "$beyond" 'what a terminal would act on is not printed'
{
	echo "10 bin_info 0xfffffffffffff000 0x2000 $TAP_DIR/libcode.so"
	echo "10 w:at 0xffffffffffffffff 0x10 0"
	echo "11 bin_info 0x0 0xffffffffffffffff $TAP_DIR/libcode.so"
	echo "11 bin_info $one 0 $TAP_DIR/libcode.so"
	echo "11 build_id $one $id"
	echo "11 w:at 0x10 $(at $one 16) 0"
	echo "12 bin_info $two $(memsz libcode.so) libcode.so"
	echo "12 build_id $two $(printf 'ab%.0s' {1..100})"
	echo "12 lttng_ust_lib:unload 0x1234"
	echo "12 lttng_ust_dl:dlopen $one"
	echo "12 w:at $(at $two "$shown") 0xfffffffffffff010 0"
} | made trace
printf -v beyond '<libcode.so+0x%x>' "$shown"
is "$(shown trace | sed 's/{.*//')" "addr=0xffffffffffffffff call_site=0x10 this_fn=0 
addr=0x10 call_site=$(at $one 16) this_fn=0 
addr=$(at $two "$shown") $beyond call_site=0xfffffffffffff010 this_fn=0 " \
	'impossible sizes, and paths that are not whole'
loaded 10 $one libcode.so | one_event | made trace kernel
is "$(its_name trace)" '' "what a kernel's events point at is in no process"
rm -rf both
mkdir both
loaded 10 $one libcode.so | made both/a ust here
echo "10 w:func_entry $(at $one "$shown")" | made both/b ust there
echo "10 w:func_entry $(at $one "$shown")" | made both/c ust here
is "$(its_name both | LC_ALL=C sort)" '
<shown at code.c:4>' 'of several traces, those of the same machine are of the same processes'

cp libcode.so libwaits.so
objcopy --strip-all libwaits.so
(cd .debug && cp code.debug waits && objcopy --add-gnu-debuglink=waits ../libwaits.so)
rm .debug/waits
mkfifo .debug/waits libwaits.debug
loaded 10 $one libwaits.so | one_event | made trace
is "$(timeout 60 "$lttngmap" view trace -e w:func_entry | grep -c '<shown>')" 1 \
	'debugging information that is a FIFO is not waited for'
# Each part is twice what was before: without a bound, more than memory holds.
printf '.text\n.globl %s\n.type %s, @function\n%s:\n ret\n.size %s, 1\n' _Z1fSt4pairIiiE{,,,}"$(
	letters=0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ
	for ((i = 0; i < 36; i++)); do
		printf 'S_IS%s_S%s_E' "${letters:i:1}" "${letters:i:1}"
	done
)" >grows.s
build -o libgrows.so grows.s
loaded 10 $one libgrows.so | one_event "$(nm libgrows.so | awk '/_Z1f/ { print "0x" $1 }')" | made trace
like "$([[ -n ${LTTNGMAP_SANITIZED:-} ]] || ulimit -v 4000000; timeout 60 "$lttngmap" view trace -e w:func_entry)" '<_Z1fSt4pairIiiES_IS0_S0_E' \
	'a name that would get longer than memory is stays as it is'
# More files than may be open, and more than are kept.
mkdir copies
for ((i = 0; i < 300; i++)); do
	cp libnone.so copies/$i.so
	echo "10 bin_info $(at $one $((i * 0x100000))) $(memsz libnone.so) $TAP_DIR/copies/$i.so"
	echo "10 w:func_entry $(at $one $((i * 0x100000 + shown)))"
done >lines
made trace <lines
is "$(ulimit -n 280; "$lttngmap" view trace -e w:func_entry 2>&1 | grep -c '<shown at code.c:4>')" 300 \
	'any number of files is looked at, not all at once'
for ((i = 0; i < 20000; i++)); do
	printf '10 bin_info 0x%x 4096 /%s\n' $((i * 0x1000)) $i
done | made trace
is "$(timeout 60 "$lttngmap" view trace 2>&1 >/dev/null)" \
	'lttngmap: view: 15904 programs and libraries have no names: there are too many' \
	'what is kept of a process is bounded, and that is said'

# ---- export ----------------------------------------------------------------------------------

{
	loaded 10 $one libcode.so
	echo "10 w:func_entry $(at $one "$shown")"
	echo "10 w:func_entry $(at $one "$hidden")"
	echo "10 w:func_entry 0x123"
	echo "10 w:func_exit 0x123"
	echo "10 w:func_exit $(at $one "$hidden")"
	echo "10 w:func_exit $(at $one "$shown")"
} | made trace
is "$("$lttngmap" export trace --folded - -e 'w:*' | sed 's/^[^;]*;//; s/ .*//' | LC_ALL=C sort)" "shown
shown;hidden
shown;hidden;0x123" 'flame graphs have the names'
is "$("$lttngmap" export trace --folded - -e 'w:*' --no-symbols | sed 's/^[^;]*;//; s/ .*//' | LC_ALL=C sort)" \
	"$(at $one "$shown")
$(at $one "$shown");$(at $one "$hidden")
$(at $one "$shown");$(at $one "$hidden");0x123" '  ... unless they are not wanted'
"$lttngmap" export trace --chrome - -e 'w:*' >out.json
is "$(jq -c '[.traceEvents[] | select(.ph == "B") | [.name, .args.symbols.addr.line]]' out.json)" \
	'[["shown",4],["hidden",3],["0x123",null]]' "Chrome's JSON has them"
"$lttngmap" export trace --perfetto out.perfetto -e 'w:*'
is "$(protoc --decode=Trace -I "$utils" perfetto.proto <out.perfetto | grep -oE '"(shown|hidden|0x123)[^"]*"' | LC_ALL=C sort | uniq -c | sed 's/^ *//')" \
	'1 "0x123"
4 "hidden at code.c:3"
1 "hidden"
4 "shown at code.c:4"
1 "shown"' 'Perfetto has them'

# ---- of a program -------------------------------------------------------------------------------

if [[ -n ${LTTNGMAP_PLAIN:-} ]]; then
	. "$LTTNGMAP_SRC/tests/utils/counted-calls.sh"
	# shellcheck disable=SC2317 # called by some_events
	recorded() {
		rm -rf recorded
		"$lttngmap" record -q -o recorded --preload cyg-profile,dl --mode blocking -e '*:*' \
			--context vpid,vtid,procname,ip -- "$LTTNGMAP_PLAIN/tests/utils/instrumented" 1 \
			>"$TAP_DIR/out" 2>&1
		babeltrace2 recorded --debug-info >text 2>complaints
	}
	some_events recorded
	# FUNCTION, its source and line, of the address of each entry.
	grep ':func_entry:' text |
		sed -E 's/.* func = "([a-z]+)\+0", src = "([^"]*)" .*/\1 at \2/' | sort | uniq -c >theirs
	"$lttngmap" view recorded -e func_entry | sed -E 's/.* ip=0x[0-9a-f]* <([^>]*)>.*/\1/' |
		sort | uniq -c >ours
	is "$(<ours)" "$(<theirs)" 'functions are called what babeltrace2 calls them'
	is "$(awk '{ print $2, $1 }' ours)" 'fibonacci 708
leaf 356
main 1
rounds 4' '  ... and were called as often'
	is "$("$lttngmap" view recorded -e func_entry | sed -nE 's/.* call_site=0x[0-9a-f]* <([a-z_]*).*/\1/p' |
		sort -u | grep -v '^_*libc\|^start')" 'fibonacci
rounds' '  ... by whom they were'
else
	skip 3 'a program with sanitizers is not recorded: set LTTNGMAP_PLAIN to a build without'
fi
done_testing
