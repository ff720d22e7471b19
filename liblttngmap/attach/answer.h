/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * answer.h - may what the daemon answered to a registration be mapped? Signal-safe, no
 * malloc, errno stays as it was.
 */
#ifndef LIBLTTNGMAP_ATTACH_ANSWER_H
#define LIBLTTNGMAP_ATTACH_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/protocol/protocol-app.h"
#include "liblttngmap/attach/exchange.h"

/* Whole pages. */
static inline uint64_t answer_page_up(uint64_t size)
{
	return (size + 4095) & ~UINT64_C(4095);
}

/* Is the descriptor's memory as large as these rings need it, and sure to stay so? */
bool answer_has_rings(const struct protocol_app_slot *slot, int fd);
/* The rings in an answer of `size` bytes; NULL: none. */
const struct protocol_app_slots *answer_slots(const struct protocol_app_registered *answer,
					      long size);
/*
 * Is all of the answer, of `size` bytes, with ids for so many classes, what it can be, with
 * its memories as large as it says?
 */
bool answer_is_sane(const struct protocol_app_registered *answer, long size, uint32_t nr_classes,
		    const struct exchange_fds *fds);

#endif /* LIBLTTNGMAP_ATTACH_ANSWER_H */
