/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * socket.h - Unix sockets: listen, connect, who is there, messages with
 * descriptors.
 *
 * Every descriptor made or received here is close-on-exec; no call raises
 * SIGPIPE. All return 0 or -errno unless said otherwise. Thread-safe.
 */
#ifndef COMMON_BASE_SOCKET_H
#define COMMON_BASE_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

/* Longest path of a socket, bytes; what is longer is -ENAMETOOLONG. */
#define SOCKET_PATH_MAX 107
/* Most descriptors in one message, as the kernel has it. */
#define SOCKET_FDS_MAX 253

/*
 * Listen at `path`. `type` is SOCK_SEQPACKET or SOCK_STREAM, with
 * SOCK_NONBLOCK or without. The socket has the rights `mode` (less the umask)
 * from the instant when it is there. One that a dead process left is
 * replaced; -EADDRINUSE: somebody listens there, or it is no socket.
 */
int socket_listen(const char *path, int type, mode_t mode, int *fd);

/*
 * For a listening socket, and all sockets that it accepts: a peer that sends descriptors is refused
 * (EPERM). Otherwise the kernel closes descriptors that nobody receives in the thread that reads
 * the message or closes the socket, and that close can take as long as the sender likes: for a TCP
 * socket with SO_LINGER, for one. Linux 6.16; on older kernels it returns -ENOPROTOOPT, and from
 * then on socket_receive() without room for descriptors leaves such a message in the queue.
 */
int socket_refuse_fds(int listener);
/* False: a call of socket_refuse_fds() failed in this process, or in one that it was forked of. */
bool socket_is_refusing_fds(void);
/* Does the next message have descriptors? It stays there. */
bool socket_has_fds(int fd);
/*
 * From then on each message has its sender's credentials: the process that sent it, which need not
 * be the one that connected. 0 or -errno.
 */
int socket_pass_sender(int fd);
/*
 * The process that sent the next message, which stays there, by the kernel's word; its pid is 0
 * where this pid namespace has no number for it. Needs socket_pass_sender() before the message was
 * sent: else pid 0. 0; -EAGAIN: there is no message; -ENODATA; another -errno.
 */
int socket_sender(int fd, struct ucred *sender);
/*
 * Looks at the next message, which stays there, and at its sender, by one call: socket_receive()
 * without room for descriptors, and socket_sender(). *sender is as it was where the kernel names
 * nobody.
 */
ssize_t socket_peek(int fd, void *data, size_t size, struct ucred *sender);
/* Is there a message, perhaps an empty one? For a SOCK_SEQPACKET socket that nobody reads later. */
bool socket_has_message(int fd);

/* -EAGAIN: SOCK_NONBLOCK was given and the backlog is full. */
int socket_connect(const char *path, int type, int *fd);

/* SOCK_NONBLOCK for the new one: `flags`. -EAGAIN: nobody there. */
int socket_accept(int listener, int flags, int *fd);

/* Credentials of the peer at the time when it connected or listened. */
int socket_peer(int fd, struct ucred *peer);

/*
 * Send one message, all of it or nothing, with `nr_fds` descriptors, which
 * stay the caller's. Never blocks: -EAGAIN where the peer reads too slowly,
 * and socket_wait(fd, POLLOUT, ...) tells when to try again.
 */
int socket_send(int fd, const void *data, size_t size, const int *fds, size_t nr_fds);

/*
 * Receive one message of 1 to `size` bytes; returns its size, 0 at the end of
 * the connection, or -errno. `*nr_fds` is the room in `fds` on the way in, how
 * many came on the way out; they are the caller's. NULL and NULL for none.
 * Descriptors beyond the room are closed. -EMSGSIZE: the message was larger;
 * it is gone, and so are its descriptors. -EAGAIN as usual. `flags` may be
 * MSG_DONTWAIT.
 */
ssize_t socket_receive(int fd, void *data, size_t size, int flags, int *fds, size_t *nr_fds);

/*
 * Wait until poll(2) reports one of `events`, a hangup or an error.
 * timeout_ms < 0: for ever. -ETIMEDOUT. Signals do not end the wait.
 */
int socket_wait(int fd, short events, int timeout_ms);

#endif /* COMMON_BASE_SOCKET_H */
