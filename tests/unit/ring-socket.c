/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-socket serves readers as every mediator does; hostile messages cost
 * their sender's connection and nobody else's.
 */
#include "tests/unit/mediator-cases.h"

#include <grp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "common/protocol/protocol-ring.h"

static int connect_to(const struct ring_server *server)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", server->dir,
		 PROTOCOL_RING_SOCKET);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return fd;
}

static struct protocol_ring_message message_of(uint32_t type)
{
	return (struct protocol_ring_message){
		.magic = PROTOCOL_RING_MAGIC,
		.version = PROTOCOL_RING_VERSION,
		.type = type,
		.packet.cpu = LTTNGMAP_CPU_ANY,
	};
}

/* The server hung up on this connection. */
static bool is_closed(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	struct protocol_ring_message message;

	for (int messages = 0; messages < 10000 && poll(&wait, 1, PATIENCE_MS) == 1; messages++)
		if (recv(fd, &message, sizeof(message), MSG_DONTWAIT) <= 0)
			return true;
	return false;
}

static void refuse(const struct ring_server *server, const void *bytes, size_t size,
		   const char *name)
{
	int fd = connect_to(server);

	ok(fd >= 0 && send(fd, bytes, size, MSG_NOSIGNAL) == (ssize_t)size && is_closed(fd), "%s",
	   name);
	close(fd);
}

static void case_hostile(struct ring_server *server)
{
	struct protocol_ring_message message = message_of(PROTOCOL_RING_ATTACH);
	struct lttngmap_ring_file *file = NULL;
	struct lttngmap_packet packet;
	struct served_ring ring;
	char large[sizeof(message) + 1] = { 0 };

	start_ring(server, &ring);
	is(lttngmap_ring_file_open(ring.path, &file), 0, "a good reader is there");
	refuse(server, &message, sizeof(message) - 1, "a message too short closes the connection");
	memcpy(large, &message, sizeof(message));
	refuse(server, large, sizeof(large), "one too long");
	refuse(server, large, 1, "one byte");
	message.magic++;
	refuse(server, &message, sizeof(message), "another magic");
	message = message_of(PROTOCOL_RING_ATTACH);
	message.version++;
	refuse(server, &message, sizeof(message), "another version");
	message = message_of(PROTOCOL_RING_GET_PACKET);
	refuse(server, &message, sizeof(message), "GET_PACKET before ATTACH");
	message = message_of(PROTOCOL_RING_CHECK_PACKET);
	refuse(server, &message, sizeof(message), "CHECK_PACKET before ATTACH");
	message = message_of(PROTOCOL_RING_READY);
	refuse(server, &message, sizeof(message), "READY from a reader");
	message = message_of(99);
	refuse(server, &message, sizeof(message), "an unknown type");
	is(get_packet(file, &packet, 0), -EAGAIN, "the good reader is served all the time");
	lttngmap_ring_file_close(file);
	end_ring(&ring);
}

static int exchange(int fd, struct protocol_ring_message *message)
{
	if (send(fd, message, sizeof(*message), MSG_NOSIGNAL) < 0 ||
	    recv(fd, message, sizeof(*message), 0) != sizeof(*message))
		return -errno;
	return message->error;
}

static void case_attach(struct ring_server *server)
{
	struct protocol_ring_message message = message_of(PROTOCOL_RING_ATTACH);
	struct served_ring ring;
	int fd = connect_to(server);

	start_ring(server, &ring);
	message.ring = ring_set_id(ring.set) + 1000;
	is(exchange(fd, &message), -ENODATA, "a ring that was not announced cannot be attached");
	message.ring = ring_set_id(ring.set);
	is(exchange(fd, &message), 0, "but then another one");
	is(message.size, ring_set_data_size(ring.set), "whose size is told");
	message = message_of(PROTOCOL_RING_ATTACH);
	message.ring = ring_set_id(ring.set);
	send(fd, &message, sizeof(message), MSG_NOSIGNAL);
	ok(is_closed(fd), "attaching twice closes the connection");
	close(fd);
	end_ring(&ring);
}

/* Requests without end by one who reads no answer. */
static void case_flood(struct ring_server *server)
{
	struct protocol_ring_message message = message_of(PROTOCOL_RING_ATTACH);
	struct lttngmap_ring_file *file = NULL;
	struct served_ring ring;
	int fd = connect_to(server), sent;

	start_ring(server, &ring);
	message.ring = ring_set_id(ring.set);
	is(exchange(fd, &message), 0, "a reader attaches");
	message = message_of(PROTOCOL_RING_GET_PACKET);
	for (sent = 0; sent < 100000; sent++)
		if (send(fd, &message, sizeof(message), MSG_NOSIGNAL) < 0)
			break;
	ok(sent < 100000, "and asks without reading: closed after %d requests", sent);
	is(lttngmap_ring_file_open(ring.path, &file), 0, "the ring is another's then");
	lttngmap_ring_file_close(file);
	close(fd);
	end_ring(&ring);
}

/* READY that came before CHECK_PACKET's answer is not lost to poll. */
static void case_ready_kept(struct ring_server *server)
{
	struct lttngmap_ring_file *file = NULL;
	struct lttngmap_packet packet;
	struct served_ring ring;

	start_ring(server, &ring);
	is(lttngmap_ring_file_open(ring.path, &file), 0, "a ring file is opened");
	is(get_packet(file, &packet, 0), -EAGAIN, "and empty");
	served_ring_write(&ring, 0, "something");
	served_ring_switch(&ring, 0);
	served_ring_notify(&ring);
	is(lttngmap_ring_file_check_packet(file), -EINVAL, "a request takes READY off the socket");
	ok(is_ready(lttngmap_ring_file_fd(file), PATIENCE_MS), "poll says it nevertheless");
	is(get_packet(file, &packet, 0), 0, "and it is true");
	is(get_packet(file, &packet, 0), -EAGAIN, "once");
	ok(!is_ready(lttngmap_ring_file_fd(file), 0), "then poll is quiet");
	lttngmap_ring_file_close(file);
	end_ring(&ring);
}

/* The descriptor that a reader gets cannot write. */
static void case_read_only(struct ring_server *server)
{
	struct protocol_ring_message message = message_of(PROTOCOL_RING_ATTACH);
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec part = { .iov_base = &message, .iov_len = sizeof(message) };
	struct msghdr header = { .msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes) };
	struct served_ring ring;
	int memory = -1, fd = connect_to(server);
	void *map;

	start_ring(server, &ring);
	message.ring = ring_set_id(ring.set);
	send(fd, &message, sizeof(message), MSG_NOSIGNAL);
	ok(recvmsg(fd, &header, MSG_CMSG_CLOEXEC) == sizeof(message) && CMSG_FIRSTHDR(&header),
	   "attaching gives a descriptor");
	memcpy(&memory, CMSG_DATA(&control.align), sizeof(memory));
	is(fcntl(memory, F_GETFL) & O_ACCMODE, O_RDONLY, "which is for reading");
	map = mmap(NULL, SERVED_META, PROT_WRITE, MAP_SHARED, memory, 0);
	ok(map == MAP_FAILED && errno == EACCES, "it cannot be mapped to write");
	map = mmap(NULL, SERVED_META, PROT_READ, MAP_SHARED, memory, 0);
	ok(map != MAP_FAILED && mprotect(map, SERVED_META, PROT_READ | PROT_WRITE) < 0 &&
		   errno == EACCES,
	   "nor can the map be changed so");
	munmap(map, SERVED_META);
	close(memory);
	close(fd);
	end_ring(&ring);
}

/* Plays the daemon for one reader, as `uid`: its memory has so many bytes, it says. */
static __attribute__((noreturn)) void play_server(int listener, int ready, uid_t uid, int memory,
						  uint64_t size)
{
	struct protocol_ring_message message;
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct iovec part = { .iov_base = &message, .iov_len = sizeof(message) };
	struct msghdr header = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	int fd;

	/* The kernel tells a reader who it was that called listen(2). */
	if (setresuid(uid, uid, uid) < 0 || listen(listener, 1) < 0)
		_exit(1);
	close(ready);
	fd = accept(listener, NULL, NULL);
	if (fd < 0 || recv(fd, &message, sizeof(message), 0) != sizeof(message))
		_exit(1);
	message.size = size;
	control.align.cmsg_level = SOL_SOCKET;
	control.align.cmsg_type = SCM_RIGHTS;
	control.align.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.align), &memory, sizeof(int));
	_exit(sendmsg(fd, &header, MSG_NOSIGNAL) < 0);
}

/* What a reader says to a memory of a page with these seals, which is said to have `size` bytes. */
static int open_served(const struct ring_server *server, uid_t uid, unsigned int seals,
		       uint64_t size)
{
	int memory = memfd_create("served", MFD_CLOEXEC | MFD_ALLOW_SEALING), ready[2], error;
	int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct lttngmap_ring_file *file = NULL;
	char path[PATH_MAX], byte;
	FILE *announcement;
	pid_t child;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/other.sock", server->dir);
	snprintf(path, sizeof(path), "%s/other", server->dir);
	announcement = fopen(path, "we");
	if (!announcement || pipe(ready) < 0 || ftruncate(memory, 4096) < 0 ||
	    fcntl(memory, F_ADD_SEALS, seals) < 0 ||
	    bind(listener, (const struct sockaddr *)&address, sizeof(address)) < 0)
		bail_out("there is no server to be played");
	fprintf(announcement, "%s7\n%s\n", PROTOCOL_RING_ANNOUNCEMENT, address.sun_path);
	fclose(announcement);
	child = fork();
	if (child == 0) {
		close(ready[0]);
		play_server(listener, ready[1], uid, memory, size);
	}
	close(ready[1]);
	(void)!read(ready[0], &byte, 1);
	error = lttngmap_ring_file_open(path, &file);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ready[0]);
	close(listener);
	close(memory);
	unlink(address.sun_path);
	unlink(path);
	return error;
}

/* Neither a daemon that is mistaken nor who sits in its place makes a reader touch what is not
 * there. */
static void case_other_server(struct ring_server *server)
{
	is(open_served(server, geteuid(), F_SEAL_SHRINK, 4096), -ENODEV,
	   "a memory that is no ring is mapped, and looked at");
	is(open_served(server, geteuid(), 0, 4096), -EPROTO, "one that may shrink is not");
	is(open_served(server, geteuid(), F_SEAL_SHRINK, 8192), -EPROTO,
	   "nor one that is smaller than was said");
	if (geteuid() == 0)
		is(open_served(server, 65534, F_SEAL_SHRINK, 4096), -EPERM,
		   "nor is another user listened to");
	else
		skip(1, "only root can be somebody else");
}

static void case_foreign_user(struct ring_server *server)
{
	struct protocol_ring_message message = message_of(PROTOCOL_RING_ATTACH);
	char path[PATH_MAX];
	int status = -1;
	pid_t child;

	if (geteuid() != 0) {
		skip(1, "only root can be somebody else");
		return;
	}
	/* Let the rights of the files be, so that SO_PEERCRED is what refuses. */
	snprintf(path, sizeof(path), "%s/%s", server->dir, PROTOCOL_RING_SOCKET);
	chmod(server->dir, 0755);
	chmod(path, 0666);
	child = fork();
	if (child == 0) {
		int fd;

		if (setgroups(0, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0)
			_exit(1);
		fd = connect_to(server);
		if (fd < 0)
			_exit(2);
		send(fd, &message, sizeof(message), MSG_NOSIGNAL);
		_exit(recv(fd, &message, sizeof(message), 0) <= 0 ? 0 : 3);
	}
	waitpid(child, &status, 0);
	is(status, 0, "another user is not served");
	chmod(server->dir, 0700);
}

/* Whoever connects and says nothing is closed, here after 4 s. */
static void case_silent(struct ring_server *server)
{
	int fd = connect_to(server);
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	ok(poll(&wait, 1, PATIENCE_MS) == 1 && wait.revents & POLLHUP,
	   "who says nothing is closed");
	close(fd);
}

int main(void)
{
	struct ring_server server;
	const char *why = NULL;
	int error;

	urcu_memb_register_thread();
	error = ring_server_start(&server, &ring_socket_mediator, &why);
	if (error)
		bail_out("ring-socket: %s: %s", why, strerror(-error));
	mediator_cases(&server);
	case_hostile(&server);
	case_attach(&server);
	case_flood(&server);
	case_ready_kept(&server);
	case_read_only(&server);
	case_foreign_user(&server);
	case_other_server(&server);
	case_silent(&server);
	ring_server_stop(&server);
	ok(access(server.dir, F_OK) < 0, "nothing is left behind");
	urcu_memb_unregister_thread();
	return done_testing();
}
