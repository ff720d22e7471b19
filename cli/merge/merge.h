/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * merge.h - makes one trace of several folders with parts of it, as a collector has them after lost
 * connections, or after sending chunks.
 *
 * The stream instance and the number in its header identify a packet: each packet is copied once,
 * whichever folders have it. Folders with the same name (ust, kernel) become one trace, whose parts
 * all have one UUID. Packets are found and checked as by other readers (stream-check.h); an index
 * also tells which packets are missing. One thread.
 */
#ifndef CLI_MERGE_MERGE_H
#define CLI_MERGE_MERGE_H

#include <stddef.h>
#include <stdint.h>

struct merge_result {
	uint64_t traces, folders, streams, packets, bytes; /* traces written, folders read */
	uint64_t repeated, repeated_bytes;                 /* left out: copied already */
	uint64_t changed; /* of these, those with other bytes; the first was copied */
	uint64_t missing; /* numbers missing between two packets of a stream */
	uint64_t torn;    /* unreadable in all folders: left out */
};

/*
 * Writes all traces in or below the directories to the empty directory `output`. 0, or -errno after
 * a message that begins with the verb's name.
 */
int merge_traces(const char *verb, const char *const *directories, size_t nr_directories,
		 const char *output, struct merge_result *result);

#endif /* CLI_MERGE_MERGE_H */
