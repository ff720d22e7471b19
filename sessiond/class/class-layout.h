/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* class-layout.h - how long records of registered event classes are
 * (common/record/record-layout.h). */
#ifndef SESSIOND_CLASS_CLASS_LAYOUT_H
#define SESSIOND_CLASS_CLASS_LAYOUT_H

#include <stdint.h>

#include "common/record/record-layout.h"
#include "sessiond/class/metadata.h"
#include "sessiond/class/registry.h"

/*
 * The layouts of one channel, as `metadata` describes it now, as stream 0. NULL: out of memory.
 */
struct record_layout *class_layout_create(const struct registry *registry,
					  const struct metadata *metadata, uint32_t stream_id);

#endif /* SESSIOND_CLASS_CLASS_LAYOUT_H */
