#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""kernel_order.py PID: of a program's thread that does `kernel-load writes`, and of the kernel.

Reads what babeltrace2 prints of both traces, merged by time. Each write is four events in
that order: the program's before, the kernel's entry and exit, the program's after, of
one size. Prints how many were so, and the first that was not.
"""

import re
import sys

ORDER = ["load:before", "syscalls:sys_enter_write", "syscalls:sys_exit_write", "load:after"]
EVENT = re.compile(r"^.* (load:\w+|syscalls:sys_\w+_write): \{.*? pid = (\d+),.*?\}, \{ (.*) \}$")
VALUE = re.compile(r"\b(?:size|count|ret) = (-?\d+)$")


def main():
    pid, at, size, writes = sys.argv[1], 0, None, 0
    for line in sys.stdin:
        match = EVENT.match(line.rstrip("\n"))
        if not match or (match[2] != pid and f"common_pid = {pid}," not in match[3]):
            continue
        value = VALUE.search(match[3])[1]
        # It writes its number first, and its runtime may write, too.
        if at == 0 and match[1] != ORDER[0]:
            continue
        if match[1] != ORDER[at] or (at > 0 and value != size):
            print("after", writes, "writes:", ORDER[at], size, "was expected, not", line)
            return 1
        size, at = value, (at + 1) % len(ORDER)
        writes += at == 0
    print(writes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
