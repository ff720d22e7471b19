/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-step.h - how our fields are made of a kernel's record, step by step.
 * Private to kernel-class.
 *
 * Fields of fixed length that lie side by side there as here are one step, so
 * most classes have few: what a record costs is its steps.
 */
#ifndef COMMON_KERNEL_KERNEL_STEP_H
#define COMMON_KERNEL_KERNEL_STEP_H

#include <stdint.h>

/* Beyond it is no field: the kernel's records are parts of one sub-buffer. */
#define KERNEL_STEP_OFFSET_MAX (1 << 20)

enum kernel_place {
	KERNEL_PLACE_FIXED,    /* `size` bytes at `offset` */
	KERNEL_PLACE_DYNAMIC,  /* at `offset` a word: offset | length << 16 */
	KERNEL_PLACE_RELATIVE, /* likewise, the offset being from the word's end on */
	KERNEL_PLACE_REST,     /* from `offset` to the record's end */
};

struct kernel_step {
	uint32_t offset;
	uint32_t size;   /* of what is at the offset */
	uint8_t place;   /* enum kernel_place */
	uint8_t element; /* not FIXED: bytes of one; 0: a string */
};

/* Behind `nr_steps` others, with room for one more; or a part of the last one. */
void kernel_step_add(struct kernel_step *steps, uint32_t *nr_steps, const struct kernel_step *step);

#endif /* COMMON_KERNEL_KERNEL_STEP_H */
