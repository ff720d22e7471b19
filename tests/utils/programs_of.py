# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""programs_of.py - how many events of which program a trace holds, in each format:

    programs_of.py json|chrome|ends|folded|perfetto|page <FILE

One line for each program, sorted: NAME COUNT, but for folded stacks, which have no count.
Of a chrome export, "ends" counts the ends of slices, too. For perfetto, FILE is what
`protoc --decode` prints; for a page, its index says it.
"""
import collections
import json
import re
import sys

from perfetto_slices import parse, text


def of_json(file):
    return collections.Counter(json.loads(line)["program"] for line in file)


def of_chrome(file, phases="BiX"):
    events = json.load(file)["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e.get("name") == "process_name"}
    return collections.Counter(names[e["pid"]] for e in events if e["ph"] in phases)


def of_ends(file):
    return of_chrome(file, "BEiX")


def of_folded(file):
    return {line.split(";")[0]: 0 for line in file}


def of_perfetto(file):
    names, owners, counts = {}, {}, collections.Counter()
    lines = iter(file)
    for _ in lines:
        packet = parse(lines)
        for track in packet.get("track_descriptor", []):
            uuid, parent = track["uuid"][0], track.get("parent_uuid", [None])[0]
            if "process" in track:
                names[uuid] = text(track["process"][0]["process_name"][0])
            owners[uuid] = parent
        for event in packet.get("track_event", []):
            if event["type"][0] in ("TYPE_SLICE_BEGIN", "TYPE_INSTANT"):
                counts[names[owners[event["track_uuid"][0]]]] += 1
    return counts


def of_page(file):
    found = re.search(r'id="index">(.*?)</script>', file.read(), re.S)
    index = json.loads(found[1])
    names = {uuid: name for uuid, _, name in index["processes"]}
    counts = collections.Counter()
    for uuid, _, _, events, _ in index["tracks"]:
        counts[names[uuid]] += events
    return counts


for name, count in sorted(globals()["of_" + sys.argv[1]](sys.stdin).items()):
    print(name, count)
