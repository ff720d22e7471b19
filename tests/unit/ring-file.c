/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The reader library facing a daemon that answers wrongly or not at all: it
 * must refuse, and never map what could raise SIGBUS.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/protocol/protocol-ring.h"
#include "tests/utils/tap.h"

#define SUBBUF 4096u
#define SIZE (4096u + 4 * SUBBUF)

static char dir[] = "/tmp/lttngmap-test.XXXXXX";
static char socket_path[80], announcement[80];

/* How the daemon answers ATTACH, and whether it answers anything after it. */
struct script {
	const char *name;
	int expected;
	uint32_t type;  /* 0: the right one */
	uint32_t magic; /* added to the right one */
	int error;
	uint64_t size; /* of the memory, as told */
	int seals;
	size_t cut;     /* bytes that the answer is too short */
	bool no_memory; /* pass no descriptor */
	bool hang_up;
	bool silent;
	unsigned ready; /* READY messages before the answer */
	/* Of GET_PACKETS, which is not answered where none is sent. */
	uint64_t packets_told;
	size_t packets_sent;
};

static int make_memory(int seals)
{
	int fd = memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct lttngmap_meta meta = {
		.meta = { .meta_page_size = 4096,
			  .meta_struct_len = sizeof(meta),
			  .subbuf_size = SUBBUF,
			  .nr_subbufs = 4 },
		.magic = LTTNGMAP_META_MAGIC,
		.major = LTTNGMAP_ABI_MAJOR,
	};

	if (fd < 0 || ftruncate(fd, SIZE) < 0 || pwrite(fd, &meta, sizeof(meta), 0) < 0 ||
	    fcntl(fd, F_ADD_SEALS, seals) < 0)
		bail_out("memory: %s", strerror(errno));
	return fd;
}

static void send_answer(int fd, const struct protocol_ring_message *message, size_t size,
			int memory)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct iovec part = { .iov_base = (void *)message, .iov_len = size };
	struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };

	if (memory >= 0) {
		header.msg_control = control.bytes;
		header.msg_controllen = sizeof(control.bytes);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.align), &memory, sizeof(int));
	}
	sendmsg(fd, &header, MSG_NOSIGNAL);
}

static void answer(int fd, const struct script *script)
{
	struct protocol_ring_message message = {
		.magic = PROTOCOL_RING_MAGIC,
		.version = PROTOCOL_RING_VERSION,
		.type = PROTOCOL_RING_READY,
	};
	int memory = script->no_memory ? -1 : make_memory(script->seals);

	for (unsigned i = 0; i < script->ready; i++)
		send_answer(fd, &message, sizeof(message), -1);
	message.magic += script->magic;
	message.type = script->type ? script->type : PROTOCOL_RING_ATTACH;
	message.error = script->error;
	message.size = script->size;
	send_answer(fd, &message, sizeof(message) - script->cut, memory);
	if (memory >= 0)
		close(memory);
}

static void answer_packets(int fd, const struct script *script)
{
	struct protocol_ring_packets packets = {
		.message = {
			.magic = PROTOCOL_RING_MAGIC,
			.version = PROTOCOL_RING_VERSION,
			.type = PROTOCOL_RING_GET_PACKETS,
			.size = script->packets_told,
		},
	};

	send_answer(fd, &packets.message,
		    sizeof(packets.message) + (script->packets_sent - 1) * sizeof(packets.more[0]),
		    -1);
}

struct daemon {
	int listener;
	const struct script *script;
};

static void *serve(void *data)
{
	const struct daemon *daemon = data;
	struct protocol_ring_message message;
	int fd = accept4(daemon->listener, NULL, NULL, SOCK_CLOEXEC);

	if (recv(fd, &message, sizeof(message), 0) > 0 && !daemon->script->hang_up &&
	    !daemon->script->silent)
		answer(fd, daemon->script);
	/* What else comes later is never answered. */
	while (!daemon->script->hang_up && recv(fd, &message, sizeof(message), 0) > 0)
		if (message.type == PROTOCOL_RING_GET_PACKETS && daemon->script->packets_sent)
			answer_packets(fd, daemon->script);
	close(fd);
	return NULL;
}

/* Opens the ring as `script` answers. */
static int open_ring(int listener, const struct script *script, struct lttngmap_ring_file **file,
		     pthread_t *thread, struct daemon *daemon)
{
	*daemon = (struct daemon){ .listener = listener, .script = script };
	pthread_create(thread, NULL, serve, daemon);
	return lttngmap_ring_file_open(announcement, file);
}

static int start_daemon(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	char text[200];

	if (!mkdtemp(dir))
		bail_out("%s: %s", dir, strerror(errno));
	snprintf(socket_path, sizeof(socket_path), "%s/ring.sock", dir);
	snprintf(announcement, sizeof(announcement), "%s/announcement", dir);
	strcpy(address.sun_path, socket_path);
	snprintf(text, sizeof(text), "%s1\n%s\n", PROTOCOL_RING_ANNOUNCEMENT, socket_path);
	fd = open(announcement, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (fd < 0 || write(fd, text, strlen(text)) < 0 ||
	    bind(listener, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(listener, 1) < 0)
		bail_out("%s: %s", dir, strerror(errno));
	close(fd);
	return listener;
}

static const struct script scripts[] = {
	{ "a memory that may shrink is refused", -EPROTO, .size = SIZE },
	{ "one that may only not grow", -EPROTO, .size = SIZE, .seals = F_SEAL_GROW },
	{ "one smaller than was told", -EPROTO, .size = SIZE + 1, .seals = F_SEAL_SHRINK },
	{ "a size below a page", -EBADMSG, .size = 4095, .seals = F_SEAL_SHRINK },
	{ "a size that cannot be", -EPROTO, .size = UINT64_MAX, .seals = F_SEAL_SHRINK },
	{ "a size that its sub-buffers exceed", -EBADMSG, .size = SIZE - 1,
	  .seals = F_SEAL_SHRINK },
	{ "an answer without a descriptor", -EPROTO, .size = SIZE, .no_memory = true },
	{ "an answer of another type", -EPROTO, .size = SIZE, .seals = F_SEAL_SHRINK,
	  .type = PROTOCOL_RING_GET_PACKET },
	{ "an answer with another magic", -EPROTO, .size = SIZE, .seals = F_SEAL_SHRINK,
	  .magic = 1 },
	{ "a positive error", -EPROTO, .size = SIZE, .seals = F_SEAL_SHRINK, .error = 5 },
	{ "an answer too short", -EPROTO, .size = SIZE, .seals = F_SEAL_SHRINK, .cut = 1 },
	{ "an error is handed on, its descriptor is not", -EBUSY, .size = SIZE, .error = -EBUSY },
	{ "a daemon that hangs up", -ENOTCONN, .hang_up = true },
	{ "a daemon that says nothing: after 5 s", -ETIMEDOUT, .silent = true },
};

static int count_fds(void)
{
	int count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void case_wrong_answers(int listener)
{
	int before = count_fds();

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		struct lttngmap_ring_file *file;
		struct daemon daemon;
		pthread_t thread;

		is(open_ring(listener, &scripts[i], &file, &thread, &daemon), scripts[i].expected,
		   scripts[i].name);
		if (file)
			lttngmap_ring_file_close(file);
		pthread_join(thread, NULL);
	}
	is(count_fds(), before, "no descriptor is left open");
}

/* Two packets are asked for. */
static void case_packets(int listener)
{
	static const struct {
		const char *name;
		uint64_t told;
		size_t sent;
		int expected;
	} answers[] = {
		{ "two packets", 2, 2, 0 },
		{ "one packet", 1, 1, 0 },
		{ "more than were asked for", 3, 3, -EPROTO },
		{ "more than there can be", LTTNGMAP_PACKETS_MAX + 1, 1, -EPROTO },
		{ "none", 0, 1, -EPROTO },
		{ "fewer than are told", 2, 1, -EPROTO },
		{ "more than are told", 1, 2, -EPROTO },
	};

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct script script = { .size = SIZE,
					 .seals = F_SEAL_SHRINK,
					 .packets_told = answers[i].told,
					 .packets_sent = answers[i].sent };
		struct lttngmap_packets packets = { .count = 2,
						    .packets = { { .cpu = LTTNGMAP_CPU_ANY } } };
		struct lttngmap_ring_file *file;
		struct daemon daemon;
		pthread_t thread;

		if (open_ring(listener, &script, &file, &thread, &daemon) != 0)
			bail_out("the ring is not opened");
		is(lttngmap_ring_file_get_packets(file, &packets), answers[i].expected,
		   answers[i].name);
		lttngmap_ring_file_close(file);
		pthread_join(thread, NULL);
	}
}

/* The daemon falls silent later: the call ends, and none works from then on. */
static void case_silent_later(int listener)
{
	static const struct script good = { .size = SIZE, .seals = F_SEAL_SHRINK, .ready = 3 };
	struct lttngmap_packet packet = { .cpu = LTTNGMAP_CPU_ANY };
	struct lttngmap_ring_file *file;
	struct daemon daemon;
	struct pollfd wait;
	pthread_t thread;

	is(open_ring(listener, &good, &file, &thread, &daemon), 0,
	   "a good answer is found behind other messages");
	is(lttngmap_ring_file_get_packet(file, &packet), -ETIMEDOUT,
	   "a request without an answer ends after 5 s");
	is(lttngmap_ring_file_get_packet(file, &packet), -ENOTCONN, "and the next one at once");
	wait = (struct pollfd){ .fd = lttngmap_ring_file_fd(file), .events = POLLIN };
	ok(poll(&wait, 1, 0) == 1 && wait.revents & POLLHUP, "poll says that it is over");
	lttngmap_ring_file_close(file);
	pthread_join(thread, NULL);
}

/* Somebody else than the announcement's owner listens: here a user, for root's. */
static void case_other_server(void)
{
	struct lttngmap_ring_file *file;
	int pipes[2], ready = 0;
	pid_t child;

	if (geteuid() != 0 || pipe(pipes) < 0) {
		skip(1, "only root can be somebody else");
		return;
	}
	unlink(socket_path);
	chmod(dir, 0777);
	child = fork();
	if (child == 0) {
		struct sockaddr_un address = { .sun_family = AF_UNIX };
		int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

		strcpy(address.sun_path, socket_path);
		if (setgroups(0, NULL) == 0 && setgid(65534) == 0 && setuid(65534) == 0 &&
		    bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
		    listen(fd, 1) == 0 && write(pipes[1], "1", 1) == 1)
			pause();
		_exit(1);
	}
	close(pipes[1]);
	ready = read(pipes[0], &ready, 1) == 1;
	close(pipes[0]);
	is(ready ? lttngmap_ring_file_open(announcement, &file) : 0, -EPERM,
	   "another user's socket behind root's announcement");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* A file of another user's in a place where he should not be. */
static void case_other_owner(void)
{
	struct lttngmap_ring_file *file;
	int status = -1;
	pid_t child;

	if (geteuid() != 0 || chown(announcement, 65533, 65533) < 0) {
		skip(1, "only root can be somebody else");
		return;
	}
	chmod(dir, 0755);
	child = fork();
	if (child == 0) {
		if (setgroups(0, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0)
			_exit(1);
		_exit(lttngmap_ring_file_open(announcement, &file) == -EPERM ? 0 : 2);
	}
	waitpid(child, &status, 0);
	is(status, 0, "another user's file is not opened");
}

int main(void)
{
	int listener = start_daemon();

	case_wrong_answers(listener);
	case_packets(listener);
	case_silent_later(listener);
	close(listener);
	case_other_server();
	case_other_owner();
	unlink(announcement);
	unlink(socket_path);
	is(rmdir(dir), 0, "nothing is left behind");
	return done_testing();
}
