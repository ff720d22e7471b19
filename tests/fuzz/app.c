/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * app.c - any messages at the socket of traced processes, while a session
 * records all events. The input is messages, one after another; an empty one
 * hangs up and connects anew.
 */
#include <string.h>
#include <unistd.h>

#include "common/protocol/protocol-app.h"
#include "common/protocol/protocol-control.h"
#include "tests/fuzz/fuzz-daemon.h"
#include "tests/fuzz/fuzz.h"

static const char *const requests[] = {
	"{\"verb\": \"hello\", \"version\": 1}",
	"{\"verb\": \"create\", \"session\": \"s\", \"output\": \"/nowhere\"}",
	"{\"verb\": \"channel\", \"session\": \"s\", \"channel\": \"c\", \"subbuf_size\": 4096, "
	"\"subbufs\": 4, \"mode\": \"discard\"}",
	"{\"verb\": \"enable\", \"session\": \"s\", \"channel\": \"c\", \"rule\": \"*\"}",
	"{\"verb\": \"enable\", \"session\": \"s\", \"channel\": \"c\", \"rule\": \"*\", "
	"\"filter\": \"value > 3 || text == \\\"a*\\\"\"}",
	"{\"verb\": \"start\", \"session\": \"s\"}",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	int app, control;

	fuzz_daemon_begin();
	control = fuzz_daemon_connect(PROTOCOL_CONTROL_SOCKET);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		fuzz_daemon_tell(control, requests[i], strlen(requests[i]));
	app = fuzz_daemon_connect(PROTOCOL_APP_SOCKET);
	while (input.size > 0) {
		size_t length;
		const uint8_t *message = fuzz_take_message(&input, &length);

		if (length == 0) {
			close(app);
			app = fuzz_daemon_connect(PROTOCOL_APP_SOCKET);
		}
		fuzz_daemon_tell(app, message, length);
	}
	close(app);
	close(control);
	fuzz_daemon_end();
	return 0;
}
