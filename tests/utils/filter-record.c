/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/utils/filter-record.h"

#include <arpa/inet.h>
#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct filter_values filter_records[FILTER_RECORDS] = {
	{
		5,
		5,
		300,
		300,
		5,
		5,
		5,
		5,
		.n16 = 0x1234,
		.n32 = 5,
		.n64 = 5,
		.f32 = 1.5f,
		.f64 = 2.5,
		.nf64 = 0.1,
		.color = 0,
		.state = -3,
		.wide = 1,
		.arr = { 1, -2, 3, -4 },
		.text = "hello",
		.name = "main",
		.nr_seq = 3,
		.seq = { 10, 20, 30 },
		.tail = 7,
		.tseq = "hello",
		.nr_nseq = 2,
		.nseq = { 1, 2 },
		.other = "main",
		.last = 42,
	},
	{
		-5,
		251,
		-300,
		65535,
		-1,
		UINT32_MAX,
		-1,
		UINT64_MAX,
		.n16 = 1,
		.n32 = -5,
		.n64 = UINT64_MAX,
		.f32 = -1.5f,
		.f64 = -0.0,
		.nf64 = -2,
		.color = 2,
		.state = 0,
		.wide = UINT64_MAX,
		.arr = { 0, 0, 0, 0 },
		.text = "12345678",
		.name = "",
		.nr_seq = 0,
		.tail = -7,
		.tseq = "",
		.nr_nseq = 0,
		.other = "x",
		.last = 0,
	},
	{
		127,
		0,
		32767,
		0,
		INT32_MAX,
		0,
		INT64_MAX,
		0,
		.n16 = 0,
		.n32 = 0,
		.n64 = 0,
		.f32 = 0,
		.f64 = 1e300,
		.nf64 = 0,
		.color = 5,
		.state = 1500000,
		.wide = 0,
		.arr = { -1, 32767, -32768, 100 },
		.text = "",
		.name = "path/to/file.c",
		.nr_seq = 1,
		.seq = { -1 },
		.tail = 0,
		.tseq = "main",
		.nr_nseq = 1,
		.nseq = { 65535 },
		.other = "path/to/file.c",
		.last = 1,
	},
	{
		-128,
		255,
		-32768,
		1,
		INT32_MIN,
		0x80000000u,
		INT64_MIN,
		UINT64_C(1) << 63,
		.n16 = 65535,
		.n32 = 0x01020304,
		.n64 = 1,
		.f32 = NAN,
		.f64 = INFINITY,
		.nf64 = NAN,
		.color = 9,
		.state = 77,
		.wide = 7,
		.arr = { 5, 6, 7, 8 },
		.text = "a*b",
		.name = "a*b\\c\"",
		.nr_seq = 5,
		.seq = { 1, 2, 3, 4, 5 },
		.tail = 1,
		.tseq = "xxxyz",
		.nr_nseq = 1,
		.nseq = { 256 },
		.other = "zz",
		.last = UINT64_MAX,
	},
};

static const struct registry_enum_value colors[] = {
	{ "RED", 0, 0 },
	{ "GREEN", 1, 3 },
	{ "BLUE", 5, 5 },
	{ "light blue", 7, 7 },
};
static const struct registry_enum_value states[] = {
	{ "BAD", -10, -1 },
	{ "OK", 0, 0 },
	{ "HUGE", 1000000, 2000000 },
};

#define FIELD(id, sort, bytes, marks, elements)                                                    \
	{                                                                                          \
		.name = #id, .kind = LTTNGMAP_FIELD_##sort, .size = (bytes), .flags = (marks),     \
		.base = 10, .count = (elements)                                                    \
	}
#define SIGNED LTTNGMAP_FIELD_SIGNED
#define NETWORK LTTNGMAP_FIELD_BIG_ENDIAN
#define LABELS(table) .values = (table), .nr_values = sizeof(table) / sizeof((table)[0])

static const struct registry_field fields[] = {
	FIELD(i8, INTEGER, 1, SIGNED, 0),
	FIELD(u8, INTEGER, 1, 0, 0),
	FIELD(i16, INTEGER, 2, SIGNED, 0),
	FIELD(u16, INTEGER, 2, 0, 0),
	FIELD(i32, INTEGER, 4, SIGNED, 0),
	FIELD(u32, INTEGER, 4, 0, 0),
	FIELD(i64, INTEGER, 8, SIGNED, 0),
	FIELD(u64, INTEGER, 8, 0, 0),
	FIELD(n16, INTEGER, 2, NETWORK, 0),
	FIELD(n32, INTEGER, 4, SIGNED | NETWORK, 0),
	FIELD(n64, INTEGER, 8, NETWORK, 0),
	FIELD(f32, FLOAT, 4, 0, 0),
	FIELD(f64, FLOAT, 8, 0, 0),
	FIELD(nf64, FLOAT, 8, NETWORK, 0),
	{ .name = "color",
	  .kind = LTTNGMAP_FIELD_ENUM,
	  .size = 1,
	  .base = 10,
	  .enum_name = "colors",
	  LABELS(colors) },
	{ .name = "state",
	  .kind = LTTNGMAP_FIELD_ENUM,
	  .size = 4,
	  .flags = SIGNED,
	  .base = 10,
	  .enum_name = "states",
	  LABELS(states) },
	{ .name = "wide",
	  .kind = LTTNGMAP_FIELD_ENUM,
	  .size = 8,
	  .base = 10,
	  .enum_name = "states",
	  LABELS(states) },
	FIELD(arr, ARRAY, 2, SIGNED, 4),
	FIELD(text, TEXT, 1, 0, 8),
	FIELD(name, STRING, 0, 0, 0),
	FIELD(seq, SEQUENCE, 4, SIGNED, 0),
	FIELD(tail, INTEGER, 4, SIGNED, 0),
	FIELD(tseq, TEXT_SEQUENCE, 0, 0, 0),
	FIELD(nseq, SEQUENCE, 2, NETWORK, 0),
	FIELD(other, STRING, 0, 0, 0),
	FIELD(last, INTEGER, 8, 0, 0),
};

const struct registry_class filter_class = {
	.id = 1,
	.loglevel = LTTNGMAP_LOGLEVEL_DEBUG_LINE,
	.nr_fields = sizeof(fields) / sizeof(fields[0]),
	.provider = "test",
	.name = "all",
	.full_name = "test:all",
	.fields = fields,
};

struct packer {
	uint8_t *at;
	uint8_t *end;
};

static void put(struct packer *packer, const void *bytes, size_t size)
{
	if (size > (size_t)(packer->end - packer->at))
		abort();
	memcpy(packer->at, bytes, size);
	packer->at += size;
}

#define PUT(value)                                                                                 \
	do {                                                                                       \
		__typeof__(value) put_value = (value);                                             \
		put(&packer, &put_value, sizeof(put_value));                                       \
	} while (0)

size_t filter_pack(const struct filter_values *values, uint8_t *to, size_t size)
{
	struct packer packer = { to, to + size };
	uint64_t network;

	PUT(values->i8);
	PUT(values->u8);
	PUT(values->i16);
	PUT(values->u16);
	PUT(values->i32);
	PUT(values->u32);
	PUT(values->i64);
	PUT(values->u64);
	PUT(htons(values->n16));
	PUT(htonl((uint32_t)values->n32));
	PUT(htobe64(values->n64));
	PUT(values->f32);
	PUT(values->f64);
	memcpy(&network, &values->nf64, sizeof(network));
	PUT(htobe64(network));
	PUT(values->color);
	PUT(values->state);
	PUT(values->wide);
	put(&packer, values->arr, sizeof(values->arr));
	put(&packer, values->text, sizeof(values->text));
	put(&packer, values->name, strlen(values->name) + 1);
	PUT(values->nr_seq);
	put(&packer, values->seq, values->nr_seq * sizeof(values->seq[0]));
	PUT(values->tail);
	PUT((uint32_t)strlen(values->tseq));
	put(&packer, values->tseq, strlen(values->tseq));
	PUT(values->nr_nseq);
	for (uint32_t i = 0; i < values->nr_nseq; i++)
		PUT(htons(values->nseq[i]));
	put(&packer, values->other, strlen(values->other) + 1);
	PUT(values->last);
	return (size_t)(packer.at - to);
}

enum { VPID = 1, CPU_ID, PROCNAME, RATIO, NONE, NO_STRING };

static const struct filter_context contexts[] = {
	{ "vpid", VPID, FILTER_TYPE_SIGNED },         { "cpu_id", CPU_ID, FILTER_TYPE_UNSIGNED },
	{ "procname", PROCNAME, FILTER_TYPE_STRING }, { "ratio", RATIO, FILTER_TYPE_DOUBLE },
	{ "perf:none", NONE, FILTER_TYPE_UNSIGNED },  { "nostring", NO_STRING, FILTER_TYPE_STRING },
};

const struct filter_context_list filter_known_contexts = {
	contexts,
	sizeof(contexts) / sizeof(contexts[0]),
};

static bool get(const struct filter_contexts *self, uint32_t id, struct filter_value *value)
{
	double ratio = 0.5;

	(void)self;
	switch (id) {
	case VPID:
		value->number = 1234;
		return true;
	case CPU_ID:
		value->number = 1;
		return true;
	case PROCNAME:
		/* As comm of the kernel: 16 bytes, of which some are behind the NUL. */
		value->string = "main\0rest of it";
		value->size = 16;
		return true;
	case RATIO:
		memcpy(&value->number, &ratio, sizeof(ratio));
		return true;
	default:
		return false;
	}
}

const struct filter_contexts filter_test_contexts = { .get = get };
