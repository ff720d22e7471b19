/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * plugin.c - a shared object with tracepoints of its own, for plugin-host.c.
 *
 *   cc -shared -fPIC -o plugin.so plugin.c -llttngmap
 *   cc -o plugin-host plugin-host.c -llttngmap -ldl
 *   lttngmap record -- ./plugin-host ./plugin.so
 */
#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(plugin, work, LTTNGMAP_LOGLEVEL_INFO,
	(integer, int, round));

void plugin_work(int round);

void plugin_work(int round)
{
	lttngmap_tracepoint(plugin, work, round);
}
