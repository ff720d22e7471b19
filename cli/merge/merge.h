/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * merge.h - one trace of several folders that have parts of it, as a collector has them when
 * connections were lost, or when it was sent in chunks.
 *
 * A packet is known by its stream's instance and its number there, in its header: it is
 * taken once, whichever folders have it. Folders whose names are the same (ust, kernel) are
 * one trace, all of whose parts have one UUID. Packets are
 * found and checked as other readers do it (stream-check.h); an index says besides which ones
 * are missing. One thread.
 */
#ifndef LTTNGMAP_CLI_MERGE_MERGE_H
#define LTTNGMAP_CLI_MERGE_MERGE_H

#include <stddef.h>
#include <stdint.h>

struct merge_result {
	uint64_t traces, folders, streams, packets,
		bytes;                     /* traces there are now, folders they were in */
	uint64_t repeated, repeated_bytes; /* left out: they were there already */
	uint64_t changed;                  /* of these: not the same bytes; the first was taken */
	uint64_t missing;                  /* numbers between two packets of a stream */
	uint64_t torn;                     /* cannot be read, and were in no folder: left out */
};

/*
 * All traces in or below the directories, into the empty directory `output`. 0, or -errno after
 * a message that begins with the verb's name.
 */
int merge_traces(const char *verb, const char *const *directories, size_t nr_directories,
		 const char *output, struct merge_result *result);

#endif /* LTTNGMAP_CLI_MERGE_MERGE_H */
