/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * symbols.h - names of functions for addresses in events. Events of the family `dl`, or of LTTng's
 * own state dump, tell which programs and libraries lie where in a process; symbol-file.h reads
 * these.
 *
 * Machine and number identify a process. A new dump replaces what was known of the process; an
 * unload removes one library. The trace is not trusted: it decides which files are opened, but
 * symbol-file.h checks each file. Without memory there are no names. One thread.
 */
#ifndef CLI_SYMBOLS_SYMBOLS_H
#define CLI_SYMBOLS_SYMBOLS_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/symbols/symbol-file.h"

/* Common options of the verbs. */
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

/* NULL: the options want no names, or there is no memory. */
struct symbols *symbols_create(void);
void symbols_destroy(struct symbols *symbols);

/*
 * Call with each event, shown or not, in order of time: reads from it which libraries its process
 * loads. symbols_find() is about this process until the next call. `machine`: 0 for none; `pid`: -1
 * for none.
 */
void symbols_event(struct symbols *symbols, uint64_t machine, int64_t pid, const bt_event *event);

/* Kinds of events about the memory of their process. */
enum symbols_telling {
	SYMBOLS_TELLS_NOTHING,
	SYMBOLS_TELLS_BEGIN, /* begin of a dump of all that is loaded */
	SYMBOLS_TELLS_END,
	SYMBOLS_TELLS_OBJECT,
	SYMBOLS_TELLS_BUILD_ID,
	SYMBOLS_TELLS_UNLOAD,
};

/* From OBJECT on: */
struct symbols_fact {
	enum symbols_telling telling;
	uint64_t baddr, memsz;
	const char *path;        /* of an OBJECT */
	const uint8_t *build_id; /* of a BUILD_ID */
	size_t build_id_size;
};

/* By the event's name; whether it has the fields is to be seen. */
enum symbols_telling symbols_telling_of(const char *name);
/* symbols_event() for those who read without babeltrace. */
void symbols_tell(struct symbols *symbols, uint64_t machine, int64_t pid,
		  const struct symbols_fact *fact);
/* The symbol at an address in a process, as symbols_find() gives it. */
struct symbol *symbols_at(struct symbols *symbols, uint64_t machine, int64_t pid, uint64_t address);
/* Goes over the known processes: *number is 0 at first. False: there is no more. */
bool symbols_each(struct symbols *symbols, size_t *number, uint64_t *machine, int64_t *pid);

/*
 * Call before babeltrace's objects of these traces end; later objects may have the same addresses.
 */
void symbols_end_of_traces(struct symbols *symbols);

/* True if fields of that name hold addresses of code, or are sequences of such. */
bool symbols_is_address(const char *name);
/*
 * The symbol that the address points into; an element of a sequence likewise. NULL: unknown, no
 * address, or `symbols` is NULL. Valid until the next call.
 */
struct symbol *symbols_find(struct symbols *symbols, const char *name, const bt_field *field);
/* How often symbols_find() was asked about a process of which the trace does not tell what it had
 * loaded. */
uint64_t symbols_untold(const struct symbols *symbols);

/*
 * FUNCTION+0xOFFSET at FILE:LINE, as far as known; printable, and cut if very long. Owned by the
 * symbol.
 */
const char *symbols_text(struct symbol *symbol);

/* Prints which needed files could not be used. `verb` begins the messages. */
void symbols_report(const struct symbols *symbols, const char *verb);

#endif /* CLI_SYMBOLS_SYMBOLS_H */
