/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-instance.h - a tracefs instance: rings of the kernel's that are ours
 * alone, so that nobody else's tracing is touched.
 *
 * It is called lttngmap-PID-START-KEY: of the process that outlives the daemon's restarts, with its
 * start time in clock ticks. One whose process is gone was left by it (kernel-leftovers.h).
 *
 * Main thread. A `problem` is filled where -errno is returned.
 */
#ifndef SESSIOND_KERNEL_KERNEL_INSTANCE_H
#define SESSIOND_KERNEL_KERNEL_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <lttngmap/abi.h>

#define KERNEL_INSTANCE_NAME_SIZE 256
#define KERNEL_FILTER_MAX 4000u /* bytes of an event's filter: the kernel takes a page */

/* An error in the words that a person is shown. */
struct kernel_problem {
	char why[400];
	char hint[200];
	int column; /* of a filter, where the kernel found it wrong, from 0 on; -1: nowhere */
};

/* Returns `error`. */
int kernel_problem_tell(struct kernel_problem *problem, int error, const char *hint,
			const char *format, ...) __attribute__((format(printf, 4, 5)));

struct kernel_instance;

/* Is tracefs mounted, and ours to use? 0 or -errno. It is never mounted here. */
int kernel_tracing_find(struct kernel_problem *problem);
/* All events of this machine, "SYSTEM:NAME" on a line each. To be freed by the caller. */
int kernel_tracing_events(char **text, struct kernel_problem *problem);
/* A file's `format`, likewise. *size without the NUL at its end. */
int kernel_tracing_format(const char *system, const char *name, char **text, size_t *size,
			  struct kernel_problem *problem);

/*
 * Can a ring below that directory be mapped? 0; -EOPNOTSUPP: this kernel maps
 * none, as those before Linux 6.10; another -errno.
 */
int kernel_instance_probe(const char *path);

struct kernel_instance_config {
	const char *key; /* of the session */
	pid_t pid;       /* that it is called after */
	uint64_t start;
	enum lttngmap_clock clock;
};

/*
 * Makes an instance, which records nothing yet. Nobody can remove it while it is open. 0 or
 * -errno.
 */
int kernel_instance_create(const struct kernel_instance_config *config,
			   struct kernel_instance **instance, struct kernel_problem *problem);
/* One that never records: filters are tried in it. It is called after `config`, too. 0 or -errno.
 */
int kernel_instance_create_idle(const struct kernel_instance_config *config,
				struct kernel_instance **instance, struct kernel_problem *problem);
/*
 * It records no more, and may be removed by its name. NULL is allowed.
 */
void kernel_instance_close(struct kernel_instance *instance);
const char *kernel_instance_name(const struct kernel_instance *instance);
/* Are its rings mapped? Else they are read: this kernel is older than Linux 6.10. */
bool kernel_instance_is_mapped(const struct kernel_instance *instance);
/* Rings that there may be: the highest number of a CPU, and 1. 0 or -errno. */
int kernel_instance_cpus(const struct kernel_instance *instance, uint32_t *cpus);
/* Its directory. */
const char *kernel_instance_path(const struct kernel_instance *instance);

/* Bytes of each CPU's ring, rounded up to whole sub-buffers; -EBUSY: it is mapped. */
int kernel_instance_set_buffer(struct kernel_instance *instance, uint64_t size,
			       struct kernel_problem *problem);
/* Says that it is read, and returns that: -EBUSY. */
int kernel_instance_tell_busy(struct kernel_problem *problem);
/* Only what these do, and what they start from now on; none: what all do. */
int kernel_instance_set_pids(struct kernel_instance *instance, const uint32_t *pids, size_t nr_pids,
			     struct kernel_problem *problem);
/* Those of them that are there by now, as text; NULL: not known. To be freed by the caller. */
char *kernel_instance_pids(const struct kernel_instance *instance);
/* NULL: none. -EINVAL: it is wrong for this event. */
int kernel_instance_set_filter(struct kernel_instance *instance, const char *system,
			       const char *name, const char *filter,
			       struct kernel_problem *problem);
/* Turn an event on, or off. */
int kernel_instance_enable(struct kernel_instance *instance, const char *system, const char *name,
			   struct kernel_problem *problem);
void kernel_instance_disable(struct kernel_instance *instance, const char *system,
			     const char *name);
/* Turn all off: programs pay nothing for them any more. */
void kernel_instance_disable_all(struct kernel_instance *instance);
/*
 * Turns recording on or off. 0 or -errno. After `off`, events that are being recorded still arrive.
 */
int kernel_instance_record(struct kernel_instance *instance, bool on);
/* The kernel's own count of lost events. */
uint64_t kernel_instance_overrun(const struct kernel_instance *instance);

#endif /* SESSIOND_KERNEL_KERNEL_INSTANCE_H */
