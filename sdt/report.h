/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * report.h - telling who asked for probes which of them cannot be served.
 *
 * Nothing is printed. Each is an event, lttngmap_sdt:refused; and a line of the
 * file that `lttngmap record` has made for that (common/sdt-environment.h).
 *
 * Under the loader's lock, not for signal handlers. Keeps nothing open.
 */
#ifndef LTTNGMAP_SDT_REPORT_H
#define LTTNGMAP_SDT_REPORT_H

#include <stdint.h>

/* `offset` is in the file, 0 where none is meant. */
void sdt_report(const char *provider, const char *name, const char *path, uint64_t offset,
		const char *why);

/* Emit the events of what was told since the last time, as far as they are kept. */
void sdt_report_emit(void);

#endif /* LTTNGMAP_SDT_REPORT_H */
