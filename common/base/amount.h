/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* amount.h - sizes and counts as people read them. */
#ifndef COMMON_BASE_AMOUNT_H
#define COMMON_BASE_AMOUNT_H

#include <stdint.h>

/* Prints "1.5 MiB" into `text`, of at least 16 bytes; returns `text`. */
char *amount_format_size(uint64_t size, char *text);
/* Prints "12,345" into `text`, of at least 32 bytes; returns `text`. */
char *amount_format_count(uint64_t count, char *text);

#endif /* COMMON_BASE_AMOUNT_H */
