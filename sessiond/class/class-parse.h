/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * class-parse.h - event classes out of the bytes that a process sent.
 *
 * Two steps, so that a message is taken whole or not at all: first the
 * lengths of all classes (class_measure), which say where the next one
 * begins; then what each one says (class_parse), which concerns it alone.
 *
 * Pure functions over (bytes, size), which may be anything. Each value is
 * read from the bytes once or from a private copy.
 */
#ifndef SESSIOND_CLASS_CLASS_PARSE_H
#define SESSIOND_CLASS_CLASS_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "sessiond/class/registry.h"

/* The memory that a class in wire form needs after parsing. */
struct class_measure {
	size_t size; /* of the wire form */
	size_t fields;
	size_t values;  /* of all enumerations */
	size_t strings; /* bytes, with a NUL each */
};

/* The class at the start of the bytes. 0; -EBADMSG with `why`: it is cut. */
int class_measure(const void *bytes, size_t size, struct class_measure *measure, char *why,
		  size_t why_size);

/* One allocation holds all of it: free(). */
struct parsed_class {
	struct registry_class event_class; /* id 0 */
	size_t allocated;                  /* bytes of this allocation */
	/*
	 * The wire form with the values that mean nothing for a field's kind set to
	 * 0: classes are the same when these bytes are.
	 */
	const uint8_t *canonical;
	size_t canonical_size;
};

/*
 * The class that was measured. 0; -EINVAL with `why`: which class, what is
 * wrong with it; -ENOMEM.
 */
int class_parse(const void *bytes, const struct class_measure *measure,
		struct parsed_class **parsed, char *why, size_t why_size);

#endif /* SESSIOND_CLASS_CLASS_PARSE_H */
