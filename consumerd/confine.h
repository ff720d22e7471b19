/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * confine.h - what is left to the consumer: of root's rights those to write as
 * each trace's owner, of system calls those that reading rings and writing
 * files takes. It reads memory that traced programs write all day long.
 *
 *   what                                          what comes of it
 *   a call on the list                            as ever
 *   a call that only somebody else would make     killed (SIGSYS); its daemon says so
 *   any other, a new one of libc's maybe; an      fails: ENOSYS
 *   ioctl that is no ring's
 *   executable memory, another's signals, limits  fails: EPERM
 *   a socket that is not of Unix                  fails: EAFNOSUPPORT
 *
 * Not in builds with sanitizers, which need calls of their own.
 */
#ifndef CONSUMERD_CONFINE_H
#define CONSUMERD_CONFINE_H

/* From now on. 0 or -errno. */
int consumer_confine(void);

#endif /* CONSUMERD_CONFINE_H */
