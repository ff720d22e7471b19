/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/session/channel.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/membarrier.h>

#include "sessiond/base/geometry.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/class/metadata.h"
#include "sessiond/mediator/mediator.h"
#include "sessiond/memory/control-pages.h"
#include "sessiond/memory/filter-pages.h"
#include "sessiond/memory/memory-set.h"
#include "sessiond/session/channel-map.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/process.h"
#include "sessiond/session/session.h"
#include "sessiond/session/user-rings.h"
#include "sessiond/storage/saved-state.h"

/* Process channels that are looked at in one turn of the loop, and that go in it. */
#define LOOKED_AT_ONCE 256u
#define REAPED_AT_ONCE 64u

/* log2 of a power of two within the bounds, or -1. */
static int shift_of(uint64_t value, unsigned int min, unsigned int max)
{
	for (unsigned int shift = min; shift <= max; shift++)
		if (value == UINT64_C(1) << shift)
			return (int)shift;
	return -1;
}

static int check_geometry(const struct channel_config *config, struct channel *channel, char *why,
			  char *hint)
{
	int subbuf_shift =
		shift_of(config->subbuf_size, LTTNGMAP_SUBBUF_SHIFT_MIN, LTTNGMAP_SUBBUF_SHIFT_MAX);
	int subbufs_shift =
		shift_of(config->subbufs, LTTNGMAP_SUBBUFS_SHIFT_MIN, LTTNGMAP_SUBBUFS_SHIFT_MAX);

	if (subbuf_shift < 0) {
		snprintf(why, CHANNEL_WHY_SIZE, "a sub-buffer cannot have %llu bytes",
			 (unsigned long long)config->subbuf_size);
		snprintf(hint, CHANNEL_WHY_SIZE, "give a power of two from %u to %u bytes",
			 1u << LTTNGMAP_SUBBUF_SHIFT_MIN, 1u << LTTNGMAP_SUBBUF_SHIFT_MAX);
		return -EINVAL;
	}
	if (subbufs_shift < 0) {
		snprintf(why, CHANNEL_WHY_SIZE, "a ring cannot have %llu sub-buffers",
			 (unsigned long long)config->subbufs);
		snprintf(hint, CHANNEL_WHY_SIZE, "give a power of two from %u to %u",
			 1u << LTTNGMAP_SUBBUFS_SHIFT_MIN, 1u << LTTNGMAP_SUBBUFS_SHIFT_MAX);
		return -EINVAL;
	}
	channel->subbuf_shift = (uint8_t)subbuf_shift;
	channel->subbufs_shift = (uint8_t)subbufs_shift;
	return 0;
}

/* A packet is a sub-buffer with a header, and is padded to a block. */
static int check_files(const struct channel_config *config, char *why, char *hint)
{
	uint64_t least = config->subbuf_size + CHANNEL_FILE_BLOCK;

	if (config->file_size == 0 && config->file_count != 0) {
		snprintf(why, CHANNEL_WHY_SIZE, "files without a limit of size have none of count");
		snprintf(hint, CHANNEL_WHY_SIZE, "give file_size, too");
		return -EINVAL;
	}
	if (config->file_size == 0 || config->file_size >= least)
		return 0;
	snprintf(why, CHANNEL_WHY_SIZE,
		 "a file of %llu bytes has no room for a sub-buffer of %llu and its header",
		 (unsigned long long)config->file_size, (unsigned long long)config->subbuf_size);
	snprintf(hint, CHANNEL_WHY_SIZE,
		 "let files have %llu bytes or more, or make sub-buffers smaller",
		 (unsigned long long)least);
	return -EINVAL;
}

static int check_contexts(const struct channel_config *config, char *why, char *hint)
{
	if (!config->shared || config->map ||
	    (config->contexts & CHANNEL_SHARED_CONTEXTS) == CHANNEL_SHARED_CONTEXTS)
		return 0;
	snprintf(why, CHANNEL_WHY_SIZE,
		 "its processes share buffers, and nothing else tells whose an event is");
	snprintf(hint, CHANNEL_WHY_SIZE,
		 "leave the contexts vpid and vtid, or give each process its own buffers");
	return -EINVAL;
}

static int check_config(const struct channel_config *config, char *why, char *hint)
{
	int error = check_files(config, why, hint);

	return error ? error : check_contexts(config, why, hint);
}

static int take_slot(const struct session *session, char *why, char *hint)
{
	uint32_t owner = session->owner;
	int slot = slots_take(&session->daemon->slots, owner, owner != 0 && owner != geteuid(),
			      time_now_usec());

	if (slot == -EDQUOT) {
		snprintf(why, CHANNEL_WHY_SIZE,
			 "user %u has as many as it may, with those removed a second ago", owner);
		snprintf(hint, CHANNEL_WHY_SIZE, "remove one, and wait for a second");
	} else if (slot == -EAGAIN) {
		snprintf(why, CHANNEL_WHY_SIZE, "none is free yet: removed ones rest, or are read");
		snprintf(hint, CHANNEL_WHY_SIZE, "try again in a second");
	} else if (slot < 0) {
		snprintf(why, CHANNEL_WHY_SIZE, "there are %u channels already, in all sessions",
			 LTTNGMAP_CHANNELS);
		snprintf(hint, CHANNEL_WHY_SIZE, "destroy a session that is not needed");
	}
	return slot;
}

/*
 * For rings of another kind, where there were rings already: the old slot
 * rests, as writers that were interrupted may be about to find out that they
 * are too late.
 */
static int take_other_slot(const struct channel *channel, char *why, char *hint)
{
	int slot = (int)channel->slot;

	if (channel->slot_used)
		slot = take_slot(channel->session, why, hint);
	if (slot == -ENOSPC)
		snprintf(why, CHANNEL_WHY_SIZE,
			 "for that it takes the place of one more, and there are %u already",
			 LTTNGMAP_CHANNELS);
	return slot;
}

/* Its place for the next channel with other rings; what was counted stays so. */
static void move_slot(struct channel *channel, uint32_t slot)
{
	struct daemon *daemon = channel->session->daemon;
	uint64_t before = UINT64_C(1) << channel->slot;
	struct process *process;

	cds_list_for_each_entry(process, processes_list(daemon->processes), list) {
		if (process->counted & before)
			process_count(process, UINT64_C(1) << slot, true);
		process_count(process, before, false);
		process->slots[channel->slot].admitted = false;
		process->slots[channel->slot].left_out = 0;
	}
	slots_free(&daemon->slots, channel->slot, time_now_usec());
	channel->slot = slot;
	channel->slot_used = false;
	channel->life = ++daemon->saved_state->head->last_life;
}

static int reserve_described(const struct session *session, uint32_t stream_id)
{
	const struct saved_state *saved_state = session->daemon->saved_state;

	return saved_described_reserve(
		saved_state, (uint32_t)(session->record - saved_state->head->sessions), stream_id);
}

/* A new stream class where events are laid out otherwise. */
static int change_contexts(struct channel *channel, uint64_t contexts, char *why, char *hint)
{
	static uint64_t ids[LTTNGMAP_EVENT_IDS / 64];
	struct session *session = channel->session;
	int error;

	if (channel->contexts == contexts)
		return 0;
	if (!channel->stream_used) {
		channel->contexts = contexts;
		return metadata_change_contexts(session->metadata, channel->stream_id, contexts);
	}
	if (session->nr_streams >= LTTNGMAP_CHANNELS) {
		snprintf(why, CHANNEL_WHY_SIZE, "session %s has had %u kinds of streams",
			 session->name, session->nr_streams);
		snprintf(hint, CHANNEL_WHY_SIZE, "use another session");
		return -ENOSPC;
	}
	error = reserve_described(session, session->nr_streams);
	if (!error)
		error = metadata_add_channel(session->metadata, session->nr_streams, channel->name,
					     contexts);
	if (error)
		return error;
	channel->stream_id = session->nr_streams++;
	channel->stream_used = false;
	channel->contexts = contexts;
	channel_decide_again(channel);
	session_list_classes(session, ids);
	channel_describe_classes(channel, ids, false);
	return 0;
}

int channel_change(struct channel *channel, const struct channel_config *config,
		   char why[CHANNEL_WHY_SIZE], char hint[CHANNEL_WHY_SIZE])
{
	struct daemon *daemon = channel->session->daemon;
	struct process_channel *process_channel, *next;
	struct channel wanted;
	int error, slot;

	snprintf(why, CHANNEL_WHY_SIZE, "out of memory");
	snprintf(hint, CHANNEL_WHY_SIZE, "destroy a session that is not needed");
	error = check_geometry(config, &wanted, why, hint);
	if (!error)
		error = check_config(config, why, hint);
	if (error)
		return error;
	if (wanted.subbuf_shift == channel->subbuf_shift &&
	    wanted.subbufs_shift == channel->subbufs_shift && config->mode == channel->mode &&
	    config->contexts == channel->contexts && config->shared == channel->shared &&
	    config->file_size == channel->file_size && config->file_count == channel->file_count) {
		channel->blocking_timeout_ms = config->blocking_timeout_ms;
		channel->flush_ms = config->flush_ms;
		return 0;
	}
	if (!channel_is_drained(channel)) {
		snprintf(why, CHANNEL_WHY_SIZE, "not all that it recorded is on disk");
		snprintf(hint, CHANNEL_WHY_SIZE,
			 "make room there, then start it and stop it again");
		return -EBUSY;
	}
	slot = take_other_slot(channel, why, hint);
	if (slot < 0)
		return slot;
	error = change_contexts(channel, config->contexts, why, hint);
	if (error) {
		if ((uint32_t)slot != channel->slot)
			slots_free(&daemon->slots, (uint32_t)slot, time_now_usec());
		return error;
	}
	cds_list_for_each_entry_safe(process_channel, next, &channel->process_channels, node)
		process_channel_destroy(process_channel);
	if ((uint32_t)slot != channel->slot)
		move_slot(channel, (uint32_t)slot);
	channel->mode = config->mode;
	channel->blocking_timeout_ms = config->blocking_timeout_ms;
	channel->flush_ms = config->flush_ms;
	channel->file_size = config->file_size;
	channel->file_count = config->file_count;
	channel->shared = config->shared;
	channel->subbuf_shift = wanted.subbuf_shift;
	channel->subbufs_shift = wanted.subbufs_shift;
	user_rings_reap(daemon);
	return 0;
}

void channel_get_config(const struct channel *channel, struct channel_config *config)
{
	*config = (struct channel_config){
		.name = channel->name,
		.mode = channel->mode,
		.subbuf_size = UINT64_C(1) << channel->subbuf_shift,
		.subbufs = UINT64_C(1) << channel->subbufs_shift,
		.blocking_timeout_ms = channel->blocking_timeout_ms,
		.flush_ms = channel->flush_ms,
		.file_size = channel->file_size,
		.file_count = channel->file_count,
		.contexts = channel->contexts,
		.shared = channel->shared,
	};
}

static int add_stream(const struct channel *channel)
{
	struct session *session = channel->session;
	int error = reserve_described(session, channel->stream_id);

	return error ? error
		     : metadata_add_channel(session->metadata, channel->stream_id, channel->name,
					    channel->contexts);
}

/* Nanoseconds of a tick of the clock, times 2^32. */
static uint64_t scale_of(const struct channel *channel)
{
	const struct clock_description *clock = metadata_clock(channel->session->metadata);

	return (uint64_t)(((unsigned __int128)1000000000 << 32) / clock->frequency);
}

static void take_map(struct channel *channel, struct channel_map *map)
{
	channel->map = map;
	/* The hash of a text stays the same for the life of the map. */
	if (map) {
		map->expressions.scale = scale_of(channel);
		map->expressions.seed = (uint64_t)strtoull(channel->session->uuid, NULL, 16) |
					(uint64_t)strtoull(channel->session->uuid + 9, NULL, 16)
						<< 32;
	}
	channel->rules.map = map ? &map->expressions : NULL;
}

int channel_create(struct session *session, const struct channel_config *config,
		   struct channel **result, char why[CHANNEL_WHY_SIZE], char hint[CHANNEL_WHY_SIZE])
{
	struct daemon *daemon = session->daemon;
	struct channel *channel = calloc(1, sizeof(*channel));
	int error, slot;

	*result = NULL;
	snprintf(why, CHANNEL_WHY_SIZE, "out of memory");
	snprintf(hint, CHANNEL_WHY_SIZE, "destroy a session that is not needed");
	if (!channel)
		return -ENOMEM;
	channel->session = session;
	channel->stream_id = session->nr_streams;
	channel->mode = config->mode;
	channel->blocking_timeout_ms = config->blocking_timeout_ms;
	channel->flush_ms = config->flush_ms;
	channel->file_size = config->file_size;
	channel->file_count = config->file_count;
	channel->contexts = config->contexts;
	channel->shared = config->shared;
	snprintf(channel->name, sizeof(channel->name), "%s", config->name);
	CDS_INIT_LIST_HEAD(&channel->process_channels);

	error = check_geometry(config, channel, why, hint);
	if (!error)
		error = check_config(config, why, hint);
	if (error)
		goto free_channel;
	slot = take_slot(session, why, hint);
	if (slot < 0) {
		error = slot;
		goto free_channel;
	}
	channel->slot = (uint32_t)slot;
	error = config->map ? 0 : add_stream(channel);
	if (error)
		goto free_slot;
	error = daemon->mediator_ops->add_channel(daemon->mediator, session->key, channel->name);
	if (error) {
		snprintf(why, CHANNEL_WHY_SIZE, "cannot make the channel's directory in %s: %s",
			 daemon->rings_dir, strerror(-error));
		snprintf(hint, CHANNEL_WHY_SIZE,
			 "make room there, or use another runtime directory");
		goto free_slot;
	}
	session->nr_streams += !config->map;
	channel->life = ++daemon->saved_state->head->last_life;
	take_map(channel, config->map);
	cds_list_add_tail(&channel->node, &session->channels);
	*result = channel;
	return 0;

free_slot:
	slots_free(&daemon->slots, (uint32_t)slot, time_now_usec());
free_channel:
	free(channel);
	return error;
}

int channel_restore(struct session *session, const struct channel *saved, struct channel **result)
{
	struct daemon *daemon = session->daemon;
	struct channel *channel = malloc(sizeof(*channel));
	int error;

	*result = NULL;
	if (!channel)
		return -ENOMEM;
	*channel = *saved;
	/* Whether it was is not told. */
	channel->slot_used = true;
	channel->stream_used = true;
	channel->session = session;
	channel->started = false;
	channel->ended = 0;
	channel->rules = (struct rule_list){ .entries = NULL };
	take_map(channel, saved->map);
	CDS_INIT_LIST_HEAD(&channel->process_channels);
	error = daemon->mediator_ops->add_channel(daemon->mediator, session->key, channel->name);
	if (error) {
		free(channel);
		return error;
	}
	slots_restore(&daemon->slots, channel->slot, session->owner);
	cds_list_add_tail(&channel->node, &session->channels);
	*result = channel;
	return 0;
}

void channel_destroy(struct channel *channel)
{
	struct daemon *daemon = channel->session->daemon;
	struct process_channel *process_channel, *next;
	struct process *process;

	channel_end_flushes(channel);
	cds_list_for_each_entry_safe(process_channel, next, &channel->process_channels, node)
		process_channel_destroy(process_channel);
	cds_list_for_each_entry(process, processes_list(daemon->processes), list) {
		process_count(process, UINT64_C(1) << channel->slot, false);
		process->slots[channel->slot].admitted = false;
	}
	daemon->mediator_ops->remove_channel(daemon->mediator, channel->session->key,
					     channel->name);
	slots_free(&daemon->slots, channel->slot, time_now_usec());
	rule_list_clear(&channel->rules);
	channel_map_destroy(channel->map);
	if (channel->rest.queued)
		run_queue_remove(daemon->run_queue, &channel->rest, -1);
	cds_list_del(&channel->node);
	free(channel);
	user_rings_reap(daemon);
}

static struct lttngmap_channel describe(const struct channel *channel)
{
	return (struct lttngmap_channel){
		.mode = channel->mode,
		.subbuf_shift = channel->subbuf_shift,
		.subbufs_shift = channel->subbufs_shift,
		.flags = (channel->filtered ? LTTNGMAP_CHANNEL_FILTERED : 0) |
			 (channel->session->is_flight_recorder && !channel->session->trigger
				  ? LTTNGMAP_CHANNEL_QUIET
				  : 0) |
			 (channel->shared ? LTTNGMAP_CHANNEL_SHARED : 0) |
			 (channel->map ? LTTNGMAP_CHANNEL_MAP : 0),
		.life = (uint32_t)channel->life,
		.blocking_timeout_ms = channel->blocking_timeout_ms,
		.contexts = channel->contexts,
	};
}

void channel_publish(struct channel *channel)
{
	const struct lttngmap_channel published = describe(channel);

	control_pages_publish(channel->session->daemon->pages, channel->slot, &published);
}

void channel_admit(struct channel *channel, struct process *process)
{
	/* A process that registers now is handed its rings; all others ask at their first event. */
	bool registers, in;

	/* Ring owners are admitted with their processes. */
	if (process->is_ring_owner)
		return;
	registers = !process->record->answered;
	in = session_takes(channel->session, process) &&
	     process_channel_join(channel, process, registers) == 0;
	control_pages_set_process(memory_set_process(process->memories), channel->slot, in);
}

/* It is published: let processes in, then events. */
static void admit_all(struct channel *channel)
{
	struct daemon *daemon = channel->session->daemon;
	struct process *process;

	if (!channel->shared)
		memory_pool_expect(daemon->pool, channel->slot,
				   geometry_data_size(daemon, channel->subbuf_shift,
						      channel->subbufs_shift),
				   geometry_control_size(daemon, channel->subbufs_shift));
	channel->started = true;
	channel->slot_used = true;
	channel->stream_used = true;
	cds_list_for_each_entry(process, processes_list(daemon->processes), list)
		channel_admit(channel, process);
	/* Last: from here on events are written. */
	channel_switch_classes(channel, NULL);
}

static void thaw(struct channel *channel)
{
	struct process_channel *process_channel;

	cds_list_for_each_entry(process_channel, &channel->process_channels, node)
		process_channel_thaw(process_channel);
}

void channel_start(struct channel *channel)
{
	thaw(channel);
	channel_publish(channel);
	admit_all(channel);
	channel_begin_flushes(channel);
}

void channel_resume(struct channel *channel)
{
	struct control_pages *pages = channel->session->daemon->pages;
	struct lttngmap_channel published;

	if (channel->session->state != SESSION_ACTIVE) {
		channel_close(channel);
		return;
	}
	channel->filtered = control_pages_get(pages)->channels[channel->slot].flags &
			    LTTNGMAP_CHANNEL_FILTERED;
	if (channel->filtered)
		channel_adopt_filters(channel);
	published = describe(channel);
	thaw(channel);
	control_pages_publish_again(pages, channel->slot, &published);
	admit_all(channel);
	channel_begin_flushes(channel);
}

void channel_close(struct channel *channel)
{
	struct daemon *daemon = channel->session->daemon;
	struct process *process;

	channel_end_flushes(channel);
	channel->started = false;
	memory_pool_forget(daemon->pool, channel->slot);
	/* Events that would be recorded count as lost until the next daemon is there. */
	if (channel->session->goes_on) {
		control_pages_suspend(daemon->pages, channel->slot, (uint32_t)channel->life);
		return;
	}
	control_pages_clear_events(daemon->pages, channel->slot, registry_count(daemon->registry));
	cds_list_for_each_entry(process, processes_list(daemon->processes), list)
		control_pages_set_process(memory_set_process(process->memories), channel->slot,
					  false);
	control_pages_withdraw(daemon->pages, channel->slot);
	/* A writer that finds no filter now also finds the channel withdrawn before it writes. */
	if (channel->filtered)
		filter_pages_clear(control_pages_filters(daemon->pages), channel->slot,
				   registry_count(daemon->registry));
	channel->filtered = false;
}

/* Run on each CPU once: what was running there was preempted, or is done. */
static void visit_cpus(void)
{
	cpu_set_t before, one;

	if (sched_getaffinity(0, sizeof(before), &before) != 0)
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
	}
	sched_setaffinity(0, sizeof(before), &before);
}

void channel_wait_writers(void)
{
	/* The kernel refuses it on machines with nohz_full CPUs. */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) != 0)
		visit_cpus();
}

void channel_freeze(struct channel *channel)
{
	struct process_channel *process_channel;

	cds_list_for_each_entry(process_channel, &channel->process_channels, node)
		process_channel_freeze(process_channel);
}

bool channel_is_drained(struct channel *channel)
{
	struct process_channel *process_channel;

	/* Nobody reads a flight recorder's rings to their end. */
	if (channel->session->is_flight_recorder)
		return true;
	cds_list_for_each_entry(process_channel, &channel->process_channels, node) {
		if (process_channel_is_drained(process_channel))
			continue;
		/* The list begins here the next time: what stopped and was read stays so. */
		cds_list_del(&channel->process_channels);
		cds_list_add_tail(&channel->process_channels, &process_channel->node);
		return false;
	}
	return true;
}

/*
 * A flight recorder keeps what processes left that are gone, for the next
 * snapshot, but only of so many.
 */
static void forget_oldest(struct channel *channel)
{
	struct process_channel *process_channel, *oldest;
	unsigned int ended;

	do {
		oldest = NULL;
		ended = 0;
		cds_list_for_each_entry(process_channel, &channel->process_channels, node) {
			if (process_channel->process)
				continue;
			ended++;
			if (!oldest || process_channel->ended_usec < oldest->ended_usec)
				oldest = process_channel;
		}
		if (ended > CHANNEL_ENDED_MAX && !session_is_taking_snapshot(channel->session)) {
			channel->forgotten += ring_set_touched(oldest->set) != 0;
			process_channel_destroy(oldest);
		} else {
			oldest = NULL;
		}
	} while (oldest);
}

unsigned int channel_reap(struct channel *channel, bool *more)
{
	struct process_channel *process_channel, *next;
	unsigned int looked = 0, destroyed = 0;

	if (channel->session->is_flight_recorder) {
		forget_oldest(channel);
		return 0;
	}
	if (channel->ended == 0)
		return 0;
	cds_list_for_each_entry_safe(process_channel, next, &channel->process_channels, node) {
		if (looked++ == LOOKED_AT_ONCE || destroyed == REAPED_AT_ONCE) {
			/* The list begins here the next time. */
			cds_list_del(&channel->process_channels);
			cds_list_add_tail(&channel->process_channels, &process_channel->node);
			break;
		}
		if (process_channel_is_over(process_channel)) {
			process_channel_destroy(process_channel);
			destroyed++;
		}
	}
	*more |= destroyed == REAPED_AT_ONCE;
	return channel->ended;
}
