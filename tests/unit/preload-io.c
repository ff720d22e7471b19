/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * preload-io.c - each wrapper of liblttngmap-io.so does what the function does,
 * errno included, and says so; bad pointers stay errors.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "tests/utils/watched.h"

/* What programs call that were built with _FORTIFY_SOURCE. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dirfd, const char *path, int flags);
int __openat64_2(int dirfd, const char *path, int flags);
ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *buffer, size_t size, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *buffer, size_t size, off_t offset, size_t room);
ssize_t __recv_chk(int fd, void *buffer, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buffer, size_t size, size_t room, int flags,
		       struct sockaddr *address, socklen_t *length);
int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		const sigset_t *mask, size_t room);
int __dprintf_chk(int fd, int flag, const char *format, ...);
int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments);

static void *volatile bad = (void *)1;
static char buffer[64];
static struct iovec vector = { buffer, 4 };
static struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };

/* The one event without its duration, which is to be there. */
static const char *event_text(void)
{
	char *duration = strstr(events[0], " duration=");

	if (nr_events != 1 || !duration || atoll(duration + 10) <= 0)
		return "not one event with a duration";
	*duration = '\0';
	return events[0];
}

/* CALL(what is called, its error or 0, the event up to the result) */
#define CALL(call, expected_error, format, ...)                                                    \
	({                                                                                         \
		long long got_;                                                                    \
		int errno_;                                                                        \
		char expected_[400];                                                               \
                                                                                                   \
		watch();                                                                           \
		got_ = (long long)(call);                                                          \
		errno_ = errno;                                                                    \
		set_hook(NULL);                                                                    \
		snprintf(expected_, sizeof(expected_), format " result=%lld error=%d",             \
			 ##__VA_ARGS__, got_, expected_error);                                     \
		is_string(event_text(), expected_, #call);                                         \
		ok((got_ < 0) == ((expected_error) != 0), "  ... succeeds, or fails");             \
		is(errno_, (expected_error) ? (expected_error) : ERRNO_BEFORE, "  ... errno");     \
		(int)got_;                                                                         \
	})

static void test_classes(void)
{
#define END_FIELDS " result:10s error:10s duration:10"
	static const struct watched_class expected[] = {
		{ "open", " path:string flags:16s mode:8" END_FIELDS },
		{ "read", " fd:10s size:10" END_FIELDS },
		{ "connect", " fd:10s family:10 address:16[]" END_FIELDS },
		{ "epoll_wait", " epfd:10s count:10s timeout:10s" END_FIELDS },
	};

	test_watched_classes("lttngmap_io", expected, sizeof(expected) / sizeof(expected[0]),
			     LTTNGMAP_LOGLEVEL_DEBUG_LINE);
}

static void test_open(void)
{
	const char *name = "preload-io.tmp";
	int fd;

	if (chdir(getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"))
		bail_out("cannot go to a directory for files: %m");
	unlink(name);
	fd = CALL(open(name, O_RDWR | O_CREAT | O_EXCL, 0640), 0,
		  "open path=\"preload-io.tmp\" flags=0xc2 mode=416");
	CALL(close(fd), 0, "close fd=%d", fd);
	CALL(close(fd), EBADF, "close fd=%d", fd);
	CALL(open(name, O_RDWR | O_CREAT | O_EXCL, 0640), EEXIST,
	     "open path=\"preload-io.tmp\" flags=0xc2 mode=416");
	close(CALL(open64(name, O_RDONLY), 0, "open path=\"preload-io.tmp\" flags=0 mode=0"));
	close(CALL(__open_2(name, O_RDONLY), 0, "open path=\"preload-io.tmp\" flags=0 mode=0"));
	close(CALL(__open64_2(name, O_WRONLY), 0, "open path=\"preload-io.tmp\" flags=0x1 mode=0"));
	close(CALL(openat(AT_FDCWD, name, O_WRONLY), 0,
		   "openat dirfd=-100 path=\"preload-io.tmp\" flags=0x1 mode=0"));
	close(CALL(openat64(AT_FDCWD, name, O_WRONLY | O_CREAT, 0600), 0,
		   "openat dirfd=-100 path=\"preload-io.tmp\" flags=0x41 mode=384"));
	close(CALL(__openat_2(AT_FDCWD, name, O_RDONLY), 0,
		   "openat dirfd=-100 path=\"preload-io.tmp\" flags=0 mode=0"));
	close(CALL(__openat64_2(AT_FDCWD, name, O_RDONLY), 0,
		   "openat dirfd=-100 path=\"preload-io.tmp\" flags=0 mode=0"));
	close(CALL(creat(name, 0600), 0, "creat path=\"preload-io.tmp\" mode=384"));
	close(CALL(creat64(name, 0600), 0, "creat path=\"preload-io.tmp\" mode=384"));
	CALL(open("/nosuch/file", O_RDONLY), ENOENT, "open path=\"/nosuch/file\" flags=0 mode=0");
	CALL(open(bad, O_RDONLY), EFAULT, "open path=\"(null)\" flags=0 mode=0");
	CALL(openat(-1, bad, O_RDONLY), EFAULT, "openat dirfd=-1 path=\"(null)\" flags=0 mode=0");
	CALL(creat(bad, 0), EFAULT, "creat path=\"(null)\" mode=0");
	unlink(name);
}

static void like_mode(const char *event)
{
	ok(nr_events == 1 && strncmp(events[0], event, strlen(event)) == 0 &&
		   strstr(events[0], " mode=\"z\"") && strstr(events[0], " result=0 error=22"),
	   "  ... is told as far as it was read: %s", events[0]);
}

/* The last event without its duration, which is to be there, against the format. */
#define STDIO(what, expected_errno, format, ...)                                                   \
	({                                                                                         \
		char *duration_ = strstr(events[nr_events ? nr_events - 1 : 0], " duration=");     \
                                                                                                   \
		ok(nr_events == 1 && duration_ && atoll(duration_ + 10) > 0,                       \
		   "%s: one event with a duration", what);                                         \
		if (duration_)                                                                     \
			*duration_ = '\0';                                                         \
		happened(what, expected_errno, format, ##__VA_ARGS__);                             \
	})

static void test_stdio(void)
{
	const char *name = "preload-io.tmp";
	FILE *file, *other;
	uintptr_t closed;
	int result;

	watch();
	file = fopen(name, "w+e");
	STDIO("fopen", ERRNO_BEFORE, "fopen path=\"%s\" mode=\"w+e\" fd=%d result=%p error=0", name,
	      fileno(file), file);
	watch();
	other = freopen(name, "r", file);
	STDIO("freopen", ERRNO_BEFORE,
	      "freopen path=\"%s\" mode=\"r\" file=%p fd=%d result=%p error=0", name, file,
	      fileno(other), other);
	closed = (uintptr_t)other;
	watch();
	result = fclose(other);
	STDIO("fclose", ERRNO_BEFORE, "fclose file=%#lx result=0 error=0", closed);
	is(result, 0, "  ... and it is closed");
	watch();
	file = fopen64(name, "rb+,ccs=UTF-8");
	STDIO("fopen64", ERRNO_BEFORE, "fopen path=\"%s\" mode=\"rb+,c\" fd=%d result=%p error=0",
	      name, fileno(file), file);
	watch();
	file = freopen64(name, "w", file);
	STDIO("freopen64", ERRNO_BEFORE,
	      "freopen path=\"%s\" mode=\"w\" file=%p fd=%d result=%p error=0", name, file,
	      fileno(file), file);
	fclose(file);
	watch();
	file = fdopen(open(name, O_RDONLY | O_CLOEXEC), "r");
	ok(nr_events == 2 && strstr(events[1], "fdopen fd=") &&
		   strstr(events[1], " mode=\"r\" result=0x"),
	   "fdopen");
	set_hook(NULL);
	fclose(file);
	watch();
	file = fdopen(-1, "r");
	STDIO("fdopen of nothing", EBADF, "fdopen fd=-1 mode=\"r\" result=0 error=%d", EBADF);
	watch();
	file = tmpfile();
	STDIO("tmpfile", ERRNO_BEFORE, "tmpfile fd=%d result=%p error=0", fileno(file), file);
	fclose(file);
	watch();
	file = fopen("/nosuch/file", "r");
	STDIO("fopen of nothing", ENOENT,
	      "fopen path=\"/nosuch/file\" mode=\"r\" fd=-1 result=0 error=%d", ENOENT);
	watch();
	file = fopen(bad, "r");
	STDIO("fopen of a bad path", EFAULT,
	      "fopen path=\"(null)\" mode=\"r\" fd=-1 result=0 error=%d", EFAULT);
	unlink(name);
}

/* A mode that is not ended before memory that cannot be read: only what the C library read is. */
static void test_stdio_modes(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *mode = page + 4095;

	if (page == MAP_FAILED || mprotect(page + 4096, 4096, PROT_NONE))
		bail_out("no memory with an end: %m");
	*mode = 'z';
	watch();
	ok(!fopen("/dev/null", mode), "a mode that is none, at the end of memory");
	set_hook(NULL);
	like_mode("fopen");
	watch();
	ok(!fdopen(0, mode), "  ... and fdopen");
	set_hook(NULL);
	like_mode("fdopen");
	munmap(page, 8192);
}

static void test_directories(void)
{
	struct dirent **list;
	struct dirent64 **list64;
	uintptr_t closed;
	DIR *directory;
	int fd;

	watch();
	directory = opendir(".");
	STDIO("opendir", ERRNO_BEFORE, "opendir path=\".\" fd=%d result=%p error=0",
	      dirfd(directory), directory);
	closed = (uintptr_t)directory;
	watch();
	is(closedir(directory), 0, "closedir");
	STDIO("closedir", ERRNO_BEFORE, "closedir directory=%#lx result=0 error=0", closed);
	watch();
	directory = opendir("/nosuch");
	STDIO("opendir of nothing", ENOENT, "opendir path=\"/nosuch\" fd=-1 result=0 error=%d",
	      ENOENT);
	fd = open(".", O_RDONLY | O_DIRECTORY);
	watch();
	directory = fdopendir(fd);
	STDIO("fdopendir", ERRNO_BEFORE, "fdopendir fd=%d result=%p error=0", fd, directory);
	closedir(directory);
	watch();
	directory = fdopendir(-1);
	STDIO("fdopendir of nothing", EBADF, "fdopendir fd=-1 result=0 error=%d", EBADF);
	ok(CALL(scandir("/", &list, NULL, alphasort), 0, "scandir path=\"/\"") > 2 && list[0],
	   "  ... with what is in it");
	ok(CALL(scandir64("/", &list64, NULL, alphasort64), 0, "scandir path=\"/\"") > 2 &&
		   list64[0],
	   "  ... with what is in it");
	CALL(scandir("/nosuch", &list, NULL, NULL), ENOENT, "scandir path=\"/nosuch\"");
}

static void test_status(void)
{
	struct stat status;
	struct stat64 status64;
	struct statx statusx;
	int fd = open("/", O_RDONLY);

	CALL(stat("/", &status), 0, "stat path=\"/\"");
	ok(S_ISDIR(status.st_mode), "  ... which is a directory");
	CALL(stat64("/", &status64), 0, "stat path=\"/\"");
	CALL(stat("/nosuch", &status), ENOENT, "stat path=\"/nosuch\"");
	CALL(stat(bad, &status), EFAULT, "stat path=\"(null)\"");
	CALL(lstat("/", &status), 0, "lstat path=\"/\"");
	CALL(lstat64("/", &status64), 0, "lstat path=\"/\"");
	CALL(fstat(fd, &status), 0, "fstat fd=%d", fd);
	CALL(fstat64(fd, &status64), 0, "fstat fd=%d", fd);
	CALL(fstat(-1, &status), EBADF, "fstat fd=-1");
	CALL(fstatat(fd, "etc", &status, 0), 0, "fstatat dirfd=%d path=\"etc\" flags=0", fd);
	CALL(fstatat64(fd, "nosuch", &status64, AT_SYMLINK_NOFOLLOW), ENOENT,
	     "fstatat dirfd=%d path=\"nosuch\" flags=0x100", fd);
	CALL(statx(fd, "etc", 0, STATX_SIZE, &statusx), 0,
	     "statx dirfd=%d path=\"etc\" flags=0 mask=0x200", fd);
	CALL(access("/", R_OK), 0, "access path=\"/\" mode=4");
	CALL(access(bad, R_OK), EFAULT, "access path=\"(null)\" mode=4");
	CALL(faccessat(fd, "nosuch", F_OK, 0), ENOENT,
	     "faccessat dirfd=%d path=\"nosuch\" mode=0 flags=0", fd);
	close(fd);
}

static void test_names(void)
{
	CALL(mkdir("io.one", 0700), 0, "mkdir path=\"io.one\" mode=448");
	CALL(mkdir("io.one", 0700), EEXIST, "mkdir path=\"io.one\" mode=448");
	CALL(mkdirat(AT_FDCWD, "io.one/two", 0700), 0,
	     "mkdirat dirfd=-100 path=\"io.one/two\" mode=448");
	CALL(rmdir("io.one"), ENOTEMPTY, "rmdir path=\"io.one\"");
	CALL(rename("io.one/two", "io.two"), 0, "rename path=\"io.one/two\" to=\"io.two\"");
	/* Kernels differ in which path they look at first. */
	watch();
	ok(rename("io.nosuch", bad) < 0 && strstr(event_text(), " to=\"(null)\" result=-1"),
	   "rename to a bad path: it is not read");
	set_hook(NULL);
	CALL(rename(bad, "io.two"), EFAULT, "rename path=\"(null)\" to=\"(null)\"");
	CALL(renameat(AT_FDCWD, "io.two", AT_FDCWD, "io.three"), 0,
	     "renameat dirfd=-100 path=\"io.two\" to_dirfd=-100 to=\"io.three\" flags=0");
	CALL(renameat2(AT_FDCWD, "io.three", AT_FDCWD, "io.one", 1), EEXIST,
	     "renameat dirfd=-100 path=\"io.three\" to_dirfd=-100 to=\"io.one\" flags=0x1");
	CALL(rmdir("io.three"), 0, "rmdir path=\"io.three\"");
	CALL(unlinkat(AT_FDCWD, "io.one", AT_REMOVEDIR), 0,
	     "unlinkat dirfd=-100 path=\"io.one\" flags=0x200");
	CALL(rmdir("io.one"), ENOENT, "rmdir path=\"io.one\"");
	close(open("io.four", O_CREAT | O_WRONLY, 0600));
	CALL(unlink("io.four"), 0, "unlink path=\"io.four\"");
	CALL(remove("io.four"), ENOENT, "remove path=\"io.four\"");
	CALL(unlink(bad), EFAULT, "unlink path=\"(null)\"");
}

static void test_descriptors(void)
{
	int ends[2], fd = memfd_create("file", 0);
	struct flock lock = { .l_type = F_RDLCK };

	close(CALL(dup(fd), 0, "dup fd=%d", fd));
	CALL(dup(-1), EBADF, "dup fd=-1");
	CALL(dup2(fd, 100), 0, "dup2 fd=%d to=100", fd);
	CALL(dup3(fd, 101, O_CLOEXEC), 0, "dup3 fd=%d to=101 flags=0x80000", fd);
	CALL(dup3(fd, fd, 0), EINVAL, "dup3 fd=%d to=%d flags=0", fd, fd);
	ok(CALL(fcntl(fd, F_DUPFD, 102), 0, "fcntl fd=%d command=0 argument=102", fd) >= 102,
	   "  ... and is that number or a higher one");
	ok(CALL(fcntl64(fd, F_DUPFD_CLOEXEC, 103), 0, "fcntl fd=%d command=1030 argument=103",
		fd) >= 103,
	   "  ... and is that number or a higher one");
	CALL(fcntl(fd, F_SETFD, FD_CLOEXEC), 0, "fcntl fd=%d command=2 argument=1", fd);
	set_hook(NULL);
	ok(fcntl(fd, F_GETFD) == FD_CLOEXEC, "fcntl without an argument gets what was set");
	ok(fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK,
	   "a pointer reaches fcntl whole, and what it points at is filled");
	CALL(close_range(100, 110, 0), 0, "close_range first=100 last=110 flags=0");
	ok(fcntl(100, F_GETFD) < 0 && errno == EBADF, "  ... and they are closed");
	CALL(close_range(2, 1, 0), EINVAL, "close_range first=2 last=1 flags=0");
	watch();
	ok(pipe(ends) == 0 && errno == ERRNO_BEFORE, "pipe, and errno");
	set_hook(NULL);
	snprintf(buffer, sizeof(buffer), "pipe from=%d to=%d flags=0 result=0 error=0", ends[0],
		 ends[1]);
	is_string(event_text(), buffer, "pipe tells both ends");
	CALL(pipe2(bad, O_CLOEXEC), EFAULT, "pipe from=-1 to=-1 flags=0x80000");
	watch();
	ok(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && errno == ERRNO_BEFORE,
	   "socketpair, and errno");
	set_hook(NULL);
	snprintf(buffer, sizeof(buffer), "socketpair domain=1 type=0x1 protocol=0 from=%d to=%d",
		 ends[0], ends[1]);
	is(strncmp(event_text(), buffer, strlen(buffer)), 0, "socketpair tells both ends");
	CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, bad), EFAULT,
	     "socketpair domain=1 type=0x1 protocol=0 from=-1 to=-1");
	close(CALL(eventfd(3, EFD_CLOEXEC), 0, "eventfd value=3 flags=0x80000"));
	CALL(eventfd(3, -1), EINVAL, "eventfd value=3 flags=0xffffffffffffffff");
	close(fd);
}

static int by_list(int (*write)(int, const char *, va_list), int fd, const char *format, ...)
{
	va_list arguments;
	int result;

	va_start(arguments, format);
	result = write(fd, format, arguments);
	va_end(arguments);
	return result;
}

static int checked_by_list(int fd, const char *format, va_list arguments)
{
	return __vdprintf_chk(fd, 1, format, arguments);
}

static void test_formatted(void)
{
	int fd = memfd_create("file", 0);
	char written[40] = "";

	CALL(dprintf(fd, "%s%d", "ab", 1), 0, "dprintf fd=%d", fd);
	CALL(__dprintf_chk(fd, 1, "%s%.1f", "c", 2.5), 0, "dprintf fd=%d", fd);
	CALL(by_list(vdprintf, fd, "%d", 3), 0, "dprintf fd=%d", fd);
	CALL(by_list(checked_by_list, fd, "%d%s", 4, "d"), 0, "dprintf fd=%d", fd);
	is(pread(fd, written, sizeof(written) - 1, 0), 10, "  ... as many bytes");
	is_string(written, "ab1c2.534d", "  ... and these");
	CALL(dprintf(-1, "%s", "a"), EBADF, "dprintf fd=-1");
	close(fd);
}

static void test_read_and_write(void)
{
	int fd = memfd_create("file", 0);

	CALL(write(fd, "abcdefgh", 8), 0, "write fd=%d size=8", fd);
	CALL(pwrite(fd, "ABC", 3, 2), 0, "pwrite fd=%d size=3 offset=2", fd);
	CALL(pwrite64(fd, "D", 1, 5), 0, "pwrite fd=%d size=1 offset=5", fd);
	CALL(pread(fd, buffer, 8, 0), 0, "pread fd=%d size=8 offset=0", fd);
	ok(!memcmp(buffer, "abABCDgh", 8), "  ... and what was written is there");
	CALL(pread64(fd, buffer, 8, 5), 0, "pread fd=%d size=8 offset=5", fd);
	CALL(__pread_chk(fd, buffer, 8, 6, 8), 0, "pread fd=%d size=8 offset=6", fd);
	CALL(__pread64_chk(fd, buffer, 8, 7, 8), 0, "pread fd=%d size=8 offset=7", fd);
	lseek(fd, 0, SEEK_SET);
	CALL(read(fd, buffer, 2), 0, "read fd=%d size=2", fd);
	CALL(__read_chk(fd, buffer, 3, 3), 0, "read fd=%d size=3", fd);
	ok(!memcmp(buffer, "ABC", 3), "  ... and it is what comes next");
	CALL(readv(fd, &vector, 1), 0, "readv fd=%d count=1", fd);
	CALL(writev(fd, &vector, 1), 0, "writev fd=%d count=1", fd);
	CALL(read(fd, bad, 10), 0, "read fd=%d size=10", fd);
	CALL(write(fd, bad, 10), EFAULT, "write fd=%d size=10", fd);
	CALL(read(-1, buffer, 10), EBADF, "read fd=-1 size=10");
	close(fd);
}

static void test_sockets(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const socklen_t length = sizeof(sa_family_t) + 20;
	struct sockaddr *at = (struct sockaddr *)&address;
	int server, client, fd;

	/* In no file system: the first byte is 0. */
	snprintf(address.sun_path + 1, 20, "preload-io-%d", (int)getpid());
	server = CALL(socket(AF_UNIX, SOCK_STREAM, 0), 0, "socket domain=1 type=0x1 protocol=0");
	CALL(socket(-1, 0, 0), EAFNOSUPPORT, "socket domain=-1 type=0 protocol=0");
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	CALL(connect(client, at, length), ECONNREFUSED, "connect fd=%d family=1 address=[22]",
	     client);
	if (bind(server, at, length) || listen(server, 2))
		bail_out("cannot listen: %m");
	CALL(connect(client, at, length), 0, "connect fd=%d family=1 address=[22]", client);
	CALL(connect(client, bad, length), EFAULT, "connect fd=%d family=0 address=[0]", client);
	CALL(connect(-1, bad, length), EBADF, "connect fd=-1 family=0 address=[0]");
	fd = CALL(accept(server, NULL, NULL), 0, "accept fd=%d flags=0", server);
	CALL(send(client, "abcd", 4, 0), 0, "send fd=%d size=4 flags=0", client);
	CALL(sendto(client, "abcd", 4, MSG_NOSIGNAL, NULL, 0), 0,
	     "sendto fd=%d size=4 flags=0x4000", client);
	CALL(sendmsg(client, &message, 0), 0, "sendmsg fd=%d flags=0", client);
	CALL(recv(fd, buffer, 2, 0), 0, "recv fd=%d size=2 flags=0", fd);
	CALL(__recv_chk(fd, buffer, 2, 2, 0), 0, "recv fd=%d size=2 flags=0", fd);
	CALL(recvfrom(fd, buffer, 2, 0, NULL, NULL), 0, "recvfrom fd=%d size=2 flags=0", fd);
	CALL(__recvfrom_chk(fd, buffer, 2, 2, 0, NULL, NULL), 0, "recvfrom fd=%d size=2 flags=0",
	     fd);
	CALL(recvmsg(fd, &message, 0), 0, "recvmsg fd=%d flags=0", fd);
	CALL(recv(fd, buffer, 2, MSG_DONTWAIT), EAGAIN, "recv fd=%d size=2 flags=0x40", fd);
	close(fd);
	close(client);
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	connect(client, at, length);
	close(CALL(accept4(server, NULL, NULL, SOCK_CLOEXEC), 0, "accept fd=%d flags=0x80000",
		   server));
	close(client);
	close(server);
}

static void test_waiting(void)
{
	struct epoll_event event = { .events = EPOLLOUT };
	struct timespec none = { 0, 0 };
	struct timeval no_time = { 0, 0 };
	struct pollfd polled = { .events = POLLIN };
	int pipes[2], epfd, other;
	fd_set set;

	if (pipe(pipes))
		bail_out("cannot make a pipe: %m");
	polled.fd = pipes[0];
	CALL(poll(&polled, 1, 5), 0, "poll count=1 timeout=5");
	CALL(__poll_chk(&polled, 1, 0, sizeof(polled)), 0, "poll count=1 timeout=0");
	CALL(ppoll(&polled, 1, &none, NULL), 0, "ppoll count=1");
	CALL(__ppoll_chk(&polled, 1, &none, NULL, sizeof(polled)), 0, "ppoll count=1");
	CALL(poll(bad, 1, 0), EFAULT, "poll count=1 timeout=0");
	FD_ZERO(&set);
	FD_SET(pipes[0], &set);
	CALL(select(pipes[0] + 1, &set, NULL, NULL, &no_time), 0, "select count=%d", pipes[0] + 1);
	epfd = CALL(epoll_create1(EPOLL_CLOEXEC), 0, "epoll_create flags=0x80000");
	other = CALL(epoll_create(10), 0, "epoll_create flags=0");
	CALL(epoll_ctl(epfd, EPOLL_CTL_ADD, pipes[1], &event), 0, "epoll_ctl epfd=%d op=1 fd=%d",
	     epfd, pipes[1]);
	CALL(epoll_ctl(epfd, EPOLL_CTL_ADD, pipes[1], &event), EEXIST,
	     "epoll_ctl epfd=%d op=1 fd=%d", epfd, pipes[1]);
	CALL(epoll_wait(epfd, &event, 1, 5), 0, "epoll_wait epfd=%d count=1 timeout=5", epfd);
	CALL(epoll_pwait(other, &event, 1, 0, NULL), 0, "epoll_wait epfd=%d count=1 timeout=0",
	     other);
	close(epfd);
	close(other);
	close(pipes[0]);
	close(pipes[1]);
}

static void *read_for_ever(void *pipes)
{
	char byte;

	while (read(*(int *)pipes, &byte, 1) == 1)
		;
	return NULL;
}

static void test_cancel(void)
{
	pthread_t thread;
	int pipes[2];
	void *got;

	if (pipe(pipes))
		bail_out("cannot make a pipe: %m");
	pthread_create(&thread, NULL, read_for_ever, pipes);
	pthread_cancel(thread);
	pthread_join(thread, &got);
	ok(got == PTHREAD_CANCELED, "a thread that reads can be cancelled");
	close(pipes[0]);
	close(pipes[1]);
}

int main(int argc, char **argv)
{
	(void)argc;
	watch_preloaded(argv, ".libs/liblttngmap-io.so");
	test_classes();
	test_open();
	test_stdio();
	test_stdio_modes();
	test_directories();
	test_status();
	test_names();
	test_descriptors();
	test_formatted();
	test_read_and_write();
	test_sockets();
	test_waiting();
	test_cancel();
	return done_testing();
}
