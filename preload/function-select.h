/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * function-select.h - which functions of a program are traced: those that
 * LTTNGMAP_FUNCTIONS names, GLOB,... with '*' for anything; a '!' before one
 * takes out what it matches. Unset, or empty: all.
 *
 * Names are those of the symbol tables of files (C++: as the linker knows them), looked
 * at once, by a constructor, and only of objects that are instrumented in the way that the
 * family is for. The result is a bit for each address of the object's code, so a query is
 * one load, in signal handlers and anywhere. Objects that are loaded later are not known, hence
 * not selected where there are names.
 */
#ifndef PRELOAD_FUNCTION_SELECT_H
#define PRELOAD_FUNCTION_SELECT_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* A function's first bytes, which may be read where it is known to be. */
#define FUNCTION_READ 16u
/* Such objects are found at most; what is beyond is as loaded later. */
#define FUNCTION_OBJECTS_MAX 64

/* An executable or library that is loaded. Written once, before anyone else looks. */
struct function_object {
	uint64_t base;       /* what the loader added to the addresses in the file */
	uint64_t begin, end; /* where its code is */
	uint64_t *selected;  /* a bit for each byte there, or NULL: no names are known */
	uint64_t functions;  /* that have a name */
	uint64_t chosen;     /* of them */
};

/* Where in memory an object refers to a symbol of another one: at most two places. */
struct function_slots {
	uint64_t at[2];
	unsigned count;
};

/* Is there anything in LTTNGMAP_FUNCTIONS? Read by function_select_names(). */
extern bool function_names_given __attribute__((visibility("hidden")));

void function_select_names(void);
/* The text that was given; "" if it was too long, which selects nothing. */
const char *function_select_given(void);

/* Find where the object is bound to `symbol`, which others define. False: nowhere. */
bool function_find_slots(const struct dl_phdr_info *info, const char *symbol,
			 struct function_slots *slots);

/*
 * A file's section of that name, as it lies in memory. False: it has none, or the file is
 * not (any more) the one that was loaded.
 */
bool function_find_section(const struct dl_phdr_info *info, const char *name, uint64_t *begin,
			   uint64_t *size);

/*
 * Put the object into the list, with what is selected of it. `each` is called for
 * each function that has a name, selected or not, unless it is NULL. NULL: there is no room, or
 * no code. Constructors only.
 */
struct function_object *function_object_add(const struct dl_phdr_info *info,
					    void (*each)(const struct function_object *object,
							 uint64_t address, bool is_selected,
							 void *argument),
					    void *argument);

/* Where a function begins: after the landing pad of indirect branches, if there is one. */
uint64_t function_body(const struct function_object *object, uint64_t address);

bool function_is_listed(const void *address);

/* Whether the function at `address`, or whose body is there, is to be traced. Signal-safe. */
static inline bool function_is_selected(const void *address)
{
	return __builtin_expect(!function_names_given, 1) || function_is_listed(address);
}

/* For each object that was added. */
const struct function_object *function_object_at(unsigned index);

#endif /* PRELOAD_FUNCTION_SELECT_H */
