/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control.c - any messages at the control socket, a line each, which is to be
 * one JSON object. Lines that begin with '!' are another client's, without
 * the '!'; either may become the consumer.
 */
#include <string.h>
#include <unistd.h>

#include "common/protocol/protocol-control.h"
#include "tests/fuzz/fuzz-daemon.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char hello[] = "{\"verb\": \"hello\", \"version\": 1}";
	const char *at = (const char *)data, *end = at + size;
	int clients[2];

	fuzz_daemon_begin();
	clients[0] = fuzz_daemon_connect(PROTOCOL_CONTROL_SOCKET);
	clients[1] = fuzz_daemon_connect(PROTOCOL_CONTROL_SOCKET);
	fuzz_daemon_tell(clients[0], hello, strlen(hello));
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline ? newline : end) - at);

		if (length > 0 && *at == '!')
			fuzz_daemon_tell(clients[1], at + 1, length - 1);
		else
			fuzz_daemon_tell(clients[0], at, length);
		at += length + 1;
	}
	close(clients[0]);
	close(clients[1]);
	fuzz_daemon_end();
	return 0;
}
