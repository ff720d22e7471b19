/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * plugin-host.c - loads a plugin, works and unloads it, three times over.
 * Its tracepoints come and go with it. See plugin.c.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(host, load, LTTNGMAP_LOGLEVEL_INFO, (string, path), (pointer, handle));
LTTNGMAP_TRACEPOINT(host, unload, LTTNGMAP_LOGLEVEL_INFO, (string, path));

static int run(const char *path, int round)
{
	void (*work)(int round);
	void *handle, *symbol;

	handle = dlopen(path, RTLD_NOW);
	if (!handle) {
		fprintf(stderr, "plugin-host: cannot load the plugin: %s\n", dlerror());
		return 1;
	}
	lttngmap_tracepoint(host, load, path, handle);
	symbol = dlsym(handle, "plugin_work");
	if (symbol) {
		memcpy(&work, &symbol, sizeof(work));
		work(round);
	}
	dlclose(handle);
	lttngmap_tracepoint(host, unload, path);
	return symbol ? 0 : 1;
}

int main(int argc, char **argv)
{
	int round, failed = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: plugin-host PLUGIN\n");
		return 2;
	}
	for (round = 0; round < 3 && !failed; round++)
		failed = run(argv[1], round);
	return failed;
}
