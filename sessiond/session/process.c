/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/session/process-private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/protocol/protocol-app.h"
#include "sessiond/base/parts.h"
#include "sessiond/base/peer.h"
#include "sessiond/base/pid-state.h"
#include "common/base/time.h"
#include "sessiond/mediator/doorbell.h"
#include "sessiond/memory/control-pages.h"
#include "sessiond/quota/quota.h"
#include "sessiond/session/executed.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/session.h"
#include "sessiond/session/untraced.h"
#include "sessiond/session/user-rings.h"
#include "sessiond/storage/saved-state.h"

int processes_create(struct processes **result)
{
	struct processes *processes = calloc(1, sizeof(*processes));

	*result = NULL;
	if (!processes)
		return -ENOMEM;
	CDS_INIT_LIST_HEAD(&processes->list);
	processes->table =
		cds_lfht_new_flavor(64, 64, 0, CDS_LFHT_AUTO_RESIZE, &urcu_memb_flavor, NULL);
	if (!processes->table) {
		free(processes);
		return -ENOMEM;
	}
	*result = processes;
	return 0;
}

void processes_destroy(struct processes *processes)
{
	struct process *process, *next;

	if (!processes)
		return;
	cds_list_for_each_entry_safe(process, next, &processes->list, list)
		process_end(process);
	cds_lfht_destroy(processes->table, NULL);
	free(processes);
}

bool processes_gave(const struct processes *processes, const struct saved_state *saved_state,
		    uint64_t token)
{
	bool gave = token && saved_process_by_token(saved_state, token);

	for (unsigned int i = 0; token && i < ENDED_TOKENS && !gave; i++)
		gave = processes->ended[i] == token;
	return gave;
}

void process_reap(struct process *process)
{
	struct daemon *daemon = process->daemon;
	const struct process *shared = process->shared;

	/* Its last words say what it executed. */
	process->daemon->process_ops->forget(process);
	executed_count(process);
	untraced_ended(daemon->untraced, process);
	process_end(process);
	if (shared && shared->sharers == 0)
		user_rings_reap(daemon);
}

static void on_end(struct run_entry *entry)
{
	process_reap(caa_container_of(entry, struct process, entry));
}

/* Takes the descriptor. */
static int watch_pid(struct process *process, struct quota_user *user, int fd)
{
	int error = fd < 0 ? fd : user ? 0 : -ENOMEM;

	process->entry =
		(struct run_entry){ .serve = on_end, .user = user, .cost = 1, .is_end = true };
	if (error == 0)
		error = run_queue_watch(process->daemon->run_queue, &process->entry, fd);
	if (error == 0)
		process->pidfd = fd;
	else if (fd >= 0)
		close(fd);
	return error;
}

static void unwatch_pid(struct process *process)
{
	/* 0: it has none, as ring owners. */
	if (process->pidfd == 0)
		return;
	if (process->record)
		process->record->pidfd = 0;
	run_queue_remove(process->daemon->run_queue, &process->entry, process->pidfd);
	close(process->pidfd);
}

static void process_free_later(struct rcu_head *head)
{
	free(caa_container_of(head, struct process, rcu));
}

/* `unread`: the slots whose rings are still to be read. */
static void process_free(struct process *process, uint64_t unread)
{
	doorbell_destroy(process->doorbell);
	unwatch_pid(process);
	if (process->memories)
		memory_set_close_fds(process->memories, unread);
	memory_set_put(process->memories);
	/* The table's own resizing may still be walking over the node. */
	urcu_memb_call_rcu(&process->rcu, process_free_later);
}

static uint64_t realtime_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void process_answered(struct process *process)
{
	process->record->answered = true;
}

static void fill_record(const struct process *process, uint32_t payer, int socket)
{
	struct saved_process *record = process->record;

	record->pid = process->pid;
	record->uid = process->uid;
	record->user = process->uid;
	record->gid = process->gid;
	record->payer = payer;
	record->forked = process->forked;
	record->is_ring_owner = process->is_ring_owner;
	record->use_rseq = process->use_rseq;
	record->shares = process->shares;
	record->abi_minor = process->abi_minor;
	memcpy(record->name, process->name, sizeof(record->name));
	record->since_ms = process->since_ms;
	record->counted = process->counted;
	record->socket = socket;
	record->pidfd = process->pidfd;
}

static void add_to_table(struct process *process)
{
	struct processes *processes = process->daemon->processes;

	cds_list_add(&process->list, &processes->list);
	if (process->is_ring_owner)
		return;
	cds_lfht_node_init(&process->node);
	urcu_memb_read_lock();
	cds_lfht_add(processes->table, process_pid_hash(process->pid), &process->node);
	urcu_memb_read_unlock();
	processes->count++;
}

static void remove_from_table(struct process *process)
{
	struct processes *processes = process->daemon->processes;

	cds_list_del(&process->list);
	if (process->is_ring_owner)
		return;
	urcu_memb_read_lock();
	cds_lfht_del(processes->table, &process->node);
	urcu_memb_read_unlock();
	processes->count--;
}

static bool is_of(uint32_t uid, const void *data)
{
	const struct quota_user *user = data;

	return quota_owner(user->quota, uid) == user->uid;
}

static uint64_t count_memory(const struct quota_user *user, void *saved_state)
{
	return saved_memory_of(saved_state, is_of, user);
}

static int take_memories(struct process *process, struct quota_user *user)
{
	struct daemon *daemon = process->daemon;
	int error = quota_check_held(user);

	if (error == 0)
		error = quota_check_memory(user, time_now_usec(), count_memory,
					   daemon->saved_state);
	if (error == 0)
		error = memory_pool_take(daemon->pool, &process->memories);
	return error ? error : memory_set_charge(process->memories, user, false);
}

/*
 * A live process that is registered registers anew because it executed another program. That has
 * the user of now: a connection from before it became another user does not speak for it.
 */
static int check_user(const struct process *process)
{
	const struct process *older = process_lookup(process->daemon->processes, process->pid);
	uid_t uid;
	int error;

	if (!older || process_is_gone(older))
		return 0;
	error = pid_effective_user((pid_t)process->pid, &uid);
	return error ? error : uid == process->uid ? 0 : -EPERM;
}

/*
 * No two processes that live have the same pid, and the new one lives. So the older one of its
 * pid has ended, or is the very same process before an exec, which is counted once.
 */
static void end_older(struct process *process)
{
	struct process *older = process_lookup(process->daemon->processes, process->pid);

	if (!older)
		return;
	if (!process_is_gone(older)) {
		process->counted = older->counted;
		untraced_take_back(older);
	}
	process_end(older);
}

/* Random numbers that are asked for together: as many as the kernel gives in one piece. */
#define TOKENS_AT_ONCE 32
/* A process that becomes another user more often is flushed no more often. */
#define USER_FLUSH_USEC 1000000

/* Nobody can say it that was not told, so nobody else's classes are kept for him. */
static int make_token(const struct process *process)
{
	static uint64_t random[TOKENS_AT_ONCE];
	static size_t left;

	if (left == 0) {
		if (getrandom(random, sizeof(random), 0) != sizeof(random))
			return -EIO;
		left = TOKENS_AT_ONCE;
	}
	process->record->token =
		random[--left] / SAVED_PROCESSES * SAVED_PROCESSES + process->memories->index;
	random[left] = 0;
	return 0;
}

int process_create(struct daemon *daemon, const struct process_config *config,
		   struct process **result)
{
	const struct ucred peer = { .pid = (pid_t)config->pid, .uid = config->uid };
	struct process *process = calloc(1, sizeof(*process));
	int error;

	*result = NULL;
	if (!process)
		return -ENOMEM;
	process->daemon = daemon;
	process->pid = config->pid;
	process->uid = config->uid;
	process->gid = config->gid;
	process->forked = config->parent != NULL;
	process->use_rseq = config->use_rseq;
	process->shares = config->shares;
	process->abi_minor = config->abi_minor;
	process->since_ms = realtime_ms();
	name_clean_program(config->procname, config->procname_size, process->name);

	error = watch_pid(process, config->payer, peer_open_pidfd(config->socket, &peer));
	if (error < 0)
		goto fail;
	error = check_user(process);
	if (error)
		goto fail;
	error = take_memories(process, config->payer);
	if (error)
		goto fail;
	process->record = memory_set_record(process->memories);
	/* For what is said of it, before the record is filled. */
	process->record->pid = process->pid;
	error = make_token(process);
	if (error == 0 && config->parent)
		error = process_inherit_classes(process, config->parent);
	if (error)
		goto fail;
	control_pages_init_process(memory_set_process(process->memories));
	error = doorbell_create(daemon->doorbells, process->memories, &process->doorbell);
	if (error)
		goto fail;

	process->counted = sessions_counted_before(daemon, process);
	end_older(process);
	add_to_table(process);
	fill_record(process, config->payer->uid, config->socket);
	executed_begin(process);
	saved_process_set(daemon->saved_state, process->memories->index, SAVED_LIVE);
	*result = process;
	return 0;

fail:
	process_free(process, 0);
	return error;
}

int process_create_ring_owner(struct daemon *daemon, uint32_t uid, bool use_rseq,
			      struct process **result)
{
	struct quota_user *user = quota_user(daemon->quota, uid);
	struct process *process = user ? calloc(1, sizeof(*process)) : NULL;
	int error;

	*result = NULL;
	if (!process)
		return -ENOMEM;
	process->daemon = daemon;
	process->uid = uid;
	process->is_ring_owner = true;
	process->use_rseq = use_rseq;
	process->since_ms = realtime_ms();
	snprintf(process->name, sizeof(process->name), "user-%u", uid);
	error = take_memories(process, user);
	if (error)
		goto fail;
	process->record = memory_set_record(process->memories);
	error = doorbell_create(daemon->doorbells, process->memories, &process->doorbell);
	if (error)
		goto fail;
	add_to_table(process);
	fill_record(process, uid, 0);
	process_answered(process);
	saved_process_set(daemon->saved_state, process->memories->index, SAVED_LIVE);
	*result = process;
	return 0;

fail:
	process_free(process, 0);
	return error;
}

static struct process *process_from(struct daemon *daemon, const struct saved_process *record)
{
	struct process *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	process->daemon = daemon;
	process->pid = record->pid;
	process->uid = record->uid;
	process->gid = record->gid;
	process->forked = record->forked;
	process->is_ring_owner = record->is_ring_owner;
	process->use_rseq = record->use_rseq;
	process->shares = record->shares;
	process->abi_minor = record->abi_minor;
	process->since_ms = record->since_ms;
	process->counted = record->counted;
	memcpy(process->name, record->name, sizeof(process->name));
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++) {
		process->slots[slot].dirty = record->dirty[slot];
		process->slots[slot].subbufs_shift = record->subbufs_shift[slot];
	}
	return process;
}

int process_restore(struct daemon *daemon, uint32_t index)
{
	struct saved_process *record = saved_process(daemon->saved_state, index);
	struct process *process = process_from(daemon, record);
	struct quota_user *payer = quota_user(daemon->quota, record->payer);
	int error = -ENOMEM;

	if (!process)
		goto drop;
	error = memory_pool_restore(daemon->pool, index, &process->memories);
	if (error)
		goto free_process;
	/* It was within its user's bounds before. */
	memory_set_charge(process->memories, payer, true);
	process->record = record;
	if (!record->has_foreign)
		quota_note_words(quota_user(daemon->quota, process->uid), record->classes,
				 record->class_words);
	error = process->is_ring_owner ? 0 : watch_pid(process, payer, record->pidfd);
	if (error < 0)
		goto free_process;
	error = doorbell_create(daemon->doorbells, process->memories, &process->doorbell);
	if (error)
		goto free_process;
	add_to_table(process);
	if (process->is_ring_owner)
		return 0;
	if (!record->socket ||
	    daemon->process_ops->restore(daemon->app, process, record->socket) != 0)
		process_hung_up(process);
	return 0;

free_process:
	process_free(process, 0);
drop:
	saved_process_drop(daemon->saved_state, index);
	return error;
}

void process_change_user(struct process *process, uint32_t user)
{
	uint64_t now = time_now_usec();
	bool flush = now - process->user_usec > USER_FLUSH_USEC;

	if (user == process->record->user)
		return;
	/* One that changes back and forth is labelled by whole packets. */
	if (flush)
		process->user_usec = now;
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		if (process->slots[slot].process_channel)
			process_channel_change_user(process->slots[slot].process_channel, user,
						    flush);
	process->record->user = user;
}

void process_hung_up(struct process *process)
{
	control_pages_set_process_flag(memory_set_process(process->memories),
				       LTTNGMAP_PROCESS_NO_DOORBELL);
	doorbell_poll(process->doorbell);
	executed_look(process);
}

void process_end(struct process *process)
{
	uint64_t unread = 0;

	struct processes *processes = process->daemon->processes;

	processes->ended[processes->next_ended++ % ENDED_TOKENS] = process->record->token;
	/* Before the index is reused: locks of shared rings name the process by it. */
	user_rings_leave(process);
	saved_process_set(process->daemon->saved_state, process->memories->index, SAVED_ENDED);
	remove_from_table(process);
	process->daemon->process_ops->forget(process);
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++) {
		if (process->slots[slot].process_channel &&
		    process_channel_end(process->slots[slot].process_channel))
			unread |= UINT64_C(1) << slot;
	}
	process_free(process, unread);
}

/* ---- its event classes ---------------------------------------------------------------- */

static int reserve_classes(struct process *process, uint32_t words)
{
	struct saved_process *record = process->record;
	uint64_t more = saved_classes_size(words) - saved_classes_size(record->class_words);
	int error;

	if (words <= record->class_words)
		return 0;
	error = more ? memory_set_charge_disk(process->memories, more) : 0;
	/* The page that has the first of them has its room. */
	if (error == 0 && more)
		error = saved_process_reserve_classes(process->daemon->saved_state,
						      process->memories->index, words);
	if (error == 0)
		record->class_words = words;
	return error;
}

int process_add_classes(struct process *process, const uint16_t *ids, uint32_t nr_ids)
{
	struct saved_process *record = process->record;
	uint32_t words = 0;
	int error;

	for (uint32_t i = 0; i < nr_ids; i++)
		if (ids[i] != PROTOCOL_APP_NO_ID && ids[i] / 64u + 1 > words)
			words = ids[i] / 64u + 1;
	error = reserve_classes(process, words);
	if (error)
		return error;
	for (uint32_t i = 0; i < nr_ids; i++)
		if (ids[i] != PROTOCOL_APP_NO_ID)
			record->classes[ids[i] / 64u] |= UINT64_C(1) << ids[i] % 64u;
	return 0;
}

int process_inherit_classes(struct process *process, const struct saved_process *parent)
{
	const struct quota *quota = process->daemon->quota;
	int error = reserve_classes(process, parent->class_words);

	if (error)
		return error;
	memcpy(process->record->classes, parent->classes,
	       parent->class_words * sizeof(parent->classes[0]));
	/* Another user's classes are not shown to the child's. */
	process->record->has_foreign = parent->has_foreign ||
				       quota_owner(quota, parent->uid) !=
					       quota_owner(quota, process->uid);
	return 0;
}

void process_list_classes(const struct process *process, uint64_t *bits)
{
	memset(bits, 0, LTTNGMAP_EVENT_IDS / 8);
	memcpy(bits, process->record->classes, process->record->class_words * sizeof(bits[0]));
}
