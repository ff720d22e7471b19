/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control - talk to a session daemon from a script:
 *
 *   control RUNTIME-DIR [MESSAGE]...
 *
 * Says hello, then sends each message as it stands and prints each answer on
 * a line. A message of "-" takes lines from standard input, one at a time. A
 * message that begins with '!' is sent without a hello before it.
 * The status is 0 if every answer was {"ok": true}, 1 if not, 2 if the daemon
 * could not be talked to.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <json-c/json.h>

#include "common/base/json-message.h"
#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"

#define ANSWER_MS 60000

static int fd;
static bool greeted;
static bool all_ok = true;

static void fail(const char *what, int error)
{
	fprintf(stderr, "control: %s: %s\n", what, strerror(-error));
	exit(2);
}

static void exchange(const char *message, bool show)
{
	struct json_object *answer;
	bool ok = false;
	int error = socket_send(fd, message, strlen(message), NULL, 0);

	if (error)
		fail("cannot send", error);
	error = json_message_receive(fd, &answer, NULL, ANSWER_MS);
	if (error)
		fail("no answer", error);
	if (json_message_get_bool(answer, "ok", &ok) != 0 || !ok)
		all_ok = false;
	if (show) {
		puts(json_object_to_json_string_ext(answer, JSON_C_TO_STRING_SPACED));
		fflush(stdout);
	}
	json_object_put(answer);
}

static void serve(const char *message)
{
	if (message[0] == '!') {
		message++;
	} else if (!greeted) {
		exchange("{\"verb\": \"hello\", \"version\": 1}", false);
		greeted = true;
	}
	exchange(message, true);
}

int main(int argc, char **argv)
{
	static char line[PROTOCOL_CONTROL_MESSAGE_MAX];
	char path[PATH_MAX];
	int error;

	if (argc < 2) {
		fprintf(stderr, "usage: control RUNTIME-DIR [MESSAGE|-]...\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/%s", argv[1], PROTOCOL_CONTROL_SOCKET);
	error = socket_connect(path, SOCK_SEQPACKET, &fd);
	if (error)
		fail(path, error);
	/* Who listens may not serve yet: the socket is there before the daemon is. */
	if (argc == 2)
		exchange("{\"verb\": \"hello\", \"version\": 1}", false);
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "-") != 0) {
			serve(argv[i]);
			continue;
		}
		while (fgets(line, sizeof(line), stdin)) {
			line[strcspn(line, "\n")] = '\0';
			if (line[0])
				serve(line);
		}
	}
	close(fd);
	return all_ok ? 0 : 1;
}
