/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/logger-rule.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/options.h"

struct level {
	const char *name;
	int number;
};

struct logger_kind {
	const char *option, *event;
	const char *prefix;  /* of LTTng's names of levels */
	const char *severer; /* how a more severe level's number compares */
	const char *known;
	const struct level *levels; /* the last one has no name */
};

static const struct level python_levels[] = {
	{ "CRITICAL", 50 }, { "ERROR", 40 }, { "WARNING", 30 }, { "WARN", 30 },
	{ "INFO", 20 },     { "DEBUG", 10 }, { "NOTSET", 0 },   { NULL, 0 },
};

static const struct level jul_levels[] = {
	{ "OFF", INT_MAX }, { "SEVERE", 1000 }, { "WARNING", 900 }, { "INFO", 800 },
	{ "CONFIG", 700 },  { "FINE", 500 },    { "FINER", 400 },   { "FINEST", 300 },
	{ "ALL", INT_MIN }, { NULL, 0 },
};

static const struct level log4j_levels[] = {
	{ "OFF", INT_MAX }, { "FATAL", 50000 }, { "ERROR", 40000 },
	{ "WARN", 30000 },  { "INFO", 20000 },  { "DEBUG", 10000 },
	{ "TRACE", 5000 },  { "ALL", INT_MIN }, { NULL, 0 },
};

static const struct level log4j2_levels[] = {
	{ "OFF", 0 },     { "FATAL", 100 }, { "ERROR", 200 },   { "WARN", 300 }, { "INFO", 400 },
	{ "DEBUG", 500 }, { "TRACE", 600 }, { "ALL", INT_MAX }, { NULL, 0 },
};

static const struct logger_kind kinds[] = {
	{ "python", "lttng_python:event", "PYTHON_", ">=", "CRITICAL, ERROR, WARNING, INFO, DEBUG",
	  python_levels },
	{ "jul", "lttng_jul:event", "JUL_",
	  ">=", "SEVERE, WARNING, INFO, CONFIG, FINE, FINER, FINEST", jul_levels },
	{ "log4j", "lttng_log4j:event", "LOG4J_", ">=", "FATAL, ERROR, WARN, INFO, DEBUG, TRACE",
	  log4j_levels },
	{ "log4j2", "lttng_log4j2:event", "LOG4J2_", "<=", "FATAL, ERROR, WARN, INFO, DEBUG, TRACE",
	  log4j2_levels },
};

static int typed; /* bit i: the option of kinds[i] */

const struct poptOption logger_rule_table[] = {
	{ "python", '\0', POPT_ARG_VAL | POPT_ARGFLAG_OR, &typed, 1 << 0,
	  "RULE names loggers of Python's logging", NULL },
	{ "jul", '\0', POPT_ARG_VAL | POPT_ARGFLAG_OR, &typed, 1 << 1,
	  "RULE names loggers of java.util.logging", NULL },
	{ "log4j", '\0', POPT_ARG_VAL | POPT_ARGFLAG_OR, &typed, 1 << 2,
	  "RULE names loggers of log4j 1", NULL },
	{ "log4j2", '\0', POPT_ARG_VAL | POPT_ARGFLAG_OR, &typed, 1 << 3,
	  "RULE names loggers of log4j 2", NULL },
	POPT_TABLEEND
};

const struct logger_kind *logger_kind(void)
{
	return typed ? &kinds[__builtin_ctz((unsigned)typed)] : NULL;
}

int logger_kind_check(const char *verb)
{
	unsigned others = (unsigned)typed & ((unsigned)typed - 1);

	if (!others)
		return 0;
	message_error("%s: --%s and --%s do not go together: a rule is for loggers of one kind",
		      verb, logger_kind()->option, kinds[__builtin_ctz(others)].option);
	message_hint("a level goes with --loglevel; LTTng's -l is --log4j");
	return -EINVAL;
}

const char *logger_kind_option(const struct logger_kind *kind)
{
	return kind->option;
}

const char *logger_kind_event(const struct logger_kind *kind)
{
	return kind->event;
}

const char *logger_kind_levels(const struct logger_kind *kind)
{
	return kind->known;
}

static int parse_level(const struct logger_kind *kind, const char *text, int *number)
{
	size_t prefix = strlen(kind->prefix);
	const char *name = strncasecmp(text, kind->prefix, prefix) == 0 ? text + prefix : text;
	uint64_t value;

	for (const struct level *level = kind->levels; level->name; level++) {
		if (strcasecmp(level->name, name) == 0) {
			*number = level->number;
			return 0;
		}
	}
	if (options_parse_number(text, INT_MAX, &value))
		return -EINVAL;
	*number = (int)value;
	return 0;
}

/* `logger_name == "a" || logger_name == "b*"`, in the order typed. */
static void print_names(FILE *out, const char *loggers)
{
	const char *between = "";

	for (const char *at = loggers, *end; *at; at = *end ? end + 1 : end) {
		for (end = at; *end && *end != ','; end++)
			end += *end == '\\' && end[1];
		fprintf(out, "%slogger_name == \"", between);
		for (; at < end; at++) {
			/* A comma needs no backslash in a string. */
			if (*at == '\\' && at[1] == ',')
				at++;
			fprintf(out, *at == '"' ? "\\%c" : "%c", *at);
		}
		fputc('"', out);
		between = " || ";
	}
}

static bool is_every(const char *loggers)
{
	return strcmp(loggers, "*") == 0;
}

int logger_rule_filter(const struct logger_kind *kind, const struct logger_rule *rule,
		       char **filter)
{
	bool has_level = false;
	size_t size = 0;
	int level = 0;
	FILE *out;

	*filter = NULL;
	if (rule->level) {
		if (parse_level(kind, rule->level, &level))
			return -EINVAL;
		/* ALL is no condition. */
		has_level = rule->level_only ||
			    level != (kind->severer[0] == '>' ? INT_MIN : INT_MAX);
	}
	if (is_every(rule->loggers) && !has_level && !rule->filter)
		return 0;
	out = open_memstream(filter, &size);
	if (!out)
		return -ENOMEM;
	/* Names and levels first: the libraries ask by these alone whether a message is worth its
	 * texts. */
	if (!is_every(rule->loggers)) {
		fputc('(', out);
		print_names(out, rule->loggers);
		fputc(')', out);
	}
	if (has_level)
		fprintf(out, "%s(int_loglevel %s %d)", is_every(rule->loggers) ? "" : " && ",
			rule->level_only ? "==" : kind->severer, level);
	if (rule->filter)
		fprintf(out, "%s(%s)", has_level || !is_every(rule->loggers) ? " && " : "",
			rule->filter);
	if (fclose(out) != 0) {
		free(*filter);
		*filter = NULL;
		return -ENOMEM;
	}
	return 0;
}

bool logger_rule_is_for(const struct logger_kind *kind, const char *loggers, const char *pattern,
			const char *filter)
{
	const struct logger_rule rule = { .loggers = loggers };
	char *names;
	size_t size;
	bool found;

	if (strcmp(pattern, kind->event) != 0)
		return false;
	if (is_every(loggers))
		return true;
	if (logger_rule_filter(kind, &rule, &names))
		return false;
	/* A filter of the user's own, which may have the same text, comes behind the names. */
	size = strlen(names);
	found = strncmp(filter, names, size) == 0 &&
		(!filter[size] || strncmp(filter + size, " && ", 4) == 0);
	free(names);
	return found;
}
