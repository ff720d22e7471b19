/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* geometry.h - sizes of the shared memories (lttngmap/abi.h). Any thread. */
#ifndef SESSIOND_BASE_GEOMETRY_H
#define SESSIOND_BASE_GEOMETRY_H

#include <stdint.h>

#include <lttngmap/abi.h>

struct daemon;

/* Bytes of all filters together. */
#define GEOMETRY_FILTERS_SIZE (UINT64_C(32) << 20)
/* Bytes of global control, its filters included. */
#define GEOMETRY_GLOBAL_SIZE                                                                       \
	(sizeof(struct lttngmap_control) + LTTNGMAP_FILTER_WORDS_SIZE + GEOMETRY_FILTERS_SIZE)

/* Bytes of ring control of all rings of a channel with 1 << `subbufs_shift` sub-buffers. */
uint64_t geometry_control_size(const struct daemon *daemon, uint32_t subbufs_shift);
/*
 * Bytes of ring data of all rings of one process in a channel, the meta page included, with
 * 1 << `subbufs_shift` sub-buffers of 1 << `subbuf_shift` bytes.
 */
uint64_t geometry_data_size(const struct daemon *daemon, uint32_t subbuf_shift,
			    uint32_t subbufs_shift);

#endif /* SESSIOND_BASE_GEOMETRY_H */
