# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""perfetto_slices.py - what is in a trace for Perfetto, as `protoc --decode` shows it:

    protoc --decode=Trace perfetto.proto <FILE | python3 perfetto_slices.py

One line for each slice, instant and counter, sorted: PID TID CATEGORY:NAME BEGIN END
NAME=VALUE..., with - for what is not known and for the end of a slice that has none.
Written beside the exporter, with nothing of its own: it only knows how protoc prints.
"""
import re
import sys


def parse(lines):
    """A message as {field: [value, ...]}."""
    message = {}
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith(" {"):
            message.setdefault(line[:-2], []).append(parse(lines))
        else:
            name, value = line.split(": ", 1)
            message.setdefault(name, []).append(value)
    return message


def text(value):
    """protoc's quotes and octal escapes are those of C."""
    raw = re.sub(rb'\\([0-7]{3}|.)',
                 lambda m: bytes([int(m[1], 8)]) if len(m[1]) == 3
                 else {b"n": b"\n", b"t": b"\t"}.get(m[1], m[1]),
                 value[1:-1].encode())
    return raw.decode("utf-8")


class Reader:
    def __init__(self):
        self.names = {"event_categories": {}, "event_names": {}, "debug_annotation_names": {}}
        self.processes, self.tracks = {}, {}
        self.events = []

    def take(self, packet):
        assert packet["trusted_packet_sequence_id"] == ["1"], packet
        for data in packet.get("interned_data", []):
            for kind, entries in data.items():
                for entry in entries:
                    iid = entry["iid"][0]
                    assert iid not in self.names[kind], "introduced twice"
                    self.names[kind][iid] = text(entry.get("name", ['""'])[0])
        for track in packet.get("track_descriptor", []):
            uuid = track["uuid"][0]
            assert uuid not in self.processes and uuid not in self.tracks, "described twice"
            if "process" in track or "parent_uuid" not in track:
                self.processes[uuid] = track.get("process", [{"pid": ["-"]}])[0]["pid"][0]
            else:
                thread = track.get("thread", [{}])[0]
                pid = self.processes[track["parent_uuid"][0]]
                assert thread.get("pid", [pid])[0] == pid
                self.tracks[uuid] = pid, thread.get("tid", ["-"])[0], track
        for event in packet.get("track_event", []):
            # What a packet means by number stands before it in the file.
            self.events.append((int(packet["timestamp"][0]), len(self.events), event,
                                self.name(event), self.fields(event)))

    def name(self, event):
        if "name" in event:
            return text(event["name"][0])
        if "name_iid" not in event:
            return None
        category = event.get("category_iids", [None])[0]
        name = self.names["event_names"][event["name_iid"][0]]
        return f"{self.names['event_categories'][category]}:{name}" if category else name

    def value(self, annotation):
        if "array_values" in annotation:
            return "[" + ",".join(self.value(v) for v in annotation["array_values"]) + "]"
        if set(annotation) <= {"name_iid"}:
            return "[]"  # protobuf has no arrays of nothing
        values = [(k, v[0]) for k, v in annotation.items() if k.endswith("_value")]
        assert len(values) == 1, annotation
        kind, value = values[0]
        if kind == "pointer_value":
            return hex(int(value))
        return repr(text(value)) if kind == "string_value" else value

    def fields(self, event):
        fields = [f"{self.names['debug_annotation_names'][a['name_iid'][0]]}={self.value(a)}"
                  for a in event.get("debug_annotations", [])]
        return fields + [f"flow={flow}" for flow in event.get("flow_ids", [])]

    def slices(self):
        stacks, lines = {}, []
        for time, _, event, name, fields in sorted(self.events, key=lambda e: (e[0], e[1])):
            kind, uuid = event["type"][0], event["track_uuid"][0]
            pid, tid, track = self.tracks[uuid]
            stack = stacks.setdefault(uuid, [])
            if kind == "TYPE_SLICE_BEGIN":
                stack.append([pid, tid, name, time, "-", fields])
                lines.append(stack[-1])
            elif kind == "TYPE_SLICE_END":
                slice_ = stack.pop()
                slice_[4] = time
                slice_[5] = slice_[5] + fields
            elif kind == "TYPE_COUNTER":
                value = event["double_counter_value"][0]
                lines.append([pid, "counter", text(track["name"][0]), time, value, []])
            else:
                lines.append([pid, tid, name, time, time, fields])
        return lines


def main():
    reader = Reader()
    lines = iter(sys.stdin)
    for line in lines:
        assert line == "packet {\n", line
        reader.take(parse(lines))
    for pid, tid, name, begin, end, fields in sorted(reader.slices(), key=lambda s: (s[3], s[1])):
        print(pid, tid, name, begin, end, *fields)


if __name__ == "__main__":
    main()
