/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-verbs.h - what can be asked of the daemon, a function a verb
 * (common/protocol/protocol-control.h says what each does); the table is in
 * control-verbs.c.
 *
 * Each answers the request, at once or later. Main thread.
 */
#ifndef SESSIOND_CONTROL_CONTROL_VERBS_H
#define SESSIOND_CONTROL_CONTROL_VERBS_H

#include <stdbool.h>

#include <json-c/json.h>

#include <lttngmap/abi.h>

#include "sessiond/control/control-client.h"

struct channel;
struct channel_map_config;
struct kernel_domain;
struct rule_config;
struct rule_entry;
struct rule_problem;
struct session;

/* control-session.c */
void control_serve_create(struct control_client *client, struct json_object *request);
void control_serve_destroy(struct control_client *client, struct json_object *request);
void control_serve_start(struct control_client *client, struct json_object *request);
void control_serve_stop(struct control_client *client, struct json_object *request);
void control_serve_status(struct control_client *client, struct json_object *request);
void control_serve_flush(struct control_client *client, struct json_object *request);
void control_serve_clear(struct control_client *client, struct json_object *request);
void control_serve_track(struct control_client *client, struct json_object *request);
void control_serve_untrack(struct control_client *client, struct json_object *request);

/* May the client have one more session? If not, the request is refused. */
bool control_may_create(struct control_client *client);
/* Add what it has recorded and lost so far, as "status" and "usage" have it. */
void control_add_counts(struct json_object *answer, struct session *session);
/* Add where it is sent, if it is, as "status" and "list" have it. */
void control_add_collector(struct json_object *object, const struct session *session);

/* control-usage.c */
void control_serve_usage(struct control_client *client, struct json_object *request);
void control_serve_rings(struct control_client *client, struct json_object *request);

/* control-rotation.c */
void control_serve_snapshot(struct control_client *client, struct json_object *request);
void control_serve_rotate(struct control_client *client, struct json_object *request);
void control_serve_choose(struct control_client *client, struct json_object *request);
void control_serve_rotation(struct control_client *client, struct json_object *request);

/* control-channel.c */
void control_serve_channel(struct control_client *client, struct json_object *request);
void control_serve_channel_remove(struct control_client *client, struct json_object *request);
void control_serve_channel_enable(struct control_client *client, struct json_object *request);
void control_serve_context(struct control_client *client, struct json_object *request);

/* control-rule.c */
void control_serve_enable(struct control_client *client, struct json_object *request);
void control_serve_disable(struct control_client *client, struct json_object *request);
void control_serve_remove(struct control_client *client, struct json_object *request);

/* A rule of the request. 0, or the request is refused. */
int control_take_rule(struct control_client *client, struct json_object *request,
		      struct rule_config *config);
/* The rule was refused by session_enable(); or it is there: with what it matches. */
void control_refuse_rule(struct control_client *client, const struct channel *channel,
			 const struct rule_config *config, const struct rule_problem *problem,
			 int error);
void control_answer_rule(struct control_client *client, const struct channel *channel,
			 const struct rule_entry *entry, struct rule_problem *problem);

/* control-map.c */
/* The map that the request names; NULL: the request is refused. */
struct session *control_need_map(struct control_client *client, struct json_object *request);
/*
 * The channel of a map or trigger, which has that rule (`first`: of latencies; else NULL), and
 * starts: answers; or refuses, and the session is gone.
 */
void control_begin_map(struct control_client *client, struct session *session,
		       const struct channel_map_config *expressions, uint64_t keys,
		       const struct rule_config *rule, const char *first);
/*
 * The text of a map's key: a value, or an array of several; null where a process damaged it.
 */
struct json_object *control_describe_text(const uint8_t text[LTTNGMAP_MAP_TEXT_SIZE],
					  uint64_t hash);
void control_serve_map_add(struct control_client *client, struct json_object *request);
void control_serve_map_remove(struct control_client *client, struct json_object *request);
void control_serve_map_clear(struct control_client *client, struct json_object *request);
void control_serve_map_list(struct control_client *client, struct json_object *request);
void control_serve_map_show(struct control_client *client, struct json_object *request);

/* control-trigger.c */
void control_serve_trigger_add(struct control_client *client, struct json_object *request);
void control_serve_trigger_remove(struct control_client *client, struct json_object *request);
void control_serve_trigger_list(struct control_client *client, struct json_object *request);
void control_serve_trigger_wait(struct control_client *client, struct json_object *request);

/* control-kernel.c */
void control_serve_kernel(struct control_client *client, struct json_object *request);
void control_serve_kernel_enable(struct control_client *client, struct json_object *request);
void control_serve_kernel_disable(struct control_client *client, struct json_object *request);
void control_serve_kernel_remove(struct control_client *client, struct json_object *request);
void control_serve_kernel_probe(struct control_client *client, struct json_object *request);
/* False: the session has a kernel domain, whose events cannot be what is asked for; refused. */
bool control_lacks_kernel(struct control_client *client, const struct session *session,
			  const char *what);
/* The counts of a kernel domain, for `list` and `status`. */
struct json_object *control_count_kernel(const struct kernel_domain *part);

/* control-list.c */
/*
 * Would `list` still hold the session in one message, with what this request
 * adds to it? False: the request is refused.
 */
bool control_list_fits(struct control_client *client, const struct session *session,
		       struct json_object *request);
void control_serve_list(struct control_client *client, struct json_object *request);
void control_serve_processes(struct control_client *client, struct json_object *request);
void control_serve_unregistered(struct control_client *client, struct json_object *request);
/* A bit set of the classes that the client's user may see the names of; NULL: all. */
const uint64_t *control_visible_classes(struct control_client *client);
void control_serve_events(struct control_client *client, struct json_object *request);

/* A verb: what it may contain, and who serves it. */
struct control_verb {
	const char *name;
	const char *const *members; /* all that are allowed; ends in NULL */
	void (*serve)(struct control_client *client, struct json_object *request);
};

/* Ends in a verb without a name. */
extern const struct control_verb control_verbs[];

#endif /* SESSIOND_CONTROL_CONTROL_VERBS_H */
