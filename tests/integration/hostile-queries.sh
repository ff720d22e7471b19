#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Traces that somebody forged against `query`: holes in files that have any size, names of columns that differ in case
# only, contexts declared twice, links to what is no file, and texts against a terminal.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
cd "$TAP_DIR" || exit 1
python3 - <<'END'
import os, struct
uuid = bytes(range(16))
head = """/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = 0; } := uint32_t;
typealias integer { size = 64; align = 8; signed = 0; } := uint64_t;
typealias integer { size = 8; align = 8; signed = 0; } := uint8_t;
trace { major = 1; minor = 8; uuid = "00010203-0405-0607-0809-0a0b0c0d0e0f"; byte_order = le;
 packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; uint64_t stream_instance_id; };
};
env { domain = "ust"; tracer_name = "lttng-ust"; tracer_major = 2; tracer_minor = 13; trace_name = "record";
 hostname = "vm"; lttngmap_version = "0.1.0"; lttngmap_abi_major = 1; lttngmap_abi_minor = 0; lttngmap_channel_0 = "events"; };
clock { name = "tsc"; description = "x"; freq = 1000000000; offset_s = 1795726031; offset = 0; absolute = TRUE; };
typealias integer { size = 64; align = 8; signed = 0; map = clock.tsc.value; } := clock_value_t;
stream { id = 0;
 event.header := struct { integer { size = 16; align = 8; signed = 0; } id;
  integer { size = 48; align = 8; signed = 0; map = clock.tsc.value; } timestamp; };
 packet.context := struct { clock_value_t timestamp_begin; clock_value_t timestamp_end; uint64_t content_size;
  uint64_t packet_size; uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id; uint32_t pid; uint32_t uid;
  integer { size = 8; align = 8; signed = 0; encoding = UTF8; base = 10; } procname[36]; };
%s};
"""

def event(number, name, fields):
    return f'event {{ name = "{name}"; id = {number}; stream_id = 0; loglevel = 13; fields := struct {{ {fields} }}; }};\n'

def header(size, begin=1000, instance=0):
    return struct.pack("<I16sIQQQQQQQIII36s", 0xC1FC1FC1, uuid, 0, instance, begin, begin + 1000, size * 8, size * 8, 0, 0, 0, 7, 0, b"hostile")

def packet(records):
    return header(len(header(0)) + len(records)) + records

def trace(name, events, streams, contexts=""):
    os.makedirs(f"{name}/ust/index")
    with open(f"{name}/ust/metadata", "w") as file:
        file.write(head % contexts + events)
    for stream, content in streams.items():
        with open(f"{name}/ust/{stream}", "wb") as file:
            file.write(content)

byte = "integer { size = 8; align = 8; signed = 0; } "
word = "integer { size = 64; align = 8; signed = 0; } "
one = struct.pack("<Q", 1 | 1000 << 16)
trace("index", event(1, "p:x", ""), {"s_0": packet(one) + bytes(4096)})
with open("index/ust/index/s_0.idx", "wb") as file:
    file.write(struct.pack(">IIII", 0xC1F1DCC1, 1, 1, 72))
    file.truncate(15 << 40)
trace("holes", event(0, "p:zero", ""), {})
for i in range(4):
    with open(f"holes/ust/s_{i}", "wb") as file:
        file.write(header(1 << 27, 1 << 48, i))
        file.truncate(1 << 27)
names = ["".join(c.upper() if k >> i & 1 else c for i, c in enumerate("a" * 10)) + "a" * 490 for k in range(126)]
trace("columns", "".join(event(j + 1, "p:many", "".join(f"{byte}_{n}; " for n in names)) for j in range(3)),
      {"s_0": packet(one + bytes(126))})
trace("twice", event(1, "p:x", word + "_v;"), {"s_0": packet(one + bytes(20))},
      f" event.context := struct {{ {word}_a; }};\n event.context := struct {{ {byte}_vtid; }};\n")
trace("fields", event(1, "p:x", f"{byte}_a; }}; fields := struct {{ {word}_v;"), {"s_0": packet(one + bytes(8))})
text = "\x1b]0;title\x07\x9b31m\u202emoc".encode()
string = "string { encoding = UTF8; } _s;"
trace("letters", event(1, "p:x", string), {"s_0": packet(one + text + b"\0")})
trace("link", event(1, "p:x", ""), {"s_0": packet(one)})
END

# asks TRACE SQL: in `out`, `err`, `status`, and `kib` of memory.
asks() {
	timeout 60 python3 - "$lttngmap" "$@" >out 2>err <<'END'
import resource, subprocess, sys
status = subprocess.run([sys.argv[1], "query", "--csv", *sys.argv[2:]]).returncode
print("KiB", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(status)
END
	status=$?
	kib=$(sed -n 's/^KiB //p' err)
}
asks index 'SELECT count(*) FROM events'
ok 'an index that is a hole is passed' eval '[[ $status == 3 ]] && grep -qx "1.*" out' || diag "$status: $(<err)"
asks holes 'SELECT time FROM events LIMIT 1'
# A sanitizer's own memory is much more than that.
ok 'packets of holes take no memory' \
	eval '[[ $status == 0 && (${LTTNGMAP_SANITIZED:-} || $kib -lt 65536) ]]' || diag "$status: $kib KiB; $(<err)"
asks columns 'SELECT count(*) FROM "p:many"'
ok 'names that differ in case are told apart in time' eval '[[ $status == 0 ]] && grep -qx "1.*" out' || diag "$status: $(<err)"
for name in twice fields; do
	asks "$name" 'SELECT * FROM events'
	is "$status" 1 "$name: what is declared twice is not read"
done
mkfifo link/pipe
ln -s ../pipe link/ust/s_1
ln -s ../../pipe link/ust/index/s_0.idx
(: >link/pipe && : >opened) &
writer=$!
for verb in "query link SELECT+1+FROM+events" "view link" "report --text link"; do
	read -ra words <<<"$verb"
	timeout 60 "$lttngmap" "${words[@]//+/ }" >out 2>err
	ok "${words[0]} opens no FIFO behind a link" test ! -e opened
done
kill "$writer"
# A terminal.
asked() { # OPTION
	PAGER="cat" script -qec "'$lttngmap' query $1 letters 'SELECT fields, process, json_extract(fields, \"\$.s\") FROM events'" /dev/null </dev/null
}
for option in --csv --json; do
	asked "$option" >out
	ok "$option: no letter directs a terminal" eval '[[ -s out ]] && ! grep -q $'"'\\x1b\\|\\x07\\|\\xc2\\x9b\\|\\xe2\\x80\\xae'"' out' ||
		diag "$(cat -v out)"
done
mkdir -p others own
ln -s "$TAP_DIR/kept" own/.lttngmap-query
for folder in others own; do
	[[ $folder == own ]] || chmod 0777 others
	script -qec "HOME='$TAP_DIR/$folder' '$lttngmap' query letters" /dev/null <<<$'SELECT 1;\n.quit' >/dev/null
done
ok 'the history follows no link' test ! -e kept
ok '  ... and is not left where others may write' test ! -e others/.lttngmap-query
done_testing
