/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/base/text-output.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts the pager, which reads from the returned descriptor. -1: there is none. */
static int start_pager(struct text_output *output)
{
	const char *pager = getenv("PAGER");
	int fds[2];

	if (!pager || pager[0] == '\0')
		pager = "less -FRX";
	if (strcmp(pager, "cat") == 0 || pipe(fds) < 0)
		return -1;
	output->pager = fork();
	if (output->pager == 0) {
		dup2(fds[0], STDIN_FILENO);
		close(fds[0]);
		close(fds[1]);
		/* Same options as git gives to a pager `less` without options. */
		setenv("LESS", "FRX", 0);
		execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
		_exit(127);
	}
	close(fds[0]);
	if (output->pager < 0) {
		close(fds[1]);
		output->pager = 0;
		return -1;
	}
	/* Leave ^C to the pager. */
	signal(SIGINT, SIG_IGN);
	return fds[1];
}

void text_output_open(struct text_output *output)
{
	int fd = -1;

	/* write() reports a closed reader as EPIPE; the command then ends without a message. */
	signal(SIGPIPE, SIG_IGN);
	if (isatty(STDOUT_FILENO))
		fd = start_pager(output);
	output->fd = fd >= 0 ? fd : STDOUT_FILENO;
}

void text_output_open_file(struct text_output *output, int fd)
{
	signal(SIGPIPE, SIG_IGN);
	output->fd = fd;
}

void text_output_flush(struct text_output *output)
{
	size_t done = 0;

	while (done < output->used && !output->error) {
		ssize_t n = write(output->fd, output->data + done, output->used - done);

		if (n >= 0)
			done += n;
		else if (errno != EINTR)
			output->error = errno;
	}
	output->used = 0;
}

int text_output_close(struct text_output *output)
{
	text_output_flush(output);
	if (output->pager > 0) {
		close(output->fd);
		while (waitpid(output->pager, NULL, 0) < 0 && errno == EINTR)
			continue;
		output->pager = 0;
	}
	return output->error == EPIPE ? 0 : -output->error;
}

void text_output_bytes(struct text_output *output, const char *bytes, size_t length)
{
	while (length > 0) {
		size_t room = sizeof(output->data) - output->used;
		size_t n = length < room ? length : room;

		memcpy(output->data + output->used, bytes, n);
		output->used += n;
		bytes += n;
		length -= n;
		if (output->used == sizeof(output->data))
			text_output_flush(output);
	}
}

void text_output_text(struct text_output *output, const char *text)
{
	text_output_bytes(output, text, strlen(text));
}

void text_output_char(struct text_output *output, char c)
{
	if (output->used == sizeof(output->data))
		text_output_flush(output);
	output->data[output->used++] = c;
}

void text_output_letter(struct text_output *output, uint32_t letter)
{
	char text[16];

	if (letter < 0x10000)
		snprintf(text, sizeof(text), "\\u%04x", (unsigned)letter);
	else
		snprintf(text, sizeof(text), "\\u%04x\\u%04x", 0xd7c0 + (unsigned)(letter >> 10),
			 0xdc00 + (unsigned)(letter & 0x3ff));
	text_output_text(output, text);
}

void text_output_padded(struct text_output *output, uint64_t value, unsigned digits)
{
	char text[20];
	size_t at = sizeof(text);

	do {
		text[--at] = '0' + value % 10;
		value /= 10;
	} while (value);
	while (at > 0 && sizeof(text) - at < digits)
		text[--at] = '0';
	text_output_bytes(output, text + at, sizeof(text) - at);
}

void text_output_unsigned(struct text_output *output, uint64_t value)
{
	text_output_padded(output, value, 1);
}

void text_output_signed(struct text_output *output, int64_t value)
{
	if (value < 0)
		text_output_char(output, '-');
	text_output_padded(output, value < 0 ? -(uint64_t)value : (uint64_t)value, 1);
}

void text_output_base(struct text_output *output, uint64_t value, unsigned base)
{
	unsigned shift = base == 16 ? 4 : base == 8 ? 3 : 1;
	char text[64];
	size_t at = sizeof(text);

	do {
		text[--at] = "0123456789abcdef"[value & (base - 1)];
		value >>= shift;
	} while (value);
	text_output_text(output, base == 16 ? "0x" : base == 8 ? "0" : "0b");
	text_output_bytes(output, text + at, sizeof(text) - at);
}

size_t text_letter_length(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	uint32_t letter, least;
	size_t length;

	if (c[0] < 0x80)
		return c[0] >= 0x20 && c[0] != 0x7f;
	if (c[0] >= 0xc2 && c[0] <= 0xdf) {
		length = 2;
		letter = c[0] & 0x1f;
		least = 0xa0; /* below are the C1 controls */
	} else if (c[0] >= 0xe0 && c[0] <= 0xef) {
		length = 3;
		letter = c[0] & 0x0f;
		least = 0x800;
	} else if (c[0] >= 0xf0 && c[0] <= 0xf4) {
		length = 4;
		letter = c[0] & 0x07;
		least = 0x10000;
	} else {
		return 0;
	}
	/* The NUL at the end is no continuation byte, so the loop stops there. */
	for (size_t i = 1; i < length; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
		letter = letter << 6 | (c[i] & 0x3f);
	}
	if (letter < least || letter > 0x10ffff || (letter >= 0xd800 && letter <= 0xdfff))
		return 0;
	return length;
}

char *text_format_real(double value, bool single, char text[TEXT_REAL_SIZE])
{
	snprintf(text, TEXT_REAL_SIZE, single ? "%.6g" : "%.15g", value);
	if (single ? strtof(text, NULL) != (float)value : strtod(text, NULL) != value)
		snprintf(text, TEXT_REAL_SIZE, single ? "%.9g" : "%.17g", value);
	return text;
}
