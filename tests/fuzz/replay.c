/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * replay.c - run a fuzz target on inputs that are there: files, or all files
 * of directories. In place of libFuzzer, so that any compiler does.
 */
#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

static unsigned runs;

static void replay_file(const char *path)
{
	FILE *file = fopen(path, "r");
	uint8_t *bytes = NULL;
	long size;

	if (!file || fseek(file, 0, SEEK_END) < 0 || (size = ftell(file)) < 0) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	rewind(file);
	/* As large as the input, so that what is read behind it is found. */
	bytes = malloc(size ? (size_t)size : 1);
	if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	fclose(file);
	/* The last one that is named is the one that ended the program. */
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(bytes, (size_t)size);
	free(bytes);
	runs++;
}

static void replay(const char *path)
{
	struct dirent **entries;
	struct stat status;
	char inside[PATH_MAX];
	int count;

	if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode)) {
		replay_file(path);
		return;
	}
	count = scandir(path, &entries, NULL, alphasort);
	if (count < 0) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.') {
			snprintf(inside, sizeof(inside), "%s/%s", path, entries[i]->d_name);
			replay_file(inside);
		}
		free(entries[i]);
	}
	free(entries);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	if (runs == 0) {
		fprintf(stderr, "usage: %s FILE|DIRECTORY...\n", argv[0]);
		return EXIT_FAILURE;
	}
	printf("%u inputs\n", runs);
	return EXIT_SUCCESS;
}
