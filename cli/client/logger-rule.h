/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * logger-rule.h - rules for loggers of Python and Java: --python, --jul, --log4j and --log4j2.
 *
 * All messages of a logging library are one event class, lttng_python:event for one. A rule for
 * some of its loggers and levels is a rule for that class with a filter, as LTTng makes it:
 *
 *   --python -l WARNING shop.order   lttng_python:event
 *                                    (logger_name == "shop.order") && (int_loglevel >= 30)
 *
 * One thread.
 */
#ifndef CLI_CLIENT_LOGGER_RULE_H
#define CLI_CLIENT_LOGGER_RULE_H

#include <popt.h>
#include <stdbool.h>

struct logger_kind;

extern const struct poptOption logger_rule_table[];

/* The kind whose option was typed; NULL: none. */
const struct logger_kind *logger_kind(void);
/* 0, or -EINVAL after a message: options of several kinds were typed. */
int logger_kind_check(const char *verb);
/* "python". */
const char *logger_kind_option(const struct logger_kind *kind);
/* "lttng_python:event". */
const char *logger_kind_event(const struct logger_kind *kind);
/* Names of its levels: "CRITICAL, ERROR, ...". */
const char *logger_kind_levels(const struct logger_kind *kind);

struct logger_rule {
	const char *loggers; /* names with commas between, '*' for any text; "*": all */
	const char *level;   /* a name, or a number; NULL: all */
	bool level_only;
	const char *filter; /* further condition, or NULL */
};

/*
 * The filter of a rule, for the caller to free; NULL: it needs none. 0, -EINVAL if `level` is none,
 * or -ENOMEM.
 */
int logger_rule_filter(const struct logger_kind *kind, const struct logger_rule *rule,
		       char **filter);
/* True if a rule with this pattern and filter was made for these loggers, whatever its level. */
bool logger_rule_is_for(const struct logger_kind *kind, const char *loggers, const char *pattern,
			const char *filter);

#endif /* CLI_CLIENT_LOGGER_RULE_H */
