/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * symbols.h - names of functions for addresses in events: what the events of the
 * family `dl`, or of LTTng's own state dump, tell of a process says which program and
 * libraries lay where, and symbol-file.h what is in these.
 *
 * A process is known by its machine and number; what it was before is forgotten when it
 * dumps its state anew, and what it unloaded when it says so. Nothing that a trace tells is
 * believed: it decides which files are opened, not what is taken from them. Without memory
 * there are no names. One thread.
 */
#ifndef LTTNGMAP_CLI_SYMBOLS_SYMBOLS_H
#define LTTNGMAP_CLI_SYMBOLS_SYMBOLS_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/symbols/symbol-file.h"

/* Options that verbs have in common. */
extern int symbols_option_none;
extern char *symbols_option_root;
#define SYMBOLS_OPTIONS                                                                            \
	{ "no-symbols",                                                                            \
	  '\0',                                                                                    \
	  POPT_ARG_NONE,                                                                           \
	  &symbols_option_none,                                                                    \
	  0,                                                                                       \
	  "Leave addresses as they are: no names of functions",                                    \
	  NULL },                                                                                  \
	{                                                                                          \
		"sysroot", '\0', POPT_ARG_STRING, &symbols_option_root, 0,                         \
			"Find programs and libraries below this directory", "DIR"                  \
	}

struct symbols;

/* As the options say: NULL where no names are wanted, or there is no memory. */
struct symbols *symbols_create(void);
void symbols_destroy(struct symbols *symbols);

/*
 * Call with each event, shown or not, in order of time: reads from it which libraries its process
 * loads. symbols_find() is about this process until the next call. `machine`: 0 for none; `pid`: -1
 * for none.
 */
void symbols_event(struct symbols *symbols, uint64_t machine, int64_t pid, const bt_event *event);

/* No more events of these traces: babeltrace's objects go, and others may come in their place. */
void symbols_end_of_traces(struct symbols *symbols);

/* Does a field of that name hold an address of code? */
bool symbols_is_address(const char *name);
/*
 * What it points into; NULL: it is in nothing that is known, the field is no address, or
 * `symbols` is NULL. Valid until the next call.
 */
struct symbol *symbols_find(struct symbols *symbols, const char *name, const bt_field *field);

/*
 * FUNCTION+0xOFFSET at FILE:LINE, as far as known, cut where it is very long; printable.
 * The symbol's.
 */
const char *symbols_text(struct symbol *symbol);

/* Prints which needed files could not be used. `verb` begins the messages. */
void symbols_tell(const struct symbols *symbols, const char *verb);

#endif /* LTTNGMAP_CLI_SYMBOLS_SYMBOLS_H */
