#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Traces that somebody forged against babeltrace2: metadata that describes more than any memory holds, or
# nests without end, in our dialect and in others, and an index that is a FIFO. view, export, report and
# merge refuse the metadata with file and line, in little memory, and read past the index.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
export TMPDIR=$TAP_DIR/tmp
mkdir "$TMPDIR"
numbered_record -- "$LTTNGMAP_BUILD/tests/utils/emit" "$NUMBERED_COUNTS" 1 100
metadata=$(find "$numbered_trace" -name metadata -path '*ust*')
folder=${metadata%/metadata}
cp "$metadata" "$TAP_DIR/sound"

# forge NAME: writes the metadata with that forgery; the fields of its first event are others.
forge() {
	python3 - "$1" "$TAP_DIR/sound" "$metadata" <<'END'
import re, sys
name, source, to = sys.argv[1:]
text = open(source).read()
ours = "integer { size = 8; align = 8; signed = 0; encoding = none; base = 10; }"
before, field = "", {
    "array": "uint8_t _q[1000000000];",
    "array-32-bits": "uint8_t _q[4294967295];",
    "array-64-bits": "uint8_t _q[18446744073709551615];",
    "array-that-wraps": "struct { struct { uint8_t a; } b; } _q[9223372036854775808];",
    "array-hexadecimal": "uint8_t _q[0x3b9aca00];",
    "array-behind-comment": "uint8_t // \"\n _q[1000000000]; // \"\n",
    "array-ours": ours + " _q[1000000000];",
    "arrays-ours": (ours + " _q%d[900000]; ") * 9 % tuple(range(9)),
    "arrays-of-arrays": "uint8_t _q" + "[100]" * 20 + ";",
    "arrays-nested": "uint8_t _q" + "[1]" * 60000 + ";",
    "structs-nested": "struct { " * 60000 + "uint8_t q;" + " } x;" * 60000,
}.get(name, "")
if name == "structs-doubled":
    before = "struct s0 { uint8_t a; };\n" + "".join(
        f"struct s{i} {{ struct s{i - 1} a; struct s{i - 1} b; }};\n" for i in range(1, 40))
    field = "struct s39 _q;"
elif name == "structs-tripled":
    before = "struct s0 { uint8_t a; };\n" + "".join(
        f"struct s{i} {{ struct s{i - 1} a, b, c; }};\n" for i in range(1, 30))
    field = "struct s29 _q;"
elif name == "typedefs-chained":
    before = "typedef uint8_t t0[1];\n" + "".join(
        f"typedef t{i - 1} t{i}[1];\n" for i in range(1, 30000))
    field = "t29999 _q;"
elif name == "typealiases-multiplied":
    before = "typedef uint8_t t0[1];\n" + "".join(
        f"typealias struct {{ t{i - 1} a[50]; }} := t{i};\n" for i in range(1, 20))
    field = "t19 _q;"
elif name == "parentheses":
    text = re.sub(r"freq = (\d+)", lambda m: "freq = " + "(" * 100000 + m[1] + ")" * 100000, text)
elif name == "signs":
    text = re.sub(r"freq = (\d+)", lambda m: "freq = " + "-" * 200000 + m[1], text)
elif name == "sane":
    before = "typealias struct { uint8_t a[16]; struct { uint8_t b; } c[2][3]; } := pair_t;\n"
text = text.replace("trace {", before + "trace {", 1)
if field:
    text, count = re.subn(r"(fields := struct \{)", lambda m: m[1] + field, text, count=1)
    assert count == 1
open(to, "w").write(text)
END
}

# A sanitizer wants address space without a limit.
limit=$((1 << 20))
[[ -z ${LTTNGMAP_SANITIZED:-} ]] || limit=unlimited
limited() { # VERB...; in 1 GiB of address space, and 20 s
	(ulimit -v "$limit" && exec timeout 20 "$lttngmap" "$@") >"$TAP_DIR/out" 2>"$TAP_DIR/err"
	status=$?
}
refused() { # VERB...
	limited "$@"
	[[ $status == 1 ]] && grep -q "metadata: line [0-9]*: t.*; the trace is not read" "$TAP_DIR/err"
}

for name in array array-32-bits array-64-bits array-that-wraps array-hexadecimal array-behind-comment array-ours arrays-ours \
	arrays-of-arrays arrays-nested structs-nested structs-doubled structs-tripled typedefs-chained \
	typealiases-multiplied parentheses signs; do
	forge $name
	ok "view refuses $name" refused view --no-symbols "$numbered_trace" || diag "$status: $(<"$TAP_DIR/err")"
done
forge typedefs-chained
limited view --no-symbols "$numbered_trace"
like "$(<"$TAP_DIR/err")" 'metadata: line [0-9]*: types that are nested too deeply' 'a chain is refused for its depth, not for its size'
forge array-ours
ok 'so does view --follow' refused view --follow "$numbered_trace" || diag "$status: $(<"$TAP_DIR/err")"
ok 'so does export' refused export --perfetto "$TAP_DIR/exported" "$numbered_trace"
ok 'so does report' refused report -o "$TAP_DIR/page.html" "$numbered_trace"
limited merge -o "$TAP_DIR/merged" "$numbered_trace"
is "$status" 1 'and merge' || diag "$(<"$TAP_DIR/err")"

# shows WHAT: view has all events, and reads the trace in time.
shows() {
	limited view --no-symbols "$numbered_trace"
	is "$status $(grep -c 'numbered:event' "$TAP_DIR/out")" '0 100' "$1" || diag "$(<"$TAP_DIR/err")"
}
forge sane
shows 'other tracers may have structures and arrays'
cp "$TAP_DIR/sound" "$metadata"
shows 'our own metadata is within the bounds'
for tail in x ']' '/* no end' '//' '"'; do
	{ cat "$TAP_DIR/sound" && printf '%s' "$tail"; } >"$metadata"
	limited view --no-symbols "$numbered_trace"
	ok "a text that ends with $tail is read to its end" test "$status" -lt 124 || diag "$status: $(<"$TAP_DIR/err")"
done
cp "$TAP_DIR/sound" "$metadata"
index=$(find "$folder/index" -name '*.idx' | head -n 1)
rm "$index"
mkfifo "$index"
shows 'an index that is a FIFO is not used'
like "$(<"$TAP_DIR/err")" "${index##*/} is no regular file: it is not used.*remove it; then 'lttngmap recover" 'and is named'
for verb in 'export --perfetto' 'report -o'; do
	# shellcheck disable=SC2086 # words
	limited $verb "$TAP_DIR/made" "$numbered_trace"
	is "$status" 0 "${verb%% *} reads it, too" || diag "$(<"$TAP_DIR/err")"
done
mv "$index" "$TAP_DIR/fifo"
limited recover "$numbered_trace"
ok 'removed, it is written anew by recover' eval '[[ $status == 0 && -s $index ]]' || diag "$(<"$TAP_DIR/err")"
rm "$index"
mv "$TAP_DIR/fifo" "$index"
forge sane
shows "nor in another tracer's trace"
cp "$TAP_DIR/sound" "$metadata"
mkdir "$folder/zz"
mkfifo "$folder/zz/metadata"
for verb in view 'report -o' 'export --json'; do
	made=()
	[[ $verb == view ]] || made=("$TAP_DIR/made")
	# shellcheck disable=SC2086 # words
	limited $verb "${made[@]}" -e nosuch:event "$numbered_trace"
	ok "${verb%% *} looks for an event's name in no metadata that is a FIFO" \
		eval '[[ $status -lt 124 ]] && grep -q "no event .nosuch:event." "$TAP_DIR/err"' || diag "$status: $(<"$TAP_DIR/err")"
done
rm -r "$folder/zz"
rm "$metadata"
mkfifo "$metadata"
limited view "$numbered_trace"
is "$status" 1 'metadata that is a FIFO is not read' || diag "$(<"$TAP_DIR/err")"
truncate -s 300M "$TAP_DIR/large"
rm "$metadata"
cp --sparse=always "$TAP_DIR/large" "$metadata"
limited view "$numbered_trace"
is "$status" 1 'nor metadata that is too large to be measured' || diag "$(<"$TAP_DIR/err")"
is "$(find "$TMPDIR" -mindepth 1)" '' 'no copy is left'
done_testing
