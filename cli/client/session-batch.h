/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-batch.h - sends several requests, of which all are served or none. When the daemon
 * refuses a request, the earlier requests are undone in reverse order.
 */
#ifndef CLI_CLIENT_SESSION_BATCH_H
#define CLI_CLIENT_SESSION_BATCH_H

#include <stddef.h>

#include "cli/client/session-verb.h"

struct session_step {
	struct json_object *request;
	struct json_object *undo; /* NULL: nothing to undo in this step */
	char *place;              /* printed before a refusal, or NULL */
	bool takes_id;            /* "id" is taken from the previous answer */
};

/* All zeros: an empty batch. */
struct session_batch {
	struct session_step *steps;
	size_t nr_steps;
};

/* Takes the objects; copies `place`. 0, or -ENOMEM; then the objects are put. */
int session_batch_add(struct session_batch *batch, struct json_object *request,
		      struct json_object *undo, const char *place);
/* The same for a request whose "id" comes from the previous answer. */
int session_batch_add_on_id(struct session_batch *batch, struct json_object *request,
			    const char *place);
/* 0, or -errno after a message; then all steps are undone, as far as the daemon allows. */
int session_batch_run(struct session_batch *batch, struct session_verb *self);
void session_batch_clear(struct session_batch *batch);

#endif /* CLI_CLIENT_SESSION_BATCH_H */
