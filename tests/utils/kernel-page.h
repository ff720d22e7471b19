/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-page.h - sub-buffers as the kernel writes them, made by hand, and
 * classes for what is in them.
 */
#ifndef KERNEL_PAGE_H
#define KERNEL_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/ring-file.h>

#include "consumerd/kernel/kernel-plan.h"

#define KERNEL_PAGE_SIZE 4096u
#define KERNEL_PAGE_HEAD 16u

/* Classes of kernel_page_plan(): a number; a string of any length. */
#define KERNEL_PAGE_NUMBER 7
#define KERNEL_PAGE_STRING 8

struct kernel_page {
	uint8_t bytes[KERNEL_PAGE_SIZE];
	uint32_t at; /* its end so far */
};

/* Both classes; bails out. */
struct kernel_plan *kernel_page_plan(void);

void kernel_page_begin(struct kernel_page *page, uint64_t time);
/* The commit word, made of the end and these flags. */
void kernel_page_commit(struct kernel_page *page, uint64_t flags);

/* A word of type_len and time_delta, and any other word. */
void kernel_page_head(struct kernel_page *page, uint32_t type_len, uint32_t delta);
void kernel_page_word(struct kernel_page *page, uint32_t word);
/* An event of KERNEL_PAGE_NUMBER, or another id. */
void kernel_page_number(struct kernel_page *page, uint16_t id, uint32_t delta, uint32_t value);
/* An event of KERNEL_PAGE_STRING, with a length of its own. */
void kernel_page_string(struct kernel_page *page, uint32_t delta, const char *text);
/* One that was taken back, of so many bytes with its head. */
void kernel_page_discarded(struct kernel_page *page, uint32_t delta, uint32_t size);
void kernel_page_extend(struct kernel_page *page, uint64_t delta);
void kernel_page_stamp(struct kernel_page *page, uint64_t time);

/* All of it from `offset` to its end, as the reader library gives it. */
struct lttngmap_packet kernel_page_packet(const struct kernel_page *page, uint32_t offset);

#endif /* KERNEL_PAGE_H */
