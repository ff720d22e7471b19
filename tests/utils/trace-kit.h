/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * trace-kit.h - for tests of the consumer: a folder of their own, metadata of
 * one channel with one event, packets of numbered events, and what
 * babeltrace2 finds in the trace. What fails here ends the test.
 */
#ifndef TRACE_KIT_H
#define TRACE_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lttngmap/ring-file.h>

#include "common/protocol/ctf.h"

#define TRACE_KIT_STREAM_ID 3
#define TRACE_KIT_EVENT_ID 7 /* "test:text", one string */
#define TRACE_KIT_EVENTS 5   /* in each packet */
#define TRACE_KIT_BODY_MAX 4096

extern const uint8_t trace_kit_uuid[CTF_UUID_SIZE];
extern const char trace_kit_uuid_text[];

/* A new folder, removed with all that is in it at the program's exit. */
const char *trace_kit_dir(void);
/* Its path with `format` after it, in one of several static buffers. */
const char *trace_kit_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The metadata, as a memfd. */
int trace_kit_metadata(void);
/* The same text; static. */
const char *trace_kit_metadata_text(size_t *size);

/*
 * The ring's packet number `sequence`, of TRACE_KIT_EVENTS events that are
 * numbered on from sequence * TRACE_KIT_EVENTS: "event-NUMBER".
 */
void trace_kit_packet(uint32_t cpu, uint64_t sequence, struct lttngmap_packet *packet,
		      char body[TRACE_KIT_BODY_MAX]);

/*
 * Have babeltrace2 read OUTPUT. Events, or -1 where it failed or had
 * something to say, which is then shown. `first_gap`, unless NULL:
 * the first event number that is missing or out of order, or -1.
 */
long trace_kit_read(const char *output, long *first_gap);

/* Bytes of a file; -1: there is none. Open descriptors of this process. */
long trace_kit_file_size(const char *path);
int trace_kit_open_fds(void);

#endif /* TRACE_KIT_H */
