/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * table.h - a copy of an object's unwind tables in rows of eight bytes.
 *
 * The copy is made when the object is known to be loaded, outside of the event's path. A walk reads
 * copies alone, never .eh_frame itself: another thread may unmap an object while a walk looks up a
 * garbage return address in it. A copy is never freed, so no walk can read memory that went.
 *
 * A row's rule holds from its offset to the next row's. Offsets ascend.
 */
#ifndef LIBLTTNGMAP_UNWIND_TABLE_H
#define LIBLTTNGMAP_UNWIND_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct unwind_row {
	uint32_t offset; /* of the first instruction, from the table's begin */
	uint32_t rule;
};

/* How the canonical frame address (CFA) is found. The return address is at CFA - 8. */
enum unwind_kind {
	UNWIND_STOP,        /* no table, or a rule that is not known here */
	UNWIND_END,         /* the outermost frame */
	UNWIND_RSP,         /* rsp + cfa */
	UNWIND_RBP,         /* rbp + cfa */
	UNWIND_RBX,         /* rbx + cfa: the loader binds functions lazily so */
	UNWIND_RBP_POINTER, /* the word at rbp - cfa; the caller's rbp is at rbp */
	UNWIND_PLT,         /* rsp + 8, and 8 more where rip & 15 >= rbp */
	UNWIND_SIGNAL,      /* rsp points at a ucontext_t */
};

/* A rule: kind in bits 0 to 2, cfa / 8 in bits 3 to 23, rbp in bits 24 to 27, rbx above. */
#define UNWIND_CFA_LIMIT (1u << 21)
#define UNWIND_SAVED_LIMIT (1u << 4)
#define UNWIND_LOST (UNWIND_SAVED_LIMIT - 1) /* of rbx: it is not known where it is saved */

static inline uint32_t unwind_rule(enum unwind_kind kind, uint32_t cfa_words, uint32_t rbp,
				   uint32_t rbx)
{
	return (uint32_t)kind | cfa_words << 3 | rbp << 24 | rbx << 28;
}

static inline enum unwind_kind unwind_rule_kind(uint32_t rule)
{
	return (enum unwind_kind)(rule & 7);
}

/* Bytes. */
static inline uintptr_t unwind_rule_cfa(uint32_t rule)
{
	return (uintptr_t)(rule >> 3 & (UNWIND_CFA_LIMIT - 1)) * 8;
}

/* Words below the CFA where the caller's rbp is saved; 0: it is unchanged. The same of rbx. */
static inline uintptr_t unwind_rule_rbp(uint32_t rule)
{
	return rule >> 24 & (UNWIND_SAVED_LIMIT - 1);
}

static inline uintptr_t unwind_rule_rbx(uint32_t rule)
{
	return rule >> 28;
}

/* A part of the process's memory that can be read while a table is made. */
struct unwind_memory {
	const unsigned char *begin, *end;
};

/*
 * Writes the rows of the .eh_frame_hdr at `header` to `rows`, which has room for `room`; offsets
 * count from `base`. `*count` is how many rows there are, which may be more than `room`: call once
 * with a room of 0 to learn it. Reads `memory` alone, whatever the tables say, and code that is not
 * described as above gets UNWIND_STOP. Returns 0, or -ENOTSUP if the header has another form than
 * ld, gold and lld write. Reads only; no lock, no system call.
 */
int unwind_table_make(const unsigned char *header, struct unwind_memory memory, uintptr_t base,
		      struct unwind_row *rows, size_t room, size_t *count);

/* The rule at `offset`: UNWIND_STOP before the first row. Signal-safe. */
uint32_t unwind_table_find(const struct unwind_row *rows, size_t count, uint32_t offset);

#endif /* LIBLTTNGMAP_UNWIND_TABLE_H */
