/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter.c - what the filter machine takes for an event that it rejects.
 *
 *   filter [SECONDS]     how long for each filter (0.2)
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/utils/filter-record.h"

static const char *const filters[] = {
	"i32 == 6",
	"i32 == 5 && u8 > 5",
	"i32 == 6 && u8 > 3",
	"i32 < 0 || u64 > 100 || i16 == 7",
	"(i32 & 4) == 4 && u32 * 3 - 1 > 1000",
	"f64 > 100.5",
	"text == \"other\"",
	"name == \"other\"",
	"name == \"*other*\"",
	"tail == 8",
	"tail == 8 || last == 43",
	"seq[2] == 31",
	"color == \"GREEN\"",
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* The best of many short rounds: what else runs takes from the others. */
static double measure(const struct filter_program *program, const uint8_t *fields, size_t size,
		      double seconds)
{
	uint64_t end = now() + (uint64_t)(seconds * 1e9), best = UINT64_MAX;
	const unsigned rounds = 10000;

	while (now() < end) {
		uint64_t start = now(), taken;
		unsigned recorded = 0;

		for (unsigned i = 0; i < rounds; i++)
			recorded += filter_run(program->bytes, program->size, fields, size, NULL);
		taken = now() - start;
		if (recorded) {
			fputs("this filter records\n", stderr);
			exit(EXIT_FAILURE);
		}
		if (taken < best)
			best = taken;
	}
	return (double)best / rounds;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0.2;
	uint8_t fields[512];
	size_t size = filter_pack(&filter_records[0], fields, sizeof(fields));

	for (unsigned i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		struct filter_expression *expression;
		struct filter_program *program;
		struct filter_error error;

		if (filter_expression_parse(filters[i], &expression, &error) < 0 ||
		    filter_compile(expression, &filter_class, NULL, &program, &error) < 0) {
			fprintf(stderr, "%s: %s\n", filters[i], error.message);
			return EXIT_FAILURE;
		}
		printf("%6.1f ns  %s\n", measure(program, fields, size, seconds), filters[i]);
		filter_program_destroy(program);
		filter_expression_destroy(expression);
	}
	return EXIT_SUCCESS;
}
