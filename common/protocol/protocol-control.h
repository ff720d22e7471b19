/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * protocol-control.h - how lttngmap and lttngmap-consumerd talk to the session
 * daemon.
 *
 * RUNTIME/control.sock, SOCK_SEQPACKET; a message is one JSON object, at most
 * PROTOCOL_CONTROL_MESSAGE_MAX bytes. The daemon's own user and root are
 * served (SO_PEERCRED), by the system's instance (root's, not private) also
 * members of the group "tracing", each for sessions of its own: these see that
 * user's processes only, and nobody else's session is there. Two users may
 * each have a session of one name: root and the daemon's own user call those of
 * others UID/NAME, wherever a session is named here. Unknown members are
 * refused, so that a request is never half understood.
 *
 * Requests of the command, each answered by {"ok": true, …} or by
 * {"ok": false, "error": what failed on what, "hint": what to do about it}:
 *
 *   {"verb": "hello", "version": 1}
 *       first on each connection; another version is refused. Answer:
 *       {"ok": true, "version": 1, "mediator": "ring-fs"|"ring-socket"|"ring-kernel",
 *        "clock": "tsc"|"monotonic"}
 *   {"verb": "create", "session": NAME, "output": ABSOLUTE-DIRECTORY,
 *    "snapshot": bool, "url": TEXT, "spool": BYTES, "live_ms": MS}
 *       "snapshot" (optional, false): a flight recorder. Its channels are in
 *       overwrite mode, and nothing is written until "snapshot" is asked for;
 *       "output" is then where snapshots go by default. "url" (optional): the
 *       command sends what is written to a collector there (`lttngmap relay`);
 *       with "spool", what was sent goes from "output", and so many bytes may
 *       wait there (common/protocol/relay-progress.h), but of a flight recorder as many as a
 *       snapshot has. "live_ms" (optional; 100 to 60000, with
 *       "url"): as often, at least, the consumer notes up to which time all is on disk
 *       (common/protocol/live-time.h); such a session has no chunks
 *   {"verb": "destroy", "session": NAME}
 *       Answer: {"ok": true, "lost": N events that were in the buffers, and on no disk (not of a
 *       flight recorder), "trouble": TEXT (optional)}
 *   {"verb": "start", "session": NAME}
 *   {"verb": "stop", "session": NAME}
 *       answered when the trace on disk is complete
 *   {"verb": "channel", "session": NAME, "channel": NAME,
 *    "subbuf_size": BYTES, "subbufs": COUNT,
 *    "mode": "discard"|"overwrite"|"blocking", "blocking_timeout_ms": MS, "flush_ms": MS,
 *    "file_size": BYTES, "file_count": N, "contexts": [NAME],
 *    "buffers": "process"|"user", "change": bool}
 *       optional: blocking_timeout_ms (0: no limit), flush_ms (what is emitted is on disk
 *       soon after that time, also where no sub-buffer fills up; 0: not by time), file_size and
 * file_count (0: no limit; with both, the oldest file of a stream goes, and its events are counted
 * as overwritten), contexts, buffers ("process"; "user": one user's processes share them, and
 * contexts has vpid and vtid), change (false). file_size has room for a sub-buffer and 4096 bytes.
 * A change is of a channel that exists, while its session is stopped; members that are left out
 * keep their value.
 *   {"verb": "channel-remove", "session": NAME, "channel": NAME}
 *       while the session is stopped
 *   {"verb": "channel-enable", "session": NAME, "channel": NAME, "enabled": bool}
 *       a disabled channel keeps its rules, and records nothing; also while the session is started
 *   {"verb": "enable", "session": NAME, "channel": NAME, "rule": PATTERNS,
 *    "exclude": PATTERNS, "loglevel": 0-14, "loglevel_only": bool,
 *    "filter": EXPRESSION}
 *       from "exclude" on optional. PATTERNS as sessiond/rule/rule.h has them;
 *       "loglevel": at least as severe, or exactly so. The same rule, disabled
 *       before, is enabled again. Answer: {"ok": true, "id": N (of the rule,
 *       in its channel), "matched": N event classes known now, "warnings":
 *       [texts]}; an error in the filter also has "column" (from 0) and
 *       "length"; and one in another text of the request, "in": its member.
 *   {"verb": "disable", "session": NAME, "channel": NAME, "id": N}
 *       the rule stays, and records nothing
 *   {"verb": "remove", "session": NAME, "channel": NAME, "id": N}
 *   {"verb": "context", "session": NAME, "channel": NAME, "context": NAME,
 *    "remove": bool}
 *       "remove" optional; while the session is stopped
 *   {"verb": "track", "session": NAME, "kind": "pid"|"uid"|"gid"|"name",
 *    "value": number, or for "name" a pattern}
 *   {"verb": "untrack", …as track}
 *       a session without trackers takes every process that its owner may
 *       trace; with trackers of a kind, those in the set, and of all kinds
 *       that have a set
 *   {"verb": "kernel", "session": NAME, "buffer_size": BYTES, "pids": [PID]}
 *       the session has a kernel domain from now on: events of the kernel's, in a
 *       tracefs instance of its own, go to a trace beside the program's. For root
 *       only, in a session of its own, which is stopped, has no chunks and is no
 *       flight recorder. Optional: "buffer_size", of each CPU, which the kernel does
 *       not change any more when the session was started; "pids": only events of
 *       these processes and of those that they start, an empty array: of all. A member
 *       that is left out keeps its value. Answer: {"ok": true, "instance": NAME}
 *   {"verb": "kernel-enable", "session": NAME, "rule": PATTERNS, "filter": EXPRESSION}
 *       record the kernel's events that match SYSTEM:NAME as "enable" has it; makes the
 *       kernel domain where there is none. "filter" is optional, in the kernel's own
 *       language (Documentation/trace/events.rst). If several rules are for one event,
 *       one is to match. Answer: {"ok": true, "id": N, "matched": N events, "warnings":
 *       [texts]}: a filter need not fit all of them, but one; where the kernel says at
 *       which place a filter is wrong, the error has "column" and "length", too
 *   {"verb": "kernel-probe", "session": NAME, "kind": "uprobe"|"kprobe", "return": bool,
 *    "name": NAME, "path": ABSOLUTE-PATH, "file": DEVICE:INODE, "offset": BYTES,
 *    "symbol": NAME, "args": TEXT, "filter": EXPRESSION}
 *       make a place an event, uprobes:NAME or kprobes:NAME, of this session alone, and
 *       record it; makes the kernel domain where there is none. A uprobe is at "offset"
 *       in a file, which "symbol", optional, is a name for; "file", optional, is which file
 *       that was when it was looked at: st_dev and st_ino, hexadecimal, and another one is
 *       refused; a kprobe at "offset"
 *       (optional, 0) behind "symbol" of the kernel's, and has no "path". Optional
 *       besides: "return" (false): when the function that begins there returns;
 *       "args": what is recorded with it, as in the kernel's
 *       Documentation/trace/uprobetracer.rst; "filter" as above, of this event. Answer:
 *       {"ok": true, "id": N, "event": NAME}. It is a rule as those of "kernel-enable". The
 *       same name again, of one that was disabled or removed, is the same place
 *   {"verb": "kernel-disable", "session": NAME, "id": N}
 *       the rule stays, and records nothing
 *   {"verb": "kernel-remove", "session": NAME, "id": N}
 *   {"verb": "choose", "session": NAME}
 *       the client's current session from now on, one of its user's own; "create" chooses,
 *       too. The daemon names it in "list", and takes no request for it unnamed
 *   {"verb": "snapshot", "session": NAME, "output": DIRECTORY, "max_size": BYTES}
 *       the last two optional; answered when it is on disk: {"ok": true,
 *       "output": DIRECTORY, "events": N, "bytes": N, "number": of the session's
 *       snapshots, from 1, "created": when that was, in seconds since 1970, "url": of
 *       "create", where there is one, "is_spool": what was sent goes from "output",
 *       "least": a "max_size" that gives each stream room for a sub-buffer}
 *   {"verb": "rotate", "session": NAME}
 *       answered with {"ok": true, "chunk": DIRECTORY} when that is complete:
 *       it has all events that were emitted before this was asked for, and
 *       that no chunk before has. A session that is stopped gives a chunk once, of what was
 *       recorded since the last one. Refused where
 *       the directory cannot be made; where the disk is full later on,
 *       answered by an error, and completed as soon as there is room.
 *   {"verb": "rotation", "session": NAME, "period_ms": MS, "size": BYTES}
 *       rotate by itself from now on, while the session is started; 0: not by
 *       this. A chunk that would have no stream is not made. "period_ms" is
 *       100 or more; "size" is what the consumer has written, looked at every
 *       PROTOCOL_CONTROL_WRITTEN_MS
 *   {"verb": "clear", "session": NAME}
 *       forget what is recorded, keep the set-up; chunks stay
 *   {"verb": "flush", "session": NAME}
 *       what was emitted until now goes to the disk soon, without waiting for a sub-buffer
 *       to be full; answered at once. For programs' events; not for a flight recorder
 *   {"verb": "status", "session": NAME}
 *       {"ok": true, "active": bool, "snapshot": bool, "processes": N (traced so far),
 *        "alive": N, "not_traced": N (processes that it would take, and that are not),
 *        "trackers": N (where it has some),
 *        "untraced": [{"name", "count", "why": "late", "refused", "descriptors", "forked",
 *        "executed"}] (which ones), "refused": N (registrations refused by the daemon: limits,
 *        versions), "unanswered": N (programs that did not wait for an answer to theirs),
 *        "others": N processes that it would take, and that are another daemon's, where it is
 *        active, "others_named": [{"pid", "name"}] (some of them),
 *        "messages": [warnings since the last status, about the session or about none],
 *        "trouble": TEXT, as long as the output has a problem, "output" and, where
 *        there are these, "url", "spool" and "live_ms" as of "create",
 *        "written": N events written to rings, "kept": N events on disk,
 *        "buffered": N that are not there yet, "discarded": N not written, ring full,
 *        "overwritten": N, "broken": N events of packets that no reader could read,
 *        "cut": N of those written whose strings or sequences are not whole,
 *        "closed_rings": N that their processes damaged, "claimed": N events that these
 *        processes say were lost or are in such rings, which nobody can check; no other count
 *        has them, "damagers": [{"pid": 0 where a user's processes share them, "name"}] (some of
 *        these processes), "more_damagers": bool (there are others),
 *        "packets": N, "bytes": N written to disk, "streams": N, "chunks": N completed,
 *        "output_silent_ms": for how long the consumer was not heard of, only where "output"
 *        does not answer,
 *        "kernel": {"instance": NAME, "mapped": bool,
 *        false where the kernel lets its rings be read only, "events": N on disk,
 *        "discarded": N that packets say were lost, "overrun": N, the kernel's own
 *        count of these, "packets", "bytes", "streams"}}
 *       after stop: written + discarded = kept + discarded + overwritten + broken, which
 *       count no event of the kernel's. "kernel" only where there is that part
 *   {"verb": "usage", "from": N}
 *       for who watches: "from" optional, as of "processes". {"ok": true, "next": N,
 *        "now_us": CLOCK_MONOTONIC in microseconds, "pid": of the daemon, "consumer": of
 *        the first session's, 0: none, "processes": N registered, "refused": as "status" has it,
 *        "sessions": [{"session", "owner", "output", as "list" has it, "error": TEXT, where
 *        the consumer cannot write, "consumer": its pid, and from "active" on what "status" has,
 *        but "messages"}]}
 *       counts are those of this moment, events that nobody has read yet among them
 *   {"verb": "rings", "from": N}
 *       {"ok": true, "next": N, "now_us": as before, "rings": [{"session", "channel",
 *        "pid": 0 where a user's processes share them, "uid", "name", "alive": bool,
 *        "written", "discarded", "overwritten": events since they were made,
 *        "ring_size": BYTES, "unread": [BYTES of each ring that wait to be read]}]}: one for
 *       each process and channel; the last LTTNGMAP_EXTRA_RINGS rings are no CPU's
 *   {"verb": "map-add", "map": NAME, "rule": PATTERNS, …as "enable", "by": EXPRESSION,
 *    "sum": EXPRESSION, "histogram": bool, "latency": PATTERNS, "keys": N}
 *       from now on the user's processes count the rule's events, and nothing is written.
 *       "by" optional: an integer or a string (lttngmap-filter(7)), or up to four with commas
 *       between, of which each value, or with "histogram" each bucket of an integer
 *       (lttngmap/filter-code.h), has its own count; "sum" optional: what is added up;
 *       "latency" optional: a histogram of the time since the event that matches this, in the
 *       same thread, or with the same "by"; "keys" (4096): a power of two, for how many keys
 *       there is room on each CPU. Names of maps are apart from those of sessions. Answer as of
 *       "enable"
 *   {"verb": "map-remove", "map": NAME}
 *   {"verb": "map-clear", "map": NAME}
 *       all counts are 0 again; an event meanwhile may count before or after
 *   {"verb": "map-list", "from": N}
 *       {"ok": true, "next": N, "maps": [{"map", "rule", "exclude", "filter", "by", "sum" and
 *        "latency" where there are these, "histogram": bool, "keys": N, "processes": N that live
 *        and count}]}
 *   {"verb": "map-show", "map": NAME, "from": KEY}
 *       {"ok": true, "next": 1, where another request, from "next_key" on, has the rest; else 0;
 *        "keys", "signed", "histogram", "sums", "sums_signed": bool, what KEY and SUM are,
 *        "counts": [[KEY, events, SUM]] by ascending keys, "other": N events whose keys had no
 *        room, "other_sum", "lost": N events that could not be counted, "damaged": N entries of
 *        tables that cannot be and were left out, "unreadable": N tables of now,
 *        "not_traced" and "untraced" as of "status", only where "from" is 0}.
 *       Latencies have "latency": true, "no_second" and "no_first": N pairs without an end, and
 *       ends without a pair, "open": N pairs that wait. A KEY that is a number, and SUM, are 64
 *       bits without a sign; a string is a string, or {"begin": TEXT, "hash": N} of a longer one;
 *       several values are an array; null: a program damaged it
 *   {"verb": "trigger-add", "trigger": NAME, "on": CONDITION, "rule": PATTERNS, …as "enable",
 *    "capture": EXPRESSION, "above": N, "times": N, "every_ms": N, "do": [ACTION]}
 *       whenever the condition becomes true, the actions are done: a round. "on": "event": an event
 *       of "rule"; or more than "above" since the last round: "lost:SESSION" events,
 *       "bytes:SESSION" on disk, "rotated:SESSION" chunks, "count:MAP" events; or
 *       "fill:SESSION": one of its rings is fuller than "above" percent, and was not before.
 *       "capture" optional: an integer of the event. "do": "notify", "start:SESSION",
 *       "stop:SESSION", "rotate:SESSION", "snapshot:SESSION". "times": so many rounds at most, and
 *       one in "every_ms" at most; 0: no limit. Events meanwhile are not counted. Answer as of
 *       "enable" for events
 *   {"verb": "trigger-remove", "trigger": NAME}
 *   {"verb": "trigger-list", "from": N}
 *       {"ok": true, "next": N, "triggers": [{"trigger", what was given of "on" to "do",
 *        "rounds": N so far, "missed": N of these, whose actions were maybe not done, for the
 *        daemon was killed, "failed": N actions, "problem": TEXT of the last one, "muted_ms": for
 *        how much longer, "under_way": true where actions are not done yet, "spent": true where no
 *        round comes any more; and where it is of events
 *        "events": N for which rounds began, "lost": N events that could not be counted,
 *        "processes": N that live and take part}]}
 *   {"verb": "trigger-wait", "trigger": NAME, "after": ROUND}
 *       answered when there is a later round than "after", or without it when the next one begins:
 *       {"ok": true, "last": N, "rounds": [{"round": N, "time_ms": since 1970, "events": N for
 *        which it is, or "value" of the condition, "captured": [[VALUE, events]], "others": events
 *        whose values are not known}]}; the newest 16 at most. Its actions may not be done yet
 *   {"verb": "list", "from": N}
 *       "from" optional, as of "processes"; a session is never cut in two.
 *       {"ok": true, "next": N, "sessions": [{"session", "output", "snapshot", "active",
 *        "url", "spool" and "live_ms" where there are these, "owner": uid,
 *        "current": true, only in the client's current session,
 *        "trackers": [{"kind", "value"}], "rotation": {"period_ms", "size"},
 *        "channels": [{"channel", "subbuf_size", "subbufs",
 *        "mode", "buffers", "blocking_timeout_ms", "flush_ms", "file_size",
 *        "file_count", "disabled": true, only if it is so,
 *        "contexts": [NAME], "rules": [{"id", "enabled", "rule", and those of
 *        "exclude", "loglevel", "loglevel_only", "filter" that were given}]}],
 *        "kernel": {"instance", "buffer_size", "pids": [PID], "events": N classes,
 *        "rules": [{"id", "enabled", "rule", "filter" where given}], "probes": [{"id",
 *        "enabled", "kind", "return", "name", "offset", and what was given of the rest}]}
 *        where there is that part}]}
 *   {"verb": "processes", "from": N}
 *       {"ok": true, "processes": [{"pid", "uid", "name", "traced_since_ms"}],
 *        "next": N}; "from" and "next" are for more than one message holds;
 *       0 first and last. "traced_since_ms": milliseconds since 1970
 *   {"verb": "unregistered", "from": N}
 *       {"ok": true, "unregistered": [{"pid", "uid", "name", "why"}], "next": N}:
 *       processes that have the library, or may have it, and are not registered;
 *       those that can be are told (common/protocol/attach-request.h). "why" is for people
 *   {"verb": "events", "from": N, "pid": PID}
 *       "pid" optional: only those that this process has registered. A client that is not
 *       root nor the daemon's user gets those that its own programs registered
 *       {"ok": true, "events": [{"id", "name", "loglevel", "fields":
 *        [{"name", "type"}]}], "next": N}
 *
 * The consumer's connection:
 *
 *   {"verb": "consumer", "version": 1}      first; answered {"ok": true}
 *   daemon, unasked:
 *   {"event": "session", "session": NAME, "output": DIRECTORY, "rings": DIRECTORY,
 *    "uuid": TEXT, "uid": N, "gid": N, "chunk": N, "overwritten": N events,
 *    "snapshot": bool, "stream_size": BYTES, "spool": BYTES, "sent": bool,
 *    "live": bool, "recovered": bool, "kernel": bool}
 *       "chunk": what the trace there is, as packets name it; "overwritten": as
 *       a consumer reported it before. Root's consumer writes with the file
 *       rights of that user. SESSION is unique here, and need not be what its
 *       owner calls it. "snapshot": read backward over each ring file once (lttngmap/ring-file.h),
 * write "stream_size" bytes of each ring at most (0: no limit), and close it. "spool", optional: as
 *       of "create". "sent", optional: to a collector; which streams have ended is noted
 *       (common/protocol/ended-streams.h). "live", optional: "live" is told of it. "recovered",
 *       optional: what a dead daemon left, which may be damaged. "kernel": NAME ends
 *       in "/kernel", RINGS is a tracefs instance, and OUTPUT/kernel the trace, or, with a
 *       "chunk" N above 0, OUTPUT/kernel-N+1: so many daemons were before; one
 *       channel, "per_cpu", with stream id 0, is told, whose rings are
 *       RINGS/per_cpu/cpuN/trace_pipe_raw; neither clear nor rotate comes. Where these
 *       cannot be mapped, a memory comes along, which their sub-buffers are copied to
 *       and which the daemon keeps: common/ring-file/ring-file-pages.h has its layout
 *   {"event": "channel", "session": NAME, "channel": NAME, "id": stream id,
 *    "mode": …, "file_size": BYTES, "file_count": N}
 *       ring files of it appear in RINGS/CHANNEL/
 *   {"event": "channel-end", "session": NAME, "channel": NAME}
 *       watch that no more; one of the same name may come
 *   {"event": "metadata", "session": NAME, "generation": N, "offset": N, "final": bool}
 *       with the text as a sealed memfd, from byte "offset" on, which is 0 or
 *       where the text ended that was sent last; sent before a packet with
 *       that generation is written. "final": the daemon waits for "written".
 *       For a kernel session, one comes before "channel", and "final" only after
 *       that; with it a second sealed memfd, the classes: for each a line "SYSTEM
 *       SIZE" and SIZE bytes, the text of its tracefs `format` file. "final"
 *       then: nothing more is recorded, and "written" of it says that all rings
 *       were read to their ends; it may be followed by one that is not
 *   {"event": "clear", "session": NAME}
 *       remove what was written but the metadata; "cleared" says that it is done
 *   {"event": "rotate", "session": NAME, "chunk": N, "name": NAME, "final": bool,
 *    "drop_empty": bool}
 *       make OUTPUT/archives/NAME, or with "final" move the trace there and
 *       write what belongs into chunk N, held so far, into a new one. Each is
 *       answered by "rotated", and may be asked for again by a daemon that got
 *       no answer
 *   {"event": "live", "session": NAME, "time": N}
 *       packets with events up to that time, of the trace's clock, were released: it is to be
 *       noted in the trace's folder once all that was released is in its indexes. For a
 *       kernel session: once its rings were read up to that time
 *   {"event": "recording", "session": NAME, "on": bool}
 *       see whether the output was moved or removed. With "spool", off: nothing more is
 *       recorded, and the rest of the rings is written whatever waits to be sent. On at first.
 *       For a kernel session, "final" says it
 *   {"event": "losses", "session": NAME, "kept": N, "discarded": N, "overwritten": N,
 *    "broken": N, "buffered": N, "kernel": N, "cut": N}
 *       final sums of the session, to be noted in OUTPUT/.losses (common/base/losses.h)
 *   {"event": "end", "session": NAME}       forget it
 *   consumer:
 *   {"verb": "written", "session": NAME, "generation": N, "packets": N,
 *    "events": N, "overwritten": N events dropped after the copy,
 *    "broken": N events of packets that were left out, "bytes": N,
 *    "streams": N, "cleared": N times so far, "overwritten": N events of files
 *    that made room, of earlier consumers too, "error": TEXT (optional: the disk is full, …),
 *    "moved": TEXT (optional: where the trace is, whose folder was renamed)}
 *       cumulative since the last clear; at most every PROTOCOL_CONTROL_WRITTEN_MS, and at once
 *       when a final metadata was written. No answer. For a kernel session, "overwritten"
 *       is what its packets count as discarded, those of earlier consumers too
 *   {"verb": "broken", "session": NAME, "stream": NAME, "program": NAME, "pid": PID,
 *    "uid": UID, "why": TEXT}
 *       a packet of that stream was left out, for no reader could read it: its first wrong
 *       record. Once for each ring file. No answer
 *   {"verb": "rotated", "session": NAME, "chunk": N, "final": bool,
 *    "dropped": bool, "error": TEXT (optional)}
 *       "dropped": the chunk would have been empty, and was not made
 *   {"verb": "busy"}
 *       it begins to work, having been quiet
 *   {"verb": "alive", "taken": N, "busy": bool}
 *       a second after "busy", and again each second until "busy" is false: it is quiet then.
 *       "taken": messages of the daemon's so far, without its answer to "consumer"
 */
#ifndef COMMON_PROTOCOL_PROTOCOL_CONTROL_H
#define COMMON_PROTOCOL_PROTOCOL_CONTROL_H

#define PROTOCOL_CONTROL_SOCKET "control.sock"
#define PROTOCOL_CONTROL_VERSION 1
#define PROTOCOL_CONTROL_MESSAGE_MAX 65536
#define PROTOCOL_CONTROL_WRITTEN_MS 200
/* End of a trouble that needs no command when it is over. Not shown where the session ends. */
#define PROTOCOL_CONTROL_GOES_ON "; writing then goes on by itself"
/* Ends of a trouble, likewise not shown where the session ends with a program. */
#define PROTOCOL_CONTROL_ANOTHER "destroy the session, and create one with another output"
#define PROTOCOL_CONTROL_OR_ANOTHER ", or destroy the session and create one with another output"
/* In the trouble of a trace that is gone: nobody waits for it. */
#define PROTOCOL_CONTROL_REMOVED "was removed: what was in it is lost, and nothing more is kept"
/* "keys" of a map are between these. */
#define PROTOCOL_CONTROL_KEYS_MIN 256u
#define PROTOCOL_CONTROL_KEYS_MAX 65536u
/* "live_ms" is between these. */
#define PROTOCOL_CONTROL_FLUSH_MIN_MS 10u
#define PROTOCOL_CONTROL_LIVE_MIN_MS 100
#define PROTOCOL_CONTROL_LIVE_MAX_MS 60000

#endif /* COMMON_PROTOCOL_PROTOCOL_CONTROL_H */
