/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/synonyms.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/verbs.h"

/* Letters of LTTng's for which ours have another meaning: understood with rules, else refused by a
 * hint. */
#define AGENT_OPTIONS                                                                              \
	{ "jul", 'j', "--of-agent" }, { "log4j", 'l', "--of-agent" },                              \
	{                                                                                          \
		"python", 'p', "--of-agent"                                                        \
	}

static const struct synonym_option event_options[] = {
	{ NULL, 'j', "--jul" },
	{ NULL, 'l', "--log4j" },
	{ NULL, 'p', "--python" },
	{ "kernel", 'k', "--kernel" },
	{ "all-events", '\0', "--all" },
	{ "tracepoint", '\0', "--userspace" },
	{ "function", '\0', "--of-place" },
	{ "probe", '\0', "--of-place" },
	{ "syscall", '\0', "--of-place" },
	{ "userspace-probe", '\0', "--of-place" },
	{ NULL, '\0', NULL },
};

static const struct synonym_option channel_options[] = {
	{ "num-subbuf", '\0', "--subbufs" },        { "discard", '\0', "--mode discard" },
	{ "overwrite", '\0', "--mode overwrite" },  { "blocking-timeout", '\0', "--timeout" },
	{ "switch-timer", '\0', "--flush-period" }, { "buffers-pid", '\0', "--buffers process" },
	{ "buffers-uid", '\0', "--buffers user" },  { "tracefile-size", 'C', "--file-size" },
	{ "tracefile-count", 'W', "--file-count" }, { NULL, '\0', NULL },
};

static const struct synonym_option context_options[] = {
	{ "type", 't', "--add" },
	AGENT_OPTIONS,
	{ NULL, '\0', NULL },
};

static const struct synonym_option list_options[] = {
	{ "userspace", 'u', "--of-programs" },
	{ "kernel", 'k', "--of-kernel" },
	{ "fields", 'f', "--events" },
	AGENT_OPTIONS,
	{ NULL, '\0', NULL },
};

static const struct synonym_option rotation_options[] = {
	{ "timer", '\0', "--period" },
	{ NULL, '\0', NULL },
};

static const struct synonym_option save_options[] = {
	{ "output-path", '\0', "--output" },
	{ NULL, '\0', NULL },
};

static const struct synonym_option track_options[] = {
	{ "vpid", '\0', "--pid" },
	{ "vuid", '\0', "--uid" },
	{ "vgid", '\0', "--gid" },
	{ NULL, '\0', NULL },
};

#define NOTHING_TO_REGENERATE                                                                      \
	"the metadata is whole from the first packet on, and a channel has its state dump at "     \
	"each "                                                                                    \
	"start: `lttngmap stop`, then `lttngmap start`"
#define NO_TRIGGERS "there are no triggers: a script may watch `lttngmap status --json`"

static const struct synonym synonyms[] = {
	{ "add-context", NULL, &verb_context, context_options, NULL },
	{ "disable-event", NULL, &verb_disable, event_options, NULL },
	{ "enable-channel", NULL, &verb_channel, channel_options, NULL },
	{ "enable-event", NULL, &verb_enable, event_options, NULL },
	{ "enable-rotation", NULL, &verb_rotate, rotation_options, NULL },
	{ "list", NULL, &verb_list, list_options, NULL },
	{ "save", NULL, &verb_save, save_options, NULL },
	{ "snapshot", "record", &verb_snapshot, NULL, NULL },
	{ "track", NULL, &verb_track, track_options, NULL },
	{ "untrack", NULL, &verb_untrack, track_options, NULL },

	{ "disable-channel", NULL, NULL, NULL,
	  "`lttngmap channel --disable CHANNEL` does it, `lttngmap channel --remove CHANNEL` "
	  "removes it" },
	{ "disable-rotation", NULL, NULL, NULL, "`lttngmap rotate --period 0 --size 0` does it" },
	{ "metadata", NULL, NULL, NULL, NOTHING_TO_REGENERATE },
	{ "regenerate", NULL, NULL, NULL, NOTHING_TO_REGENERATE },
	{ "add-trigger", NULL, NULL, NULL, NO_TRIGGERS },
	{ "list-triggers", NULL, NULL, NULL, NO_TRIGGERS },
	{ "remove-trigger", NULL, NULL, NULL, NO_TRIGGERS },
	{ "crash", NULL, NULL, NULL, "`lttngmap recover` brings in what a killed daemon left" },
};

const struct synonym *synonym_find(const char *spelling)
{
	for (size_t i = 0; i < sizeof(synonyms) / sizeof(synonyms[0]); i++) {
		if (strcmp(synonyms[i].spelling, spelling) == 0)
			return &synonyms[i];
	}
	return NULL;
}

void synonym_add_options(const struct synonym *synonym, poptContext context)
{
	if (!synonym || !synonym->options)
		return;
	for (const struct synonym_option *option = synonym->options; option->means; option++) {
		struct poptAlias alias = { .longName = option->name, .shortName = option->letter };

		/* The words are popt's to free. */
		if (poptParseArgvString(option->means, &alias.argc, &alias.argv) < 0 ||
		    poptAddAlias(context, alias, 0) < 0)
			abort();
	}
}

void synonym_refuse(const struct synonym *synonym, int value)
{
	const char *spelling = synonym ? synonym->spelling : "";

	if (value == SYNONYM_OF_AGENT) {
		message_error(
			"%s: loggers (-j, -l, -p) have no contexts and no lists of their own here",
			spelling);
		message_hint("`enable --python`, `--jul` and `--log4j` take their messages; --json "
			     "is spelled out");
	} else {
		message_error(
			"%s: --syscall, --probe, --function and --userspace-probe are spelled "
			"otherwise here",
			spelling);
		message_hint("--kernel 'syscalls:sys_*_NAME', --kprobe, --uprobe: see "
			     "lttngmap-enable(1)");
	}
}

static int ignored;

const struct poptOption synonym_ignored_table[] = {
	{ "userspace", 'u', POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, &ignored, 0, NULL, NULL },
	{ "of-agent", '\0', POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, NULL, SYNONYM_OF_AGENT, NULL,
	  NULL },
	{ "of-place", '\0', POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, NULL, SYNONYM_OF_PLACE, NULL,
	  NULL },
	POPT_TABLEEND
};
