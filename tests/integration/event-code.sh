#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The machine code of an event, from the library's symbol to its return: how many instructions, and
# none that is slow or that a leaf function does not need. doc/design/ring.md has the same code,
# line by line.
. "$LTTNGMAP_SRC/tests/utils/tap.sh" || exit 1

need_plain
[[ $(uname -m) == x86_64 ]] || skip_all 'the fast way is for x86-64 so far'
command -v objdump >/dev/null || skip_all 'no objdump here'

library=$LTTNGMAP_PLAIN/.libs/liblttngmap.so

# code SYMBOL: its instructions to its return, without what CET puts first.
code() {
	objdump -d --no-show-raw-insn --disassemble="$1" "$library" |
		sed -n "/<$1>:\$/,/^\$/s/^ *[0-9a-f]*:\t//p" | grep -v '^endbr64' | sed '/^ret/q'
}

# is_leaf NAME: of $code.
is_leaf() {
	is "$(grep -cE '^(push|pop|call|enter|leave|sub .*,%rsp)' <<<"$code")" 0 "$1: no frame, no call"
	is "$(grep -cE '^(i?mul|i?div|lock|xchg|mfence|rep|cpuid|syscall)' <<<"$code")" 0 \
		"$1: no multiplication, nothing locked, no system call"
	is "$(grep -c '^rdtsc' <<<"$code")" 1 "$1: the clock is read once"
	is "$(tail -n 1 <<<"$code" | cut -f 1)" ret "$1: it ends by its return"
}

code=$(code lttngmap_event_write)
is "$(wc -l <<<"$code")" 68 'an event of up to 16 bytes: 68 instructions'
is_leaf 'up to 16 bytes'
is "$(grep -c '^j' <<<"$code")" 11 '… of which 11 are branches, and none is taken'
is "$(grep -c 'rip' <<<"$code")" 6 "… and 6 load what is the library's own"

code=$(code event_fast_long)
is "$(wc -l <<<"$code")" 76 'a larger event: 76 instructions'
is_leaf 'larger'

code=$(code event_fast_ip)
is "$(wc -l <<<"$code")" 89 'with vtid, ip or both: 89 instructions behind the first 25, of which few are taken'
is_leaf 'vtid and ip'

code=$(code event_fast_many)
is "$(wc -l <<<"$code")" 74 'several channels: 74 instructions behind the first 35'
is_leaf 'several channels'

code=$(code event_fast_map)
is "$(wc -l <<<"$code")" 31 'counted by an int: 31 instructions behind the first 22'
is "$(grep -cE '^(push|pop|call|enter|leave|sub .*,%rsp)' <<<"$code")" 0 'counted: no frame, no call'
is "$(grep -cE '^(i?div|lock|xchg|mfence|rep|cpuid|syscall|rdtsc)' <<<"$code")" 0 \
	'counted: no division, nothing locked, no system call, no clock'
is "$(tail -n 2 <<<"$code" | head -n 1 | cut -c -4)" incq 'counted: the last instruction counts'

# By the compiler. Behind the return stands what is rare.
code=$(code event_write_trylock)
ok 'by trylock: not more than 180 instructions' test "$(wc -l <<<"$code")" -le 180
is "$(grep -c '^lock' <<<"$code")" 1 '… of which one is locked'
is "$(grep -cE '^(call|i?div|xchg|mfence|rep|cpuid|syscall)' <<<"$code")" 0 '… no call, and no system call'
is "$(grep -c '^rdtsc' <<<"$code")" 1 '… and one reads the clock'

# The page has what is compiled here.
sed -n '/^## An event, instruction by instruction/,/^## /p' "$LTTNGMAP_SRC/doc/design/ring.md" |
	sed -n 's/^| `\([a-z0-9]*\)[^|]*|.*/\1/p' >"$TAP_DIR/documented"
code lttngmap_event_write | sed 's/[ \t].*//' >"$TAP_DIR/compiled"
is "$(diff "$TAP_DIR/documented" "$TAP_DIR/compiled")" '' 'doc/design/ring.md has the same instructions in the same order'
done_testing
