/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-compile.c - any bytes as a filter expression. What is compiled has to
 * be a program that the machine takes, an error has to point into the text.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/utils/filter-check.h"
#include "tests/utils/filter-record.h"

static void run(const struct filter_program *program)
{
	uint8_t packed[512];

	if (!filter_check(program->bytes, program->size))
		abort();
	for (unsigned i = 0; i < FILTER_RECORDS; i++) {
		size_t size = filter_pack(&filter_records[i], packed, sizeof(packed));
		uint8_t *fields = malloc(size);

		memcpy(fields, packed, size);
		(void)filter_run_checked(program->bytes, program->size, fields, size,
					 &filter_test_contexts);
		free(fields);
	}
}

static void check_error(const struct filter_error *error, const char *text)
{
	if (!error->message[0] || error->column == 0 || error->length == 0 ||
	    error->column > strlen(text) + 1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct filter_expression *expression;
	struct filter_program *program;
	struct filter_error error;
	char *text = malloc(size + 1);
	int status;

	memcpy(text, data, size);
	text[size] = '\0';
	status = filter_expression_parse(text, &expression, &error);
	if (status == 0) {
		status = filter_compile(expression, &filter_class, &filter_known_contexts, &program,
					&error);
		filter_expression_destroy(expression);
		if (status == 0) {
			run(program);
			filter_program_destroy(program);
		}
	}
	if (status < 0)
		check_error(&error, text);
	free(text);
	return 0;
}
