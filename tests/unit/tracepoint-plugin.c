/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* What tracepoint-dlopen loads; the other half is tracepoint-plugin-cxx.cc. */
#include <lttngmap/tracepoint.h>

#define EXPORTED __attribute__((visibility("default")))

LTTNGMAP_TRACEPOINT(plugin, run, LTTNGMAP_LOGLEVEL_INFO, (string, name), (integer, int, value));
LTTNGMAP_TRACEPOINT(plugin, leave, LTTNGMAP_LOGLEVEL_INFO);

EXPORTED void plugin_run(int value);

void plugin_run(int value)
{
	lttngmap_tracepoint(plugin, run, "plugin", value);
}

/* The last priority before the module's own. */
__attribute__((destructor(102))) static void leave(void)
{
	lttngmap_tracepoint(plugin, leave);
}
