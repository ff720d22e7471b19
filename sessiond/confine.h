/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * confine.h - the session daemon, its supervisor and all that they start give up rights before
 * they listen to anybody: root's rights but for a few, and system calls that none of them ever
 * makes. These fail with EPERM from then on.
 *
 * A list of the calls that it may make would be long, for it mounts, serves FUSE, looks
 * into processes and starts the consumer. The consumer has such a list.
 */
#ifndef SESSIOND_CONFINE_H
#define SESSIOND_CONFINE_H

/* 0 or -errno. */
int sessiond_confine(void);

#endif /* SESSIOND_CONFINE_H */
