/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* loaded.h - when the context callstack learns of what is loaded (liblttngmap/unwind/objects.h). */
#ifndef LIBLTTNGMAP_ATTACH_LOADED_H
#define LIBLTTNGMAP_ATTACH_LOADED_H

/*
 * A module was registered, or an object was loaded or unloaded. If a channel of the daemon records
 * call stacks, or did when this was called before, the tables of what is loaded are copied. Not for
 * the event's path: see unwind_objects_update(). Keeps errno. For families, so by a name that is
 * ours alone.
 */
void lttngmap_loaded_changed(void);

#endif /* LIBLTTNGMAP_ATTACH_LOADED_H */
