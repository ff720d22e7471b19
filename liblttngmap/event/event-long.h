/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * event-long.h - events that are too long for a stack (lttngmap/event-class.h has the calls).
 *
 * A program's stack may be small, so an event over LTTNGMAP_RECORD_MAX bytes is laid out in a
 * buffer of the library's. An event holds its buffer from lttngmap_event_reserve() to
 * lttngmap_event_write_long(). A buffer is mapped at its first use, and mapped anew for an event
 * that is longer than it; the events after that make no system call.
 *
 *   base                                     fields
 *   +--------------------------------------+------------------------+------+
 *   | room for contexts and callstack      | fields, `size` bytes   | 16   |
 *   +--------------------------------------+------------------------+------+
 *
 * A thread takes a buffer by one exchange of `holder`, and nobody waits for one: if all are held,
 * the event is cut. Only the holder reads or changes the rest. A signal handler takes another
 * buffer than the code that it interrupted. A forked child has its parent's buffers as they were:
 * those that other threads held then stay held in it.
 */
#ifndef LIBLTTNGMAP_EVENT_EVENT_LONG_H
#define LIBLTTNGMAP_EVENT_EVENT_LONG_H

/* So many long events may be laid out at once. */
#define EVENT_LONG_BUFFERS 64u

#endif /* LIBLTTNGMAP_EVENT_EVENT_LONG_H */
