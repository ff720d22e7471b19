/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* ring-set-module.c - ring sets that the kernel module reads: each question is a request to it. */
#include "sessiond/ring/ring-set-private.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "sessiond/base/messages.h"
#include "sessiond/ring/module-abi.h"

int ring_set_module_make(const struct ring_set_config *config, uint64_t *id)
{
	const struct ring_set_module *module = config->module;
	const struct ring_totals *totals = config->totals;
	struct lttngmap_set_info info = {
		.memory = config->data_fd,
		.doorbell = module->doorbell,
		.process = module->process,
		.pid = config->pid,
		.uid = config->uid,
		.owner = module->owner,
		.flags = config->by_rseq ? LTTNGMAP_SET_BY_RSEQ : 0,
		.cpu_rings = config->cpu_rings,
		.mode = config->mode,
		.clock = config->clock,
		.subbuf_shift = config->subbuf_shift,
		.subbufs_shift = config->subbufs_shift,
		.control_at = module->control_at,
		.begin = config->begin,
		.chunk = config->chunk,
	};

	if (totals)
		info.generation = __atomic_load_n(&totals->metadata_generation, __ATOMIC_ACQUIRE);
	snprintf(info.session, sizeof(info.session), "%s", config->session);
	snprintf(info.channel, sizeof(info.channel), "%s", config->channel);
	snprintf(info.procname, sizeof(info.procname), "%s", config->procname);
	*id = 0;
	if (ioctl(module->device, LTTNGMAP_SET_MAKE, &info) == 0) {
		*id = info.id;
		return 0;
	}
	if (errno != ESRCH)
		return -errno;
	/* It ended just now, of which the daemon learns, too. */
	info.process = 0;
	if (ioctl(module->device, LTTNGMAP_SET_MAKE, &info) < 0)
		return -errno;
	*id = info.id;
	return 0;
}

/* Nothing that an old saved state says is believed: is the set what it ought to be? */
static bool is_as_config(const struct lttngmap_set_info *info, const struct ring_set_config *config)
{
	return strcmp(info->session, config->session) == 0 &&
	       strcmp(info->channel, config->channel) == 0 && info->pid == config->pid &&
	       info->cpu_rings == config->cpu_rings && info->mode == config->mode &&
	       info->subbuf_shift == config->subbuf_shift &&
	       info->subbufs_shift == config->subbufs_shift;
}

int ring_set_module_adopt(const struct ring_set_config *config, const struct ring_saved *old,
			  uint64_t *control_at)
{
	struct ring_saved *saved = config->saved;
	struct lttngmap_set_info info = { .id = old->id - 1 };
	int device = config->module->device, fd;

	if (ioctl(device, LTTNGMAP_SET_NEXT, &info) < 0 || info.id != old->id ||
	    !is_as_config(&info, config))
		return -ENOENT;
	fd = ioctl(device, LTTNGMAP_SET_MEMORY, &info.id);
	if (fd < 0)
		return -errno;
	memset(saved, 0, ring_set_saved_size(config->cpu_rings));
	saved->life = config->life;
	saved->begin = info.begin;
	saved->id = info.id;
	*control_at = info.control_at;
	return fd;
}

int ring_set_module_ask(const struct ring_set *set, unsigned long request)
{
	uint64_t id = set->id;

	return ioctl(set->device, request, &id) < 0 ? -errno : 0;
}

int ring_set_module_tell(const struct ring_set *set, unsigned long request, uint64_t value)
{
	struct lttngmap_set_value told = { .id = set->id, .value = value };

	return ioctl(set->device, request, &told) < 0 ? -errno : 0;
}

/* What a ring's process makes up goes down at most at a clear. */
static void add(uint64_t *total, uint64_t *told, uint64_t now)
{
	if (now > *told)
		ring_total_add(total, now - *told);
	*told = now;
}

static void say_closed(struct ring_set *set, uint64_t more)
{
	ring_totals_name(set->config.totals, set->config.pid, set->procname);
	message_say("%llu rings of %s (process %u, channel %s) were closed: the kernel's log says "
		    "why. The process damaged its own trace; others are not affected.",
		    (unsigned long long)more, set->procname, set->config.pid, set->channel);
}

int ring_set_module_count(struct ring_set *set, struct lttngmap_set_counts *counts)
{
	struct ring_totals *totals = set->config.totals;
	struct ring_saved *saved = set->saved;

	*counts = (struct lttngmap_set_counts){ .id = set->id };
	if (ioctl(set->device, LTTNGMAP_SET_COUNT, counts) < 0)
		return -errno;
	if (!totals)
		return 0;
	add(&totals->written, &saved->told.written, counts->written);
	add(&totals->delivered, &saved->in_flight.delivered, counts->delivered);
	add(&totals->discarded, &saved->told.discarded, counts->discarded);
	add(&totals->overwritten, &saved->told.overwritten, counts->overwritten);
	add(&totals->claims.written, &saved->claims.written, counts->claims_written);
	add(&totals->claims.discarded, &saved->claims.discarded, counts->claims_discarded);
	add(&totals->claims.overwritten, &saved->claims.overwritten, counts->claims_overwritten);
	if (counts->closed_rings > saved->closed)
		say_closed(set, counts->closed_rings - saved->closed);
	add(&totals->closed_rings, &saved->closed, counts->closed_rings);
	return 0;
}

bool ring_set_module_is(struct ring_set *set, uint32_t flags)
{
	struct lttngmap_set_counts counts;
	bool is = true;

	pthread_mutex_lock(&set->mutex);
	/* Whoever removed it, it is not to be waited for. */
	if (ring_set_module_count(set, &counts) == 0)
		is = (counts.flags & flags) == flags;
	pthread_mutex_unlock(&set->mutex);
	return is;
}

unsigned ring_set_module_poll(struct ring_set *set)
{
	return ring_set_module_is(set, LTTNGMAP_SET_FINISHED | LTTNGMAP_SET_DRAINED) ? POLLHUP : 0;
}

void ring_set_describe(struct ring_set *set, uint64_t generation)
{
	if (ring_set_is_module(set))
		ring_set_module_tell(set, LTTNGMAP_SET_DESCRIBE, generation);
}

void ring_set_module_clear(struct ring_set *set, struct ring_totals *totals)
{
	struct ring_saved *saved = set->saved;

	pthread_mutex_lock(&set->mutex);
	ring_set_module_ask(set, LTTNGMAP_SET_CLEAR);
	saved->told = (struct ring_account){ .written = 0 };
	saved->claims = (struct ring_account){ .written = 0 };
	saved->closed = 0;
	saved->in_flight.delivered = 0;
	set->config.totals = totals;
	pthread_mutex_unlock(&set->mutex);
}

uint32_t ring_set_module_backward_passes(struct ring_set *set)
{
	struct lttngmap_set_counts counts = { .id = 0 };

	pthread_mutex_lock(&set->mutex);
	ring_set_module_count(set, &counts);
	pthread_mutex_unlock(&set->mutex);
	return counts.backward_passes;
}

void ring_set_module_measure(struct ring_set *set, struct ring_usage *usage)
{
	struct lttngmap_set_counts counts = { .id = 0 };

	pthread_mutex_lock(&set->mutex);
	ring_set_module_count(set, &counts);
	pthread_mutex_unlock(&set->mutex);
	usage->written = counts.written;
	usage->discarded = counts.discarded;
	usage->overwritten = counts.overwritten;
}
