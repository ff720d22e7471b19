/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * module-abi.h - the requests of /dev/lttngmap, by which root makes ring sets in the kernel.
 *
 * A ring set's memory is a memfd that the requester made, sealed against shrinking, as the traced
 * process maps it (lttngmap/abi.h). The module holds the memory, hears the process's doorbell and
 * its end, and shows readers a ring file in debugfs (lttngmap/ring-file.h):
 *
 *   lttngmap/SESSION/CHANNEL/PROCNAME-PID-ID
 *
 * A ring set stays until LTTNGMAP_SET_REMOVE, whoever made it. Who comes later finds it by
 * LTTNGMAP_SET_NEXT. While there is any, the module cannot be unloaded.
 */
#ifndef SESSIOND_RING_MODULE_ABI_H
#define SESSIOND_RING_MODULE_ABI_H

#include <stdint.h>
#include <sys/ioctl.h>

#define LTTNGMAP_MODULE_DEVICE "/dev/lttngmap"
#define LTTNGMAP_MODULE_FOLDER "/sys/kernel/debug/lttngmap"
/* With the NUL. */
#define LTTNGMAP_SET_NAME_SIZE 256

enum lttngmap_set_flag {
	/* A CPU's ring has only what ran on that CPU. */
	LTTNGMAP_SET_BY_RSEQ = 1u << 0,
	/* Out: the process has ended, or LTTNGMAP_SET_FINISH was asked for. */
	LTTNGMAP_SET_FINISHED = 1u << 1,
	/* Out: a reader has its file open. */
	LTTNGMAP_SET_IS_READ = 1u << 2,
	/* Out: frozen or finished, and nothing is unread. */
	LTTNGMAP_SET_DRAINED = 1u << 3,
	/* Out: all of the chunk before was read. */
	LTTNGMAP_SET_ROTATED = 1u << 4,
	/* Out: all that stood in the rings at the last LTTNGMAP_SET_FLUSH was read. */
	LTTNGMAP_SET_FLUSHED = 1u << 5,
};

/* In LTTNGMAP_SET_MAKE: all but `id`. Out: of LTTNGMAP_SET_NEXT; descriptors are -1. */
struct lttngmap_set_info {
	uint64_t id;      /* of LTTNGMAP_SET_NEXT also in: a lower one than that which is sought */
	int32_t memory;   /* the memfd: meta page, ring data, ring control */
	int32_t doorbell; /* eventfd that the process writes; -1: none */
	uint32_t process; /* whose end finishes the set; 0: nobody's */
	uint32_t pid;     /* as told to readers */
	uint32_t uid;     /* of the process; limits count for this user */
	uint32_t owner;   /* uid that may open the ring file */
	uint32_t flags;   /* enum lttngmap_set_flag */
	uint32_t cpu_rings;
	uint32_t mode;  /* enum lttngmap_mode */
	uint32_t clock; /* enum lttngmap_clock */
	uint32_t subbuf_shift;
	uint32_t subbufs_shift;
	uint64_t control_at; /* where in the memory ring control begins */
	uint64_t begin;      /* clock: no record is older */
	uint64_t generation; /* as of LTTNGMAP_SET_DESCRIBE */
	uint32_t chunk;      /* that its packets belong into */
	uint32_t unused;
	char session[LTTNGMAP_SET_NAME_SIZE];
	char channel[LTTNGMAP_SET_NAME_SIZE];
	char procname[16];
};

/* Since the set was made, or cleared. */
struct lttngmap_set_counts {
	uint64_t id; /* in */
	uint64_t written;
	uint64_t delivered;
	uint64_t discarded;
	uint64_t overwritten;
	/* Claims of closed rings, by their process's word alone: ring_reader_claims(). */
	uint64_t claims_written;
	uint64_t claims_discarded;
	uint64_t claims_overwritten;
	uint32_t closed_rings;    /* the process damaged them */
	uint32_t flags;           /* enum lttngmap_set_flag */
	uint32_t backward_passes; /* readers that have read backward and gone again; ever */
	uint32_t unused;
};

struct lttngmap_set_value {
	uint64_t id;
	uint64_t value;
};

struct lttngmap_channel_name {
	char session[LTTNGMAP_SET_NAME_SIZE];
	char channel[LTTNGMAP_SET_NAME_SIZE];
};

/*
 * 0 or an error. EBADF, EINVAL: a descriptor is not as it should be; EINVAL: a size or a name;
 * ESRCH: no such process; EDQUOT: a limit of the module's is reached.
 */
#define LTTNGMAP_SET_MAKE _IOWR('R', 0x70, struct lttngmap_set_info)
/* The set of the next higher id. ENOENT: there is none. */
#define LTTNGMAP_SET_NEXT _IOWR('R', 0x71, struct lttngmap_set_info)
/* In: an id. Returns a descriptor of its memory. ENOENT, as all that follow. */
#define LTTNGMAP_SET_MEMORY _IOW('R', 0x72, uint64_t)
#define LTTNGMAP_SET_COUNT _IOWR('R', 0x73, struct lttngmap_set_counts)
/* Stop: the content of now is all that will be read. Until LTTNGMAP_SET_THAW. */
#define LTTNGMAP_SET_FREEZE _IOW('R', 0x74, uint64_t)
#define LTTNGMAP_SET_THAW _IOW('R', 0x75, uint64_t)
/* Freezes for ever: readers are told of the end. */
#define LTTNGMAP_SET_FINISH _IOW('R', 0x76, uint64_t)
/* Shows the file if anything was ever written, and makes partial sub-buffers readable. */
#define LTTNGMAP_SET_FLUSH _IOW('R', 0x77, uint64_t)
/* A reader that has its file open keeps what it mapped, and is told ENODATA. */
#define LTTNGMAP_SET_REMOVE _IOW('R', 0x78, uint64_t)

/*
 * Packets belong into chunk `value` from now on, but for what stands in the rings now: that is
 * given before, what is in sub-buffers that are not full too. LTTNGMAP_SET_ROTATED says when it was
 * read.
 */
#define LTTNGMAP_SET_ROTATE _IOW('R', 0x79, struct lttngmap_set_value)
/* The next packet is of the new chunk, whether all of the one before was read or not. */
#define LTTNGMAP_SET_END_ROTATION _IOW('R', 0x7a, uint64_t)
/*
 * Forgets all that stands in the rings now, and the counts. The reader's packets are the writers'
 * again: LTTNGMAP_IOC_CHECK_PACKET says ESTALE.
 */
#define LTTNGMAP_SET_CLEAR _IOW('R', 0x7b, uint64_t)
/* Packets are described by the metadata of generation `value`. */
#define LTTNGMAP_SET_DESCRIBE _IOW('R', 0x7c, struct lttngmap_set_value)
/* Shows the file if anything was ever written, and wakes its reader. */
#define LTTNGMAP_SET_SHOW _IOW('R', 0x7d, uint64_t)
/* The clock was reset, from no later than `value`: earlier records behind those of now are right.
 */
#define LTTNGMAP_SET_RESET_CLOCK _IOW('R', 0x7e, struct lttngmap_set_value)

/*
 * The folder SESSION/CHANNEL is there, whether it has ring files or not, until it is removed and
 * has none. The session is this open file's until its last channel is removed or the file is
 * closed. EBUSY: it is another's. ENOENT: this session of the open file has no such channel.
 */
#define LTTNGMAP_CHANNEL_ADD _IOW('R', 0x7f, struct lttngmap_channel_name)
#define LTTNGMAP_CHANNEL_REMOVE _IOW('R', 0x80, struct lttngmap_channel_name)

/*
 * In: a descriptor of the requester's saved state, a regular file, whose pages a dump of the
 * kernel's memory then has (module-dump.h). The module has it until this open file is closed and
 * there is no set. ENOSPC: there are too many.
 */
#define LTTNGMAP_STATE_ADD _IOW('R', 0x81, int32_t)

#endif /* SESSIOND_RING_MODULE_ABI_H */
