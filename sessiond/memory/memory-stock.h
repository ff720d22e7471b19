/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * memory-stock.h - memories of rings made before a process asks for them.
 *
 * A program waits for the answer to its registration. Memories of the size that started channels
 * need are therefore made while the daemon has nothing else to do. None was handed to a process
 * yet, and their ring control is zeros. The main thread only.
 */
#ifndef SESSIOND_MEMORY_MEMORY_STOCK_H
#define SESSIOND_MEMORY_MEMORY_STOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "sessiond/base/memory.h"

#define MEMORY_STOCK_MAX 16u

struct memory_stock {
	unsigned int wanted;
	unsigned int count;
	int descriptors; /* numbers from here on are not for these; 0: all are */
	uint32_t slot;   /* of the channel that they are for */
	uint64_t data;   /* bytes of each; 0: none are wanted */
	uint64_t control;
	struct memory memories[MEMORY_STOCK_MAX];
};

/* Have memories of this size ready for the slot's channel from now on. Those of another size go.
 */
void memory_stock_expect(struct memory_stock *stock, uint32_t slot, uint64_t data,
			 uint64_t control);
/* The slot's channel needs none any more. */
void memory_stock_forget(struct memory_stock *stock, uint32_t slot);
/* Makes one. False: there are as many as are wanted, or it failed. */
bool memory_stock_refill(struct memory_stock *stock);
/* Hands one over that is just as large. False: there is none. */
bool memory_stock_take(struct memory_stock *stock, uint64_t data, uint64_t control,
		       struct memory *memory);
/* Lets one go. False: there is none. */
bool memory_stock_shrink(struct memory_stock *stock);

#endif /* SESSIOND_MEMORY_MEMORY_STOCK_H */
