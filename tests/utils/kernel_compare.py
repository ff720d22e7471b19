#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""kernel_compare.py PID FIELDS TEXT TRACE: the kernel's events of a thread as we have them,
and as the kernel itself shows them of another instance.

FIELDS is what tracefs's `trace` shows with the option "fields", TEXT without it, TRACE what
babeltrace2 prints. The events of each class must be the same, one by one, and so must be their
integers, strings, and the arrays of raw_syscalls:sys_enter and ipi:ipi_send_cpumask, which
the kernel shows in TEXT alone. Prints what was compared, and the first differences. Status 0: there are none.
"""

import re
import sys

EVENT = re.compile(r"^.* ([\w-]+):([\w-]+): \{ .*? \}, \{ (.*) \}$")
OURS = re.compile(
    r"(\w+) = (?:\( (?P<labels>.*?) : container = (?P<enum>-?\w+) \)"
    r"|\[ (?P<array>.*?) \]|\[ \]|(?P<text>\"(?:[^\"\\]|\\.)*\")|(?P<number>-?\w+))(?:, |$)"
)


def read_ours(path, pid):
    events = []
    for line in open(path, encoding="utf-8", errors="replace"):
        if f"common_pid = {pid}," not in line:
            continue
        match = EVENT.match(line.rstrip("\n"))
        fields = {}
        for field in OURS.finditer(match[3]):
            if field["text"] is not None:
                fields[field[1]] = field["text"][1:-1].replace('\\"', '"').replace("\\\\", "\\")
            elif field["array"] is not None:
                fields[field[1]] = [int(v, 0) for v in re.findall(r"\] = (-?\w+)", field["array"])]
            elif field["enum"] or field["number"]:
                fields[field[1]] = int(field["enum"] or field["number"], 0)
        events.append((match[2], fields))
    return events


def read_theirs(path, pid, name=r"\w+"):
    line = re.compile(rf"^.*-{pid} +\[\d+\] \S+ +[\d.]+: ({name}): (.*)$")
    matches = (line.match(text.rstrip("\n")) for text in open(path, encoding="utf-8", errors="replace"))
    return [(match[1], match[2]) for match in matches if match]


def read_args(shown):
    found = re.match(r"NR -?\d+ \((.*)\)$", shown)
    return found and [int(word, 16) for word in found[1].split(", ")]


def read_mask(shown):
    """As hexadecimal digits, in groups; ours is of words, the lowest first."""
    found = re.match(r"cpumask=([0-9a-f,]+) ", shown)
    return found and int(found[1].replace(",", ""), 16)


def whole_mask(words):
    return sum(word << 64 * index for index, word in enumerate(words))


# What the kernel shows in TEXT alone: the field, what that says, how ours becomes the same.
ARRAYS = {
    "sys_enter": ("args", read_args, list),
    "ipi_send_cpumask": ("cpumask", read_mask, whole_mask),
}


def by_class(events):
    classes = {}
    for name, what in events:
        classes.setdefault(name, []).append(what)
    return classes


class Comparison:
    def __init__(self):
        self.integers = self.strings = self.not_shown = 0
        self.arrays = dict.fromkeys(ARRAYS, 0)
        self.wrong = []

    def say(self, *what):
        self.wrong.append(" ".join(str(word) for word in what))

    def integer(self, where, ours, shown):
        hexadecimal = re.match(r"0x([0-9a-f]+) \((-?\d+)\)$", shown)
        if not hexadecimal:
            # A kernel's address, shown as a symbol, or as what it is not.
            self.not_shown += 1
            return
        theirs = int(hexadecimal[1], 16)
        self.integers += 1
        # Of how many bits it is shown, a negative one, is not said.
        if not any(
            ours & ((1 << bits) - 1) == theirs and -(1 << bits - 1) <= ours < 1 << bits
            for bits in (8, 16, 32, 64)
        ):
            self.say(where, "is", ours, "not", shown)

    def event(self, index, name, fields, shown):
        names = "|".join(fields)
        for found in re.finditer(rf"(?:^| )({names})=(.*?)(?= (?:{names})=|$)", shown):
            where, value = f"{index} {name} {found[1]}", fields[found[1]]
            if isinstance(value, str):
                self.strings += 1
                if value != found[2]:
                    self.say(where, "is", repr(value), "not", repr(found[2]))
            elif isinstance(value, int):
                self.integer(where, value, found[2])
            else:
                self.not_shown += 1

    def events(self, name, ours, theirs):
        """An interrupt between the two instances' turns makes two of them change places."""
        if len(ours) != len(theirs):
            self.say(len(ours), name, "and not the kernel's", len(theirs))
        theirs = theirs[:]
        for index in range(min(len(ours), len(theirs))):
            if index + 1 < len(theirs) and not self.fits(name, ours[index], theirs[index]):
                if self.fits(name, ours[index], theirs[index + 1]):
                    theirs[index], theirs[index + 1] = theirs[index + 1], theirs[index]
            self.event(index, name, ours[index], theirs[index])

    @staticmethod
    def fits(name, ours, shown):
        once = Comparison()
        once.event(0, name, ours, shown)
        return not once.wrong

    def all_arrays(self, name, ours, theirs):
        field, read, make = ARRAYS[name]
        if len(ours) != len(theirs):
            self.say(len(ours), name, "and not the kernel's", len(theirs))
        for index, (fields, (_, shown)) in enumerate(zip(ours, theirs)):
            self.arrays[name] += 1
            if make(fields[field]) != read(shown):
                self.say(index, name, field, "is", fields[field], "not", shown)


def main():
    pid, fields, text, trace = sys.argv[1:]
    ours, theirs = by_class(read_ours(trace, pid)), by_class(read_theirs(fields, pid))
    comparison = Comparison()
    for name in sorted(ours.keys() | theirs.keys()):
        comparison.events(name, ours.get(name, []), theirs.get(name, []))
    for name in ARRAYS:
        comparison.all_arrays(name, ours.get(name, []), read_theirs(text, pid, name))
    print("events", sum(len(events) for events in ours.values()))
    print("classes", len(ours))
    print("integers", comparison.integers)
    print("strings", comparison.strings)
    print("arrays", comparison.arrays["sys_enter"])
    print("masks", comparison.arrays["ipi_send_cpumask"])
    print("not_shown", comparison.not_shown)
    for line in comparison.wrong[:10]:
        print("wrong", line)
    return 1 if comparison.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
