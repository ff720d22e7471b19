/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * callstack.h - the context callstack: where a thread is, and who called that.
 */
#ifndef LIBLTTNGMAP_EVENT_CALLSTACK_H
#define LIBLTTNGMAP_EVENT_CALLSTACK_H

#include <stddef.h>
#include <stdint.h>

#include <lttngmap/abi.h>

/* Frames between an event and its walk, which are walked and not kept, at most. */
#define CALLSTACK_OWN_FRAMES 16u
/* The length, bytes to be aligned, and the addresses. */
#define CALLSTACK_ROOM(depth) (4u + 8u + 8u * ((depth) + CALLSTACK_OWN_FRAMES))

/*
 * Puts a 32-bit count, and as many addresses, at `to`, which has CALLSTACK_ROOM(depth) bytes: no
 * more than `depth`, innermost first. The first is `ip` if that is the event's caller, else the
 * first address outside of this library; `ip` alone if nothing is known of the stack. Returns how
 * many bytes they are. Signal-safe.
 */
size_t callstack_write(uint32_t depth, const void *ip, unsigned char *to);

#endif /* LIBLTTNGMAP_EVENT_CALLSTACK_H */
