/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* text-output.h - buffered text to a file, a pipe or a pager. One thread. */
#ifndef CLI_BASE_TEXT_OUTPUT_H
#define CLI_BASE_TEXT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct text_output {
	int fd;
	int error; /* errno of the first failed write; later output is dropped */
	pid_t pager;
	size_t used;
	char data[1 << 16];
};

/* Writes to stdout, or to a pager if stdout is a terminal. */
void text_output_open(struct text_output *output);
/* Writes to `fd`, which the caller closes. */
void text_output_open_file(struct text_output *output, int fd);
/* Flushes, then waits for the pager. 0 or -errno; 0 if the reader closed the pipe. */
int text_output_close(struct text_output *output);
void text_output_flush(struct text_output *output);
void text_output_bytes(struct text_output *output, const char *bytes, size_t length);
void text_output_text(struct text_output *output, const char *text);
void text_output_char(struct text_output *output, char c);
void text_output_unsigned(struct text_output *output, uint64_t value);
void text_output_signed(struct text_output *output, int64_t value);
/* With leading zeros up to `digits`, at most 20. */
void text_output_padded(struct text_output *output, uint64_t value, unsigned digits);
/* In base 2, 8 or 16, with the prefix 0b, 0 or 0x. */
void text_output_base(struct text_output *output, uint64_t value, unsigned base);
/* Escapes a letter as JSON does: \u202e, or two such escapes. */
void text_output_letter(struct text_output *output, uint32_t letter);

/*
 * Bytes of the printable UTF-8 letter at `text`, at most 4. 0: the end, a control character, or
 * invalid UTF-8.
 */
size_t text_letter_length(const char *text);
/* Prints the shortest decimal that is read back as the same number; returns `text`. */
#define TEXT_REAL_SIZE 40
char *text_format_real(double value, bool single, char text[TEXT_REAL_SIZE]);

#endif /* CLI_BASE_TEXT_OUTPUT_H */
