/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/memory/memory-stock.h"

void memory_stock_expect(struct memory_stock *stock, uint32_t slot, uint64_t data, uint64_t control)
{
	if (stock->data != data || stock->control != control)
		while (memory_stock_shrink(stock))
			continue;
	stock->slot = slot;
	stock->data = data;
	stock->control = control;
}

void memory_stock_forget(struct memory_stock *stock, uint32_t slot)
{
	if (stock->data && stock->slot == slot)
		memory_stock_expect(stock, 0, 0, 0);
}

bool memory_stock_refill(struct memory_stock *stock)
{
	struct memory *memory = &stock->memories[stock->count];

	if (!stock->data || stock->count >= stock->wanted ||
	    memory_create_rings(NULL, 0, stock->data, stock->control, memory) != 0)
		return false;
	if (stock->descriptors && memory->fd >= stock->descriptors) {
		memory_destroy(memory);
		return false;
	}
	stock->count++;
	return true;
}

bool memory_stock_take(struct memory_stock *stock, uint64_t data, uint64_t control,
		       struct memory *memory)
{
	if (stock->count == 0 || stock->data != data || stock->control != control)
		return false;
	*memory = stock->memories[--stock->count];
	return true;
}

bool memory_stock_shrink(struct memory_stock *stock)
{
	if (stock->count == 0)
		return false;
	memory_destroy(&stock->memories[--stock->count]);
	return true;
}
