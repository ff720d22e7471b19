/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sessiond-run.h - a session daemon in a directory of its own, for a test
 * written in C, and a process that registers with it as liblttngmap does.
 *
 * Whatever goes wrong here ends the test.
 */
#ifndef SESSIOND_RUN_H
#define SESSIOND_RUN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <json-c/json.h>

#include "common/protocol/protocol-app.h"

struct sessiond {
	char dir[64];
	pid_t pid;
	int control; /* connected, hello said */
};

/*
 * Start $LTTNGMAP_BUILD/lttngmap-sessiond --private --consumer=none with more
 * arguments, up to a NULL, and wait until it says that it is ready. `files`:
 * its limit of descriptors, 0 for ours.
 */
void sessiond_start(struct sessiond *sessiond, unsigned int files, ...);
#define SESSIOND_LEFTOVERS 99
/*
 * End it by a signal; its exit status, or 128 + signal, or SESSIOND_LEFTOVERS
 * where something is left in its directory, which goes in any case.
 */
int sessiond_stop(struct sessiond *sessiond, int signal);

/* Ask; printf-like. The answer, to be put. */
struct json_object *sessiond_ask(struct sessiond *sessiond, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Ask, and want to hear {"ok": true}. */
void sessiond_do(struct sessiond *sessiond, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same; false: the daemon has not answered for a minute. */
bool sessiond_does(struct sessiond *sessiond, const char *request);
/* A number of the answer to "status"; -1: there is none. */
int64_t sessiond_status(struct sessiond *sessiond, const char *session, const char *key);

/* ---- a process ------------------------------------------------------------- */

struct app_answer {
	ssize_t size; /* 0: the daemon closed; < 0: -errno, -ETIMEDOUT after a minute */
	int fds[PROTOCOL_APP_FD_RINGS + PROTOCOL_APP_SLOTS_MAX];
	size_t nr_fds;
	union {
		struct protocol_app_header header;
		struct protocol_app_registered registered;
		struct protocol_app_ids ids;
		struct protocol_app_memory memory;
		struct protocol_app_refused refused;
		char bytes[PROTOCOL_APP_MESSAGE_MAX];
	};
};

int app_connect(const struct sessiond *sessiond);
/* Send bytes as they are and wait for what comes back. */
void app_exchange(int fd, const void *bytes, size_t size, struct app_answer *answer);
/* LTTNGMAP_ABI_MINOR of the library that registers. */
extern uint16_t app_abi_minor;
/* A right REGISTER with classes in wire form; `flags` as there. */
void app_register(int fd, uint32_t flags, const void *classes, size_t size, uint32_t nr_classes,
		  struct app_answer *answer);
void app_close_fds(struct app_answer *answer);
/* The first rings of a registration's answer, whose descriptor is PROTOCOL_APP_FD_RINGS; or NULL.
 */
const struct protocol_app_slot *app_rings(const struct app_answer *answer);
/* Where their ring control begins in there, bytes. */
uint64_t app_rings_control_at(const struct protocol_app_slot *rings);

#endif /* SESSIOND_RUN_H */
