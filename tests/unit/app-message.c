/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* What a process may send, and what it is told when it sends something else. */
#include "sessiond/app/app-message.h"

#include <errno.h>

#include <lttngmap/abi.h>

#include "tests/utils/tap.h"

#define INSTANCE UINT64_C(0x1122334455667788)

static union {
	struct protocol_app_header header;
	struct protocol_app_register registration;
	struct protocol_app_classes classes;
	struct protocol_app_memory memory;
	struct protocol_app_lost lost;
	char bytes[256];
} sent;
static struct app_message message;
static struct app_refusal refusal;

static int parse(size_t size)
{
	return app_message_parse(sent.bytes, size, INSTANCE, &message, &refusal);
}

static void begin(enum protocol_app_type type, size_t size)
{
	memset(&sent, 0, sizeof(sent));
	sent.header = (struct protocol_app_header){ .magic = PROTOCOL_APP_MAGIC,
						    .major = PROTOCOL_APP_MAJOR,
						    .minor = 99,
						    .type = type,
						    .size = (uint32_t)size };
}

static void begin_register(size_t extra)
{
	begin(PROTOCOL_APP_REGISTER, sizeof(sent.registration) + extra);
	sent.registration.abi_major = LTTNGMAP_ABI_MAJOR;
	sent.registration.word_size = sizeof(long);
	memcpy(sent.registration.procname, "program", 7);
}

/* Refused, with a word of explanation that holds `text`. */
static void refused(size_t size, int error, const char *text, const char *name)
{
	is(parse(size), -EPROTO, name);
	is(refusal.error, error, "with that error");
	ok(strstr(refusal.message, text), "and told: %s", refusal.message);
}

static void test_header(void)
{
	begin_register(0);
	for (size_t size = 0; size < sizeof(sent.header); size++)
		if (parse(size) != -EPROTO || refusal.error != 0)
			ok(false, "%zu bytes are no message", size);
	sent.header.magic++;
	is(parse(sizeof(sent.registration)), -EPROTO, "another magic");
	is(refusal.error, 0, "is not talked to");
	begin_register(0);
	sent.header.major++;
	refused(sizeof(sent.registration), EPROTONOSUPPORT, "protocol 5", "another major version");
	begin_register(0);
	refused(sizeof(sent.registration) - 1, EBADMSG, "bytes", "less than its header says");
	begin_register(0);
	refused(sizeof(sent.registration) + 1, EBADMSG, "bytes", "more than its header says");
	for (uint32_t type = 0; type < 20; type++) {
		if (type == PROTOCOL_APP_REGISTER || type == PROTOCOL_APP_CLASSES ||
		    type == PROTOCOL_APP_MEMORY || type == PROTOCOL_APP_UNTRACED ||
		    type == PROTOCOL_APP_LOST || type == PROTOCOL_APP_ALONE ||
		    type == PROTOCOL_APP_EXECUTED || type == PROTOCOL_APP_USER)
			continue;
		begin(type, sizeof(sent.header));
		if (parse(sizeof(sent.header)) != -EPROTO || refusal.error != EOPNOTSUPP)
			ok(false, "type %u is a request", type);
	}
	begin(PROTOCOL_APP_REFUSED, sizeof(sent.header));
	refused(sizeof(sent.header), EOPNOTSUPP, "type 6", "an answer is no request");
	begin(PROTOCOL_APP_UNTRACED, sizeof(sent.header));
	refused(sizeof(sent.header), EBADMSG, "bytes", "a child that does not say its name");
	begin(PROTOCOL_APP_USER, sizeof(sent.header) + 4);
	refused(sizeof(sent.header) + 4, EBADMSG, "bytes",
		"a user beside the message's credentials");
	begin(PROTOCOL_APP_EXECUTED, sizeof(sent.header));
	refused(sizeof(sent.header), EBADMSG, "bytes", "a program that does not say its name");
}

static void test_register(void)
{
	begin_register(10);
	sent.registration.nr_classes = 3;
	is(parse(sizeof(sent.registration) + 10), 0, "a registration");
	is(message.type, PROTOCOL_APP_REGISTER, "is one");
	ok(message.nr_classes == 3 && message.classes_size == 10 &&
		   message.classes == sent.bytes + sizeof(sent.registration),
	   "and has classes");
	is_string(message.registration.procname, "program", "and a name");

	begin(PROTOCOL_APP_REGISTER, sizeof(sent.header));
	refused(sizeof(sent.header), EBADMSG, "bytes", "a registration cut short");
	begin_register(0);
	sent.registration.abi_major++;
	refused(sizeof(sent.registration), EPROTONOSUPPORT, "memory layout is 2", "another ABI");
	begin_register(0);
	sent.registration.word_size = 4;
	refused(sizeof(sent.registration), EPROTONOSUPPORT, "32-bit", "another word size");
	begin_register(0);
	sent.registration.word_size = UINT32_MAX;
	refused(sizeof(sent.registration), EPROTONOSUPPORT, "words", "an absurd word size");
	begin_register(0);
	sent.registration.nr_classes = UINT32_MAX;
	refused(sizeof(sent.registration), E2BIG, "4294967295", "too many classes");

	begin_register(0);
	sent.registration.flags = PROTOCOL_APP_FORKED;
	sent.registration.instance = INSTANCE;
	is(parse(sizeof(sent.registration)), 0, "a child of a process of ours");
	sent.registration.instance++;
	refused(sizeof(sent.registration), ESTALE, "classes", "a child of another daemon's");
}

static void test_others(void)
{
	begin(PROTOCOL_APP_CLASSES, sizeof(sent.classes) + 5);
	sent.classes.nr_classes = 1;
	is(parse(sizeof(sent.classes) + 5), 0, "more classes");
	is(message.classes_size, 5, "of that size");
	begin(PROTOCOL_APP_CLASSES, sizeof(sent.header));
	refused(sizeof(sent.header), EBADMSG, "bytes", "classes cut short");
	begin(PROTOCOL_APP_CLASSES, sizeof(sent.classes));
	sent.classes.nr_classes = PROTOCOL_APP_CLASSES_MAX + 1;
	refused(sizeof(sent.classes), E2BIG, "4097", "too many more classes");

	begin(PROTOCOL_APP_MEMORY, sizeof(sent.memory));
	sent.memory.of.slot = LTTNGMAP_CHANNELS - 1;
	is(parse(sizeof(sent.memory)), 0, "memory for a slot");
	is(message.slot, LTTNGMAP_CHANNELS - 1, "that one");
	sent.memory.of.slot++;
	refused(sizeof(sent.memory), EINVAL, "channel 64", "no such slot");
	begin(PROTOCOL_APP_MEMORY, sizeof(sent.memory) + 8);
	refused(sizeof(sent.memory) + 8, EBADMSG, "bytes", "more than a slot");

	begin(PROTOCOL_APP_LOST, sizeof(sent.lost));
	sent.lost.slot = 3;
	sent.lost.count = 7;
	is(parse(sizeof(sent.lost)), 0, "events that were lost");
	ok(message.slot == 3 && message.lost == 7, "in that channel, so many");
	sent.lost.slot = LTTNGMAP_CHANNELS;
	refused(sizeof(sent.lost), EINVAL, "channel 64", "of no such slot");
	begin(PROTOCOL_APP_ALONE, sizeof(sent.header));
	is(parse(sizeof(sent.header)), 0, "who asks for nothing any more");
	begin(PROTOCOL_APP_LOST, sizeof(sent.header));
	refused(sizeof(sent.header), EBADMSG, "bytes", "cut short");
}

int main(void)
{
	test_header();
	test_register();
	test_others();
	return done_testing();
}
