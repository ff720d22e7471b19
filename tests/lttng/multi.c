/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * multi.c - a program whose tracepoint several libraries provide. Each argument loads the library
 * of that name
 * (+NAME) or unloads it (-NAME); after each, the program emits the event once. Prints how many
 * times the event was on.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE
#include "multi-tp.h"

#define LIBRARIES 8

static struct {
	const char *name;
	void *handle;
} libraries[LIBRARIES];

static int load(const char *name)
{
	for (int i = 0; i < LIBRARIES; i++) {
		if (libraries[i].handle)
			continue;
		libraries[i].name = name;
		libraries[i].handle = dlopen(name, RTLD_NOW);
		if (!libraries[i].handle)
			fprintf(stderr, "%s\n", dlerror());
		return libraries[i].handle ? 0 : -1;
	}
	return -1;
}

static int unload(const char *name)
{
	for (int i = 0; i < LIBRARIES; i++) {
		if (!libraries[i].handle || strcmp(libraries[i].name, name) != 0)
			continue;
		if (dlclose(libraries[i].handle) != 0)
			return -1;
		libraries[i].handle = NULL;
		return 0;
	}
	return -1;
}

int main(int argc, char **argv)
{
	int on = 0;

	for (int i = 0; i < argc; i++) {
		if (i > 0 && (argv[i][0] == '+' ? load(argv[i] + 1) : unload(argv[i] + 1)) != 0)
			return 1;
		on += lttng_ust_tracepoint_enabled(multi, tp) ? 1 : 0;
		lttng_ust_tracepoint(multi, tp, i, "text");
	}
	printf("on: %d\n", on);
	return 0;
}
