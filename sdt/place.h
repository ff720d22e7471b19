/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * place.h - the pages to which the jumps of probes lead: where they land, and,
 * on the same page, a stub for each.
 *
 *   page   0 ............ landing ................ stub  stub  stub 4095
 *                         5 bytes, anywhere        64 bytes each
 *
 * Pages are mapped readable and executable, where nothing else is. Not for signal
 * handlers; the caller lets one thread in at a time.
 */
#ifndef SDT_PLACE_H
#define SDT_PLACE_H

#include <stdint.h>

#define SDT_LANDING_SIZE 5u
#define SDT_STUB_SIZE 64u

/*
 * Take the bytes at `landing`, and some for a stub. 0, or -errno: -EBUSY where other probes
 * have them, -EEXIST where the process has something else there or may have one day, -EPERM
 * where nothing may be, -ERANGE beyond the address space, -ENOSPC after too many, or the
 * kernel's.
 */
int sdt_place_take(uint64_t landing, uint64_t *stub);
/* Nothing is there any more, and nobody comes. */
void sdt_place_give(uint64_t landing, uint64_t stub);

#endif /* SDT_PLACE_H */
