/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * mediator-cases.h - what a reader may count on, whichever mediator serves
 * it. Included by one test program a mediator, each with its own cases more.
 */
#ifndef MEDIATOR_CASES_H
#define MEDIATOR_CASES_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <urcu/urcu-memb.h>

#include <lttngmap/ring-file.h>

#include "tests/utils/ring-server.h"
#include "tests/utils/tap.h"

#define SESSION "first"
#define CHANNEL "channel0"

/* What comes by another thread's hand is waited for, but not for ever. */
#define PATIENCE_MS 30000

/* A name appears or vanishes. */
__attribute__((unused)) static bool becomes(const char *path, bool there)
{
	for (int tries = 0; tries < PATIENCE_MS / 10; tries++) {
		if ((access(path, F_OK) == 0) == there)
			return true;
		usleep(10000);
	}
	return false;
}

static bool is_ready(int fd, int timeout_ms)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	return poll(&wait, 1, timeout_ms) == 1 && wait.revents & (POLLIN | POLLHUP);
}

static int get_packet(struct lttngmap_ring_file *file, struct lttngmap_packet *packet,
		      uint32_t flags)
{
	*packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY, .flags = flags };
	return lttngmap_ring_file_get_packet(file, packet);
}

/* The text of a packet's first record. */
static const char *text_of(const struct lttngmap_ring_file *file,
			   const struct lttngmap_packet *packet)
{
	const char *data = lttngmap_ring_file_data(file, packet);

	return data && packet->length > 8 ? data + 8 : NULL;
}

/* A channel and an announced ring in it. */
static void start_ring(struct ring_server *server, struct served_ring *ring)
{
	int error = server->ops->add_channel(server->mediator, SESSION, CHANNEL);

	if (error)
		bail_out("add_channel: %s", strerror(-error));
	served_ring_create(server, SESSION, CHANNEL, ring);
	error = served_ring_announce(ring);
	if (error)
		bail_out("announce: %s", strerror(-error));
	if (!becomes(ring->path, true))
		bail_out("%s does not appear", ring->path);
}

static void end_ring(struct served_ring *ring)
{
	struct ring_server *server = ring->server;

	served_ring_withdraw(ring);
	becomes(ring->path, false);
	server->ops->remove_channel(server->mediator, SESSION, CHANNEL);
	served_ring_destroy(ring);
}

/* ---- the cases ------------------------------------------------------------------ */

/* An event of that name among those to come; the others are dropped. */
static bool next_name(int fd, uint32_t mask, const char *name)
{
	char buffer[4096] __attribute__((aligned(8)));
	bool found = false;

	while (!found && is_ready(fd, PATIENCE_MS)) {
		ssize_t size = read(fd, buffer, sizeof(buffer));
		const struct inotify_event *event;

		for (char *at = buffer; at < buffer + size; at += sizeof(*event) + event->len) {
			event = (const struct inotify_event *)at;
			if (event->mask & mask && event->len && strcmp(event->name, name) == 0)
				found = true;
		}
	}
	return found;
}

static void case_announced(struct ring_server *server)
{
	struct served_ring ring;
	char dir[PATH_MAX];
	int fd = inotify_init1(IN_CLOEXEC);

	is(server->ops->add_channel(server->mediator, SESSION, CHANNEL), 0, "a channel is added");
	is(server->ops->add_channel(server->mediator, SESSION, CHANNEL), 0, "and may be again");
	snprintf(dir, sizeof(dir), "%s/%s/%s", server->rings_dir, SESSION, CHANNEL);
	ok(inotify_add_watch(fd, dir, IN_CREATE | IN_MOVED_TO | IN_DELETE) >= 0,
	   "its directory is there at once and can be watched");
	served_ring_create(server, SESSION, CHANNEL, &ring);
	is(served_ring_announce(&ring), 0, "a ring is announced");
	ok(next_name(fd, IN_CREATE | IN_MOVED_TO, ring_set_file_name(ring.set)),
	   "inotify tells of its file");
	server->ops->remove_channel(server->mediator, SESSION, CHANNEL);
	ok(access(ring.path, F_OK) == 0, "which stays while its channel is removed");
	served_ring_withdraw(&ring);
	ok(next_name(fd, IN_DELETE, ring_set_file_name(ring.set)), "inotify tells of its end");
	ok(becomes(dir, false), "and the channel's directory goes with it");
	*strrchr(dir, '/') = '\0';
	ok(becomes(dir, false), "and the session's");
	is(server->ops->add_channel(server->mediator, "..", CHANNEL), -EINVAL,
	   "a name that leads elsewhere is refused");
	is(server->ops->add_channel(server->mediator, SESSION, "a/b"), -EINVAL,
	   "and one with a slash");
	served_ring_destroy(&ring);
	close(fd);
}

static void case_read(struct ring_server *server)
{
	struct lttngmap_ring_file *file = NULL;
	struct lttngmap_packet packet;
	struct served_ring ring;
	const struct lttngmap_meta *meta;

	start_ring(server, &ring);
	is(lttngmap_ring_file_open(ring.path, &file), 0, "a ring file is opened");
	meta = lttngmap_ring_file_meta(file);
	is(meta->meta.nr_subbufs, SERVED_RINGS * (SERVED_SUBBUFS + 1),
	   "its meta page says how many sub-buffers");
	is(meta->pid, getpid(), "and whose they are");
	is(get_packet(file, &packet, 0), -EAGAIN, "there is no packet yet");
	ok(!is_ready(lttngmap_ring_file_fd(file), 0), "and poll says so");
	served_ring_write(&ring, 1, "partial");
	served_ring_notify(&ring);
	ok(!is_ready(lttngmap_ring_file_fd(file), 0), "a sub-buffer that is not full wakes nobody");
	is(get_packet(file, &packet, LTTNGMAP_PACKET_PARTIAL), 0, "but may be asked for");
	is(packet.cpu, 1, "it is of the ring that was written to");
	is(packet.events, 1, "has one event");
	is(packet.length, 8 + sizeof("partial"), "and its length");
	is_string(text_of(file, &packet), "partial", "and its bytes");
	is(lttngmap_ring_file_check_packet(file), 0, "the packet is intact");
	is(get_packet(file, &packet, 0), -EAGAIN, "then there is no other");
	served_ring_write(&ring, 0, "full");
	served_ring_switch(&ring, 0);
	served_ring_notify(&ring);
	ok(is_ready(lttngmap_ring_file_fd(file), PATIENCE_MS), "poll wakes for a full sub-buffer");
	is(get_packet(file, &packet, 0), 0, "which is there");
	is_string(text_of(file, &packet), "full", "with what was written last");
	is(packet.pid, getpid(), "from that process");
	packet.cpu = SERVED_RINGS;
	is(lttngmap_ring_file_get_packet(file, &packet), -EINVAL, "there is no such cpu");
	is(get_packet(file, &packet, 0), -EAGAIN, "all is read");
	ok(!is_ready(lttngmap_ring_file_fd(file), 0), "and poll is quiet");
	served_ring_write(&ring, 0, "third");
	is(lttngmap_ring_file_get_reader(file), 0, "GET_READER works beside it");
	is(meta->meta.reader.read, LTTNGMAP_SUBBUF_HEAD + 8 + sizeof("third"),
	   "and updates the meta page");
	is(meta->reader_begin, LTTNGMAP_SUBBUF_HEAD, "also where the records begin");
	lttngmap_ring_file_close(file);
	end_ring(&ring);
}

/* Which is a quarter of the ring. */
static void case_several(struct ring_server *server)
{
	struct lttngmap_packets packets = { .count = LTTNGMAP_PACKETS_MAX,
					    .packets = { { .cpu = LTTNGMAP_CPU_ANY } } };
	struct lttngmap_ring_file *file = NULL;
	struct served_ring ring;

	start_ring(server, &ring);
	is(lttngmap_ring_file_open(ring.path, &file), 0, "a ring file is opened");
	is(lttngmap_ring_file_get_packets(file, &packets), -EAGAIN, "there is no packet yet");
	for (int i = 0; i < 3; i++) {
		served_ring_write(&ring, 0, (const char *const[]){ "one", "two", "three" }[i]);
		served_ring_switch(&ring, 0);
	}
	served_ring_notify(&ring);
	ok(is_ready(lttngmap_ring_file_fd(file), PATIENCE_MS), "poll wakes for full sub-buffers");
	packets.count = LTTNGMAP_PACKETS_MAX;
	is(lttngmap_ring_file_get_packets(file, &packets), 0, "several packets are given at once");
	is(packets.count, 2, "so many");
	is_string(text_of(file, &packets.packets[0]), "one", "the first");
	is_string(text_of(file, &packets.packets[1]), "two", "and the second");
	is(packets.packets[1].sequence, 1, "which is that");
	lttngmap_ring_file_close(file);
	is(lttngmap_ring_file_open(ring.path, &file), 0, "to another reader");
	packets.count = 1;
	is(lttngmap_ring_file_get_packets(file, &packets), 0, "they are given again");
	ok(packets.count == 1 && packets.packets[0].sequence == 0, "as many as it asks for");
	packets.count = LTTNGMAP_PACKETS_MAX;
	is(lttngmap_ring_file_get_packets(file, &packets), 0, "and the others");
	ok(packets.count == 2 && packets.packets[1].sequence == 2, "in their order");
	is_string(text_of(file, &packets.packets[1]), "three", "with what was written last");
	is(lttngmap_ring_file_get_packets(file, &packets), -EAGAIN, "then there is no other");
	ok(!is_ready(lttngmap_ring_file_fd(file), 0), "and poll is quiet");
	packets.count = 0;
	is(lttngmap_ring_file_get_packets(file, &packets), -EINVAL, "none cannot be asked for");
	packets.count = LTTNGMAP_PACKETS_MAX + 1;
	is(lttngmap_ring_file_get_packets(file, &packets), -EINVAL,
	   "nor more than there is room for");
	lttngmap_ring_file_close(file);
	end_ring(&ring);
}

static void case_bounds(struct ring_server *server)
{
	struct lttngmap_ring_file *file = NULL;
	struct lttngmap_packet packet = { .length = SERVED_SUBBUF_SIZE };
	struct served_ring ring;

	start_ring(server, &ring);
	is(lttngmap_ring_file_open(ring.path, &file), 0, "a ring file is opened");
	ok(lttngmap_ring_file_data(file, &packet) != NULL, "a whole sub-buffer is inside");
	packet.offset = 1;
	ok(lttngmap_ring_file_data(file, &packet) == NULL, "one byte more is not");
	packet = (struct lttngmap_packet){ .offset = UINT32_MAX, .length = 2 };
	ok(lttngmap_ring_file_data(file, &packet) == NULL, "nor an offset beyond it");
	packet = (struct lttngmap_packet){ .offset = SERVED_SUBBUF_SIZE,
					   .length = UINT32_MAX - SERVED_SUBBUF_SIZE + 1 };
	ok(lttngmap_ring_file_data(file, &packet) == NULL, "nor a length that wraps around");
	packet = (struct lttngmap_packet){ .subbuf_id = SERVED_RINGS * (SERVED_SUBBUFS + 1) };
	ok(lttngmap_ring_file_data(file, &packet) == NULL, "nor a sub-buffer that is not there");
	packet.subbuf_id--;
	ok(lttngmap_ring_file_data(file, &packet) != NULL, "the last one is");
	lttngmap_ring_file_close(file);
	end_ring(&ring);
}

/* The process spoils the meta page: no reader may follow it outside. */
static void case_spoiled_meta(struct ring_server *server)
{
	static const struct {
		const char *name;
		uint32_t meta_page_size, subbuf_size, nr_subbufs;
	} spoiled[] = {
		{ "one sub-buffer too many", SERVED_META, SERVED_SUBBUF_SIZE,
		  SERVED_RINGS * (SERVED_SUBBUFS + 1) + 1 },
		{ "sizes whose product overflows", SERVED_META, 1u << 30, UINT32_MAX },
		{ "no sub-buffer", SERVED_META, SERVED_SUBBUF_SIZE, 0 },
		{ "a sub-buffer size that is no power of two", SERVED_META, 4097, 1 },
		{ "a sub-buffer size of 0", SERVED_META, 0, 1 },
		{ "a meta page that begins nowhere", 4095, SERVED_SUBBUF_SIZE, 1 },
		{ "a meta page of no size", 0, SERVED_SUBBUF_SIZE, 1 },
	};
	struct lttngmap_ring_file *file = NULL;
	struct served_ring ring;
	struct lttngmap_meta *meta, good;

	start_ring(server, &ring);
	meta = (struct lttngmap_meta *)ring.data;
	/* The daemon writes it when the first reader comes. */
	is(lttngmap_ring_file_open(ring.path, &file), 0, "a ring file is opened");
	lttngmap_ring_file_close(file);
	good = *meta;
	for (size_t i = 0; i < sizeof(spoiled) / sizeof(spoiled[0]); i++) {
		meta->meta.meta_page_size = spoiled[i].meta_page_size;
		meta->meta.subbuf_size = spoiled[i].subbuf_size;
		meta->meta.nr_subbufs = spoiled[i].nr_subbufs;
		is(lttngmap_ring_file_open(ring.path, &file), -EBADMSG, spoiled[i].name);
	}
	*meta = good;
	meta->magic++;
	is(lttngmap_ring_file_open(ring.path, &file), -ENODEV, "another magic");
	*meta = good;
	meta->major++;
	is(lttngmap_ring_file_open(ring.path, &file), -EPROTONOSUPPORT, "another major version");
	*meta = good;
	is(lttngmap_ring_file_open(ring.path, &file), 0, "whole again, it opens");
	lttngmap_ring_file_close(file);
	end_ring(&ring);
}

static void case_one_reader(struct ring_server *server)
{
	struct lttngmap_ring_file *file = NULL, *second = NULL;
	struct served_ring ring;

	start_ring(server, &ring);
	is(lttngmap_ring_file_open(ring.path, &file), 0, "a first reader is served");
	is(lttngmap_ring_file_open(ring.path, &second), -EBUSY, "a second one is told EBUSY");
	lttngmap_ring_file_close(file);
	is(lttngmap_ring_file_open(ring.path, &second), 0, "until the first closes");
	lttngmap_ring_file_close(second);
	end_ring(&ring);
}

/* A reader that took a packet and was killed. */
static void case_killed_reader(struct ring_server *server)
{
	struct lttngmap_ring_file *file = NULL;
	struct lttngmap_packet packet, first = { .sequence = UINT64_MAX };
	struct served_ring ring;
	int pipes[2];
	pid_t child;

	start_ring(server, &ring);
	served_ring_write(&ring, 0, "precious");
	served_ring_switch(&ring, 0);
	if (pipe(pipes) < 0 || (child = fork()) < 0)
		bail_out("fork: %s", strerror(errno));
	if (child == 0) {
		if (lttngmap_ring_file_open(ring.path, &file) == 0 &&
		    get_packet(file, &first, 0) == 0 && write(pipes[1], &first, sizeof(first)) > 0)
			pause();
		_exit(1);
	}
	close(pipes[1]);
	is(read(pipes[0], &first, sizeof(first)), sizeof(first), "a reader took a packet");
	close(pipes[0]);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	is(lttngmap_ring_file_open(ring.path, &file), 0, "was killed, and another one comes");
	is(get_packet(file, &packet, 0), 0, "who is given a packet");
	ok(memcmp(&packet, &first, sizeof(packet)) == 0, "the very same");
	is_string(text_of(file, &packet), "precious", "with its bytes");
	is(get_packet(file, &packet, 0), -EAGAIN, "once");
	lttngmap_ring_file_close(file);
	end_ring(&ring);
}

static void case_withdrawn(struct ring_server *server)
{
	struct lttngmap_ring_file *file = NULL, *late = NULL;
	struct lttngmap_packet packet;
	struct served_ring ring;

	start_ring(server, &ring);
	is(lttngmap_ring_file_open(ring.path, &file), 0, "a ring file is opened");
	is(get_packet(file, &packet, 0), -EAGAIN, "and empty");
	served_ring_write(&ring, 0, "kept");
	served_ring_withdraw(&ring);
	ok(becomes(ring.path, false), "it is withdrawn, and its name vanishes");
	ok(is_ready(lttngmap_ring_file_fd(file), PATIENCE_MS), "who polls it is woken");
	is(get_packet(file, &packet, 0), -ENODATA, "and told that it is over");
	is(lttngmap_ring_file_get_reader(file), -ENODATA, "by GET_READER too");
	is(lttngmap_ring_file_check_packet(file), -ENODATA, "and CHECK_PACKET");
	packet = (struct lttngmap_packet){ .length = 16 };
	is_string(text_of(file, &packet), "kept", "what was mapped stays readable");
	ok(lttngmap_ring_file_open(ring.path, &late) < 0, "nobody else can open it");
	lttngmap_ring_file_close(file);
	server->ops->remove_channel(server->mediator, SESSION, CHANNEL);
	served_ring_destroy(&ring);
}

static void case_finished(struct ring_server *server)
{
	struct lttngmap_ring_file *file = NULL;
	struct lttngmap_packet packet;
	struct served_ring ring;

	start_ring(server, &ring);
	is(lttngmap_ring_file_open(ring.path, &file), 0, "a ring file is opened");
	is(get_packet(file, &packet, 0), -EAGAIN, "and empty");
	served_ring_write(&ring, 2, "last words");
	ring_set_finish(ring.set);
	served_ring_notify(&ring);
	ok(is_ready(lttngmap_ring_file_fd(file), PATIENCE_MS), "its process ends: poll wakes");
	is(get_packet(file, &packet, 0), 0, "what stood in it is a packet");
	is_string(text_of(file, &packet), "last words", "with its bytes");
	is(get_packet(file, &packet, 0), -ENODATA, "and then it is over");
	lttngmap_ring_file_close(file);
	end_ring(&ring);
}

/* What is no ring file is not opened for one, whatever it is. */
static void case_other_files(struct ring_server *server)
{
	struct lttngmap_ring_file *file = NULL;
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/other", server->dir);
	is(lttngmap_ring_file_open(path, &file), -ENOENT, "a file that is not there");
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	is(lttngmap_ring_file_open(path, &file), -ENODEV, "an empty file");
	is(write(fd, "lttngmap-ring 1 5\n/no/such.sock\n", 32), 32, "(an announcement)");
	is(lttngmap_ring_file_open(path, &file), -ENOENT, "an announcement that leads nowhere");
	is(write(fd, "more", 4), 4, "(and more)");
	is(lttngmap_ring_file_open(path, &file), -ENODEV, "one that is not to the letter");
	close(fd);
	unlink(path);
	is(symlink("/dev/null", path), 0, "(a symbolic link)");
	is(lttngmap_ring_file_open(path, &file), -ENODEV, "a symbolic link");
	unlink(path);
	is(mkfifo(path, 0600), 0, "(a FIFO)");
	is(lttngmap_ring_file_open(path, &file), -ENODEV, "a FIFO");
	unlink(path);
	is(lttngmap_ring_file_open("/dev/zero", &file), -ENODEV, "a device");
}

/* The server ends while a ring is announced and read. */
static void case_server_ends(struct ring_server *server)
{
	const struct mediator_ops *ops = server->ops;
	struct lttngmap_ring_file *file = NULL;
	struct lttngmap_packet packet;
	struct served_ring ring;
	const char *why;

	start_ring(server, &ring);
	is(lttngmap_ring_file_open(ring.path, &file), 0, "a ring file is opened");
	served_ring_write(&ring, 0, "kept");
	ring_set_unpublish(ring.set);
	ring_set_put(ring.set);
	ring_server_stop(server);
	ok(access(server->dir, F_OK) < 0, "the server ends and leaves nothing behind");
	is(get_packet(file, &packet, 0), -ENOTCONN, "its reader is told");
	ok(is_ready(lttngmap_ring_file_fd(file), 0) ||
		   poll(&(struct pollfd){ .fd = lttngmap_ring_file_fd(file) }, 1, 0) == 1,
	   "by poll too");
	packet = (struct lttngmap_packet){ .length = 16 };
	is_string(text_of(file, &packet), "kept", "what was mapped stays readable");
	lttngmap_ring_file_close(file);
	munmap(ring.data, SERVED_SIZE);
	free(ring.rings);
	is(ring_server_start(server, ops, &why), 0, "another server starts");
}

/* All of them. The server is another one afterwards. */
static void mediator_cases(struct ring_server *server)
{
	case_announced(server);
	case_read(server);
	case_several(server);
	case_bounds(server);
	case_spoiled_meta(server);
	case_one_reader(server);
	case_killed_reader(server);
	case_withdrawn(server);
	case_finished(server);
	case_other_files(server);
	case_server_ends(server);
}

#endif /* MEDIATOR_CASES_H */
