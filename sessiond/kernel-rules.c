/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Rules for the kernel's events. They are for what the kernel has when they are
 * given: a module that is loaded later is not looked at again.
 */
#include "sessiond/kernel-part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sessiond/kernel-describe.h"

/* Of events that a rule does not record, so many are named. */
#define WARNINGS_MAX 16u

/* A rule while it is added. */
struct addition {
	struct kernel_part *part;
	const struct rule *patterns;
	const char *filter;
	struct json_object *warnings;
	struct kernel_problem *problem; /* of the last event that is left out */
	int matched;                    /* events that are recorded by it */
	unsigned int left_out;
};

void kernel_event_free(struct kernel_event *event)
{
	kernel_class_destroy(event->class);
	free(event->described);
	free(event->system);
	free(event->name);
	free(event->group);
	free(event->format);
	free(event->filter);
}

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

/* Not those of probes, whose system is called so by us alone. */
static struct kernel_event *find_event(const struct kernel_part *part, const char *system,
				       const char *name)
{
	for (size_t i = 0; i < part->nr_events; i++)
		if (!part->events[i].group && strcmp(part->events[i].name, name) == 0 &&
		    strcmp(part->events[i].system, system) == 0)
			return &part->events[i];
	return NULL;
}

/* ---- filters --------------------------------------------------------------------- */

/*
 * What an event that there is shall be filtered by, besides by this rule: one
 * of all rules is to match. *text: NULL: nothing. 0 or -errno.
 */
static int join_filters(const struct kernel_event *event, const char *filter, char **text)
{
	*text = NULL;
	if (!event->filter || !filter)
		return 0;
	if (strcmp(event->filter, filter) == 0)
		*text = strdup(filter);
	else if (asprintf(text, "(%s) || (%s)", event->filter, filter) < 0)
		*text = NULL;
	return *text ? 0 : -ENOMEM;
}

/* It is recorded already; so it stays, whatever becomes of the filter. */
static int change_filter(struct addition *addition, struct kernel_event *event)
{
	struct kernel_instance *instance = addition->part->instance;
	struct kernel_problem ignored;
	char *text = NULL;
	int error = 0;

	/* Alone first: it may be wrong, and another rule take all events anyway. */
	if (addition->filter)
		error = kernel_instance_set_filter(instance, event->system, event->name,
						   addition->filter, addition->problem);
	if (error == 0)
		error = join_filters(event, addition->filter, &text);
	if (error == 0 && text && strlen(text) > KERNEL_FILTER_MAX) {
		kernel_problem_tell(addition->problem, 0,
				    "use fewer rules with filters for one event",
				    "the filters for %.100s:%.100s are too long together",
				    event->system, event->name);
		error = -E2BIG;
	}
	if (error == 0) {
		error = kernel_instance_set_filter(instance, event->system, event->name, text,
						   addition->problem);
		/* No place in the one that was given. */
		addition->problem->column = -1;
	}
	if (error) {
		kernel_instance_set_filter(instance, event->system, event->name, event->filter,
					   &ignored);
		free(text);
		return error;
	}
	free(event->filter);
	event->filter = text;
	return 0;
}

/* ---- events ---------------------------------------------------------------------- */

const char *kernel_event_group(const struct kernel_event *event)
{
	return event->group ? event->group : event->system;
}

/* 0 or -errno; what is to be freed, kernel_event_free() frees in any case. */
static int read_event(const struct kernel_event_config *config, struct kernel_event *event,
		      struct kernel_problem *problem)
{
	int error;

	*event = (struct kernel_event){
		.system = strdup(config->system),
		.name = strdup(config->name),
		.group = config->group ? strdup(config->group) : NULL,
		.filter = config->filter ? strdup(config->filter) : NULL,
	};
	kernel_problem_tell(problem, 0, "try again", "out of memory");
	if (!event->system || !event->name || (config->group && !event->group) ||
	    (config->filter && !event->filter))
		return -ENOMEM;
	error = kernel_tracing_format(kernel_event_group(event), event->name, &event->format,
				      &event->format_size, problem);
	if (error)
		return error;
	error = kernel_class_parse(event->system, event->format, event->format_size, &event->class);
	if (error) {
		kernel_problem_tell(problem, 0, "leave that event out",
				    "%.100s:%.100s cannot be in a trace: its format is %s",
				    event->system, event->name,
				    error == -E2BIG ? "too large" : "not understood");
		return error;
	}
	event->described = kernel_class_describe(event->class);
	return event->described ? 0 : -ENOMEM;
}

void kernel_event_rename(struct kernel_problem *problem, const char *group, const char *system)
{
	char *at = group ? strstr(problem->why, group) : NULL;
	char rest[sizeof(problem->why)];

	if (!at)
		return;
	snprintf(rest, sizeof(rest), "%s", at + strlen(group));
	snprintf(at, sizeof(problem->why) - (size_t)(at - problem->why), "%s%s", system, rest);
}

int kernel_event_add(struct kernel_part *part, const struct kernel_event_config *config,
		     struct kernel_problem *problem)
{
	struct kernel_event *events, event;
	int error = read_event(config, &event, problem);

	if (error == 0 && event.filter)
		error = kernel_instance_set_filter(part->instance, kernel_event_group(&event),
						   event.name, event.filter, problem);
	if (error)
		goto fail;
	error = -ENOMEM;
	events = reallocarray(part->events, part->nr_events + 1, sizeof(*events));
	if (!events)
		goto fail;
	part->events = events;
	error = metadata_add_event(part->metadata, 0, event.described);
	if (error)
		goto fail;
	part->events[part->nr_events++] = event;
	return 0;

fail:
	kernel_event_rename(problem, config->group, config->system);
	kernel_event_free(&event);
	return error;
}

/* -ENOMEM, or 0: what is wrong with one event alone is a warning. */
static int take_event(struct addition *addition, const char *system, const char *name)
{
	const struct kernel_event_config config = { system, name, NULL, addition->filter };
	struct kernel_event *event = find_event(addition->part, system, name);
	int error = event ? change_filter(addition, event)
			  : kernel_event_add(addition->part, &config, addition->problem);

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
		if (!colon || kernel_probes_is_group(line) || !is_matched(addition->patterns, line))
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
			"the kernel has no event '%.200s'", rule_text(addition->patterns));
		return -ENOENT;
	}
	if (addition->left_out > WARNINGS_MAX) {
		snprintf(more, sizeof(more), "… nor are %u others",
			 addition->left_out - WARNINGS_MAX);
		json_object_array_add(addition->warnings, json_object_new_string(more));
	}
	/* Of the last one the problem is told. */
	return error ? error : addition->matched > 0 ? 0 : -EINVAL;
}

/* ---- rules ----------------------------------------------------------------------- */

static int check_filter(const char *filter, struct kernel_problem *problem)
{
	if (filter && (!filter[0] || strlen(filter) > KERNEL_FILTER_MAX || strpbrk(filter, "\n"))) {
		kernel_problem_tell(problem, 0, "give an expression, on one line",
				    "this is no filter for kernel events");
		return -EINVAL;
	}
	return 0;
}

static int check(const struct kernel_part *part, const char *filter, struct kernel_problem *problem)
{
	if (part->nr_rules == KERNEL_RULES_MAX) {
		kernel_problem_tell(problem, 0, "join rules by commas, or use '*'",
				    "there are %u rules for kernel events already",
				    KERNEL_RULES_MAX);
		return -ENOSPC;
	}
	return check_filter(filter, problem);
}

/* Room is there. 0 or -ENOMEM. */
static int add_rule(struct kernel_part *part, struct rule *patterns, const char *filter)
{
	struct kernel_rule *rule = &part->rules[part->nr_rules];

	rule->filter = filter ? strdup(filter) : NULL;
	if (filter && !rule->filter)
		return -ENOMEM;
	rule->id = (uint32_t)++part->nr_rules;
	rule->patterns = patterns;
	return 0;
}

int kernel_part_enable(struct kernel_part *part, const char *patterns, const char *filter,
		       struct json_object *warnings, struct kernel_problem *problem)
{
	struct addition addition = {
		.part = part, .filter = filter, .warnings = warnings, .problem = problem
	};
	struct kernel_rule *rules;
	struct rule *rule;
	int error = check(part, filter, problem);

	if (error)
		return error;
	rules = reallocarray(part->rules, part->nr_rules + 1, sizeof(*rules));
	if (!rules) {
		kernel_problem_tell(problem, 0, "try again", "out of memory");
		return -ENOMEM;
	}
	part->rules = rules;
	problem->why[0] = '\0';
	problem->column = -1;
	error = rule_parse(patterns, &rule, problem->why, sizeof(problem->why));
	snprintf(problem->hint, sizeof(problem->hint),
		 "a rule is SYSTEM:NAME, and * stands for anything in it");
	if (error)
		return error;
	addition.patterns = rule;
	error = find_events(&addition);
	if (error == 0) {
		error = add_rule(part, rule, filter);
		if (error)
			kernel_problem_tell(problem, 0, "try again", "out of memory");
	}
	if (error) {
		rule_destroy(rule);
		return error;
	}
	return addition.matched;
}

/* ---- probes ---------------------------------------------------------------------- */

static int check_probe(const struct kernel_part *part, const struct kernel_probe *probe,
		       struct kernel_problem *problem)
{
	int error = kernel_probe_check(probe, problem);

	if (error == 0)
		error = check_filter(probe->filter, problem);
	if (error)
		return error;
	if (part->nr_probes == KERNEL_PROBES_MAX) {
		kernel_problem_tell(problem, 0, "make another session",
				    "there are %u probes already", KERNEL_PROBES_MAX);
		return -ENOSPC;
	}
	for (size_t i = 0; i < part->nr_probes; i++)
		if (strcmp(part->probes[i]->name, probe->name) == 0) {
			kernel_problem_tell(problem, 0, "give this one another name: NAME=...",
					    "there is a probe %s already", probe->name);
			return -EEXIST;
		}
	return 0;
}

int kernel_part_probe(struct kernel_part *part, const struct kernel_probe *probe,
		      struct kernel_problem *problem)
{
	const struct kernel_event_config config = { kernel_probe_system(probe), probe->name,
						    part->group, probe->filter };
	struct kernel_probe **probes, *copy;
	int error = check_probe(part, probe, problem);

	if (error)
		return error;
	kernel_problem_tell(problem, 0, "try again", "out of memory");
	copy = kernel_probe_copy(probe);
	probes = reallocarray(part->probes, part->nr_probes + 1, sizeof(struct kernel_probe *));
	if (probes)
		part->probes = probes;
	if (!copy || !probes) {
		free(copy);
		return -ENOMEM;
	}
	error = kernel_probe_create(part->group, probe, problem);
	if (error == 0) {
		error = kernel_event_add(part, &config, problem);
		if (error)
			kernel_probes_remove(part->group, probe->name);
	}
	if (error) {
		free(copy);
		return error;
	}
	part->probes[part->nr_probes++] = copy;
	return 0;
}
