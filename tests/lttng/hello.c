/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* hello.c - a program written for LTTng-UST: one of each event of hello-tp.h. */
#include <stdio.h>
#include <string.h>

#include "hello-tp.h"
#include "hello.h"

static int list[] = { 1, -2, 50, 100, 2147483647, -2147483647, 7, 8 };

int main(void)
{
	struct order order = { 3, "Ada", 9.5 };
	FILE *file = tmpfile();

	if (!file || fputs("0123456789", file) < 0)
		return 1;
	lttng_ust_tracepoint(hello, start, 2, "hello");
	lttng_ust_tracepoint(hello, measure, 35, "a whole text", file, -3.25, list);
	list[1] = 50;
	lttng_ust_tracepoint(hello, measure, 0, "short", file, 1e300, list);
	list[1] = 100;
	lttng_ust_tracepoint(hello, measure, 25, "", file, 0, list);
	fclose(file);

	lttng_ust_tracepoint(hello, order_come, 23, &order);
	order.items *= 5;
	order.who = "Grace";
	if (lttng_ust_tracepoint_enabled(hello, order_sent))
		lttng_ust_do_tracepoint(hello, order_sent, -52, &order);
	order.items = 0;
	order.who = NULL;
	lttng_ust_tracepoint(hello, order_sent, 0, &order);
	lttng_ust_tracepoint(hello, end);
	return 0;
}
