/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Processes and event classes with names that no file should have.
 *
 *   misnamed programs RANDOM MARK   processes by the names below, by RANDOM
 *                                   random ones, and by paths that end in MARK;
 *                                   each emits EVENTS events
 *   misnamed classes SOCKET RANDOM  registers classes with such names for all
 *                                   that has a name in them; each message is a
 *                                   process's
 *
 * Prints what became of them. Status 0: all were emitted, or answered.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lttngmap/abi.h>
#include <lttngmap/tracepoint.h>

#include "common/base/socket.h"
#include "tests/utils/class-wire.h"

#define EVENTS 3
#define ANSWER_MS 10000

LTTNGMAP_TRACEPOINT(misnamed, event, LTTNGMAP_LOGLEVEL_INFO, (integer, int, number),
		    (string, text));

struct name {
	const char *bytes;
	size_t size;
};

#define NAME(text)                                                                                 \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}

static const struct name names[] = {
	NAME(""),
	NAME("."),
	NAME(".."),
	NAME("../x"),
	NAME("../../../../etc"),
	NAME("/"),
	NAME("/etc/passwd"),
	NAME("./a/b"),
	NAME(".hidden"),
	NAME("metadata"),
	NAME("index"),
	NAME("stats"),
	NAME("a\nb"),
	NAME("\n"),
	NAME("a\0b"),
	NAME("\033[31m\007"),
	NAME("\xff\xfe\xfd"),
	NAME("\xc3("),
	NAME("\xed\xa0\x80"),
	NAME("\xf4\x90\x80\x80"),
	NAME("\xe2\x80\xae\xc2\x9b"),
	NAME("a\"b\\"),
	NAME("*/ };\n/*"),
	NAME("$(touch x)`id`"),
	NAME("%s%n%n"),
	NAME("-rf"),
	NAME("a-1-1"),
	NAME("-0-0"),
	NAME("a b;c|d&e"),
};
#define NR_NAMES (sizeof(names) / sizeof(names[0]))

static void random_bytes(void *bytes, size_t size)
{
	if (getrandom(bytes, size, 0) != (ssize_t)size)
		exit(3);
}

/* Waits for it. Did it end with 0? */
static bool ended_well(pid_t child)
{
	int status;

	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* ---- programs ------------------------------------------------------------------ */

/* One whose name is 4 KiB long: the header's macros would not compile it. */
static char long_name[4097];
static const uint64_t off;
static const struct lttngmap_event_class long_class = {
	.struct_size = sizeof(long_class),
	.loglevel = LTTNGMAP_LOGLEVEL_INFO,
	.provider = "misnamed",
	.name = long_name,
};
static struct lttngmap_tracepoint long_tracepoint = { .word = &off, .event_class = &long_class };
static struct lttngmap_tracepoint *const long_tracepoints[] = { &long_tracepoint };
static struct lttngmap_module long_module = {
	.struct_size = sizeof(long_module),
	.begin = long_tracepoints,
	.end = long_tracepoints + 1,
	.off = &off,
};

static bool run_program(const struct name *name)
{
	char procname[17] = { 0 };
	pid_t child;

	memcpy(procname, name->bytes, name->size < 16 ? name->size : 16);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_NAME, procname);
		for (int i = 0; i < EVENTS; i++)
			lttngmap_tracepoint(misnamed, event, i, procname);
		/* Not registered: off. */
		if (*long_tracepoint.word)
			_exit(4);
		_exit(0);
	}
	return ended_well(child);
}

static int run_programs(int random, const char *mark)
{
	int programs = 0, bad = 0;
	char bytes[16], path[64];

	memset(long_name, 'n', sizeof(long_name) - 1);
	lttngmap_module_register(&long_module);
	for (size_t i = 0; i < NR_NAMES; i++, programs++)
		bad += !run_program(&names[i]);
	for (int i = 0; i < random; i++, programs++) {
		random_bytes(bytes, sizeof(bytes));
		bad += !run_program(&(struct name){ bytes, sizeof(bytes) });
	}
	for (size_t up = 0; up <= 4; up++, programs++) {
		snprintf(path, sizeof(path), "%.*s%s", (int)(3 * up), "../../../../", mark);
		bad += !run_program(&(struct name){ path, strlen(path) });
	}
	printf("programs %d\nevents %d\nbad %d\n", programs, programs * EVENTS, bad);
	return bad != 0;
}

/* ---- classes ------------------------------------------------------------------- */

static struct {
	int messages, accepted, off, refused, closed, silent;
} answers;

static void put_named(struct class_wire *wire, const void *head, size_t head_size,
		      const struct name *name)
{
	class_wire_bytes(wire, head, head_size);
	class_wire_bytes(wire, name->bytes, name->size & 0xff);
}

/* One class with an enumeration; `role` says what of it has the name. */
static void make_class(struct class_wire *wire, unsigned role, const struct name *name)
{
	static const struct name good[] = { NAME("misnamed"), NAME("class"), NAME("field"),
					    NAME("kinds"), NAME("label") };
	const struct name *used[] = { &good[0], &good[1], &good[2], &good[3], &good[4] };
	struct protocol_app_class class = { .nr_fields = 1, .loglevel = 6 };
	struct protocol_app_field field = {
		.kind = LTTNGMAP_FIELD_ENUM, .size = 4, .base = 10, .nr_values = 1
	};
	struct protocol_app_enum_value value = { .first = 0, .last = 1 };

	used[role] = name;
	class.provider_length = (uint8_t)used[0]->size;
	class.name_length = (uint8_t)used[1]->size;
	field.name_length = (uint8_t)used[2]->size;
	field.enum_name_length = (uint8_t)used[3]->size;
	value.label_length = (uint8_t)used[4]->size;
	put_named(wire, &class, sizeof(class), used[0]);
	put_named(wire, "", 0, used[1]);
	put_named(wire, &field, sizeof(field), used[2]);
	put_named(wire, "", 0, used[3]);
	put_named(wire, &value, sizeof(value), used[4]);
	wire->nr_classes++;
}

static void take_answer(int fd)
{
	static union {
		struct protocol_app_registered registered;
		struct protocol_app_header header;
		char bytes[PROTOCOL_APP_MESSAGE_MAX];
	} answer;
	int fds[PROTOCOL_APP_FD_RINGS + PROTOCOL_APP_SLOTS_MAX];
	size_t nr_fds = sizeof(fds) / sizeof(fds[0]);
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	ssize_t size;

	if (poll(&wait, 1, ANSWER_MS) != 1) {
		answers.silent++;
		return;
	}
	size = socket_receive(fd, answer.bytes, sizeof(answer.bytes), 0, fds, &nr_fds);
	if (size <= 0) {
		answers.closed++;
		return;
	}
	while (nr_fds > 0)
		close(fds[--nr_fds]);
	if (answer.header.type != PROTOCOL_APP_REGISTERED)
		answers.refused++;
	else if (answer.registered.nr_ids == 1 && answer.registered.ids[0] != PROTOCOL_APP_NO_ID)
		answers.accepted++;
	else
		answers.off++;
}

/* It is registered in place of what this process was before, as after an exec. */
static void send_class(const char *path, unsigned role, const struct name *name, size_t junk)
{
	static char bytes[PROTOCOL_APP_MESSAGE_MAX];
	struct class_wire wire = { .size = 0 };
	struct protocol_app_register message = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_REGISTER },
		.abi_major = LTTNGMAP_ABI_MAJOR,
		.word_size = sizeof(long),
	};
	int fd;

	answers.messages++;
	make_class(&wire, role, name);
	memcpy(message.procname, name->bytes, name->size < 16 ? name->size : 16);
	message.nr_classes = wire.nr_classes;
	message.header.size = (uint32_t)(sizeof(message) + wire.size + junk);
	memset(bytes, 'x', sizeof(bytes));
	memcpy(bytes, &message, sizeof(message));
	memcpy(bytes + sizeof(message), wire.bytes, wire.size);
	if (socket_connect(path, SOCK_SEQPACKET, &fd) != 0) {
		answers.silent++;
		return;
	}
	if (send(fd, bytes, message.header.size, MSG_NOSIGNAL) < 0)
		answers.closed++;
	else
		take_answer(fd);
	close(fd);
}

static int run_classes(const char *path, int random)
{
	char bytes[255];

	for (unsigned role = 0; role < 5; role++) {
		for (size_t i = 0; i < NR_NAMES; i++)
			send_class(path, role, &names[i], 0);
		memset(bytes, 'l', sizeof(bytes));
		send_class(path, role, &(struct name){ bytes, sizeof(bytes) }, 0);
		/* Longer ones cannot be said; a message may be longer than it says. */
		send_class(path, role, &(struct name){ bytes, sizeof(bytes) }, 4096);
		for (int i = 0; i < random; i++) {
			random_bytes(bytes, sizeof(bytes));
			send_class(path, role, &(struct name){ bytes, (uint8_t)bytes[0] }, 0);
		}
	}
	printf("messages %d\naccepted %d\noff %d\nrefused %d\nclosed %d\nsilent %d\n",
	       answers.messages, answers.accepted, answers.off, answers.refused, answers.closed,
	       answers.silent);
	return answers.silent != 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "programs") == 0)
		return run_programs(atoi(argv[2]), argv[3]);
	if (argc == 4 && strcmp(argv[1], "classes") == 0)
		return run_classes(argv[2], atoi(argv[3]));
	fprintf(stderr, "usage: misnamed programs RANDOM MARK | misnamed classes SOCKET RANDOM\n");
	return 2;
}
