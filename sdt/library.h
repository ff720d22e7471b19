/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * library.h - what liblttngmap-sdt.so exports beside its wrappers: for whoever
 * brings it into a process that runs already.
 */
#ifndef SDT_LIBRARY_H
#define SDT_LIBRARY_H

#include <stddef.h>

/*
 * Choose anew which probes of the process can be recorded: those of its program
 * and libraries that match one of the rules, PROVIDER:NAME with '*' for any text,
 * between commas. These are registered and armed, all others are as without us;
 * "" puts every byte back. Libraries that are loaded by dlopen() later follow the
 * same rules, where this library was preloaded.
 *
 * The number of places that are armed now, or -errno: -E2BIG for rules that are
 * too long, -ENOSYS for a CPU without xsave, or of opening /proc/self/mem. May take
 * as long as registering does (100 ms where the daemon does not answer). Not for
 * signal handlers; any thread, but none that holds the loader's lock or has been
 * stopped in the loader. Keeps errno.
 */
__attribute__((visibility("default"))) int lttngmap_sdt_select(const char *rules);

/* How many places are armed. Like lttngmap_sdt_select(), but it never fails. */
__attribute__((visibility("default"))) int lttngmap_sdt_armed(void);

/*
 * The number of probes that match the rules but cannot be traced; `text`, which has `size` bytes
 * and ends in a NUL, gets as many lines as fit in the format of common/protocol/sdt-environment.h,
 * files that cannot be read included. As above.
 */
__attribute__((visibility("default"))) int lttngmap_sdt_refused(char *text, size_t size);

#endif /* SDT_LIBRARY_H */
