/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * least.c - the least that sending a program's events over loopback takes: its packets are asked
 * for, several at a time, and written into a socket where they lie, and nothing else is done:
 * no metadata, no index, nothing noted, nothing confirmed, nothing that is there to be sent again.
 *
 *   least copy|lend RINGS FILE
 *   least lease RINGS URL
 *
 * Reads the first ring file that appears in the folder RINGS to its end. FILE gets
 * what comes out of the socket, as from a collector. Prints its CPU time in ms.
 * lend: by sendfile(), of rings that ring-fs shows. Nobody may do so who lets go of a packet before
 * the collector has it: what is on the way are the ring's own pages.
 * lease: likewise, to the lttng-relayd at URL, each with its index entry. The packets of an answer
 * are released when lttng-relayd says that it has written them. Still there is no metadata, nothing
 * is noted, and nothing takes a packet when the ring runs short or the connection is lost.
 */
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <lttngmap/ring-file.h>

#include "relay/connection.h"

/* As lttng-relayd takes it. */
#define PART (64 << 10)
#define APPEAR_S 30

static void fail(const char *what, int error)
{
	fprintf(stderr, "least: %s: %s\n", what, strerror(error));
	exit(1);
}

static void collect(int listener, const char *path)
{
	int from = accept(listener, NULL, NULL);
	int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	static char bytes[PART];
	ssize_t got;

	while ((got = recv(from, bytes, sizeof(bytes), 0)) > 0) {
		if (write(to, bytes, (size_t)got) != got)
			fail(path, errno);
	}
	exit(0);
}

/* The other end is a process. */
static int connect_collector(const char *path)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t size = sizeof(address);
	int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 1) < 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &size) < 0)
		fail("listen", errno);
	/* As our sender has it. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", strlen("reno"));
	if (connect(fd, (struct sockaddr *)&address, size) < 0)
		fail("connect", errno);
	switch (fork()) {
	case -1:
		fail("fork", errno);
		break;
	case 0:
		/* It would never see its end. */
		close(fd);
		collect(listener, path);
		break;
	default:
		break;
	}
	close(listener);
	return fd;
}

static struct lttngmap_ring_file *open_first(const char *rings)
{
	struct lttngmap_ring_file *file = NULL;
	char path[4096];

	for (int i = 0; i < APPEAR_S * 100 && !file; i++) {
		DIR *folder = opendir(rings);
		const struct dirent *entry;

		while (folder && !file && (entry = readdir(folder))) {
			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), "%s/%s", rings, entry->d_name);
			if (lttngmap_ring_file_open(path, &file) < 0)
				file = NULL;
		}
		if (folder)
			closedir(folder);
		if (!file)
			usleep(10000);
	}
	if (!file)
		fail(rings, ENOENT);
	return file;
}

static void send_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);

		if (sent < 0)
			fail("send", errno);
		bytes += sent;
		size -= (size_t)sent;
	}
}

static void lend_all(int fd, const struct lttngmap_ring_file *file, const char *bytes, size_t size)
{
	/* The file begins with its meta page, as the map does. */
	off_t at = bytes - (const char *)lttngmap_ring_file_meta(file), end = at + (off_t)size;

	while (at < end) {
		if (sendfile(fd, lttngmap_ring_file_fd(file), &at, (size_t)(end - at)) <= 0)
			fail("sendfile", errno);
	}
}

/* ---- lttng-relayd --------------------------------------------------------------------- */

static struct relay_connection *connection;
static uint64_t stream, next_packet;

static void check(const char *what, int error)
{
	if (error)
		fail(what, -error);
}

static void relay_begin(const char *text)
{
	static const volatile sig_atomic_t go_on = 0;
	static const uint8_t tracer[CTF_UUID_SIZE] = "least";
	uint64_t now = (uint64_t)time(NULL);
	unsigned char answer[RELAY_STREAM_SIZE];
	struct relay_request request;
	struct relay_url url;
	const char *why = text;
	const struct relay_connection_config config = {
		.url = &url,
		.session = { .name = "least",
			     .host = "localhost",
			     .path = "",
			     .tracer = tracer,
			     .id = (uint64_t)getpid(),
			     .created = now },
		.timeout_ms = 30000,
		.stop = &go_on,
	};

	check(why, relay_url_parse(text, &url, &why));
	check("a connection", relay_connection_open(&config, &connection));
	relay_request_chunk(&request, 0, now, "");
	check("a chunk", relay_connection_tell(connection, &request));
	check("a stream", relay_request_stream(&request, "stream", "ust", 0));
	check("a stream", relay_connection_ask(connection, &request, answer, sizeof(answer)));
	check("a stream", relay_answer_stream(answer, &stream));
	relay_request_streams_sent(&request);
	check("a stream", relay_connection_tell(connection, &request));
}

static void relay_packet(const struct lttngmap_ring_file *file,
			 const struct lttngmap_packet *packet, const char *data)
{
	uint64_t at = (uint64_t)(data - (const char *)lttngmap_ring_file_meta(file));
	const struct ctf_index_entry entry = {
		.packet_size = htobe64((uint64_t)packet->length * 8),
		.content_size = htobe64((uint64_t)packet->length * 8),
		.timestamp_begin = htobe64(packet->timestamp_begin),
		.timestamp_end = htobe64(packet->timestamp_end),
		.packet_seq_num = htobe64(next_packet),
	};
	struct relay_request request;

	check("a packet",
	      relay_connection_send_packet(connection, stream, next_packet,
					   lttngmap_ring_file_fd(file), at, packet->length));
	relay_request_index(&request, stream, next_packet++, &entry);
	check("an index", relay_connection_post(connection, &request));
}

/* Until the collector has written all that was sent: it is asked as our sender does. */
static void relay_wait(void)
{
	unsigned char answer[RELAY_STATUS_SIZE];
	struct relay_request request;
	useconds_t patience = 250;
	bool pending = true;

	while (pending) {
		usleep(patience);
		relay_request_pending(&request, stream, next_packet - 1);
		check("an answer",
		      relay_connection_ask(connection, &request, answer, sizeof(answer)));
		check("an answer", relay_answer_pending(answer, &pending));
		patience = patience < 4000 ? patience * 2 : patience;
	}
}

static void send_packet(const struct lttngmap_ring_file *file, int fd,
			const struct lttngmap_packet *packet, bool lends)
{
	const char *data = lttngmap_ring_file_data(file, packet);

	if (connection)
		relay_packet(file, packet, data);
	else if (lends)
		lend_all(fd, file, data, packet->length);
	else
		send_all(fd, data, packet->length);
}

static void send_ring(struct lttngmap_ring_file *file, int fd, bool lends)
{
	struct pollfd ready = { .fd = lttngmap_ring_file_fd(file), .events = POLLIN };

	for (;;) {
		struct lttngmap_packets packets = {
			.count = LTTNGMAP_PACKETS_MAX,
			.packets = { { .cpu = LTTNGMAP_CPU_ANY } },
		};
		int error = lttngmap_ring_file_get_packets(file, &packets);

		if (error == -ENODATA)
			return;
		if (error == -EAGAIN) {
			(void)poll(&ready, 1, -1);
			continue;
		}
		if (error)
			fail("a packet", -error);
		for (uint32_t i = 0; i < packets.count; i++)
			send_packet(file, fd, &packets.packets[i], lends);
		if (connection)
			relay_wait();
	}
}

int main(int argc, char **argv)
{
	struct lttngmap_ring_file *file;
	struct rusage used;
	int fd = -1;

	if (argc != 4) {
		fprintf(stderr, "usage: least copy|lend RINGS FILE, or least lease RINGS URL\n");
		return 2;
	}
	signal(SIGCHLD, SIG_IGN);
	if (strcmp(argv[1], "lease") == 0)
		relay_begin(argv[3]);
	else
		fd = connect_collector(argv[3]);
	file = open_first(argv[2]);
	send_ring(file, fd, strcmp(argv[1], "lend") == 0);
	lttngmap_ring_file_close(file);
	relay_connection_close(connection);
	if (fd >= 0)
		close(fd);
	getrusage(RUSAGE_SELF, &used);
	printf("%.3f\n", (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
				 (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3);
	return 0;
}
