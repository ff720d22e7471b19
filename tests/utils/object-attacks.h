/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * object-attacks.h - attackers that hold what they have in common with a daemon, as
 * another user where root starts them:
 *
 *   bell   processes clear O_NONBLOCK of their doorbells, ring and empty them
 *   lock   one holds the inode's lock of each memory that it was given: write(2) waits
 *          for a page of a file system that never answers (utils/hanging-file)
 *   names  the same, of files; who holds them is another process than who registered, which
 *          ends, or registers again
 *   punch  one punches holes into its memories, all the time
 *   claim  one takes all other kinds of locks on them, leases too, and stands still
 *   list   one reads the daemon's directories into such a page
 *   send   one sends descriptors that take an hour to close
 *
 * They last until object_attack_end(), or the end of who started them.
 */
#ifndef OBJECT_ATTACKS_H
#define OBJECT_ATTACKS_H

#include <stdint.h>

#include "tests/utils/sessiond-run.h"

#define OBJECT_ATTACKERS_MAX 32

void attack_bell(void);
void attack_punch(void);
void attack_claim(void);
void attack_list(void); /* this and the next are root's to start */
void attack_lock(void); /* while slot 0 is a channel's that is started */
void attack_names(void);
void attack_send(void);

/* Start so many; waits for them: how many have begun. */
int object_attack(const struct sessiond *sessiond, void (*attack)(void), int count);
void object_attack_end(void);

int64_t object_now_ms(void);
void object_pause_ms(long ms);

#endif /* OBJECT_ATTACKS_H */
