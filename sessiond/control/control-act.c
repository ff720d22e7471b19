/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/control/control-act.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <urcu/compiler.h>

#include "sessiond/base/parts.h"
#include "sessiond/control/control-admit.h"
#include "sessiond/control/control-client.h"
#include "sessiond/control/control-verbs.h"
#include "sessiond/session/session.h"
#include "sessiond/trigger/trigger.h"

/* A client without a connection. Its action owns it. */
struct actor {
	struct control_client client; /* first: who asks for an action names it by this */
	struct session *trigger;
	const struct trigger_action *action;
};

static void on_answer(struct control_client *client, struct json_object *answer)
{
	struct actor *actor = caa_container_of(client, struct actor, client);
	struct json_object *error = NULL;
	char text[256];

	if (json_object_get_boolean(json_object_object_get(answer, "ok"))) {
		trigger_acted(actor->trigger, NULL);
		return;
	}
	json_object_object_get_ex(answer, "error", &error);
	snprintf(text, sizeof(text), "%s %s: %s", trigger_action_name(actor->action->kind),
		 actor->action->session, error ? json_object_get_string(error) : "refused");
	trigger_acted(actor->trigger, text);
}

static struct actor *make_actor(struct session *trigger, struct trigger_action *action)
{
	struct actor *actor = calloc(1, sizeof(*actor));

	if (!actor)
		return NULL;
	actor->trigger = trigger;
	actor->action = action;
	actor->client = (struct control_client){
		.control = trigger->daemon->control,
		.fd = -1,
		.peer = { .pid = getpid(), .uid = trigger->owner, .gid = trigger->group },
		.greeted = true,
		.answered = on_answer,
	};
	action->actor = actor;
	return actor;
}

void control_act(struct session *trigger, struct trigger_action *action)
{
	const char *name = trigger_action_name(action->kind);
	struct actor *actor = action->actor ? action->actor : make_actor(trigger, action);
	const struct control_verb *verb = control_verbs;
	struct json_object *request;

	if (!actor) {
		trigger_acted(trigger, "out of memory");
		return;
	}
	while (strcmp(verb->name, name) != 0)
		verb++;
	request = json_object_new_object();
	json_object_object_add(request, "session", json_object_new_string(action->session));
	actor->client.pending = true;
	verb->serve(&actor->client, request);
	json_object_put(request);
}
