# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""held_blocks.py <LINES - of lines of JSON with the events of the libc family: how many bytes, in
how many blocks, were not freed."""
import json
import sys

held, moved = {}, {}
for event in map(json.loads, sys.stdin):
    name, fields = event["event"].split(":")[1], event["fields"]
    # Processes have addresses of their own.
    old, pointer = (address and (event["pid"], address)
                    for address in (fields.get("in_ptr"), fields.get("out_ptr", fields.get("ptr"))))
    size = fields.get("size", 0)
    if name == "free":
        held.pop(pointer, None)
        moved.pop(pointer, None)
        continue
    if name == "realloc" and old and (pointer or size == 0):
        if moved.get(old):
            moved[old] -= 1
        else:
            held.pop(old, None)
    if pointer:
        if pointer in held:
            moved[pointer] = moved.get(pointer, 0) + 1
        held[pointer] = size * fields.get("nmemb", 1)
print(sum(held.values()), len(held))
