/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record-sdt.c - SDT probes of the recorded program.
 *
 * Only the program's processes know their probes: the library liblttngmap-sdt.so finds them there.
 * The environment passes the rules to the library. It reports the probes that it cannot serve in a
 * memfd of this command, a line for each (common/protocol/sdt-environment.h).
 */
#include <config.h>

#include "cli/record/record.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "common/protocol/sdt-environment.h"

#define TOLD_MAX 10u
#define READ_MAX (64u * 1024u)

/* NULL: no memory. */
static char *join_rules(const struct record_options *options)
{
	char *joined = NULL;

	for (size_t i = 0; i < options->nr_rules; i++) {
		char *longer;

		if (options->rules[i].kind != RECORD_RULE_SDT)
			continue;
		if (asprintf(&longer, "%s%s%s", joined ? joined : "", joined ? "," : "",
			     options->rules[i].rule) < 0)
			longer = NULL;
		free(joined);
		joined = longer;
	}
	return joined;
}

static bool wants_probes(const struct record_options *options)
{
	for (size_t i = 0; i < options->nr_rules; i++) {
		if (options->rules[i].kind == RECORD_RULE_SDT)
			return true;
	}
	return false;
}

int record_sdt_prepare(struct record *record)
{
	int error;

	if (!wants_probes(&record->options))
		return 0;
	record->sdt_rules = join_rules(&record->options);
	if (record->sdt_rules && strlen(record->sdt_rules) > SDT_RULES_MAX) {
		message_error("%s: --sdt: all rules together are longer than %u bytes",
			      record->options.verb, SDT_RULES_MAX);
		message_hint("'*' stands for any text");
		return -E2BIG;
	}
	record->sdt_fd = memfd_create("lttngmap-sdt", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (record->sdt_rules && record->sdt_fd >= 0 &&
	    fcntl(record->sdt_fd, F_ADD_SEALS, SDT_REPORT_SEALS) == 0)
		return 0;
	error = record->sdt_rules ? errno : ENOMEM;
	message_error("%s: --sdt: cannot make a file in memory: %s", record->options.verb,
		      strerror(error));
	return -error;
}

void record_sdt_set_environment(const struct record *record)
{
	char path[64];

	unsetenv(SDT_ENVIRONMENT_REPORT);
	if (!record->sdt_rules)
		return;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getppid(), record->sdt_fd);
	setenv(SDT_ENVIRONMENT_RULES, record->sdt_rules, 1);
	setenv(SDT_ENVIRONMENT_REPORT, path, 1);
}

/* All processes of a program report the same lines. */
static bool was_told(const char *begin, const char *line)
{
	for (; begin < line; begin += strlen(begin) + 1) {
		if (strcmp(begin, line) == 0)
			return true;
	}
	return false;
}

/* Splits the line into its three parts; false if it has fewer. */
static bool tell_line(char *line, const char *verb, bool is_first)
{
	char *place = strchr(line, '\t'), *why = place ? strchr(place + 1, '\t') : NULL;

	if (!why)
		return false;
	message_note("--sdt: %.*s at %.*s is not recorded: %s", (int)(place - line), line,
		     (int)(why - place - 1), place + 1, why + 1);
	if (is_first)
		message_hint("as root, the kernel can record it: lttngmap %s --uprobe '%.*s'", verb,
			     (int)(why - place - 1), place + 1);
	return true;
}

unsigned record_sdt_report_lines(char *text, size_t size, const char *verb)
{
	unsigned told = 0, more = 0;

	/* Traced processes wrote the text: replace what acts on a terminal. */
	for (char *at = text; at < text + size; at++)
		if (*at != '\n' && *at != '\t' && !isprint((unsigned char)*at))
			*at = '?';
	for (char *line = text, *end; line < text + size; line = end + 1) {
		end = memchr(line, '\n', size - (size_t)(line - text));
		if (!end)
			break;
		*end = '\0';
		if (was_told(text, line))
			continue;
		if (told == TOLD_MAX)
			more++;
		else
			told += tell_line(line, verb, told == 0);
	}
	return more;
}

void record_sdt_report(const struct record *record)
{
	static char text[READ_MAX];
	ssize_t size = -1;
	unsigned more;

	if (record->sdt_rules)
		size = pread(record->sdt_fd, text, sizeof(text), 0);
	more = record_sdt_report_lines(text, size < 0 ? 0 : (size_t)size, "record");
	if (more)
		message_note("--sdt: and %u more; the events lttngmap_sdt:refused name them, where "
			     "a rule asks for these",
			     more);
}
