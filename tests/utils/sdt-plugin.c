/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sdt-plugin - a library with a probe, which says whether somebody wants it. With PLUGIN_LINK
 * and PLUGIN_ELSEWHERE in the environment it makes the one a link to the other.
 */
#include <stdlib.h>
#include <unistd.h>

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

unsigned short plugin_pass_semaphore __attribute__((section(".probes")));

/* Its path leads elsewhere by the time that anybody looks at it. */
static __attribute__((constructor)) void lead_elsewhere(void)
{
	const char *link = getenv("PLUGIN_LINK"), *elsewhere = getenv("PLUGIN_ELSEWHERE");

	if (link && elsewhere && (unlink(link) != 0 || symlink(elsewhere, link) != 0))
		abort();
}

int plugin_pass(long number)
{
	if (plugin_pass_semaphore)
		STAP_PROBE2(plugin, pass, number, (short)-number);
	return plugin_pass_semaphore;
}
