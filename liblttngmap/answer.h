/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * answer.h - may what the daemon answered to a registration be mapped? Signal-safe, no
 * malloc, errno stays as it was.
 */
#ifndef LTTNGMAP_ANSWER_H
#define LTTNGMAP_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/protocol-app.h"
#include "exchange.h"

/* Whole pages. */
static inline uint64_t answer_page_up(uint64_t size)
{
	return (size + 4095) & ~UINT64_C(4095);
}

/* Is this ring's memory as large as it was said to be, and sure to stay so? */
bool answer_is_held_ring(int fd, uint64_t size);
/* Are ring data and ring control, in this order, those of shared rings as they were asked for? */
bool answer_has_shared(const struct protocol_app_memory *answer, uint32_t slot, uint32_t life,
		       uint64_t needed, uint64_t slot_stride, const struct exchange_fds *fds);
bool answer_is_held_shared(const struct protocol_app_shared_slot *shared, uint64_t slot_stride,
			   int data, int control);
/* What shared rings came with the answer of `size` bytes; NULL: none. */
const struct protocol_app_shared *answer_shared(const struct protocol_app_registered *answer,
						long size);
/*
 * Is all of the answer, of `size` bytes, with ids for so many classes, what it can be, with
 * its memories as large as it says?
 */
bool answer_is_sane(const struct protocol_app_registered *answer, long size, uint32_t nr_classes,
		    const struct exchange_fds *fds);

#endif /* LTTNGMAP_ANSWER_H */
