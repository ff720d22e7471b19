/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-events.h - the events that the rules of a kernel domain have matched so far: each is
 * recorded while a rule that is enabled matches it, by the filters of all these.
 *
 * An event stays here, and in the metadata, until the session is destroyed: it may be in the
 * trace. It is turned on when the consumer has what describes it: at the session's
 * start, and in one that is started when the consumer says so.
 *
 * Main thread. A `problem` is filled where -errno is returned.
 */
#ifndef SESSIOND_KERNEL_KERNEL_EVENTS_H
#define SESSIOND_KERNEL_KERNEL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sessiond/kernel/kernel-instance.h"
#include "sessiond/kernel/kernel-probes.h"

struct kernel_domain;

struct kernel_event {
	char *system, *name;        /* as it is called in the trace */
	char *group;                /* what tracefs calls the system; NULL: the same */
	struct kernel_probe *probe; /* what was made an event, or NULL */
	char *format;               /* the text of that file */
	size_t format_size;
	struct kernel_class *class;
	struct registry_class *described; /* the same, for the metadata */
	char *filter;                     /* of all rules together; NULL: none */
	uint32_t *rules;                  /* the ids of those that match it, and fit */
	size_t nr_rules;
	uint64_t generation; /* of the metadata that describes it */
	bool is_on;
};

struct kernel_event_config {
	const char *system, *name;
	const char *group;                /* NULL, or what tracefs calls the system */
	const struct kernel_probe *probe; /* NULL, or what was made an event; is copied */
	uint32_t rule;                    /* which is in part->rules */
	const char *filter;               /* of that; NULL: none */
};

/* Not of a probe; NULL: there is none yet. */
struct kernel_event *kernel_event_find(const struct kernel_domain *domain, const char *system,
				       const char *name);
/* That was made of a probe of that name; NULL likewise. */
struct kernel_event *kernel_event_find_probe(const struct kernel_domain *domain, const char *name);
/* One that there is not yet. 0 or -errno. */
int kernel_event_add(struct kernel_domain *domain, const struct kernel_event_config *config,
		     struct kernel_problem *problem);
/* One that there is is matched by a rule more, whose filter is given. 0 or -errno: it is as before.
 */
int kernel_event_extend(struct kernel_domain *domain, struct kernel_event *event, uint32_t rule,
			const char *filter, struct kernel_problem *problem);
void kernel_event_free(struct kernel_event *event);

/* A rule was enabled or disabled, or with `forget` removed: its events follow. */
void kernel_events_follow(struct kernel_domain *domain, uint32_t rule, bool forget);
/* Recording begins, or the consumer has said what it knows of by now. */
void kernel_events_turn_on(struct kernel_domain *domain, uint64_t generation);
void kernel_events_turn_off(struct kernel_domain *domain);
/* How many are recorded while the session is started. */
size_t kernel_events_count(const struct kernel_domain *domain);

#endif /* SESSIOND_KERNEL_KERNEL_EVENTS_H */
