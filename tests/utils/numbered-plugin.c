/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* A library that is loaded and unloaded while its program is traced (processes-life.c). */
#include "tests/utils/numbered-emit.h"

#define SOME 5

__attribute__((visibility("default"))) void plugin_emit(struct numbered_counts *counts,
							uint32_t source);

void plugin_emit(struct numbered_counts *counts, uint32_t source)
{
	numbered_emit_many(counts, source, SOME);
}
