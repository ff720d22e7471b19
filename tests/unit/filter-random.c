/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-random.c - random expressions on random records: compiled and run,
 * they say what the oracle says. And records that end too soon.
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>

#include "tests/utils/filter-check.h"
#include "tests/utils/filter-oracle.h"
#include "tests/utils/tap.h"

#define EXPRESSIONS 20000
#define RECORDS 6
#define TEXT_SIZE 1500

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static unsigned pick(unsigned below)
{
	return (unsigned)(next_random() >> 20) % below;
}

#define PICK(array) ((array)[pick(sizeof(array) / sizeof((array)[0]))])

/* ---- records ------------------------------------------------------------- */

static uint64_t random_integer(void)
{
	static const uint64_t special[] = { 0,          1,         2,          5,
					    -1ull,      -5ull,     127,        128,
					    255,        32767,     65535,      INT32_MAX,
					    UINT32_MAX, INT64_MAX, 1ull << 63, 1ull << 31 };

	return pick(4) ? PICK(special) : next_random() >> pick(64);
}

static double random_double(void)
{
	static const double special[] = {
		0, -0.0, 1, -1, 0.5, 1e300, 5, 1e-310, 1.8e19, __builtin_nan(""), __builtin_inf()
	};

	return pick(3) ? PICK(special) : (double)(int64_t)random_integer() / 7;
}

/* Of few different letters, so that many are equal or nearly so. */
static void random_string(char *to, unsigned most)
{
	unsigned length = pick(most + 1);

	for (unsigned i = 0; i < length; i++)
		to[i] = "ab*b"[pick(4)];
	to[length] = '\0';
}

struct record {
	struct filter_values values;
	char name[10], tseq[10], other[10];
	uint8_t packed[512];
	size_t size;
};

static void random_record(struct record *record)
{
	struct filter_values *v = &record->values;

	memset(record, 0, sizeof(*record));
	v->i8 = (int8_t)random_integer();
	v->u8 = (uint8_t)random_integer();
	v->i16 = (int16_t)random_integer();
	v->u16 = (uint16_t)random_integer();
	v->i32 = (int32_t)random_integer();
	v->u32 = (uint32_t)random_integer();
	v->i64 = (int64_t)random_integer();
	v->u64 = random_integer();
	v->n16 = (uint16_t)random_integer();
	v->n32 = (int32_t)random_integer();
	v->n64 = random_integer();
	v->f32 = (float)(int16_t)random_integer() / 4;
	v->f64 = random_double();
	v->nf64 = random_double();
	v->color = (uint8_t)pick(9);
	v->state = (int32_t)random_integer();
	v->wide = random_integer();
	for (unsigned i = 0; i < 4; i++)
		v->arr[i] = (int16_t)random_integer();
	random_string(record->name, 8);
	memcpy(v->text, record->name, strlen(record->name));
	random_string(record->name, 8);
	random_string(record->tseq, 8);
	random_string(record->other, 8);
	v->name = record->name;
	v->tseq = record->tseq;
	v->other = record->other;
	v->nr_seq = pick(FILTER_RECORD_SEQUENCE_MAX + 1);
	for (unsigned i = 0; i < v->nr_seq; i++)
		v->seq[i] = (int32_t)random_integer();
	v->nr_nseq = pick(FILTER_RECORD_SEQUENCE_MAX + 1);
	for (unsigned i = 0; i < v->nr_nseq; i++)
		v->nseq[i] = (uint16_t)random_integer();
	v->tail = (int32_t)random_integer();
	v->last = random_integer();
	record->size = filter_pack(v, record->packed, sizeof(record->packed));
}

/* ---- expressions ----------------------------------------------------------- */

static char text[TEXT_SIZE];
static size_t length;
static bool doubles; /* then each operand stands in parentheses, for '%' has none */

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
	va_list arguments;
	int more;

	va_start(arguments, format);
	more = vsnprintf(text + length, sizeof(text) - length, format, arguments);
	va_end(arguments);
	length += (size_t)more;
	if (length >= sizeof(text))
		length = sizeof(text) - 1;
}

static void say_truth(unsigned depth);

static void say_integer_leaf(void)
{
	static const char *const fields[] = { "i8",        "u8",          "i16",           "u16",
					      "i32",       "u32",         "i64",           "u64",
					      "n16",       "n32",         "n64",           "tail",
					      "last",      "color",       "state",         "wide",
					      "$ctx.vpid", "$ctx.cpu_id", "$ctx.perf:none" };
	static const char *const arrays[] = { "arr", "seq", "nseq" };

	switch (pick(8)) {
	case 0:
		say("%" PRIu64, random_integer());
		break;
	case 1:
		say("%s[%u]", PICK(arrays), pick(4));
		break;
	case 2:
		say("%u", pick(6));
		break;
	default:
		say("%s", PICK(fields));
	}
}

static void say_integer(unsigned depth)
{
	static const char *const operators[] = {
		"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"
	};
	bool in_parentheses = doubles || pick(2);

	if (depth == 0 || pick(3) == 0) {
		say_integer_leaf();
		return;
	}
	if (pick(6) == 0) {
		say("%s", pick(2) ? "- " : "~");
		say_integer(depth - 1);
		return;
	}
	if (in_parentheses)
		say("(");
	if (pick(10) == 0)
		say_truth(depth - 1);
	else
		say_integer(depth - 1);
	say(" %s ", PICK(operators));
	say_integer(depth - 1);
	if (in_parentheses)
		say(")");
}

static void say_double(unsigned depth)
{
	static const char *const operators[] = { "+", "-", "*", "/" };
	static const char *const leaves[] = { "f32",   "f64",        "nf64", "0.5",
					      "1e300", "$ctx.ratio", "0.0",  "3." };

	if (depth == 0 || pick(3) == 0) {
		say("%s", PICK(leaves));
		return;
	}
	say("(");
	if (pick(3) == 0)
		say_integer(depth - 1);
	else
		say_double(depth - 1);
	say(" %s ", PICK(operators));
	say_double(depth - 1);
	say(")");
}

static void say_string_comparison(void)
{
	static const char *const fields[] = { "text",  "name",          "tseq",
					      "other", "$ctx.procname", "$ctx.nostring" };
	static const char *const operators[] = { "==", "!=", "<", "<=", ">", ">=" };
	bool is_order = pick(4) == 0;
	char string[10];

	say("%s %s ", PICK(fields), is_order ? PICK(operators) : pick(2) ? "==" : "!=");
	if (pick(4) == 0) {
		say("%s", PICK(fields));
		return;
	}
	random_string(string, 6);
	say("\"");
	for (char *c = string; *c; c++)
		say(is_order && *c == '*' ? "\\*" : "%c", *c);
	say("\"");
}

static void say_label(void)
{
	static const char *const tests[] = { "color == \"RED\"",   "color != \"*E*\"",
					     "\"GREEN\" == color", "state == \"BAD\"",
					     "state != \"OK\"",    "wide == \"*\"" };

	say("%s", PICK(tests));
}

static void say_comparison(unsigned depth)
{
	static const char *const operators[] = { "==", "!=", "<", "<=", ">", ">=" };
	unsigned sort = pick(8);

	if (sort == 0) {
		say_string_comparison();
	} else if (sort == 1) {
		say_label();
	} else if (sort == 2 && doubles) {
		say_double(depth);
		say(" %s ", PICK(operators));
		say_double(depth);
	} else {
		say_integer(depth);
		say(" %s ", PICK(operators));
		say_integer(depth);
	}
}

static void say_truth(unsigned depth)
{
	bool in_parentheses = doubles || pick(2);

	if (pick(5) == 0)
		say("!");
	else if (!in_parentheses && (depth == 0 || pick(3) == 0)) {
		say_comparison(depth);
		return;
	}
	say("(");
	if (depth == 0 || pick(3) == 0) {
		say_comparison(depth);
	} else {
		say_truth(depth - 1);
		say(" %s ", pick(2) ? "&&" : "||");
		say_truth(depth - 1);
	}
	say(")");
}

/* ---- tests -------------------------------------------------------------------- */

static struct record records[RECORDS];
static unsigned compiled, recorded, wrong;

static void check_one(void)
{
	struct filter_expression *expression;
	struct filter_program *program;
	struct filter_error error;
	int status = filter_expression_parse(text, &expression, &error);

	if (status == 0) {
		status = filter_compile(expression, &filter_class, &filter_known_contexts, &program,
					&error);
		filter_expression_destroy(expression);
	}
	if (status < 0)
		return;
	compiled++;
	wrong += !filter_check(program->bytes, program->size);
	for (unsigned i = 0; i < RECORDS; i++) {
		bool got = filter_run_checked(program->bytes, program->size, records[i].packed,
					      records[i].size, &filter_test_contexts);

		recorded += got;
		if (got == filter_oracle(text, &records[i].values))
			continue;
		if (wrong++ < 10)
			diag("record %u, machine %u: %s", i, got, text);
	}
	filter_program_destroy(program);
}

static void check_random(void)
{
	for (unsigned i = 0; i < EXPRESSIONS; i++) {
		if (i % 10 == 0) {
			for (unsigned j = 0; j < RECORDS; j++)
				random_record(&records[j]);
		}
		length = 0;
		doubles = pick(2);
		say_truth(pick(4));
		if (length < sizeof(text) - 1)
			check_one();
	}
	ok(wrong == 0, "%u random expressions on %u records each say what the oracle says",
	   compiled, RECORDS);
	ok(compiled > EXPRESSIONS / 2 && recorded > compiled && recorded < 5 * compiled,
	   "most are filters, %u of %u record", recorded, compiled * RECORDS);
}

/* A record cut anywhere: true only if nothing of what it says was cut off. */
static void check_truncated(void)
{
	static const char *const filters[] = {
		"last == 42 || 1",        "seq[0] == 10 || 1",    "nseq[1] == 2 || 1",
		"other == \"main\" || 1", "tseq == \"*lo\" || 1", "name == text || 1",
		"arr[3] == -4 || 1",      "n64 == 5 || 1",        "f32 > 0 || 1",
	};
	/* Up to the end of what the filter looks at; of unequal strings, no more than differs. */
	static const size_t needed[] = { 148, 106, 135, 140, 127, 94, 85, 44, 48 };
	size_t page = 4096;
	uint8_t *area =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t packed[512];
	size_t size = filter_pack(&filter_records[0], packed, sizeof(packed));

	if (area == MAP_FAILED || mprotect(area + page, page, PROT_NONE) < 0)
		bail_out("no memory");
	for (unsigned i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		struct filter_expression *expression;
		struct filter_program *program;
		struct filter_error error;
		size_t least = SIZE_MAX;

		if (filter_expression_parse(filters[i], &expression, &error) < 0 ||
		    filter_compile(expression, &filter_class, NULL, &program, &error) < 0)
			bail_out("%s: %s", filters[i], error.message);
		for (size_t cut = 0; cut <= size; cut++) {
			uint8_t *fields = memcpy(area + page - cut, packed, cut);

			if (filter_run_checked(program->bytes, program->size, fields, cut, NULL)) {
				if (least == SIZE_MAX)
					least = cut;
			} else if (least != SIZE_MAX) {
				least = SIZE_MAX - 1;
			}
		}
		is(least, needed[i], filters[i]);
		filter_program_destroy(program);
		filter_expression_destroy(expression);
	}
	munmap(area, 2 * page);
}

int main(void)
{
	check_random();
	check_truncated();
	return done_testing();
}
