/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/attach/own-maps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "liblttngmap/attach/memory-map.h"

#define PAGE UINT64_C(4096)

__attribute__((visibility("default"))) int
lttngmap_maps_leave(lttngmap_maps_call *call, void *at, size_t size, int argument, int goes_on)
{
	uintptr_t begin = (uintptr_t)at, end = begin + ((size + PAGE - 1) & ~(PAGE - 1));
	struct memory_map_extent ours;
	int result = 0;

	/* The kernel refuses what is no range of pages. */
	if (begin % PAGE || !memory_map_find(begin, end, &ours))
		return call(at, size, argument);
	while (begin < end) {
		memory_map_find(begin, end, &ours);
		if (ours.begin > begin)
			result = call((void *)begin, ours.begin - begin, argument) < 0 ? -1
										       : result;
		if (result < 0 && !(goes_on && errno == ENOMEM))
			break;
		begin = ours.end;
	}
	return result;
}
