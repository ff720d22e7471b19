# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""What a trace of tests/utils/churn.c has to hold, and what it holds.

A session is a list of steps. Each has the counters of all sources from before
it was asked for and from after it was answered, and what is recorded from then
on: of each stream the classes. An event that was done before the answer that
turned it off, and begun after the one that turned it on, has to be in the
trace; one done before it was asked to be turned on, or begun after the answer
that turned it off, must not. In between it may. What was done before a clear was
asked for must not, whatever it was recorded by.

The trace is read by this file's own reader of CTF, which knows what the
metadata says of streams, and nothing of lttngmap.
"""

import os
import re
import struct

CLASSES = ["alpha:red", "alpha:green", "alpha:blue", "al:pha", "alpha_two:red", "beta:red",
           "beta:green", "beta:grey"]
LEVELS = [0, 6, 14, 4, 7, 3, 5, 13]
HEADER_SIZE = 32  # of counts
SOURCE = struct.Struct("<IIQ16s8Q8Q")
PACKET = struct.Struct("<I16sIQ6QIII36s")
PACKET_MAGIC = 0xc1fc1fc1


class Sample:
    """The counters of one moment; a source that came later has none: 0."""

    def __init__(self, memory):
        used = struct.unpack_from("<I", memory)[0]
        self.bytes = memory[HEADER_SIZE:HEADER_SIZE + used * SOURCE.size]
        self.words = memoryview(self.bytes).cast("Q")

    def sources(self):
        return len(self.bytes) // SOURCE.size

    def who(self, source):
        pid, tid, thread, name = SOURCE.unpack_from(self.bytes, source * SOURCE.size)[:4]
        return pid, tid, thread, name

    def begun(self, source, number):
        return self.words[source * 20 + 4 + number] if source < self.sources() else 0

    def done(self, source, number):
        return self.words[source * 20 + 12 + number] if source < self.sources() else 0


def translate(patterns):
    """A regular expression of a rule's patterns."""
    out = ""
    at = 0
    while at < len(patterns):
        byte = patterns[at]
        if byte == "\\":
            at += 1
            out += re.escape(patterns[at])
        elif byte == "*":
            out += ".*"
        elif byte == ",":
            out += "|"
        else:
            out += re.escape(byte)
        at += 1
    return re.compile(out)


def rule_takes(rule, number):
    """Does it match the class of that place?"""
    name = CLASSES[number]
    if not translate(rule["rule"]).fullmatch(name):
        return False
    if "exclude" in rule and translate(rule["exclude"]).fullmatch(name):
        return False
    if "loglevel" not in rule:
        return True
    if rule.get("loglevel_only"):
        return LEVELS[number] == rule["loglevel"]
    return LEVELS[number] <= rule["loglevel"]


class Step:
    """From `after` on, `streams` maps stream ids to sets of classes' places, of
    the processes `pids` (None: all). `forget`: nothing earlier is kept."""

    def __init__(self, before, after, streams, pids, forget=False):
        self.before = before
        self.after = after
        self.streams = streams
        self.pids = pids
        self.forget = forget

    def records(self, stream, number, pid):
        return number in self.streams.get(stream, ()) and (self.pids is None or pid in self.pids)


def windows(steps, stream, number, source, pid):
    """[(may begin, has to begin, has to end, may end)]: numbers of events."""
    found = []
    begin = None
    for step in steps:
        before = step.before.done(source, number)
        after = step.after.begun(source, number)
        records = step.records(stream, number, pid)
        if begin and (step.forget or not records):
            found.append(begin + (before, after))
            begin = None
        if step.forget:
            # What had begun before it was turned off may come after the clear.
            found = [(max(first, before), last, last, last) for first, _, _, last in found
                     if last > before]
        if records and not begin:
            begin = (before, after)
    assert not begin
    return found


# ---- the reader --------------------------------------------------------------------

CODES = {(8, 0): "B", (16, 0): "H", (32, 0): "I", (64, 0): "Q", (32, 1): "i", (64, 1): "q"}
FIELD = re.compile(r"^\s*integer \{ size = (\d+);.*?signed = (\d);.*\} _(\w+)(?:\[(\d+)\])?;$", re.M)


def layout(fields):
    """struct's code and the names of a structure of integers and texts."""
    code = ""
    names = []
    for size, signed, name, length in FIELD.findall(fields):
        code += length + "s" if length else CODES[int(size), int(signed)]
        names.append(name)
    return code, names


class Metadata:
    def __init__(self, text):
        self.streams = {}  # id: (code of a context, names)
        self.events = {}   # stream id, event id: place of the class
        self.uuid = bytes.fromhex(re.search(r'uuid = "([-0-9a-f]+)"', text)[1].replace("-", ""))
        for block in re.findall(r"^stream \{\n(.*?)^\};", text, re.M | re.S):
            context = re.search(r"event\.context := struct \{\n(.*?)\n\t\};", block, re.S)
            self.streams[int(re.search(r"\tid = (\d+);", block)[1])] = \
                layout(context[1]) if context else ("", [])
        for block in re.findall(r"^event \{\n(.*?)^\};", text, re.M | re.S):
            name = re.search(r'name = "(.*)";', block)[1]
            stream = int(re.search(r"stream_id = (\d+);", block)[1])
            if name == "churn:ready":
                continue
            assert layout(block) == ("IQ", ["source", "number"]), block
            assert int(re.search(r"loglevel = (\d+);", block)[1]) == LEVELS[CLASSES.index(name)]
            self.events[stream, int(re.search(r"\tid = (\d+);", block)[1])] = CLASSES.index(name)


class Reader:
    """Reads a trace; tell(text) of each thing that is wrong."""

    def __init__(self, directory, final, tell):
        self.tell = tell
        self.final = final
        self.seen = {}      # stream, source, class: set of numbers
        self.events = 0
        self.discarded = 0
        self.gaps = []      # texts for people
        self.contexts = {}  # stream: names of its contexts
        self.ips = {}
        self.namespaces = {}
        top = os.path.join(directory, "ust")
        with open(os.path.join(top, "metadata"), encoding="utf-8") as file:
            self.metadata = Metadata(file.read())
        for name in sorted(os.listdir(top)):
            if name not in ("metadata", "index"):
                with open(os.path.join(top, name), "rb") as file:
                    self.read_stream(name, file.read())

    def read_stream(self, name, data):
        at = last = discarded = 0
        while at < len(data):
            (magic, uuid, stream, _, begin, end, content, size, _, discarded, _, pid, uid,
             _) = PACKET.unpack_from(data, at)
            if magic != PACKET_MAGIC or uuid != self.metadata.uuid or uid != os.getuid():
                self.tell("%s: a packet at byte %d is none" % (name, at))
                return
            last = self.read_packet(name, stream, pid, begin, end, last,
                                    data[at + PACKET.size:at + content // 8])
            at += size // 8
        self.discarded += discarded

    def read_packet(self, name, stream, pid, begin, end, last, records):
        code, names = self.metadata.streams[stream]
        self.contexts[stream] = names
        record = struct.Struct("<Q" + code + "IQ")
        for values in record.iter_unpack(records):
            self.events += 1
            time = values[0] >> 16
            source, number = values[-2:]
            place = self.metadata.events.get((stream, values[0] & 0xffff))
            who = self.final.who(source) if source < self.final.sources() else None
            if place is None or not who or who[0] != pid:
                self.tell("%s: an event that is none: %s" % (name, values))
                continue
            if time < last or not begin & (1 << 48) - 1 <= time <= end & (1 << 48) - 1:
                self.tell("%s: time goes back, or is none of the packet: %s" % (name, values))
            last = time
            numbers = self.seen.setdefault((stream, source, place), {})
            if number in numbers:
                self.tell("%s: event %d of source %d is there twice" % (name, number, source))
            elif numbers and next(reversed(numbers)) > number and \
                    numbers[next(reversed(numbers))] == name:
                self.tell("%s: event %d of source %d is late" % (name, number, source))
            numbers[number] = name
            for context, value in zip(names, values[1:-2]):
                self.check_context(name, context, value, who, place)
        return last

    def check_context(self, name, context, value, who, place):
        if context == "ip":
            # One place in the program, which may be loaded anywhere.
            good = value and self.ips.setdefault((who[0], place), value) == value
        elif context.endswith("_ns"):
            if context not in self.namespaces:
                path = "/proc/self/ns/" + context[:-3]
                self.namespaces[context] = os.stat(path).st_ino if os.path.exists(path) else 0
            good = value == self.namespaces[context]
        else:
            good = value == {"vpid": who[0], "vtid": who[1], "pthread_id": who[2],
                             "procname": who[3], "vuid": os.getuid(), "veuid": os.geteuid(),
                             "vsuid": os.getuid(), "vgid": os.getgid(), "vegid": os.getegid(),
                             "vsgid": os.getgid()}[context]
        if not good:
            self.tell("%s: context %s of %s is %s" % (name, context, who, value))


def check(steps, reader, contexts, tell):
    """Of each stream, class and source: (has to be there, may be, is)."""
    final = reader.final
    need = may = missing = 0
    known = set()
    for stream, names in contexts.items():
        if sorted(reader.contexts.get(stream, names)) != sorted(names):
            tell("stream %d has the contexts %s, not %s" % (stream, reader.contexts[stream], names))
        for source in range(final.sources()):
            pid = final.who(source)[0]
            for number in range(len(CLASSES)):
                seen = reader.seen.get((stream, source, number), {})
                known.add((stream, source, number))
                allowed = set()
                spans = windows(steps, stream, number, source, pid)
                for first, begin, end, last in spans:
                    needed = range(begin, end)
                    absent = [i for i in needed if i not in seen]
                    if absent:
                        tell_gap(reader, stream, source, number, absent)
                    missing += len(absent)
                    need += len(needed)
                    allowed.update(range(first, last))
                may += len(allowed)
                strange = [i for i in seen if i not in allowed]
                if strange:
                    tell("stream %d: %d events %s of source %d do not belong there, as %d; "
                         "(may, has to begin, has to end, may): %s" %
                         (stream, len(strange), CLASSES[number], source, strange[0], spans))
    for key in reader.seen:
        if key not in known:
            tell("stream %d is none of the session's" % key[0])
    return need, may, missing


def tell_gap(reader, stream, source, number, absent):
    reader.gaps.append("stream %d: %d events %s of source %d are missing, %d to %d" %
                       (stream, len(absent), CLASSES[number], source, absent[0], absent[-1]))
