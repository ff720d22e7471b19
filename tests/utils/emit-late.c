/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * emit-late COUNTS NUMBER GO: the numbered events before NUMBER, then "ready"; when there is a file
 * GO, event NUMBER.
 */
#include <stdlib.h>
#include <unistd.h>

#include "tests/utils/numbered-emit.h"

int main(int argc, char **argv)
{
	struct numbered_counts *counts;
	uint64_t number = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
	uint32_t source;

	if (number == 0) {
		fprintf(stderr, "usage: emit-late COUNTS NUMBER GO\n");
		return 2;
	}
	counts = numbered_open(argv[1]);
	source = numbered_source(counts);
	numbered_emit_many(counts, source, number);
	puts("ready");
	fflush(stdout);
	while (access(argv[3], F_OK) != 0)
		usleep(1000);
	numbered_emit_many(counts, source, 1);
	return 0;
}
