/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/unwind/walk.h"

#include <ucontext.h>

#define CACHE_SIZE 4096u /* entries: 64 KiB */

struct entry {
	uint64_t mixed, rule;
};

static struct entry cache[CACHE_SIZE] __attribute__((aligned(64)));

/* Spreads a rule over all bits, so that no two keys differ as two rules do. */
static uint64_t mix(uint64_t key, uint64_t rule)
{
	return key ^ rule * UINT64_C(0x9e3779b97f4a7c15);
}

static uint32_t find_rule(const struct unwind_objects *objects, uintptr_t pc)
{
	/* Addresses of code have 47 bits. */
	const uint64_t key = pc ^ objects->generation << 47;
	struct entry *entry = &cache[(pc ^ pc >> 12) % CACHE_SIZE];
	uint64_t rule = __atomic_load_n(&entry->rule, __ATOMIC_RELAXED);

	if (__atomic_load_n(&entry->mixed, __ATOMIC_RELAXED) == mix(key, rule))
		return (uint32_t)rule;
	rule = unwind_objects_find(objects, pc);
	__atomic_store_n(&entry->mixed, mix(key, rule), __ATOMIC_RELAXED);
	__atomic_store_n(&entry->rule, rule, __ATOMIC_RELAXED);
	return (uint32_t)rule;
}

static bool is_inside(const struct unwind_stack *stack, uintptr_t address)
{
	return address >= stack->begin && address < stack->end && stack->end - address >= 8;
}

/* One word of a stack; other threads may be writing there. Sanitizers know nothing of frames. */
__attribute__((no_sanitize("address", "thread"))) static bool
read_word(const struct unwind_stack *stack, uintptr_t address, uintptr_t *word)
{
	if (address % 8 || !is_inside(stack, address))
		return false;
	*word = *(const volatile uintptr_t *)address;
	return true;
}

static bool step_out_of_signal(const struct unwind_stack *stack, struct unwind_registers *at)
{
	const uintptr_t context = at->rsp;
	const uintptr_t values = context + offsetof(ucontext_t, uc_mcontext.gregs);

	return read_word(stack, values + REG_RBP * 8, &at->rbp) &&
	       read_word(stack, values + REG_RBX * 8, &at->rbx) &&
	       read_word(stack, values + REG_RIP * 8, &at->rip) &&
	       read_word(stack, values + REG_RSP * 8, &at->rsp);
}

/* The caller's registers; false if they cannot be told. */
static bool step_out(const struct unwind_stack *stack, uint32_t rule, struct unwind_registers *at)
{
	const enum unwind_kind kind = unwind_rule_kind(rule);
	const uintptr_t offset = unwind_rule_cfa(rule);
	uintptr_t cfa, rbp_at = 0;

	if (kind == UNWIND_SIGNAL)
		return step_out_of_signal(stack, at);
	if (kind == UNWIND_RSP)
		cfa = at->rsp + offset;
	else if (kind == UNWIND_RBP)
		cfa = at->rbp + offset;
	else if (kind == UNWIND_RBX)
		cfa = at->rbx + offset;
	else if (kind == UNWIND_PLT)
		cfa = at->rsp + 8 + ((at->rip & 15) >= unwind_rule_rbp(rule) ? 8 : 0);
	else if (kind != UNWIND_RBP_POINTER || !read_word(stack, at->rbp - offset, &cfa))
		return false;
	if (cfa <= at->rsp)
		return false;
	if (kind == UNWIND_RBP_POINTER)
		rbp_at = at->rbp;
	else if (kind != UNWIND_PLT && unwind_rule_rbp(rule))
		rbp_at = cfa - unwind_rule_rbp(rule) * 8;
	if (rbp_at && !read_word(stack, rbp_at, &at->rbp))
		return false;
	if (unwind_rule_rbx(rule) == UNWIND_LOST)
		at->rbx = 0;
	else if (unwind_rule_rbx(rule) &&
		 !read_word(stack, cfa - unwind_rule_rbx(rule) * 8, &at->rbx))
		return false;
	at->rsp = cfa;
	return read_word(stack, cfa - 8, &at->rip);
}

size_t unwind_walk(const struct unwind_objects *objects, struct unwind_registers *registers,
		   const struct unwind_stack *stack, uint64_t *addresses, size_t room,
		   bool *is_whole)
{
	uintptr_t before = 0; /* 1 if rip is a return address, which may be another function's */
	size_t count = 0;

	*is_whole = false;
	while (count < room) {
		const uint32_t rule = find_rule(objects, registers->rip - before);

		/* The innermost address is known, whatever is known of it. */
		if (count && unwind_rule_kind(rule) == UNWIND_STOP)
			break;
		addresses[count++] = registers->rip;
		*is_whole = unwind_rule_kind(rule) == UNWIND_END;
		if (*is_whole || !is_inside(stack, registers->rsp) ||
		    !step_out(stack, rule, registers))
			break;
		before = unwind_rule_kind(rule) != UNWIND_SIGNAL;
	}
	return count;
}
