/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay.c - any bytes as what is sent to a collector and comes from it: a message each for
 * an answer, a URL, the metadata that was sent, and that which is to be.
 *
 * What an answer makes us read is bounded; a URL's path does not lead out of its folder; and
 * with what is sent in addition, the collector has all blocks of the new metadata.
 */
#include <errno.h>
#include <string.h>

#include "relay/metadata.h"
#include "relay/protocol.h"
#include "relay/url.h"
#include "tests/fuzz/fuzz.h"

static void check_answers(const uint8_t *data, size_t size)
{
	unsigned char answer[RELAY_SESSION_SIZE] = { 0 };
	uint64_t stream;
	bool pending;
	size_t more;

	memcpy(answer, data, size < sizeof(answer) ? size : sizeof(answer));
	(void)relay_answer_status(answer);
	(void)relay_answer_version(answer);
	(void)relay_answer_stream(answer, &stream);
	(void)relay_answer_pending(answer, &pending);
	if (relay_answer_session(answer, &more) == 0)
		FUZZ_CHECK(more <= RELAY_PATH_MAX);
	if (relay_answer_closed_chunk(answer, &more) == 0)
		FUZZ_CHECK(more <= RELAY_PATH_MAX);
}

static void check_url(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct relay_url url;
	const char *why;

	FUZZ_CHECK(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (relay_url_parse(text, &url, &why) == 0) {
		FUZZ_CHECK(url.host[0] && !strchr(url.host, '/'));
		FUZZ_CHECK(atoi(url.control) > 0 && atoi(url.data) > 0);
		FUZZ_CHECK(url.path[0] != '/' && !strstr(url.path, ".."));
	} else {
		FUZZ_CHECK(why && why[0]);
	}
	free(text);
}

static char *copy(const uint8_t *data, size_t size)
{
	char *text = malloc(size ? size : 1);

	FUZZ_CHECK(text);
	memcpy(text, data, size);
	return text;
}

static void check_metadata(const uint8_t *old, size_t old_size, const uint8_t *new, size_t new_size)
{
	struct relay_metadata sent = { .text = NULL };
	uint8_t uuid[CTF_UUID_SIZE];
	char *more, *text = copy(new, new_size);
	size_t more_size;

	relay_metadata_sent(&sent, copy(old, old_size), old_size);
	if (relay_metadata_compare(&sent, text, new_size, &more, &more_size) == 0) {
		FUZZ_CHECK(more_size <= new_size && !more == !more_size);
		free(more);
		relay_metadata_sent(&sent, text, new_size);
		text = copy(new, new_size);
		FUZZ_CHECK(relay_metadata_compare(&sent, text, new_size, &more, &more_size) == 0);
		FUZZ_CHECK(!more && more_size == 0);
	}
	(void)relay_metadata_uuid(text, new_size, uuid);
	free(text);
	relay_metadata_sent(&sent, NULL, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	const uint8_t *message, *old;
	size_t length, old_length;

	message = fuzz_take_message(&input, &length);
	check_answers(message, length);
	message = fuzz_take_message(&input, &length);
	check_url(message, length);
	old = fuzz_take_message(&input, &old_length);
	message = fuzz_take_message(&input, &length);
	check_metadata(old, old_length, message, length);
	return 0;
}
