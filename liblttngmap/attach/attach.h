/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * attach.h - this process and the session daemon: registering over the
 * socket of common/protocol/protocol-app.h (attach.c), and asking for more over it later
 * (attach-fetch.c). memory-map.h maps what comes back, descriptors.h keeps the socket.
 */
#ifndef LIBLTTNGMAP_ATTACH_ATTACH_H
#define LIBLTTNGMAP_ATTACH_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/protocol-app.h"
#include "liblttngmap/base/local.h"

enum attach_result {
	ATTACH_READY, /* attached */
	ATTACH_BUSY,  /* somebody in this process is at it */
	ATTACH_NONE,  /* no daemon, or it refused: this process is not traced */
	ATTACH_STALE, /* not before it has registered its classes: module_register_again() */
};

/* The daemon is given this long to answer, all of a registration together. */
#define ATTACH_DEADLINE_MS 100
/* The same where events may block. */
#define ATTACH_BLOCKING_DEADLINE_MS 5000
/* LTTNGMAP_REGISTER_TIMEOUT sets the time for a registration, in milliseconds, up to this. */
#define ATTACH_REGISTER_MOST_MS 60000

/*
 * A connection to the daemon, and until when the registration over it must be
 * done; or -errno, at once, where there is no daemon. Signal-safe, but for the
 * first call, which looks at the environment.
 */
int attach_connect(uint64_t *deadline);
/* Room for the answer to a registration with as many classes as one message holds. */
#define ATTACH_ANSWER_MAX                                                                          \
	(sizeof(struct protocol_app_registered) + PROTOCOL_APP_CLASSES_MAX * sizeof(uint16_t) +    \
	 8 + sizeof(struct protocol_app_slots))
/*
 * The first attach, or that to another daemon after the first is gone:
 * register with `nr_classes` event classes in wire form, `size` bytes, at most
 * what one message holds. Takes the socket over. `answer` has ATTACH_ANSWER_MAX bytes; on
 * success its ids are those of the classes. Called by one at a time; signal-safe.
 */
enum attach_result attach_first(int socket, uint64_t deadline, const void *classes, size_t size,
				uint32_t nr_classes, struct protocol_app_registered *answer);
/*
 * Attach, if that is needed, a child of fork that inherited an attached
 * parent's memory. Signal-safe; keeps errno. After ATTACH_NONE the process
 * is not tried again before its next attach_first().
 */
enum attach_result attach_child(struct local *local);
/* Would attach_child() return ATTACH_STALE for these pages? Signal-safe. */
bool attach_is_stale(const struct local *local);
/*
 * Marks stale pages as not traced, after the process registered again or failed to.
 * Signal-safe.
 */
void attach_leave_stale(struct local *stale);
/*
 * An event of a child that is not traced: it counts as lost in the rings of its parent, as long
 * as that is traced, and as its own while the daemon is away. `word` is the event's. Signal-safe.
 */
void attach_lose(struct local *local, const uint64_t *word);
/* More classes once attached (ATTACH_READY), over the same socket. */
enum attach_result attach_classes(const void *classes, size_t size, uint32_t nr_classes,
				  uint16_t *ids);
/*
 * Are the rings of that slot and life there, with at least so many bytes of data, without the meta
 * page, and of control? Else fetch them. Signal-safe.
 */
bool attach_has_rings(const struct local *local, const struct protocol_app_slot *wanted);
bool attach_fetch_rings(struct local *local, const struct protocol_app_slot *wanted);
/* An event of the slot's channel is lost for want of them. False: nobody can be told. Signal-safe.
 */
bool attach_tell_lost(const struct local *local, uint32_t slot);
/*
 * Child `pid`, or this process where that is 0, executes the program `name`, which is not traced.
 * "": the registered process could not execute it after all. Signal-safe, also in a child of vfork.
 */
void attach_tell_executed(int pid, const char *name);
/* This process asks for nothing from now on: it is told to the daemon. Signal-safe. */
void attach_leave_alone(const struct local *local);
/*
 * Somebody else is at it, the thread `holder`. Where events may make this program wait at
 * all, wait a little for that, until *deadline, which is set where it is 0; false where
 * that is over or must not be. Signal-safe.
 */
bool attach_may_wait(struct local *local, uint64_t holder, uint64_t *deadline);
/* Until when the daemon is to answer who begins now, in exchange_now()'s nanoseconds. Signal-safe.
 */
uint64_t attach_deadline(void);
/* The same for a registration, of a program, of a child or of a library's classes. Signal-safe. */
uint64_t attach_register_deadline(void);
/* Longer than all that a thread waits for in here at once: milliseconds. Signal-safe. */
uint64_t attach_patience_ms(void);
/* True in the process that registered; false in its children, also those of vfork. Signal-safe. */
bool attach_is_registered(void);
/*
 * Would the daemon serve a request? False in a child of vfork that became another user: it has its
 * parent's memory, and the daemon ignores what it sends over its parent's socket. Signal-safe.
 */
bool attach_may_ask(void);
/* Is our socket there, which tells when the daemon is gone? Signal-safe. */
bool attach_has_socket(struct local *local);
/* Does the daemon still hold our socket? Signal-safe. */
bool attach_is_alive(struct local *local);
/* Did the daemon that we are registered with, or our parent was, end? Signal-safe. */
bool attach_daemon_left(void);
/* Then: does another one go on with its sessions? Signal-safe. */
bool attach_daemon_comes_again(void);

#endif /* LIBLTTNGMAP_ATTACH_ATTACH_H */
