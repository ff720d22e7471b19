/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-batch.h - several requests of which all are served, or none stays:
 * what was done before one is refused is undone, in reverse order.
 */
#ifndef LTTNGMAP_CLI_CLIENT_SESSION_BATCH_H
#define LTTNGMAP_CLI_CLIENT_SESSION_BATCH_H

#include <stddef.h>

#include "cli/client/session-verb.h"

struct session_step {
	struct json_object *request;
	struct json_object *undo; /* NULL: an earlier step's undoes it, or nothing does */
	char *place;              /* said before a refusal, or NULL */
	bool takes_id;            /* "id" is that of the answer before */
};

/* All zeros is an empty one. */
struct session_batch {
	struct session_step *steps;
	size_t nr_steps;
};

/* Takes the objects; copies `place`. 0, or -ENOMEM and the objects are put. */
int session_batch_add(struct session_batch *batch, struct json_object *request,
		      struct json_object *undo, const char *place);
/* As before; the request is about the "id" that the step before was answered. */
int session_batch_add_on_id(struct session_batch *batch, struct json_object *request,
			    const char *place);
/* 0, or -errno after a message, when all is as before as far as the daemon lets it. */
int session_batch_run(struct session_batch *batch, struct session_verb *self);
void session_batch_clear(struct session_batch *batch);

#endif /* LTTNGMAP_CLI_CLIENT_SESSION_BATCH_H */
