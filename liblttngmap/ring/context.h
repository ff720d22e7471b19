/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * context.h - the values that a channel with contexts puts before the fields.
 *
 * Values that only the kernel knows are asked for once a thread and then kept: ids of
 * process and thread for good, names, user ids and namespaces for some
 * milliseconds, for a program can change them without telling the library.
 */
#ifndef LIBLTTNGMAP_RING_CONTEXT_H
#define LIBLTTNGMAP_RING_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "liblttngmap/ring/filter.h"
#include "liblttngmap/base/local.h"

/* All of them together but the callstack, bytes. */
#define CONTEXT_SIZE_MAX (2 * 4 + 16 + 2 * 8 + 8 * 8 + 6 * 4)

/* The thread's id, for event-fast.c: valid in the process of `epoch`. */
struct context_vtid {
	uint64_t epoch; /* 0: of no process */
	int32_t vtid;
};
extern __thread struct context_vtid context_vtid
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/*
 * Put the values of `contexts`, a bit set, at `to`, which has room for
 * CONTEXT_SIZE_MAX bytes. callstack_write() puts that of the last one, the callstack, behind
 * them. Returns how many bytes they are. Signal-safe; makes system calls where a value must be
 * asked for.
 */
size_t context_write(const struct local *local, uint64_t contexts, const void *ip,
		     unsigned char *to);

/*
 * One of them, or the CPU, as filters know it; false: there is no such. The
 * string of a value is the thread's, and stands until the next call.
 */
bool context_read(const struct local *local, uint32_t id, const void *ip,
		  struct filter_value *value);

#endif /* LIBLTTNGMAP_RING_CONTEXT_H */
