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

/*
 * True if the descriptor's memory is as large as these rings need it, and sealed against
 * shrinking; or is a file that only root or this user can cut short.
 */
bool answer_has_rings(const struct protocol_app_slot *slot, int fd);
/* The rings in an answer of `size` bytes; NULL: none. */
const struct protocol_app_slots *answer_slots(const struct protocol_app_registered *answer,
					      long size);
/*
 * True if the sizes and numbers in the answer of `size` bytes, with ids for so many classes, are
 * possible, and the two control memories are as large as it says; global control is not looked at
 * where the process `has_control` already. Rings: answer_has_rings().
 */
bool answer_is_sane(const struct protocol_app_registered *answer, long size, uint32_t nr_classes,
		    const struct exchange_fds *fds, bool has_control);

#endif /* LIBLTTNGMAP_ATTACH_ANSWER_H */
