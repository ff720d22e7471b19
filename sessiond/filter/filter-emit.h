/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-emit.h - writing a filter's program, instruction by instruction.
 *
 * Registers: values are calculated in r0, by help of r1 to r5. A value that has to
 * wait for another one is in r6 to r9, and then on the stack's upper half;
 * the lower half keeps offsets of the record that were found already.
 *
 * An instruction that does not fit sets `too_big`, and nothing more is written. The caller looks
 * at `too_big` once, at the end.
 */
#ifndef SESSIOND_FILTER_FILTER_EMIT_H
#define SESSIOND_FILTER_FILTER_EMIT_H

#include <lttngmap/filter-code.h>

#include "sessiond/filter/filter-tree.h"

#define FILTER_ALU(operation) (LTTNGMAP_FILTER_ALU64 | LTTNGMAP_FILTER_##operation)
#define FILTER_JMP(operation) (LTTNGMAP_FILTER_JMP | LTTNGMAP_FILTER_##operation)

#define FILTER_SLOTS (LTTNGMAP_FILTER_STACK_SIZE / 8 / 2) /* of each half */

/* A place further on, that instructions jump to; all zeros at first. */
struct filter_label {
	unsigned last; /* the last such instruction + 1; `offset` chains the others */
};

/* Bits of filter_emitter.known. */
#define FILTER_KNOWN_MAX 64

struct filter_emitter {
	const struct registry_class *event_class;
	struct lttngmap_filter_instruction code[LTTNGMAP_FILTER_INSTRUCTIONS_MAX];
	unsigned nr_codes;
	uint8_t pool[LTTNGMAP_FILTER_POOL_MAX];
	unsigned pool_size;
	bool too_big;
	struct filter_label reject; /* the event is not recorded */
	unsigned waiting;           /* values that were pushed */
	/*
	 * Bit i: wherever the code goes on from here, the offset behind field i
	 * is in a slot of the stack. Fields after the first 64 have no bit and no slot.
	 */
	uint64_t known;
	uint64_t known_at_exit; /* ... and where a comparison was left early */
	unsigned slots;
	uint8_t slot[LTTNGMAP_FIELDS_MAX];
};

void filter_emit(struct filter_emitter *emitter, unsigned code, unsigned destination,
		 unsigned source, int offset, int32_t immediate);
/* A jump; the comparison is with the immediate, or the source where `code` has X. */
void filter_emit_jump(struct filter_emitter *emitter, unsigned code, unsigned destination,
		      unsigned source, int32_t immediate, struct filter_label *to);
/* The label is here. */
void filter_bind_label(struct filter_emitter *emitter, struct filter_label *label);

void filter_move(struct filter_emitter *emitter, unsigned destination, unsigned source);
void filter_move_constant(struct filter_emitter *emitter, unsigned destination, uint64_t value);
/* May it be an instruction's immediate? */
bool filter_is_immediate(uint64_t value);
void filter_call(struct filter_emitter *emitter, enum lttngmap_filter_helper helper);

/* r0 waits. */
void filter_push(struct filter_emitter *emitter);
/* The last one that waits: returns the register it is in, `scratch` if it was on the stack. */
unsigned filter_pop(struct filter_emitter *emitter, unsigned scratch);

/* The offset behind variable-length field `field`; r0 to it, and back to `destination`. */
void filter_keep_offset(struct filter_emitter *emitter, unsigned field);
void filter_take_offset(struct filter_emitter *emitter, unsigned field, unsigned destination);

/* Where the bytes are in the pool. */
unsigned filter_pool_add(struct filter_emitter *emitter, const void *bytes, size_t size);

/* ---- filter-operand.c ---------------------------------------------------- */

/*
 * r0 = the value of a field or context that is a number; `miss`: where to go
 * if there is none. `plain`: of an integer narrower than 64 bits the upper
 * bits may be 0 rather than its sign.
 */
void filter_load(struct filter_emitter *emitter, const struct filter_node *node, bool plain,
		 struct filter_label *miss);
/*
 * Where an integer field stands in each record of the class, as TEST finds it;
 * false: not there, or not in the machine's byte order.
 */
bool filter_find_integer(const struct filter_emitter *emitter, const struct filter_node *node,
			 unsigned *offset, unsigned *integer);
/* r0 = -1, 0, 1 or NO_VALUE. */
void filter_compare_strings(struct filter_emitter *emitter, const struct filter_node *a,
			    const struct filter_node *b);
/* r0 = 1, or 0: no value; a part of a map's key, of so many bytes at most. */
void filter_code_key_string(struct filter_emitter *emitter, const struct filter_node *string,
			    unsigned most, uint64_t seed);
/* r0 = 1, 0 or NO_VALUE; `pattern` has an ANY. */
void filter_match_string(struct filter_emitter *emitter, const struct filter_node *string,
			 const struct filter_node *pattern);

/* ---- filter-value.c ------------------------------------------------------ */

/* r0 = the node's value: an integer, or a double's bits. */
void filter_value(struct filter_emitter *emitter, const struct filter_node *node,
		  struct filter_label *miss);
/* Call a helper with both operands as doubles, the right one first where `is_reversed`. */
void filter_call_double(struct filter_emitter *emitter, const struct filter_node *node,
			enum lttngmap_filter_helper helper, bool is_reversed,
			struct filter_label *miss);

/* ---- filter-compare.c ---------------------------------------------------- */

/* Where a comparison leads: `to` where it is `when`, else on; `end` is that, further on. */
struct filter_outcome {
	struct filter_label *to;
	bool when;
	struct filter_label end;
};

/* A comparison, or a number that is to be other than 0. */
void filter_jump_leaf(struct filter_emitter *emitter, const struct filter_node *node,
		      struct filter_outcome *outcome);

/* The program ends with 0 unless the node is true; for one of those that `&&` joins. */
void filter_require(struct filter_emitter *emitter, const struct filter_node *node);

/* ---- filter-code.c ------------------------------------------------------- */

/* Code that goes `to` where the node is `when`, and else on. */
void filter_jump(struct filter_emitter *emitter, const struct filter_node *node, bool when,
		 struct filter_label *to);

#endif /* SESSIOND_FILTER_FILTER_EMIT_H */
