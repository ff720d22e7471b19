/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * rings-note.h - OUTPUT/.rings: the path of the rings of a recording with --ring-dir, while it goes
 * on, or after it was killed. `recover` removes it.
 *
 * Only this user's note is believed, for it leads to files.
 */
#ifndef COMMON_BASE_RINGS_NOTE_H
#define COMMON_BASE_RINGS_NOTE_H

#include <limits.h>
#include <stdbool.h>

#define RINGS_NOTE ".rings"

/* Notes the path in the open directory; a failure is not reported. NULL: removes the note. */
void rings_note_write(int folder, const char *rings);
/* Reads the note of the open directory. False: there is none. */
bool rings_note_read(int folder, char rings[PATH_MAX]);
/* Removes the note from the directory `output`, or from the one above, if it is of these rings. */
void rings_note_remove(const char *output, const char *rings);

#endif /* COMMON_BASE_RINGS_NOTE_H */
