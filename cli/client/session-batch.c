/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/session-batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client/control-client.h"

int session_batch_add(struct session_batch *batch, struct json_object *request,
		      struct json_object *undo, const char *place)
{
	struct session_step *steps =
		realloc(batch->steps, (batch->nr_steps + 1) * sizeof(*batch->steps));
	char *copy = place ? strdup(place) : NULL;

	if (steps)
		batch->steps = steps;
	if (!steps || (place && !copy)) {
		free(copy);
		json_object_put(request);
		json_object_put(undo);
		return -ENOMEM;
	}
	batch->steps[batch->nr_steps++] =
		(struct session_step){ .request = request, .undo = undo, .place = copy };
	return 0;
}

int session_batch_add_on_id(struct session_batch *batch, struct json_object *request,
			    const char *place)
{
	int error = session_batch_add(batch, request, NULL, place);

	if (!error)
		batch->steps[batch->nr_steps - 1].takes_id = true;
	return error;
}

static void undo(struct session_batch *batch, struct session_verb *self, size_t done)
{
	while (done-- > 0) {
		struct session_step *step = &batch->steps[done];

		/* A failed undo prints a message; the other steps are undone nevertheless. */
		if (step->undo)
			session_verb_ask(self, json_object_get(step->undo), NULL);
	}
}

int session_batch_run(struct session_batch *batch, struct session_verb *self)
{
	uint64_t id = 0;
	int error;

	for (size_t i = 0; i < batch->nr_steps; i++) {
		struct session_step *step = &batch->steps[i];
		struct json_object *answer;

		if (step->takes_id)
			session_add_number(step->request, "id", id);
		self->place = step->place;
		error = session_verb_ask(self, json_object_get(step->request), &answer);
		self->place = NULL;
		if (error) {
			/* A daemon that ended has lost all sessions: nothing is left to undo. */
			if (error == -EREMOTEIO)
				undo(batch, self, i);
			return error;
		}
		id = control_answer_count(answer, "id");
		json_object_put(answer);
	}
	return 0;
}

void session_batch_clear(struct session_batch *batch)
{
	for (size_t i = 0; i < batch->nr_steps; i++) {
		json_object_put(batch->steps[i].request);
		json_object_put(batch->steps[i].undo);
		free(batch->steps[i].place);
	}
	free(batch->steps);
	*batch = (struct session_batch){ 0 };
}
