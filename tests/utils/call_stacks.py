# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""call_stacks.py - follow entries and exits of functions in a trace as text.

    babeltrace2 TRACE | python3 call_stacks.py PROGRAM

PROGRAM stands where it was linked to (-no-pie), so that nm knows the addresses.
Prints a line "FUNCTION CALLS" for each, sorted; and what is wrong: an exit
that is not the last entry's, a function that was left open, an entry whose call
site is not in the function below it (of cyg-profile; -fast has none).
"""
import collections
import re
import subprocess
import sys

def functions(program):
    """Name, first and last address of each function."""
    listing = subprocess.run(["nm", "-S", program], check=True, capture_output=True, text=True)
    for line in listing.stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tT":
            begin, size = int(words[0], 16), int(words[1], 16)
            yield words[3], begin, begin + size

def main():
    known = list(functions(sys.argv[1]))
    begins = {begin: name for name, begin, _ in known}
    ends = {name: (begin, end) for name, begin, end in known}
    calls, stacks, wrong = collections.Counter(), collections.defaultdict(list), []
    for line in sys.stdin:
        event = re.search(r" lttng_ust_cyg_profile(?:_fast)?:(func_\w+): ", line)
        if not event:
            continue
        thread = int(re.search(r"\bvtid = (\d+)", line)[1])
        values = {name: int(value, 16)
                  for name, value in re.findall(r"\b(addr|call_site) = 0x([0-9A-F]+)", line)}
        stack = stacks[thread]
        name = begins.get(values.get("addr"), "unknown")
        if event[1] == "func_entry":
            calls[name] += 1
            begin, end = ends.get(stack[-1] if stack else "", (0, 0))
            if stack and "call_site" in values and not begin < values["call_site"] <= end:
                wrong.append(f"{name} called from without {stack[-1]}")
            stack.append(name)
        elif not stack:
            wrong.append("an exit without an entry")
        elif stack.pop() != name and "addr" in values:
            wrong.append(f"another function than {name} is left")
    wrong += [f"{stack[-1]} is never left" for stack in stacks.values() if stack]
    for name in sorted(calls):
        print(name, calls[name])
    print(*wrong[:10], sep="\n", end="")
    return 1 if wrong else 0

if __name__ == "__main__":
    sys.exit(main())
