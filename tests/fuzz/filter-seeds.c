/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-seeds.c - what the fuzzers of filters begin with.
 *
 *   filter-seeds EXPRESSIONS COMPILE-DIRECTORY MACHINE-DIRECTORY
 *
 * Each line of EXPRESSIONS becomes a file in the first directory, and its
 * program with a record one in the second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/utils/filter-record.h"

static FILE *create(const char *directory, unsigned number)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/seed-%03u", directory, number);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	return file;
}

static void write_machine(const char *directory, unsigned number, const char *text)
{
	uint8_t fields[255];
	size_t size = filter_pack(&filter_records[number % FILTER_RECORDS], fields, sizeof(fields));
	struct filter_expression *expression;
	struct filter_program *program;
	struct filter_error error;
	FILE *file;

	if (filter_expression_parse(text, &expression, &error) < 0)
		return;
	if (filter_compile(expression, &filter_class, &filter_known_contexts, &program, &error) ==
	    0) {
		file = create(directory, number);
		fputc((int)size, file);
		fwrite(fields, 1, size, file);
		fwrite(program->bytes, 1, program->size, file);
		fclose(file);
		filter_program_destroy(program);
	}
	filter_expression_destroy(expression);
}

int main(int argc, char **argv)
{
	FILE *expressions = argc == 4 ? fopen(argv[1], "r") : NULL;
	char line[FILTER_TEXT_MAX + 2];

	if (!expressions) {
		fputs("usage: filter-seeds EXPRESSIONS COMPILE-DIRECTORY MACHINE-DIRECTORY\n",
		      stderr);
		return EXIT_FAILURE;
	}
	for (unsigned number = 0; fgets(line, sizeof(line), expressions); number++) {
		FILE *file = create(argv[2], number);

		line[strcspn(line, "\n")] = '\0';
		fputs(line, file);
		fclose(file);
		write_machine(argv[3], number, line);
	}
	fclose(expressions);
	return EXIT_SUCCESS;
}
