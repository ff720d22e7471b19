/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * preloaded.h - a unit test that runs itself with libraries preloaded.
 */
#ifndef PRELOADED_H
#define PRELOADED_H

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/utils/tap.h"

/*
 * Go on as the same program with `libraries` preloaded, which are given from
 * the top of the build tree; returns in there only.
 */
static inline void run_preloaded(char **argv, const char *const *libraries)
{
	const char *top = getenv("LTTNGMAP_BUILD");
	char list[8192] = "";

	if (getenv("LTTNGMAP_TEST_PRELOADED"))
		return;
	if (!top)
		bail_out("LTTNGMAP_BUILD is not set: run the tests by make check");
	for (; *libraries; libraries++) {
		size_t used = strlen(list);

		snprintf(list + used, sizeof(list) - used, "%s/%s ", top, *libraries);
	}
	setenv("LD_PRELOAD", list, 1);
	setenv("LTTNGMAP_TEST_PRELOADED", "1", 1);
	execv("/proc/self/exe", argv);
	bail_out("cannot run /proc/self/exe: %m");
}

/* A symbol of a preloaded library. */
static inline void *preloaded_symbol(const char *name)
{
	void *symbol = dlsym(RTLD_DEFAULT, name);

	if (!symbol)
		bail_out("%s is not there: was its library preloaded?", name);
	return symbol;
}

#endif /* PRELOADED_H */
