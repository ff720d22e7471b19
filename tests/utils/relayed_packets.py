#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""relayed_packets.py OUT FOLDER...: what a collector has of one trace, in the folders that several
connections made, the oldest first. OUT becomes the same trace with each packet once.

A packet is known by its stream's instance and its own number there. One line "NAME VALUE" each:
  packets   different ones
  repeated  that are in more than one folder
  repeated_bytes  of these
  missing   numbers that are left out
  changed   packets that are not the same in two folders
  bytes     of different packets
"""
import os
import shutil
import struct
import sys

HEADER, ENTRY = struct.Struct(">4I"), struct.Struct(">9Q")


def packets_of(folder, name):
    """(instance, number, entry, bytes) of the packets that an index names."""
    with open(os.path.join(folder, "index", name + ".idx"), "rb") as file:
        index = file.read()
    with open(os.path.join(folder, name), "rb") as file:
        stream = file.read()
    for at in range(HEADER.size, len(index) - ENTRY.size + 1, ENTRY.size):
        entry = ENTRY.unpack_from(index, at)
        packet = stream[entry[0] : entry[0] + entry[1] // 8]
        if len(packet) != entry[1] // 8:
            raise SystemExit(f"{folder}/{name}: a packet that its index names is not there")
        yield entry[7], entry[8], entry, packet


def main(out, folders):
    seen, written, found = {}, {}, dict.fromkeys(("repeated", "repeated_bytes", "changed", "bytes"), 0)
    os.makedirs(os.path.join(out, "index"))
    for folder in folders:
        # Of a connection that was lost at its beginning.
        if not os.path.isdir(os.path.join(folder, "index")):
            continue
        shutil.copy(os.path.join(folder, "metadata"), out)
        for index in sorted(os.listdir(os.path.join(folder, "index"))):
            name = index[: -len(".idx")]
            for instance, number, entry, packet in packets_of(folder, name):
                former = seen.setdefault((instance, number), packet)
                if former is not packet:
                    found["repeated"] += 1
                    found["repeated_bytes"] += len(packet)
                    found["changed"] += former != packet
                    continue
                found["bytes"] += len(packet)
                at = written.setdefault(name, 0)
                written[name] += len(packet)
                with open(os.path.join(out, name), "ab") as file:
                    file.write(packet)
                with open(os.path.join(out, "index", index), "ab") as file:
                    if at == 0:
                        file.write(HEADER.pack(0xC1F1DCC1, 1, 1, ENTRY.size))
                    file.write(ENTRY.pack(at, *entry[1:]))
    numbers = {}
    for instance, number in seen:
        numbers.setdefault(instance, []).append(number)
    missing = sum(max(each) + 1 - len(each) for each in numbers.values())
    for name, value in [("packets", len(seen)), ("missing", missing), *found.items()]:
        print(name, value)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
