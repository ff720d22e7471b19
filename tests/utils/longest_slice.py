# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""longest_slice.py NAME <LINES - of lines of JSON, the last of the longest slices NAME_begin to
NAME_end on one thread: its begin and its end."""
import json
import sys

stacks, best = {}, (-1, 0, 0)
for event in map(json.loads, sys.stdin):
    stack = stacks.setdefault(event["context"]["vtid"], [])
    if event["event"] == sys.argv[1] + "_begin":
        stack.append(event["timestamp"])
    else:
        begin = stack.pop()
        length = event["timestamp"] - begin
        if length >= best[0]:
            best = (length, begin, event["timestamp"])
print(best[1], best[2])
