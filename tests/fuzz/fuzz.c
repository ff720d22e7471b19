/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/fuzz/fuzz.h"

#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <unistd.h>

#include "common/base/log.h"

/* Each refusal is told to people, thousands a second here: shown where $FUZZ_LOG is set. */
void log_init(const char *program)
{
	(void)program;
}

void log_set_level(enum log_level level)
{
	(void)level;
}

void log_message(enum log_level level, const char *format, ...)
{
	char text[2048];
	va_list arguments;

	(void)level;
	/* Made in any case: its arguments are part of what is tested. */
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (getenv("FUZZ_LOG"))
		fprintf(stderr, "%s\n", text);
}

const uint8_t *fuzz_take(struct fuzz_input *input, size_t *size)
{
	const uint8_t *bytes = input->data;

	if (*size > input->size)
		*size = input->size;
	input->data += *size;
	input->size -= *size;
	return bytes;
}

uint8_t fuzz_take_byte(struct fuzz_input *input)
{
	size_t size = 1;
	const uint8_t *byte = fuzz_take(input, &size);

	return size ? *byte : 0;
}

const uint8_t *fuzz_take_message(struct fuzz_input *input, size_t *size)
{
	*size = fuzz_take_byte(input);
	*size |= (size_t)fuzz_take_byte(input) << 8;
	return fuzz_take(input, size);
}

static char directory[PATH_MAX];

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	return ftw->level == 0 ? 0 : remove(path);
}

void fuzz_directory_clear(void)
{
	nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_directory(void)
{
	fuzz_directory_clear();
	rmdir(directory);
}

const char *fuzz_directory(void)
{
	if (directory[0])
		return directory;
	snprintf(directory, sizeof(directory), "/tmp/lttngmap-fuzz.XXXXXX");
	FUZZ_CHECK(mkdtemp(directory));
	atexit(remove_directory);
	return directory;
}
