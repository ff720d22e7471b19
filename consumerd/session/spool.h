/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * spool.h - how much a trace has that is not sent yet, where its folder is a spool of
 * what `lttngmap relay` sends to a collector: what came, less what that says the collector
 * has (common/protocol/relay-progress.h). There is an end to what may wait there.
 */
#ifndef CONSUMERD_SESSION_SPOOL_H
#define CONSUMERD_SESSION_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "consumerd/trace/trace.h"

struct spool;

enum spool_news {
	SPOOL_NEWS_NONE,
	SPOOL_NEWS_FULL, /* it has been full for a while; told once */
	SPOOL_NEWS_ROOM, /* after that */
};

/* Creates a spool of `max` bytes. NULL: no memory. */
struct spool *spool_create(uint64_t max);
/* NULL is allowed, as in the next ones. */
void spool_destroy(struct spool *spool);
/* The trace was opened: the first time, what is there is looked at. */
void spool_open(struct spool *spool, struct trace *trace);
/* So many bytes of packets were written. */
void spool_count(struct spool *spool, uint64_t bytes);
/*
 * Lifted: nothing more is recorded, so that what comes is what the buffers hold. There is room for
 * that, whatever waits.
 */
void spool_lift(struct spool *spool, bool is_lifted);
/* May packets that a rotation waits for be written? Up to as much again as the limit: they end. */
bool spool_has_reserve(const struct spool *spool);
/* May more be written? */
bool spool_has_room(struct spool *spool, enum spool_news *news);

#endif /* CONSUMERD_SESSION_SPOOL_H */
