/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * class-reclaim.h - event classes that nobody uses are given back: their ids, their
 * memory, and their place in the saved state.
 *
 * A class is used by
 *   a process that registered it, or has it from its parent, and has not been seen to
 *   end (process.h): it may write an event with the id at any time;
 *   a session whose metadata describes it, until the session is destroyed: its rings
 *   and its trace may have the id.
 * A child of fork writes nothing before it has registered, and is refused when its
 * parent is gone (protocol-app.h). So nobody else can write the id as that class's.
 *
 * Main thread.
 */
#ifndef SESSIOND_APP_CLASS_RECLAIM_H
#define SESSIOND_APP_CLASS_RECLAIM_H

struct daemon;

/*
 * Give back all classes that nobody uses. For when a user, or everybody, runs short of them:
 * as long as nobody does, a program that is started again finds its ids as they were.
 *
 * A class that is used, but not by who is charged for it, is charged to a user of it whose
 * share has room for it. If there is none, its charge stays: two users who hold each
 * other's classes have no more than both shares. A session of root's or the daemon's user,
 * which may describe everybody's classes, leaves them charged as they are.
 *
 * Does nothing for some time after it was done: it takes a twentieth of the time at most.
 */
void class_reclaim(struct daemon *daemon);

#endif /* SESSIOND_APP_CLASS_RECLAIM_H */
