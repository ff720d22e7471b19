/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-plan.h - the classes of a kernel trace by the kernel's ids, from what
 * the session daemon sends along with the metadata: for each class
 *
 *   SYSTEM SIZE\n
 *   SIZE bytes, the text of its tracefs `format` file
 *
 * one right after the other. The sizes are decimal.
 */
#ifndef CONSUMERD_KERNEL_KERNEL_PLAN_H
#define CONSUMERD_KERNEL_KERNEL_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "common/kernel/kernel-class.h"

/* All texts together. */
#define KERNEL_PLAN_MAX (64u << 20)

struct kernel_plan;

/*
 * A plan is whole or not at all. 0; -EBADMSG: not such texts, or an id twice;
 * -E2BIG: over KERNEL_PLAN_MAX bytes; -ENOMEM.
 */
int kernel_plan_parse(const void *texts, size_t size, struct kernel_plan **plan);
/* The same of a file, from its beginning, which stays the caller's; or -errno of reading it. */
int kernel_plan_read(int fd, struct kernel_plan **plan);
/* NULL is allowed. */
void kernel_plan_destroy(struct kernel_plan *plan);

/* NULL: there is none of this id. Valid as long as the plan. */
const struct kernel_class *kernel_plan_class(const struct kernel_plan *plan, uint16_t id);
uint32_t kernel_plan_count(const struct kernel_plan *plan);

#endif /* CONSUMERD_KERNEL_KERNEL_PLAN_H */
