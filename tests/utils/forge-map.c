/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * forge-map [texts]: a traced program that counts an event of numbered:event in a map, then fills
 * all memory that it may read and write of the daemon's with nonsense; or with entries that can be,
 * of texts that cannot.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/utils/numbered-emit.h"

int main(int argc, char **argv)
{
	(void)argv;
	FILE *maps;
	unsigned filled = 0;
	char line[512];

	lttngmap_tracepoint(numbered, event, 0, 0, "", NULL, 0);
	maps = fopen("/proc/self/maps", "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		uintptr_t begin, end;
		char mode[5];

		if (sscanf(line, "%lx-%lx %4s", &begin, &end, mode) != 3 ||
		    strcmp(mode, "rw-s") != 0 || !strstr(line, "memfd:"))
			continue;
		memset((void *)begin, 0xee, end - begin);
		for (uintptr_t at = begin; argc > 1 && at < end; at += 32)
			memcpy((void *)at, (uint64_t[]){ 0xff03, 1, at, ~at | 1 }, 32);
		filled++;
	}
	printf("%u maps\n", filled);
	return filled == 0;
}
