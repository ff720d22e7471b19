/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/kernel/kernel-leftovers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tracefs.h>
#include <urcu/list.h>

#include "common/base/log.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/base/pid-state.h"
#include "common/base/time.h"
#include "sessiond/kernel/kernel-instance.h"
#include "sessiond/kernel/kernel-probes.h"

/* The first time; each is twice as long as the one before. */
#define RETRY_USEC UINT64_C(10000)
#define RETRY_MAX_USEC UINT64_C(2000000)
/* A consumer that cannot let go meanwhile, is stuck with a disk. */
#define TELL_USEC UINT64_C(30000000)
#define END_MS 1000

struct leftover {
	struct cds_list_head node;
	char name[KERNEL_INSTANCE_NAME_SIZE];
	uint64_t since_usec;
	bool told;
};

struct kernel_leftovers {
	struct cds_list_head list;
	sd_event_source *timer;
	uint64_t retry_usec;
	pid_t pid;
	uint64_t start;
};

bool kernel_leftovers_is_one(const char *name, pid_t pid, uint64_t start)
{
	uint64_t named_start, now_start;
	int named, length = 0;
	char state;

	if ((sscanf(name, "lttngmap-%d-%" SCNu64 "-%n", &named, &named_start, &length) != 2 &&
	     sscanf(name, KERNEL_PROBES_PREFIX "%d_%" SCNu64 "_%n", &named, &named_start,
		    &length) != 2) ||
	    length == 0 || named <= 0)
		return false;
	if (named == pid && named_start == start)
		return true;
	state = pid_state((pid_t)named);
	return state == 0 || state == 'Z' || pid_start((pid_t)named, &now_start) != 0 ||
	       now_start != named_start;
}

/* 0 or -errno. One that is gone already is removed. */
static int remove_instance(const char *name)
{
	struct tracefs_instance *instance;
	int error = 0;

	if (!tracefs_instance_exists(name))
		return 0;
	instance = tracefs_instance_alloc(NULL, name);
	if (!instance)
		return -ENOMEM;
	errno = EBUSY;
	if (tracefs_instance_destroy(instance) != 0)
		error = -errno;
	tracefs_instance_free(instance);
	return error;
}

/* Probes, for whose removal the kernel wants none of them to be on: not before their instance. */
static int remove_group(const char *group)
{
	char **names = tracefs_instances(NULL), its_group[KERNEL_PROBE_NAME_SIZE];
	int error = 0;

	if (!names)
		return -EIO;
	for (char **name = names; error == 0 && *name; name++) {
		kernel_probes_group(*name, its_group);
		if (strcmp(its_group, group) == 0)
			error = -EBUSY;
	}
	tracefs_list_free(names);
	return error ? error : kernel_probes_remove(group, NULL);
}

static int remove_one(const char *name)
{
	return kernel_probes_is_group(name) ? remove_group(name) : remove_instance(name);
}

static const char *kind_of(const char *name)
{
	return kernel_probes_is_group(name) ? "group of probes" : "instance";
}

static void drop(struct leftover *leftover)
{
	cds_list_del(&leftover->node);
	free(leftover);
}

/* True: more of it can be removed at once. */
static bool try_all(struct kernel_leftovers *leftovers)
{
	struct leftover *leftover, *next;
	uint64_t now = time_now_usec();
	bool has_more = false;

	cds_list_for_each_entry_safe(leftover, next, &leftovers->list, node) {
		int error = remove_one(leftover->name);

		if (error == 0) {
			drop(leftover);
		} else if (error == -EAGAIN) {
			has_more = true;
			leftover->since_usec = now;
		} else if (!leftover->told && now - leftover->since_usec > TELL_USEC) {
			leftover->told = true;
			log_warning("the tracefs %s %s cannot be removed yet: %s",
				    kind_of(leftover->name), leftover->name, strerror(-error));
		}
	}
	return has_more;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct kernel_leftovers *leftovers = data;

	(void)usec;
	/* Others have their turn in between. */
	if (try_all(leftovers))
		leftovers->retry_usec = RETRY_USEC / 2;
	if (cds_list_empty(&leftovers->list))
		return sd_event_source_set_enabled(source, SD_EVENT_OFF);
	if (leftovers->retry_usec < RETRY_MAX_USEC)
		leftovers->retry_usec *= 2;
	return sd_event_source_set_time(source, time_now_usec() + leftovers->retry_usec);
}

static void add(struct kernel_leftovers *leftovers, const char *name, bool is_ours)
{
	struct leftover *leftover;

	if (remove_one(name) == 0)
		return;
	leftover = calloc(1, sizeof(*leftover));
	if (!leftover) {
		message_say("the tracefs %s %s is left there: out of memory", kind_of(name), name);
		return;
	}
	snprintf(leftover->name, sizeof(leftover->name), "%s", name);
	leftover->since_usec = time_now_usec();
	leftover->told = !is_ours;
	cds_list_add_tail(&leftover->node, &leftovers->list);
	leftovers->retry_usec = RETRY_USEC;
	sd_event_source_set_time(leftovers->timer, time_now_usec() + leftovers->retry_usec);
	sd_event_source_set_enabled(leftovers->timer, SD_EVENT_ON);
}

void kernel_leftovers_add(struct kernel_leftovers *leftovers, const char *name)
{
	add(leftovers, name, true);
}

static bool is_listed(const struct kernel_leftovers *leftovers, const char *name)
{
	const struct leftover *leftover;

	cds_list_for_each_entry(leftover, &leftovers->list, node)
		if (strcmp(leftover->name, name) == 0)
			return true;
	return false;
}

/* Called for each of its events. */
static void take_group(const char *group, void *data)
{
	struct kernel_leftovers *leftovers = data;

	if (!kernel_leftovers_is_one(group, leftovers->pid, leftovers->start) ||
	    is_listed(leftovers, group))
		return;
	add(leftovers, group, false);
}

/* True if this daemon left it before a restart: then nobody else uses it. */
static bool is_own(const struct kernel_leftovers *leftovers, const char *name)
{
	char prefix[64];
	int length = snprintf(prefix, sizeof(prefix), "lttngmap-%d-%" PRIu64 "-",
			      (int)leftovers->pid, leftovers->start);

	return strncmp(name, prefix, (size_t)length) == 0;
}

/*
 * A killed daemon leaves its instances recording. An instance of another process may be in use if a
 * container hides that process: its removal is tried, but nothing else is done to it, and no
 * message is logged.
 */
static void find_all(struct kernel_leftovers *leftovers)
{
	struct kernel_problem problem;
	char **names;

	if (kernel_tracing_find(&problem) != 0)
		return;
	/* All: libtracefs 1.6 loses memory where it is given a pattern. */
	names = tracefs_instances(NULL);
	for (char **name = names; name && *name; name++) {
		struct tracefs_instance *instance;

		if (!kernel_leftovers_is_one(*name, leftovers->pid, leftovers->start))
			continue;
		instance = is_own(leftovers, *name) ? tracefs_instance_alloc(NULL, *name) : NULL;
		if (instance) {
			log_info("this daemon left, before a restart, the tracefs instance %s, "
				 "which is removed as soon as nobody uses it",
				 *name);
			tracefs_trace_off(instance);
		}
		add(leftovers, *name, instance);
		tracefs_instance_free(instance);
	}
	tracefs_list_free(names);
	kernel_probes_find(take_group, leftovers);
}

int kernel_leftovers_create(sd_event *event, pid_t pid, struct kernel_leftovers **result)
{
	struct kernel_leftovers *leftovers = calloc(1, sizeof(*leftovers));
	int error;

	*result = NULL;
	if (!leftovers)
		return -ENOMEM;
	CDS_INIT_LIST_HEAD(&leftovers->list);
	leftovers->pid = pid;
	/* Where /proc does not show it, its instances are called after its number alone. */
	if (pid_start(pid, &leftovers->start) != 0)
		leftovers->start = 0;
	error = sd_event_add_time(event, &leftovers->timer, CLOCK_MONOTONIC, UINT64_MAX, 0,
				  on_timer, leftovers);
	if (error >= 0)
		error = sd_event_source_set_enabled(leftovers->timer, SD_EVENT_OFF);
	if (error < 0) {
		kernel_leftovers_destroy(leftovers);
		return error;
	}
	find_all(leftovers);
	*result = leftovers;
	return 0;
}

void kernel_leftovers_destroy(struct kernel_leftovers *leftovers)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	struct leftover *leftover, *next;

	if (!leftovers)
		return;
	for (int ms = 0; ms < END_MS && !cds_list_empty(&leftovers->list); ms++) {
		if (try_all(leftovers))
			ms = 0;
		else if (!cds_list_empty(&leftovers->list))
			nanosleep(&pause, NULL);
	}
	cds_list_for_each_entry_safe(leftover, next, &leftovers->list, node) {
		message_say("the tracefs %s %s is in use and stays: the next start of the daemon "
			    "removes it",
			    kind_of(leftover->name), leftover->name);
		drop(leftover);
	}
	sd_event_source_disable_unref(leftovers->timer);
	free(leftovers);
}

pid_t kernel_leftovers_pid(const struct kernel_leftovers *leftovers, uint64_t *start)
{
	*start = leftovers->start;
	return leftovers->pid;
}
