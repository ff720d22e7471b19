/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-marks.h - a tracefs instance of a unit test's own, and marks that are written
 * to it: "<mark 00000007>", numbered from 0 on, all by the first CPU.
 *
 * One thread; one instance. Each function ends the test, with a word in TAP, where it
 * cannot do what it says.
 */
#ifndef KERNEL_MARKS_H
#define KERNEL_MARKS_H

#include <stdbool.h>
#include <stddef.h>

#define KERNEL_MARKS_TRACEFS "/sys/kernel/tracing"

/*
 * Makes the instance, which has `name` in its own, with buffers of so many KiB a CPU, and
 * keeps to the first CPU. Skips the test who is not root, or has no tracefs.
 */
void kernel_marks_begin(const char *name, unsigned int buffer_kib);
/* Removes it, which is done at the test's end at the latest: 0, or -EBUSY: it is in use. */
int kernel_marks_end(void);

/* Its directory, and the first CPU's ring. */
const char *kernel_marks_instance(void);
const char *kernel_marks_ring(void);
/* Writes to a file of the instance. */
bool kernel_marks_put(const char *file, const char *text);

/*
 * So many marks more. As they are, they fill sub-buffers of 4 KiB to the last byte, so that the
 * kernel has no place there to say how many were lost before; with a `tail` it has.
 */
void kernel_marks_write(unsigned int count);
void kernel_marks_write_tailed(unsigned int count, const char *tail);
/* How many there were so far: the next one's number. */
unsigned int kernel_marks_written(void);
/* The first mark in what lies between, and its number; NULL: there is none. */
const char *kernel_marks_find(const char *begin, const char *end, unsigned int *number);

#endif /* KERNEL_MARKS_H */
