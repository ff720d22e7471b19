# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""trace_compass.py - does a trace have what Trace Compass looks for?

    trace_compass.py TRACE PROVIDER...

TRACE is the directory of one CTF trace. Its environment, packets, contexts and
the events of each PROVIDER are compared with the tables below: names, order of the
fields, and which of them are addresses. Prints what differs, a line each.
"""
import re
import struct
import sys
import uuid
from pathlib import Path

# The views of user space are for this tracer, from 2.9 on.
ENVIRONMENT = {
    "domain": r'"ust"',
    "tracer_name": r'"lttng-ust"',
    "tracer_major": r"2",
    "tracer_minor": r"(9|[1-9]\d+)",
    "tracer_buffering_scheme": r'"[pu]id"',
    "architecture_bit_width": r"64",
    "trace_name": r'".+"',
    "trace_creation_datetime": r'"\d{8}T\d{6}[+-]\d{4}"',
    "hostname": r'".+"',
}
PACKET_HEADER = ["magic", "uuid", "stream_id", "stream_instance_id"]
PACKET_CONTEXT = ["timestamp_begin", "timestamp_end", "content_size", "packet_size",
                  "packet_seq_num", "events_discarded", "cpu_id"]
# Memory, call stack, and where in the source an address is.
CONTEXTS = ["vpid", "vtid", "procname", "ip*"]

# Fields in their order; "*": shown in hexadecimal, as addresses are.
BUILD_ID = ["baddr*", "build_id*"]
DEBUG_LINK = ["baddr*", "crc", "filename"]
DETAILS = ["has_build_id", "has_debug_link"]
EVENTS = {
    "lttng_ust_libc": {
        "malloc": ["size", "ptr*"],
        "free": ["ptr*"],
        "calloc": ["nmemb", "size", "ptr*"],
        "realloc": ["in_ptr*", "size", "ptr*"],
        "memalign": ["alignment", "size", "ptr*"],
        "posix_memalign": ["out_ptr*", "alignment", "size", "result"],
    },
    "lttng_ust_pthread": {
        "pthread_mutex_lock_req": ["mutex*"],
        "pthread_mutex_lock_acq": ["mutex*", "status"],
        "pthread_mutex_trylock": ["mutex*", "status"],
        "pthread_mutex_unlock": ["mutex*", "status"],
    },
    "lttng_ust_cyg_profile": {
        "func_entry": ["addr*", "call_site*"],
        "func_exit": ["addr*", "call_site*"],
    },
    "lttng_ust_cyg_profile_fast": {"func_entry": ["addr*"], "func_exit": []},
    "lttng_ust_dl": {
        "dlopen": ["baddr*", "memsz", "flags*", "path"] + DETAILS,
        "dlmopen": ["baddr*", "memsz", "nsid", "flags*", "path"] + DETAILS,
        "build_id": BUILD_ID,
        "debug_link": DEBUG_LINK,
        "dlclose": ["baddr*"],
    },
    "lttng_ust_lib": {
        "load": ["baddr*", "memsz", "path"] + DETAILS,
        "build_id": BUILD_ID,
        "debug_link": DEBUG_LINK,
        "unload": ["baddr*"],
    },
    "lttng_ust_statedump": {
        "start": [],
        "bin_info": ["baddr*", "memsz", "path", "is_pic"] + DETAILS,
        "build_id": BUILD_ID,
        "debug_link": DEBUG_LINK,
        "procname": ["procname"],
        "end": [],
    },
    "lttng_ust_tracef": {"event": ["msg"]},
    "lttng_ust_tracelog": {
        "LTTNG_UST_TRACEPOINT_LOGLEVEL_" + level: ["line", "file", "func", "msg"]
        for level in "EMERG ALERT CRIT ERR WARNING NOTICE INFO DEBUG_SYSTEM DEBUG_PROGRAM "
                     "DEBUG_PROCESS DEBUG_MODULE DEBUG_UNIT DEBUG_FUNCTION DEBUG_LINE DEBUG".split()
    },
}
LOG_LEVELS = {"lttng_ust_cyg_profile": 12, "lttng_ust_cyg_profile_fast": 12,
              "lttng_ust_tracef": 14}

wrong = []

def expect(condition, what):
    if not condition:
        wrong.append(what)

def blocks(text, head):
    """The bodies of what begins `head {` at a line's begin and ends at one."""
    return re.findall(rf"^{head} \{{\n(.*?)^\}};$", text, re.M | re.S)

def members(body, structure, prefix):
    """The names in `structure := struct { ... }`; a sequence's length is no member."""
    found = re.search(rf"^\t{re.escape(structure)} := struct \{{\n(.*?)^\t\}};$", body, re.M | re.S)
    names = []
    for line in found[1].splitlines() if found else []:
        declared = re.fullmatch(r"\t\t(.*) (\w+)(\[(\w+)\])?;", line)
        name = declared[2]
        if re.fullmatch(r"__\w+_length", name):
            continue
        expect(name.startswith(prefix), f"{structure}: {name} does not begin with '{prefix}'")
        names.append(name[len(prefix):] + ("*" if "base = 16;" in declared[1] else ""))
        if declared[4] and not declared[4].isdigit():
            expect(declared[4] == f"_{name}_length", f"{structure}: {name}'s length is {declared[4]}")
    return names

def check_metadata(text, providers):
    expect(text.startswith("/* CTF 1.8 */\n"), "the first line is not that of CTF 1.8")
    environment = dict(re.findall(r"^\t(\w+) = (.*);$", "".join(blocks(text, "env")), re.M))
    for key, value in ENVIRONMENT.items():
        expect(re.fullmatch(value, environment.get(key, "")),
               f"env: {key} is {environment.get(key)}")
    trace = "".join(blocks(text, "trace"))
    expect(members(trace, "packet.header", "") == PACKET_HEADER, "the packet's header differs")
    for stream in blocks(text, "stream"):
        expect(members(stream, "packet.context", "")[:len(PACKET_CONTEXT)] == PACKET_CONTEXT,
               "the packet's context differs")
        contexts = members(stream, "event.context", "_")
        for context in CONTEXTS:
            expect(context in contexts, f"there is no context {context}, but {contexts}")
    events = {}
    for event in blocks(text, "event"):
        provider, name = re.search(r'^\tname = "(\w+):(\w+)";$', event, re.M).groups()
        events.setdefault(provider, {})[name] = event
    for provider in providers:
        for name, fields in EVENTS[provider].items():
            event = events.get(provider, {}).get(name)
            expect(event, f"there is no {provider}:{name}")
            if not event:
                continue
            found = members(event, "fields", "_")
            expect(found == fields, f"{provider}:{name} has {found}, not {fields}")
            level = int(re.search(r"^\tloglevel = (\d+);$", event, re.M)[1])
            expect(level == LOG_LEVELS.get(provider, level), f"{provider}:{name} is of level {level}")

def check_stream(path, trace_uuid):
    """All packets of a stream, and that the index says the same of them."""
    content = path.read_bytes()
    index = (path.parent / "index" / (path.name + ".idx")).read_bytes()
    magic, major, minor, length = struct.unpack(">4I", index[:16])
    expect((magic, major, minor, length) == (0xC1F1DCC1, 1, 1, 72), f"{path.name}: the index's header")
    at, entry = 0, 16
    while at < len(content):
        magic, identity, stream_id, instance = struct.unpack_from("<I16sIQ", content, at)
        begin, end, used, size, number, discarded, _ = struct.unpack_from("<6QI", content, at + 32)
        expect(magic == 0xC1FC1FC1 and uuid.UUID(bytes=identity) == trace_uuid,
               f"{path.name}: the header of the packet at {at}")
        expect(0 < begin <= end and 0 < used <= size and size % 8 == 0,
               f"{path.name}: the packet at {at}: {begin} to {end}, {used} of {size} bits")
        expect(index[entry:entry + length] == struct.pack(
            ">9Q", at, size, used, begin, end, discarded, stream_id, instance, number),
               f"{path.name}: the index does not have the packet at {at}")
        at, entry = at + size // 8 if size else len(content), entry + length
    expect(at == len(content) and entry == len(index), f"{path.name}: sizes of stream and index")

def main():
    trace = Path(sys.argv[1])
    text = (trace / "metadata").read_text()
    check_metadata(text, sys.argv[2:])
    identity = re.search(r'^\tuuid = "([0-9a-f-]+)";$', text, re.M)
    streams = [path for path in trace.iterdir() if path.is_file() and path.name != "metadata"]
    expect(streams, "there is no stream")
    for stream in streams:
        check_stream(stream, uuid.UUID(identity[1]))
    print(*wrong, sep="\n", end="")
    return 1 if wrong else 0

if __name__ == "__main__":
    sys.exit(main())
