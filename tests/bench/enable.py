#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""enable.py RUNTIME-DIR PROCESSES: how long it takes to enable an event, us.

Session "s", channel "c" are started, and so many processes take part. The
rule is enabled and disabled by turns; a line "enable MEDIAN us".
"""
import json
import socket
import statistics
import sys
import time

TURNS = 51

control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
control.connect(sys.argv[1] + "/control.sock")


def ask(**request):
    control.send(json.dumps(request).encode())
    answer = json.loads(control.recv(1 << 17))
    if not answer["ok"]:
        sys.exit("enable.py: %s" % answer["error"])
    return answer


def enable():
    begin = time.perf_counter()
    answer = ask(verb="enable", session="s", channel="c", rule="bench:*")
    return time.perf_counter() - begin, answer


ask(verb="hello", version=1)
alive = ask(verb="status", session="s")["alive"]
# On a busy machine a few were too late to register.
if alive < 0.95 * int(sys.argv[2]):
    sys.exit("enable.py: %d processes take part, not %s" % (alive, sys.argv[2]))
rule = enable()[1]["id"]
times = []
for _ in range(TURNS):
    ask(verb="disable", session="s", channel="c", id=rule)
    times.append(enable()[0])
ask(verb="remove", session="s", channel="c", id=rule)
print("enable %.1f us" % (statistics.median(times) * 1e6))
