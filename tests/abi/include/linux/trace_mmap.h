/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * What Linux >= 6.10 brings as linux/trace_mmap.h, for the readers of this
 * folder on a system whose headers are older. Searched after the system's.
 */
#ifndef _TRACE_MMAP_H_
#define _TRACE_MMAP_H_

#include <linux/ioctl.h>
#include <linux/types.h>

struct trace_buffer_meta {
	__u32 meta_page_size, meta_struct_len, subbuf_size, nr_subbufs;
	struct {
		__u64 lost_events;
		__u32 id, read;
	} reader;
	__u64 flags, entries, overrun, read, Reserved1, Reserved2;
};

#define TRACE_MMAP_IOCTL_GET_READER _IO('R', 0x20)

#endif
