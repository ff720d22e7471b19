/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-reader-private.h - what the reader's files share: ring-reader.c, which looks at a
 * ring, ring-take.c, which takes packets out of it, and ring-undo.c.
 */
#ifndef SESSIOND_RING_RING_READER_PRIVATE_H
#define SESSIOND_RING_RING_READER_PRIVATE_H

#include "sessiond/ring/ring-reader.h"

/* Acquire: pairs with the writer's release of the same word. */
static inline uint64_t ring_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline uint32_t ring_subbufs(const struct ring_reader *reader)
{
	return 1u << reader->geometry->subbufs_shift;
}

static inline uint32_t ring_subbuf_size(const struct ring_reader *reader)
{
	return 1u << reader->geometry->subbuf_shift;
}

/* Up to where this ring was given out. */
static inline uint64_t ring_reader_position(const struct ring_reader *reader)
{
	return (reader->seq << reader->geometry->subbuf_shift) + reader->offset;
}

/* Losses after which no packet may come, or none of this chunk. */
static inline bool ring_reader_has_untold(const struct ring_reader *reader,
					  const struct ring_commit *commit)
{
	return commit->discards > reader->discards &&
	       (reader->frozen || reader->discards < reader->mark_discards);
}

/* Wakes writers that wait for room. */
void ring_wake_waiters(struct lttngmap_ring *ring);
/* Full sub-buffer `seq`, known as `id`, is about to be exchanged for the reader sub-buffer. */
void ring_undo_note_swap(struct ring_undo *undo, uint64_t seq, uint32_t id);

#endif /* SESSIOND_RING_RING_READER_PRIVATE_H */
