/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * complete.h - what `lttngmap complete` prints, for the shells' completions:
 *
 *   CANDIDATE <tab> WHAT IT IS       a word that may stand there
 *   <tab> KIND <tab> ARGUMENT        the shell knows better: "files" and "directories",
 *                                    whose ARGUMENT is what stands before the path in the
 *                                    same word; "command", a whole command line that
 *                                    begins with word ARGUMENT, the verb being word 0
 *
 * A word of somebody else's, such as a session's name, has no tab or line's end in it.
 */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

struct verb;

/* If `candidate` begins with `word`, prints `before`, the candidate, and its description `what`. */
void complete_print(const char *word, const char *before, const char *candidate, const char *what);
/*
 * Prints the values for the placeholder `name` of a usage that begin with `word`. In a list
 * ("FAMILY,...") only the last element is completed. `verb` and session_options name the daemon
 * to ask. The function starts no daemon, and waits two seconds at most. `trace`: the trace whose
 * events are candidates, or NULL.
 */
void complete_value(const struct verb *verb, const char *name, const char *word, const char *before,
		    const char *trace);

#endif /* CLI_COMPLETE_H */
