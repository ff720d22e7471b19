/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * mediator.h - how ring sets are shown to readers: ring-fs, ring-socket or ring-kernel.
 *
 * The first two make RUNTIME/rings/SESSION/CHANNEL/PROCNAME-PID-ID appear, so that
 * inotify on the channel's directory tells of it, and serve the requests of
 * lttngmap/ring-file.h on it, in the ring thread, whose event loop they are
 * given. With ring-kernel the kernel module does both: RUNTIME/rings is its folder in debugfs, and
 * announce() and notify() only have it look at a set.
 *
 * Threads: create, destroy, add_channel, remove_channel from the main thread;
 * announce, notify, withdraw from the ring thread. All return soon: work that
 * goes through the mount is done by the mediator's own helper thread.
 */
#ifndef SESSIOND_MEDIATOR_MEDIATOR_H
#define SESSIOND_MEDIATOR_MEDIATOR_H

#include <systemd/sd-event.h>

#include "sessiond/ring/ring-set.h"

struct mediator;

struct mediator_ops {
	const char *name; /* "ring-fs", "ring-socket", "ring-kernel" */
	/*
	 * `rings_dir` exists and is empty, or is the mount of a ring-fs whose
	 * daemon died (ENOTCONN), which is detached. The loop need not run yet.
	 * 0 or -errno; -EPERM, -ENOENT, -EOPNOTSUPP: this mediator cannot serve here (no
	 * right, no /dev/fuse, an older kernel), and the other should. *why then says
	 * which, statically.
	 */
	int (*create)(const char *runtime_dir, const char *rings_dir, sd_event *ring_loop,
		      struct mediator **mediator, const char **why);
	/* Ring loop no longer running. Unmounts, removes what it made; NULL allowed. */
	void (*destroy)(struct mediator *mediator);
	/*
	 * Make SESSION/CHANNEL, there when it returns. 0 or -errno. The ring loop
	 * must run: it serves this very request. -ETIMEDOUT: it did not for 10 s.
	 * For the same reason the ring thread itself must never use the mount.
	 */
	int (*add_channel)(struct mediator *mediator, const char *session, const char *channel);
	/* Its directory goes with the last of its rings' files, later maybe. */
	void (*remove_channel)(struct mediator *mediator, const char *session, const char *channel);
	/* Make the file appear. The mediator takes a reference of its own. */
	int (*announce)(struct mediator *mediator, struct ring_set *set);
	/* ring_set_poll() may now say more: wake pollers and blocked readers. */
	void (*notify)(struct mediator *mediator, struct ring_set *set);
	/*
	 * Make the file vanish and drop the reference; a reader that has it open
	 * keeps what it mapped and gets ENODATA.
	 */
	void (*withdraw)(struct mediator *mediator, struct ring_set *set);
	/*
	 * NULL, or: the kernel module has the ring sets, and hears doorbells. The descriptor of
	 * its device, for struct ring_set_module.
	 */
	int (*device)(const struct mediator *mediator);
};

extern const struct mediator_ops ring_fs_mediator;
extern const struct mediator_ops ring_socket_mediator;
extern const struct mediator_ops ring_kernel_mediator;

#endif /* SESSIOND_MEDIATOR_MEDIATOR_H */
