/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * memory.h - the memories that the daemon makes and hands to processes.
 *
 *   kind          seals                            the daemon's own map
 *   control       FUTURE_WRITE SHRINK GROW SEAL    RW, all of it, made before the seals
 *   rings                      SHRINK GROW SEAL    RW, ring control alone
 *
 * The rings of one process in one channel are one memory: the meta page, ring data, and from the
 * next page on ring control.
 *
 * Seals are per inode, so each kind is a memfd of its own. A receiver of a
 * control memory can map it read-only and nothing else; no receiver of any
 * of them can change its size, so no map of it ever raises SIGBUS. All are
 * sparse: pages appear, zeroed, when they are first written.
 *
 * Where the daemon has CAP_LINUX_IMMUTABLE, it makes rings immutable (Linux 6.1): they are mapped
 * and written as before, but nobody punches holes there. A page fault, the daemon's or a
 * consumer's, waits for whoever does, and that takes the longer the more maps there are.
 *
 * This daemon only maps and touches memories that a process was handed. Each call that
 * takes the inode's lock (fallocate, madvise(MADV_REMOVE), ftruncate, write,
 * lseek for data, adding a seal) is made before: a process can hold that lock for ever
 * (doc/design/security.md).
 *
 * Rings may also be files of a directory that survives
 * (doc/design/recovering.md). There are no seals then: a process can cut its
 * own files short, and the daemon's maps of them are guarded
 * (common/base/map-guard.h).
 */
#ifndef SESSIOND_BASE_MEMORY_H
#define SESSIOND_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where memories are files, those of one process in a folder of its own. The process can hold a
 * file's lock for ever, so that nobody but the sweeper removes such a file.
 */
struct memory_place {
	int dir;
	bool is_dax;    /* persistent memory that is mapped directly: files survive a panic */
	int sweeper;    /* struct ring_sweeper's fd */
	uint64_t *last; /* number that was given out last */
};

/* Seals of every memfd. */
#define MEMORY_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

struct memory {
	int fd;                           /* -1: none */
	uint64_t size;                    /* bytes, whole pages */
	uint64_t mapped_from;             /* bytes; of rings, where ring control begins */
	void *map;                        /* RW, from there to the end */
	uint64_t file;                    /* the memfd's inode, or the file's number */
	const struct memory_place *place; /* NULL: a memfd */
};

#define MEMORY_NONE ((struct memory){ .fd = -1 })

/* Where ring control begins behind `data` bytes, the meta page and ring data. */
uint64_t memory_rings_control_at(uint64_t data);
/*
 * Make control memory; `size` is rounded up to whole pages. 0 or -errno; then *memory is
 * MEMORY_NONE. Any thread.
 */
int memory_create(uint64_t size, struct memory *memory);
/* Make a folder for the files of one process. 0 or -errno. */
int memory_make_folder(const struct memory_place *place, uint64_t *folder);
/* Have the folder removed, with its files. NULL and 0 are allowed. Any thread; never waits. */
void memory_drop_folder(const struct memory_place *place, uint64_t folder);
/*
 * Make the memory of rings with `data` and `control` bytes: a memfd, or a file in the folder,
 * which has all its room from the beginning, and in a DAX place its zeros, too: what a process
 * stores there needs no more work of the file system's. 0 or -errno, as memory_create().
 */
int memory_create_rings(const struct memory_place *place, uint64_t folder, uint64_t data,
			uint64_t control, struct memory *memory);
#define MEMORY_FILE_NAME_SIZE 32
/* The name of a folder in the memory place, and of a file in such a folder. */
void memory_file_name(uint64_t number, char name[MEMORY_FILE_NAME_SIZE]);
/*
 * In a file, make room for a range of the map: a full file system is to say so now.
 * 0 or -errno.
 */
int memory_reserve(const struct memory *memory, uint64_t offset, uint64_t size);
/*
 * Adopt rings that the daemon before a restart made, and handed out maybe. The descriptor is
 * the memory's, but on failure; the rest is as it was. 0 or -errno.
 */
int memory_adopt(int fd, uint64_t control_at, uint64_t file, const struct memory_place *place,
		 struct memory *memory);
/* Unmap and close; what was handed out lives on, and so does a file. MEMORY_NONE is allowed. */
void memory_destroy(struct memory *memory);

/* A sealed memfd that has these bytes, for another daemon to read. 0 or -errno. */
int memory_create_text(const char *name, const char *text, size_t size, int *fd);

/* The machine's page size, bytes. */
uint64_t memory_page_size(void);

/*
 * Ask for each CPU's range of a ring data memory on that CPU's own node:
 * ring k stands at `first + k * ring_size`. The policy belongs to the inode
 * and outlives the temporary map. On a machine with one node it has no
 * effect, and callers need not call it there. 0 or -errno.
 */
int memory_place_rings(int fd, uint64_t first, uint64_t ring_size, uint32_t cpu_rings);
/* Is there more than one node? The kernel is asked once. Main thread. */
int memory_has_nodes(void);

#endif /* SESSIOND_BASE_MEMORY_H */
