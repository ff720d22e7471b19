#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""bell_latency.py LOG STREAM PACKETS PID...: waits until so many packets are in the stream. Then
"MEDIAN MOST WAKES PACKETS": milliseconds from a full sub-buffer to its packet on disk, and the
wake-ups of the processes in a hundred packets. LOG is of the utility `paced`, and sub-buffers have 4 KiB."""

import os
import sys
import time
from bisect import bisect_right

PAGE, HEAD, TAIL, RECORD = 4096, 128, 8, 16
FIRST = (PAGE - TAIL) // RECORD
EACH = (PAGE - HEAD - TAIL) // RECORD


def packets_on_disk(stream):
    try:
        size = os.stat(stream).st_size
    except FileNotFoundError:
        return 0
    first = HEAD + FIRST * RECORD
    return 0 if size < first else 1 + (size - first) // (HEAD + EACH * RECORD)


def wake_ups(pids):
    wakes = 0
    for pid in pids:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/status", encoding="ascii") as status:
                wakes += sum(int(line.split()[1]) for line in status if line.startswith("voluntary"))
    return wakes


def main():
    log, stream, most, pids = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    seen = []
    begin, first = wake_ups(pids), packets_on_disk(stream)
    deadline = time.monotonic() + 60
    seen = [0] * first
    while len(seen) < first + most and time.monotonic() < deadline:
        now = time.monotonic() * 1000
        seen += [now] * (packets_on_disk(stream) - len(seen))
        time.sleep(0.0005)  # a look each
    wakes = wake_ups(pids) - begin
    with open(log, encoding="ascii") as lines:
        steps = [line.split() for line in lines if line.endswith("\n")]
    counts = [int(step[1]) for step in steps]
    late = []
    for packet in range(first, len(seen)):
        at = bisect_right(counts, FIRST + EACH * packet)
        if at < len(steps):
            late.append(max(0, seen[packet] - int(steps[at][0]) / 1000))
    late.sort()
    got = len(seen) - first
    print(round(late[len(late) // 2]), round(late[-1]), round(wakes * 100 / got), got)


main()
