#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""query_oracle.py LTTNGMAP DIR view|bt2 [times] - asks `lttngmap query` 28 questions about a trace of
tests/utils/asked, and answers them itself, from `lttngmap view --json` or from babeltrace2's
bindings. Prints for each answer that differs its number, the question, and the first rows of which
they differ; with `times`, how long each question took.
"""
import array
import collections
import json
import math
import struct
import subprocess
import sys
import time

LTTNGMAP, DIR, SOURCE = sys.argv[1:4]
TELLS_TIMES = sys.argv[4:] == ["times"]
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


def signed(value):
    return value - 2**64 if value >= 2**63 else value


def single(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def percentile(values, percent):
    values = sorted(values)
    place = percent / 100 * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


class Spans:
    """The first rows of begin, duration, name, tid, depth, cut; counts of rows, and of rows whose parent has one."""
    PAIRS = {"request_begin": ("request", True), "request_end": ("request", False),
             "step_entry": ("step", True), "step_exit": ("step", False)}
    MOST = 3000
    DEPTH_MOST = 4096

    def __init__(self):
        self.threads, self.deeper = collections.defaultdict(list), collections.Counter()
        self.rows, self.count, self.with_parent = [], collections.Counter(), collections.Counter()

    def take(self, event, kind):
        name, begins = self.PAIRS[kind]
        stack = self.threads[event.pid, event.tid]
        # Of spans that lie too deep, begins and ends are only counted.
        thread = event.pid, event.tid
        if begins and len(stack) == self.DEPTH_MOST:
            self.deeper[thread] += 1
            return
        if not begins and self.deeper[thread] > 0:
            self.deeper[thread] -= 1
            return
        if begins:
            # The names of spans in it that have a row.
            stack.append((event.time, name, collections.Counter()))
            return
        if not any(span[1] == name for span in stack):
            return
        last = ""
        while last != name:
            begin, last, inner = stack.pop()
            self.count[last] += 1
            self.with_parent.update(inner)
            if stack:
                stack[-1][2][last] += 1
            # Rows come by their ends: those of the last end are needed all.
            if len(self.rows) < self.MOST or event.time == sum(self.rows[-1][:2]):
                self.rows.append([begin, event.time - begin, last, event.tid, len(stack), int(last != name)])

    def first(self):
        return sorted(self.rows, key=lambda r: (r[0] + r[1], -r[4], r[0], r[2], r[3], r[5]))[:self.MOST]


class Facts:
    """What the questions need, added up event by event: a trace need not fit into memory."""

    def __init__(self):
        # What to ask for; how often each is there is counted here.
        (self.middle, self.end), = ask("SELECT min(time) + (max(time) - min(time)) / 3, "
                                       "min(time) + (max(time) - min(time)) / 2 FROM events")
        (self.pid,), = ask("SELECT pid FROM events GROUP BY pid ORDER BY count(*) LIMIT 1")
        (self.tid,), = ask("SELECT tid FROM threads ORDER BY events DESC LIMIT 1")
        (self.cpu,), = ask("SELECT cpu FROM events LIMIT 1")
        self.first = self.last = None
        self.events = 0
        self.all, self.between = collections.Counter(), collections.Counter()
        self.inside, self.inside_sum = 0, 0
        self.heads, self.kinds, self.points, self.sevens, self.fields = [], [], [], [], []
        self.values = array.array("Q")
        self.singles, self.behind = array.array("d"), 0
        self.pids, self.times = collections.Counter(), collections.Counter()
        self.states, self.words = collections.Counter(), collections.Counter()
        self.begun, self.ended = {}, []
        self.spans = Spans()

    def take(self, event):
        time, name, fields = event.time, event.name.removeprefix("asked:"), event.fields
        if self.events == 0:
            self.first = time
        self.last = time
        if self.events < 1000:
            self.heads.append([time, event.name, event.pid, event.tid, event.cpu, event.process])
        self.events += 1
        self.all[event.name, event.pid, event.tid, event.cpu] += 1
        if self.middle <= time <= self.end:
            self.between[event.name] += 1
            if time < self.end:
                self.inside += 1
                self.inside_sum += time % 1000
        if name in Spans.PAIRS:
            self.spans.take(event, name)
        take = getattr(self, "take_" + name, None)
        if take:
            take(event, fields)

    def take_point(self, event, fields):
        value = fields["value"]
        self.values.append(value)
        if value % 1000 == 7:
            self.sevens.append([event.time, value, signed(fields["address"])])
        if len(self.points) < 500:
            self.points.append([value])

    def take_kinds(self, _event, fields):
        if len(self.kinds) < 2000:
            self.kinds.append([fields[name] for name in ("small", "wire", "both", "state", "words", "letters")] +
                              [json.dumps(fields[name], separators=(",", ":")) for name in ("pair", "items")] +
                              [fields["behind"]])
        if len(self.fields) < 500:
            self.fields.append(fields)
        self.singles.append(single(fields["single"]))
        self.behind += fields["behind"]
        self.pids[fields["pid"]] += 1
        self.times[fields["pid"]] += fields["TIME"]
        self.states[fields["state"]] += 1
        self.words[fields["words"]] += 1

    def take_request_begin(self, event, fields):
        if event.pid == self.pid and fields["id"] < 500:
            self.begun[fields["id"]] = event.time

    def take_request_end(self, event, fields):
        if event.pid == self.pid and fields["id"] < 500:
            self.ended.append(event.time - self.begun[fields["id"]])

    def by(self, *columns, **wanted):
        """Rows of columns and count, sorted; of events whose columns are as wanted."""
        places = {"name": 0, "pid": 1, "tid": 2, "cpu": 3}
        rows = collections.Counter()
        for key, count in self.all.items():
            if all(test(key[places[column]]) for column, test in wanted.items()):
                rows[tuple(key[places[column]] for column in columns)] += count
        return [[*key, count] for key, count in sorted(rows.items())]

    def number(self, **wanted):
        rows = self.by(**wanted)
        return rows[0][0] if rows else 0


def rows_of(counter):
    return [[key, count] for key, count in sorted(counter.items())]


def questions(facts):
    middle, end, pid, tid, cpu = facts.middle, facts.end, facts.pid, facts.tid, facts.cpu
    levels = collections.Counter()
    for name, count in facts.by("name"):
        if name.startswith("asked:"):
            levels[LEVELS[name.removeprefix("asked:")]] += count

    yield "SELECT count(*) FROM events", [[facts.events]]
    yield "SELECT name, count(*) FROM events GROUP BY name ORDER BY name", facts.by("name")
    yield "SELECT time, name, pid, tid, cpu, process FROM events LIMIT 1000", facts.heads
    yield "SELECT name, events FROM counts ORDER BY name", facts.by("name")
    yield "SELECT min(time), max(time) FROM events", [[facts.first, facts.last]]
    yield f"SELECT count(*), sum(time % 1000) FROM events WHERE time >= {middle} AND time < {end}", [
        [facts.inside, facts.inside_sum if facts.inside else None]]
    yield f"SELECT name, count(*) FROM events WHERE time BETWEEN {middle} AND {end} GROUP BY name ORDER BY name", \
        rows_of(facts.between)
    yield 'SELECT count(*), sum(value), max(value) FROM "asked:point"', [
        [len(facts.values), sum(facts.values), max(facts.values)]]
    yield 'SELECT time, value, address FROM "asked:point" WHERE value % 1000 = 7', facts.sevens
    yield "SELECT pid, count(*) FROM events GROUP BY pid ORDER BY pid", facts.by("pid")
    yield f"SELECT count(*) FROM events WHERE pid = {pid}", [[facts.number(pid=lambda p: p == pid)]]
    yield "SELECT cpu, count(*) FROM events GROUP BY cpu ORDER BY cpu", facts.by("cpu")
    yield f"SELECT count(*) FROM events WHERE cpu = {cpu} AND name = 'asked:point'", [
        [facts.number(cpu=lambda c: c == cpu, name=lambda n: n == "asked:point")]]
    yield f"SELECT count(*) FROM events WHERE tid = {tid} AND name GLOB 'asked:step*'", [
        [facts.number(tid=lambda t: t == tid, name=lambda n: n.startswith("asked:step"))]]
    yield ("SELECT count(*) FROM events WHERE name IN ('asked:point', 'asked:kinds', 'none')",
           [[len(facts.values) + len(facts.singles)]])
    yield ('SELECT small, wire, "both", state, words, letters, pair, items, behind FROM "asked:kinds" LIMIT 2000',
           facts.kinds)
    yield 'SELECT sum(single), sum(behind) FROM "asked:kinds"', [[math.fsum(facts.singles), facts.behind]]
    yield ('SELECT pid_, count(*), sum(TIME_) FROM "asked:kinds" WHERE pid_ < 10 GROUP BY pid_ ORDER BY pid_',
           [[n, count, facts.times[n]] for n, count in rows_of(facts.pids) if n < 10])
    yield ('SELECT state, count(*) FROM "asked:kinds" GROUP BY state ORDER BY CAST(state AS TEXT)',
           [[state, count] for state, count in sorted(facts.states.items(), key=lambda row: str(row[0]))])
    yield "SELECT json_extract(fields, '$.value') FROM events WHERE name = 'asked:point' LIMIT 500", facts.points
    yield "SELECT fields FROM events WHERE name = 'asked:kinds' LIMIT 500", "json", facts.fields
    yield ('SELECT words, count(*) FROM "asked:kinds" WHERE words LIKE \'%DROP%\' OR words = \'b\' GROUP BY words'
           " ORDER BY words", [row for row in rows_of(facts.words) if "DROP" in row[0] or row[0] == "b"])
    yield ("WITH b AS MATERIALIZED (SELECT id, time AS t FROM \"asked:request_begin\" WHERE id < 500 AND "
           f"pid = {pid}) "
           'SELECT count(*), sum(e.time - b.t) FROM "asked:request_end" AS e JOIN b ON b.id = e.id '
           f"WHERE e.pid = {pid}", [[len(facts.ended), sum(facts.ended)]])
    yield ('SELECT percentile(value, 50), percentile(value, 99.9), percentile(value, 0) FROM "asked:point"',
           [[percentile(facts.values, p) for p in (50, 99.9, 0)]])
    yield ('SELECT s."begin", s.duration, s.name, s.tid, s.depth, s.cut FROM spans AS s '
           f'ORDER BY s."begin" + s.duration, s.depth DESC, s."begin", s.name, s.tid, s.cut LIMIT {Spans.MOST}',
           facts.spans.first())
    yield ("WITH s AS MATERIALIZED (SELECT * FROM spans) SELECT count(*), count(p.id), "
           's_name FROM (SELECT *, s.name AS s_name FROM s) AS c LEFT JOIN s AS p ON p.id = c.parent '
           "GROUP BY s_name ORDER BY s_name",
           [[facts.spans.count[n], facts.spans.with_parent[n], n] for n in ("request", "step")])
    yield "SELECT tid, events FROM threads ORDER BY tid", facts.by("tid")
    yield ("SELECT level, count(*) FROM events WHERE name GLOB 'asked:*' GROUP BY level ORDER BY level",
           rows_of(levels))


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
    facts, begin, number = Facts(), time.monotonic(), 0
    for event in from_bt2() if SOURCE == "bt2" else from_view():
        facts.take(event)
    if TELLS_TIMES:
        print(f"# read in {time.monotonic() - begin:.0f} s")
    for number, question in enumerate(questions(facts), 1):
        begin = time.monotonic()
        got, wanted = ask(question[0]), question[-1]
        if TELLS_TIMES:
            print(f"# {time.monotonic() - begin:.1f} s: {question[0]}", flush=True)
        if len(question) == 3 and isinstance(got, list):
            got = [json.loads(row[0]) for row in got]
        if not is_equal(got, wanted):
            tell(number, question[0], got, wanted)
    print(f"{number} questions about {facts.events} events")


main()
