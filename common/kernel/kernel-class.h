/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-class.h - an event class of the kernel's, from its tracefs `format`
 * file: which fields it has, and how a record of the kernel's becomes ours.
 *
 * A record of the kernel's has its fields at the places that the format says,
 * with padding, and behind them the arrays that have no fixed length, which words
 * "offset and length" lead to. Ours has them one after another, packed
 * (lttngmap/event-class.h), so that the same metadata and the same readers
 * serve both:
 *
 *   kernel  | type:16 | flags | ... | path: 64, 8 | ... | "/etc/x" NUL NUL |
 *   ours              | flags | ... | "/etc/x" NUL | ...
 *
 * All fields but common_type, which the id in a record's header tells already.
 * Their names are the kernel's. A field whose values a print format shows by
 * names is an enumeration. A last array without a fixed length (`char buf[]`)
 * goes up to the record's end.
 *
 * No file is touched and nothing is shared but libtraceevent's level of
 * messages, which is set to none. One thread.
 */
#ifndef COMMON_KERNEL_KERNEL_CLASS_H
#define COMMON_KERNEL_KERNEL_CLASS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <lttngmap/event-class.h>

/* The longest text of a `format` file that is looked at. */
#define KERNEL_FORMAT_MAX (1u << 20)

struct kernel_step;

struct kernel_class {
	uint16_t id; /* the kernel's, until it boots again: common_type of its records */
	uint16_t nr_fields;
	uint32_t nr_steps;
	char *system;
	char *name;
	struct lttngmap_field *fields; /* of our record; names and labels are the class's */
	struct kernel_step *steps;     /* how ours is made of the kernel's */
	/* The steps before the first that has no fixed length: up to where, and what, they copy. */
	uint32_t nr_first;
	uint32_t first_end;
	uint32_t first_size;
};

/*
 * Parse the text of a `format` file, `size` bytes without a NUL at their end. 0;
 * -EBADMSG: it is none, or has what cannot be in a trace; -E2BIG: more than
 * LTTNGMAP_FIELDS_MAX fields, or KERNEL_FORMAT_MAX bytes; -ENOMEM. To be given to
 * kernel_class_destroy().
 *
 * The text comes from the kernel: libtraceevent does not survive just any
 * print format.
 */
int kernel_class_parse(const char *system, const char *text, size_t size,
		       struct kernel_class **result);
/*
 * The same without its print format, hence without enumerations, which are
 * integers here: enough to convert. The text may be anything.
 */
int kernel_class_parse_fields(const char *system, const char *text, size_t size,
			      struct kernel_class **result);
/* NULL is allowed. */
void kernel_class_destroy(struct kernel_class *class);

/*
 * Converts the fields of a kernel's record of `size` bytes, common_type included, to ours.
 * Fields beyond the record's end are zeros; an array that reaches beyond it is empty.
 * Returns the bytes that the fields take; -ENOBUFS: more than `room`.
 */
ssize_t kernel_class_convert(const struct kernel_class *class, const void *record, size_t size,
			     void *fields, size_t room);

#endif /* COMMON_KERNEL_KERNEL_CLASS_H */
