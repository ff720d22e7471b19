/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/unwind/table.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "liblttngmap/unwind/cfi.h"

struct rows {
	struct unwind_row *rows;
	size_t room, count;
	uint32_t last_offset, last_rule;
};

/* A row at the offset of the row before replaces that one. */
static void add_row(void *data, uint64_t offset, uint32_t rule)
{
	struct rows *to = data;

	if (offset > UINT32_MAX || (to->count && offset < to->last_offset))
		return;
	if (to->count && rule == to->last_rule)
		return;
	if (to->count && offset == to->last_offset)
		to->count--;
	to->last_offset = (uint32_t)offset;
	to->last_rule = rule;
	if (to->count < to->room)
		to->rows[to->count] = (struct unwind_row){ (uint32_t)offset, rule };
	to->count++;
}

int unwind_table_make(const unsigned char *header, struct unwind_memory memory, uintptr_t base,
		      struct unwind_row *rows, size_t room, size_t *count)
{
	/* Version 1; a relative pointer, a count and a table of pairs, four bytes each. */
	static const unsigned char form[] = { 1, 0x1b, 0x03, 0x3b };
	struct rows to = { .rows = rows, .room = room };
	uint32_t entries;

	*count = 0;
	if (header < memory.begin || header >= memory.end || memory.end - header < 12 ||
	    memcmp(header, form, sizeof(form)) != 0)
		return -ENOTSUP;
	memcpy(&entries, header + 8, sizeof(entries));
	if (entries > (size_t)(memory.end - header - 12) / 8)
		return -ENOTSUP;
	for (uint32_t i = 0; i < entries; i++) {
		int32_t frame;

		memcpy(&frame, header + 12 + (size_t)i * 8 + 4, sizeof(frame));
		cfi_describe((uintptr_t)header + (uintptr_t)(intptr_t)frame, memory, base, add_row,
			     &to);
	}
	*count = to.count;
	return 0;
}

uint32_t unwind_table_find(const struct unwind_row *rows, size_t count, uint32_t offset)
{
	size_t low = 0;

	if (!count || offset < rows[0].offset)
		return unwind_rule(UNWIND_STOP, 0, 0, 0);
	while (count > 1) {
		const size_t half = count / 2;

		if (rows[low + half].offset <= offset)
			low += half;
		count -= half;
	}
	return rows[low].rule;
}
