/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* hello.h - what the program and its tracepoints both know. */
#ifndef HELLO_H
#define HELLO_H

struct order {
	unsigned long items;
	const char *who;
	double price;
};

#endif
