/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* verbs.h - the table of all verbs. The verb NAME is in cmd-NAME.c. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include <stdio.h>

#include "cli/base/verb.h"

extern const struct verb verb_attach;
extern const struct verb verb_channel;
extern const struct verb verb_clear;
extern const struct verb verb_set_session;
extern const struct verb verb_complete;
extern const struct verb verb_context;
extern const struct verb verb_create;
extern const struct verb verb_destroy;
extern const struct verb verb_detach;
extern const struct verb verb_disable;
extern const struct verb verb_enable;
extern const struct verb verb_events;
extern const struct verb verb_map;
extern const struct verb verb_trigger;
extern const struct verb verb_metrics;
extern const struct verb verb_export;
extern const struct verb verb_help;
extern const struct verb verb_list;
extern const struct verb verb_load;
extern const struct verb verb_query;
extern const struct verb verb_record;
extern const struct verb verb_count;
extern const struct verb verb_recover;
extern const struct verb verb_merge;
extern const struct verb verb_relay;
extern const struct verb verb_remove;
extern const struct verb verb_report;
extern const struct verb verb_rotate;
extern const struct verb verb_save;
extern const struct verb verb_snapshot;
extern const struct verb verb_start;
extern const struct verb verb_status;
extern const struct verb verb_stop;
extern const struct verb verb_top;
extern const struct verb verb_track;
extern const struct verb verb_untrack;
extern const struct verb verb_view;

/* In the order of `lttngmap help`; ends with NULL. */
extern const struct verb *const verbs[];
/* Finds a verb by its name, or by LTTng's name for it (synonyms.h). NULL: unknown. */
const struct verb *verbs_find(const char *name);
/* The verb whose name is most like `name`; NULL: none is. */
const struct verb *verbs_suggest(const char *name);
/* Prints the verbs with their summaries. */
void verbs_print(FILE *stream);
/* Prints those of most use, in groups, on less than 24 rows. */
void verbs_print_short(FILE *stream);

/* `events --kernel`, for LTTng's `list --kernel` as well. An exit status. */
int events_list_kernel(const char *verb);

#endif /* CLI_VERBS_H */
