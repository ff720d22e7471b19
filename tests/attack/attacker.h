/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * attacker.h - what the attacks of tests/attack have in common: a runtime
 * directory to attack, and registrations as a process makes them.
 *
 * An attack runs in a worker process until its alarm clock ends it, or
 * returns. Nothing in it ends the test: who is refused goes on.
 */
#ifndef ATTACKER_H
#define ATTACKER_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/utils/class-wire.h"
#include "tests/utils/sessiond-run.h"

struct attacker {
	struct sessiond daemon; /* its directory alone is set */
	unsigned int worker;    /* from 0 */
	const char *argument;   /* NULL: none was given */
};

/* Connect to a socket of the runtime directory; -1: refused. */
int attacker_connect(const struct attacker *attacker, const char *name);
/* Register without classes; the answer's descriptors stay open. -1: refused. */
int attacker_register(const struct attacker *attacker, struct app_answer *answer);
/* One message of CLASSES, whose classes `wire` has. Are there ids? */
bool attacker_add_classes(int fd, const struct class_wire *wire);
/* A class that nobody has registered before, with `fields` fields. */
void attacker_make_class(struct class_wire *wire, unsigned int fields);
/* Send bytes with descriptors, without waiting. */
bool attacker_send(int fd, const void *bytes, size_t size, const int *fds, unsigned int nr_fds);
int64_t attacker_now_us(void);

/* attack-shared.c: what a process can do to what it has from the daemon. */
void attack_awake(struct attacker *attacker);
void attack_bell(struct attacker *attacker);
void attack_inode(struct attacker *attacker);
void attack_locks(struct attacker *attacker);
void attack_holes(struct attacker *attacker);
void attack_watchers(struct attacker *attacker);
void attack_discards(struct attacker *attacker);
void attack_scribble(struct attacker *attacker);
void attack_frozen(struct attacker *attacker);
void attack_impostor(struct attacker *attacker);
void attack_library(struct attacker *attacker);
void attack_hoard(struct attacker *attacker);

/* attack-socket.c: what a stranger can send. */
void attack_classes(struct attacker *attacker);
void attack_ids(struct attacker *attacker);
void attack_enums(struct attacker *attacker);
void attack_leave(struct attacker *attacker);
void attack_rights(struct attacker *attacker);
void attack_memfds(struct attacker *attacker);
void attack_nested(struct attacker *attacker);
void attack_unread(struct attacker *attacker);
void attack_opens(struct attacker *attacker);
void attack_inotify(struct attacker *attacker);
void attack_probe(struct attacker *attacker);

/* attack-control.c: what a member of the group tracing can ask for. */
void attack_rules(struct attacker *attacker);
void attack_filters(struct attacker *attacker);
void attack_trackers(struct attacker *attacker);
void attack_storm(struct attacker *attacker);
void attack_swap(struct attacker *attacker);
void attack_deep(struct attacker *attacker);

#endif /* ATTACKER_H */
