#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Parts of a trace, some of which are there twice, become the trace that it was; what is not of it
# is refused, and what is missing, torn or changed is told.

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
emit=$LTTNGMAP_BUILD/tests/utils/emit
cd "$TAP_DIR" || exit 1

# parts FROM TO NAME: of each stream, the packets from FROM to TO, in quarters of all
parts() {
	mkdir -p "$3"
	python3 - whole/ust "$3/ust" "$1" "$2" <<'END'
import os, shutil, struct, sys
whole, part, first, end = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
os.makedirs(part + "/index")
shutil.copy(whole + "/metadata", part)
for index in os.listdir(whole + "/index"):
    with open(f"{whole}/index/{index}", "rb") as file:
        header, entries = file.read(16), file.read()
    with open(f"{whole}/{index[:-4]}", "rb") as file:
        stream = file.read()
    packets = [struct.unpack_from(">9Q", entries, at) for at in range(0, len(entries), 72)]
    packets = packets[len(packets) * first // 4 : len(packets) * end // 4]
    with open(f"{part}/index/{index}", "wb") as out_index, open(f"{part}/{index[:-4]}", "wb") as out:
        out_index.write(header)
        for entry in packets:
            out_index.write(struct.pack(">9Q", out.tell(), *entry[1:]))
            out.write(stream[entry[0] : entry[0] + entry[1] // 8])
END
}
record() { # NAME
	"$lttngmap" record -o "$1" --preload none -e 'numbered:*' --mode blocking --subbuf-size 4K -- \
		"$emit" counts 2 20000 >out 2>err || bail_out "$(<err)"
}
: >counts
record whole
parts 0 2 first
parts 1 3 middle
parts 2 4 last
"$lttngmap" merge -o merged last first middle >out 2>err
is "$? $(<err)" '0 ' 'parts are merged, in whatever order' || diag "$(<err)"
like "$(<out)" '/merged: [0-9,]+ packets of [0-9]+ streams?, .*packets were there more than once' '  ... with a summary'
ok '  ... to what it was, byte by byte' diff -r --exclude='.*' whole merged
"$lttngmap" record -q -o single --preload none -e 'numbered:*' -- "$emit" counts 1 1
"$lttngmap" merge -o single-merged single >out 2>err
like "$(<out)" '/single-merged: 1 packet of 1 stream, ' 'a trace of one packet'
parts 3 4 end
"$lttngmap" merge -q -o gap first end >out 2>err
is "$? $(<out)" '0 ' 'parts with a gap are merged, too'
like "$(<err)" 'merge: [1-9][0-9,]* packets are missing' '  ... which is told'
largest=$(find first/ust -maxdepth 1 -type f ! -name metadata -printf '%s %f\n' | sort -n | tail -1 | cut -d ' ' -f 2)
cp -r first torn
truncate -s -100 "torn/ust/$largest"
"$lttngmap" merge -o mended torn middle last >out 2>err
is $? 0 'a packet that is torn' || diag "$(<err)"
like "$(<err)" "^lttngmap: merge: '.*/torn/ust/$largest' of emit \(process [0-9]+\) is broken: .* 1 of its packets cannot be read\$" '  ... is told'
ok '  ... and taken from where it is whole' diff -r --exclude='.*' whole mended
"$lttngmap" merge -o not-mended torn end >out 2>err
is $? 3 '  ... if it is nowhere whole, the trace is broken'
like "$(<err)" 'merge: 1 packet cannot be read, and no directory has them whole' '  ... which is told'
# A packet that begins before the one ahead of it ended, as its index and its own head say: a reader
# of the merged stream would refuse both.
parts 2 4 back
python3 - "$largest" <<'END'
import struct, sys
name = sys.argv[1]
with open(f"first/ust/index/{name}.idx", "rb") as index:
    before = struct.unpack(">9Q", index.read()[-72:])
with open(f"back/ust/index/{name}.idx", "r+b") as index, open(f"back/ust/{name}", "r+b") as stream:
    index.seek(16)
    entry = struct.unpack(">9Q", index.read(72))
    index.seek(16 + 3 * 8)
    index.write(struct.pack(">Q", before[3]))
    stream.seek(entry[0])
    head = stream.read(256)
    at = head.index(struct.pack("<Q", entry[3]))
    stream.seek(entry[0] + at)
    stream.write(struct.pack("<Q", before[3]))
END
"$lttngmap" merge -o in-order first back >out 2>err
is $? 3 'a packet that goes back in time is not taken'
like "$(<err)" 'merge: 1 packet cannot be read' '  ... which is told'
ok '  ... and what is merged can be read' babeltrace2 in-order
cp -r first changed
# A bit of a value, not of what tells records apart: the packet stays one that can be read.
flip() { # BYTES BEFORE THE END
	python3 - "changed/ust/$largest" "$1" <<-'END'
	import os, sys
	with open(sys.argv[1], "r+b") as file:
	    file.seek(-int(sys.argv[2]), os.SEEK_END)
	    byte = file.read(1)[0]
	    file.seek(-int(sys.argv[2]), os.SEEK_END)
	    file.write(bytes([byte ^ 1]))
	END
}
for ((at = 2000; at < 2064; at++)); do
	flip "$at"
	! "$lttngmap" view changed >/dev/null 2>&1 || break
	flip "$at"
done
"$lttngmap" merge -o differs changed middle last >out 2>err
is $? 1 'a packet that is another one elsewhere is an error'
like "$(<err)" 'packets are not the same everywhere' '  ... that is told'
cp -r last cut
truncate -s -10 cut/ust/metadata
"$lttngmap" merge -o whole-text first middle cut >out 2>err
is $? 0 'metadata that is not whole' || diag "$(<err)"
like "$(<err)" "the metadata in '.*/cut/ust' cannot be read" '  ... is told'
ok '  ... and that of another part taken' diff -r --exclude='.*' whole whole-text
cp -r middle without
rm without/ust/metadata
"$lttngmap" merge -o whole-packets first without last >out 2>err
ok 'packets beside which there is none are taken' diff -r --exclude='.*' whole whole-packets
"$lttngmap" merge -o nothing-whole cut without >out 2>err
is $? 1 'where there is none at all, it is an error'
like "$(<err)" "no directory has metadata of 'ust'" '  ... that is told'
mkdir -p "$TAP_DIR/closed"
cp -r first last closed
chmod 755 "$TAP_DIR" && chmod 0 closed/last
unprivileged=()
[[ $EUID != 0 ]] || unprivileged=(setpriv --reuid=65534 --regid=65534 --clear-groups)
mkdir -m 777 for-all
"${unprivileged[@]}" "$lttngmap" merge -o for-all/merged closed >out 2>err
is $? 1 'a directory that cannot be read is an error'
like "$(<err)" "closed/last': Permission denied" '  ... that is told'
chmod 755 closed/last
record foreign
refused() { # REGEX NAME DIR...: and nothing is left
	"$lttngmap" merge -o refused "${@:3}" >out 2>err
	is "$? $(ls -A refused 2>&1)" "1 ls: cannot access 'refused': No such file or directory" "$2"
	like "$(<err)" "$1" '  ... and it is said why'
}
refused 'of another trace' 'another trace is refused' first foreign
mkdir empty
refused "no trace in 'empty'" 'so is a directory without one' first empty
refused 'No such file' 'and one that is not there' first nothing
mkdir -p lost/ust
cp first/ust/metadata lost/ust
refused 'nothing to merge' 'so is one without a packet' lost
"$lttngmap" merge -o beside last lost first middle >out 2>err
is $? 0 '  ... but not beside others: that connection was lost at its beginning' || diag "$(<err)"
like "$(<err)" "'lost' has no packet" '  ... which is told'
ok '  ... and nothing is missing' diff -r --exclude='.*' whole beside
cp -r first bad
printf 'x' | dd of="bad/ust/index/$largest.idx" bs=1 conv=notrunc status=none
"$lttngmap" merge -o no-index bad last >out 2>err
is "$? $(<err)" '0 ' 'an index that is none is not needed'
ok '  ... and nothing is missing' diff -r --exclude='.*' whole no-index
"$lttngmap" merge -o whole first >out 2>err
is $? 1 'a directory with something in it is not written to'
"$lttngmap" merge >out 2>err
is $? 2 'without directories, it is a usage error'

# ---- chunks

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
mkdir -m 700 "$SESSIOND_DIR"
sessiond_start
cleanup sessiond_stop
do_all 'create c -o chunks' 'channel events --mode blocking' 'enable numbered:*' 'start'
for _ in 1 2; do
	"$emit" counts 1 1000 >out 2>&1
	"$lttngmap" rotate >out 2>&1 || diag "$(<out)"
done
"$lttngmap" stop >out 2>&1
kept=$(sed -n 's/^ *\([0-9,]*\) events* kept.*/\1/p' out | tr -d ,)
"$lttngmap" destroy >out 2>&1 || diag "$(<out)"
"$lttngmap" merge -o one chunks >out 2>err
is "$? $(<err)" '0 ' 'chunks are merged'
is "$(babeltrace2 one 2>said | wc -l) $(<said)" "$kept " '  ... to one trace, of which babeltrace2 has nothing to say'
done_testing
