/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record-check.h - do bytes hold records as a writer leaves them? Asked of rings
 * that come from a disk, where what was not written back is missing, or older
 * than what tells of it.
 */
#ifndef SESSIOND_RECORD_CHECK_H
#define SESSIOND_RECORD_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/abi.h>
#include <lttngmap/ring-file.h>

#include "sessiond/registry.h"

/* The records of a stream. */
struct record_format {
	const struct registry *registry; /* does not change */
	uint64_t contexts;
	uint64_t described[LTTNGMAP_EVENT_IDS / 64]; /* a bit for each id that it may have */
};

/*
 * As many records as the packet says, each of a described class, in the order
 * of time within the packet's, and nothing else. Any thread.
 */
bool record_check(const struct record_format *format, const struct lttngmap_packet *packet,
		  const void *bytes);

#endif /* SESSIOND_RECORD_CHECK_H */
