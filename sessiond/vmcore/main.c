/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * main.c - lttngmap-vmcore DUMP DIRECTORY: rings that the kernel module had, from a dump of the
 * kernel's memory, as lttngmap-sessiond --recover reads them. `lttngmap recover --vmcore` runs it.
 *
 * A program of its own, so that no daemon has the library that reads dumps.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/log.h"
#include "sessiond/vmcore/extract.h"

static void tell(const char *path, const struct extract_counts *counts)
{
	if (counts->pages.absent)
		log_warning("%s: %llu pages of rings are not in it: let makedumpfile leave out no "
			    "more than zero pages and free ones (-d 17)",
			    path, (unsigned long long)counts->pages.absent);
	if (counts->pages.swapped)
		log_warning("%s: %llu pages of rings were swapped out", path,
			    (unsigned long long)counts->pages.swapped);
	if (counts->lost_sets)
		log_warning(
			"%s: rings of %llu processes cannot be used: no saved state of a session "
			"daemon names them",
			path, (unsigned long long)counts->lost_sets);
}

int main(int argc, char **argv)
{
	struct extract_counts counts;
	char why[DUMP_WHY_SIZE];
	struct dump *dump;
	int dir, error;

	if (argc != 3) {
		fprintf(stderr, "usage: lttngmap-vmcore DUMP DIRECTORY\n");
		return 2;
	}
	log_init("lttngmap: recover");
	dir = open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0) {
		log_error("%s: %s", argv[2], strerror(errno));
		return EXIT_FAILURE;
	}
	error = dump_open(argv[1], &dump, why);
	if (error) {
		log_error("%s: %s", argv[1], why);
	} else {
		error = extract_all(dump, dir, &counts);
		if (error == 0)
			tell(argv[1], &counts);
	}
	dump_close(dump);
	close(dir);
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
