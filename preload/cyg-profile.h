/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * cyg-profile.h - which functions are traced, of both families: those that
 * LTTNGMAP_FUNCTIONS names (function-select.h).
 */
#ifndef PRELOAD_CYG_PROFILE_H
#define PRELOAD_CYG_PROFILE_H

#include <stddef.h>

#include <errno.h>

#include "preload/function-select.h"

/* Only what calls us has to be known. */
static int cyg_profile_see(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct function_slots slots;

	(void)size;
	(void)unused;
	if (function_find_slots(info, "__cyg_profile_func_enter", &slots) ||
	    function_find_slots(info, "__cyg_profile_func_exit", &slots))
		function_object_add(info, NULL, NULL);
	return 0;
}

static __attribute__((constructor)) void cyg_profile_select(void)
{
	int saved_errno = errno;

	function_select_names();
	if (function_names_given)
		dl_iterate_phdr(cyg_profile_see, NULL);
	errno = saved_errno;
}

#endif /* PRELOAD_CYG_PROFILE_H */
