#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""count_events.py FORMAT FILE - how many events of each process are in what lttngmap wrote.

FORMAT: json (view, export), chrome, page (report), slices (of perfetto_slices.py). Prints a line
PID COUNT for each process, in order.
"""
import collections
import json
import re
import sys

count = collections.Counter()
kind, path = sys.argv[1:]
with open(path, encoding="utf-8", errors="replace") as file:
    if kind == "json":
        for line in file:
            event = json.loads(line)
            if "fields" in event:
                count[event["pid"]] += 1
    elif kind == "chrome":
        count.update(event["pid"] for event in json.load(file)["traceEvents"]
                     if event["ph"] == "i" and not event["name"].endswith("lost"))
    elif kind == "slices":
        count.update(int(line.split()[0]) for line in file if not re.search("^[^:=]* lost ", line))
    else:
        page = file.read()

        def array(name):
            begin = page.index(f'"{name}":[') + len(name) + 3
            return json.JSONDecoder().raw_decode(page[begin:])[0]

        pids = {uuid: pid for uuid, pid, _ in array("processes")}
        for track in array("tracks"):
            count[pids[track[0]]] += track[3]
for pid in sorted(count):
    print(pid, count[pid])
