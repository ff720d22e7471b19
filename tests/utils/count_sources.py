#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""count_sources.py COUNTS [--more] <CSV: what a map has of each source of numbered events
(tests/utils/numbered.h), "source,events,sum": at least what the source knows to be done, at most
what it has begun. --more: fewer are no error, for some were emitted while no daemon was there."""
import struct
import sys

data = open(sys.argv[1], "rb").read()
counted = {int(line.split(",")[0]): int(line.split(",")[1]) for line in sys.stdin}
nr_sources = 0
# struct numbered_counts
for i in range((len(data) - 64) // 24):
    begun, done, pid, _ = struct.unpack_from("=QQII", data, 64 + i * 24)
    if not pid:
        continue
    nr_sources += 1
    least = 0 if "--more" in sys.argv else done
    if not least <= counted.get(i, 0) <= begun:
        print(f"source {i}: {done} done, {begun} begun, {counted.get(i, 0)} counted")
print(f"{nr_sources} sources")
