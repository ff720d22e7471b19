/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-kernel.c - the verbs about a session's kernel domain, and what others
 * say of it.
 */
#include "sessiond/control/control-verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sessiond/base/parts.h"
#include "sessiond/control/control-args.h"
#include "sessiond/kernel/kernel-domain.h"
#include "sessiond/kernel/kernel-state.h"
#include "sessiond/rule/rule-list.h"
#include "sessiond/session/session.h"

/* The session, where it may have a kernel domain; else the request is refused. */
static struct session *check_session(struct control_client *client, struct session *session)
{
	if (!session)
		return NULL;
	if (control_client_peer(client)->uid != 0)
		control_refuse(client, "ask as root", "kernel events are root's");
	else if (session->owner != 0)
		control_refuse(client, "make a session of root's own",
			       "session %s is user %u's, who may not see the kernel's events",
			       session->name, session->owner);
	else if (session->is_flight_recorder)
		control_refuse(client, "make another session",
			       "session %s is a flight recorder, which has no kernel events",
			       session->name);
	else if (session->rotation.chunk > 0 || session->rotation.period_ms ||
		 session->rotation.size)
		control_refuse(client, "make another session",
			       "session %s has chunks, and can have no kernel events",
			       session->name);
	else
		return session;
	return NULL;
}

/* The same, and it gets a rule: also while it is started. */
static struct session *need_session(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_session(client, request);

	/* Where it is being stopped, this refuses. */
	if (session && session->state != SESSION_ACTIVE)
		session = control_need_idle(client, request);
	return check_session(client, session);
}

/* 0, or the request is refused. */
static int make_domain(struct control_client *client, struct session *session)
{
	struct kernel_problem problem;
	int error = session->kernel ? 0
				    : kernel_domain_create(session, kernel_domain_folder(session),
							   &problem);

	if (error)
		control_refuse(client, problem.hint, "session %s: %s", session->name, problem.why);
	return error;
}

/* One of a rule, or a probe. */
static void refuse_problem(struct control_client *client, const struct kernel_problem *problem)
{
	if (problem->column >= 0)
		control_refuse_at(client, problem->hint, problem->why, NULL,
				  (unsigned int)problem->column, 1);
	else
		control_refuse(client, problem->hint, "%s", problem->why);
}

/* The session has one more rule. A domain made for that starts now if the session is active. */
static void start_domain(struct session *session)
{
	if (session->state == SESSION_ACTIVE && !session->kernel->is_recording)
		kernel_domain_start(session->kernel);
	daemon_save_state(session->daemon);
}

/* Makes no part of it: what is refused is to leave the session as it was. */
static void undo_domain(struct session *session, bool is_new)
{
	if (!is_new || !session->kernel || session->kernel->nr_rules > 0)
		return;
	kernel_domain_destroy(session->kernel);
	session->kernel = NULL;
}

/* The optional member "pids". 1: it is there; 0; or the request is refused. */
static int take_pids(struct control_client *client, struct json_object *request,
		     uint32_t pids[KERNEL_PIDS_MAX], size_t *nr_pids)
{
	struct json_object *array;

	if (!json_object_object_get_ex(request, "pids", &array))
		return 0;
	if (!json_object_is_type(array, json_type_array) ||
	    json_object_array_length(array) > KERNEL_PIDS_MAX) {
		control_refuse(client, "give a list of at most 256 process ids",
			       "member 'pids' is not such an array");
		return -EINVAL;
	}
	*nr_pids = json_object_array_length(array);
	for (size_t i = 0; i < *nr_pids; i++) {
		struct json_object *item = json_object_array_get_idx(array, i);
		int64_t pid = json_object_is_type(item, json_type_int) ? json_object_get_int64(item)
								       : 0;

		if (pid <= 0 || pid > INT32_MAX) {
			control_refuse(client, "give whole numbers above 0",
				       "member 'pids' has what is no process id");
			return -EINVAL;
		}
		pids[i] = (uint32_t)pid;
	}
	return 1;
}

void control_serve_kernel(struct control_client *client, struct json_object *request)
{
	struct session *session = check_session(client, control_need_idle(client, request));
	bool is_new = session && !session->kernel;
	uint32_t pids[KERNEL_PIDS_MAX];
	struct kernel_problem problem;
	struct json_object *answer;
	uint64_t size = 0;
	size_t nr_pids = 0;
	int has_pids, error;

	if (!session || control_take_number(client, request, "buffer_size", INT64_MAX, &size) != 0)
		return;
	if (json_object_object_get_ex(request, "buffer_size", NULL) &&
	    (size < KERNEL_BUFFER_MIN || size > KERNEL_BUFFER_MAX)) {
		control_refuse(client, "give 128 KiB to 1 TiB",
			       "the kernel's rings cannot have %llu bytes each",
			       (unsigned long long)size);
		return;
	}
	has_pids = take_pids(client, request, pids, &nr_pids);
	if (has_pids < 0 || !control_list_fits(client, session, request) ||
	    make_domain(client, session) != 0)
		return;
	error = size ? kernel_domain_set_buffer(session->kernel, size, &problem) : 0;
	if (error == 0 && has_pids)
		error = kernel_domain_set_pids(session->kernel, pids, nr_pids, &problem);
	if (error) {
		control_refuse(client, problem.hint, "session %s: %s", session->name, problem.why);
		undo_domain(session, is_new);
		return;
	}
	daemon_save_state(session->daemon);
	answer = json_object_new_object();
	control_add_string(answer, "instance", kernel_instance_name(session->kernel->instance));
	control_answer(client, answer);
}

void control_serve_kernel_enable(struct control_client *client, struct json_object *request)
{
	struct session *session = need_session(client, request);
	bool is_new = session && !session->kernel;
	const char *patterns, *filter = NULL;
	struct json_object *answer, *warnings;
	struct kernel_problem problem;
	uint32_t id;
	int matched;

	if (!session)
		return;
	patterns = control_need_string(client, request, "rule");
	if (!patterns || control_take_string(client, request, "filter", &filter) != 0 ||
	    !control_list_fits(client, session, request) || make_domain(client, session) != 0)
		return;
	warnings = json_object_new_array();
	matched = kernel_domain_enable(session->kernel, patterns, filter, warnings, &id, &problem);
	if (matched < 0) {
		json_object_put(warnings);
		refuse_problem(client, &problem);
		undo_domain(session, is_new);
		return;
	}
	answer = json_object_new_object();
	control_add_number(answer, "id", id);
	control_add_number(answer, "matched", (uint64_t)matched);
	json_object_object_add(answer, "warnings", warnings);
	start_domain(session);
	control_answer(client, answer);
}

static void change(struct control_client *client, struct json_object *request, bool remove)
{
	struct session *session = need_session(client, request);
	struct kernel_rule *rule;
	uint64_t id;

	if (!session || control_need_number(client, request, "id", UINT32_MAX, &id) != 0)
		return;
	rule = session->kernel ? kernel_rule_find(session->kernel, (uint32_t)id) : NULL;
	if (!rule) {
		control_refuse(client, "`list` has the rules and their numbers",
			       "session %s has no rule %llu for kernel events", session->name,
			       (unsigned long long)id);
	} else if (!remove && !rule->enabled) {
		control_refuse(client, "enable it again, or remove it",
			       "rule %llu for kernel events of session %s is disabled already",
			       (unsigned long long)id, session->name);
	} else {
		if (remove)
			kernel_domain_remove(session->kernel, rule);
		else
			kernel_domain_change(session->kernel, rule, false);
		daemon_save_state(session->daemon);
		control_answer(client, NULL);
	}
}

void control_serve_kernel_disable(struct control_client *client, struct json_object *request)
{
	change(client, request, false);
}

void control_serve_kernel_remove(struct control_client *client, struct json_object *request)
{
	change(client, request, true);
}

/* The members of a definition. 0, or the request is refused. */
static int take_probe(struct control_client *client, struct json_object *request,
		      struct kernel_probe *probe, const char **filter)
{
	const char *kind = control_need_string(client, request, "kind");

	*probe = (struct kernel_probe){ .is_kernel = kind && strcmp(kind, "kprobe") == 0 };
	if (!kind)
		return -EINVAL;
	if (!probe->is_kernel && strcmp(kind, "uprobe") != 0) {
		control_refuse(client, "it is uprobe or kprobe",
			       "there is no kind of probe '%.40s'", kind);
		return -EINVAL;
	}
	probe->name = control_need_string(client, request, "name");
	if (!probe->name)
		return -EINVAL;
	if (probe->is_kernel)
		probe->symbol = control_need_string(client, request, "symbol");
	else
		probe->path = control_need_string(client, request, "path");
	if (!probe->symbol && !probe->path)
		return -EINVAL;
	if (probe->is_kernel && (json_object_object_get_ex(request, "path", NULL) ||
				 json_object_object_get_ex(request, "file", NULL))) {
		control_refuse(client, "leave 'path' and 'file' out", "a kprobe is in no file");
		return -EINVAL;
	}
	if (control_take_bool(client, request, "return", &probe->is_return) != 0 ||
	    control_take_number(client, request, "offset", INT64_MAX, &probe->offset) != 0 ||
	    (!probe->is_kernel &&
	     (control_take_string(client, request, "symbol", &probe->symbol) != 0 ||
	      control_take_string(client, request, "file", &probe->file) != 0)) ||
	    control_take_string(client, request, "args", &probe->args) != 0 ||
	    control_take_string(client, request, "filter", filter) != 0)
		return -EINVAL;
	return 0;
}

static void on_probe(struct session *session, void *data, const struct kernel_made *made)
{
	struct control_client *client = data;
	struct json_object *answer;
	char event[KERNEL_PROBE_NAME_SIZE + 16];

	if (made->problem) {
		if (client)
			refuse_problem(client, made->problem);
		undo_domain(session, made->is_first);
		return;
	}
	start_domain(session);
	if (!client)
		return;
	answer = json_object_new_object();
	control_add_number(answer, "id", made->id);
	snprintf(event, sizeof(event), "%s:%.63s", kernel_probe_system(made->probe),
		 made->probe->name);
	control_add_string(answer, "event", event);
	control_answer(client, answer);
}

void control_serve_kernel_probe(struct control_client *client, struct json_object *request)
{
	struct session *session = need_session(client, request);
	bool is_new = session && !session->kernel;
	struct kernel_problem problem;
	struct kernel_probe probe;
	const char *filter = NULL;

	if (!session || take_probe(client, request, &probe, &filter) != 0 ||
	    !control_list_fits(client, session, request) || make_domain(client, session) != 0)
		return;
	if (kernel_domain_probe(session->kernel, &probe, filter, on_probe, client, &problem) != 0) {
		refuse_problem(client, &problem);
		undo_domain(session, is_new);
	} else {
		session->kernel->making.is_first = is_new;
	}
}

bool control_lacks_kernel(struct control_client *client, const struct session *session,
			  const char *what)
{
	if (session->kernel)
		control_refuse(client, "use a session without kernel events for that",
			       "session %s records kernel events, which cannot be %s",
			       session->name, what);
	return !session->kernel;
}

struct json_object *control_count_kernel(const struct kernel_domain *domain)
{
	struct json_object *object = json_object_new_object();

	control_add_string(object, "instance", kernel_instance_name(domain->instance));
	json_object_object_add(
		object, "mapped",
		json_object_new_boolean(kernel_instance_is_mapped(domain->instance)));
	control_add_number(object, "events", domain->written.events);
	control_add_number(object, "discarded", domain->written.discarded);
	control_add_number(object, "overrun", kernel_instance_overrun(domain->instance));
	control_add_number(object, "packets", domain->written.packets);
	control_add_number(object, "bytes", domain->written.bytes);
	control_add_number(object, "streams", domain->written.streams);
	return object;
}
