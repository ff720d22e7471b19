/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/base/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <lttngmap/abi.h>
#include <lttngmap/event-class.h>

int options_parse_size(const char *text, uint64_t *size)
{
	static const struct {
		const char *unit;
		unsigned shift;
	} units[] = {
		{ "", 0 },     { "K", 10 }, { "KiB", 10 }, { "M", 20 },
		{ "MiB", 20 }, { "G", 30 }, { "GiB", 30 },
	};
	unsigned long long value;
	char *end;

	/* strtoull() accepts signs and blanks, which no size has. */
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno == ERANGE)
		return -ERANGE;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcasecmp(end, units[i].unit) != 0)
			continue;
		if (value > UINT64_MAX >> units[i].shift)
			return -ERANGE;
		*size = (uint64_t)value << units[i].shift;
		return 0;
	}
	return -EINVAL;
}

int options_parse_number(const char *text, uint64_t max, uint64_t *number)
{
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*end != '\0')
		return -EINVAL;
	if (errno == ERANGE || value > max)
		return -ERANGE;
	*number = value;
	return 0;
}

int options_parse_user(const char *text, uint64_t *value)
{
	struct passwd *user;

	if (options_parse_number(text, UINT32_MAX - 1, value) == 0)
		return 0;
	user = getpwnam(text);
	if (!user)
		return -ENOENT;
	*value = user->pw_uid;
	return 0;
}

int options_parse_duration(const char *text, uint64_t *ms)
{
	static const struct {
		const char *unit;
		uint64_t us;
	} units[] = {
		{ "us", 1 },       { "ms", 1000 },      { "s", 1000000 },
		{ "m", 60000000 }, { "min", 60000000 }, { "h", UINT64_C(3600000000) },
	};
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno == ERANGE)
		return -ERANGE;
	if (value == 0 && *end == '\0') {
		*ms = 0;
		return 0;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].unit) != 0)
			continue;
		if (value > INT64_MAX / units[i].us)
			return -ERANGE;
		if (value * units[i].us % 1000 != 0)
			return -EINVAL;
		*ms = value * units[i].us / 1000;
		return 0;
	}
	return -EINVAL;
}

char *options_format_duration(uint64_t ms, char *text)
{
	static const struct {
		uint64_t ms;
		const char *unit;
	} units[] = { { 3600000, "h" }, { 60000, "min" }, { 1000, "s" }, { 1, "ms" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ms % units[i].ms != 0 || (ms == 0 && units[i].ms > 1))
			continue;
		snprintf(text, 32, "%" PRIu64 " %s", ms / units[i].ms, units[i].unit);
		break;
	}
	return text;
}

static const char *const loglevels[] = {
	[LTTNGMAP_LOGLEVEL_EMERG] = "EMERG",
	[LTTNGMAP_LOGLEVEL_ALERT] = "ALERT",
	[LTTNGMAP_LOGLEVEL_CRIT] = "CRIT",
	[LTTNGMAP_LOGLEVEL_ERR] = "ERR",
	[LTTNGMAP_LOGLEVEL_WARNING] = "WARNING",
	[LTTNGMAP_LOGLEVEL_NOTICE] = "NOTICE",
	[LTTNGMAP_LOGLEVEL_INFO] = "INFO",
	[LTTNGMAP_LOGLEVEL_DEBUG_SYSTEM] = "DEBUG_SYSTEM",
	[LTTNGMAP_LOGLEVEL_DEBUG_PROGRAM] = "DEBUG_PROGRAM",
	[LTTNGMAP_LOGLEVEL_DEBUG_PROCESS] = "DEBUG_PROCESS",
	[LTTNGMAP_LOGLEVEL_DEBUG_MODULE] = "DEBUG_MODULE",
	[LTTNGMAP_LOGLEVEL_DEBUG_UNIT] = "DEBUG_UNIT",
	[LTTNGMAP_LOGLEVEL_DEBUG_FUNCTION] = "DEBUG_FUNCTION",
	[LTTNGMAP_LOGLEVEL_DEBUG_LINE] = "DEBUG_LINE",
	[LTTNGMAP_LOGLEVEL_DEBUG] = "DEBUG",
};
#define LOGLEVELS (sizeof(loglevels) / sizeof(loglevels[0]))

int options_parse_loglevel(const char *text, unsigned *level)
{
	const char *name = strncasecmp(text, "TRACE_", 6) == 0 ? text + 6 : text;
	uint64_t number;

	if (options_parse_number(text, LOGLEVELS - 1, &number) == 0) {
		*level = number;
		return 0;
	}
	for (unsigned i = 0; i < LOGLEVELS; i++) {
		if (strcasecmp(name, loglevels[i]) == 0) {
			*level = i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *options_loglevel_name(uint64_t level)
{
	return level < LOGLEVELS ? loglevels[level] : "?";
}

static bool is_power_of_two(uint64_t value)
{
	return value != 0 && (value & (value - 1)) == 0;
}

int options_check_subbuf_size(uint64_t size, const char **why)
{
	if (!is_power_of_two(size))
		*why = "it must be a power of two, such as 64K, 512K or 4M";
	else if (size < UINT64_C(1) << LTTNGMAP_SUBBUF_SHIFT_MIN)
		*why = "it must be at least 4K";
	else if (size > UINT64_C(1) << LTTNGMAP_SUBBUF_SHIFT_MAX)
		*why = "it must be at most 1G";
	else
		return 0;
	return -EINVAL;
}

int options_check_subbufs(uint64_t count, const char **why)
{
	if (!is_power_of_two(count))
		*why = "it must be a power of two, such as 4, 8 or 16";
	else if (count < UINT64_C(1) << LTTNGMAP_SUBBUFS_SHIFT_MIN)
		*why = "it must be at least 2";
	else if (count > UINT64_C(1) << LTTNGMAP_SUBBUFS_SHIFT_MAX)
		*why = "it must be at most 4096";
	else
		return 0;
	return -EINVAL;
}

int options_check_rule(const char *rule, const char **why)
{
	const char *colon = strchr(rule, ':');

	if (!colon || colon == rule || colon[1] == '\0') {
		*why = "it must be PROVIDER:NAME, either of which may hold '*'";
		return -EINVAL;
	}
	for (const char *c = rule; *c; c++) {
		if ((unsigned char)*c <= 0x20 || *c == 0x7f) {
			*why = "it must not hold blanks or control characters";
			return -EINVAL;
		}
	}
	return 0;
}
