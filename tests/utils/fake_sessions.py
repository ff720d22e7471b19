# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""What common/protocol/protocol-control.h promises of sessions, without tracing: for
tests of the command. Requests are taken as strictly as a session daemon takes
them, so that the tests see a request that it would refuse.

What no test could make otherwise: a filter with "missing" in it names a field
that is not there, one with "warn" brings a warning, a context "perf:..." is
refused, and the processes and events are always the same.
"""

import os

OPTIONAL = {
    "create": {"snapshot": bool},
    "channel": {"subbuf_size": int, "subbufs": int, "mode": str, "blocking_timeout_ms": int, "flush_ms": int,
                "file_size": int, "file_count": int, "change": bool},
    "enable": {"exclude": str, "loglevel": int, "loglevel_only": bool, "filter": str},
    "context": {"remove": bool},
    "snapshot": {"output": str, "max_size": int},
    "list": {"from": int},
    "events": {"pid": int},
}
NEEDED = {
    "create": {"session": str, "output": str},
    "choose": {"session": str},
    "destroy": {"session": str},
    "start": {"session": str},
    "stop": {"session": str},
    "channel": {"session": str, "channel": str},
    "channel-remove": {"session": str, "channel": str},
    "enable": {"session": str, "channel": str, "rule": str},
    "disable": {"session": str, "channel": str, "id": int},
    "remove": {"session": str, "channel": str, "id": int},
    "context": {"session": str, "channel": str, "context": str},
    "track": {"session": str, "kind": str, "value": (int, str)},
    "untrack": {"session": str, "kind": str, "value": (int, str)},
    "snapshot": {"session": str},
    "rotate": {"session": str},
    "rotation": {"session": str, "period_ms": int, "size": int},
    "clear": {"session": str},
    "status": {"session": str},
    "list": {},
    "processes": {"from": int},
    "unregistered": {"from": int},
    "events": {"from": int},
}
RULE_MEMBERS = ("exclude", "loglevel", "loglevel_only", "filter")
EVENTS = [
    {"id": 1, "name": "shop:order", "loglevel": 6,
     "fields": [{"name": "item", "type": "string"}, {"name": "count", "type": "int32"}]},
    {"id": 2, "name": "shop:closed", "loglevel": 4, "fields": []},
    {"id": 3, "name": "lttng_ust_libc:free", "loglevel": 13,
     "fields": [{"name": "ptr", "type": "uint64, hexadecimal"}]},
]
PROCESSES = [
    {"pid": 4711, "uid": 0, "name": "shop", "traced_since_ms": 1700000000000},
    {"pid": 4712, "uid": 65534, "name": "evil\x1b[2Jname", "traced_since_ms": 1700000001000},
]


class Refused(Exception):
    """what failed, what to do, and members for the answer."""


class Sessions:
    def __init__(self):
        self.sessions = {}
        self.begun = set()
        self.next_id = 1

    def serve(self, request):
        try:
            self.check(request)
            answer = getattr(self, request["verb"].replace("-", "_"))(request)
        except Refused as refused:
            error, hint, *more = refused.args
            return {"ok": False, "error": error, "hint": hint, **(more[0] if more else {})}
        return {"ok": True, **(answer or {})}

    @staticmethod
    def check(request):
        verb = request["verb"]
        if verb not in NEEDED:
            raise Refused(f"there is no verb '{verb}'", "use another version")
        needed, optional = NEEDED[verb], OPTIONAL.get(verb, {})
        for key in needed:
            if key not in request:
                raise Refused(f"member '{key}' is missing", "give it")
        for key, value in request.items():
            types = {"verb": str, **needed, **optional}.get(key)
            if types is None:
                raise Refused(f"verb '{verb}' has no member '{key}'", "use another version")
            if not isinstance(value, types) or (types is int and isinstance(value, bool)):
                raise Refused(f"member '{key}' is of a wrong type", "use another version")

    def session(self, request, stopped=False):
        name = request["session"]
        if name not in self.sessions:
            raise Refused(f"there is no session '{name}'", "create it first")
        session = self.sessions[name]
        if stopped and session["active"]:
            raise Refused(f"session {name} is active", "stop it first")
        return session

    def find_channel(self, request, stopped=False):
        session = self.session(request, stopped)
        for channel in session["channels"]:
            if channel["channel"] == request["channel"]:
                return channel
        raise Refused(f"session {request['session']} has no channel '{request['channel']}'",
                      "make it first")

    def find_rule(self, request):
        channel = self.find_channel(request)
        for rule in channel["rules"]:
            if rule["id"] == request["id"]:
                return channel, rule
        raise Refused(f"there is no rule {request['id']}", "list shows the rules")

    def create(self, request):
        name = request["session"]
        if name in self.sessions:
            raise Refused(f"there is a session '{name}' already", "use another name")
        self.sessions[name] = {
            "session": name, "output": request["output"], "owner": os.geteuid(),
            "snapshot": request.get("snapshot", False), "active": False, "trackers": [],
            "rotation": {"period_ms": 0, "size": 0}, "channels": []}
        self.choose(request)

    def choose(self, request):
        chosen = self.session(request)
        for session in self.sessions.values():
            session.pop("current", None)
        chosen["current"] = True

    def destroy(self, request):
        self.session(request)
        del self.sessions[request["session"]]

    def start(self, request):
        session = self.session(request)
        if session["active"]:
            raise Refused(f"session {request['session']} is started already", "stop it first")
        if not session["channels"]:
            raise Refused(f"session {request['session']} has no channel", "make one first")
        session["active"] = True
        self.begun.add(request["session"])

    def stop(self, request):
        session = self.session(request)
        if not session["active"]:
            raise Refused(f"session {request['session']} is not started", "start it first")
        session["active"] = False

    def channel(self, request):
        session = self.session(request)
        members = {key: request[key] for key in OPTIONAL["channel"]
                   if key in request and key != "change"}
        if request.get("change"):
            self.find_channel(request, True).update(members)
            return
        if any(channel["channel"] == request["channel"] for channel in session["channels"]):
            raise Refused(f"there is a channel '{request['channel']}' already", "use another name")
        for key in ("subbuf_size", "subbufs", "mode"):
            if key not in members:
                raise Refused(f"member '{key}' is missing", "give it")
        if session["snapshot"] and members["mode"] != "overwrite":
            raise Refused("a session for snapshots overwrites", "use the mode overwrite")
        session["channels"].append({
            "channel": request["channel"], "blocking_timeout_ms": 0, "file_size": 0,
            "file_count": 0, **members, "contexts": [], "rules": []})

    def channel_remove(self, request):
        channel = self.find_channel(request, True)
        self.session(request)["channels"].remove(channel)

    def enable(self, request):
        channel = self.find_channel(request)
        members = {key: request[key] for key in RULE_MEMBERS if key in request}
        expression = members.get("filter", "")
        if "missing" in expression:
            raise Refused("filter: no event that matches has a field 'missing'",
                          "lttngmap events shows the fields",
                          {"column": len(expression[:expression.index("missing")].encode()),
                           "length": 7})
        rule = {"rule": request["rule"], **members}
        for known in channel["rules"]:
            if {key: known[key] for key in known if key not in ("id", "enabled")} == rule:
                known["enabled"] = True
                return {"id": known["id"], "matched": 2, "warnings": []}
        channel["rules"].append({"id": self.next_id, "enabled": True, **rule})
        self.next_id += 1
        return {"id": self.next_id - 1, "matched": 2,
                "warnings": ["shop:closed has no field 'warn'"] if "warn" in expression else []}

    def disable(self, request):
        rule = self.find_rule(request)[1]
        if not rule["enabled"]:
            raise Refused(f"rule {request['id']} is disabled already", "enable it first")
        rule["enabled"] = False

    def remove(self, request):
        channel, rule = self.find_rule(request)
        channel["rules"].remove(rule)

    def context(self, request):
        contexts = self.find_channel(request, True)["contexts"]
        name = request["context"]
        if name.startswith("perf:"):
            raise Refused(f"no permission for '{name}'", "ask root")
        if (name in contexts) != request.get("remove", False):
            raise Refused(f"context '{name}' is there already, or is not", "see list")
        (contexts.remove if request.get("remove") else contexts.append)(name)
        contexts.sort()

    def track(self, request):
        tracker = {"kind": request["kind"], "value": request["value"]}
        if tracker["value"] == 666:
            raise Refused("no permission to trace process 666", "ask its owner")
        trackers = self.session(request)["trackers"]
        if tracker not in trackers:
            trackers.append(tracker)
            trackers.sort(key=str)

    def untrack(self, request):
        tracker = {"kind": request["kind"], "value": request["value"]}
        trackers = self.session(request)["trackers"]
        if tracker not in trackers:
            raise Refused(f"{tracker['kind']} {tracker['value']} is not tracked", "see list")
        trackers.remove(tracker)

    def snapshot(self, request):
        session = self.session(request)
        if not session["snapshot"]:
            raise Refused(f"session {request['session']} is not for snapshots",
                          "create it with --snapshot")
        return {"output": request.get("output", session["output"] + "/snapshot-1"),
                "events": 1234, "bytes": 56789}

    def rotate(self, request):
        session = self.session(request)
        if request["session"] not in self.begun:
            raise Refused(f"session {request['session']} has recorded nothing since its last chunk",
                          "start it first")
        if not session["active"]:
            self.begun.remove(request["session"])
        return {"chunk": session["output"] + "/archives/1"}

    def rotation(self, request):
        self.session(request)["rotation"] = {key: request[key] for key in ("period_ms", "size")}

    def clear(self, request):
        self.session(request)

    def status(self, request):
        session = self.session(request)
        if session["session"] == "ended":
            # Of processes that ended: 12 events, which the consumer has at the fourth look.
            self.looks = getattr(self, "looks", 0) + 1
            left = 0 if self.looks > 3 else 12
            return {"active": True, "processes": 2, "alive": int(self.looks < 2), "messages": [],
                    "written": 12, "kept": 12 - left, "buffered": left, "streams": 0 if left else 2,
                    "bytes": 0 if left else 408}
        return {"active": session["active"], "processes": 2, "alive": 1, "refused": 0,
                "unanswered": 0, "messages": ["the disk is nearly full"], "written": 1251,
                "kept": 1234, "discarded": 17, "overwritten": 0, "packets": 3, "bytes": 56789, "streams": 3}

    def list(self, request):
        # Two at a time, so that parts are asked for.
        first = request.get("from", 0)
        known = list(self.sessions.values())
        return {"sessions": known[first:first + 2],
                "next": first + 2 if first + 2 < len(known) else 0}

    def processes(self, request):
        first = request["from"]
        return {"processes": PROCESSES[first:first + 1],
                "next": first + 1 if first + 1 < len(PROCESSES) else 0}

    def unregistered(self, request):
        return {"unregistered": [] if request["from"] else
                [{"pid": 4713, "uid": 1, "name": "late", "why": "it was told"}], "next": 0}

    def events(self, request):
        known = EVENTS[:2] if request.get("pid") == 4711 else \
            [] if "pid" in request else EVENTS
        first = request["from"]
        return {"events": known[first:first + 2],
                "next": first + 2 if first + 2 < len(known) else 0}
