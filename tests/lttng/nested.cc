/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* nested.cc - each event of nested-tp.h once. */
#define TRACEPOINT_CREATE_PROBES
#define TRACEPOINT_DEFINE
#include "nested-tp.h"

int main()
{
	request r = { "a" };
	request::hidden h = { { "b" } };

	tracepoint(nested, same, &r, 1);
	tracepoint(nested, hidden, &h, 2);
	tracepoint(nested, reference, r, 3);
	tracepoint(nested, more, &r, 4, 0.5, 4, 5, 6, 7);
	return 0;
}
