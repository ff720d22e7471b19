#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""damage_stream.py KIND STREAM [NUMBER] - damage a packet of a stream file, or its index, by hand.

NUMBER: of the packet, from 0; the second one otherwise. Records are those of numbered:event.

Prints "wrong packet", "rest" (no packet behind it can be found), "file" (none of it can be used)
or "index": what a reader has to leave out.
"""
import os
import struct
import sys

HEADER = struct.Struct("<I16sIQQQQQQQIII36s")
FIELDS = ("magic uuid stream instance begin end content size sequence discarded cpu pid uid "
          "program").split()


def packets(data):
    at, found = 0, []
    while at < len(data):
        found.append(at)
        at += struct.unpack_from("<Q", data, at + 56)[0] // 8
    return found


def change(data, at, **changes):
    header = dict(zip(FIELDS, HEADER.unpack_from(data, at)))
    for name, value in changes.items():
        header[name] = value(header[name]) if callable(value) else value
    HEADER.pack_into(data, at, *(header[name] for name in FIELDS))


def main(kind, path, number=1):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    second = packets(data)[int(number)]
    record = second + HEADER.size
    headers = {
        "magic": ({"magic": 0x12345678}, "packet"),
        "uuid": ({"uuid": bytes(16)}, "packet"),
        "content": ({"content": 8}, "packet"),
        "size": ({"size": lambda size: size * 1000, }, "packet"),
        "huge": ({"size": 2**64 - 8, "content": 2**64 - 8}, "packet"),
        "stream": ({"stream": 77}, "packet"),
        "instance": ({"instance": 1}, "packet"),
        "begin": ({"begin": 1}, "packet"),
        "end": ({"end": 2**63}, "packet"),
        "backwards": ({"end": 5}, "packet"),
        "sequence": ({"sequence": 0}, "packet"),
    }
    result = "packet"
    if kind in headers:
        changes, result = headers[kind]
        change(data, second, **changes)
    elif kind == "id":
        data[record:record + 2] = b"\xfe\xff"
    elif kind == "length":
        # Header, source, number and text: then a count, and so many elements.
        count = data.index(0, record + 8 + 4 + 8) + 1
        data[count:count + 4] = struct.pack("=I", 1 << 20)
    elif kind == "string":
        content = second + struct.unpack_from("<Q", data, second + 48)[0] // 8
        data[record + 20:content] = b"x" * (content - record - 20)
    elif kind == "time":
        data[record + 7] ^= 0x40
    elif kind == "zeros":
        content = struct.unpack_from("<Q", data, second + 48)[0] // 8
        data[record:second + content] = bytes(content - HEADER.size)
    elif kind == "torn":
        del data[record + 5:]
        result = "rest"
    elif kind == "border":
        del data[second:]
        result = "rest"
    elif kind == "empty":
        data.clear()
        result = "file"
    elif kind == "gone":
        os.unlink(path)
        print("file")
        return
    elif kind == "garbage":
        data[:] = os.urandom(5000)
        result = "file"
    elif kind == "index":
        index = os.path.join(os.path.dirname(path), "index", os.path.basename(path) + ".idx")
        with open(index, "r+b") as file:
            file.seek(16 + 72 * int(number) + 24)
            file.write(bytes(16))
        result = "index"
    else:
        sys.exit(f"no such kind: {kind}")
    with open(path, "wb") as file:
        file.write(data)
    print(result)


main(*sys.argv[1:])
