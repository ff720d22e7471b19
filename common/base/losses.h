/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * losses.h - OUTPUT/.losses: the final sums of a session, beside its trace.
 *
 * A trace tells only of losses between two packets of a stream. Losses before the first packet,
 * after the last one, and of files that are gone are in no stream. So the consumer writes what the
 * daemon counted when a session stops and when a snapshot is complete. `record`, `stop` and
 * `destroy` write what was counted where the consumer could not. Readers print it.
 *
 * The file has one size and is written in place. It can be made before the disk is full. Anybody
 * may have written it: it is read as numbers.
 */
#ifndef COMMON_BASE_LOSSES_H
#define COMMON_BASE_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#define LOSSES_NAME ".losses"
#define LOSSES_TEXT_SIZE 320

/* Numbers of events. */
struct losses {
	uint64_t kept, discarded, overwritten, broken;
	uint64_t buffered; /* in the buffers at the end, not on disk */
	uint64_t kernel;   /* of the kernel's, lost */
	uint64_t cut;      /* of those recorded: some of their fields are not whole */
};

/* Makes the file in the open directory; all its numbers are 0. 0 or -errno. */
int losses_reserve(int folder);
/* 0 or -errno. */
int losses_write(int folder, const struct losses *losses);
/* The same in the directory at `path`. */
int losses_write_path(const char *path, const struct losses *losses);
/* Adds the numbers of the directory at `path` to *losses. False: there are none. */
bool losses_add(const char *path, struct losses *losses);
/* All events that are not in the trace. */
uint64_t losses_sum(const struct losses *losses);
/* True if anything is to be told: events that are not in the trace, or not whole. */
bool losses_any(const struct losses *losses);
/*
 * Prints "404,900 events discarded, 0 overwritten (of 450,017)" into `text`, and what else there
 * is; "none" for no loss. Returns `text`.
 */
char *losses_describe(const struct losses *losses, char text[LOSSES_TEXT_SIZE]);

#endif /* COMMON_BASE_LOSSES_H */
