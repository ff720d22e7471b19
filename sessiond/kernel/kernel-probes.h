/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-probes.h - places in programs and in the kernel that become events:
 * uprobes and kprobes, through tracefs's dynamic_events.
 *
 * The kernel has these for the whole machine, not for an instance. So those of
 * one instance are in a group of their own, whose name is made of the
 * instance's:
 *
 *   lttngmap-PID-START-KEY   lttngmap_PID_START_HASH
 *
 * They cannot collide with anybody's, and kernel-leftovers.h finds those whose
 * instance is gone. While they are there, everybody who turns on all events of
 * the machine turns these on, too.
 *
 * Main thread; kernel_probe_open() and kernel_probe_create() may wait for ever, and are called in
 * kernel-probe-child.h's process. A `problem` is filled where -errno is returned beside it.
 */
#ifndef SESSIOND_KERNEL_KERNEL_PROBES_H
#define SESSIOND_KERNEL_KERNEL_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sessiond/kernel/kernel-instance.h"

/* The kernel's own limit of an event's name and of a group's, with the NUL. */
#define KERNEL_PROBE_NAME_SIZE 64
#define KERNEL_PROBE_ARGS_MAX 1024u
#define KERNEL_PROBES_PREFIX "lttngmap_"

struct kernel_probe {
	bool is_kernel; /* a place in the kernel, by its symbol; else one in a file */
	bool is_return; /* when the function that begins there returns */
	const char *name;
	const char *path;   /* of the file; NULL: is_kernel */
	const char *file;   /* which one that is: DEVICE:INODE, hexadecimal; NULL: any */
	uint64_t offset;    /* from the file's begin, or from the kernel's symbol */
	const char *symbol; /* of a file: what people call the place, or NULL */
	const char *args;   /* what is recorded of it, in the kernel's language; NULL: nothing */
};

/* Nothing in it can be more than one definition of one place to the kernel. 0 or -EINVAL. */
int kernel_probe_check(const struct kernel_probe *probe, struct kernel_problem *problem);
/* A copy with all its texts, one allocation, for the caller to free; or NULL. */
struct kernel_probe *kernel_probe_copy(const struct kernel_probe *probe);
/* "uprobes" or "kprobes": what events of such are called after in a trace. */
const char *kernel_probe_system(const struct kernel_probe *probe);

/* The group of an instance of that name. */
void kernel_probes_group(const char *instance, char group[KERNEL_PROBE_NAME_SIZE]);
/* Is that the name of such a group, anybody's? */
bool kernel_probes_is_group(const char *system);

/* A file that is held, whatever comes to its path, and the text that probe->file is then. */
#define KERNEL_PROBE_FILE_SIZE 40
struct kernel_probe_file {
	int fd; /* of O_PATH, or -1 */
	char text[KERNEL_PROBE_FILE_SIZE];
};

/*
 * The file at probe->path: it is the one of probe->file, if any, and becomes that. None of a FUSE
 * file system: the kernel reads the instruction there when the event is turned on, and its server
 * could keep all of tracefs waiting then.
 * A place in the kernel has none. 0 or -errno; to be closed in any case.
 */
int kernel_probe_open(struct kernel_probe *probe, struct kernel_probe_file *file,
		      struct kernel_problem *problem);
void kernel_probe_close(struct kernel_probe_file *file);
/*
 * Makes one more event of an open probe; the event is off. *problem has the kernel's words if it
 * refuses. 0 or -errno.
 */
int kernel_probe_create(const char *group, const struct kernel_probe *probe,
			const struct kernel_probe_file *file, struct kernel_problem *problem);
/*
 * That event of the group, or with NULL all, but no more than so many: each may take the kernel
 * some milliseconds. 0, also where there is none; -EAGAIN: there are more; -EBUSY: one is on.
 */
#define KERNEL_PROBES_AT_ONCE 16
int kernel_probes_remove(const char *group, const char *name);
/*
 * Calls `take` with the group of each event that is in one of ours; a group
 * may come several times.
 */
void kernel_probes_find(void (*take)(const char *group, void *data), void *data);

#endif /* SESSIOND_KERNEL_KERNEL_PROBES_H */
