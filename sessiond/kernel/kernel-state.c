/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/kernel/kernel-state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json-message.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/kernel/kernel-domain.h"
#include "sessiond/session/session.h"

/* Processes that are recorded alone, with those that they started. */
#define FOLLOWED_MAX 4096u

/* ---- writing ----------------------------------------------------------------------- */

static void add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static void add_flag(struct json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

/* NULL: left out. */
static void add_text(struct json_object *object, const char *key, const char *value)
{
	if (value)
		json_object_object_add(object, key, json_object_new_string(value));
}

static void describe_probe(const struct kernel_probe *probe, struct json_object *object)
{
	add_text(object, "kind", probe->is_kernel ? "kprobe" : "uprobe");
	add_flag(object, "return", probe->is_return);
	add_text(object, "name", probe->name);
	add_text(object, "path", probe->path);
	add_number(object, "offset", probe->offset);
	add_text(object, "symbol", probe->symbol);
	add_text(object, "args", probe->args);
}

static struct json_object *describe_rule(const struct kernel_rule *rule)
{
	struct json_object *object = json_object_new_object();

	add_number(object, "id", rule->id);
	add_flag(object, "enabled", rule->enabled);
	if (rule->probe)
		describe_probe(rule->probe, object);
	else
		add_text(object, "rule", rule_text(rule->patterns));
	add_text(object, "filter", rule->filter);
	return object;
}

struct json_object *kernel_domain_describe(const struct kernel_domain *domain)
{
	struct json_object *object = json_object_new_object();
	struct json_object *rules = json_object_new_array();
	struct json_object *pids = json_object_new_array();
	struct json_object *probes = json_object_new_array();

	for (size_t i = 0; i < domain->nr_pids; i++)
		json_object_array_add(pids, json_object_new_int64(domain->pids[i]));
	for (size_t i = 0; i < domain->nr_rules; i++)
		json_object_array_add(domain->rules[i].probe ? probes : rules,
				      describe_rule(&domain->rules[i]));
	add_text(object, "instance", kernel_instance_name(domain->instance));
	add_number(object, "buffer_size", domain->buffer_size);
	add_number(object, "events", kernel_events_count(domain));
	json_object_object_add(object, "pids", pids);
	json_object_object_add(object, "rules", rules);
	json_object_object_add(object, "probes", probes);
	return object;
}

/* The pids from the kernel: children are among them, ended processes are not. */
static struct json_object *save_followed(const struct kernel_domain *domain)
{
	struct json_object *array = json_object_new_array();
	char *text = domain->nr_pids ? kernel_instance_pids(domain->instance) : NULL, *at = text,
	     *end;

	while (at && json_object_array_length(array) < FOLLOWED_MAX) {
		unsigned long pid = strtoul(at, &end, 10);

		if (end == at)
			break;
		json_object_array_add(array, json_object_new_uint64(pid));
		at = end;
	}
	free(text);
	return array;
}

/* Which files they are in, beside what `list` says. */
static void add_files(const struct kernel_domain *domain, struct json_object *probes)
{
	size_t at = 0;

	for (size_t i = 0; i < domain->nr_rules; i++)
		if (domain->rules[i].probe)
			add_text(json_object_array_get_idx(probes, at++), "file",
				 domain->rules[i].probe->file);
}

static struct json_object *save_written(const struct kernel_written *written)
{
	struct json_object *object = json_object_new_object();

	add_number(object, "packets", written->packets);
	add_number(object, "events", written->events);
	add_number(object, "discarded", written->discarded);
	add_number(object, "bytes", written->bytes);
	add_number(object, "streams", written->streams);
	return object;
}

struct json_object *kernel_domain_save(const struct session *session)
{
	const struct kernel_domain *domain = session->kernel;
	struct json_object *object, *probes;
	bool has_trace;

	if (!domain)
		return json_object_get(session->kernel_kept);
	object = kernel_domain_describe(domain);
	has_trace = domain->told || domain->session->state != SESSION_IDLE;
	add_number(object, "folder", domain->folder + has_trace);
	add_number(object, "last_id", domain->last_id);
	json_object_object_add(object, "followed", save_followed(domain));
	json_object_object_add(object, "written", save_written(&domain->written));
	json_object_object_get_ex(object, "probes", &probes);
	add_files(domain, probes);
	/* Those that an earlier daemon left, and that are not made yet. */
	for (size_t i = domain->nr_restored;
	     domain->saved && i < json_object_array_length(domain->saved); i++)
		json_object_array_add(probes,
				      json_object_get(json_object_array_get_idx(domain->saved, i)));
	return object;
}

/* ---- reading ----------------------------------------------------------------------- */

/* 0 where it is not there. */
static uint64_t number_of(struct json_object *object, const char *key, uint64_t most)
{
	uint64_t value = 0;

	json_message_get_uint64(object, key, 0, most, &value);
	return value;
}

static bool flag_of(struct json_object *object, const char *key)
{
	bool value = false;

	json_message_get_bool(object, key, &value);
	return value;
}

static const char *text_of(struct json_object *object, const char *key)
{
	const char *value = NULL;

	json_message_get_string(object, key, &value);
	return value;
}

static struct json_object *array_of(struct json_object *object, const char *key)
{
	struct json_object *array;

	return json_object_object_get_ex(object, key, &array) &&
			       json_object_is_type(array, json_type_array)
		       ? array
		       : NULL;
}

static size_t length_of(struct json_object *array)
{
	return array ? json_object_array_length(array) : 0;
}

static void say_lost(const struct session *session, const char *what, const char *why)
{
	message_of(session->key,
		   "session %s: kernel events of %s are not recorded any more, since the session "
		   "daemon %s: %s",
		   session->name, what, session->is_taken_over ? "ended" : "was killed", why);
}

static void restore_written(struct kernel_domain *domain, struct json_object *saved)
{
	struct json_object *written = json_object_object_get(saved, "written");

	domain->written = (struct kernel_written){
		.packets = number_of(written, "packets", INT64_MAX),
		.events = number_of(written, "events", INT64_MAX),
		.discarded = number_of(written, "discarded", INT64_MAX),
		.bytes = number_of(written, "bytes", INT64_MAX),
		.streams = number_of(written, "streams", INT64_MAX),
	};
	domain->discarded_before = domain->written.discarded;
}

/* How many of the array there are in `pids`. */
static size_t read_pids(struct json_object *array, uint32_t *pids, size_t most)
{
	size_t nr_pids = length_of(array) < most ? length_of(array) : most;

	for (size_t i = 0; i < nr_pids; i++)
		pids[i] = (uint32_t)json_object_get_uint64(json_object_array_get_idx(array, i));
	return nr_pids;
}

/* Where all have ended, it is to record none of the machine's others. */
static int restore_pids(struct kernel_domain *domain, struct json_object *saved,
			struct kernel_problem *problem)
{
	uint32_t pids[KERNEL_PIDS_MAX], followed[FOLLOWED_MAX];
	size_t nr_pids = read_pids(array_of(saved, "pids"), pids, KERNEL_PIDS_MAX);
	size_t nr_followed = read_pids(array_of(saved, "followed"), followed, FOLLOWED_MAX);
	int error = nr_pids ? kernel_domain_set_pids(domain, pids, nr_pids, problem) : 0;

	if (error == 0 && nr_pids && nr_followed)
		error = kernel_instance_set_pids(domain->instance, followed, nr_followed, problem);
	return error;
}

static void restore_rule(struct kernel_domain *domain, struct json_object *saved)
{
	struct json_object *warnings = json_object_new_array();
	const char *patterns = text_of(saved, "rule");
	struct kernel_problem problem;
	uint32_t id;

	/* The next number is its own. */
	domain->last_id = (uint32_t)number_of(saved, "id", UINT32_MAX) - 1;
	if (patterns && kernel_domain_enable(domain, patterns, text_of(saved, "filter"), warnings,
					     &id, &problem) < 0)
		say_lost(domain->session, patterns, problem.why);
	json_object_put(warnings);
}

/* Disabled at the end: one that is so would stand for another of the same words. */
static void restore_rules(struct kernel_domain *domain, struct json_object *saved)
{
	struct json_object *rules = array_of(saved, "rules");

	for (size_t i = 0; i < length_of(rules); i++)
		restore_rule(domain, json_object_array_get_idx(rules, i));
	for (size_t i = 0; i < length_of(rules); i++) {
		struct json_object *one = json_object_array_get_idx(rules, i);
		struct kernel_rule *rule =
			kernel_rule_find(domain, (uint32_t)number_of(one, "id", UINT32_MAX));

		if (rule && !flag_of(one, "enabled"))
			kernel_domain_change(domain, rule, false);
	}
	domain->last_id = (uint32_t)number_of(saved, "last_id", UINT32_MAX);
}

static void restore_probes(struct kernel_domain *domain);

static void on_restored(struct session *session, void *data, const struct kernel_made *made)
{
	struct kernel_domain *domain = session->kernel;
	struct json_object *saved;

	(void)data;
	/* It is being destroyed. */
	if (!domain->saved)
		return;
	saved = json_object_array_get_idx(domain->saved, domain->nr_restored++);
	if (made->problem)
		say_lost(session, made->probe->name, made->problem->why);
	else if (!flag_of(saved, "enabled"))
		kernel_domain_change(domain, kernel_rule_find(domain, made->id), false);
	restore_probes(domain);
	if (!domain->saved)
		daemon_save_state(session->daemon);
}

static int restore_probe(struct kernel_domain *domain, struct json_object *saved,
			 struct kernel_problem *problem)
{
	const char *kind = text_of(saved, "kind");
	const struct kernel_probe probe = {
		.is_kernel = kind && strcmp(kind, "kprobe") == 0,
		.is_return = flag_of(saved, "return"),
		.name = text_of(saved, "name"),
		.path = text_of(saved, "path"),
		.file = text_of(saved, "file"),
		.offset = number_of(saved, "offset", INT64_MAX),
		.symbol = text_of(saved, "symbol"),
		.args = text_of(saved, "args"),
	};
	int error;

	if (!probe.name || (probe.is_kernel ? !probe.symbol : !probe.path))
		return kernel_problem_tell(problem, -EBADMSG, "", "what is kept of it is damaged");
	error = kernel_domain_probe(domain, &probe, text_of(saved, "filter"), on_restored, NULL,
				    problem);
	if (error == 0)
		domain->making.id = (uint32_t)number_of(saved, "id", UINT32_MAX);
	return error;
}

/* The next one; at the end, the domain itself has all. */
static void restore_probes(struct kernel_domain *domain)
{
	struct kernel_problem problem;

	while (domain->nr_restored < length_of(domain->saved)) {
		struct json_object *saved =
			json_object_array_get_idx(domain->saved, domain->nr_restored);
		const char *name = text_of(saved, "name");

		if (restore_probe(domain, saved, &problem) == 0)
			return;
		say_lost(domain->session, name ? name : "a probe", problem.why);
		domain->nr_restored++;
	}
	json_object_put(domain->saved);
	domain->saved = NULL;
}

bool kernel_domain_is_restoring(const struct kernel_domain *domain)
{
	return domain->saved != NULL;
}

uint32_t kernel_domain_folder(const struct session *session)
{
	return (uint32_t)number_of(session->kernel_kept, "folder", UINT32_MAX - 1);
}

void kernel_domain_restore(struct session *session, struct json_object *saved)
{
	struct kernel_problem problem;
	uint32_t folder;
	int error;

	if (!json_object_is_type(saved, json_type_object))
		return;
	folder = (uint32_t)number_of(saved, "folder", UINT32_MAX - 1);
	error = kernel_domain_create(session, folder, &problem);
	if (error == 0)
		error = kernel_domain_set_buffer(session->kernel,
						 number_of(saved, "buffer_size", KERNEL_BUFFER_MAX),
						 &problem);
	if (error == 0)
		error = restore_pids(session->kernel, saved, &problem);
	if (error) {
		say_lost(session, "all rules", problem.why);
		kernel_domain_destroy(session->kernel);
		session->kernel = NULL;
		session->kernel_kept = json_object_get(saved);
		return;
	}
	restore_written(session->kernel, saved);
	restore_rules(session->kernel, saved);
	if (folder > 0 && session->state == SESSION_ACTIVE)
		message_of(session->key,
			   "session %s: kernel events from here on are in %s/kernel-%" PRIu64
			   ", for the session daemon %s; those in between are not recorded",
			   session->name, session->output, (uint64_t)folder + 1,
			   session->is_taken_over ? "ended" : "was killed");
	session->kernel->saved = json_object_get(array_of(saved, "probes"));
	if (session->kernel->saved)
		restore_probes(session->kernel);
}
