/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * options.h - parses and prints values of options: sizes, durations, numbers, log levels. No state,
 * no output.
 */
#ifndef CLI_BASE_OPTIONS_H
#define CLI_BASE_OPTIONS_H

#include <stdint.h>

/*
 * A channel's default: 4 MiB for each CPU and process. Memory is used only as far as events fill
 * the ring. A loop that only traces fills the ring in a few milliseconds.
 */
#define OPTIONS_SUBBUF_SIZE "512K"
#define OPTIONS_SUBBUFS 8

/*
 * Parses "4096", "64K", "1M", "1G", in units of 1024; also lower case, and "KiB". 0; -EINVAL: not a
 * size; -ERANGE: beyond 64 bits.
 */
int options_parse_size(const char *text, uint64_t *size);
/*
 * Parses "0", or a number with a unit: us, ms, s, m or min, h. The result is in whole milliseconds.
 * 0; -EINVAL: not a duration; -ERANGE: too long.
 */
int options_parse_duration(const char *text, uint64_t *ms);
/* Prints "2 h" or "1500 ms" into `text`, of at least 32 bytes; returns `text`. */
char *options_format_duration(uint64_t ms, char *text);
/* Parses a whole decimal number. 0, -EINVAL or -ERANGE. */
int options_parse_number(const char *text, uint64_t max, uint64_t *number);
/* Parses a user's number or name. 0 or -ENOENT. */
int options_parse_user(const char *text, uint64_t *uid);
/* Parses 0 to 14, or a name such as "warning" or "TRACE_WARNING". 0 or -EINVAL. */
int options_parse_loglevel(const char *text, unsigned *level);
/* "WARNING"; "?" for an unknown level. */
const char *options_loglevel_name(uint64_t level);
/* 0, or -EINVAL and in *why a static text with the valid values. */
int options_check_subbuf_size(uint64_t size, const char **why);
int options_check_subbufs(uint64_t count, const char **why);
/* Checks PROVIDER:NAME; both parts may have `*`. 0, or -EINVAL and *why. */
int options_check_rule(const char *rule, const char **why);

#endif /* CLI_BASE_OPTIONS_H */
