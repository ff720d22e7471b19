/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * stub.h - leading a program from a probe's nop to sdt_entry and back.
 *
 *   site:      90              nop            e9              jmp landing
 *   site + 1:  48 89 d0 5b     (the program)  48 89 d0 5b     (the same bytes)
 *
 * One byte is changed. The four behind it stay what they are, instructions of
 * the program's, and are at the same time the distance that the jump goes: so it
 * lands where they say. There stands a second jump, to the stub that is on the
 * same page: probes with the same code behind them land close to each other. A thread is before the
 * byte or behind it, never within; one that comes while it is written finds a nop or a jump; and
 * who jumps to site + 1 finds what was always there.
 *
 * Not for signal handlers; the caller lets one thread in at a time.
 */
#ifndef SDT_STUB_H
#define SDT_STUB_H

#include <stdint.h>

#include "sdt/site.h"

/* The descriptor for writing; closed before the caller returns to the program. */
struct sdt_writer {
	int fd; /* /proc/self/mem */
};

/* 0 or -errno. */
int sdt_writer_open(struct sdt_writer *writer);
void sdt_writer_close(struct sdt_writer *writer);

/* Why a site cannot be armed, for people, and what kind of -errno it is. */
struct sdt_refusal {
	int error;
	const char *why;
};

/*
 * Make the stub, if there is none yet: before much else is mapped, for there is
 * one place for it. 0, or -errno: refused, and nothing is changed.
 */
int sdt_site_prepare(struct sdt_writer *writer, struct sdt_site *site, struct sdt_refusal *refusal);
/* Turn the nop of a prepared site into the jump, and count the semaphore up. Likewise. */
int sdt_site_arm(struct sdt_writer *writer, struct sdt_site *site, struct sdt_refusal *refusal);
/* The nop again. The stub stays: threads may be in it. */
void sdt_site_disarm(struct sdt_writer *writer, struct sdt_site *site);
/* The site's code is no longer in memory: the stub's place is free. */
void sdt_site_forget(struct sdt_site *site);

#endif /* SDT_STUB_H */
