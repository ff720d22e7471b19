/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * function-patch.h - the few bytes of a program's code that function.c changes, while
 * the process starts: doc/design/functions.md argues each.
 *
 * All calls from one constructor, between function_patch_begin() and _end(). Nobody else runs
 * any of this code meanwhile: the process has one thread, and that takes no signals.
 */
#ifndef PRELOAD_FUNCTION_PATCH_H
#define PRELOAD_FUNCTION_PATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/function-select.h"

#define FUNCTION_CALL_SIZE 5u

/* Why not: shown in the event lttngmap_function:object. */
enum function_problem {
	FUNCTION_FINE,
	FUNCTION_HAS_THREADS,   /* a constructor before ours has started some */
	FUNCTION_NOT_PERMITTED, /* code cannot be written to, or be made */
	FUNCTION_NO_ROOM,       /* nothing is free within reach of the code */
};

enum function_problem function_patch_begin(void);
void function_patch_end(void);

/* Code within reach of all of the object's that goes on at `target`. NULL: no room. */
const void *function_patch_thunk(const struct function_object *object, const void *target,
				 enum function_problem *problem);

/* Five bytes of nothing, as compilers write them? */
bool function_patch_is_room(const unsigned char *at);

/* Make a call of them. */
bool function_patch_call(uint64_t at, const void *thunk);

/*
 * The call of __fentry__ at `at`, through one of the slots, does nothing from now on. True
 * also where there is none.
 */
bool function_patch_mute(const struct function_object *object, uint64_t at,
			 const struct function_slots *slots);

#endif /* PRELOAD_FUNCTION_PATCH_H */
