/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * recover-source.h - where the memories are of processes whose daemon is gone:
 * files of the ring directory, or memfds that a process still has mapped, its
 * own or its children's. They are only read, whatever their rights: what a
 * process may write alone, /proc/PID/mem reads all the same.
 */
#ifndef SESSIOND_RECOVER_RECOVER_SOURCE_H
#define SESSIOND_RECOVER_RECOVER_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct recover_sources;

/* `dir`: the ring directory, or -1: memfds of this boot. 0 or -errno. */
int recover_sources_open(int dir, struct recover_sources **sources);
void recover_sources_close(struct recover_sources *sources);

struct recover_segment {
	uint64_t offset; /* in the memory */
	uint64_t size;
	uint64_t address; /* in the process, or the file */
};

#define RECOVER_PIECES_MAX 8u

struct recover_source {
	int fd; /* -1: none */
	uint32_t nr_segments;
	struct recover_segment segments[RECOVER_PIECES_MAX];
};

/*
 * Find a memory by its file, and its folder (struct memory). 0; -ENOENT: nobody has it any more;
 * -EACCES: who has it may not be looked into; another -errno.
 */
int recover_source_find(const struct recover_sources *sources, uint64_t folder, uint64_t file,
			struct recover_source *source);
/* All of the range, or -errno; -ENODATA: it is cut short. */
int recover_source_read(const struct recover_source *source, uint64_t offset, void *bytes,
			uint64_t size);
void recover_source_close(struct recover_source *source);

#endif /* SESSIOND_RECOVER_RECOVER_SOURCE_H */
