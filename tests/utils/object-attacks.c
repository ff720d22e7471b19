/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/utils/object-attacks.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"

#define BELL_ROUNDS 20
#define BELL_MS 50
#define STRANGER 65534
#define ATTACK_SECONDS 30

int64_t object_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void object_pause_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static struct sessiond sessiond; /* that is attacked */
static pid_t attackers[OBJECT_ATTACKERS_MAX];
static int nr_attackers; /* an attacker's own number */
static int ready[2];     /* a byte of each attacker that has begun */

static void begin(void)
{
	if (write(ready[1], "x", 1) != 1)
		_exit(1);
}

static void become_stranger(void)
{
	if (geteuid() == 0 && (setresgid(STRANGER, STRANGER, STRANGER) != 0 ||
			       setresuid(STRANGER, STRANGER, STRANGER) != 0))
		_exit(1);
	/* Another user's process forgets whom it is not to outlive. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void hanging_place(pid_t attacker, char place[64])
{
	snprintf(place, 64, "/tmp/lttngmap-hang.%d", (int)attacker);
}

/* In a mount namespace of our own, as root: a file that never answers. Its pages. */
static char *map_hanging_file(void)
{
	const char *build = getenv("LTTNGMAP_BUILD");
	char place[64], program[PATH_MAX];
	struct stat status = { .st_size = 0 };
	void *map;
	int fd;

	hanging_place(getpid(), place);
	fd = open(place, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || unshare(CLONE_NEWNS) != 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		_exit(2);
	close(fd);
	snprintf(program, sizeof(program), "%s/tests/utils/hanging-file", build ? build : ".");
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(program, program, place, NULL);
		_exit(127);
	}
	for (int i = 0; i < 500 && status.st_size == 0; i++) {
		object_pause_ms(10);
		(void)!stat(place, &status);
	}
	fd = open(place, O_RDONLY | O_CLOEXEC);
	map = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (status.st_size == 0 || map == MAP_FAILED)
		_exit(3);
	return map;
}

/*
 * All ring at the same instants. The daemon learns of all at once and reads one after
 * the other: whoever empties its counter meanwhile has it wait, after the last round for ever.
 */
void attack_bell(void)
{
	static struct app_answer answer;
	uint64_t count = 1;
	const struct iovec to = { &count, sizeof(count) };
	int fd;

	become_stranger();
	app_register(app_connect(&sessiond), 0, NULL, 0, 0, &answer);
	if (answer.nr_fds <= PROTOCOL_APP_FD_DOORBELL)
		_exit(4);
	fd = answer.fds[PROTOCOL_APP_FD_DOORBELL];
	fcntl(fd, F_SETFL, 0);
	begin();
	for (int round = 0; round < BELL_ROUNDS; round++) {
		object_pause_ms(BELL_MS - object_now_ms() % BELL_MS);
		count = 1;
		if (write(fd, &count, sizeof(count)) < 0)
			_exit(5);
		nanosleep(&(struct timespec){ .tv_nsec = nr_attackers * 10000 }, NULL);
		(void)!preadv2(fd, &to, 1, -1, RWF_NOWAIT);
	}
	pause();
}

static void *punch_for_ever(void *fd)
{
	for (;;)
		fallocate((int)(intptr_t)fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			  1 << 30);
	return NULL;
}

/* A page fault of the daemon's waits while a hole is being punched there. */
void attack_punch(void)
{
	static struct app_answer answer;
	pthread_t thread;

	become_stranger();
	app_register(app_connect(&sessiond), 0, NULL, 0, 0, &answer);
	if (answer.nr_fds <= PROTOCOL_APP_FD_RINGS)
		_exit(4);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, punch_for_ever,
			       (void *)(intptr_t)answer.fds[PROTOCOL_APP_FD_RINGS]);
	begin();
	pause();
}

static char *hanging;

static void *write_for_ever(void *fd)
{
	(void)!write((int)(intptr_t)fd, hanging, 4096);
	return NULL;
}

static void hold_lock(int fd)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, write_for_ever, (void *)(intptr_t)fd) != 0)
		_exit(6);
}

/* Asks for the data of slot 0, which is the session's: its descriptor, or -1 where there is no
 * session. */
static int ask_data(int app)
{
	static struct app_answer answer;
	struct protocol_app_memory request = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .type = PROTOCOL_APP_MEMORY,
			    .size = sizeof(request) },
		.of.slot = 0,
	};

	app_exchange(app, &request, sizeof(request), &answer);
	return answer.nr_fds > 0 ? answer.fds[0] : -1;
}

/* Registers, at *app, and asks for the data. */
static int register_with_data(struct app_answer *answer, int *app)
{
	int data;

	*app = app_connect(&sessiond);
	app_register(*app, 0, NULL, 0, 0, answer);
	if (answer->nr_fds <= PROTOCOL_APP_FD_DOORBELL)
		_exit(4);
	data = ask_data(*app);
	if (data < 0)
		_exit(7);
	return data;
}

static void claim_file(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	(void)!flock(fd, LOCK_EX | LOCK_NB);
	(void)!fcntl(fd, F_SETLK, &lock);
	(void)!fcntl(fd, F_OFD_SETLK, &lock);
	(void)!fcntl(fd, F_SETLEASE, F_WRLCK);
	(void)!fcntl(fd, F_SETLEASE, F_RDLCK);
	(void)!fcntl(fd, F_SETFL, O_APPEND | O_DIRECT | O_ASYNC);
}

/*
 * All other kinds of locks that a file has, and then it stands still. Its child has it join each
 * later session, by the same memory.
 */
void attack_claim(void)
{
	static struct app_answer answer;
	int app;

	become_stranger();
	claim_file(register_with_data(&answer, &app));
	for (size_t i = 0; i < answer.nr_fds; i++)
		claim_file(answer.fds[i]);
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;; object_pause_ms(50))
			close(ask_data(app));
	}
	begin();
	raise(SIGSTOP);
}

static void hold_all(const struct app_answer *answer, int data)
{
	hold_lock(data);
	for (size_t i = 0; i < answer->nr_fds; i++)
		if (i != PROTOCOL_APP_FD_DOORBELL)
			hold_lock(answer->fds[i]);
}

void attack_lock(void)
{
	static struct app_answer answer, more;
	int app;

	hanging = map_hanging_file();
	become_stranger();
	hold_all(&answer, register_with_data(&answer, &app));
	/* The next one's registration counts what its user's memories hold, once a second. */
	object_pause_ms(1100);
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		app_register(app_connect(&sessiond), 0, NULL, 0, 0, &more);
		begin();
	}
	pause();
}

/* A child has the memories that we registered for, and holds their locks. */
static void have_held(void)
{
	static struct app_answer answer;
	int app, data = register_with_data(&answer, &app);

	if (fork() == 0) {
		/* It outlives its parent, but not a test that failed. */
		prctl(PR_SET_PDEATHSIG, 0);
		alarm(ATTACK_SECONDS);
		hold_all(&answer, data);
		for (;;)
			pause();
	}
	/* Its threads have called write(). */
	object_pause_ms(300);
}

void attack_names(void)
{
	static struct app_answer answer;
	pid_t child;

	hanging = map_hanging_file();
	become_stranger();
	alarm(ATTACK_SECONDS);
	have_held();
	/* As after an exec: the same pid, and the earlier rings go. */
	app_register(app_connect(&sessiond), 0, NULL, 0, 0, &answer);
	if (answer.nr_fds <= PROTOCOL_APP_FD_DOORBELL)
		_exit(4);
	child = fork();
	if (child == 0) {
		have_held();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	object_pause_ms(300);
	if (fork() == 0) {
		app_register(app_connect(&sessiond), 0, NULL, 0, 0, &answer);
		if (answer.nr_fds > PROTOCOL_APP_FD_DOORBELL)
			begin();
		_exit(0);
	}
	pause();
}

static void *list_for_ever(void *fd)
{
	syscall(SYS_getdents64, (int)(intptr_t)fd, hanging, 4096);
	return NULL;
}

void attack_list(void)
{
	static const char *const names[] = { "", "/rings", "/rings/s", "/rings/s/c" };
	pthread_t thread;

	hanging = map_hanging_file();
	become_stranger();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[PATH_MAX];
		int fd;

		snprintf(path, sizeof(path), "%s%s", sessiond.dir, names[i]);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0)
			pthread_create(&thread, NULL, list_for_ever, (void *)(intptr_t)fd);
	}
	object_pause_ms(300);
	begin();
	pause();
}

/* A TCP socket that has more to send than its peer takes, and whose close() waits for that. */
static int lingering_socket(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct linger linger = { 1, 3600 };
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(address);
	static char bytes[65536];

	if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 1) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &size) != 0 ||
	    connect(fd, (struct sockaddr *)&address, size) != 0)
		_exit(8);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (write(fd, bytes, sizeof(bytes)) > 0)
		continue;
	fcntl(fd, F_SETFL, 0);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	return fd;
}

/* `before`: the size of a message without a descriptor that goes first; -1: none does. */
static void send_descriptor(const char *path, int sent, int before)
{
	int fd;

	if (socket_connect(path, SOCK_SEQPACKET, &fd) != 0)
		_exit(9);
	if (before >= 0)
		(void)!send(fd, "x", (size_t)before, MSG_NOSIGNAL);
	socket_send(fd, "x", before >= 0 ? 0 : 1, &sent, 1);
}

/*
 * The socket's peer stays here. A child sends it once it is the only one that has it, and ends,
 * which does not linger: only who has taken the descriptor waits.
 */
static void send_lingering(const char *path, int before)
{
	int sent = lingering_socket(), closed[2];
	pid_t child;
	char byte;

	if (pipe2(closed, O_CLOEXEC) != 0)
		_exit(10);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(closed[1]);
		(void)!read(closed[0], &byte, 1);
		send_descriptor(path, sent, before);
		_exit(0);
	}
	close(sent);
	close(closed[0]);
	close(closed[1]);
	waitpid(child, NULL, 0);
}

void attack_send(void)
{
	const char *const names[] = { PROTOCOL_APP_SOCKET, PROTOCOL_CONTROL_SOCKET };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", sessiond.dir, names[i]);
		/* Alone, and behind others: an empty message, and one that is refused. */
		for (int before = -1; before < 2; before++)
			send_lingering(path, before);
	}
	begin();
	pause();
}

int object_attack(const struct sessiond *target, void (*attack)(void), int count)
{
	int begun = 0;
	char byte;

	sessiond = *target;
	if (pipe2(ready, O_CLOEXEC) != 0)
		return -1;
	fflush(stdout);
	for (nr_attackers = 0; nr_attackers < count; nr_attackers++) {
		pid_t child = fork();

		if (child == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			/* A group, so that a hanging file's server goes, too. */
			setpgid(0, 0);
			close(ready[0]);
			attack();
			_exit(0);
		}
		setpgid(child, child);
		attackers[nr_attackers] = child;
	}
	close(ready[1]);
	for (int i = 0; i < count; i++)
		begun += read(ready[0], &byte, 1) == 1;
	close(ready[0]);
	return begun;
}

void object_attack_end(void)
{
	while (nr_attackers > 0) {
		pid_t attacker = attackers[--nr_attackers];
		char place[64];

		kill(-attacker, SIGKILL);
		waitpid(attacker, NULL, 0);
		hanging_place(attacker, place);
		unlink(place);
	}
}
