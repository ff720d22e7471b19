/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * messages.h - what people should know: said on standard error at once and
 * kept for the next `status`, a bounded number of them, and of each kind.
 *
 * Any thread.
 */
#ifndef SESSIOND_BASE_MESSAGES_H
#define SESSIOND_BASE_MESSAGES_H

/*
 * One line, without a newline: what failed, on what, what to do about it. The
 * format is a literal: it tells kinds of messages apart.
 */
void message_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, about the session with that key: only its own status shows the message. */
void message_of(const char *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Give each kept message about that session, or about none, to `take`, oldest first, and forget
 * it. Where some had to be dropped, a last one says how many.
 */
void messages_take(const char *session, void (*take)(const char *message, void *data), void *data);
/* The session ended. */
void messages_forget(const char *session);

#endif /* SESSIOND_BASE_MESSAGES_H */
