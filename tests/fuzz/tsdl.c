/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tsdl.c - any bytes as a metadata text, then as a packet's records: what is understood gives
 * the same answer when it is parsed again. The bounds of the text are measured, too. The input is
 * a message that is the text, then a packet's body.
 */
#include <errno.h>
#include <string.h>

#include <lttngmap/abi.h>

#include "cli/view/metadata-bounds.h"
#include "common/record/record-layout.h"
#include "tests/fuzz/fuzz.h"

/* The text and the body have just these bytes: a sanitizer sees what reads on. */
static char *copy(const uint8_t *bytes, size_t size)
{
	char *copy = malloc(size ? size : 1);

	FUZZ_CHECK(copy);
	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record_layout *layout = record_layout_create();
	struct record_fault fault, again;
	struct fuzz_input input = { data, size };
	struct record_trace trace = { .is_ours = false };
	uint64_t line;
	size_t text_size;
	const uint8_t *bytes = fuzz_take_message(&input, &text_size);
	char *text = copy(bytes, text_size), *body = copy(input.data, input.size);
	struct record_span span = { body, input.size, 0, LTTNGMAP_TIMESTAMP_MASK >> 1,
				    RECORD_COUNT_UNKNOWN };
	char said[RECORD_FAULT_TEXT_SIZE];
	int error;

	FUZZ_CHECK(layout);
	error = record_layout_parse(layout, text, text_size, &trace);
	FUZZ_CHECK(error == 0 || error == -ENOTSUP);
	FUZZ_CHECK(error || trace.frequency > 0);
	metadata_bounds_check(text, text_size, &line);
	FUZZ_CHECK(line >= 1 && line <= text_size + 1);
	for (uint32_t stream_id = 0; stream_id < 3; stream_id++) {
		bool sound = record_layout_check(layout, stream_id, &span, &fault);

		FUZZ_CHECK(sound || (fault.wrong != RECORD_SOUND && fault.offset <= span.length));
		FUZZ_CHECK(sound || strlen(record_fault_text(&fault, said)) > 0);
		if (error)
			continue;
		FUZZ_CHECK(record_layout_parse(layout, text, text_size, &trace) == 0);
		FUZZ_CHECK(record_layout_check(layout, stream_id, &span, &again) == sound);
		FUZZ_CHECK(sound || (again.wrong == fault.wrong && again.id == fault.id &&
				     again.offset == fault.offset));
	}
	record_layout_destroy(layout);
	free(text);
	free(body);
	return 0;
}
