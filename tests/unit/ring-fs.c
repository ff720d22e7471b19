/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-fs serves readers as every mediator does, and its files behave as
 * the kernel's own on tracefs. Needs root, /dev/fuse and passthrough.
 */
#include "tests/unit/mediator-cases.h"

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

static void case_open_modes(struct ring_server *server)
{
	static const struct {
		const char *name;
		int flags;
	} refused[] = {
		{ "O_RDWR", O_RDWR },
		{ "O_WRONLY", O_WRONLY },
		{ "O_RDONLY | O_TRUNC", O_RDONLY | O_TRUNC },
		{ "O_RDWR | O_TRUNC", O_RDWR | O_TRUNC },
		{ "O_WRONLY | O_APPEND", O_WRONLY | O_APPEND },
		{ "3", 3 },
	};
	struct served_ring ring;
	void *map;
	int fd;

	start_ring(server, &ring);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		fd = open(ring.path, refused[i].flags | O_CLOEXEC);
		ok(fd < 0 && errno == EACCES, "open with %s is refused", refused[i].name);
		if (fd >= 0)
			close(fd);
	}
	ok(truncate(ring.path, 0) < 0, "truncate is refused");
	fd = open(ring.path, O_RDONLY | O_CLOEXEC);
	ok(fd >= 0, "open with O_RDONLY is not");
	map = mmap(NULL, SERVED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ok(map == MAP_FAILED && errno == EACCES, "a writable shared map is refused");
	map = mmap(NULL, SERVED_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	ok(map != MAP_FAILED, "a read-only one is not");
	ok(mprotect(map, SERVED_SIZE, PROT_READ | PROT_WRITE) < 0 && errno == EACCES,
	   "and cannot be made writable");
	ok(mmap(NULL, SERVED_META, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0) == MAP_FAILED,
	   "nor mapped to execute");
	munmap(map, SERVED_SIZE);
	close(fd);
	end_ring(&ring);
}

/* The map is the very pages that the process writes. */
static void case_same_pages(struct ring_server *server)
{
	struct served_ring ring;
	struct stat status;
	const char *map;
	int fd;

	start_ring(server, &ring);
	fd = open(ring.path, O_RDONLY | O_CLOEXEC);
	map = mmap(NULL, SERVED_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	ok(map != MAP_FAILED, "a ring file is mapped");
	is(map[SERVED_META + 100], 0, "it is empty");
	ring.data[SERVED_META + 100] = 'x';
	is(map[SERVED_META + 100], 'x', "what is written shows at once");
	ring.data[SERVED_META + 100] = 'y';
	is(map[SERVED_META + 100], 'y', "again and again");
	ring.data[SERVED_SIZE - 1] = 'z';
	is(map[SERVED_SIZE - 1], 'z', "to the last byte");
	is(fstat(fd, &status), 0, "stat works");
	is(status.st_size, 0, "its size is 0, as on tracefs");
	is(status.st_mode, S_IFREG | 0440, "its mode is root's to read");
	close(fd);
	is(map[SERVED_SIZE - 1], 'z', "the map outlives the descriptor");
	munmap((void *)map, SERVED_SIZE);
	end_ring(&ring);
}

static void case_foreign_changes(struct ring_server *server)
{
	struct served_ring ring;
	char path[PATH_MAX], other[PATH_MAX];

	start_ring(server, &ring);
	snprintf(path, sizeof(path), "%s/%s/new", server->rings_dir, SESSION);
	snprintf(other, sizeof(other), "%s/%s/%s/new-1-1", server->rings_dir, SESSION, CHANNEL);
	ok(mkdir(path, 0700) < 0 && errno == EPERM, "mkdir is refused, even to root");
	ok(mknod(other, S_IFREG | 0600, 0) < 0 && errno == EPERM, "mknod is");
	ok(open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) < 0 && errno == EPERM, "creat is");
	ok(unlink(ring.path) < 0 && errno == EPERM, "unlink is");
	ok(rename(ring.path, other) < 0 && errno == EPERM, "rename is");
	ok(link(ring.path, other) < 0 && errno == EPERM, "link is");
	ok(symlink(ring.path, other) < 0 && errno == EPERM, "symlink is");
	ok(chmod(ring.path, 0666) < 0 && errno == EPERM, "chmod is");
	ok(chown(ring.path, 1, 1) < 0 && errno == EPERM, "chown is");
	*strrchr(other, '/') = '\0';
	ok(rmdir(other) < 0 && errno != 0, "rmdir is");
	ok(access(ring.path, F_OK) == 0, "the ring file is still there");
	end_ring(&ring);
}

static void case_listing(struct ring_server *server)
{
	struct served_ring ring, second;
	char path[PATH_MAX], text[1024] = "";
	struct statvfs status;
	struct dirent *entry;
	int fd, seen = 0;
	DIR *dir;

	start_ring(server, &ring);
	served_ring_create(server, SESSION, CHANNEL, &second);
	served_ring_announce(&second);
	becomes(second.path, true);
	snprintf(path, sizeof(path), "%s/%s/%s", server->rings_dir, SESSION, CHANNEL);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		seen += strcmp(entry->d_name, ring_set_file_name(ring.set)) == 0;
		seen += strcmp(entry->d_name, ring_set_file_name(second.set)) == 0;
		seen += strcmp(entry->d_name, "stats") == 0;
		seen += entry->d_name[0] == '.';
	}
	is(seen, 5, "the directory lists both rings, stats, itself and its parent");
	closedir(dir);
	is(statvfs(path, &status), 0, "statfs works");
	is(status.f_namemax, 255, "and says how long names may be");
	strcat(path, "/stats");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ok(read(fd, text, sizeof(text) - 1) > 0, "stats can be read");
	ok(strstr(text, ring_set_file_name(ring.set)) && strstr(text, " waiting "),
	   "and names a ring and its state");
	is(read(fd, text, sizeof(text)), 0, "and ends");
	close(fd);
	ok(open(path, O_RDWR | O_CLOEXEC) < 0 && errno == EACCES, "it cannot be written");
	served_ring_withdraw(&second);
	becomes(second.path, false);
	served_ring_destroy(&second);
	end_ring(&ring);
}

/* Root's alone; and who has `stats` open a thousand times costs the daemon no text. */
static void case_outsiders(struct ring_server *server)
{
	struct served_ring ring;
	char path[PATH_MAX];
	struct stat status;
	size_t before;
	long held;
	int fds[500];

	start_ring(server, &ring);
	is(stat(server->rings_dir, &status) == 0 ? status.st_mode & 0777 : 0, 0700,
	   "nobody else looks a name up there");
	snprintf(path, sizeof(path), "%s/%s/%s", server->rings_dir, SESSION, CHANNEL);
	is(stat(path, &status) == 0 ? status.st_mode & 0777 : 0, 0700, "nor further down");
	strcat(path, "/stats");
	is(stat(path, &status) == 0 ? status.st_mode & 0777 : 0, 0400, "nor reads the stats");
	before = mallinfo2().uordblks;
	for (int i = 0; i < 500; i++)
		fds[i] = open(path, O_RDONLY | O_CLOEXEC);
	held = (long)mallinfo2().uordblks - (long)before;
	ok(fds[499] >= 0 && held < 500 * 32, "which cost nothing while they are open: %ld bytes",
	   held);
	for (int i = 0; i < 500; i++)
		close(fds[i]);
	end_ring(&ring);
}

static void case_ioctls(struct ring_server *server)
{
	struct served_ring ring;
	uint64_t size = 0;
	int fd;

	start_ring(server, &ring);
	fd = open(ring.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	is(isatty(fd), 0, "a ring is no terminal");
	ok(ioctl(fd, _IO('T', 1)) < 0 && errno == ENOTTY, "nor does it know the first number");
	ok(ioctl(fd, _IO('R', 0x7f)) < 0 && errno == ENOTTY, "nor an unknown one");
	is(ioctl(fd, LTTNGMAP_IOC_GET_SIZE, &size), 0, "it says its size");
	is(size, SERVED_SIZE, "as it is");
	is(ioctl(fd, TRACE_MMAP_IOCTL_GET_READER), 0, "GET_READER of an empty ring returns 0");
	ok(ioctl(fd, LTTNGMAP_IOC_CHECK_PACKET) < 0 && errno == EINVAL,
	   "there is nothing to check");
	close(fd);
	end_ring(&ring);
}

/* ---- a reader that blocks ---------------------------------------------------------- */

struct blocked {
	int fd;
	int result;
	int error;
	pid_t tid; /* 0: it has not begun; atomic, as is the next */
	bool ended;
	pthread_t thread;
};

static void on_signal(int number)
{
	(void)number;
}

static void *block(void *data)
{
	struct blocked *blocked = data;

	__atomic_store_n(&blocked->tid, gettid(), __ATOMIC_RELEASE);
	blocked->result = ioctl(blocked->fd, TRACE_MMAP_IOCTL_GET_READER);
	blocked->error = errno;
	__atomic_store_n(&blocked->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

static bool is_true(const bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static bool is_asleep(pid_t tid)
{
	char path[64], text[256] = "";
	const char *state;
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	stat = fopen(path, "re");
	state = stat && fgets(text, sizeof(text), stat) ? strrchr(text, ')') : NULL;
	if (stat)
		fclose(stat);
	return state && strncmp(state, ") S", 3) == 0;
}

/* It comes back when the server has the ioctl: what ends that would be lost on it before. */
static void start_blocked(struct blocked *blocked, int fd)
{
	uint64_t size;
	pid_t tid;

	*blocked = (struct blocked){ .fd = fd };
	pthread_create(&blocked->thread, NULL, block, blocked);
	while (!(tid = __atomic_load_n(&blocked->tid, __ATOMIC_ACQUIRE)))
		usleep(1000);
	/* Requests are answered in their order. */
	while (!is_true(&blocked->ended) &&
	       !(is_asleep(tid) && ioctl(fd, LTTNGMAP_IOC_GET_SIZE, &size) == 0 && is_asleep(tid)))
		usleep(1000);
}

static void case_blocking(struct ring_server *server)
{
	struct lttngmap_meta *meta;
	struct blocked blocked, second;
	struct served_ring ring;
	int fd;

	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	start_ring(server, &ring);
	meta = (struct lttngmap_meta *)ring.data;
	fd = open(ring.path, O_RDONLY | O_CLOEXEC);
	start_blocked(&blocked, fd);
	start_blocked(&second, fd);
	ok(!is_true(&blocked.ended) && !is_true(&second.ended),
	   "GET_READER blocks while there is nothing");
	pthread_kill(blocked.thread, SIGUSR1);
	pthread_join(blocked.thread, NULL);
	ok(blocked.result < 0 && blocked.error == EINTR, "a signal ends it with EINTR");
	ok(!is_true(&second.ended), "but not for another thread");
	served_ring_write(&ring, 0, "new");
	served_ring_notify(&ring);
	pthread_join(second.thread, NULL);
	is(second.result, 0, "data ends it");
	is(meta->meta.reader.read, 8 + sizeof("new"), "and is there");
	start_blocked(&blocked, fd);
	is(ioctl(fd, 0), 0, "ioctl 0 is known");
	pthread_join(blocked.thread, NULL);
	is(blocked.result, 0, "and lets waiters go");
	start_blocked(&blocked, fd);
	served_ring_withdraw(&ring);
	pthread_join(blocked.thread, NULL);
	ok(blocked.result < 0 && blocked.error == ENODATA, "the ring's end ends it with ENODATA");
	ok(ioctl(fd, TRACE_MMAP_IOCTL_GET_READER) < 0 && errno == ENODATA, "from then on");
	close(fd);
	becomes(ring.path, false);
	server->ops->remove_channel(server->mediator, SESSION, CHANNEL);
	served_ring_destroy(&ring);
}

/* Killed while it blocks: it must die, and the ring be free for another. */
static void case_killed_blocked(struct ring_server *server)
{
	struct served_ring ring;
	int fd, status;
	pid_t child;

	start_ring(server, &ring);
	child = fork();
	if (child == 0) {
		fd = open(ring.path, O_RDONLY | O_CLOEXEC);
		ioctl(fd, TRACE_MMAP_IOCTL_GET_READER);
		_exit(1);
	}
	usleep(200000); /* It is blocked by then; killed before, it dies as well. */
	kill(child, SIGKILL);
	is(waitpid(child, &status, 0), child, "a blocked reader can be killed");
	ok(WIFSIGNALED(status), "and dies of it");
	fd = open(ring.path, O_RDONLY | O_CLOEXEC);
	ok(fd >= 0, "the ring is another's then");
	close(fd);
	end_ring(&ring);
}

static void case_epoll(struct ring_server *server)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	struct lttngmap_packet packet = { .cpu = LTTNGMAP_CPU_ANY };
	int fd, epoll = epoll_create1(EPOLL_CLOEXEC);
	struct served_ring ring;

	start_ring(server, &ring);
	fd = open(ring.path, O_RDONLY | O_CLOEXEC);
	is(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0, "a ring can be watched by epoll");
	is(epoll_wait(epoll, &event, 1, 0), 0, "which is quiet");
	served_ring_write(&ring, 0, "new");
	served_ring_switch(&ring, 0);
	served_ring_notify(&ring);
	is(epoll_wait(epoll, &event, 1, PATIENCE_MS), 1, "a full sub-buffer wakes it");
	is(epoll_wait(epoll, &event, 1, 0), 0, "once, by edge");
	is(ioctl(fd, LTTNGMAP_IOC_GET_PACKET, &packet), 0, "the packet is taken");
	served_ring_write(&ring, 0, "more");
	served_ring_switch(&ring, 0);
	served_ring_notify(&ring);
	is(epoll_wait(epoll, &event, 1, PATIENCE_MS), 1, "the next one wakes it again");
	served_ring_withdraw(&ring);
	ok(epoll_wait(epoll, &event, 1, PATIENCE_MS) == 1 && event.events & EPOLLHUP,
	   "and so does the ring's end");
	close(fd);
	close(epoll);
	becomes(ring.path, false);
	server->ops->remove_channel(server->mediator, SESSION, CHANNEL);
	served_ring_destroy(&ring);
}

/* Many rings come and go beside a reader of the directory: all names in, all out. */
static void case_many(struct ring_server *server)
{
	enum { RINGS = 200 };
	struct served_ring *rings = calloc(RINGS, sizeof(*rings));
	char dir[PATH_MAX];
	int there = 0, gone = 0;

	server->ops->add_channel(server->mediator, SESSION, CHANNEL);
	for (int i = 0; i < RINGS; i++) {
		served_ring_create(server, SESSION, CHANNEL, &rings[i]);
		served_ring_announce(&rings[i]);
	}
	for (int i = 0; i < RINGS; i++)
		there += becomes(rings[i].path, true);
	is(there, RINGS, "many rings appear");
	server->ops->remove_channel(server->mediator, SESSION, CHANNEL);
	for (int i = 0; i < RINGS; i++)
		served_ring_withdraw(&rings[i]);
	snprintf(dir, sizeof(dir), "%s/%s", server->rings_dir, SESSION);
	ok(becomes(dir, false), "and go, and their directory after them");
	for (int i = 0; i < RINGS; i++) {
		gone += access(rings[i].path, F_OK) < 0;
		served_ring_destroy(&rings[i]);
	}
	is(gone, RINGS, "all of them");
	free(rings);
}

/* Keeps the ring thread from answering. */
static struct gate {
	struct ring_order order;
	sem_t entered, open;
} gate;

static void enter(struct ring_order *order, unsigned long pending)
{
	(void)order;
	(void)pending;
	sem_post(&gate.entered);
	sem_wait(&gate.open);
}

/* A child that waits for an answer is killed. */
static int stat_in_child(const char *path)
{
	struct stat status;
	int result = 0;
	pid_t child = fork();

	if (child == 0) {
		alarm(5);
		_exit(lstat(path, &status) != 0 || !S_ISREG(status.st_mode));
	}
	waitpid(child, &result, 0);
	return result;
}

/* The kernel has names and attributes: a reader that opens thousands of rings asks for neither. */
static void case_kept_names(struct ring_server *server)
{
	struct served_ring ring;
	struct stat status;

	start_ring(server, &ring);
	is(lstat(ring.path, &status), 0, "a name is looked up");
	sem_init(&gate.entered, 0, 0);
	sem_init(&gate.open, 0, 0);
	gate.order.run = enter;
	ring_thread_give(server->thread, &gate.order, 1);
	sem_wait(&gate.entered);
	is(stat_in_child(ring.path), 0, "and again while the daemon answers nothing");
	sem_post(&gate.open);
	end_ring(&ring);
	ok(lstat(ring.path, &status) < 0 && errno == ENOENT, "it is gone with its ring");
}

/* Announced and withdrawn at once, before the helper could do either. */
static void case_hasty(struct ring_server *server)
{
	struct served_ring ring;
	char dir[PATH_MAX];

	server->ops->add_channel(server->mediator, SESSION, CHANNEL);
	for (int i = 0; i < 50; i++) {
		served_ring_create(server, SESSION, CHANNEL, &ring);
		served_ring_announce(&ring);
		served_ring_withdraw(&ring);
		served_ring_destroy(&ring);
	}
	server->ops->remove_channel(server->mediator, SESSION, CHANNEL);
	snprintf(dir, sizeof(dir), "%s/%s", server->rings_dir, SESSION);
	ok(becomes(dir, false), "rings withdrawn at once leave nothing");
}

static void case_no_channel(struct ring_server *server)
{
	struct served_ring ring;

	served_ring_create(server, "no", "channel", &ring);
	is(served_ring_announce(&ring), -ENOENT, "no ring without its channel");
	served_ring_destroy(&ring);
}

/* What a killed daemon leaves: a mount without a server. The next one takes its place. */
static void case_stale_mount(struct ring_server *server)
{
	struct stat status;
	const char *why;
	char options[128];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	ring_server_stop(server);
	ring_server_prepare(server, &ring_fs_mediator);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	is(mount("stale", server->rings_dir, "fuse", 0, options), 0, "a mount is there");
	close(fd);
	ok(stat(server->rings_dir, &status) < 0 && errno == ENOTCONN, "whose server is dead");
	is(ring_server_serve(server, &why), 0, "a new server takes its place");
	ok(stat(server->rings_dir, &status) == 0 && S_ISDIR(status.st_mode), "and works");
}

int main(void)
{
	struct ring_server server;
	const char *why = NULL;
	int error;

	urcu_memb_register_thread();
	error = ring_server_start(&server, &ring_fs_mediator, &why);
	if (error == -EPERM || error == -ENOENT || error == -EOPNOTSUPP)
		skip_all("ring-fs cannot serve here: %s", why);
	if (error)
		bail_out("ring-fs: %s: %s", why, strerror(-error));
	mediator_cases(&server);
	case_open_modes(&server);
	case_same_pages(&server);
	case_foreign_changes(&server);
	case_outsiders(&server);
	case_listing(&server);
	case_ioctls(&server);
	case_blocking(&server);
	case_killed_blocked(&server);
	case_epoll(&server);
	case_many(&server);
	case_kept_names(&server);
	case_hasty(&server);
	case_no_channel(&server);
	case_stale_mount(&server);
	ring_server_stop(&server);
	ok(access(server.dir, F_OK) < 0, "nothing is left behind");
	urcu_memb_unregister_thread();
	return done_testing();
}
