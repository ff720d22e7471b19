/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A pidfd of who connected, and never of who has its pid by now: while the peer lives, as
 * a zombie, reaped, and with its pid given to another process. Asked of this kernel, and of
 * older ones, which a seccomp filter plays: before 6.5, which has no SO_PEERPIDFD, and 6.5 to
 * 6.15, which have none of who was reaped.
 */
#include "sessiond/base/peer.h"

#include <errno.h>
#include <poll.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "common/base/socket.h"
#include "tests/utils/reused-pid.h"
#include "tests/utils/tap.h"

#define SO_PEERPIDFD_NUMBER 77
#define STRANGER 64124
#define OTHER 64125

static int listener;
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static socklen_t address_size;

/* A peer: `child` of another user connects, and leaves its end to a child of its own. */
struct peer {
	pid_t child;
	int socket;
	int end;    /* what closes it ends the peer */
	int keeper; /* of the peer's end: what closes it ends that */
	struct ucred credentials;
};

static __attribute__((noreturn)) void be_peer(int end, int keeper)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	char byte;

	if (geteuid() == 0 && setresuid(STRANGER, STRANGER, STRANGER) != 0)
		_exit(1);
	if (connect(fd, (struct sockaddr *)&address, address_size) != 0)
		_exit(1);
	if (fork() == 0) {
		(void)!read(keeper, &byte, 1);
		_exit(0);
	}
	(void)!read(end, &byte, 1);
	_exit(0);
}

static void make_peer(struct peer *peer)
{
	int end[2], keeper[2];

	if (pipe(end) != 0 || pipe(keeper) != 0)
		bail_out("pipe");
	peer->child = fork();
	if (peer->child == 0) {
		close(end[1]);
		close(keeper[1]);
		be_peer(end[0], keeper[0]);
	}
	close(end[0]);
	close(keeper[0]);
	peer->end = end[1];
	peer->keeper = keeper[1];
	peer->socket = accept(listener, NULL, NULL);
	if (peer->socket < 0 || socket_peer(peer->socket, &peer->credentials) != 0)
		bail_out("accept");
	is(peer->credentials.pid, peer->child, "the socket is the peer's");
}

static void drop_peer(struct peer *peer)
{
	if (peer->keeper >= 0)
		close(peer->keeper);
	close(peer->socket);
}

static int answer_of(const struct peer *peer)
{
	int fd = peer_open_pidfd(peer->socket, &peer->credentials);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* A child of `uid` that has the pid, which is free. */
static pid_t take_pid(pid_t pid, uid_t uid)
{
	int ready[2];
	char byte;
	pid_t child;

	if (pipe(ready) != 0)
		bail_out("pipe");
	child = fork_as(pid);
	if (child == 0) {
		if (setresuid(uid, uid, uid) == 0)
			(void)!write(ready[1], "r", 1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (child != pid || read(ready[0], &byte, 1) != 1)
		bail_out("pid %d cannot be had again: %s", pid, strerror(errno));
	close(ready[0]);
	return child;
}

/* Before Linux 6.5 nothing tells a process of the same user from the peer, until that has hung up.
 */
static void test_reused(struct peer *peer, bool is_exact)
{
	struct pollfd end = { .fd = peer->socket };

	pid_t other = take_pid(peer->child, OTHER);

	is(answer_of(peer), -ESRCH, "whose pid another user's process has, there is none");
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	if (!is_exact) {
		close(peer->keeper);
		peer->keeper = -1;
		poll(&end, 1, -1);
	}
	other = take_pid(peer->child, STRANGER);
	is(answer_of(peer), -ESRCH, "whose pid a process of the same user has, neither");
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

/* How a kernel answers who asks for a peer's pidfd. */
enum kernel {
	HERE,
	BEFORE_6_16, /* as of a peer that was reaped */
	BEFORE_6_5,
};

static void test_kernel(enum kernel kernel)
{
	struct peer peer;
	siginfo_t info;

	make_peer(&peer);
	is(answer_of(&peer), kernel == BEFORE_6_16 ? -ESRCH : 0, "who lives has a pidfd");
	close(peer.end);
	waitid(P_PID, (id_t)peer.child, &info, WEXITED | WNOWAIT);
	is(answer_of(&peer), -ESRCH, "who is a zombie has ended");
	waitpid(peer.child, NULL, 0);
	is(answer_of(&peer), -ESRCH, "who was reaped, too");
	if (geteuid() == 0)
		test_reused(&peer, kernel != BEFORE_6_5);
	else
		skip(2, "who may choose a process id is root");
	drop_peer(&peer);
}

/* The filter that was loaded last counts. */
static void play_kernel(int error)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	if (!filter ||
	    seccomp_rule_add(filter, SCMP_ACT_ERRNO((uint32_t)error), SCMP_SYS(getsockopt), 1,
			     SCMP_A2(SCMP_CMP_EQ, SO_PEERPIDFD_NUMBER, 0)) != 0 ||
	    seccomp_load(filter) != 0)
		bail_out("no seccomp filter");
	seccomp_release(filter);
}

int main(void)
{
	socklen_t size = sizeof(sa_family_t);

	/* An address of the kernel's choice, which any user may connect to. */
	listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
	    listen(listener, 8) != 0)
		bail_out("no socket: %s", strerror(errno));
	address_size = sizeof(address);
	if (getsockname(listener, (struct sockaddr *)&address, &address_size) != 0)
		bail_out("no address");
	diag("this kernel");
	test_kernel(HERE);
	diag("Linux 6.5 to 6.15, of a peer that was reaped");
	play_kernel(EINVAL);
	test_kernel(BEFORE_6_16);
	diag("Linux before 6.5");
	play_kernel(ENOPROTOOPT);
	test_kernel(BEFORE_6_5);
	return done_testing();
}
