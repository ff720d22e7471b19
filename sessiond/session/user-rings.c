/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/session/user-rings.h"

#include <errno.h>

#include "sessiond/base/parts.h"
#include "sessiond/mediator/doorbell.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process.h"
#include "sessiond/session/session.h"
#include "sessiond/storage/saved-state.h"

static struct process *find(struct daemon *daemon, uint32_t uid, bool use_rseq)
{
	struct process *process;

	cds_list_for_each_entry(process, processes_list(daemon->processes), list)
		if (process->is_ring_owner && process->uid == uid && process->use_rseq == use_rseq)
			return process;
	return NULL;
}

int user_rings_join(struct process *process)
{
	struct daemon *daemon = process->daemon;
	struct process *shared;
	int error = 0;

	if (process->shared)
		return 0;
	if (!process->shares)
		return -EPROTO;
	shared = find(daemon, process->uid, process->use_rseq);
	if (!shared)
		error = process_create_ring_owner(daemon, process->uid, process->use_rseq, &shared);
	if (error)
		return error;
	process->shared = shared;
	shared->sharers++;
	doorbell_join(process->doorbell, shared->doorbell);
	return 0;
}

/* Does the process that a lock names live? Any other's is nobody's to give back. */
static bool is_held(const struct daemon *daemon, uint64_t token, uint64_t gone)
{
	uint64_t index = (token >> LTTNGMAP_LOCK_INDEX_SHIFT) - 1;

	return index != gone && index < SAVED_PROCESSES &&
	       saved_process_state(daemon->saved_state, (uint32_t)index) == SAVED_LIVE;
}

/* Rings of a slot that are held by processes that ended: nobody else would free them. */
static void free_slot_locks(const struct process *shared, uint32_t slot, uint64_t gone)
{
	char *rings = (char *)memory_set_rings(shared->memories, slot);
	uint64_t stride = lttngmap_ring_stride(UINT64_C(1) << shared->slots[slot].subbufs_shift);
	uint32_t count = shared->daemon->cpu_rings + LTTNGMAP_EXTRA_RINGS;

	for (uint32_t i = 0; rings && i < count; i++) {
		struct lttngmap_ring *ring = (void *)(rings + i * stride);
		uint64_t token = __atomic_load_n(&ring->lock, __ATOMIC_RELAXED);

		if (!token || is_held(shared->daemon, token, gone))
			continue;
		/* Release: whoever takes it next is later than what its holder stored. */
		__atomic_compare_exchange_n(&ring->lock, &token, 0, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
	}
}

/* `gone`: the index of a process that is about to be none. */
static void free_locks(const struct process *shared, uint64_t gone)
{
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		if (shared->slots[slot].dirty)
			free_slot_locks(shared, slot, gone);
}

void user_rings_leave(struct process *process)
{
	struct process *other;

	if (process->is_ring_owner)
		cds_list_for_each_entry(other, processes_list(process->daemon->processes), list)
			if (other->shared == process)
				other->shared = NULL;
	if (!process->shared)
		return;
	free_locks(process->shared, process->memories->index);
	process->shared->sharers--;
	process->shared = NULL;
}

void user_rings_restore(struct daemon *daemon)
{
	struct process *process;

	cds_list_for_each_entry(process, processes_list(daemon->processes), list)
		if (process->is_ring_owner)
			free_locks(process, SAVED_PROCESSES);
}

static bool has_shared_channel(const struct daemon *daemon)
{
	struct session *session;
	struct channel *channel;

	cds_list_for_each_entry(session, sessions_list(daemon->sessions), node)
		cds_list_for_each_entry(channel, &session->channels, node)
			if (channel->shared)
				return true;
	return false;
}

void user_rings_reap(struct daemon *daemon)
{
	struct process *process, *next;

	if (has_shared_channel(daemon))
		return;
	cds_list_for_each_entry_safe(process, next, processes_list(daemon->processes), list)
		if (process->is_ring_owner && process->sharers == 0)
			process_end(process);
}
