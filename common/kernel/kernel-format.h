/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-format.h - has a text the shape of a tracefs `format` file? Private to
 * kernel-class: libtraceevent takes it that a text is one of the kernel's, and
 * dies of others.
 *
 *   name: NAME
 *   ID: NUMBER
 *   format:
 *   (tab)field:TYPE NAME;(tab)offset:NUMBER;(tab)size:NUMBER;(tab)signed:0;
 *   ... such lines, and empty ones
 *   print fmt: what nobody looks at here
 */
#ifndef COMMON_KERNEL_KERNEL_FORMAT_H
#define COMMON_KERNEL_KERNEL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

struct kernel_format {
	size_t print;    /* where the line of the print format begins */
	unsigned fields; /* lines of fields */
};

bool kernel_format_check(const char *text, size_t size, struct kernel_format *format);

#endif /* COMMON_KERNEL_KERNEL_FORMAT_H */
