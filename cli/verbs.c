/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* verbs.c - the table of all verbs. */
#include <config.h>

#include "cli/verbs.h"

#include <string.h>

#include "cli/base/suggest.h"
#include "cli/synonyms.h"

const struct verb *const verbs[] = {
	&verb_record,
	&verb_count,
	&verb_view,
	&verb_export,
	&verb_query,
	&verb_report,
	&verb_attach,
	&verb_detach,
	/* Sessions. */
	&verb_create,
	&verb_destroy,
	&verb_set_session,
	&verb_list,
	&verb_status,
	&verb_top,
	&verb_start,
	&verb_stop,
	&verb_channel,
	&verb_enable,
	&verb_disable,
	&verb_remove,
	&verb_context,
	&verb_track,
	&verb_untrack,
	&verb_snapshot,
	&verb_rotate,
	&verb_clear,
	&verb_events,
	&verb_map,
	&verb_trigger,
	&verb_metrics,
	&verb_save,
	&verb_load,
	&verb_recover,
	&verb_relay,
	&verb_merge,
	&verb_complete,
	&verb_help,
	NULL,
};

const struct verb *verbs_find(const char *name)
{
	const struct synonym *synonym;

	for (int i = 0; verbs[i]; i++) {
		if (strcmp(verbs[i]->name, name) == 0)
			return verbs[i];
	}
	synonym = synonym_find(name);
	return synonym ? synonym->verb : NULL;
}

const struct verb *verbs_suggest(const char *name)
{
	struct suggestion best = suggestion_begin(name, strlen(name));

	for (int i = 0; verbs[i]; i++)
		suggestion_offer(&best, verbs[i]->name);
	return best.word ? verbs_find(best.word) : NULL;
}

void verbs_print_short(FILE *stream)
{
	static const struct {
		const char *what;
		const struct verb *verbs[5];
	} groups[] = {
		{ "One program:", { &verb_record, &verb_view, &verb_report, &verb_export } },
		{ "Sessions, of any programs:",
		  { &verb_create, &verb_enable, &verb_start, &verb_stop, &verb_destroy } },
		{ "Running:", { &verb_status, &verb_top, &verb_list, &verb_attach } },
	};

	fputs("Usage: lttngmap VERB [OPTIONS] ...\n", stream);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		fprintf(stream, "%s\n", groups[i].what);
		for (size_t j = 0; j < 5 && groups[i].verbs[j]; j++)
			fprintf(stream, "  %-11s %s\n", groups[i].verbs[j]->name,
				groups[i].verbs[j]->summary);
	}
	fputs("`lttngmap help` lists all verbs, `lttngmap help VERB` shows the options of one.\n"
	      "To begin with: lttngmap record -- PROGRAM, then lttngmap view.\n",
	      stream);
}

void verbs_print(FILE *stream)
{
	fputs("Usage: lttngmap VERB [OPTIONS] ...\n"
	      "       lttngmap --version\n\nVerbs:\n",
	      stream);
	for (int i = 0; verbs[i]; i++)
		fprintf(stream, "  %-11s %s\n", verbs[i]->name, verbs[i]->summary);
	fputs("\n`lttngmap help VERB` shows the options of a verb.\n"
	      "To begin with: lttngmap record -- PROGRAM, then lttngmap view.\n",
	      stream);
}
