/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/unit/tracepoint-module.h"

/* The name that the .cc has too, with other fields. */
LTTNGMAP_TRACEPOINT(module, differs, LTTNGMAP_LOGLEVEL_INFO, (integer, int, a));

void emit_in_c(void)
{
	lttngmap_tracepoint(module, shared, "C", 0);
	lttngmap_tracepoint(module, differs, 1);
	emit_inline(1);
}

int is_asked_only_on(void)
{
	return lttngmap_tracepoint_enabled(module, asked_only);
}
