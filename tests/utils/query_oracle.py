#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""query_oracle.py LTTNGMAP DIR view|bt2 - asks `lttngmap query` 28 questions about a trace of
tests/utils/asked, and answers them itself, from `lttngmap view --json` or from babeltrace2's
bindings. Prints for each answer that differs its number, the question, and the first rows of which
they differ.
"""
import collections
import json
import math
import struct
import subprocess
import sys

LTTNGMAP, DIR, SOURCE = sys.argv[1:4]
LEVELS = {"request_begin": 6, "request_end": 4, "step_entry": 14, "step_exit": 14, "point": 6, "kinds": 6, "empty": 6}


class Event:
    __slots__ = ("time", "name", "process", "pid", "tid", "cpu", "fields")

    def __init__(self, time, name, process, pid, tid, cpu, fields):
        self.time, self.name, self.process, self.pid = time, name, process, pid
        self.tid, self.cpu, self.fields = tid, cpu, fields


def from_view():
    with subprocess.Popen([LTTNGMAP, "view", "--json", DIR], stdout=subprocess.PIPE) as view:
        for line in view.stdout:
            event = json.loads(line)
            if "event" not in event:
                continue
            yield Event(event["timestamp"], event["event"], event["program"], event["pid"],
                        event["context"]["vtid"], event["cpu"], event["fields"])


def plain(value):
    import bt2
    # pylint: disable=protected-access
    if isinstance(value, bt2._EnumerationFieldConst):
        return list(value.labels)[0] if value.labels else int(value)
    if isinstance(value, bt2._StringFieldConst):
        return str(value)
    if isinstance(value, bt2._ArrayFieldConst):
        return [plain(element) for element in value]
    if isinstance(value, bt2._RealFieldConst):
        return float(value)
    return int(value)


def from_bt2():
    import bt2
    for message in bt2.TraceCollectionMessageIterator(DIR):
        if not isinstance(message, bt2._EventMessageConst):  # pylint: disable=protected-access
            continue
        event, packet = message.event, message.event.packet.context_field
        fields = {str(name): plain(value) for name, value in event.payload_field.items()
                  if not str(name).startswith("_")}
        yield Event(message.default_clock_snapshot.ns_from_origin, event.name, str(packet["procname"]),
                    int(packet["pid"]), int(event["vtid"]), int(packet["cpu_id"]), fields)


def ask(sql):
    done = subprocess.run([LTTNGMAP, "query", "--json", DIR, sql], capture_output=True, check=False)
    if done.returncode != 0:
        return done.stderr.decode()
    return [list(json.loads(line, strict=False).values()) for line in done.stdout.splitlines()]


def of(events, name):
    return [event for event in events if event.name == "asked:" + name]


def signed(value):
    return value - 2**64 if value >= 2**63 else value


def single(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def counts(values):
    return sorted([list(key) if isinstance(key, tuple) else [key], count]
                  for key, count in collections.Counter(values).items())


def grouped(values):
    return [key + [count] for key, count in counts(values)]


def percentile(values, percent):
    values = sorted(values)
    place = percent / 100 * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def spans(events):
    """Rows of begin, duration, name, tid, depth, whether the parent has a row, cut."""
    pairs = {"request_begin": ("request", True), "request_end": ("request", False),
             "step_entry": ("step", True), "step_exit": ("step", False)}
    threads = collections.defaultdict(list)
    rows, has_row = [], []
    for event in events:
        pair = pairs.get(event.name.removeprefix("asked:"))
        if not pair:
            continue
        stack = threads[event.pid, event.tid]
        if pair[1]:
            stack.append([event.time, pair[0], stack[-1][3] if stack else None, len(has_row)])
            has_row.append(False)
            continue
        if not any(span[1] == pair[0] for span in stack):
            continue
        while True:
            begin, name, parent, number = stack.pop()
            has_row[number] = True
            rows.append([begin, event.time - begin, name, event.tid, len(stack), parent, int(name != pair[0])])
            if name == pair[0]:
                break
    for row in rows:
        row[5] = row[5] is not None and has_row[row[5]]
    return rows


def questions(events):
    kinds, points, begins, ends = (of(events, name) for name in ("kinds", "point", "request_begin", "request_end"))
    first, last = events[0].time, events[-1].time
    middle, end = first + (last - first) // 3, first + (last - first) // 2
    pid, tid = events[-1].pid, kinds[len(kinds) // 2].tid
    inside = [event for event in events if middle <= event.time < end]
    by_id = {event.fields["id"]: event for event in begins if event.pid == pid}
    rows = spans(events)

    yield "SELECT count(*) FROM events", [[len(events)]]
    yield "SELECT name, count(*) FROM events GROUP BY name ORDER BY name", grouped(e.name for e in events)
    yield ("SELECT time, name, pid, tid, cpu, process FROM events LIMIT 1000",
           [[e.time, e.name, e.pid, e.tid, e.cpu, e.process] for e in events[:1000]])
    yield "SELECT name, events FROM counts ORDER BY name", grouped(e.name for e in events)
    yield "SELECT min(time), max(time) FROM events", [[first, last]]
    yield f"SELECT count(*), sum(time % 1000) FROM events WHERE time >= {middle} AND time < {end}", [
        [len(inside), sum(e.time % 1000 for e in inside) if inside else None]]
    yield f"SELECT name, count(*) FROM events WHERE time BETWEEN {middle} AND {end} GROUP BY name ORDER BY name", \
        grouped(e.name for e in events if middle <= e.time <= end)
    yield 'SELECT count(*), sum(value), max(value) FROM "asked:point"', [
        [len(points), sum(e.fields["value"] for e in points), max(e.fields["value"] for e in points)]]
    yield ('SELECT time, value, address FROM "asked:point" WHERE value % 1000 = 7',
           [[e.time, e.fields["value"], signed(e.fields["address"])] for e in points if e.fields["value"] % 1000 == 7])
    yield "SELECT pid, count(*) FROM events GROUP BY pid ORDER BY pid", grouped(e.pid for e in events)
    yield f"SELECT count(*) FROM events WHERE pid = {pid}", [[sum(e.pid == pid for e in events)]]
    yield "SELECT cpu, count(*) FROM events GROUP BY cpu ORDER BY cpu", grouped(e.cpu for e in events)
    yield f"SELECT count(*) FROM events WHERE cpu = {events[0].cpu} AND name = 'asked:point'", [
        [sum(e.cpu == events[0].cpu for e in points)]]
    yield f"SELECT count(*) FROM events WHERE tid = {tid} AND name GLOB 'asked:step*'", [
        [sum(e.tid == tid and e.name.startswith("asked:step") for e in events)]]
    yield ("SELECT count(*) FROM events WHERE name IN ('asked:point', 'asked:kinds', 'none')",
           [[len(points) + len(kinds)]])
    yield ('SELECT small, wire, "both", state, words, letters, pair, items, behind FROM "asked:kinds" LIMIT 2000',
           [[e.fields["small"], e.fields["wire"], e.fields["both"], e.fields["state"], e.fields["words"],
             e.fields["letters"], json.dumps(e.fields["pair"], separators=(",", ":")),
             json.dumps(e.fields["items"], separators=(",", ":")), e.fields["behind"]] for e in kinds[:2000]])
    yield 'SELECT sum(single), sum(behind) FROM "asked:kinds"', [
        [math.fsum(single(e.fields["single"]) for e in kinds), sum(e.fields["behind"] for e in kinds)]]
    yield ('SELECT pid_, count(*), sum(TIME_) FROM "asked:kinds" WHERE pid_ < 10 GROUP BY pid_ ORDER BY pid_',
           [[n, len(g), sum(e.fields["TIME"] for e in g)] for n in range(10)
            for g in [[e for e in kinds if e.fields["pid"] == n]] if g])
    yield ('SELECT state, count(*) FROM "asked:kinds" GROUP BY state ORDER BY CAST(state AS TEXT)',
           sorted(grouped(e.fields["state"] for e in kinds if isinstance(e.fields["state"], str)) +
                  grouped(e.fields["state"] for e in kinds if not isinstance(e.fields["state"], str)),
                  key=lambda row: str(row[0])))
    yield ("SELECT json_extract(fields, '$.value') FROM events WHERE name = 'asked:point' LIMIT 500",
           [[e.fields["value"]] for e in points[:500]])
    yield ("SELECT fields FROM events WHERE name = 'asked:kinds' LIMIT 500", "json",
           [e.fields for e in kinds[:500]])
    yield ('SELECT words, count(*) FROM "asked:kinds" WHERE words LIKE \'%DROP%\' OR words = \'b\' GROUP BY words'
           " ORDER BY words", grouped(e.fields["words"] for e in kinds if "DROP" in e.fields["words"] or
                                      e.fields["words"] == "b"))
    yield ("WITH b AS MATERIALIZED (SELECT id, time AS t FROM \"asked:request_begin\" WHERE id < 500 AND "
           f"pid = {pid}) "
           'SELECT count(*), sum(e.time - b.t) FROM "asked:request_end" AS e JOIN b ON b.id = e.id '
           f"WHERE e.pid = {pid}",
           [[sum(e.fields["id"] < 500 for e in ends if e.pid == pid),
             sum(e.time - by_id[e.fields["id"]].time for e in ends if e.fields["id"] < 500 and e.pid == pid)]])
    yield ('SELECT percentile(value, 50), percentile(value, 99.9), percentile(value, 0) FROM "asked:point"',
           [[percentile([e.fields["value"] for e in points], p) for p in (50, 99.9, 0)]])
    yield ('SELECT s."begin", s.duration, s.name, s.tid, s.depth, s.cut FROM spans AS s '
           'ORDER BY s."begin" + s.duration, s.depth DESC, s."begin", s.name, s.tid, s.cut LIMIT 3000',
           sorted(([*row[:5], row[6]] for row in rows),
                  key=lambda r: (r[0] + r[1], -r[4], r[0], r[2], r[3], r[5]))[:3000])
    yield ("WITH s AS MATERIALIZED (SELECT * FROM spans) SELECT count(*), count(p.id), "
           's_name FROM (SELECT *, s.name AS s_name FROM s) AS c LEFT JOIN s AS p ON p.id = c.parent '
           "GROUP BY s_name ORDER BY s_name",
           [[sum(r[2] == n for r in rows), sum(r[2] == n and r[5] for r in rows), n]
            for n in ("request", "step")])
    yield ("SELECT tid, events FROM threads ORDER BY tid", grouped(e.tid for e in events))
    yield ("SELECT level, count(*) FROM events WHERE name GLOB 'asked:*' GROUP BY level ORDER BY level",
           grouped(LEVELS[e.name.removeprefix("asked:")] for e in events if e.name.startswith("asked:")))


def is_equal(got, wanted):
    if isinstance(got, float) and isinstance(wanted, (int, float)):
        # view prints a float as the shortest number that is read back as the same one.
        return math.isclose(got, wanted, rel_tol=1e-9) or single(got) == single(wanted)
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) == len(wanted) and all(map(is_equal, got, wanted))
    if isinstance(wanted, dict):
        return isinstance(got, dict) and got.keys() == wanted.keys() and \
            all(is_equal(got[key], wanted[key]) for key in wanted)
    return got == wanted


def tell(number, question, got, wanted):
    print(f"{number}: {question}")
    if not isinstance(got, list):
        print(f"  got     {got[:300]}")
        return
    row = next((n for n, rows in enumerate(zip(got, wanted)) if not is_equal(*rows)), min(len(got), len(wanted)))
    print(f"  {len(got)} rows, {len(wanted)} wanted; the first that differs is row {row + 1}")
    print(f"  got     {str(got[row:row + 3])[:300]}\n  wanted  {str(wanted[row:row + 3])[:300]}")


def main():
    events = list(from_bt2() if SOURCE == "bt2" else from_view())
    number = 0
    for number, question in enumerate(questions(events), 1):
        got, wanted = ask(question[0]), question[-1]
        if len(question) == 3 and isinstance(got, list):
            got = [json.loads(row[0]) for row in got]
        if not is_equal(got, wanted):
            tell(number, question[0], got, wanted)
    print(f"{number} questions about {len(events)} events")


main()
