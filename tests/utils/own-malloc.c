/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * own-malloc.c - a program that defines malloc itself (see other-malloc.c) and
 * uses all that gives and takes blocks, its own and the C library's.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern unsigned long other_malloc_blocks;

int main(void)
{
	char *line = NULL, *copy, *page;
	void *aligned = NULL;
	FILE *stream;
	size_t size;

	stream = open_memstream(&line, &size);
	if (!stream)
		return 1;
	fprintf(stream, "a line of %d", 4711);
	fclose(stream);
	copy = strdup(line);
	copy = reallocarray(copy, 100, 100);
	page = valloc(100);
	if (!copy || !page || posix_memalign(&aligned, 64, 100) || strcmp(copy, line))
		return 1;
	free(aligned);
	free(line);
	free(copy);
	printf("%s\n", other_malloc_blocks >= 4 ? "own malloc" : "not my own malloc");
	return 0;
}
