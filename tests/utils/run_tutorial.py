# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""Runs a page of Markdown as its reader would, and says in TAP what is not as it tells.

    run_tutorial.py PAGE LOG

A block ```LANGUAGE FILE is written to that file. In a block ```console, lines that begin
with "$ " are typed into one bash, in the current directory; the lines behind them are what it
says, standard error included. Numbers are any numbers, but that what is lost must be nothing;
functions that addresses are of, any functions. Paths of the reader's are any path. A line "…" stands for any lines. Other blocks
are not run. LOG gets all that was typed and said.
"""

import re
import subprocess
import sys

MARK = "--- that was all ---"


def blocks(text):
    """The page's blocks: (what stands behind the backquotes, lines)."""
    info, lines = None, []
    for line in text.split("\n"):
        if info is None and line.startswith("```"):
            info, lines = line[3:].strip(), []
        elif line == "```":
            yield info, lines
            info = None
        elif info is not None:
            lines.append(line)


def commands(lines):
    """Of a console: (command, lines that it says)."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def plain(line):
    """What must be the same on every machine."""
    line = re.sub(r"(?<![\w.])(/[\w.+-]+)+/", "/", line)
    # How much of a function is known depends on how the program was built.
    line = re.sub(r" <[^<>]*>", " <F>", line)
    line = re.sub(r',"symbols":.*\}\}', "}", line)
    line = re.sub(r"0x[0-9a-fA-F]+", "N", line)
    # Times and counts, with what parts their digits.
    line = re.sub(r"\b0 lost", "none lost", line)
    line = re.sub(r"[0-9]+(?:[.,:-][0-9]+)*", "N", line)
    line = re.sub(r"N [KMG]iB", "N bytes", line)
    # A slow consumer may be at it still.
    line = re.sub(r"; N more in the buffers$", "", line)
    return re.sub(r"\b(stream|event|byte)s?\b", r"\1", line).rstrip()


def agrees(expected, said):
    """Lines against lines, "…" being any number of them."""
    pattern = ""
    for line in expected:
        pattern += "(?:.*\n)*" if line == "…" else re.escape(plain(line)) + "\n"
    return re.fullmatch(pattern, "".join(plain(line) + "\n" for line in said))


class Shell:
    """One bash for the whole page."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["bash", "--norc"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )

    def run(self, command):
        """What it says, and its status."""
        self.process.stdin.write(f"{command}\nprintf '\\n%s %s\\n' '{MARK}' $?\n")
        self.process.stdin.flush()
        said = []
        for line in self.process.stdout:
            if line.startswith(MARK):
                # The line that the mark began with, where the output had ended its own.
                if said and said[-1] == "":
                    said.pop()
                return said, int(line.split()[-1])
            said.append(line.rstrip("\n"))
        return said, None

    def end(self):
        """Its jobs are the page's to end."""
        self.process.stdin.close()
        self.process.wait()


def main():
    with open(sys.argv[1], encoding="utf-8") as page:
        found = list(blocks(page.read()))
    shell, number, failed = Shell(), 0, 0
    log = open(sys.argv[2], "w", encoding="utf-8")
    for info, lines in found:
        words = info.split()
        if len(words) == 2:
            with open(words[1], "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
        if words != ["console"]:
            continue
        for command, expected in commands(lines):
            said, status = shell.run(command)
            number += 1
            print("$ " + command, *said, sep="\n", file=log, flush=True)
            good = status == 0 and agrees(expected, said)
            failed += not good
            print("ok" if good else "not ok", number, "-", command.replace("#", "\\#"), flush=True)
            if not good:
                print("# status", status, "and said:")
                for line in said:
                    print("#  ", line)
    shell.end()
    log.close()
    print(f"1..{number}")
    return failed != 0 or number == 0


sys.exit(main())
