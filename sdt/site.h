/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * site.h - a place in a program's code where a probe is, and what happens when
 * the program comes by.
 *
 * A site is written before it is armed, and only read from then on: the threads
 * that come by have no lock. The members behind
 * `file_offset` and before the operands are for the code that arms.
 */
#ifndef SDT_SITE_H
#define SDT_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/event-class.h>

#include "sdt/operand.h"

struct sdt_site {
	struct lttngmap_tracepoint *tracepoint; /* shared by the sites of one name */
	uint64_t address;                       /* of the nop */
	uint16_t *semaphore;                    /* counts who wants the probe; NULL: none */
	uint64_t file_offset;                   /* as the kernel's uprobes want it */
	uint64_t landing;                       /* where the jump leads; 0: not made yet */
	uint64_t stub;                          /* where it goes on from there */
	const char *why;                        /* it is not served; NULL: it may be */
	uint16_t next;                          /* at about the same place: a number, from 1 */
	bool armed, is_told;
	uint8_t nr_operands;
	struct sdt_operand operands[SDT_OPERANDS_MAX];
};

/*
 * The function that a stub calls, with the site in %rcx and that register and 128 bytes of red zone
 * above the return address: it keeps every register and flag.
 */
extern const char sdt_entry[];

/*
 * Find out how this CPU's vector registers are saved. Before any stub is made.
 * False: they cannot be.
 */
bool sdt_entry_prepare(void);

#endif /* SDT_SITE_H */
