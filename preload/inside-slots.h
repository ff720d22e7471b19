/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * inside-slots.h - the words by which loaded objects call functions of others,
 * and leading them to a family's functions and back.
 *
 * A library that is loaded late comes last in the loader's order, so that nobody
 * would find its malloc(). But each object has a word for each function that it
 * calls (R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT), which the loader filled: that
 * one is exchanged, where it leads to the very function that the family's own
 * leads on to. A program's own malloc() is thus left alone.
 *
 *     word of an object            before   after    undone
 *     bound                        next     wrapper  next
 *     not yet bound (its own PLT)  PLT      wrapper  next
 *     of another definition        other    other    other
 *
 * Nothing is kept of what was changed: undoing looks for words that lead to the
 * family. An object that was unloaded meanwhile took its words along.
 *
 * Threads: others run meanwhile, and may call through any word at any time: a word
 * is aligned and stored at once. Objects neither come nor go, for the loader's lock
 * is held. Not for signal handlers. No malloc.
 */
#ifndef PRELOAD_INSIDE_SLOTS_H
#define PRELOAD_INSIDE_SLOTS_H

#include <stdbool.h>

#include "common/protocol/inside.h"

#define INSIDE_FUNCTIONS_MAX 160u

/* Functions that a family wraps. */
struct inside_functions {
	unsigned count;
	struct inside_function {
		const char *name;
		void *wrapper;
		void *next;      /* what the wrapper leads on to */
		bool is_foreign; /* the program finds another one by that name */
	} functions[INSIDE_FUNCTIONS_MAX];
};

/* Finds the functions exported by the library of `handle`. False: too many. */
bool inside_functions_find(void *handle, struct inside_functions *functions);
/* In all loaded objects but ours; counts what it did in *library. */
void inside_slots_change(const struct inside_functions *functions, bool to_wrappers,
			 struct inside_library *library);

#endif /* PRELOAD_INSIDE_SLOTS_H */
