#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""live_latency.py FILE: copies babeltrace2's text with --clock-seconds from standard input
to FILE as it comes. At the end, "EVENTS MOST": how many there were, and how many
milliseconds after its event the latest of them came."""

import re
import sys
import time

TIME = re.compile(rb"\[(\d+\.\d+)\]")


def main():
    events, most = 0, 0.0
    with open(sys.argv[1], "wb") as copy:
        for line in sys.stdin.buffer:
            now = time.time()
            copy.write(line)
            copy.flush()
            found = TIME.match(line)
            if found:
                events += 1
                most = max(most, now - float(found.group(1)))
    print(events, round(most * 1000))


main()
