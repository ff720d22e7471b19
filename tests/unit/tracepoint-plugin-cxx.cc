/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <lttngmap/tracepoint.h>

#define EXPORTED __attribute__((visibility("default")))

LTTNGMAP_TRACEPOINT(plugin, run_cxx, LTTNGMAP_LOGLEVEL_INFO, (floating, double, value));

extern "C" EXPORTED void plugin_run_cxx(double value);

void plugin_run_cxx(double value)
{
	lttngmap_tracepoint(plugin, run_cxx, value);
}
