#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""spoil_ledger.py LEDGER HOW - write wild values over what is used of a saved ledger.

HOW: a seed for a few random words and bytes; "described": no event class is described; "class ID":
the first event class has another id.
"""
import mmap
import os
import random
import struct
import sys

CLASS = struct.Struct("=IIQ")  # struct ledger_entry: user, id, size of the class behind it
VALUES = [0, 1, 255, 2**32 - 1, 2**64 - 1, 2**47, 2**62]


def extents(fd):
    """The file's parts that are no holes, in order: (offset, bytes)."""
    at = 0
    while True:
        try:
            start = os.lseek(fd, at, os.SEEK_DATA)
        except OSError:
            return
        at = os.lseek(fd, start, os.SEEK_HOLE)
        yield start, os.pread(fd, at - start, start)


def find_class(fd):
    for start, data in extents(fd):
        size = CLASS.unpack_from(data)[2]
        if size < len(data) and b"numberedevent" in data[CLASS.size:CLASS.size + size]:
            return start, data
    sys.exit("no event class is found")


def main(path, how, *values):
    fd = os.open(path, os.O_RDWR)
    if how == "class":
        os.pwrite(fd, struct.pack("=I", int(values[0])), find_class(fd)[0] + 4)
        return
    if how == "described":
        # Bits of ids stand behind the logs: the next part that is used.
        log = find_class(fd)[0]
        start = next(start for start, _ in extents(fd) if start > log)
        os.pwrite(fd, bytes(mmap.PAGESIZE), start)
        return
    random.seed(int(how))
    parts = [[start + i for i in range(0, len(data), 8) if any(data[i:i + 8])]
             for start, data in extents(fd)]
    parts = [part for part in parts if part]
    for _ in range(random.randrange(1, 6)):
        os.pwrite(fd, struct.pack("=Q", random.choice(VALUES)), random.choice(random.choice(parts)))
        if random.randrange(3) == 0:
            os.pwrite(fd, bytes([random.randrange(256)]),
                      random.choice(random.choice(parts)) + random.randrange(8))


main(*sys.argv[1:])
