/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-answer.c - a ring file whose announcement and whose server are not what
 * they should be. The input is the announcement, ring data's first bytes (the
 * meta page), then the answers, each a message; all of it is said at once.
 * "@" in an announcement stands for the socket's path.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <lttngmap/ring-file.h>

#include "common/base/socket.h"
#include "tests/fuzz/fuzz.h"

#define DATA_SIZE (1u << 20)
#define REQUESTS 4

static int listener = -1;
static char socket_path[SOCKET_PATH_MAX + 1], file_path[PATH_MAX];

static struct {
	struct fuzz_input answers;
	int memory;
} script;

/* Says it all, and hangs up. */
static void *serve(void *unused)
{
	int fd;

	(void)unused;
	if (socket_wait(listener, POLLIN, -1) < 0 || socket_accept(listener, 0, &fd) < 0)
		return NULL;
	for (bool is_first = true; script.answers.size > 0; is_first = false) {
		size_t size;
		const uint8_t *bytes = fuzz_take_message(&script.answers, &size);

		if (size > 0 && socket_send(fd, bytes, size, &script.memory, is_first) < 0)
			break;
	}
	shutdown(fd, SHUT_WR);
	/* What is asked must be read, or the answers would be lost. */
	while (socket_wait(fd, POLLIN, -1) == 0 && recv(fd, &(char){ 0 }, 1, 0) > 0)
		continue;
	close(fd);
	return NULL;
}

static void write_announcement(const uint8_t *text, size_t size)
{
	int fd = open(file_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	const uint8_t *at = memchr(text, '@', size);
	size_t before = at ? (size_t)(at - text) : size;

	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(write(fd, text, before) == (ssize_t)before);
	if (at) {
		FUZZ_CHECK(write(fd, socket_path, strlen(socket_path)) > 0);
		FUZZ_CHECK(write(fd, at + 1, size - before - 1) == (ssize_t)(size - before - 1));
	}
	close(fd);
}

static int make_memory(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("data", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	FUZZ_CHECK(fd >= 0 && ftruncate(fd, DATA_SIZE) == 0);
	FUZZ_CHECK(pwrite(fd, bytes, size, 0) == (ssize_t)size);
	FUZZ_CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
	return fd;
}

static uint64_t sum_of(const struct lttngmap_ring_file *file, const struct lttngmap_packet *packet)
{
	const uint8_t *bytes = lttngmap_ring_file_data(file, packet);
	uint64_t sum = 0;

	for (uint32_t at = 0; bytes && at < packet->length; at++)
		sum += bytes[at];
	return sum;
}

/* All of the packets that the reader gives can be read. */
static void read_packets(struct lttngmap_ring_file *file)
{
	volatile uint64_t sum = 0;

	for (int i = 0; i < REQUESTS; i++) {
		struct lttngmap_packets packets = {
			.count = LTTNGMAP_PACKETS_MAX,
			.packets = { { .cpu = LTTNGMAP_CPU_ANY } },
		};
		struct lttngmap_packet packet = { .cpu = LTTNGMAP_CPU_ANY };

		if (lttngmap_ring_file_get_packets(file, &packets) == 0) {
			FUZZ_CHECK(packets.count >= 1 && packets.count <= LTTNGMAP_PACKETS_MAX);
			for (uint32_t j = 0; j < packets.count; j++)
				sum += sum_of(file, &packets.packets[j]);
		}
		if (lttngmap_ring_file_get_packet(file, &packet) != 0)
			continue;
		sum += sum_of(file, &packet);
		lttngmap_ring_file_check_packet(file);
		lttngmap_ring_file_get_reader(file);
	}
	(void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	struct lttngmap_ring_file *file;
	pthread_t thread;
	const uint8_t *bytes;
	size_t length;
	int wake;

	if (listener < 0) {
		snprintf(socket_path, sizeof(socket_path), "%s/s", fuzz_directory());
		snprintf(file_path, sizeof(file_path), "%s/ring", fuzz_directory());
		FUZZ_CHECK(socket_listen(socket_path, SOCK_SEQPACKET, 0600, &listener) == 0);
	}
	bytes = fuzz_take_message(&input, &length);
	write_announcement(bytes, length);
	bytes = fuzz_take_message(&input, &length);
	script.memory = make_memory(bytes, length);
	script.answers = input;
	FUZZ_CHECK(pthread_create(&thread, NULL, serve, NULL) == 0);
	if (lttngmap_ring_file_open(file_path, &file) == 0) {
		read_packets(file);
		lttngmap_ring_file_close(file);
	}
	/* Nobody may have come: then we do, so that the thread ends. */
	FUZZ_CHECK(socket_connect(socket_path, SOCK_SEQPACKET, &wake) == 0);
	close(wake);
	pthread_join(thread, NULL);
	/* Who was served leaves that one in the backlog. */
	if (socket_wait(listener, POLLIN, 0) == 0 && socket_accept(listener, 0, &wake) == 0)
		close(wake);
	close(script.memory);
	return 0;
}
