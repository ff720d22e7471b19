/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* taken.c - each event of taken-tp.h once, from the source file that is its provider. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "taken-tp.h"

int main(void)
{
	lttng_ust_tracepoint(taken, early, 1);
	lttng_ust_tracepoint(taken, late, 2);
	lttng_ust_tracepoint(taken, macro, 3);
	lttng_ust_tracepoint(taken, half_macro, 4);
	lttng_ust_tracepoint(taken, seventy, 5, "t");
	lttng_ust_tracepoint(taken, far, 6, "t");
	return 0;
}
