/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/synonyms.h"

#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"

static const struct synonym_option channel_options[] = {
	{ "num-subbuf", '\0', "--subbufs" },
	{ "discard", '\0', "--mode discard" },
	{ "overwrite", '\0', "--mode overwrite" },
	{ "blocking-timeout", '\0', "--timeout" },
	{ "buffers-pid", '\0', "--buffers process" },
	{ "buffers-uid", '\0', "--buffers user" },
	{ "tracefile-size", 'C', "--file-size" },
	{ "tracefile-count", 'W', "--file-count" },
	{ NULL, '\0', NULL },
};

static const struct synonym_option context_options[] = {
	{ "type", 't', "--add" },
	{ NULL, '\0', NULL },
};

static const struct synonym_option list_options[] = {
	{ "userspace", 'u', "--processes" },
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

static const struct synonym synonyms[] = {
	{ "add-context", NULL, &verb_context, context_options, NULL },
	{ "disable-event", NULL, &verb_disable, NULL, NULL },
	{ "enable-channel", NULL, &verb_channel, channel_options, NULL },
	{ "enable-event", NULL, &verb_enable, NULL, NULL },
	{ "enable-rotation", NULL, &verb_rotate, rotation_options, NULL },
	{ "list", NULL, &verb_list, list_options, NULL },
	{ "save", NULL, &verb_save, save_options, NULL },
	{ "snapshot", "record", &verb_snapshot, NULL, NULL },
	{ "track", NULL, &verb_track, track_options, NULL },
	{ "untrack", NULL, &verb_untrack, track_options, NULL },

	{ "disable-channel", NULL, NULL, NULL,
	  "`lttngmap disable --all -c CHANNEL` disables its rules, `lttngmap channel --remove "
	  "CHANNEL` removes it" },
	{ "disable-rotation", NULL, NULL, NULL, "`lttngmap rotate --period 0 --size 0` does it" },
	{ "set-session", NULL, NULL, NULL,
	  "-s SESSION says which one is meant; the only one needs no naming" },
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

static int ignored;

const struct poptOption synonym_ignored_table[] = {
	{ "userspace", 'u', POPT_ARG_NONE | POPT_ARGFLAG_DOC_HIDDEN, &ignored, 0, NULL, NULL },
	POPT_TABLEEND
};
