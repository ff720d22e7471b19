/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * report.h - telling who asked for probes which of them cannot be served.
 *
 * Nothing is printed. Each is an event, lttngmap_sdt:refused; and a line of the
 * file that `lttngmap record` has made for that (common/protocol/sdt-environment.h).
 *
 * Reports are collected under the loader's lock, and emitted without it: a file
 * or an event may have to wait. Not for signal handlers. Keeps nothing open.
 */
#ifndef SDT_REPORT_H
#define SDT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Under the loader's lock. `offset` is in the file, 0 where none is meant. False: too much
 * is kept already, and nothing was added.
 */
bool sdt_report(const char *provider, const char *name, const char *path, uint64_t offset,
		const char *why);

/*
 * Without the loader's lock: write the lines of what is kept, and with `events` emit it, too,
 * which makes room. Where another thread is at it, nothing. True: there is room for more.
 */
bool sdt_report_emit(bool events);

#endif /* SDT_REPORT_H */
