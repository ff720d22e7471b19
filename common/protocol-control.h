/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * protocol-control.h - how lttngmap and lttngmap-consumerd talk to the session
 * daemon.
 *
 * RUNTIME/control.sock, SOCK_SEQPACKET; a message is one JSON object, at most
 * PROTOCOL_CONTROL_MESSAGE_MAX bytes. Only the daemon's own user and root are
 * served (SO_PEERCRED). Unknown members are refused, so that a request is
 * never half understood.
 *
 * Requests of the command, each answered by {"ok": true, …} or by
 * {"ok": false, "error": what failed on what, "hint": what to do about it}:
 *
 *   {"verb": "hello", "version": 1}
 *       first on each connection; another version is refused. Answer:
 *       {"ok": true, "version": 1, "mediator": "ring-fs"|"ring-socket",
 *        "clock": "tsc"|"monotonic"}
 *   {"verb": "create", "session": NAME, "output": ABSOLUTE-DIRECTORY}
 *   {"verb": "channel", "session": NAME, "channel": NAME,
 *    "subbuf_size": BYTES, "subbufs": COUNT,
 *    "mode": "discard"|"overwrite"|"blocking", "blocking_timeout_ms": MS}
 *       the last member is optional (0: no limit)
 *   {"verb": "enable", "session": NAME, "channel": NAME, "rule": PROVIDER:NAME-GLOB}
 *   {"verb": "start", "session": NAME}
 *   {"verb": "stop", "session": NAME}
 *       answered when the trace on disk is complete
 *   {"verb": "destroy", "session": NAME}
 *   {"verb": "status", "session": NAME}
 *       {"ok": true, "active": bool, "processes": N (traced so far),
 *        "alive": N, "refused": N (registrations refused: limits, versions),
 *        "messages": [warnings for people since the last status],
 *        "written": N events written to rings, "kept": N events on disk,
 *        "discarded": N not written, ring full, "overwritten": N,
 *        "packets": N, "bytes": N on disk, "streams": N}
 *       after stop: written + discarded = kept + discarded + overwritten
 *
 * The consumer's connection:
 *
 *   {"verb": "consumer", "version": 1}      first; answered {"ok": true}
 *   daemon, unasked:
 *   {"event": "session", "session": NAME, "output": DIRECTORY, "rings": DIRECTORY,
 *    "uuid": TEXT}
 *   {"event": "channel", "session": NAME, "channel": NAME, "id": stream id,
 *    "mode": …}
 *       ring files of it appear in RINGS/CHANNEL/
 *   {"event": "metadata", "session": NAME, "generation": N, "final": bool}
 *       with the text as a sealed memfd; sent before the first packet with
 *       that generation can be had. "final": the daemon waits for "written".
 *   {"event": "end", "session": NAME}       forget it
 *   consumer:
 *   {"verb": "written", "session": NAME, "generation": N, "packets": N,
 *    "events": N, "lapped": N events dropped after the copy, "bytes": N,
 *    "streams": N, "error": TEXT (optional: the disk is full, …)}
 *       cumulative; at most every PROTOCOL_CONTROL_WRITTEN_MS, and at once
 *       when a final metadata was written. No answer.
 */
#ifndef LTTNGMAP_PROTOCOL_CONTROL_H
#define LTTNGMAP_PROTOCOL_CONTROL_H

#define PROTOCOL_CONTROL_SOCKET "control.sock"
#define PROTOCOL_CONTROL_VERSION 1
#define PROTOCOL_CONTROL_MESSAGE_MAX 65536
#define PROTOCOL_CONTROL_WRITTEN_MS 200

#endif /* LTTNGMAP_PROTOCOL_CONTROL_H */
