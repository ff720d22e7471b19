/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * options.h - values of options: sizes, modes. No state, no output.
 */
#ifndef LTTNGMAP_CLI_BASE_OPTIONS_H
#define LTTNGMAP_CLI_BASE_OPTIONS_H

#include <stdint.h>

/*
 * What a channel has unless told otherwise: 4 MiB for each CPU of a process,
 * as much of it in memory as was written. Enough for a few milliseconds of a
 * loop that does nothing but trace.
 */
#define OPTIONS_SUBBUF_SIZE "512K"
#define OPTIONS_SUBBUFS 8

/*
 * "4096", "64K", "1M", "1G" (units of 1024; lower case, too, and "KiB"
 * spelled out). 0; -EINVAL: not a size; -ERANGE: beyond 64 bits.
 */
int options_parse_size(const char *text, uint64_t *size);
/*
 * "0", or a number with a unit: us, ms, s, m (or min), h; whole milliseconds.
 * 0; -EINVAL: not a duration; -ERANGE: too long.
 */
int options_parse_duration(const char *text, uint64_t *ms);
/* "2 h", "1500 ms" into `text`, of at least 32 bytes. */
char *options_format_duration(uint64_t ms, char *text);
/* A whole number, decimal. 0, -EINVAL or -ERANGE. */
int options_parse_number(const char *text, uint64_t max, uint64_t *number);
/* A user's number, or name. 0, or -ENOENT. */
int options_parse_user(const char *text, uint64_t *uid);
/* 0 to 14, or a name such as "warning" or "TRACE_WARNING". 0 or -EINVAL. */
int options_parse_loglevel(const char *text, unsigned *level);
/* "WARNING"; what no level is, "?". */
const char *options_loglevel_name(uint64_t level);
/* 0, or -EINVAL with *why, statically, what it should be. */
int options_check_subbuf_size(uint64_t size, const char **why);
int options_check_subbufs(uint64_t count, const char **why);
/* "1.5 MiB" into `text`, of at least 16 bytes. */
char *options_format_size(uint64_t size, char *text);
/* "12,345" into `text`, of at least 32 bytes. */
char *options_format_count(uint64_t count, char *text);
/* PROVIDER:NAME, either with `*`: 0, or -EINVAL with *why. */
int options_check_rule(const char *rule, const char **why);

#endif /* LTTNGMAP_CLI_BASE_OPTIONS_H */
