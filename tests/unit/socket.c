/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* socket.c - sockets with the right rights, and messages with descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/socket.h"
#include "tests/utils/tap.h"

static char directory[] = "/tmp/lttngmap-socket.XXXXXX";

static const char *path_of(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

/* Open descriptors of this process, without the one that counts. */
static unsigned count_fds(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static bool is_cloexec(int fd)
{
	return fcntl(fd, F_GETFD) & FD_CLOEXEC;
}

static void check_listen(void)
{
	int listener = -1, other = -1, file;
	struct stat status;

	umask(0022);
	is(socket_listen(path_of("s"), SOCK_SEQPACKET | SOCK_NONBLOCK, 0600, &listener), 0,
	   "a socket");
	ok(stat(path_of("s"), &status) == 0 && S_ISSOCK(status.st_mode), "is there");
	is(status.st_mode & 0777, 0600, "with the rights that were asked for");
	ok(is_cloexec(listener), "and is closed at exec");
	is(socket_listen(path_of("s"), SOCK_SEQPACKET, 0600, &other), -EADDRINUSE,
	   "its place is taken");
	close(listener);
	is(socket_connect(path_of("s"), SOCK_SEQPACKET, &other), -ECONNREFUSED,
	   "a dead process may leave it behind");
	is(socket_listen(path_of("s"), SOCK_SEQPACKET, 0666, &listener), 0, "which is replaced");
	ok(stat(path_of("s"), &status) == 0 && (status.st_mode & 0777) == 0644,
	   "the umask takes rights away");
	close(listener);
	unlink(path_of("s"));

	file = open(path_of("f"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	is(socket_listen(path_of("f"), SOCK_SEQPACKET, 0600, &other), -EADDRINUSE,
	   "a file that is no socket is not replaced");
	ok(access(path_of("f"), F_OK) == 0, "and stays");
	close(file);
	unlink(path_of("f"));
	is(other, -1, "failures store nothing");
}

static void check_paths(void)
{
	char path[SOCKET_PATH_MAX + 2];
	int fd = -1;

	memset(path, 'a', sizeof(path));
	memcpy(path, directory, sizeof(directory) - 1);
	path[sizeof(directory) - 1] = '/';
	path[SOCKET_PATH_MAX + 1] = '\0';
	is(socket_listen(path, SOCK_SEQPACKET, 0600, &fd), -ENAMETOOLONG, "108 bytes are too long");
	is(socket_connect(path, SOCK_SEQPACKET, &fd), -ENAMETOOLONG, "to connect also");
	path[SOCKET_PATH_MAX] = '\0';
	is(socket_listen(path, SOCK_SEQPACKET, 0600, &fd), 0, "107 bytes are not");
	close(fd);
	unlink(path);
	is(socket_connect(path, SOCK_SEQPACKET, &fd), -ENOENT, "nobody there");
	is(socket_listen("", SOCK_SEQPACKET, 0600, &fd), -ENOENT,
	   "an empty path is not a name of the kernel's choice");
	is(socket_listen("/nonexistent/s", SOCK_SEQPACKET, 0600, &fd), -ENOENT, "nor a folder");
}

static void check_connection(void)
{
	int listener, client, server = -1;
	struct ucred peer;

	if (socket_listen(path_of("s"), SOCK_SEQPACKET | SOCK_NONBLOCK, 0600, &listener) < 0)
		bail_out("no socket");
	is(socket_accept(listener, 0, &server), -EAGAIN, "nobody to accept");
	is(socket_connect(path_of("s"), SOCK_SEQPACKET, &client), 0, "somebody connects");
	is(socket_wait(listener, POLLIN, 1000), 0, "is waited for");
	is(socket_accept(listener, SOCK_NONBLOCK, &server), 0, "is accepted");
	ok(is_cloexec(client) && is_cloexec(server), "both ends are closed at exec");
	ok(fcntl(server, F_GETFL) & O_NONBLOCK, "it does not block, as asked");
	ok(socket_peer(server, &peer) == 0 && peer.pid == getpid() && peer.uid == getuid(),
	   "the peer is this process");
	is(socket_wait(server, POLLIN, 20), -ETIMEDOUT, "it says nothing");
	close(client);
	is(socket_receive(server, &peer, sizeof(peer), 0, NULL, NULL), 0, "its end");
	is(socket_send(server, "x", 1, NULL, 0), -EPIPE, "writing to it raises no signal");
	close(server);
	close(listener);
	unlink(path_of("s"));
}

static void check_descriptors(int *pair)
{
	int fds[SOCKET_FDS_MAX + 1], received[SOCKET_FDS_MAX];
	unsigned before = count_fds(), bad = 0;
	size_t nr_fds = SOCKET_FDS_MAX;
	char bytes[16];

	for (unsigned i = 0; i <= SOCKET_FDS_MAX; i++)
		fds[i] = pair[0];
	is(socket_send(pair[0], "abc", 3, fds, SOCKET_FDS_MAX), 0, "253 descriptors");
	is(socket_receive(pair[1], bytes, sizeof(bytes), 0, received, &nr_fds), 3, "arrive");
	is(nr_fds, SOCKET_FDS_MAX, "all of them");
	for (size_t i = 0; i < nr_fds; i++) {
		bad += !is_cloexec(received[i]);
		close(received[i]);
	}
	is(bad, 0, "closed at exec");
	is(socket_send(pair[0], "abc", 3, fds, SOCKET_FDS_MAX + 1), -EINVAL, "254 do not go");

	/* The kernel's count is rounded up: it lets 2 through here. */
	socket_send(pair[0], "abc", 3, fds, 5);
	nr_fds = 1;
	is(socket_receive(pair[1], bytes, sizeof(bytes), 0, received, &nr_fds), 3,
	   "5 descriptors where 1 is awaited");
	is(nr_fds, 1, "are 1");
	close(received[0]);
	socket_send(pair[0], "abc", 3, fds, 5);
	is(socket_receive(pair[1], bytes, sizeof(bytes), 0, NULL, NULL), 3, "or none");
	socket_send(pair[0], "abcdef", 6, fds, 3);
	nr_fds = 3;
	is(socket_receive(pair[1], bytes, 5, 0, received, &nr_fds), -EMSGSIZE,
	   "a message that is too large");
	is(nr_fds, 0, "loses them");
	is(count_fds(), before, "no descriptor is left open");
	nr_fds = 3;
	is(socket_receive(pair[1], bytes, 5, MSG_DONTWAIT, received, &nr_fds), -EAGAIN, "all gone");
	is(nr_fds, 0, "and no descriptors");
}

static void check_full(int *pair)
{
	static char large[65536];
	int error;

	do {
		error = socket_send(pair[0], large, sizeof(large), NULL, 0);
	} while (error == 0);
	is(error, -EAGAIN, "sending never blocks");
	is(socket_wait(pair[0], POLLOUT, 20), -ETIMEDOUT, "there is no room");
	while (socket_receive(pair[1], large, sizeof(large), MSG_DONTWAIT, NULL, NULL) > 0)
		;
	is(socket_wait(pair[0], POLLOUT, 1000), 0, "now there is");
}

static void do_nothing(int number)
{
	(void)number;
}

static void check_signals(int *pair)
{
	struct sigaction action = { .sa_handler = do_nothing };
	char byte;

	sigaction(SIGALRM, &action, NULL);
	ualarm(10000, 10000);
	is(socket_wait(pair[0], POLLIN, 100), -ETIMEDOUT, "signals do not end a wait");
	ualarm(0, 0);
	socket_send(pair[1], "x", 1, NULL, 0);
	is(socket_receive(pair[0], &byte, 1, 0, NULL, NULL), 1, "nor a message");
}

static bool has_message(const char *bytes, ssize_t size, const int *sent)
{
	int pair[2];
	bool has;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		bail_out("no sockets");
	if (size >= 0)
		socket_send(pair[0], bytes, (size_t)size, sent, sent ? 1 : 0);
	close(pair[0]);
	has = socket_has_message(pair[1]);
	close(pair[1]);
	return has;
}

/* As on a kernel that cannot refuse descriptors: a message with some stays where it is. */
static void check_unrefused(const int pair[2])
{
	int sent = STDERR_FILENO, taken = -1;
	size_t room = 1;
	char byte;

	ok(socket_is_refusing_fds(), "nothing was asked of the kernel");
	is(socket_refuse_fds(-1), -EBADF, "the kernel cannot refuse");
	ok(!socket_is_refusing_fds(), "which is known");
	is(socket_send(pair[0], "a", 1, NULL, 0), 0, "a message without descriptors");
	is(socket_send(pair[0], "b", 1, &sent, 1), 0, "one with");
	ok(!socket_has_fds(pair[1]), "the first has none");
	is(socket_receive(pair[1], &byte, 1, MSG_DONTWAIT, NULL, NULL), 1, "and is received");
	ok(socket_has_fds(pair[1]), "the second has one");
	is(socket_receive(pair[1], &byte, 1, MSG_DONTWAIT, NULL, NULL), -EPERM, "and is not");
	is(socket_receive(pair[1], &byte, 1, MSG_DONTWAIT | MSG_PEEK, NULL, NULL), -EPERM,
	   "nor looked at");
	is(socket_receive(pair[1], &byte, 1, MSG_DONTWAIT, &taken, &room), 1,
	   "but by who asks for descriptors");
	close(taken);
	ok(!has_message(NULL, -1, NULL), "who hung up sent nothing");
	ok(has_message("x", 1, NULL), "a message that was sent before is seen");
	ok(has_message("", 0, NULL), "an empty one, too");
	ok(has_message("", 0, &sent), "and with a descriptor");
}

/* Each message says who sent it, and has descriptors or none as before. */
static void check_sender(const int pair[2])
{
	int sent = STDERR_FILENO, before = dup(sent), after;
	struct ucred sender = { .pid = 0 };
	char byte;

	close(before);
	is(socket_pass_sender(pair[1]), 0, "senders are asked for");
	is(socket_sender(pair[1], &sender), -EAGAIN, "there is no message");
	is(socket_send(pair[0], "a", 1, NULL, 0), 0, "a message without descriptors");
	is(socket_send(pair[0], "b", 1, &sent, 1), 0, "one with");
	is(socket_sender(pair[1], &sender), 0, "the first has a sender");
	ok(sender.pid == getpid() && sender.uid == getuid(), "this process");
	ok(!socket_has_fds(pair[1]), "and no descriptor");
	sender = (struct ucred){ .pid = 0 };
	is(socket_peek(pair[1], &byte, 1, &sender), 1, "both are had by one call");
	ok(byte == 'a' && sender.pid == getpid() && sender.uid == getuid(), "as they are");
	is(socket_peek(pair[1], &byte, 0, &sender), -EMSGSIZE, "that says if it is too large");
	is(socket_receive(pair[1], &byte, 1, MSG_DONTWAIT, NULL, NULL), 1, "it is received");
	is(socket_sender(pair[1], &sender), 0, "the second has a sender, too");
	is(socket_peek(pair[1], &byte, 1, &sender), -EPERM, "it is not looked at");
	ok(socket_has_fds(pair[1]), "and a descriptor");
	is(socket_receive(pair[1], &byte, 1, MSG_DONTWAIT, NULL, NULL), -EPERM, "and is not");
	after = dup(sent);
	is(after, before, "no descriptor came by looking");
	close(after);
}

int main(void)
{
	int pair[2];

	if (!mkdtemp(directory) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		bail_out("no directory or sockets");
	check_listen();
	check_paths();
	check_connection();
	check_descriptors(pair);
	check_full(pair);
	check_signals(pair);
	check_unrefused(pair);
	check_sender(pair);
	is(rmdir(directory), 0, "no file is left");
	return done_testing();
}
