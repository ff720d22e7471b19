/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sdt-environment.h - the environment by which `lttngmap record` passes SDT rules to the
 * preloaded liblttngmap-sdt.so, and the memfd by which the library reports back.
 */
#ifndef COMMON_PROTOCOL_SDT_ENVIRONMENT_H
#define COMMON_PROTOCOL_SDT_ENVIRONMENT_H

#include <fcntl.h>
#include <inttypes.h>

/* Which probes to arm: PROVIDER:NAME with '*' for any text, between commas. */
#define SDT_ENVIRONMENT_RULES "LTTNGMAP_SDT"
#define SDT_RULES_MAX 4095u

/*
 * A memfd, to which a line is appended for each probe that cannot be served:
 *
 *   PROVIDER:NAME<TAB>PATH:0xOFFSET<TAB>WHY
 *
 * By these seals it is known: another file of that name is left alone.
 */
#define SDT_ENVIRONMENT_REPORT "LTTNGMAP_SDT_REPORT"
#define SDT_REPORT_LINE "%s:%s\t%s:0x%" PRIx64 "\t%s\n"
#define SDT_REPORT_SEALS (F_SEAL_SHRINK | F_SEAL_SEAL)

#endif /* COMMON_PROTOCOL_SDT_ENVIRONMENT_H */
