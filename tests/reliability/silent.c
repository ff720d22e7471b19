/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A thousand clients that connect and say nothing, and a thousand that say one
 * byte a second, on each of the daemon's sockets: all are dropped within five
 * seconds, the daemon hardly notices, and who has something to say is heard.
 * A consumer that does not read what it is told is dropped likewise.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/base/json-message.h"
#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"
#include "tests/utils/siege.h"
#include "tests/utils/tap.h"

#define CLIENTS 1000
#define DROPPED_US 5000000
/* What a loaded machine adds to what the daemon wants: it may stand still for seconds. */
#define SLACK_US 5000000
#define REGISTERED_US 500000
#define SAMPLES_MAX 1000
#define CPU_PERCENT 5

static struct sessiond sessiond;

struct kind {
	const char *socket;
	bool talks; /* a byte a second, and comes again when it was dropped */
	const char *name;
};

struct result {
	int64_t slowest_us; /* the last one was dropped */
	int left;
	int64_t cpu_percent;
	int refused;         /* of others who register meanwhile */
	int64_t register_us; /* of others meanwhile, half of them */
};

static int connect_to(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", sessiond.dir, name);
	return socket_connect(path, SOCK_SEQPACKET, &fd) == 0 ? fd : -1;
}

/* One client's turn: whether it is still connected. */
static bool look_at(struct pollfd *client, const struct kind *kind, int64_t now, int64_t *since,
		    struct result *result)
{
	char bytes[512];

	while (client->fd >= 0) {
		ssize_t size = recv(client->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

		if (size > 0)
			continue;
		if (size < 0 && errno == EAGAIN)
			return true;
		close(client->fd);
		client->fd = -1;
		if (now - *since > result->slowest_us)
			result->slowest_us = now - *since;
	}
	if (!kind->talks)
		return false;
	client->fd = connect_to(kind->socket);
	*since = now;
	return client->fd >= 0;
}

static struct result run_kind(const struct kind *kind, unsigned int seconds)
{
	static struct pollfd clients[CLIENTS];
	static int64_t since[CLIENTS], samples[SAMPLES_MAX];
	struct result result = { .left = CLIENTS };
	int64_t cpu = siege_cpu_us(sessiond.pid), begin = siege_now_us(), now = begin, took;
	size_t nr_samples = 0;

	for (int i = 0; i < CLIENTS; i++) {
		since[i] = siege_now_us();
		clients[i] = (struct pollfd){ .fd = connect_to(kind->socket), .events = POLLIN };
	}
	while (now - begin < (int64_t)seconds * 1000000 + SLACK_US &&
	       (kind->talks ? now - begin < (int64_t)seconds * 1000000 : result.left > 0)) {
		int64_t turn = now;

		result.left = 0;
		for (int i = 0; i < CLIENTS; i++) {
			if (clients[i].fd >= 0 && kind->talks)
				send(clients[i].fd, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
			result.left += look_at(&clients[i], kind, now, &since[i], &result);
		}
		took = siege_register(&sessiond);
		if (nr_samples < SAMPLES_MAX)
			samples[nr_samples++] = took;
		result.refused += took < 0;
		/* Each byte a second after the one before. */
		now = siege_now_us();
		if (now - turn < (kind->talks ? 1000000 : 50000))
			usleep((unsigned int)((kind->talks ? 1000000 : 50000) - (now - turn)));
		now = siege_now_us();
	}
	result.register_us = siege_percentile(samples, nr_samples, 50);
	result.cpu_percent = (siege_cpu_us(sessiond.pid) - cpu) * 100 / (now - begin);
	for (int i = 0; i < CLIENTS; i++)
		if (clients[i].fd >= 0)
			close(clients[i].fd);
	return result;
}

/* Connects as the consumer, and is told more than it ever reads. */
static int64_t be_deaf_consumer(void)
{
	struct json_object *request = json_object_new_object(), *answer = NULL;
	struct pollfd end = { .fd = connect_to(PROTOCOL_CONTROL_SOCKET), .events = 0 };
	int64_t begin, dropped;

	json_object_object_add(request, "verb", json_object_new_string("consumer"));
	json_object_object_add(request, "version", json_object_new_int(1));
	if (json_message_send(end.fd, request, -1, 1000) != 0 ||
	    json_message_receive(end.fd, &answer, NULL, 5000) != 0)
		bail_out("no consumer is wanted");
	json_object_put(request);
	json_object_put(answer);
	for (int i = 0; i < 1000; i++) {
		sessiond_do(&sessiond,
			    "{\"verb\": \"create\", \"session\": \"s\", \"output\": \"/nowhere\"}");
		sessiond_do(&sessiond, "{\"verb\": \"destroy\", \"session\": \"s\"}");
	}
	begin = siege_now_us();
	dropped = poll(&end, 1, 2 * (DROPPED_US + SLACK_US) / 1000) == 1 ? siege_now_us() - begin
									 : INT64_MAX;
	close(end.fd);
	return dropped;
}

int main(void)
{
	static const struct kind kinds[] = {
		{ PROTOCOL_APP_SOCKET, false, "silent at app.sock" },
		{ PROTOCOL_CONTROL_SOCKET, false, "silent at control.sock" },
		{ "ring.sock", false, "silent at ring.sock" },
		{ PROTOCOL_APP_SOCKET, true, "a byte a second at app.sock" },
		{ PROTOCOL_CONTROL_SOCKET, true, "a byte a second at control.sock" },
	};
	struct rlimit files = { .rlim_cur = 2 * CLIENTS, .rlim_max = 2 * CLIENTS };
	unsigned int talking = siege_is_long() ? siege_seconds(0) / 4 + 2 : 3;
	int64_t slowest = 0, cpu = 0, registered = 0, deaf;

	if (setrlimit(RLIMIT_NOFILE, &files) != 0)
		bail_out("%d descriptors are needed: %s", 2 * CLIENTS, strerror(errno));
	sessiond_start(&sessiond, 0, "--no-supervise", "--mediator=ring-socket", NULL);
	siege_register(&sessiond);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct result result = run_kind(&kinds[i], kinds[i].talks ? talking : 5);

		diag("%s: dropped within %lld ms, %lld %% of a CPU, others register within %lld us",
		     kinds[i].name, (long long)result.slowest_us / 1000,
		     (long long)result.cpu_percent, (long long)result.register_us);
		if (!kinds[i].talks)
			is(result.left, 0, kinds[i].name);
		ok(result.slowest_us < DROPPED_US + SLACK_US, "dropped within %lld ms",
		   (long long)result.slowest_us / 1000);
		ok(siege_is_sanitized() || result.cpu_percent < CPU_PERCENT, "for %lld %% of a CPU",
		   (long long)result.cpu_percent);
		ok(result.refused == 0 && result.register_us < REGISTERED_US,
		   "others register meanwhile");
		slowest = result.slowest_us > slowest ? result.slowest_us : slowest;
		cpu = result.cpu_percent > cpu ? result.cpu_percent : cpu;
		registered = result.register_us > registered ? result.register_us : registered;
	}
	sessiond_do(&sessiond, "{\"verb\": \"list\"}");
	ok(true, "whoever said hello is not dropped for being silent");
	deaf = be_deaf_consumer();
	ok(deaf < DROPPED_US + SLACK_US, "a consumer that reads nothing: dropped within %lld ms",
	   (long long)deaf / 1000);
	is(sessiond_stop(&sessiond, SIGTERM), 0, "the daemon ends well");
	tap_figure(9,
		   "%d silent or slow clients at each socket: dropped within %lld ms, %lld %% of a "
		   "CPU at most, others register within %lld us; a consumer that does not read, "
		   "within %lld ms",
		   CLIENTS, (long long)slowest / 1000, (long long)cpu, (long long)registered,
		   (long long)deaf / 1000);
	return done_testing();
}
