/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-file.h - reading a ring: the file interface, for readers of any kind.
 *
 * A ring file shows the rings of one process in one channel, of all CPUs. If the processes of
 * one user share their rings, it shows these: pid is 0, procname "user-UID". The rules are those
 * of the kernel's own tracing rings (tracefs per_cpu/cpuN/trace_pipe_raw, Linux >= 6.10):
 *
 *   fd = open(path, O_RDONLY);
 *   meta = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
 *   data = mmap(NULL, meta->subbuf_size * meta->nr_subbufs, PROT_READ,
 *               MAP_SHARED, fd, meta->meta_page_size);
 *   ioctl(fd, TRACE_MMAP_IOCTL_GET_READER);
 *   ... data + meta->reader.id * meta->subbuf_size ...
 *
 * Sub-buffers hold records only, back to back (lttngmap/abi.h), from
 * LTTNGMAP_SUBBUF_HEAD on, in a ring's very first sub-buffer from 0 on;
 * meta->reader.read says up to where they are valid.
 * LTTNGMAP_IOC_GET_PACKET says more, and is what the consumer uses.
 */
#ifndef LTTNGMAP_RING_FILE_H
#define LTTNGMAP_RING_FILE_H

#include <stdint.h>
#include <sys/ioctl.h>

#include <lttngmap/abi.h>

#if defined(__has_include)
#if __has_include(<linux/trace_mmap.h>)
#include <linux/trace_mmap.h>
#define LTTNGMAP_HAVE_TRACE_MMAP_H 1
#endif
#endif

#ifndef LTTNGMAP_HAVE_TRACE_MMAP_H
/* Same layout as in linux/trace_mmap.h of Linux 6.10, for systems whose headers are older. */
struct trace_buffer_meta {
	uint32_t meta_page_size;  /* bytes before the first sub-buffer */
	uint32_t meta_struct_len; /* bytes of this struct, extensions included */
	uint32_t subbuf_size;
	uint32_t nr_subbufs; /* all of the file's, the readers' own included */
	struct {
		uint64_t lost_events; /* before the reader's sub-buffer */
		uint32_t id;          /* the reader's sub-buffer */
		uint32_t read;        /* bytes of it that are valid */
	} reader;
	uint64_t flags;
	uint64_t entries; /* events written and not overwritten */
	uint64_t overrun; /* events lost: overwritten or discarded */
	uint64_t read;    /* events read */
	uint64_t Reserved1;
	uint64_t Reserved2;
};
#endif

/* The number of all releases since Linux 6.10; the first release candidates had another. */
#undef TRACE_MMAP_IOCTL_GET_READER
#define TRACE_MMAP_IOCTL_GET_READER _IO('R', 0x20)

LTTNGMAP_ABI_ASSERT(sizeof(struct trace_buffer_meta) == 80);

#define LTTNGMAP_META_MAGIC 0x4c544d4du

/*
 * The meta page of a ring file of lttngmap: the kernel's struct, then ours,
 * all of it within meta.meta_struct_len. Written by the session daemon. The
 * traced process holds the same memory and could write here too: a reader
 * that cares takes its facts from LTTNGMAP_IOC_GET_PACKET.
 */
struct lttngmap_meta {
	struct trace_buffer_meta meta;
	uint32_t magic; /* LTTNGMAP_META_MAGIC; absent in kernel rings */
	uint16_t major;
	uint16_t minor;
	uint32_t rings;            /* rings in this file */
	uint32_t subbufs_per_ring; /* those in rotation and the reader's */
	uint32_t pid;
	uint32_t uid;
	uint32_t clock;        /* enum lttngmap_clock */
	uint32_t reader_begin; /* where in the reader's sub-buffer its records begin */
	char procname[16];     /* ends in a NUL */
};
LTTNGMAP_ABI_ASSERT(sizeof(struct lttngmap_meta) == 80 + 48);

/* Any ring of the file, for lttngmap_packet.cpu on the way in. */
#define LTTNGMAP_CPU_ANY UINT32_MAX

enum lttngmap_packet_flag {
	/* In: also what stands in a sub-buffer that is not full yet. */
	LTTNGMAP_PACKET_PARTIAL = 1u << 0,
	/*
	 * Out: the writer may overwrite it while it is read. Copy, then ask
	 * LTTNGMAP_IOC_CHECK_PACKET before use.
	 */
	LTTNGMAP_PACKET_VOLATILE = 1u << 1,
	/*
	 * In: read ring `cpu` backward instead. The first request gives the records of
	 * its newest sub-buffer, the next one those of the sub-buffer before. EAGAIN:
	 * there is no older one, and a further request begins with the newest again.
	 * Nothing is taken out of the ring, and the current packet of other requests
	 * stays. Out: VOLATILE, too. The first packet that was overwritten before its
	 * copy was checked is the last one. `sequence` is the sub-buffer's,
	 * `discarded` counts events that were never written.
	 */
	LTTNGMAP_PACKET_BACKWARD = 1u << 2,
	/*
	 * Out: of a kernel's ring. The bytes are the kernel's events, and the
	 * sub-buffer's first 16 bytes its time and commit word, as
	 * events/header_page says. timestamp_begin is that time; timestamp_end,
	 * events and what is a process's are 0.
	 */
	LTTNGMAP_PACKET_KERNEL = 1u << 3,
	/*
	 * In: of a kernel's ring, in a reader's first request: begin with the whole
	 * sub-buffer that the reader before was given last. The kernel counts it as read,
	 * but that reader may have died before it was done. The request then also says up
	 * to when that reader had the events (`timestamp_end`), and how many lost ones it
	 * knew of (`discarded`). `discarded` goes on from there. Zeros: there was no
	 * reader, and all that the ring ever lost counts.
	 */
	LTTNGMAP_PACKET_REPEAT = 1u << 4,
	/*
	 * Out: of a ring that is no CPU's. Its writers may have run on any: those of an extra
	 * ring, and of all rings of a process without restartable sequences.
	 */
	LTTNGMAP_PACKET_ANY_CPU = 1u << 5,
	/*
	 * In: this reader asks again by itself, whatever the answer, before a ring can fill:
	 * within some 15 ms. Until it asks without this flag, or closes the file, full sub-buffers
	 * ring no bell, and poll(2) tells only of a ring that is half full, and of the end.
	 */
	LTTNGMAP_PACKET_AWAKE = 1u << 6,
	/*
	 * Out: of the last packet of an answer. When it was given, no other sub-buffer of the file
	 * was full, and neither a stop nor a rotation waited for a release: a reader that is awake
	 * need not ask again at once.
	 */
	LTTNGMAP_PACKET_LAST = 1u << 7,
};

/*
 * A packet: an extent of whole records in one sub-buffer. All values were
 * checked by the daemon, none is copied unchecked from the process.
 * In: cpu, flags. Out: everything.
 */
struct lttngmap_packet {
	uint32_t cpu;       /* ring index; an extra ring's is beyond the CPUs' */
	uint32_t flags;     /* enum lttngmap_packet_flag */
	uint32_t subbuf_id; /* over all rings of the file */
	uint32_t offset;    /* of its first record, in the sub-buffer */
	uint32_t length;    /* bytes */
	uint32_t pid;
	uint32_t uid;
	uint32_t chunk;               /* of the trace that it belongs into; counts rotations */
	uint64_t sequence;            /* counts the ring's packets, from 0 */
	uint64_t timestamp_begin;     /* clock, 64 bits; not after its first record */
	uint64_t timestamp_end;       /* clock of its last record */
	uint64_t events;              /* records in it */
	uint64_t discarded;           /* of the ring, cumulative in its chunk, up to its end:
					 not written plus overwritten */
	uint64_t metadata_generation; /* the metadata that describes it */
	uint64_t reserved1[2];
};
LTTNGMAP_ABI_ASSERT(sizeof(struct lttngmap_packet) == 96);

/*
 * Release the current packet, if there is one, and make the next one
 * current. A packet stays current, and its bytes unchanged (but for
 * LTTNGMAP_PACKET_VOLATILE, and where the session is cleared), until the next call or
 * until another reader opened the file after this one closed it: then it is given again.
 *
 * 0; EAGAIN: nothing now, poll; ENODATA: the process is gone and all is
 * read, or the ring was closed because the process corrupted it; EINVAL: no
 * such cpu.
 */
#define LTTNGMAP_IOC_GET_PACKET _IOWR('R', 0x60, struct lttngmap_packet)
/*
 * The same for several packets at a time: all current packets are released, and the next ones made
 * current. They follow each other in one ring. Their number is that of the full sub-buffers that
 * wait there, up to `count`, and up to a quarter of the ring's sub-buffers: writers go without
 * these until they are released. A ring that is overwritten, and reading backward, give one packet.
 * The next reader gets the packets again that this one has not released.
 */
#define LTTNGMAP_PACKETS_MAX 8
struct lttngmap_packets {
	uint32_t count; /* in: 1 to LTTNGMAP_PACKETS_MAX; out: how many there are */
	uint32_t reserved;
	struct lttngmap_packet packets[LTTNGMAP_PACKETS_MAX]; /* in: cpu and flags of the first */
};
LTTNGMAP_ABI_ASSERT(sizeof(struct lttngmap_packets) == 8 + 8 * 96);
#define LTTNGMAP_IOC_GET_PACKETS _IOWR('R', 0x63, struct lttngmap_packets)
/* 0: the packet given last, of several the first, was not overwritten so far; ESTALE: it may be. */
#define LTTNGMAP_IOC_CHECK_PACKET _IO('R', 0x61)
/*
 * The bytes of the file that may be mapped. The size that stat(2) says is 0,
 * as on tracefs, and the process can corrupt the meta page. A reader that
 * bounds its map by this number is never killed by SIGBUS. The exception is
 * --ring-dir by ring-fs: the process can cut those files short.
 */
#define LTTNGMAP_IOC_GET_SIZE _IOR('R', 0x62, uint64_t)

/* ---- liblttngmap-ring-file: reads all kinds of ring file --------------------- */

#ifdef __cplusplus
extern "C" {
#endif

struct lttngmap_ring_file;

/*
 * Open a ring file: one of ring-fs, an announcement of ring-socket, or a kernel's
 * trace_pipe_raw (64 bits). Maps the meta page and all sub-buffers read-only. From a kernel
 * that maps none (Linux < 6.10), sub-buffers are read one at a time into memory of the
 * object's own, which looks the same. Opens nothing but a regular file that belongs to root
 * or to the caller (to anybody, for root).
 * 0 or -errno: -EBUSY another reader has it, -ENODEV not a ring file,
 * -ENODATA its process is gone and all of it was read, -EBADMSG its meta
 * page was corrupted, -ETIMEDOUT the daemon does not answer.
 * Not thread-safe for one object; objects are independent.
 */
int lttngmap_ring_file_open(const char *path, struct lttngmap_ring_file **file);
/* Unmaps and closes; NULL is allowed. */
void lttngmap_ring_file_close(struct lttngmap_ring_file *file);
/*
 * A descriptor for poll(2): POLLIN when there is a packet, POLLHUP at the end
 * (by ring-socket, POLLIN may be said for the end too). For poll only. Poll
 * after get_packet said -EAGAIN; its answer is final at the next get_packet.
 */
int lttngmap_ring_file_fd(const struct lttngmap_ring_file *file);
/* The meta page; valid until close. A kernel's ring has only the part `meta` of it. */
const struct lttngmap_meta *lttngmap_ring_file_meta(const struct lttngmap_ring_file *file);
/*
 * LTTNGMAP_IOC_GET_PACKET. 0 or -errno as there; -ENOTCONN, -ECONNABORTED,
 * -ETIMEDOUT: the daemon is gone, what was mapped stays readable.
 */
int lttngmap_ring_file_get_packet(struct lttngmap_ring_file *file, struct lttngmap_packet *packet);
/* LTTNGMAP_IOC_GET_PACKETS, likewise; of a kernel's ring there is one. */
int lttngmap_ring_file_get_packets(struct lttngmap_ring_file *file,
				   struct lttngmap_packets *packets);
/* LTTNGMAP_IOC_CHECK_PACKET. */
int lttngmap_ring_file_check_packet(struct lttngmap_ring_file *file);
/* TRACE_MMAP_IOCTL_GET_READER; result in the meta page. Never blocks: 0 or -errno. */
int lttngmap_ring_file_get_reader(struct lttngmap_ring_file *file);
/*
 * Where a packet's bytes lie; NULL where the packet points outside of the
 * mapping (which the daemon never says). Valid until the next get_packet.
 */
const void *lttngmap_ring_file_data(const struct lttngmap_ring_file *file,
				    const struct lttngmap_packet *packet);

#ifdef __cplusplus
}
#endif

#endif /* LTTNGMAP_RING_FILE_H */
