/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * state.h - what the daemon writes down of its sessions, and a restarted one
 * made from the saved state (doc/design/surviving.md).
 *
 *   state.c          classes, processes, process channels; who calls whom
 *   state-session.c  sessions and what is in them, as JSON
 *
 * A new property of a session, a channel or a rule that is to outlive the daemon
 * belongs into both halves of state-session.c.
 *
 * Main thread.
 */
#ifndef SESSIOND_STATE_STATE_H
#define SESSIOND_STATE_STATE_H

#include <stdbool.h>

#include <json-c/json.h>

struct daemon;
struct memory_set;
struct process;

/* Sessions are different from what they were: the restarted daemon is to know. */
void state_save(struct daemon *daemon);
/* Everything as it was, and going on. 0 or -errno; what failed was said. */
int state_restore(struct daemon *daemon);
/* Do sessions go on when the daemon ends in order? Not a private one's, nor with --forget. */
bool state_is_kept(const struct daemon *daemon);
/* Then: what the saved state says of them from now on stays. */
void state_keep(struct daemon *daemon);
/*
 * Sessions of the daemon before, whose processes register anew; those that were active are
 * started. None of them, where one cannot be made: that is said, and the daemon goes on.
 */
void state_take_over(struct daemon *daemon);

/*
 * The rings of a process that is gone, in all channels, by its record in the
 * saved state; takes the reference. How many ring sets there are.
 */
unsigned int state_restore_ended(struct daemon *daemon, struct memory_set *memories);

/* All sessions. The caller puts it. NULL: no memory. */
struct json_object *state_save_sessions(const struct daemon *daemon);
/* Without their processes. 0 or -errno. */
int state_restore_sessions(struct daemon *daemon, struct json_object *saved);

#endif /* SESSIOND_STATE_STATE_H */
