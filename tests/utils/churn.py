#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""Sessions come and go at random while programs run, and each trace is checked.

    churn.py RUNTIME-DIR PROGRAM WORK-DIR CHANNELS SECONDS [SEED [ROUNDS]]

CHANNELS channels are made and started, over several sessions with different
geometry, mode, rules, contexts and trackers, and changed, stopped, destroyed
and made anew for SECONDS by several connections at once. PROGRAM is
tests/utils/churn, of which some run at any time, ended or killed at random.
What each trace has to hold is churn_oracle.py's.

Prints what it saw; what is wrong, one a line with "wrong"; status 1 then.
"""

import json
import mmap
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import churn_oracle as oracle

COUNTS_SIZE = oracle.HEADER_SIZE + 4096 * oracle.SOURCE.size
CONTEXTS = ["vpid", "vtid", "procname", "pthread_id", "ip", "pid_ns", "mnt_ns", "vuid", "vegid"]
RULES = ["*", "alpha:*", "alpha*", "*red", "beta:red,beta:green", "al:pha", "*:g*", "al*a:*",
         "*:red,*:blue", "none:*", "beta:\\*"]
EXCLUDES = ["*:red", "alpha:*", "alpha:blue,beta:*"]
WRONG_SHOWN = 40
WORKERS = 4
PROGRAMS = 4


class Refused(Exception):
    pass


class Connection:
    def __init__(self, directory):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(90)
        self.socket.connect(os.path.join(directory, "control.sock"))
        self.ask(verb="hello", version=1)

    def ask(self, **request):
        self.socket.send(json.dumps(request).encode())
        answer = json.loads(self.socket.recv(1 << 17))
        if not answer["ok"]:
            raise Refused("%s: %s; %s" % (request, answer["error"], answer["hint"]))
        return answer


class Churn:
    """What all threads share."""

    def __init__(self, arguments):
        self.runtime, self.program, self.work = arguments[:3]
        self.channels, self.seconds = int(arguments[3]), float(arguments[4])
        self.seed = int(arguments[5]) if len(arguments) > 5 else random.randrange(1 << 32)
        self.rounds = arguments[6] if len(arguments) > 6 else "50"
        self.counts = os.path.join(self.work, "counts")
        with open(self.counts, "wb") as file:
            file.truncate(COUNTS_SIZE)
        with open(self.counts, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), COUNTS_SIZE)
        self.lock = threading.Lock()
        self.nr_wrong = 0
        self.full = threading.Barrier(WORKERS + 1)
        self.over = threading.Event()
        self.ended = []  # Session
        self.pids = []

    def sample(self):
        return oracle.Sample(self.memory)

    def wrong(self, text):
        with self.lock:
            self.nr_wrong += 1
            if self.nr_wrong <= WRONG_SHOWN:
                print("wrong:", text, flush=True)


class Channel:
    def __init__(self, stream, mode, contexts):
        self.stream = stream
        self.mode = mode
        self.contexts = contexts
        self.started = False  # with this stream
        self.rules = {}       # id: members, with "enabled"


class Session:
    def __init__(self, churn, connection, name):
        self.churn = churn
        self.connection = connection
        self.name = name
        self.output = os.path.join(churn.work, name)
        self.channels = {}
        self.contexts = {}  # of all streams that it ever had
        self.streams = 0
        self.active = False
        self.pids = None
        self.steps = []
        self.status = None

    def records(self):
        if not self.active:
            return {}
        return {channel.stream: {number for number in range(len(oracle.CLASSES))
                                 if any(rule["enabled"] and oracle.rule_takes(rule, number)
                                        for rule in channel.rules.values())}
                for channel in self.channels.values()}

    def step(self, then=None, forget=False, **request):
        """Ask for it, then() change what this object knows; the answer."""
        before = self.churn.sample()
        answer = self.connection.ask(session=self.name, **request)
        after = self.churn.sample()
        if then:
            then(answer)
        self.steps.append(oracle.Step(before, after, self.records(), self.pids, forget))
        return answer

    def refused(self, **request):
        try:
            self.connection.ask(session=self.name, **request)
        except Refused:
            return
        self.churn.wrong("this was not refused: %s" % request)


class Worker(threading.Thread):
    """One connection, with sessions of its own."""

    def __init__(self, churn, number, channels):
        super().__init__()
        self.churn = churn
        self.number = number
        self.quota = channels
        self.random = random.Random(churn.seed * WORKERS + number)
        self.sessions = []
        self.made = 0
        self.steps = 0
        self.late = 0

    def run(self):
        try:
            self.connection = Connection(self.churn.runtime)
            while self.free() > 0:
                self.create()
                self.start_one()
            self.churn.full.wait()
            self.churn.full.wait()
            while not self.churn.over.is_set():
                self.one_step()
                self.steps += 1
                time.sleep(self.random.uniform(0.002, 0.06))
            for session in list(self.sessions):
                self.destroy(session)
        except Exception as error:  # whatever it is, the test has failed
            self.churn.wrong("%s: %s" % (type(error).__name__, error))
            self.churn.full.abort()
            self.churn.over.set()

    def free(self):
        return self.quota - sum(len(session.channels) for session in self.sessions)

    def pick(self, active):
        sessions = [session for session in self.sessions if session.active == active]
        return self.random.choice(sessions) if sessions else None

    def one_step(self):
        if not self.sessions:
            self.create()
            return
        if self.free() > 0:
            steps = [self.create, self.create]
        else:
            steps = [self.destroy_one]
        steps += [self.stop_one, self.start_one, self.start_one] * 2
        steps += [self.enable, self.disable, self.change, self.track, self.clear, self.nonsense]
        self.random.choice(steps)()

    # ---- sessions --------------------------------------------------------------

    def create(self):
        self.made += 1
        session = Session(self.churn, self.connection, "s%d-%d" % (self.number, self.made))
        self.connection.ask(verb="create", session=session.name, output=session.output)
        self.sessions.append(session)
        for _ in range(self.random.randint(1, min(6, self.free()))):
            if not self.add_channel(session):
                break
        if not session.channels:
            self.destroy(session)

    def geometry(self):
        return {"subbuf_size": 1 << self.random.randint(12, 14),
                "subbufs": 1 << self.random.randint(1, 3),
                "mode": self.random.choice(["blocking"] * 3 + ["discard", "overwrite"])}

    def add_channel(self, session):
        name = "c%d" % session.streams
        config = self.geometry()
        contexts = self.random.sample(CONTEXTS, self.random.choice([0, 0, 1, 3, len(CONTEXTS)]))
        channel = Channel(session.streams, config["mode"], contexts)

        def add(_):
            session.channels[name] = channel
            session.contexts[session.streams] = contexts
            session.streams += 1
        # Slots rest for a second before they are used again.
        for _ in range(300):
            try:
                session.step(add, verb="channel", channel=name, contexts=contexts, **config)
                break
            except Refused as refused:
                if "try again in a second" not in str(refused):
                    raise
                self.late += 1
                if self.churn.over.wait(0.1):
                    return False
        else:
            raise Refused("no channel became free in 30 seconds")
        for _ in range(self.random.randint(1, 3)):
            self.add_rule(session, name)
        return True

    def add_rule(self, session, name):
        rule = {"rule": self.random.choice(RULES)}
        if self.random.random() < 0.3:
            rule["exclude"] = self.random.choice(EXCLUDES)
        if self.random.random() < 0.3:
            rule["loglevel"] = self.random.choice([0, 3, 5, 6, 7, 13])
            rule["loglevel_only"] = self.random.random() < 0.3
        session.step(lambda answer: session.channels[name].rules.update(
            {answer["id"]: dict(rule, enabled=True)}), verb="enable", channel=name, **rule)

    def start_one(self):
        def start(_):
            session.active = True
            for channel in session.channels.values():
                channel.started = True
        session = self.pick(False)
        if session:
            session.step(start, verb="start")

    def stop(self, session):
        session.step(lambda _: setattr(session, "active", False), verb="stop")
        session.status = self.connection.ask(verb="status", session=session.name)

    def stop_one(self):
        session = self.pick(True)
        if session:
            self.stop(session)

    def destroy(self, session):
        if session.active and self.random.random() < 0.8:
            self.stop(session)
        if session.active:
            session.status = None
        session.step(lambda _: setattr(session, "active", False), verb="destroy")
        self.sessions.remove(session)
        self.churn.ended.append(session)

    def destroy_one(self):
        self.destroy(self.random.choice(self.sessions))

    def clear(self):
        session = self.random.choice(self.sessions)
        if session.steps and self.random.random() < 0.3:
            session.step(None, True, verb="clear")
            session.status = self.connection.ask(verb="status", session=session.name)

    # ---- what they record -------------------------------------------------------

    def enable(self):
        session = self.random.choice(self.sessions)
        name = self.random.choice(list(session.channels))
        if len(session.channels[name].rules) < 8:
            self.add_rule(session, name)

    def disable(self):
        session = self.random.choice(self.sessions)
        name = self.random.choice(list(session.channels))
        rules = session.channels[name].rules
        ids = [number for number, rule in rules.items() if rule["enabled"]]
        if len(ids) < 2:
            return
        number = self.random.choice(ids)
        if self.random.random() < 0.5:
            session.step(lambda _: rules[number].update(enabled=False), verb="disable",
                         channel=name, id=number)
        else:
            session.step(lambda _: rules.pop(number), verb="remove", channel=name, id=number)

    def change(self):
        session = self.pick(False)
        if not session:
            return
        name = self.random.choice(list(session.channels))
        channel = session.channels[name]
        config = self.geometry()
        try:
            if self.random.random() < 0.5:
                session.step(lambda _: setattr(channel, "mode", config["mode"]), verb="channel",
                             channel=name, change=True, **config)
            else:
                self.change_context(session, name, channel)
        except Refused as refused:
            if "try again in a second" not in str(refused) and \
                    "takes the place of one more" not in str(refused):
                raise
            self.late += 1

    def change_context(self, session, name, channel):
        context = self.random.choice(CONTEXTS)
        has = context in channel.contexts

        def apply(_):
            channel.contexts = [one for one in channel.contexts if one != context] + \
                [context] * (not has)
            if channel.started:
                channel.stream = session.streams
                session.streams += 1
                channel.started = False
            session.contexts[channel.stream] = channel.contexts
        session.step(apply, verb="context", channel=name, context=context, remove=has)

    def track(self):
        session = self.random.choice(self.sessions)
        pids = session.pids or frozenset()
        if pids and self.random.random() < 0.7:
            pid = self.random.choice(sorted(pids))
            session.step(lambda _: setattr(session, "pids", (pids - {pid}) or None),
                         verb="untrack", kind="pid", value=pid)
        elif self.churn.pids:
            pid = self.random.choice(self.churn.pids)
            if pid not in pids:
                session.step(lambda _: setattr(session, "pids", pids | {pid}), verb="track",
                             kind="pid", value=pid)

    def nonsense(self):
        session = self.random.choice(self.sessions)
        session.refused(verb="start" if session.active else "stop")
        session.refused(verb="channel-remove", channel="none")
        session.refused(verb="create", output=session.output)


class Programs(threading.Thread):
    """They come and go."""

    def __init__(self, churn):
        super().__init__()
        self.churn = churn
        self.random = random.Random(churn.seed)
        self.running = []
        self.over = threading.Event()
        self.nr = 0

    def start_one(self):
        command = [self.churn.program, self.churn.counts, str(self.random.randint(1, 2)),
                   self.churn.rounds, str(self.random.choice([0, 0, 1, 2]))]
        environment = dict(os.environ, LTTNGMAP_RUNTIME_DIR=self.churn.runtime,
                           LTTNGMAP_ALLOW_BLOCKING="1")
        self.running.append(subprocess.Popen(command, stdin=subprocess.PIPE, env=environment))
        self.nr += 1

    def end_one(self, kill):
        program = self.running.pop(self.random.randrange(len(self.running)))
        if kill:
            program.kill()
        program.stdin.close()
        status = program.wait()
        if status not in (0, -signal.SIGKILL if kill else 0):
            self.churn.wrong("a program ended with status %d" % status)

    def run(self):
        while not self.over.wait(self.random.uniform(0.1, 0.5)):
            if self.running and self.random.random() < 0.4:
                self.end_one(self.random.random() < 0.4)
            while len(self.running) < PROGRAMS:
                self.start_one()
            self.churn.pids = [program.pid for program in self.running]
        while self.running:
            self.end_one(False)


# ---- the check -------------------------------------------------------------------------


def check_session(churn, session, final, sums):
    if not any(step.streams for step in session.steps):
        return  # never started: there need not be a trace
    problems = []
    reader = oracle.Reader(session.output, final, problems.append)
    need, may, missing = oracle.check(session.steps, reader, session.contexts, problems.append)
    lost = reader.discarded
    if missing > lost:
        problems.append("%d events are missing, the trace says %d" % (missing, lost))
    if session.status:
        status = session.status
        lost = status["discarded"] + status["overwritten"]
        if status["kept"] != reader.events:
            problems.append("%d events kept, they said; %d are there" %
                            (status["kept"], reader.events))
        if missing > lost:
            problems.append("%d events are missing, %d were counted" % (missing, lost))
        if reader.events + lost > may:
            problems.append("%d events are there and %d were counted as lost; there were %d" %
                            (reader.events, lost, may))
    problems += reader.gaps[:5] if problems else []
    read = subprocess.run(["babeltrace2", "--component=sink.utils.dummy", session.output],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False)
    said = [line for line in read.stderr.decode().splitlines() if "racer" not in line]
    if read.returncode != 0:
        problems.append("babeltrace2: %s" % said)
    for problem in problems:
        churn.wrong("%s: %s" % (session.name, problem))
    for name, value in (("sessions", 1), ("events", reader.events), ("needed", need),
                        ("possible", may), ("missing", missing), ("counted", lost)):
        sums[name] = sums.get(name, 0) + value
    if not problems:
        shutil.rmtree(session.output)


def alive(pid):
    """Children of programs end a moment after these."""
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            return b"churn" in file.read()
    except OSError:
        return False


def count_active(connection):
    count = start = 0
    while True:
        answer = connection.ask(verb="list", **{"from": start})
        count += sum(len(session["channels"]) for session in answer["sessions"]
                     if session["active"])
        start = answer["next"]
        if not start:
            return count


def main():
    churn = Churn(sys.argv[1:])
    print("seed", churn.seed, flush=True)
    connection = Connection(churn.runtime)
    for request in ({"verb": "create", "output": os.path.join(churn.work, "ready")},
                    {"verb": "channel", "channel": "c", "subbuf_size": 4096, "subbufs": 2,
                     "mode": "discard"},
                    {"verb": "enable", "channel": "c", "rule": "churn:ready"}, {"verb": "start"}):
        connection.ask(session="ready", **request)
    others = churn.channels - 1
    workers = [Worker(churn, i, others * (i + 1) // WORKERS - others * i // WORKERS)
               for i in range(WORKERS)]
    programs = Programs(churn)
    for thread in [programs] + workers:
        thread.start()
    try:
        churn.full.wait()
        active = count_active(connection)
        if active != churn.channels:
            churn.wrong("%d channels are active, not %d" % (active, churn.channels))
        churn.full.wait()
        churn.over.wait(churn.seconds)
    except threading.BrokenBarrierError:
        pass
    churn.over.set()
    for worker in workers:
        worker.join()
    programs.over.set()
    programs.join()
    final = churn.sample()
    while any(alive(final.who(source)[0]) for source in range(final.sources())):
        time.sleep(0.02)
    final = churn.sample()
    sums = {"programs": programs.nr, "sources": final.sources(),
            "steps": sum(worker.steps for worker in workers),
            "waits": sum(worker.late for worker in workers)}
    for session in churn.ended:
        check_session(churn, session, final, sums)
    for name, value in sums.items():
        print(name, value)
    print("wrongs", churn.nr_wrong)
    return churn.nr_wrong != 0


if __name__ == "__main__":
    sys.exit(main())
