/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-domain.h - a session's kernel domain: rules for the kernel's events, the
 * tracefs instance that records them, and their trace, OUTPUT/kernel, of which
 * the consumer is told as of a session of its own, KEY/kernel.
 *
 *   kernel-domain.c  its life, beside the session's
 *   kernel-rules.c   rules, and the events that match them
 *   kernel-events.h  what is recorded by them
 *   kernel-probes.h  events that are made for it: uprobes, kprobes
 *   kernel-state.h   what the next daemon is left of it
 *
 * It starts before the program's part and stops after it, so that what the
 * kernel does for an event of the program's is there. The instance does not outlive the
 * daemon; the next one, or the restarted one, makes the domain anew (kernel-state.h).
 *
 * Main thread.
 */
#ifndef SESSIOND_KERNEL_KERNEL_DOMAIN_H
#define SESSIOND_KERNEL_KERNEL_DOMAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "common/kernel/kernel-class.h"
#include "sessiond/kernel/kernel-events.h"
#include "sessiond/kernel/kernel-instance.h"
#include "sessiond/kernel/kernel-probe-child.h"
#include "sessiond/kernel/kernel-probes.h"
#include "sessiond/class/metadata.h"
#include "sessiond/rule/rule.h"
#include "sessiond/session/session.h"

#define KERNEL_RULES_MAX 256u
#define KERNEL_PIDS_MAX 256u
#define KERNEL_BUFFER_DEFAULT (UINT64_C(4) << 20)
#define KERNEL_BUFFER_MIN (UINT64_C(128) << 10)
#define KERNEL_BUFFER_MAX (UINT64_C(1) << 40)

struct kernel_rule {
	uint32_t id;
	bool enabled;
	struct rule *patterns;            /* NULL: of a probe */
	const struct kernel_probe *probe; /* the event's; NULL: of patterns */
	char *filter;                     /* NULL: none */
};

/* A probe that a process was made for, and who is told. */
struct kernel_made {
	uint32_t id; /* of its rule */
	const struct kernel_probe *probe;
	const struct kernel_problem *problem; /* why it is not there; NULL: it is */
	bool is_first;
};
typedef void (*kernel_domain_made)(struct session *session, void *data,
				   const struct kernel_made *made);

struct kernel_making {
	struct kernel_probe_child *child; /* NULL: there is none */
	struct kernel_probe *probe;
	char *filter;
	bool is_new;   /* the kernel has none of this name yet */
	bool is_first; /* the domain was made for it */
	uint32_t id;   /* that its rule is to have; 0: the next one */
	kernel_domain_made done;
	void *data;
};

struct kernel_domain {
	struct session *session;
	struct kernel_instance *instance;
	struct kernel_instance *trial; /* where filters are tried; NULL: there is none now */
	int pages;                     /* the consumer's, where rings cannot be mapped; else -1 */
	uint64_t buffer_size;          /* of each CPU */
	uint32_t pids[KERNEL_PIDS_MAX];
	size_t nr_pids;
	struct kernel_rule *rules;
	size_t nr_rules;
	uint32_t last_id;                   /* of rules */
	char group[KERNEL_PROBE_NAME_SIZE]; /* of all probes */
	struct kernel_event *events;
	size_t nr_events;
	char uuid[METADATA_UUID_TEXT_SIZE];
	struct metadata *metadata;
	uint64_t generation; /* of it, that the consumer was last sent */
	bool told;           /* the consumer is to know of it: from the first start on */
	bool is_recording;
	uint64_t awaited; /* generation that events wait for until they are turned on; 0: none */
	bool finishing;   /* the last metadata is sent, until the next start */
	struct kernel_written written;
	struct kernel_written earlier; /* of it, by consumers that died */
	uint32_t folder;               /* its trace: how many there may be of earlier daemons */
	uint64_t discarded_before;     /* in these */
	struct json_object *saved; /* probes of an earlier daemon, which are made anew; or NULL */
	size_t nr_restored;        /* of these */
	char *write_error;         /* NULL, or the consumer's last word */
	struct kernel_making making;
};

/* Gives a session without kernel domain one: session->kernel; `folder` as above. 0 or -errno. */
int kernel_domain_create(struct session *session, uint32_t folder, struct kernel_problem *problem);
/* NULL is allowed. */
void kernel_domain_destroy(struct kernel_domain *domain);

/* Like kernel_instance_set_buffer() and kernel_instance_set_pids(). */
int kernel_domain_set_buffer(struct kernel_domain *domain, uint64_t size,
			     struct kernel_problem *problem);
int kernel_domain_set_pids(struct kernel_domain *domain, const uint32_t *pids, size_t nr_pids,
			   struct kernel_problem *problem);
/*
 * A rule more, whose number is stored, or one that was disabled. How many events match
 * it; those that its filter does not fit, or that cannot be in a trace, are told as texts in
 * `warnings`. -errno: no event is left. Where the session is started, new events are recorded
 * as soon as the consumer knows of them.
 */
int kernel_domain_enable(struct kernel_domain *domain, const char *patterns, const char *filter,
			 struct json_object *warnings, uint32_t *id,
			 struct kernel_problem *problem);
/*
 * A probe, and the event that it gives, which is filtered by `filter`: 0, and `done` is called
 * once, later; or -errno.
 */
int kernel_domain_probe(struct kernel_domain *domain, const struct kernel_probe *probe,
			const char *filter, kernel_domain_made done, void *data,
			struct kernel_problem *problem);
/* The probe that is being made is not wanted any more. */
void kernel_domain_cancel(struct kernel_domain *domain);
/* NULL: there is no rule of that number. */
struct kernel_rule *kernel_rule_find(const struct kernel_domain *domain, uint32_t id);
/* At once, what the session does. */
void kernel_domain_change(struct kernel_domain *domain, struct kernel_rule *rule, bool enabled);
void kernel_domain_remove(struct kernel_domain *domain, struct kernel_rule *rule);
/* The consumer gets what describes new events, where it is to know of them before the next start.
 */
void kernel_domain_tell(struct kernel_domain *domain);
void kernel_rule_free(struct kernel_rule *rule);

/*
 * part->trial is there, until the second is called: an instance that never records, and is
 * removed then. 0 or -errno.
 */
int kernel_domain_try(struct kernel_domain *domain, struct kernel_problem *problem);
void kernel_domain_end_trial(struct kernel_domain *domain);

/*
 * Functions that sessions call, for daemon->kernel_ops. NULL is allowed: the session has no kernel
 * domain.
 */
extern const struct session_kernel_ops kernel_domain_ops;
void kernel_domain_start(struct kernel_domain *domain);
/* The text of all formats, as common/protocol/protocol-control.h has it, as a sealed memfd. 0 or
 * -errno. */
int kernel_domain_formats(const struct kernel_domain *domain, int *fd);

#endif /* SESSIOND_KERNEL_KERNEL_DOMAIN_H */
