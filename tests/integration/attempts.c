/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * attempts.c - all that a process can try with the descriptors that the daemon
 * hands to it, and with maps of them: one table, printed, each result as
 * expected. And what a write to a control page is: the end of who tries.
 * Afterwards control pages are what they were, and the daemon serves, the same.
 *
 * What is allowed concerns the process's own rings and its own bell alone: it
 * may write, and give back, what is its to write.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/utils/sessiond-run.h"
#include "tests/utils/tap.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

#define PAGE 4096u
#define WRITES 100

static struct sessiond sessiond;
static struct app_answer answer;

/* ---- attempts: 0, or the errno that it was refused with ------------------------ */

static int result_of(long result)
{
	return result < 0 ? errno : 0;
}

static int map_with(int fd, int protection, int flags)
{
	void *map = mmap(NULL, PAGE, protection, flags, fd, 0);

	if (map == MAP_FAILED)
		return errno;
	munmap(map, PAGE);
	return 0;
}

/* With a map to read, if there can be one, of the first page. */
static int with_map(int fd, long (*attempt)(void *map))
{
	void *map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	int error;

	if (map == MAP_FAILED)
		return errno;
	error = result_of(attempt(map));
	munmap(map, PAGE);
	return error;
}

/* With another open file of the same inode, as /proc gives it. */
static int reopened(int fd, int flags, int (*attempt)(int fd))
{
	char path[64];
	int error;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fd = open(path, O_RDWR | O_CLOEXEC | flags);
	/* What is no file is refused to root for another reason than to others. */
	if (fd < 0)
		return errno == EACCES ? ENXIO : errno;
	error = attempt ? attempt(fd) : 0;
	close(fd);
	return error;
}

static int try_truncate(int fd)
{
	return result_of(ftruncate(fd, 0));
}
static int try_grow(int fd)
{
	struct stat status;

	return fstat(fd, &status) < 0 ? errno : result_of(ftruncate(fd, status.st_size + PAGE));
}
static int try_allocate(int fd)
{
	struct stat status;

	return fstat(fd, &status) < 0 ? errno : result_of(fallocate(fd, 0, status.st_size, PAGE));
}
static int try_punch(int fd)
{
	return result_of(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE));
}
static int try_write(int fd)
{
	uint64_t one = 1;

	return result_of(write(fd, &one, sizeof(one)));
}
static int try_write_at(int fd)
{
	return result_of(pwrite(fd, "x", 1, PAGE));
}
static int try_sendfile(int fd)
{
	int from = memfd_create("from", MFD_CLOEXEC);
	int error = result_of(ftruncate(from, PAGE));

	if (!error)
		error = result_of(sendfile(fd, from, NULL, 8));
	close(from);
	return error;
}
static int try_map_read(int fd)
{
	return map_with(fd, PROT_READ, MAP_SHARED);
}
static int try_map_write(int fd)
{
	return map_with(fd, PROT_WRITE, MAP_SHARED);
}
static int try_map_both(int fd)
{
	return map_with(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
}
static long make_writable(void *map)
{
	return mprotect(map, PAGE, PROT_READ | PROT_WRITE);
}
static int try_mprotect(int fd)
{
	return with_map(fd, make_writable);
}
static long give_back(void *map)
{
	return madvise(map, PAGE, MADV_REMOVE);
}
static int try_madvise(int fd)
{
	return with_map(fd, give_back);
}
static long write_by_proc(void *map)
{
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	long result = pwrite(mem, "x", 1, (off_t)(uintptr_t)map);
	int error = errno;

	close(mem);
	errno = error;
	return result;
}
static int try_proc_mem(int fd)
{
	return with_map(fd, write_by_proc);
}
/* A map of one's own beyond the memory's end: no larger memory. */
static long stretch(void *map)
{
	void *larger = mremap(map, PAGE, 2 * PAGE, MREMAP_MAYMOVE);

	if (larger == MAP_FAILED)
		return -1;
	/* The caller unmaps the place where it was. */
	munmap(larger, 2 * PAGE);
	return 0;
}
static int try_mremap(int fd)
{
	return with_map(fd, stretch);
}
static int try_seal_write(int fd)
{
	return result_of(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
}
static int try_seal_future(int fd)
{
	return result_of(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE));
}
static int try_seal_shrink(int fd)
{
	return result_of(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
}
static int try_reopen_write(int fd)
{
	return reopened(fd, 0, try_write_at);
}
static int try_reopen_map(int fd)
{
	return reopened(fd, 0, try_map_both);
}
static int try_reopen_truncate(int fd)
{
	return reopened(fd, 0, try_truncate);
}
static int try_open_truncating(int fd)
{
	return reopened(fd, O_TRUNC, NULL);
}

/* ---- the table ------------------------------------------------------------------- */

enum object {
	GLOBAL_CONTROL,
	PROCESS_CONTROL,
	RINGS,
	DOORBELL,
	OBJECTS,
};

static const char *const object_names[OBJECTS] = { "global control", "process control", "rings",
						   "doorbell" };

/* EPERM by root's daemon, which makes memories immutable; done by a user's. */
#define OF_ROOT (-1)

static const struct attempt {
	const char *name;
	int (*attempt)(int fd);
	int expected[OBJECTS];
} attempts[] = {
	{ "truncate", try_truncate, { EPERM, EPERM, EPERM, EINVAL } },
	{ "grow", try_grow, { EPERM, EPERM, EPERM, EINVAL } },
	{ "allocate beyond end", try_allocate, { EPERM, EPERM, EPERM, ENODEV } },
	{ "punch a hole", try_punch, { EPERM, EPERM, OF_ROOT, ENODEV } },
	{ "write", try_write, { EPERM, EPERM, 0, 0 } },
	{ "write further on", try_write_at, { EPERM, EPERM, 0, ESPIPE } },
	{ "sendfile to it", try_sendfile, { EPERM, EPERM, 0, EINVAL } },
	{ "map to read", try_map_read, { 0, 0, 0, ENODEV } },
	{ "map to write", try_map_write, { EPERM, EPERM, 0, ENODEV } },
	{ "map to read and write", try_map_both, { EPERM, EPERM, 0, ENODEV } },
	{ "make map writable", try_mprotect, { EACCES, EACCES, 0, ENODEV } },
	{ "give map's pages back", try_madvise, { EACCES, EACCES, OF_ROOT, ENODEV } },
	{ "write map by /proc", try_proc_mem, { EIO, EIO, EIO, ENODEV } },
	{ "stretch map", try_mremap, { 0, 0, 0, ENODEV } },
	{ "seal: no writes", try_seal_write, { EPERM, EPERM, EPERM, EINVAL } },
	{ "seal: no new maps", try_seal_future, { EPERM, EPERM, EPERM, EINVAL } },
	{ "seal: once more", try_seal_shrink, { EPERM, EPERM, EPERM, EINVAL } },
	{ "reopen, write", try_reopen_write, { EPERM, EPERM, OF_ROOT, ENXIO } },
	{ "reopen, map", try_reopen_map, { EPERM, EPERM, OF_ROOT, ENXIO } },
	{ "reopen, truncate", try_reopen_truncate, { EPERM, EPERM, EPERM, ENXIO } },
	{ "open truncating", try_open_truncating, { EPERM, EPERM, EPERM, ENXIO } },
};

static const char *word(int error)
{
	return error ? strerrorname_np(error) : "done";
}

/* Of attempts: refused, and done to what is the process's own. */
static unsigned int refused, granted;

static bool is_expected(const int got[OBJECTS], const int expected[OBJECTS])
{
	const int of_root = geteuid() == 0 ? EPERM : 0;

	for (int object = 0; object < OBJECTS; object++)
		if (got[object] != (expected[object] == OF_ROOT ? of_root : expected[object]))
			return false;
	return true;
}

static void try_all(const int fds[OBJECTS])
{
	diag("%-22s %-15s %-15s %-15s %s", "", object_names[0], object_names[1], object_names[2],
	     object_names[3]);
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		const struct attempt *attempt = &attempts[i];
		int got[OBJECTS];

		for (int object = 0; object < OBJECTS; object++)
			got[object] = attempt->attempt(fds[object]);
		for (int object = 0; object < OBJECTS; object++)
			*(got[object] ? &refused : &granted) += 1;
		diag("%-22s %-15s %-15s %-15s %s", attempt->name, word(got[0]), word(got[1]),
		     word(got[2]), word(got[3]));
		ok(is_expected(got, attempt->expected), "%s", attempt->name);
	}
}

/* ---- what it is worth ---------------------------------------------------------------- */

static void *copy_of(int fd, uint64_t size)
{
	char *copy = malloc(size);

	if (!copy || pread(fd, copy, size, 0) != (ssize_t)size)
		bail_out("a control page cannot be read");
	return copy;
}

static bool is_same(int fd, void *before, uint64_t size)
{
	void *now = copy_of(fd, size);
	bool same = memcmp(before, now, size) == 0;

	free(before);
	free(now);
	return same;
}

/* A child that maps the page as it may, and writes a byte somewhere. */
static bool dies_of_writing(int fd, uint64_t size, unsigned int *seed)
{
	uint64_t at = (uint64_t)rand_r(seed) * RAND_MAX % size + (uint64_t)rand_r(seed) % PAGE;
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		volatile char *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

		signal(SIGSEGV, SIG_DFL);
		if (map == MAP_FAILED)
			_exit(2);
		map[at % size] = 1;
		_exit(1);
	}
	return waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
	       WTERMSIG(status) == SIGSEGV;
}

static int test_writes(const int fds[OBJECTS], const uint64_t sizes[2])
{
	unsigned int seed = (unsigned int)getpid();
	int killed = 0;

	for (int i = 0; i < WRITES; i++)
		killed += dies_of_writing(fds[i % 2], sizes[i % 2], &seed);
	is(killed, WRITES, "who writes to a control page ends by SIGSEGV");
	return killed;
}

/* The supervisor's child: it is the same one as long as it did not die. */
static void daemon_of(pid_t keeper, char *text, int size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)keeper, (int)keeper);
	file = fopen(path, "re");
	text[0] = '\0';
	if (!file || !fgets(text, size, file))
		bail_out("the supervisor has no child");
	fclose(file);
}

static void test_serves(void)
{
	struct app_answer other;
	int fd = app_connect(&sessiond);

	app_register(fd, 0, NULL, 0, 0, &other);
	is(other.header.type, PROTOCOL_APP_REGISTERED, "the daemon registers the next process");
	app_close_fds(&other);
	close(fd);
	sessiond_do(&sessiond, "{\"verb\": \"list\"}");
	ok(true, "and answers commands");
}

int main(void)
{
	const struct protocol_app_registered *registered = &answer.registered;
	char daemon_before[64], daemon_after[64];
	int fds[OBJECTS], app, killed;
	void *control, *process;
	bool same;

	sessiond_start(&sessiond, 0, "--mediator=ring-socket", NULL);
	daemon_of(sessiond.pid, daemon_before, sizeof(daemon_before));
	sessiond_do(&sessiond, "{\"verb\": \"create\", \"session\": \"s\", \"output\": \"/x\"}");
	sessiond_do(&sessiond, "{\"verb\": \"channel\", \"session\": \"s\", \"channel\": \"c\", "
			       "\"subbuf_size\": 4096, \"subbufs\": 4, \"mode\": \"discard\"}");
	sessiond_do(&sessiond, "{\"verb\": \"start\", \"session\": \"s\"}");
	app = app_connect(&sessiond);
	app_register(app, 0, NULL, 0, 0, &answer);
	if (answer.nr_fds <= PROTOCOL_APP_FD_RINGS)
		bail_out("no descriptors were handed over");
	fds[GLOBAL_CONTROL] = answer.fds[PROTOCOL_APP_FD_CONTROL];
	fds[PROCESS_CONTROL] = answer.fds[PROTOCOL_APP_FD_PROCESS];
	fds[RINGS] = answer.fds[PROTOCOL_APP_FD_RINGS];
	fds[DOORBELL] = answer.fds[PROTOCOL_APP_FD_DOORBELL];
	control = copy_of(fds[GLOBAL_CONTROL], registered->control_size);
	process = copy_of(fds[PROCESS_CONTROL], registered->process_size);
	try_all(fds);
	killed = test_writes(fds,
			     (uint64_t[2]){ registered->control_size, registered->process_size });
	same = ok(is_same(fds[GLOBAL_CONTROL], control, registered->control_size),
		  "global control is what it was");
	same &= ok(is_same(fds[PROCESS_CONTROL], process, registered->process_size),
		   "process control, too");
	tap_figure(4, "%d of %d writes to control pages ended by SIGSEGV, %s of %llu bytes changed",
		   killed, WRITES, same ? "none" : "some",
		   (unsigned long long)(registered->control_size + registered->process_size));
	app_close_fds(&answer);
	close(app);
	test_serves();
	daemon_of(sessiond.pid, daemon_after, sizeof(daemon_after));
	same = is_string(daemon_after, daemon_before, "the daemon has not died");
	tap_figure(5,
		   "%u of %u attempts refused, %u done to the process's own rings and bell; "
		   "%s daemon died",
		   refused, refused + granted, granted, same ? "no" : "a");
	is(sessiond_stop(&sessiond, SIGTERM), 0, "and ends well");
	return done_testing();
}
