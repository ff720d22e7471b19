/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-record.h - an event class with fields of every kind, records of it,
 * and contexts, for the tests of filters.
 */
#ifndef FILTER_RECORD_H
#define FILTER_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "liblttngmap/ring/filter.h"
#include "sessiond/filter/filter.h"

#define FILTER_RECORD_SEQUENCE_MAX 8

/* In the order of the fields. */
struct filter_values {
	int8_t i8;
	uint8_t u8;
	int16_t i16;
	uint16_t u16;
	int32_t i32;
	uint32_t u32;
	int64_t i64;
	uint64_t u64;
	uint16_t n16; /* network order, and so on */
	int32_t n32;
	uint64_t n64;
	float f32;
	double f64;
	double nf64;
	uint8_t color;
	int32_t state;
	uint64_t wide;
	int16_t arr[4];
	char text[8];
	const char *name;
	uint32_t nr_seq;
	int32_t seq[FILTER_RECORD_SEQUENCE_MAX];
	int32_t tail;
	const char *tseq;
	uint32_t nr_nseq;
	uint16_t nseq[FILTER_RECORD_SEQUENCE_MAX];
	const char *other;
	uint64_t last;
};

#define FILTER_RECORDS 4
extern const struct filter_values filter_records[FILTER_RECORDS];
extern const struct registry_class filter_class;

/* Pack as a tracepoint does; returns the size. */
size_t filter_pack(const struct filter_values *values, uint8_t *to, size_t size);

/*
 * $ctx.vpid is 1234, cpu_id 1 (unsigned), procname "main", ratio 0.5;
 * $ctx.perf:none (unsigned) and $ctx.nostring have no value.
 */
extern const struct filter_context_list filter_known_contexts;
extern const struct filter_contexts filter_test_contexts;

#endif /* FILTER_RECORD_H */
