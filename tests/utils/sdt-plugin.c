/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* sdt-plugin - a library with a probe, which says whether somebody wants it. */
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

unsigned short plugin_pass_semaphore __attribute__((section(".probes")));

int plugin_pass(long number)
{
	if (plugin_pass_semaphore)
		STAP_PROBE2(plugin, pass, number, (short)-number);
	return plugin_pass_semaphore;
}
