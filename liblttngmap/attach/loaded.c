/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/attach/loaded.h"

#include <errno.h>
#include <stdbool.h>

#include <lttngmap/abi.h>

#include "liblttngmap/attach/memory-map.h"
#include "liblttngmap/unwind/objects.h"

static bool is_wanted(void)
{
	const struct lttngmap_control *control = memory_map_control();

	for (uint32_t slot = 0; control && slot < LTTNGMAP_CHANNELS; slot++)
		if (__atomic_load_n(&control->channels[slot].generation, __ATOMIC_RELAXED) &&
		    lttngmap_callstack_depth(
			    __atomic_load_n(&control->channels[slot].contexts, __ATOMIC_RELAXED)))
			return true;
	return false;
}

__attribute__((visibility("default"))) void lttngmap_loaded_changed(void)
{
	int saved_errno = errno;

	/* Without memory for it, stacks end at what was loaded since. */
	if (unwind_objects_now() || is_wanted())
		(void)unwind_objects_update();
	errno = saved_errno;
}
