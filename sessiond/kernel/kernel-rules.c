/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Rules for the kernel's events. They are for what the kernel has when they are
 * given: a module that is loaded later is not looked at again.
 */
#include "sessiond/kernel/kernel-domain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sessiond/base/parts.h"
#include "sessiond/kernel/kernel-events.h"
#include "sessiond/session/session.h"

/* Maximum number of events named that a rule does not record. */
#define WARNINGS_MAX 16u

/* A rule while it is added. */
struct addition {
	struct kernel_domain *domain;
	const struct kernel_rule *rule;
	struct json_object *warnings;
	struct kernel_problem *problem; /* of the last event that is left out */
	int matched;                    /* events that are recorded by it */
	unsigned int left_out;
};

void kernel_rule_free(struct kernel_rule *rule)
{
	rule_destroy(rule->patterns);
	free(rule->filter);
}

static bool is_matched(const struct rule *patterns, const char *full_name)
{
	const struct registry_class event_class = { .full_name = full_name };

	return rule_match(patterns, &event_class);
}

/* ---- events ---------------------------------------------------------------------- */

/* -ENOMEM, or 0: what is wrong with one event alone is a warning. */
static int take_event(struct addition *addition, const char *system, const char *name)
{
	const struct kernel_event_config config = {
		.system = system,
		.name = name,
		.rule = addition->rule->id,
		.filter = addition->rule->filter,
	};
	struct kernel_event *event = kernel_event_find(addition->domain, system, name);
	int error = event ? kernel_event_extend(addition->domain, event, config.rule, config.filter,
						addition->problem)
			  : kernel_event_add(addition->domain, &config, addition->problem);

	if (error == -ENOMEM)
		return error;
	if (error == 0)
		addition->matched++;
	else if (addition->left_out++ < WARNINGS_MAX)
		json_object_array_add(addition->warnings,
				      json_object_new_string(addition->problem->why));
	return 0;
}

/* All lines "SYSTEM:NAME" of `text`, which is cut up. 0 or -errno. */
static int take_events(struct addition *addition, char *text)
{
	char *rest = NULL;
	int error = 0;

	for (char *line = strtok_r(text, "\n", &rest); line && error == 0;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *colon = strchr(line, ':');

		/* Other sessions' probes are theirs. */
		if (!colon || kernel_probes_is_group(line) ||
		    !is_matched(addition->rule->patterns, line))
			continue;
		*colon = '\0';
		error = take_event(addition, line, colon + 1);
	}
	return error;
}

static int find_events(struct addition *addition)
{
	struct kernel_problem *problem = addition->problem;
	char *text, more[64];
	int error;

	problem->why[0] = '\0';
	error = kernel_tracing_events(&text, problem);
	if (error)
		return error;
	error = take_events(addition, text);
	free(text);
	if (error == -ENOMEM)
		kernel_problem_tell(problem, 0, "try again", "out of memory");
	else if (addition->matched == 0 && addition->left_out == 0) {
		kernel_problem_tell(
			problem, 0,
			"a rule is SYSTEM:NAME, and * stands for anything in it; tracefs's "
			"available_events has all",
			"the kernel has no event '%.200s'", rule_text(addition->rule->patterns));
		return -ENOENT;
	}
	if (addition->left_out > WARNINGS_MAX) {
		snprintf(more, sizeof(more), "… nor are %u others",
			 addition->left_out - WARNINGS_MAX);
		json_object_array_add(addition->warnings, json_object_new_string(more));
	}
	/* The problem is that of the last event. */
	return error ? error : addition->matched > 0 ? 0 : -EINVAL;
}

/* ---- rules ----------------------------------------------------------------------- */

struct kernel_rule *kernel_rule_find(const struct kernel_domain *domain, uint32_t id)
{
	for (size_t i = 0; i < domain->nr_rules; i++)
		if (domain->rules[i].id == id)
			return &domain->rules[i];
	return NULL;
}

static int check(const struct kernel_domain *domain, const char *filter,
		 struct kernel_problem *problem)
{
	if (domain->nr_rules == KERNEL_RULES_MAX)
		return kernel_problem_tell(problem, -ENOSPC,
					   "join rules by commas, or use '*'; probes are some, too",
					   "there are %u rules for kernel events already",
					   KERNEL_RULES_MAX);
	if (filter && (!filter[0] || strlen(filter) > KERNEL_FILTER_MAX || strpbrk(filter, "\n")))
		return kernel_problem_tell(problem, -EINVAL, "give an expression, on one line",
					   "this is no filter for kernel events");
	return 0;
}

/* The last one, which has no events yet. `id`: as of kernel_making. NULL: no memory. */
static struct kernel_rule *add_rule(struct kernel_domain *domain, const char *filter, uint32_t id)
{
	struct kernel_rule *rules =
		reallocarray(domain->rules, domain->nr_rules + 1, sizeof(*rules));
	struct kernel_rule *rule;

	if (!rules)
		return NULL;
	domain->rules = rules;
	rule = &rules[domain->nr_rules];
	*rule = (struct kernel_rule){ .id = id ? id : domain->last_id + 1, .enabled = true };
	rule->filter = filter ? strdup(filter) : NULL;
	if (filter && !rule->filter)
		return NULL;
	domain->nr_rules++;
	if (rule->id > domain->last_id)
		domain->last_id = rule->id;
	return rule;
}

/* It comes to nothing, or is no longer wanted. */
static void drop_rule(struct kernel_domain *domain, struct kernel_rule *rule)
{
	size_t at = (size_t)(rule - domain->rules);

	kernel_events_follow(domain, rule->id, true);
	kernel_rule_free(rule);
	domain->nr_rules--;
	memmove(rule, rule + 1, (domain->nr_rules - at) * sizeof(*rule));
}

static bool is_same_text(const char *one, const char *other)
{
	return one && other ? strcmp(one, other) == 0 : one == other;
}

/* One that was disabled, of the same words. */
static struct kernel_rule *find_disabled(const struct kernel_domain *domain, const char *patterns,
					 const char *filter)
{
	for (size_t i = 0; i < domain->nr_rules; i++) {
		struct kernel_rule *rule = &domain->rules[i];

		if (!rule->enabled && rule->patterns &&
		    strcmp(rule_text(rule->patterns), patterns) == 0 &&
		    is_same_text(rule->filter, filter))
			return rule;
	}
	return NULL;
}

void kernel_domain_change(struct kernel_domain *domain, struct kernel_rule *rule, bool enabled)
{
	rule->enabled = enabled;
	kernel_events_follow(domain, rule->id, false);
}

void kernel_domain_remove(struct kernel_domain *domain, struct kernel_rule *rule)
{
	drop_rule(domain, rule);
}

static int enable_again(struct kernel_domain *domain, struct kernel_rule *rule, uint32_t *id)
{
	int matched = 0;

	kernel_domain_change(domain, rule, true);
	*id = rule->id;
	for (size_t i = 0; i < domain->nr_events; i++)
		for (size_t j = 0; j < domain->events[i].nr_rules; j++)
			matched += domain->events[i].rules[j] == rule->id;
	return matched;
}

int kernel_domain_enable(struct kernel_domain *domain, const char *patterns, const char *filter,
			 struct json_object *warnings, uint32_t *id, struct kernel_problem *problem)
{
	struct addition addition = { .domain = domain, .warnings = warnings, .problem = problem };
	struct kernel_rule *rule = find_disabled(domain, patterns, filter);
	struct rule *parsed;
	int error = rule ? 0 : check(domain, filter, problem);

	if (rule)
		return enable_again(domain, rule, id);
	if (error)
		return error;
	kernel_problem_tell(problem, 0, "a rule is SYSTEM:NAME, and * stands for anything in it",
			    "%s", "");
	error = rule_parse(patterns, &parsed, problem->why, sizeof(problem->why));
	if (error)
		return error;
	rule = add_rule(domain, filter, 0);
	if (!rule) {
		rule_destroy(parsed);
		return kernel_problem_tell(problem, -ENOMEM, "try again", "out of memory");
	}
	rule->patterns = parsed;
	addition.rule = rule;
	*id = rule->id;
	error = find_events(&addition);
	if (error)
		drop_rule(domain, rule);
	kernel_domain_end_trial(domain);
	kernel_domain_tell(domain);
	return error ? error : addition.matched;
}

/* ---- probes ---------------------------------------------------------------------- */

/* A program that was built anew is another one. */
static bool is_same_probe(const struct kernel_probe *one, const struct kernel_probe *other)
{
	return one->is_kernel == other->is_kernel && one->is_return == other->is_return &&
	       one->offset == other->offset && is_same_text(one->path, other->path) &&
	       is_same_text(one->file, other->file) && is_same_text(one->symbol, other->symbol) &&
	       is_same_text(one->args, other->args);
}

/* One that was there before under its name, and what is to be done with it. 0 or -errno. */
static int check_name(const struct kernel_domain *domain, const struct kernel_event *event,
		      const struct kernel_probe *probe, struct kernel_problem *problem)
{
	for (size_t i = 0; event && i < event->nr_rules; i++)
		if (kernel_rule_find(domain, event->rules[i])->enabled)
			return kernel_problem_tell(problem, -EEXIST,
						   "give this one another name: NAME=...",
						   "there is a probe %s already", probe->name);
	if (event && !is_same_probe(event->probe, probe))
		return kernel_problem_tell(problem, -EEXIST, "give this one another name: NAME=...",
					   "the session had a probe %s, which was another one",
					   probe->name);
	return 0;
}

/* The event of a probe that the kernel has. */
static int add_probe_event(struct kernel_domain *domain, const struct kernel_probe *probe,
			   const struct kernel_rule *rule, struct kernel_problem *problem)
{
	const struct kernel_event_config config = {
		.system = kernel_probe_system(probe),
		.name = probe->name,
		.group = domain->group,
		.probe = probe,
		.rule = rule->id,
		.filter = rule->filter,
	};

	return kernel_event_add(domain, &config, problem);
}

/* Those of it that were disabled give way to this one, which is the last. */
static void take_probe(struct kernel_domain *domain, struct kernel_event *event,
		       struct kernel_rule *rule)
{
	rule->probe = event->probe;
	while (event->nr_rules > 1)
		drop_rule(domain, kernel_rule_find(domain, event->rules[0]));
}

/* One whose file is known, and that the kernel has. *id: as of kernel_making, then the rule's. */
static int add_probe(struct kernel_domain *domain, const struct kernel_probe *probe,
		     const char *filter, uint32_t *id, struct kernel_problem *problem)
{
	struct kernel_event *event = kernel_event_find_probe(domain, probe->name);
	struct kernel_rule *rule;
	int error = check_name(domain, event, probe, problem);

	if (error == 0)
		error = check(domain, filter, problem);
	if (error)
		return error;
	rule = add_rule(domain, filter, *id);
	if (!rule)
		return kernel_problem_tell(problem, -ENOMEM, "try again", "out of memory");
	*id = rule->id;
	error = event ? kernel_event_extend(domain, event, rule->id, filter, problem)
		      : add_probe_event(domain, probe, rule, problem);
	if (error)
		drop_rule(domain, rule);
	else
		take_probe(domain, kernel_event_find_probe(domain, probe->name), rule);
	kernel_domain_end_trial(domain);
	kernel_domain_tell(domain);
	return error;
}

static void free_making(struct kernel_making *making)
{
	kernel_probe_child_cancel(making->child);
	free(making->probe);
	free(making->filter);
	*making = (struct kernel_making){ .child = NULL };
}

/* `problem` NULL: the probe is there. Else the domain may be gone afterwards. */
static void end_making(struct kernel_domain *domain, uint32_t id,
		       const struct kernel_problem *problem)
{
	struct kernel_making making = domain->making;

	domain->making = (struct kernel_making){ .child = NULL };
	making.done(domain->session, making.data,
		    &(struct kernel_made){ id, making.probe, problem, making.is_first });
	free_making(&making);
}

void kernel_domain_cancel(struct kernel_domain *domain)
{
	struct kernel_problem problem;

	if (!domain->making.child)
		return;
	kernel_probe_child_cancel(domain->making.child);
	domain->making.child = NULL;
	domain->making.is_first = false;
	kernel_problem_tell(&problem, -ECANCELED, "make another session",
			    "the session was destroyed before the probe was made");
	end_making(domain, 0, &problem);
}

static void on_made(const struct kernel_probe_result *result, void *data)
{
	struct kernel_domain *domain = data;
	struct kernel_making *making = &domain->making;
	struct kernel_problem problem = result->problem;
	int error = result->error;
	uint32_t id = making->id;

	making->child = NULL;
	if (result->file[0])
		making->probe->file = result->file;
	if (error == 0 && domain->session->state != SESSION_IDLE &&
	    domain->session->state != SESSION_ACTIVE)
		error = kernel_problem_tell(&problem, -EBUSY, "try again when it has stopped",
					    "session %s is being stopped", domain->session->name);
	if (error == 0)
		error = add_probe(domain, making->probe, making->filter, &id, &problem);
	if (error && making->is_new)
		kernel_probes_remove(domain->group, making->probe->name);
	end_making(domain, id, error ? &problem : NULL);
}

int kernel_domain_probe(struct kernel_domain *domain, const struct kernel_probe *probe,
			const char *filter, kernel_domain_made done, void *data,
			struct kernel_problem *problem)
{
	struct kernel_making making = { .done = done, .data = data };
	int error = kernel_probe_check(probe, problem);

	if (error == 0 && domain->making.child)
		error = kernel_problem_tell(problem, -EBUSY, "try again when that is done",
					    "session %s is being given another probe",
					    domain->session->name);
	if (error == 0)
		error = check(domain, filter, problem);
	if (error)
		return error;
	making.is_new = !kernel_event_find_probe(domain, probe->name);
	making.probe = kernel_probe_copy(probe);
	making.filter = filter ? strdup(filter) : NULL;
	if (!making.probe || (filter && !making.filter))
		error = kernel_problem_tell(problem, -ENOMEM, "try again", "out of memory");
	else
		error = kernel_probe_child_start(domain->session->daemon->event,
						 making.is_new ? domain->group : NULL, making.probe,
						 on_made, domain, &making.child, problem);
	if (error)
		free_making(&making);
	else
		domain->making = making;
	return error;
}
