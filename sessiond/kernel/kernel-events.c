/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/kernel/kernel-events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sessiond/base/messages.h"
#include "sessiond/kernel/kernel-describe.h"
#include "sessiond/kernel/kernel-domain.h"
#include "sessiond/session/session.h"

void kernel_event_free(struct kernel_event *event)
{
	kernel_class_destroy(event->class);
	free(event->described);
	free(event->system);
	free(event->name);
	free(event->group);
	free(event->probe);
	free(event->format);
	free(event->filter);
	free(event->rules);
}

struct kernel_event *kernel_event_find(const struct kernel_domain *domain, const char *system,
				       const char *name)
{
	for (size_t i = 0; i < domain->nr_events; i++)
		if (!domain->events[i].probe && strcmp(domain->events[i].name, name) == 0 &&
		    strcmp(domain->events[i].system, system) == 0)
			return &domain->events[i];
	return NULL;
}

struct kernel_event *kernel_event_find_probe(const struct kernel_domain *domain, const char *name)
{
	for (size_t i = 0; i < domain->nr_events; i++)
		if (domain->events[i].probe && strcmp(domain->events[i].name, name) == 0)
			return &domain->events[i];
	return NULL;
}

static const char *group_of(const struct kernel_event *event)
{
	return event->group ? event->group : event->system;
}

/* People know an event by what it is called in the trace. */
static void rename_in(struct kernel_problem *problem, const struct kernel_event *event)
{
	char *at = event->group ? strstr(problem->why, event->group) : NULL;
	char rest[sizeof(problem->why)];

	if (!at)
		return;
	snprintf(rest, sizeof(rest), "%s", at + strlen(event->group));
	snprintf(at, sizeof(problem->why) - (size_t)(at - problem->why), "%s%s", event->system,
		 rest);
}

static int set_filter_in(struct kernel_instance *instance, const struct kernel_event *event,
			 const char *filter, struct kernel_problem *problem)
{
	int error =
		kernel_instance_set_filter(instance, group_of(event), event->name, filter, problem);

	if (error)
		rename_in(problem, event);
	return error;
}

static int set_filter(struct kernel_domain *domain, const struct kernel_event *event,
		      const char *filter, struct kernel_problem *problem)
{
	return set_filter_in(domain->instance, event, filter, problem);
}

/*
 * Does the kernel take it? While it has a wrong one, it takes all events: so of an event that
 * is recorded, that is tried elsewhere.
 */
static int try_filter(struct kernel_domain *domain, const struct kernel_event *event,
		      const char *filter, struct kernel_problem *problem)
{
	int error;

	if (!event->is_on)
		return set_filter(domain, event, filter, problem);
	error = kernel_domain_try(domain, problem);
	return error ? error : set_filter_in(domain->trial, event, filter, problem);
}

/* ---- what its rules want ------------------------------------------------------------ */

static bool is_wanted(const struct kernel_domain *domain, const struct kernel_event *event)
{
	for (size_t i = 0; i < event->nr_rules; i++) {
		const struct kernel_rule *rule = kernel_rule_find(domain, event->rules[i]);

		if (rule && rule->enabled)
			return true;
	}
	return false;
}

/* Has a rule before the `end`th the same filter? */
static bool is_repeated(const struct kernel_domain *domain, const struct kernel_event *event,
			size_t end)
{
	const char *filter = kernel_rule_find(domain, event->rules[end])->filter;

	for (size_t i = 0; i < end; i++) {
		const struct kernel_rule *rule = kernel_rule_find(domain, event->rules[i]);

		if (rule && rule->enabled && rule->filter && strcmp(rule->filter, filter) == 0)
			return true;
	}
	return false;
}

/* One of all rules is to match. *text: NULL: any event does. 0 or -ENOMEM. */
static int join_filters(const struct kernel_domain *domain, const struct kernel_event *event,
			char **text)
{
	size_t nr_filters = 0;

	*text = NULL;
	for (size_t i = 0; i < event->nr_rules; i++) {
		const struct kernel_rule *rule = kernel_rule_find(domain, event->rules[i]);
		char *longer = NULL;

		if (!rule || !rule->enabled || (rule->filter && is_repeated(domain, event, i)))
			continue;
		if (!rule->filter) {
			free(*text);
			*text = NULL;
			return 0;
		}
		if (nr_filters++ == 0)
			longer = strdup(rule->filter);
		else if (asprintf(&longer, nr_filters == 2 ? "(%s) || (%s)" : "%s || (%s)", *text,
				  rule->filter) < 0)
			longer = NULL;
		free(*text);
		*text = longer;
		if (!longer)
			return -ENOMEM;
	}
	return 0;
}

/* Is it still what the trace says of it? Its module may have gone, and another have come. */
static int check_format(const struct kernel_event *event, struct kernel_problem *problem)
{
	char *text;
	size_t size;
	int error = kernel_tracing_format(group_of(event), event->name, &text, &size, problem);

	if (error)
		return error;
	if (size != event->format_size || memcmp(text, event->format, size) != 0)
		error = kernel_problem_tell(problem, -ESTALE, "make another session for it",
					    "%.100s:%.100s is not recorded: by now it is another "
					    "event than the one that the trace describes",
					    event->system, event->name);
	free(text);
	return error;
}

static int turn_on(struct kernel_domain *domain, struct kernel_event *event,
		   struct kernel_problem *problem)
{
	int error = check_format(event, problem);

	if (error == 0)
		error = kernel_instance_enable(domain->instance, group_of(event), event->name,
					       problem);
	event->is_on = error == 0;
	if (error)
		rename_in(problem, event);
	return error;
}

/* By all its rules' filters together. *text: as join_filters() has it. */
static int set_joined(struct kernel_domain *domain, struct kernel_event *event, char **text,
		      struct kernel_problem *problem)
{
	int error = 0;

	if (join_filters(domain, event, text) != 0)
		return kernel_problem_tell(problem, -ENOMEM, "try again", "out of memory");
	if (*text && strlen(*text) > KERNEL_FILTER_MAX)
		return kernel_problem_tell(problem, -E2BIG,
					   "use fewer rules with filters for one event",
					   "the filters for %.100s:%.100s are too long together",
					   event->system, event->name);
	/* Each alone is right, by kernel_event_extend(); that all are not too many, is not said. */
	if (*text && event->is_on)
		error = try_filter(domain, event, *text, problem);
	if (error == 0)
		error = set_filter(domain, event, *text, problem);
	/* No place in the one that was given. */
	problem->column = -1;
	return error;
}

/* Brings the event in line with the rules. */
static int update(struct kernel_domain *domain, struct kernel_event *event,
		  struct kernel_problem *problem)
{
	char *text;
	int error;

	if (!is_wanted(domain, event)) {
		if (event->is_on)
			kernel_instance_disable(domain->instance, group_of(event), event->name);
		event->is_on = false;
		return 0;
	}
	error = set_joined(domain, event, &text, problem);
	if (error) {
		free(text);
		return error;
	}
	free(event->filter);
	event->filter = text;
	if (!domain->is_recording || event->is_on)
		return 0;
	if (event->generation <= domain->written.generation)
		return turn_on(domain, event, problem);
	/* One that the consumer was not told of yet, kernel_domain_tell() has in mind. */
	if (event->generation <= domain->generation && event->generation > domain->awaited)
		domain->awaited = event->generation;
	return 0;
}

static int add_rule(struct kernel_event *event, uint32_t rule)
{
	uint32_t *rules = reallocarray(event->rules, event->nr_rules + 1, sizeof(*rules));

	if (!rules)
		return -ENOMEM;
	event->rules = rules;
	event->rules[event->nr_rules++] = rule;
	return 0;
}

/* Is it there? */
static bool remove_rule(struct kernel_event *event, uint32_t rule)
{
	for (size_t i = 0; i < event->nr_rules; i++)
		if (event->rules[i] == rule) {
			memmove(&event->rules[i], &event->rules[i + 1],
				(--event->nr_rules - i) * sizeof(*event->rules));
			return true;
		}
	return false;
}

int kernel_event_extend(struct kernel_domain *domain, struct kernel_event *event, uint32_t rule,
			const char *filter, struct kernel_problem *problem)
{
	struct kernel_problem ignored;
	int error = 0;

	if (add_rule(event, rule) != 0)
		return kernel_problem_tell(problem, -ENOMEM, "try again", "out of memory");
	/*
	 * Alone first: it may be wrong, and another rule take all events anyway; or be right
	 * only between the parentheses of others.
	 */
	if (filter)
		error = try_filter(domain, event, filter, problem);
	if (error == 0)
		error = update(domain, event, problem);
	if (error) {
		remove_rule(event, rule);
		if (event->nr_rules > 0)
			update(domain, event, &ignored);
	}
	return error;
}

/* ---- new ones -------------------------------------------------------------------------- */

/* 0 or -errno; what is to be freed, kernel_event_free() frees in any case. */
static int read_event(const struct kernel_event_config *config, struct kernel_event *event,
		      struct kernel_problem *problem)
{
	int error;

	*event = (struct kernel_event){
		.system = strdup(config->system),
		.name = strdup(config->name),
		.group = config->group ? strdup(config->group) : NULL,
		.probe = config->probe ? kernel_probe_copy(config->probe) : NULL,
		.filter = config->filter ? strdup(config->filter) : NULL,
	};
	kernel_problem_tell(problem, 0, "try again", "out of memory");
	if (!event->system || !event->name || (config->group && !event->group) ||
	    (config->probe && !event->probe) || (config->filter && !event->filter))
		return -ENOMEM;
	error = kernel_tracing_format(group_of(event), event->name, &event->format,
				      &event->format_size, problem);
	if (error)
		return error;
	error = kernel_class_parse(event->system, event->format, event->format_size, &event->class);
	if (error)
		return kernel_problem_tell(problem, error, "leave that event out",
					   "%.100s:%.100s cannot be in a trace: its format is %s",
					   event->system, event->name,
					   error == -E2BIG ? "too large" : "not understood");
	event->described = kernel_class_describe(event->class);
	return event->described ? add_rule(event, config->rule) : -ENOMEM;
}

/* The kernel gives the id of an event that is gone to another one; a trace has but one of each. */
static int check_id(const struct kernel_domain *domain, const struct kernel_event *event,
		    struct kernel_problem *problem)
{
	for (size_t i = 0; i < domain->nr_events; i++) {
		const struct kernel_event *other = &domain->events[i];

		if (other->class->id == event->class->id)
			return kernel_problem_tell(
				problem, -EEXIST, "make another session for it",
				"%.100s:%.100s has the id that %.100s:%.100s has in this trace, "
				"and which the kernel has forgotten since",
				event->system, event->name, other->system, other->name);
	}
	return 0;
}

int kernel_event_add(struct kernel_domain *domain, const struct kernel_event_config *config,
		     struct kernel_problem *problem)
{
	struct kernel_event *events, event;
	int error = read_event(config, &event, problem);

	if (error == 0)
		error = check_id(domain, &event, problem);
	if (error == 0 && event.filter)
		error = set_filter(domain, &event, event.filter, problem);
	if (error)
		goto fail;
	kernel_problem_tell(problem, 0, "try again", "out of memory");
	error = -ENOMEM;
	events = reallocarray(domain->events, domain->nr_events + 1, sizeof(*events));
	if (!events)
		goto fail;
	domain->events = events;
	error = metadata_add_event(domain->metadata, 0, event.described, 0, false);
	if (error)
		goto fail;
	/* The next that the consumer gets. */
	event.generation = domain->generation + 1;
	domain->events[domain->nr_events++] = event;
	return 0;

fail:
	kernel_event_free(&event);
	return error;
}

/* ---- all of them ------------------------------------------------------------------------ */

void kernel_events_follow(struct kernel_domain *domain, uint32_t rule, bool forget)
{
	for (size_t i = 0; i < domain->nr_events; i++) {
		struct kernel_event *event = &domain->events[i];
		struct kernel_problem problem;

		if (!remove_rule(event, rule))
			continue;
		/* There is room. */
		if (!forget)
			event->rules[event->nr_rules++] = rule;
		if (update(domain, event, &problem) != 0)
			message_of(domain->session->key, "session %s: %s", domain->session->name,
				   problem.why);
	}
	kernel_domain_end_trial(domain);
}

void kernel_events_turn_on(struct kernel_domain *domain, uint64_t generation)
{
	for (size_t i = 0; i < domain->nr_events; i++) {
		struct kernel_event *event = &domain->events[i];
		struct kernel_problem problem;

		if (event->is_on || event->generation > generation || !is_wanted(domain, event))
			continue;
		if (turn_on(domain, event, &problem) != 0)
			message_of(domain->session->key, "session %s: %s", domain->session->name,
				   problem.why);
	}
}

void kernel_events_turn_off(struct kernel_domain *domain)
{
	kernel_instance_disable_all(domain->instance);
	for (size_t i = 0; i < domain->nr_events; i++)
		domain->events[i].is_on = false;
}

size_t kernel_events_count(const struct kernel_domain *domain)
{
	size_t count = 0;

	for (size_t i = 0; i < domain->nr_events; i++)
		count += is_wanted(domain, &domain->events[i]);
	return count;
}
