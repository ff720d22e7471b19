/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tsdl.h - segments of CTF 1.8 metadata as text, each whole in itself.
 *
 * All integers are aligned to bytes, because records are packed. Errors of
 * the stream stay in it: ask ferror() or fclose() at the end.
 */
#ifndef SESSIOND_CLASS_TSDL_H
#define SESSIOND_CLASS_TSDL_H

#include <stdint.h>
#include <stdio.h>

#include "common/base/clock.h"
#include "common/protocol/ctf.h"
#include "sessiond/class/registry.h"

/*
 * A string literal: quotes, backslashes and control characters escaped, and what would end a
 * comment (common/protocol/metadata-room.h).
 */
void tsdl_quote(FILE *out, const char *text);

/* The first line, type names and the trace block, up to the packet header. */
void tsdl_trace(FILE *out, const uint8_t uuid[CTF_UUID_SIZE]);
/* The clock block, and a type name for its values. */
void tsdl_clock(FILE *out, const struct clock_description *clock);
/* A stream class: packet context as in common/protocol/ctf.h, record header as in abi.h. */
void tsdl_stream(FILE *out, const struct clock_description *clock, uint32_t stream_id,
		 uint64_t contexts);
void tsdl_event(FILE *out, uint32_t stream_id, const struct registry_class *event_class);

#endif /* SESSIOND_CLASS_TSDL_H */
