/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/base/geometry.h"

#include <lttngmap/abi.h>

#include "sessiond/base/parts.h"

static uint64_t rings_of(const struct daemon *daemon)
{
	return (uint64_t)daemon->cpu_rings + LTTNGMAP_EXTRA_RINGS;
}

uint64_t geometry_control_size(const struct daemon *daemon, uint32_t subbufs_shift)
{
	return rings_of(daemon) * lttngmap_ring_stride(UINT64_C(1) << subbufs_shift);
}

uint64_t geometry_data_size(const struct daemon *daemon, uint32_t subbuf_shift,
			    uint32_t subbufs_shift)
{
	return daemon->meta_page_size +
	       rings_of(daemon) * (((UINT64_C(1) << subbufs_shift) + 1) << subbuf_shift);
}
