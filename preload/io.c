/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * io.c - liblttngmap-io.so: files, sockets and waiting for them, traced.
 *
 *   LD_PRELOAD=liblttngmap-io.so PROGRAM
 *
 * Each event is written after the call: its arguments, what it returned, the
 * error number where it failed, else 0, and how long it took, in nanoseconds.
 * Variants of a function (open64, __read_chk) are the same event. A call that
 * was begun while the event was off is not written, for nobody knows how long
 * it took.
 *
 * A wrapper reads the caller's memory only after the kernel has read it, too: a
 * bad pointer is an error there, and must not be the end of the program here.
 *
 * The wrappers call nothing that is wrapped here, and neither does
 * lttngmap_event_write(). A thread may be cancelled in any of them.
 *
 * io-stdio.c has what opens and closes streams of stdio and of directories, io-path.c what asks
 * for files by their names and changes these, io-descriptor.c the kinds of dup and pipe. Not seen:
 * what the C library does for itself, as in fread, printf and getaddrinfo; and calls by syscall(2).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "preload/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

/* C library functions called by programs that were built with _FORTIFY_SOURCE. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dirfd, const char *path, int flags);
int __openat64_2(int dirfd, const char *path, int flags);
ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *buffer, size_t size, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *buffer, size_t size, off64_t offset, size_t room);
ssize_t __recv_chk(int fd, void *buffer, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buffer, size_t size, size_t room, int flags,
		       struct sockaddr *address, socklen_t *length);
int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		const sigset_t *mask, size_t room);

#define NEXT_FUNCTIONS(X)                                                                          \
	X(open)                                                                                    \
	X(open64)                                                                                  \
	X(__open_2)                                                                                \
	X(__open64_2)                                                                              \
	X(openat)                                                                                  \
	X(openat64)                                                                                \
	X(__openat_2)                                                                              \
	X(__openat64_2)                                                                            \
	X(creat)                                                                                   \
	X(creat64)                                                                                 \
	X(close)                                                                                   \
	X(read)                                                                                    \
	X(__read_chk)                                                                              \
	X(pread)                                                                                   \
	X(pread64)                                                                                 \
	X(__pread_chk)                                                                             \
	X(__pread64_chk)                                                                           \
	X(readv)                                                                                   \
	X(write)                                                                                   \
	X(pwrite)                                                                                  \
	X(pwrite64)                                                                                \
	X(writev)                                                                                  \
	X(socket)                                                                                  \
	X(connect)                                                                                 \
	X(accept)                                                                                  \
	X(accept4)                                                                                 \
	X(send)                                                                                    \
	X(sendto)                                                                                  \
	X(sendmsg)                                                                                 \
	X(recv)                                                                                    \
	X(__recv_chk)                                                                              \
	X(recvfrom)                                                                                \
	X(__recvfrom_chk)                                                                          \
	X(recvmsg)                                                                                 \
	X(poll)                                                                                    \
	X(__poll_chk)                                                                              \
	X(ppoll)                                                                                   \
	X(__ppoll_chk)                                                                             \
	X(select)                                                                                  \
	X(epoll_create)                                                                            \
	X(epoll_create1)                                                                           \
	X(epoll_ctl)                                                                               \
	X(epoll_wait)                                                                              \
	X(epoll_pwait)

/* An error: 0 would be a file's number, or have a loop of writes go on for ever. */
#define NEXT_WHILE_FINDING (-1)
#include "preload/next.h"

#define EVENT IO_EVENT
#define CALL IO_CALL

/* ---- files ------------------------------------------------------------------------ */

EVENT(open, (string, path), (hex, int, flags), (octal, unsigned, mode));
EVENT(openat, (integer, int, dirfd), (string, path), (hex, int, flags), (octal, unsigned, mode));
EVENT(creat, (string, path), (octal, unsigned, mode));
EVENT(close, (integer, int, fd));
EVENT(read, (integer, int, fd), (integer, size_t, size));
EVENT(pread, (integer, int, fd), (integer, size_t, size), (integer, int64_t, offset));
EVENT(readv, (integer, int, fd), (integer, int, count));
EVENT(write, (integer, int, fd), (integer, size_t, size));
EVENT(pwrite, (integer, int, fd), (integer, size_t, size), (integer, int64_t, offset));
EVENT(writev, (integer, int, fd), (integer, int, count));

static bool has_mode(int flags)
{
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

#define TAKE_MODE(flags)                                                                           \
	({                                                                                         \
		mode_t mode_ = 0;                                                                  \
                                                                                                   \
		if (has_mode(flags)) {                                                             \
			va_list arguments;                                                         \
                                                                                                   \
			va_start(arguments, flags);                                                \
			mode_ = va_arg(arguments, mode_t);                                         \
			va_end(arguments);                                                         \
		}                                                                                  \
		mode_;                                                                             \
	})

int open(const char *path, int flags, ...)
{
	mode_t mode = TAKE_MODE(flags);
	CALL(open, int, NEXT(open)(path, flags, mode), io_known_path(path, error), flags, mode);
}

int open64(const char *path, int flags, ...)
{
	mode_t mode = TAKE_MODE(flags);
	CALL(open, int, NEXT(open64)(path, flags, mode), io_known_path(path, error), flags, mode);
}

int __open_2(const char *path, int flags)
{
	CALL(open, int, NEXT(__open_2)(path, flags), io_known_path(path, error), flags, 0);
}

int __open64_2(const char *path, int flags)
{
	CALL(open, int, NEXT(__open64_2)(path, flags), io_known_path(path, error), flags, 0);
}

int openat(int dirfd, const char *path, int flags, ...)
{
	mode_t mode = TAKE_MODE(flags);
	CALL(openat, int, NEXT(openat)(dirfd, path, flags, mode), dirfd, io_known_path(path, error),
	     flags, mode);
}

int openat64(int dirfd, const char *path, int flags, ...)
{
	mode_t mode = TAKE_MODE(flags);
	CALL(openat, int, NEXT(openat64)(dirfd, path, flags, mode), dirfd,
	     io_known_path(path, error), flags, mode);
}

int __openat_2(int dirfd, const char *path, int flags)
{
	CALL(openat, int, NEXT(__openat_2)(dirfd, path, flags), dirfd, io_known_path(path, error),
	     flags, 0);
}

int __openat64_2(int dirfd, const char *path, int flags)
{
	CALL(openat, int, NEXT(__openat64_2)(dirfd, path, flags), dirfd, io_known_path(path, error),
	     flags, 0);
}

int creat(const char *path, mode_t mode)
{
	CALL(creat, int, NEXT(creat)(path, mode), io_known_path(path, error), mode);
}

int creat64(const char *path, mode_t mode)
{
	CALL(creat, int, NEXT(creat64)(path, mode), io_known_path(path, error), mode);
}

int close(int fd)
{
	CALL(close, int, NEXT(close)(fd), fd);
}

ssize_t read(int fd, void *buffer, size_t size)
{
	CALL(read, ssize_t, NEXT(read)(fd, buffer, size), fd, size);
}

ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room)
{
	CALL(read, ssize_t, NEXT(__read_chk)(fd, buffer, size, room), fd, size);
}

ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
	CALL(pread, ssize_t, NEXT(pread)(fd, buffer, size, offset), fd, size, offset);
}

ssize_t pread64(int fd, void *buffer, size_t size, off64_t offset)
{
	CALL(pread, ssize_t, NEXT(pread64)(fd, buffer, size, offset), fd, size, offset);
}

ssize_t __pread_chk(int fd, void *buffer, size_t size, off_t offset, size_t room)
{
	CALL(pread, ssize_t, NEXT(__pread_chk)(fd, buffer, size, offset, room), fd, size, offset);
}

ssize_t __pread64_chk(int fd, void *buffer, size_t size, off64_t offset, size_t room)
{
	CALL(pread, ssize_t, NEXT(__pread64_chk)(fd, buffer, size, offset, room), fd, size, offset);
}

ssize_t readv(int fd, const struct iovec *vector, int count)
{
	CALL(readv, ssize_t, NEXT(readv)(fd, vector, count), fd, count);
}

ssize_t write(int fd, const void *buffer, size_t size)
{
	CALL(write, ssize_t, NEXT(write)(fd, buffer, size), fd, size);
}

ssize_t pwrite(int fd, const void *buffer, size_t size, off_t offset)
{
	CALL(pwrite, ssize_t, NEXT(pwrite)(fd, buffer, size, offset), fd, size, offset);
}

ssize_t pwrite64(int fd, const void *buffer, size_t size, off64_t offset)
{
	CALL(pwrite, ssize_t, NEXT(pwrite64)(fd, buffer, size, offset), fd, size, offset);
}

ssize_t writev(int fd, const struct iovec *vector, int count)
{
	CALL(writev, ssize_t, NEXT(writev)(fd, vector, count), fd, count);
}

/* ---- sockets ----------------------------------------------------------------------- */

EVENT(socket, (integer, int, domain), (hex, int, type), (integer, int, protocol));
EVENT(connect, (integer, int, fd), (integer, uint16_t, family), (sequence_hex, uint8_t, address));
EVENT(accept, (integer, int, fd), (hex, int, flags));
EVENT(send, (integer, int, fd), (integer, size_t, size), (hex, int, flags));
EVENT(sendto, (integer, int, fd), (integer, size_t, size), (hex, int, flags));
EVENT(sendmsg, (integer, int, fd), (hex, int, flags));
EVENT(recv, (integer, int, fd), (integer, size_t, size), (hex, int, flags));
EVENT(recvfrom, (integer, int, fd), (integer, size_t, size), (hex, int, flags));
EVENT(recvmsg, (integer, int, fd), (hex, int, flags));

/* How much of an address the kernel has read; nothing where it did not come to that. */
static size_t known_length(socklen_t length, int error)
{
	if (error == EBADF || error == EFAULT || error == EINVAL || error == ENOTSOCK ||
	    length < sizeof(sa_family_t) || length > sizeof(struct sockaddr_storage))
		return 0;
	return length;
}

#define FAMILY(address, length)                                                                    \
	(known_length(length, error) ? ((const struct sockaddr *)(address))->sa_family : 0)

int socket(int domain, int type, int protocol)
{
	CALL(socket, int, NEXT(socket)(domain, type, protocol), domain, type, protocol);
}

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
	CALL(connect, int, NEXT(connect)(fd, address, length), fd, FAMILY(address, length),
	     (const uint8_t *)address, known_length(length, error));
}

int accept(int fd, struct sockaddr *address, socklen_t *length)
{
	CALL(accept, int, NEXT(accept)(fd, address, length), fd, 0);
}

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
	CALL(accept, int, NEXT(accept4)(fd, address, length, flags), fd, flags);
}

ssize_t send(int fd, const void *buffer, size_t size, int flags)
{
	CALL(send, ssize_t, NEXT(send)(fd, buffer, size, flags), fd, size, flags);
}

ssize_t sendto(int fd, const void *buffer, size_t size, int flags, const struct sockaddr *address,
	       socklen_t length)
{
	CALL(sendto, ssize_t, NEXT(sendto)(fd, buffer, size, flags, address, length), fd, size,
	     flags);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	CALL(sendmsg, ssize_t, NEXT(sendmsg)(fd, message, flags), fd, flags);
}

ssize_t recv(int fd, void *buffer, size_t size, int flags)
{
	CALL(recv, ssize_t, NEXT(recv)(fd, buffer, size, flags), fd, size, flags);
}

ssize_t __recv_chk(int fd, void *buffer, size_t size, size_t room, int flags)
{
	CALL(recv, ssize_t, NEXT(__recv_chk)(fd, buffer, size, room, flags), fd, size, flags);
}

ssize_t recvfrom(int fd, void *buffer, size_t size, int flags, struct sockaddr *address,
		 socklen_t *length)
{
	CALL(recvfrom, ssize_t, NEXT(recvfrom)(fd, buffer, size, flags, address, length), fd, size,
	     flags);
}

ssize_t __recvfrom_chk(int fd, void *buffer, size_t size, size_t room, int flags,
		       struct sockaddr *address, socklen_t *length)
{
	CALL(recvfrom, ssize_t,
	     NEXT(__recvfrom_chk)(fd, buffer, size, room, flags, address, length), fd, size, flags);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	CALL(recvmsg, ssize_t, NEXT(recvmsg)(fd, message, flags), fd, flags);
}

/* ---- waiting ------------------------------------------------------------------------ */

EVENT(poll, (integer, uint64_t, count), (integer, int, timeout));
EVENT(ppoll, (integer, uint64_t, count));
EVENT(select, (integer, int, count));
EVENT(epoll_create, (hex, int, flags));
EVENT(epoll_ctl, (integer, int, epfd), (integer, int, op), (integer, int, fd));
EVENT(epoll_wait, (integer, int, epfd), (integer, int, count), (integer, int, timeout));

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	CALL(poll, int, NEXT(poll)(fds, count, timeout), count, timeout);
}

int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room)
{
	CALL(poll, int, NEXT(__poll_chk)(fds, count, timeout, room), count, timeout);
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	CALL(ppoll, int, NEXT(ppoll)(fds, count, timeout, mask), count);
}

int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		const sigset_t *mask, size_t room)
{
	CALL(ppoll, int, NEXT(__ppoll_chk)(fds, count, timeout, mask, room), count);
}

int select(int count, fd_set *reads, fd_set *writes, fd_set *excepts, struct timeval *timeout)
{
	CALL(select, int, NEXT(select)(count, reads, writes, excepts, timeout), count);
}

int epoll_create(int size)
{
	CALL(epoll_create, int, NEXT(epoll_create)(size), 0);
}

int epoll_create1(int flags)
{
	CALL(epoll_create, int, NEXT(epoll_create1)(flags), flags);
}

int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	CALL(epoll_ctl, int, NEXT(epoll_ctl)(epfd, op, fd, event), epfd, op, fd);
}

int epoll_wait(int epfd, struct epoll_event *events, int count, int timeout)
{
	CALL(epoll_wait, int, NEXT(epoll_wait)(epfd, events, count, timeout), epfd, count, timeout);
}

int epoll_pwait(int epfd, struct epoll_event *events, int count, int timeout, const sigset_t *mask)
{
	CALL(epoll_wait, int, NEXT(epoll_pwait)(epfd, events, count, timeout, mask), epfd, count,
	     timeout);
}
