/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ended-streams.h - which streams of a trace have ended: OUTPUT/ust/.relay-ended, told by who
 * writes the trace to who sends it to a collector, where it can be closed then.
 *
 * The names of their files, each with a NUL behind it, in the order in which they
 * ended. All packets of a stream are in its index before. A reader may find a hole: bytes of 0.
 */
#ifndef COMMON_PROTOCOL_ENDED_STREAMS_H
#define COMMON_PROTOCOL_ENDED_STREAMS_H

#define ENDED_STREAMS_NAME ".relay-ended"

#endif /* COMMON_PROTOCOL_ENDED_STREAMS_H */
