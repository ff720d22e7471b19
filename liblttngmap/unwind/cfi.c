/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/unwind/cfi.h"

#include <stdbool.h>
#include <string.h>

#define RBX 3u
#define RBP 6u
#define RSP 7u
#define RETURN_ADDRESS 16u
#define STATES 8u /* that are remembered at a time */

/* The bytes left to read; `bad` once one was not there, or not known. */
struct cursor {
	const unsigned char *at, *end;
	bool bad;
};

struct cie {
	const unsigned char *code, *code_end;
	uint64_t code_align;
	int64_t data_align;
	unsigned char encoding;
	bool has_augmentation, is_signal;
};

/* Registers as they are found at an instruction. */
struct state {
	enum unwind_kind kind; /* UNWIND_STOP: of a register not known here */
	int64_t cfa;           /* bytes */
	int64_t rbp;           /* below the CFA, bytes; for UNWIND_PLT as in the rule */
	int64_t rbx;           /* the same */
	bool rbp_at_rbp;       /* the expression for UNWIND_RBP_POINTER */
	bool odd;              /* rbp or the return address is where no rule can say */
	bool outermost;
};

struct run {
	struct cie cie;
	struct state now, first, saved[STATES];
	unsigned depth;
	uint64_t offset; /* from base */
	void (*add)(void *data, uint64_t offset, uint32_t rule);
	void *data;
};

static bool has(struct cursor *from, uint64_t size)
{
	if (from->bad || size > (uint64_t)(from->end - from->at))
		from->bad = true;
	return !from->bad;
}

static uint64_t take(struct cursor *from, unsigned size)
{
	uint64_t value = 0;

	if (!has(from, size))
		return 0;
	memcpy(&value, from->at, size);
	from->at += size;
	return value;
}

/* The bits of a LEB128 number, of which there are `*shift`: 64 or more if it has all of them. */
static uint64_t take_leb(struct cursor *from, unsigned *shift, bool *is_negative)
{
	uint64_t value = 0, byte;

	*shift = 0;
	do {
		byte = take(from, 1);
		if (*shift < 64)
			value |= (byte & 0x7f) << *shift;
		*shift += 7;
	} while ((byte & 0x80) && !from->bad);
	*is_negative = byte & 0x40;
	return value;
}

static uint64_t take_uleb(struct cursor *from)
{
	unsigned shift;
	bool is_negative;

	return take_leb(from, &shift, &is_negative);
}

static int64_t take_sleb(struct cursor *from)
{
	unsigned shift;
	bool is_negative;
	uint64_t value = take_leb(from, &shift, &is_negative);

	if (shift < 64 && is_negative)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

static void skip(struct cursor *from, uint64_t size)
{
	if (has(from, size))
		from->at += size;
}

/* The record at `address`, behind its length. */
static struct cursor open_record(uintptr_t address, struct unwind_memory memory)
{
	struct cursor record = { .at = memory.begin, .end = memory.end };
	uint64_t size;

	if (address < (uintptr_t)memory.begin || address >= (uintptr_t)memory.end) {
		record.bad = true;
		return record;
	}
	record.at += address - (uintptr_t)memory.begin;
	size = take(&record, 4);
	/* Neither the end's mark nor 64 bit lengths, which no linker writes here. */
	if (size == 0 || size == UINT32_MAX || !has(&record, size))
		record.bad = true;
	else
		record.end = record.at + size;
	return record;
}

static unsigned pointer_size(unsigned char encoding)
{
	static const unsigned char sizes[8] = { 8, 0, 2, 4, 8, 0, 0, 0 };

	return sizes[encoding & 7];
}

static void read_augmentation(struct cursor *from, const char *letters, struct cie *cie)
{
	for (; *letters && !from->bad; letters++) {
		unsigned char encoding;

		switch (*letters) {
		case 'R':
			cie->encoding = (unsigned char)take(from, 1);
			break;
		case 'L':
			skip(from, 1);
			break;
		case 'P':
			encoding = (unsigned char)take(from, 1);
			if (!pointer_size(encoding) || (encoding & 0x70) == 0x50)
				from->bad = true;
			skip(from, pointer_size(encoding));
			break;
		case 'S':
			cie->is_signal = true;
			break;
		default:
			from->bad = true;
		}
	}
}

static bool read_cie(uintptr_t address, struct unwind_memory memory, struct cie *cie)
{
	struct cursor from = open_record(address, memory);
	const char *letters;
	uint64_t version, size;

	*cie = (struct cie){ .encoding = 0 };
	if (take(&from, 4) != 0)
		return false;
	version = take(&from, 1);
	letters = (const char *)from.at;
	while (take(&from, 1) != 0)
		;
	cie->code_align = take_uleb(&from);
	cie->data_align = take_sleb(&from);
	if ((version == 1 ? take(&from, 1) : take_uleb(&from)) != RETURN_ADDRESS ||
	    (version != 1 && version != 3) || from.bad)
		return false;
	if (*letters == 'z') {
		struct cursor augmentation;

		size = take_uleb(&from);
		augmentation = from;
		skip(&from, size);
		if (from.bad)
			return false;
		augmentation.end = from.at;
		cie->has_augmentation = true;
		read_augmentation(&augmentation, letters + 1, cie);
		from.bad = augmentation.bad;
	} else if (*letters) {
		return false;
	}
	cie->code = from.at;
	cie->code_end = from.end;
	return !from.bad;
}

static uint32_t rule_of(const struct run *run)
{
	const struct state *now = &run->now;
	const int64_t cfa = now->kind == UNWIND_RBP_POINTER ? -now->cfa : now->cfa;
	const int64_t rbp = now->kind == UNWIND_PLT ? now->rbp : now->rbp / 8;
	int64_t rbx = now->rbx / 8;

	if (run->cie.is_signal)
		return unwind_rule(UNWIND_SIGNAL, 0, 0, 0);
	if (now->outermost)
		return unwind_rule(UNWIND_END, 0, 0, 0);
	if (now->kind == UNWIND_STOP || now->odd ||
	    now->rbp_at_rbp != (now->kind == UNWIND_RBP_POINTER) || cfa < 0 || cfa % 8 ||
	    cfa / 8 >= UNWIND_CFA_LIMIT || rbp < 0 || rbp >= UNWIND_SAVED_LIMIT ||
	    (now->kind != UNWIND_PLT && now->rbp % 8))
		return unwind_rule(UNWIND_STOP, 0, 0, 0);
	if (rbx < 0 || now->rbx % 8 || rbx > UNWIND_LOST)
		rbx = UNWIND_LOST;
	return unwind_rule(now->kind, (uint32_t)(cfa / 8), (uint32_t)rbp, (uint32_t)rbx);
}

static void set_cfa_register(struct state *now, uint64_t reg)
{
	now->kind = reg == RSP   ? UNWIND_RSP
		    : reg == RBP ? UNWIND_RBP
		    : reg == RBX ? UNWIND_RBX
				 : UNWIND_STOP;
}

static void set_saved(struct run *run, uint64_t reg, int64_t factored)
{
	const int64_t at = factored * run->cie.data_align;

	if (reg == RBP) {
		run->now.rbp = -at;
		run->now.rbp_at_rbp = false;
		/* 0 would say "unchanged". */
		run->now.odd |= at >= 0;
	} else if (reg == RBX) {
		run->now.rbx = at < 0 ? -at : UNWIND_LOST * 8;
	} else if (reg == RETURN_ADDRESS && at != -8) {
		run->now.odd = true;
	}
}

static void restore(struct run *run, uint64_t reg)
{
	if (reg == RBP) {
		run->now.rbp = run->first.rbp;
		run->now.rbp_at_rbp = run->first.rbp_at_rbp;
	}
	if (reg == RBX)
		run->now.rbx = run->first.rbx;
	if (reg == RETURN_ADDRESS)
		run->now.outermost = run->first.outermost;
}

/* The two expressions that compilers and linkers write: of PLTs, and of frames that are aligned. */
static void set_cfa_expression(struct run *run, struct cursor *from)
{
	/* breg7 8, breg16 0, lit15, and, litN, ge, lit3, shl, plus */
	static const unsigned char plt[] = {
		0x77, 8, 0x80, 0, 0x3f, 0x1a, 0, 0x2a, 0x33, 0x24, 0x22
	};
	const uint64_t size = take_uleb(from);
	struct cursor part = *from;

	skip(from, size);
	run->now.kind = UNWIND_STOP;
	if (from->bad)
		return;
	part.end = from->at;
	if (size == sizeof(plt) && memcmp(part.at, plt, 6) == 0 &&
	    memcmp(part.at + 7, plt + 7, 4) == 0 && part.at[6] >= 0x30 && part.at[6] <= 0x3f) {
		run->now.kind = UNWIND_PLT;
		run->now.cfa = 8;
		run->now.rbp = part.at[6] - 0x30;
	} else if (take(&part, 1) == 0x76) { /* breg6 N, deref */
		run->now.cfa = take_sleb(&part);
		if (take(&part, 1) == 0x06 && part.at == part.end && !part.bad)
			run->now.kind = UNWIND_RBP_POINTER;
	}
}

static void set_expression(struct run *run, struct cursor *from, bool is_value)
{
	const uint64_t reg = take_uleb(from), size = take_uleb(from);
	const unsigned char *bytes = from->at;

	skip(from, size);
	if (from->bad)
		return;
	if (reg == RBP && !is_value && size == 2 && bytes[0] == 0x76 && bytes[1] == 0) {
		run->now.rbp_at_rbp = true;
		run->now.rbp = 0;
	} else if (reg == RBX) {
		run->now.rbx = UNWIND_LOST * 8;
	} else if (reg == RBP || reg == RETURN_ADDRESS) {
		run->now.odd = true;
	}
}

static void advance(struct run *run, uint64_t units)
{
	if (!units)
		return;
	run->add(run->data, run->offset, rule_of(run));
	run->offset += units * run->cie.code_align;
}

static void define_cfa(struct run *run, struct cursor *from, unsigned op)
{
	if (op == 0x0c || op == 0x0d || op == 0x12)
		set_cfa_register(&run->now, take_uleb(from));
	if (op == 0x0c || op == 0x0e)
		run->now.cfa = (int64_t)take_uleb(from);
	else if (op != 0x0d)
		run->now.cfa = take_sleb(from) * run->cie.data_align;
}

/* Instructions with an opcode of their own. */
static void step_other(struct run *run, struct cursor *from, unsigned op)
{
	uint64_t reg;

	switch (op) {
	case 0x00: /* nop */
		break;
	case 0x02: /* advance_loc1 */
		advance(run, take(from, 1));
		break;
	case 0x03:
		advance(run, take(from, 2));
		break;
	case 0x04:
		advance(run, take(from, 4));
		break;
	case 0x05: /* offset_extended */
		reg = take_uleb(from);
		set_saved(run, reg, (int64_t)take_uleb(from));
		break;
	case 0x11: /* offset_extended_sf */
		reg = take_uleb(from);
		set_saved(run, reg, take_sleb(from));
		break;
	case 0x06: /* restore_extended */
		restore(run, take_uleb(from));
		break;
	case 0x07: /* undefined */
		reg = take_uleb(from);
		if (reg == RETURN_ADDRESS)
			run->now.outermost = true;
		else if (reg == RBP)
			run->now.rbp = 0; /* no frame further out needs it */
		break;
	case 0x08: /* same_value */
		reg = take_uleb(from);
		if (reg == RBP)
			run->now.rbp = 0;
		else if (reg == RBX)
			run->now.rbx = 0;
		break;
	case 0x09: /* register: reg, in reg */
		reg = take_uleb(from);
		run->now.odd |= reg == RBP || reg == RETURN_ADDRESS;
		if (reg == RBX)
			run->now.rbx = UNWIND_LOST * 8;
		take_uleb(from);
		break;
	case 0x0a: /* remember_state */
		if (run->depth == STATES)
			from->bad = true;
		else
			run->saved[run->depth++] = run->now;
		break;
	case 0x0b: /* restore_state */
		if (!run->depth)
			from->bad = true;
		else
			run->now = run->saved[--run->depth];
		break;
	case 0x0c:
	case 0x0d:
	case 0x0e:
	case 0x12:
	case 0x13:
		define_cfa(run, from, op);
		break;
	case 0x0f:
		set_cfa_expression(run, from);
		break;
	case 0x10:
	case 0x16:
		set_expression(run, from, op == 0x16);
		break;
	case 0x2e: /* GNU_args_size */
		take_uleb(from);
		break;
	default:
		from->bad = true;
	}
}

static bool run_code(struct run *run, const unsigned char *code, const unsigned char *end)
{
	struct cursor from = { .at = code, .end = end };

	while (from.at < from.end && !from.bad) {
		const unsigned op = (unsigned)take(&from, 1);

		if ((op & 0xc0) == 0x40)
			advance(run, op & 0x3f);
		else if ((op & 0xc0) == 0x80)
			set_saved(run, op & 0x3f, (int64_t)take_uleb(&from));
		else if ((op & 0xc0) == 0xc0)
			restore(run, op & 0x3f);
		else
			step_other(run, &from, op);
	}
	return !from.bad;
}

void cfi_describe(uintptr_t fde, struct unwind_memory memory, uintptr_t base,
		  void (*add)(void *data, uint64_t offset, uint32_t rule), void *data)
{
	struct cursor from = open_record(fde, memory);
	struct run run = { .add = add, .data = data };
	const uintptr_t here = (uintptr_t)from.at;
	const uint64_t back = take(&from, 4);
	uint64_t start, end;

	if (from.bad || !back || !read_cie(here - back, memory, &run.cie) ||
	    run.cie.encoding != 0x1b)
		return;
	start = (uintptr_t)from.at;
	start += (uint64_t)(int64_t)(int32_t)take(&from, 4) - base;
	end = start + take(&from, 4);
	if (run.cie.has_augmentation)
		skip(&from, take_uleb(&from));
	if (from.bad || end < start || end > UINT32_MAX)
		return;
	run.offset = start;
	/* A place that the CIE's own code moves to would be of no function. */
	if (!run_code(&run, run.cie.code, run.cie.code_end) || run.offset != start) {
		add(data, start, unwind_rule(UNWIND_STOP, 0, 0, 0));
		return;
	}
	run.first = run.now;
	if (!run_code(&run, from.at, from.end))
		run.now = (struct state){ .kind = UNWIND_STOP };
	if (run.offset < end)
		add(data, run.offset, rule_of(&run));
	add(data, end, unwind_rule(UNWIND_STOP, 0, 0, 0));
}
