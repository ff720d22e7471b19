#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A stream has a packet of 1 GiB that is a hole but for its header, and garbage behind it. Those who
# copy it write no more than is there: view, view --follow, merge.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
export LTTNGMAP_ALLOW_BLOCKING=1 TMPDIR=$TAP_DIR/copies
mkdir "$TMPDIR"

numbered_record --mode blocking -- "$LTTNGMAP_BUILD/tests/utils/emit" "$NUMBERED_COUNTS" 1 2000
python3 - "$numbered_trace" <<'END' || bail_out 'no stream could be changed'
import glob, struct, sys

HEADER = struct.Struct("<I16sIQQQQQQQIII36s")
HOLE = 1 << 30
stream = sorted(glob.glob(sys.argv[1] + "/**/index/*.idx", recursive=True))[0]
index, stream = stream, stream.replace("/index/", "/")[:-4]
with open(stream, "rb") as file:
    data = file.read()
at = 0
while at < len(data):
    fields = list(HEADER.unpack_from(data, at))
    at += fields[7] // 8
fields[4] = fields[5]
fields[6], fields[7] = HEADER.size * 8, HOLE * 8
fields[8] += 1
with open(stream, "r+b") as file:
    file.seek(at)
    file.write(HEADER.pack(*fields))
    file.seek(at + HOLE)
    file.write(b"garbage!" * 30)
with open(index, "rb") as file:
    length = struct.unpack(">I", file.read(16)[12:])[0]
    file.seek(-length, 2)
    entry = list(struct.unpack(f">{length // 8}Q", file.read()))
entry[:5] = [at, fields[7], fields[6], fields[4], fields[5]]
entry[8] = fields[8]
with open(index, "ab") as file:
    file.write(struct.pack(f">{length // 8}Q", *entry))
END

# written COMMAND...: bytes that it writes; its output is in $TAP_DIR/out, and counts.
written() {
	bash -c '"$@" >"$0" 2>&1; sed -n "s/^wchar: //p" /proc/$$/io' "$TAP_DIR/out" "$@"
}
most=$((64 << 20))
bytes=$(written "$lttngmap" view "$numbered_trace")
ok "view writes $bytes bytes" test "$bytes" -gt 0 -a "$bytes" -lt $most
is "$(grep -c 'numbered:event' "$TAP_DIR/out")" 2000 '  ... and shows all events'
like "$(<"$TAP_DIR/out")" 'is broken: ' '  ... and says that the stream is broken'
bytes=$(written timeout 60 "$lttngmap" view --follow "$numbered_trace")
ok "view --follow writes $bytes bytes" test "$bytes" -gt 0 -a "$bytes" -lt $most
is "$(grep -c 'numbered:event' "$TAP_DIR/out")" 2000 '  ... and shows all events'
bytes=$(written "$lttngmap" merge -o "$TAP_DIR/merged" "$numbered_trace" "$numbered_trace")
ok "merge writes $bytes bytes" test "$bytes" -gt 0 -a "$bytes" -lt $most
ok '  ... and its output takes no more' test "$(du -sk "$TAP_DIR/merged" | cut -f1)" -lt $((most >> 10))
is "$("$lttngmap" view "$TAP_DIR/merged" 2>&1 | grep -c 'numbered:event')" 2000 '  ... and has all events'
is "$(ls "$TMPDIR")" '' 'no copy is left'

done_testing
