/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-file.c - any bytes as a file of saved sessions (`load`). What is
 * refused says why; what is taken can be written and is taken again.
 */
#include "cli/client/session-file.h"

#include <string.h>

#include "tests/fuzz/fuzz.h"

static void write_and_read_again(struct json_object *file)
{
	char why[SESSION_FILE_WHY_SIZE];
	struct json_object *again;
	const char *text;
	size_t size;

	text = json_object_to_json_string_length(file, JSON_C_TO_STRING_PLAIN, &size);
	FUZZ_CHECK(text);
	FUZZ_CHECK(session_file_parse(text, size, &again, why) == 0);
	FUZZ_CHECK(json_object_equal(file, again));
	json_object_put(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char why[SESSION_FILE_WHY_SIZE] = "";
	struct json_object *file, *sessions, *made;
	char *text = malloc(size + 1);

	/* As read_file() of cmd-load.c has it: with a NUL behind. */
	memcpy(text, data, size);
	text[size] = '\0';
	if (session_file_parse(text, size, &file, why) == 0) {
		write_and_read_again(file);
		FUZZ_CHECK(json_object_object_get_ex(file, "sessions", &sessions));
		made = session_file_make(sessions);
		FUZZ_CHECK(made);
		json_object_put(made);
		json_object_put(file);
	} else {
		FUZZ_CHECK(why[0] && memchr(why, '\0', sizeof(why)));
	}
	free(text);
	return 0;
}
