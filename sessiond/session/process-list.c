/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* process-list.c - finds registered processes, and answers what one is. Calls no other file of
 * processes. */
#include "sessiond/session/process-private.h"

#include <sys/stat.h>

#include "sessiond/base/peer.h"
#include "sessiond/storage/saved-state.h"

static int pid_match(struct cds_lfht_node *node, const void *key)
{
	return caa_container_of(node, struct process, node)->pid == *(const uint32_t *)key;
}

struct cds_list_head *processes_list(struct processes *processes)
{
	return &processes->list;
}

unsigned long processes_count(const struct processes *processes)
{
	return processes->count;
}

struct process *process_lookup(struct processes *processes, uint32_t pid)
{
	struct cds_lfht_iter iter;
	struct cds_lfht_node *node;

	urcu_memb_read_lock();
	cds_lfht_lookup(processes->table, process_pid_hash(pid), pid_match, &pid, &iter);
	node = cds_lfht_iter_get_node(&iter);
	/* This thread alone removes: what was found stays after the unlock. */
	urcu_memb_read_unlock();
	return node ? caa_container_of(node, struct process, node) : NULL;
}

bool process_is_gone(const struct process *process)
{
	return peer_has_ended(process->pidfd);
}

void process_count(struct process *process, uint64_t slots, bool counted)
{
	if (counted)
		process->counted |= slots;
	else
		process->counted &= ~slots;
	process->record->counted = process->counted;
}

void process_use_slot(struct process *process, uint32_t slot, uint8_t subbufs_shift)
{
	process->slots[slot].dirty = true;
	process->slots[slot].subbufs_shift = subbufs_shift;
	process->record->subbufs_shift[slot] = subbufs_shift;
	process->record->dirty[slot] = true;
}

uint64_t process_file(const struct process *process)
{
	struct stat status;

	return process->pidfd >= 0 && fstat(process->pidfd, &status) == 0 ? status.st_ino : 0;
}
