/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-probe-child.h - a process of its own makes a probe: it looks the file up, and tells the
 * kernel, which looks the path up again.
 *
 * Both look-ups may meet a file system that never answers, and SIGKILL does not end who waits
 * there. So the daemon waits for neither. After KERNEL_PROBE_MS it kills the child and reports
 * that. A child that hangs then has no memory and no descriptor of the daemon's, and at most
 * KERNEL_PROBE_HANGING_MAX of them are left behind at a time.
 *
 * All functions but the last: main thread.
 */
#ifndef SESSIOND_KERNEL_KERNEL_PROBE_CHILD_H
#define SESSIOND_KERNEL_KERNEL_PROBE_CHILD_H

#include <systemd/sd-event.h>

#include "sessiond/kernel/kernel-probes.h"

#define KERNEL_PROBE_MS 5000u
#define KERNEL_PROBE_HANGING_MAX 8u
/* The daemon's argument that makes it such a child; it is no option for people. */
#define KERNEL_PROBE_ARGUMENT "--make-probe"

struct kernel_probe_child;

struct kernel_probe_result {
	int error;                         /* 0 or -errno, of which `problem` tells */
	char file[KERNEL_PROBE_FILE_SIZE]; /* probe->file; "": it is in no file */
	struct kernel_problem problem;
};

/* Called once, unless the child is cancelled; the child is gone then. */
typedef void (*kernel_probe_done)(const struct kernel_probe_result *result, void *data);

/*
 * Like kernel_probe_open() and kernel_probe_create() in a child process; with `group` NULL only the
 * first. 0 or -errno, with `problem`.
 */
int kernel_probe_child_start(sd_event *event, const char *group, const struct kernel_probe *probe,
			     kernel_probe_done done, void *data, struct kernel_probe_child **child,
			     struct kernel_problem *problem);
/* NULL is allowed. */
void kernel_probe_child_cancel(struct kernel_probe_child *child);

/* In the child: its exit status. */
int kernel_probe_child_run(int argc, const char **argv);

#endif /* SESSIOND_KERNEL_KERNEL_PROBE_CHILD_H */
