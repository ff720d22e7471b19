/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/filter/filter-emit.h"

#include <string.h>

#define FIRST_WAITING 6 /* r6 to r9 */
#define NR_WAITING 4

void filter_emit(struct filter_emitter *emitter, unsigned code, unsigned destination,
		 unsigned source, int offset, int32_t immediate)
{
	if (emitter->nr_codes == LTTNGMAP_FILTER_INSTRUCTIONS_MAX)
		emitter->too_big = true;
	if (emitter->too_big)
		return;
	emitter->code[emitter->nr_codes++] = (struct lttngmap_filter_instruction){
		.code = (uint8_t)code,
		.registers = (uint8_t)(destination | source << 4),
		.offset = (int16_t)offset,
		.immediate = immediate,
	};
}

void filter_emit_jump(struct filter_emitter *emitter, unsigned code, unsigned destination,
		      unsigned source, int32_t immediate, struct filter_label *to)
{
	filter_emit(emitter, code, destination, source, (int)to->last, immediate);
	if (!emitter->too_big)
		to->last = emitter->nr_codes;
}

void filter_bind_label(struct filter_emitter *emitter, struct filter_label *label)
{
	while (label->last) {
		unsigned jump = label->last - 1;

		label->last = (unsigned)emitter->code[jump].offset;
		emitter->code[jump].offset = (int16_t)(emitter->nr_codes - jump - 1);
	}
}

void filter_move(struct filter_emitter *emitter, unsigned destination, unsigned source)
{
	if (destination != source)
		filter_emit(emitter, FILTER_ALU(MOV) | LTTNGMAP_FILTER_X, destination, source, 0,
			    0);
}

bool filter_is_immediate(uint64_t value)
{
	return (int64_t)value == (int32_t)value;
}

void filter_move_constant(struct filter_emitter *emitter, unsigned destination, uint64_t value)
{
	if (filter_is_immediate(value)) {
		filter_emit(emitter, FILTER_ALU(MOV), destination, 0, 0, (int32_t)value);
		return;
	}
	filter_emit(emitter, LTTNGMAP_FILTER_LD | LTTNGMAP_FILTER_DW | LTTNGMAP_FILTER_IMM,
		    destination, 0, 0, (int32_t)value);
	filter_emit(emitter, 0, 0, 0, 0, (int32_t)(value >> 32));
}

void filter_call(struct filter_emitter *emitter, enum lttngmap_filter_helper helper)
{
	filter_emit(emitter, FILTER_JMP(CALL), 0, 0, 0, (int32_t)helper);
}

static void store(struct filter_emitter *emitter, unsigned slot, unsigned source)
{
	filter_emit(emitter, LTTNGMAP_FILTER_STX | LTTNGMAP_FILTER_DW | LTTNGMAP_FILTER_MEM,
		    LTTNGMAP_FILTER_FRAME, source, (int)slot * 8 - LTTNGMAP_FILTER_STACK_SIZE, 0);
}

static void fetch(struct filter_emitter *emitter, unsigned slot, unsigned destination)
{
	filter_emit(emitter, LTTNGMAP_FILTER_LDX | LTTNGMAP_FILTER_DW | LTTNGMAP_FILTER_MEM,
		    destination, LTTNGMAP_FILTER_FRAME, (int)slot * 8 - LTTNGMAP_FILTER_STACK_SIZE,
		    0);
}

void filter_push(struct filter_emitter *emitter)
{
	unsigned place = emitter->waiting++;

	if (place < NR_WAITING)
		filter_move(emitter, FIRST_WAITING + place, 0);
	else if (place - NR_WAITING < FILTER_SLOTS)
		store(emitter, FILTER_SLOTS + place - NR_WAITING, 0);
	else
		emitter->too_big = true;
}

unsigned filter_pop(struct filter_emitter *emitter, unsigned scratch)
{
	unsigned place = --emitter->waiting;

	if (place < NR_WAITING)
		return FIRST_WAITING + place;
	if (place - NR_WAITING < FILTER_SLOTS)
		fetch(emitter, FILTER_SLOTS + place - NR_WAITING, scratch);
	return scratch;
}

void filter_keep_offset(struct filter_emitter *emitter, unsigned field)
{
	/* Slots are not given back: 32 are more than are ever of use. */
	if (field >= FILTER_KNOWN_MAX)
		return;
	if (emitter->slot[field] == 0) {
		if (emitter->slots == FILTER_SLOTS)
			return;
		emitter->slot[field] = (uint8_t)++emitter->slots;
	}
	store(emitter, emitter->slot[field] - 1u, 0);
	emitter->known |= UINT64_C(1) << field;
}

void filter_take_offset(struct filter_emitter *emitter, unsigned field, unsigned destination)
{
	fetch(emitter, emitter->slot[field] - 1u, destination);
}

unsigned filter_pool_add(struct filter_emitter *emitter, const void *bytes, size_t size)
{
	const uint8_t *there = memmem(emitter->pool, emitter->pool_size, bytes, size);
	unsigned at = emitter->pool_size;

	if (there)
		return (unsigned)(there - emitter->pool);
	if (size > sizeof(emitter->pool) - at) {
		emitter->too_big = true;
		return 0;
	}
	memcpy(emitter->pool + at, bytes, size);
	emitter->pool_size += (unsigned)size;
	return at;
}
