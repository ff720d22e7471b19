/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* json-message.c - what is a message, what is none, and how it travels. */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/json-message.h"
#include "common/protocol/protocol-control.h"
#include "tests/utils/tap.h"

static const char *const messages[] = {
	"{}",
	"{\"verb\": \"hello\", \"version\": 1}",
	" { \"a\" : [ 1, { \"b\" : [ [ [ [ ] ] ] ] } ] } ",
	"{\"\xc3\xa4\": \"\xe2\x82\xac\"}",
};

static const struct {
	const char *bytes;
	size_t size; /* 0: strlen */
} no_messages[] = {
	{ " ", 0 },
	{ "[]", 0 },
	{ "null", 0 },
	{ "17", 0 },
	{ "\"text\"", 0 },
	{ "{", 0 },
	{ "{\"a\":", 0 },
	{ "{\"a\":1", 0 },
	{ "{\"a\":1,}", 0 },
	{ "{a:1}", 0 },
	{ "{\"a\":1}x", 0 },
	{ "{}{}", 0 },
	{ "{}\0", 3 },
	{ "{/* */}", 0 },
	{ "{\"a\":01}", 0 },
	{ "{\"a\":nan}", 0 },
	{ "{\"a\":TRUE}", 0 },
	{ "{\"a\":\"\xff\"}", 0 },
	{ "{\"a\":[[[[[[[[1]]]]]]]]}", 0 },
};

/* What was read from a file may be longer than a message. */
static void check_size(void)
{
	const size_t size = PROTOCOL_CONTROL_MESSAGE_MAX + 1;
	struct json_object *object = NULL;
	char *bytes = malloc(size);

	memset(bytes, ' ', size);
	memcpy(bytes, "{}", 2);
	ok(json_message_parse(bytes, size, &object) == -EBADMSG && !object,
	   "nor one that is too long");
	json_object_put(object);
	free(bytes);
}

static void check_parse(void)
{
	struct json_object *object;

	for (unsigned i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		object = NULL;
		ok(json_message_parse(messages[i], strlen(messages[i]), &object) == 0 && object,
		   "a message: %s", messages[i]);
		json_object_put(object);
	}
	for (unsigned i = 0; i < sizeof(no_messages) / sizeof(no_messages[0]); i++) {
		const char *bytes = no_messages[i].bytes;
		size_t size = no_messages[i].size ? no_messages[i].size : strlen(bytes);
		char *copy = malloc(size);

		/* An exact copy, so that a sanitizer sees a read beyond it. */
		memcpy(copy, bytes, size);
		object = NULL;
		ok(json_message_parse(copy, size, &object) == -EBADMSG && !object,
		   "text %u is no message", i);
		json_object_put(object);
		free(copy);
	}
}

static struct json_object *parse(const char *text)
{
	struct json_object *object;

	if (json_message_parse(text, strlen(text), &object) < 0)
		bail_out("no message: %s", text);
	return object;
}

static void check_members(void)
{
	static const char *const keys[] = { "s", "nul", "n", "neg", "big", "t", "z", "d", NULL };
	struct json_object *object =
		parse("{\"s\": \"text\", \"nul\": \"a\\u0000b\", \"n\": 7, \"neg\": -1, "
		      "\"big\": 18446744073709551615, \"t\": true, \"z\": null, \"d\": 7.0}");
	const char *text = "kept";
	uint64_t number = 99;
	bool flag = false;

	is(json_message_get_string(object, "s", &text), 0, "a string");
	is_string(text, "text", "is what it is");
	text = "kept";
	is(json_message_get_string(object, "x", &text), -ENOENT, "no such member");
	is(json_message_get_string(object, "n", &text), -EINVAL, "a number is no string");
	is(json_message_get_string(object, "z", &text), -EINVAL, "nor is null");
	is(json_message_get_string(object, "nul", &text), -EINVAL, "nor what hides behind a NUL");
	is_string(text, "kept", "a failure stores nothing");

	is(json_message_get_uint64(object, "n", 7, 7, &number), 0, "a number");
	is(number, 7, "is what it is");
	number = 99;
	is(json_message_get_uint64(object, "n", 8, 9, &number), -ERANGE, "too small");
	is(json_message_get_uint64(object, "n", 0, 6, &number), -ERANGE, "too large");
	is(json_message_get_uint64(object, "neg", 0, UINT64_MAX, &number), -ERANGE, "negative");
	is(json_message_get_uint64(object, "s", 0, 9, &number), -EINVAL, "a string is no number");
	is(json_message_get_uint64(object, "d", 0, 9, &number), -EINVAL, "7.0 is no integer");
	is(json_message_get_uint64(object, "t", 0, 9, &number), -EINVAL, "nor is true");
	is(json_message_get_uint64(object, "x", 0, 9, &number), -ENOENT, "nor what is not there");
	is(number, 99, "a failure stores nothing");
	is(json_message_get_uint64(object, "big", 0, UINT64_MAX, &number), 0, "2^64 - 1");
	ok(number == UINT64_MAX, "is what it is");

	is(json_message_get_bool(object, "t", &flag), 0, "a flag");
	ok(flag, "is true");
	is(json_message_get_bool(object, "n", &flag), -EINVAL, "a number is no flag");
	is(json_message_get_bool(object, "x", &flag), -ENOENT, "nor what is not there");

	is_string(json_message_unknown(object, keys), NULL, "all members are known");
	is_string(json_message_unknown(object, keys + 1), "s", "one is not");
	json_object_put(object);
}

static void check_travel(int *pair)
{
	struct json_object *sent = parse("{\"a\": \"x/y\", \"b\": [1, 2]}");
	struct json_object *received = NULL;
	int fd = -2;

	is(json_message_receive(pair[1], &received, &fd, 0), -EAGAIN, "there is nothing yet");
	is(json_message_receive(pair[1], &received, &fd, 20), -ETIMEDOUT, "nor for a while");
	ok(!received && fd == -1, "and nothing is stored");
	is(json_message_send(pair[0], sent, -1, 0), 0, "a message is sent");
	is(json_message_receive(pair[1], &received, &fd, 1000), 0, "and received");
	ok(json_object_equal(sent, received) && fd == -1, "as it was");
	json_object_put(received);

	is(json_message_send(pair[0], sent, pair[0], -1), 0, "one with a descriptor");
	is(json_message_receive(pair[1], &received, &fd, -1), 0, "is received");
	ok(fd >= 0 && fcntl(fd, F_GETFD) & FD_CLOEXEC, "with it, to be closed at exec");
	json_object_put(received);
	close(fd);

	json_message_send(pair[0], sent, pair[0], 0);
	is(json_message_receive(pair[1], &received, NULL, 0), 0, "where none is awaited");
	is(fcntl(fd, F_GETFD), -1, "it is closed");
	json_object_put(received);

	send(pair[0], "{]", 2, 0);
	is(json_message_receive(pair[1], &received, &fd, 0), -EBADMSG, "what is no JSON");
	json_object_put(sent);
}

static void check_two_fds(int *pair)
{
	struct json_object *sent = parse("{}"), *received = NULL;
	int fds[2] = { -1, -1 }, next = dup(pair[0]);
	size_t nr_fds = 2;

	close(next);
	json_message_send_fds(pair[0], sent, pair, 2, 0);
	is(json_message_receive_fds(pair[1], &received, fds, &nr_fds, 0), 0, "a message");
	is(nr_fds, 2, "with two descriptors");
	json_object_put(received);
	close(fds[0]);
	close(fds[1]);

	json_message_send_fds(pair[0], sent, pair, 2, 0);
	is(json_message_receive(pair[1], &received, &fds[0], 0), 0, "where one is awaited");
	ok(fds[0] == next && fcntl(next + 1, F_GETFD) < 0, "the other is closed");
	json_object_put(received);
	close(fds[0]);

	nr_fds = 2;
	is(json_message_receive_fds(pair[1], &received, fds, &nr_fds, 0), -EAGAIN, "nothing");
	is(nr_fds, 0, "has none");
	json_object_put(sent);
}

/* A descriptor with what is no message must not stay open. */
static void check_bad_with_fd(int *pair)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr header;
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(int)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS } };
	struct iovec part = { (void *)"[]", 2 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	struct json_object *received = NULL;
	int next = dup(pair[0]), fd = 0;

	close(next);
	memcpy(CMSG_DATA(&control.header), &pair[0], sizeof(int));
	sendmsg(pair[0], &message, 0);
	is(json_message_receive(pair[1], &received, &fd, 0), -EBADMSG,
	   "no message, with a descriptor");
	ok(fd == -1 && fcntl(next, F_GETFD) < 0, "which is closed");
}

static void check_sizes(int *pair)
{
	static char text[PROTOCOL_CONTROL_MESSAGE_MAX + 2];
	struct json_object *object = json_object_new_object();
	struct json_object *received = NULL;
	int error;

	/* {"a":"…"} has 8 bytes around the text. */
	memset(text, 'a', PROTOCOL_CONTROL_MESSAGE_MAX - 8);
	json_object_object_add(object, "a", json_object_new_string(text));
	is(json_message_send(pair[0], object, -1, 0), 0, "the largest message");
	is(json_message_receive(pair[1], &received, NULL, 0), 0, "is received");
	json_object_put(received);

	text[PROTOCOL_CONTROL_MESSAGE_MAX - 8] = 'a';
	json_object_object_add(object, "a", json_object_new_string(text));
	is(json_message_send(pair[0], object, -1, 0), -EMSGSIZE, "one byte more is not sent");
	memset(text, ' ', sizeof(text));
	memcpy(text, "{}", 2);
	send(pair[0], text, PROTOCOL_CONTROL_MESSAGE_MAX + 1, 0);
	is(json_message_receive(pair[1], &received, NULL, 0), -EMSGSIZE, "nor received");

	json_object_object_add(object, "a", json_object_new_string("x"));
	do {
		error = json_message_send(pair[0], object, -1, 0);
	} while (error == 0);
	is(error, -EAGAIN, "where the peer does not read, nothing blocks");
	is(json_message_send(pair[0], object, -1, 20), -ETIMEDOUT, "or not for long");
	while (json_message_receive(pair[1], &received, NULL, 0) == 0)
		json_object_put(received);
	json_object_put(object);
}

static void check_end(int *pair)
{
	struct json_object *object = json_object_new_object();
	struct json_object *received = NULL;

	close(pair[0]);
	is(json_message_receive(pair[1], &received, NULL, -1), -EPIPE, "the peer is gone");
	is(json_message_send(pair[1], object, -1, -1), -EPIPE, "to send to as well");
	close(pair[1]);
	json_object_put(object);
}

int main(void)
{
	int pair[2];

	/* Blocking sockets: a time-out holds for them too. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		bail_out("no sockets");
	check_parse();
	check_size();
	check_members();
	check_travel(pair);
	check_two_fds(pair);
	check_bad_with_fd(pair);
	check_sizes(pair);
	check_end(pair);
	return done_testing();
}
