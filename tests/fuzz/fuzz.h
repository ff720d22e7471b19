/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * fuzz.h - what the fuzz targets have in common. A target is a program with
 * LLVMFuzzerTestOneInput(): linked with libFuzzer it looks for inputs that
 * make it abort, linked with replay.c it runs the inputs of files.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise was broken: that is a finding. */
#define FUZZ_CHECK(condition)                                                                      \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__,           \
				#condition);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* What of an input is not taken yet. */
struct fuzz_input {
	const uint8_t *data;
	size_t size;
};

/* The next bytes, `size` or as many as are left; *size says how many. */
const uint8_t *fuzz_take(struct fuzz_input *input, size_t *size);
/* Zeros behind the end. */
uint8_t fuzz_take_byte(struct fuzz_input *input);
/* A message: two bytes of length, little end first, then as many bytes or what is left. */
const uint8_t *fuzz_take_message(struct fuzz_input *input, size_t *size);

/*
 * A directory of this program's own, made at the first call, in which the
 * target leaves nothing; removed at the program's end.
 */
const char *fuzz_directory(void);
/* Remove all that is in it. */
void fuzz_directory_clear(void);

#endif /* TESTS_FUZZ_H */
