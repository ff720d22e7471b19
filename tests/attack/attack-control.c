/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Attacks by a member of the group tracing: requests that cost the daemon more
 * than they cost whoever sends them. ARGUMENT is a folder of the member's own. And one by
 * whoever owns the folder that somebody's trace is written into.
 */
#include "tests/attack/attacker.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"

static char text[PROTOCOL_CONTROL_MESSAGE_MAX];
static char answer[PROTOCOL_CONTROL_MESSAGE_MAX];

/* The answer stands in `answer`; false: the connection is gone. */
static bool ask(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool ask(int fd, const char *format, ...)
{
	va_list arguments;
	ssize_t size;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= sizeof(text) ||
	    send(fd, text, (size_t)length, MSG_NOSIGNAL) < 0)
		return false;
	size = recv(fd, answer, sizeof(answer) - 1, 0);
	answer[size > 0 ? size : 0] = '\0';
	return size > 0;
}

static int greet(struct attacker *attacker)
{
	for (;; usleep(20000)) {
		int fd = attacker_connect(attacker, PROTOCOL_CONTROL_SOCKET);

		if (fd >= 0 && ask(fd, "{\"verb\": \"hello\", \"version\": 1}"))
			return fd;
		if (fd >= 0)
			close(fd);
	}
}

/* A session of this worker's own, with a channel. */
static int make_session(struct attacker *attacker, const char *more)
{
	int fd = greet(attacker);

	ask(fd, "{\"verb\": \"create\", \"session\": \"a%u\", \"output\": \"%s/a%u\"%s}",
	    attacker->worker, attacker->argument, attacker->worker, more);
	for (unsigned int channel = 0; channel < 4; channel++)
		ask(fd,
		    "{\"verb\": \"channel\", \"session\": \"a%u\", \"channel\": \"c%u\", "
		    "\"subbuf_size\": 4096, \"subbufs\": 2, \"mode\": \"%s\"}",
		    attacker->worker, channel, *more ? "overwrite" : "discard");
	return fd;
}

/* Rules of as many patterns as fit, which match nothing and take long to find that out. */
void attack_rules(struct attacker *attacker)
{
	static char rule[4097];
	size_t length = 0;
	int fd = make_session(attacker, "");

	while (length + 10 < sizeof(rule))
		length += (size_t)snprintf(rule + length, sizeof(rule) - length, "%sp*e*:*q",
					   length ? "," : "");
	for (unsigned int i = 0; i < 4096; i++)
		if (!ask(fd,
			 "{\"verb\": \"enable\", \"session\": \"a%u\", \"channel\": \"c%u\", "
			 "\"rule\": \"x%u:y,%.*s\"}",
			 attacker->worker, i / 1024, i, (int)length - 16, rule))
			break;
	for (;;)
		pause();
}

/* Filters that are long, deep and full of patterns, for every class that there is. */
void attack_filters(struct attacker *attacker)
{
	static char filter[32768];
	int fd = make_session(attacker, "");

	for (unsigned int i = 0;; i++) {
		size_t length = (size_t)snprintf(filter, sizeof(filter), "$ctx.vpid == %u", i);

		while (length + 64 < sizeof(filter))
			length += (size_t)snprintf(
				filter + length, sizeof(filter) - length,
				" || ($ctx.procname == \\\"*a*a*b%zu\\\" && !(a == b))", length);
		if (!ask(fd,
			 "{\"verb\": \"enable\", \"session\": \"a%u\", \"channel\": \"c%u\", "
			 "\"rule\": \"*\", \"filter\": \"%s\"}",
			 attacker->worker, i % 4, filter)) {
			close(fd);
			fd = greet(attacker);
		}
	}
}

/* As many trackers as may be: each registration is looked up in all. */
void attack_trackers(struct attacker *attacker)
{
	int fd = make_session(attacker, "");

	for (unsigned int i = 0; i < 1100; i++)
		ask(fd,
		    "{\"verb\": \"track\", \"session\": \"a%u\", \"kind\": \"name\", "
		    "\"value\": \"*a*b*c*d*e*%u*\"}",
		    attacker->worker, i);
	for (;;)
		ask(fd, "{\"verb\": \"list\", \"from\": 0}");
}

/* Starts, rotates, clears, takes snapshots, stops: whatever writes much. */
void attack_storm(struct attacker *attacker)
{
	static const char *const verbs[] = { "start", "rotate",   "clear",  "flush", "snapshot",
					     "stop",  "snapshot", "status", "usage", "rings" };
	int fd = make_session(attacker, attacker->worker % 2 ? ", \"snapshot\": true" : "");

	for (unsigned int channel = 0; channel < 4; channel++)
		ask(fd,
		    "{\"verb\": \"enable\", \"session\": \"a%u\", \"channel\": \"c%u\", "
		    "\"rule\": \"*\"}",
		    attacker->worker, channel);
	for (unsigned int i = 0;; i++) {
		const char *verb = verbs[i % 10];

		if (!ask(fd,
			 i % 10 < 8 ? "{\"verb\": \"%s\", \"session\": \"a%u\"}"
				    : "{\"verb\": \"%s\", \"from\": %u}",
			 verb, i % 10 < 8 ? attacker->worker : 0)) {
			close(fd);
			fd = greet(attacker);
		}
	}
}

/* Arrays in arrays, one name a thousand times, numbers of a thousand digits. */
void attack_deep(struct attacker *attacker)
{
	static char deep[60001];
	int fd = greet(attacker);

	for (unsigned int i = 0;; i++) {
		static const char *const what[] = { "[", "{\"a\":", "\"a\":1,", "9", "\\u0041" };
		const char *piece = what[i % 5];
		size_t length = 0, size = strlen(piece);

		for (; length + size < sizeof(deep) - 1; length += size)
			memcpy(deep + length, piece, size);
		deep[length] = '\0';
		if (!ask(fd, "{\"verb\": \"create\", \"session\": %s%s", i % 5 == 4 ? "\"" : "",
			 deep)) {
			close(fd);
			fd = greet(attacker);
		}
	}
}

/* The name is a link to the target for a while, whatever it was. */
static void swap_once(int folder, const char *spare, const char *name, const char *target)
{
	bool exchanged;

	unlinkat(folder, spare, 0);
	if (symlinkat(target, folder, spare) != 0)
		return;
	exchanged = renameat2(folder, spare, folder, name, RENAME_EXCHANGE) == 0;
	if (!exchanged)
		renameat(folder, spare, folder, name);
	usleep((useconds_t)(attacker_now_us() % 3000));
	if (exchanged)
		renameat2(folder, spare, folder, name, RENAME_EXCHANGE);
	else
		unlinkat(folder, name, 0);
	usleep((useconds_t)(attacker_now_us() % 3000));
}

/*
 * ARGUMENT is the trace's folder; ../../secret there is to stay as it is. One worker swaps
 * the first name alone, the other one the rest.
 */
void attack_swap(struct attacker *attacker)
{
	static const struct {
		const char *name, *in_secret;
	} swaps[] = {
		{ "ust", "" },
		{ "archives", "" },
		{ ".ust.next", "" },
		{ "ust/index", "/index" },
		{ "ust/metadata", "/metadata" },
	};
	int folder = open(attacker->argument, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char target[512], spare[32];

	snprintf(spare, sizeof(spare), ".spare%u", attacker->worker);
	for (unsigned int i = 0;; i++) {
		unsigned int which = attacker->worker ? 1 + i % 4 : 0;

		snprintf(target, sizeof(target), "%s/../../secret%s", attacker->argument,
			 swaps[which].in_secret);
		swap_once(folder, spare, swaps[which].name, target);
	}
}
