/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * cfi.h - the call frame information (CFI) of one function, as rules of table.h.
 */
#ifndef LIBLTTNGMAP_UNWIND_CFI_H
#define LIBLTTNGMAP_UNWIND_CFI_H

#include "liblttngmap/unwind/table.h"

/*
 * Calls `add` for each place where the rule changes in the function that the frame description
 * entry (FDE) at address `fde` describes, by ascending offset from `base`, and with UNWIND_STOP at
 * the function's end. From an instruction on that is not known, the function has UNWIND_STOP. An
 * entry whose range is not known adds nothing.
 */
void cfi_describe(uintptr_t fde, struct unwind_memory memory, uintptr_t base,
		  void (*add)(void *data, uint64_t offset, uint32_t rule), void *data);

#endif /* LIBLTTNGMAP_UNWIND_CFI_H */
