/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/session/process-channel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "sessiond/base/geometry.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/class/class-layout.h"
#include "sessiond/mediator/doorbell.h"
#include "sessiond/memory/control-pages.h"
#include "sessiond/memory/memory-set.h"
#include "sessiond/ring/ring-reader.h"
#include "sessiond/ring/ring-set.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process.h"
#include "sessiond/session/session.h"
#include "sessiond/session/untraced.h"
#include "sessiond/session/user-rings.h"
#include "sessiond/storage/saved-state.h"

/* The objects that a ring set needs as long as it exists. */
struct lease {
	struct memory_set *memories;
	struct session_totals *totals;
	struct slots *slots;
	uint32_t slot;
	struct record_layout *layout; /* NULL: its packets need no check */
};

static void lease_end(void *data)
{
	struct lease *lease = data;

	memory_set_unuse(lease->memories, lease->slot);
	memory_set_put(lease->memories);
	session_totals_put(lease->totals);
	slots_drop(lease->slots, lease->slot);
	record_layout_destroy(lease->layout);
	free(lease);
}

static struct lease *lease_make(struct channel *channel, struct memory_set *memories)
{
	struct lease *lease = calloc(1, sizeof(*lease));

	if (!lease)
		return NULL;
	lease->memories = memory_set_get(memories);
	lease->totals = session_totals_get(channel->session->totals);
	lease->slots = &channel->session->daemon->slots;
	lease->slot = channel->slot;
	memory_set_use(memories, lease->slot);
	slots_hold(lease->slots, lease->slot);
	return lease;
}

/* Does a trylock writer hold a ring of the slot, as an earlier channel laid it out? */
static bool slot_is_held(const struct process *process, uint32_t slot)
{
	const char *rings = (const char *)memory_set_rings(process->memories, slot);
	uint64_t stride = lttngmap_ring_stride(UINT64_C(1) << process->slots[slot].subbufs_shift);
	uint32_t count = process->daemon->cpu_rings + LTTNGMAP_EXTRA_RINGS;

	for (uint32_t i = 0; rings && i < count; i++) {
		const struct lttngmap_ring *ring = (const void *)(rings + i * stride);

		if (__atomic_load_n(&ring->lock, __ATOMIC_ACQUIRE) != 0)
			return true;
	}
	return false;
}

/* Zeros, whatever an earlier channel left: from now on it is the channel's. */
static int slot_admit(struct channel *channel, struct process *process)
{
	struct process_slot *slot = &process->slots[channel->slot];
	int error = 0;

	if (slot->admitted)
		return 0;
	/*
	 * The holder was stopped inside a write and would finish it over the new
	 * channel's rings. Only the process itself can bring this about, and only
	 * its own trace suffers.
	 */
	if (slot->dirty && slot_is_held(process, channel->slot))
		error = -EBUSY;
	else if (slot->dirty)
		memory_set_zero(process->memories, channel->slot,
				geometry_control_size(process->daemon, slot->subbufs_shift));
	if (error == 0)
		process_use_slot(process, channel->slot, channel->subbufs_shift);
	slot->admitted = error == 0;
	return error;
}

/*
 * The set, from its saved state or anew. A process that is gone stands in its
 * record as one that lives does.
 */
static int make_set(struct channel *channel, struct memory_set *memories,
		    struct process_channel *process_channel, bool restore)
{
	struct daemon *daemon = channel->session->daemon;
	const struct saved_process *record = memory_set_record(memories);
	const struct memory *memory = &memories->rings[channel->slot];
	uint64_t ring_size = ((UINT64_C(1) << channel->subbufs_shift) + 1) << channel->subbuf_shift;
	struct ring_set_config config = {
		.session = channel->session->key,
		.channel = channel->name,
		.procname = record->name,
		.pid = record->pid,
		.uid = record->user,
		.cpu_rings = daemon->cpu_rings,
		.by_rseq = record->use_rseq,
		.clock = daemon->clock,
		.mode = channel->mode,
		.subbuf_shift = channel->subbuf_shift,
		.subbufs_shift = channel->subbufs_shift,
		.meta_page_size = daemon->meta_page_size,
		.rings = memory_set_rings(memories, channel->slot),
		.begin = clock_read(daemon->clock),
		.chunk = channel->session->rotation.chunk,
		.totals = &channel->session->totals->rings,
		.saved = saved_set(daemon->saved_state, memories->index, channel->slot),
		.last_id = &daemon->saved_state->head->last_set,
		.life = channel->life,
		.past = daemon->recovery != NULL,
		.can_shrink = memory->place != NULL,
		.is_trigger = channel->session->trigger != NULL,
		.release = lease_end,
	};
	const struct mediator_ops *mediator = daemon->mediator_ops;
	struct ring_set_module module = {
		.doorbell = memories->doorbell,
		/* A ring owner is no process, and what is shared ends with its last one. */
		.process = record->is_ring_owner ? 0 : record->pid,
		.owner = geteuid(),
		.control_at = memory->mapped_from,
	};
	struct lease *lease;
	int error;

	if (mediator->device) {
		module.device = mediator->device(daemon->mediator);
		config.module = &module;
	}
	/* A wrong node costs speed, not events. */
	if (!restore && memory_has_nodes())
		memory_place_rings(memory->fd, daemon->meta_page_size, ring_size,
				   daemon->cpu_rings);
	config.data_fd = memory->fd;
	config.release_data = lease = lease_make(channel, memories);
	if (!lease)
		return -ENOMEM;
	/* Files may be of a disk on which not everything is. */
	if (daemon->recovers_files)
		config.layout = lease->layout = class_layout_create(
			daemon->registry, channel->session->metadata, channel->stream_id);
	error = restore ? ring_set_restore(&config, &process_channel->set)
			: ring_set_create(&config, &process_channel->set);
	if (error)
		lease_end(lease);
	else
		process_channel->lease = lease;
	return error;
}

/* With its set made: show it, list it. Frees the process channel where that fails. */
static int process_channel_add(struct process_channel *process_channel, struct channel *channel,
			       struct process *process, struct doorbell *doorbell)
{
	int error = doorbell_add_set(doorbell, process_channel->set, &process_channel->shown);

	if (error) {
		ring_set_forget(process_channel->set);
		ring_set_put(process_channel->set);
		free(process_channel);
		return error;
	}
	ring_set_publish(process_channel->set);
	process_channel->channel = channel;
	process_channel->process = process;
	if (process)
		process->slots[channel->slot].process_channel = process_channel;
	else
		channel->ended++;
	cds_list_add(&process_channel->node, &channel->process_channels);
	return 0;
}

static int process_channel_make(struct channel *channel, struct process *process)
{
	struct process_channel *process_channel = calloc(1, sizeof(*process_channel));
	int error;

	if (!process_channel)
		return -ENOMEM;
	error = make_set(channel, process->memories, process_channel, false);
	if (error) {
		free(process_channel);
		return error;
	}
	return process_channel_add(process_channel, channel, process, process->doorbell);
}

bool process_channel_is_saved(const struct channel *channel, const struct memory_set *memories)
{
	const struct daemon *daemon = channel->session->daemon;
	const struct ring_saved *saved =
		saved_set(daemon->saved_state, memories->index, channel->slot);

	return memories->rings[channel->slot].fd >= 0 &&
	       ring_set_saved_generation(saved) == channel->life &&
	       ring_set_saved_id(saved) != saved_totals(channel->session->record)->last_set;
}

int process_channel_restore(struct channel *channel, struct process *process,
			    struct memory_set *memories, struct doorbell *doorbell)
{
	struct process_channel *process_channel = calloc(1, sizeof(*process_channel));
	int error;

	if (!process_channel)
		return -ENOMEM;
	error = make_set(channel, memories, process_channel, true);
	if (error) {
		free(process_channel);
		return error;
	}
	/* Before the ring thread has it, and counts on. */
	ring_set_add_counts(process_channel->set, &channel->session->totals->rings);
	error = process_channel_add(process_channel, channel, process, doorbell);
	if (error)
		return error;
	if (!process)
		ring_set_finish(process_channel->set);
	/* Under the same name as before, whatever of it was read. */
	doorbell_set_flush(process_channel->shown);
	return 0;
}

static void say_failure(const struct channel *channel, const struct process *process, int error)
{
	if (error == -EBUSY)
		message_say(
			"%s (pid %u) is not traced in channel %s: it is stopped inside an event "
			"of an earlier one; let it go on and start the session again",
			process->name, process->pid, channel->name);
	else if (error == -EDQUOT)
		message_say("%s (pid %u) is not traced in channel %s: user %u's processes have "
			    "as many descriptors, or as much of the runtime directory, as they "
			    "may",
			    process->name, process->pid, channel->name, process->uid);
	else if (error == -ENOTCONN)
		message_say(
			"%s (pid %u) is not traced in channel %s: it closed its descriptors, or "
			"is under a seccomp filter; start the session before the program",
			process->name, process->pid, channel->name);
	else if (error == -EPROTO)
		message_say("%s (pid %u) is not traced in channel %s: it takes no rings that "
			    "processes share; if its liblttngmap is older than the installed one, "
			    "start it anew; if it is set-user-ID or alike, give it a channel of "
			    "--buffers process",
			    process->name, process->pid, channel->name);
	else if (error == -EPROTONOSUPPORT)
		message_say(
			"%s (pid %u) is not traced in channel %s: its liblttngmap is older than "
			"the daemon and knows no %s; start it anew, or install both of one "
			"version",
			process->name, process->pid, channel->name,
			channel->map ? "maps" : "call stacks");
	else
		message_say("%s (pid %u) is not traced in channel %s: %s", process->name,
			    process->pid, channel->name, strerror(-error));
}

/* For all that is written of the channel from now on, where memories are files. */
static int make_room(const struct channel *channel, const struct process *process)
{
	const struct daemon *daemon = process->daemon;
	int error = memory_set_reserve(process->memories, channel->slot,
				       geometry_control_size(daemon, channel->subbufs_shift));

	/* It has had the slot's room since the slot's first channel. */
	if (error == 0 && !process->slots[channel->slot].dirty)
		error = memory_set_charge_disk(process->memories,
					       saved_set_size(daemon->saved_state));
	return error ? error : memory_set_reserve_saved(process->memories, channel->slot);
}

/* Will it ask for rings at its first event? One that executed another program has none. */
static int check_asks(const struct process *process)
{
	if (process->is_ring_owner || process->program.executed[0] ||
	    (process->connection && !process->record->alone))
		return 0;
	return -ENOTCONN;
}

/* With rings of its own; without a process channel where they are not there yet. */
static int join_alone(struct channel *channel, struct process *process, bool make_memory)
{
	const struct daemon *daemon = process->daemon;
	struct memory_set *memories = process->memories;
	uint64_t control = geometry_control_size(daemon, channel->subbufs_shift);
	uint64_t data = geometry_data_size(daemon, channel->subbuf_shift, channel->subbufs_shift);
	int error = slot_admit(channel, process);

	/* A map's tables are read whole. Its rings are shared, and made once. */
	if (error == 0 && make_memory)
		error = (channel->map ? memory_set_make : memory_set_fit)(memories, channel->slot,
									  data, control);
	if (error || !memory_set_fits(memories, channel->slot, data, control))
		return error ? error : check_asks(process);
	error = make_room(channel, process);
	return error ? error : process_channel_make(channel, process);
}

/* By its ring owner, which has the process channel. */
static int join_shared(struct channel *channel, struct process *process)
{
	int error = user_rings_join(process);

	if (error == 0 && process->record->answered)
		error = check_asks(process);
	if (error == 0 && !process->shared->slots[channel->slot].process_channel) {
		error = join_alone(channel, process->shared, true);
		if (error)
			say_failure(channel, process->shared, error);
	}
	return error;
}

/* An older library would write records into a map's tables, or records without the stack. */
static bool is_known(const struct channel *channel, const struct process *process)
{
	return process->abi_minor >= 1 ||
	       !(channel->map || lttngmap_callstack_depth(channel->contexts));
}

/* Once, however often it is tried; and not any more where that comes to be. */
static void count_left_out(struct channel *channel, struct process *process, int error)
{
	struct process_slot *slot = &process->slots[channel->slot];

	if (slot->left_out)
		untraced_count_in(channel->session, process, slot->left_out, true);
	slot->left_out = error == 0                             ? 0
			 : error == -EMFILE || error == -ENFILE ? UNTRACED_SHORT
			 : error == -ENOTCONN                   ? UNTRACED_ALONE
								: UNTRACED_REFUSED;
	if (slot->left_out)
		untraced_count_in(channel->session, process, slot->left_out, false);
	if (slot->left_out == UNTRACED_SHORT)
		process->daemon->process_ops->retry_soon(process->daemon->app);
}

int process_channel_join(struct channel *channel, struct process *process, bool make_memory)
{
	int error;

	if (process->slots[channel->slot].process_channel)
		return 0;
	if (!is_known(channel, process))
		error = -EPROTONOSUPPORT;
	else
		error = channel->shared ? join_shared(channel, process)
					: join_alone(channel, process, make_memory);
	if (error)
		say_failure(channel, process, error);
	count_left_out(channel, process, error);
	if (error)
		return error;
	session_count(channel->session, process, channel->slot);
	control_pages_set_process(memory_set_process(process->memories), channel->slot, true);
	return 0;
}

void process_channel_freeze(struct process_channel *process_channel)
{
	if (!process_channel->process)
		return;
	ring_set_freeze(process_channel->set);
	if (!process_channel->channel->session->is_flight_recorder)
		doorbell_set_flush(process_channel->shown);
}

void process_channel_thaw(struct process_channel *process_channel)
{
	if (process_channel->process)
		ring_set_thaw(process_channel->set);
}

void process_channel_flush(struct process_channel *process_channel)
{
	if (ring_set_flush(process_channel->set))
		doorbell_set_flush(process_channel->shown);
}

void process_channel_change_user(struct process_channel *process_channel, uint32_t user, bool flush)
{
	const struct session *session = process_channel->channel->session;

	ring_set_change_user(process_channel->set, user);
	if (flush && !session->is_flight_recorder)
		process_channel_flush(process_channel);
}

bool process_channel_is_flushed(struct process_channel *process_channel, bool wake)
{
	bool flushed = ring_set_flushed(process_channel->set);

	if (!flushed && wake)
		doorbell_set_flush(process_channel->shown);
	return flushed;
}

void process_channel_rotate(struct process_channel *process_channel, uint32_t chunk)
{
	ring_set_rotate(process_channel->set, chunk);
	(void)process_channel_is_rotated(process_channel, true);
}

bool process_channel_is_rotated(struct process_channel *process_channel, bool wake)
{
	bool rotated = ring_set_rotated(process_channel->set);

	if (!rotated && wake)
		doorbell_set_flush(process_channel->shown);
	return rotated;
}

void process_channel_end_rotation(struct process_channel *process_channel)
{
	ring_set_end_rotation(process_channel->set);
}

void process_channel_count_lost(struct channel *channel, const struct process *process,
				uint32_t lost)
{
	if (session_takes(channel->session, process))
		ring_total_add(&channel->session->totals->rings.discarded, lost);
}

void process_channel_begin_snapshot(struct process_channel *process_channel)
{
	process_channel->backward_passes = ring_set_backward_passes(process_channel->set);
	process_channel->in_snapshot = ring_set_touched(process_channel->set);
	if (process_channel->in_snapshot)
		doorbell_set_flush(process_channel->shown);
}

bool process_channel_is_in_snapshot(struct process_channel *process_channel)
{
	return !process_channel->in_snapshot ||
	       ring_set_backward_passes(process_channel->set) != process_channel->backward_passes;
}

void process_channel_clear(struct process_channel *process_channel, struct session_totals *totals)
{
	struct session_totals *before = process_channel->lease->totals;

	/* The set is ours, so its end does not read the lease meanwhile. */
	ring_set_clear(process_channel->set, &totals->rings);
	process_channel->lease->totals = session_totals_get(totals);
	session_totals_put(before);
}

bool process_channel_end(struct process_channel *process_channel)
{
	process_channel->process->slots[process_channel->channel->slot].process_channel = NULL;
	process_channel->process = NULL;
	process_channel->channel->ended++;
	process_channel->ended_usec = time_now_usec();
	ring_set_finish(process_channel->set);
	if (ring_set_touched(process_channel->set)) {
		if (!process_channel->channel->session->is_flight_recorder)
			doorbell_set_flush(process_channel->shown);
		sessions_reap_soon(process_channel->channel->session->daemon->sessions);
		return true;
	}
	process_channel_destroy(process_channel);
	return false;
}

bool process_channel_is_drained(struct process_channel *process_channel)
{
	return !ring_set_touched(process_channel->set) || ring_set_drained(process_channel->set);
}

bool process_channel_is_over(struct process_channel *process_channel)
{
	return !process_channel->process && process_channel_is_drained(process_channel);
}

/* Its counts stay with its session; it is not restored any more. */
static void leave_counts(struct process_channel *process_channel)
{
	struct ring_totals counts = { .written = 0 };

	/* The totals are told the last ones. */
	ring_set_poll(process_channel->set);
	ring_set_add_counts(process_channel->set, &counts);
	saved_totals_add(process_channel->channel->session->record,
			 ring_set_id(process_channel->set), &counts);
	ring_set_forget(process_channel->set);
}

void process_channel_destroy(struct process_channel *process_channel)
{
	leave_counts(process_channel);
	if (process_channel->process)
		process_channel->process->slots[process_channel->channel->slot].process_channel =
			NULL;
	else
		process_channel->channel->ended--;
	cds_list_del(&process_channel->node);
	ring_set_unpublish(process_channel->set);
	doorbell_remove_set(process_channel->shown);
	ring_set_put(process_channel->set);
	free(process_channel);
}
