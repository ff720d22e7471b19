/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * recovery.c - restores each process that the saved state names as one that has ended and whose
 * rings are still to be read.
 */
#include "sessiond/recover/recovery.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/log.h"
#include "sessiond/base/geometry.h"
#include "sessiond/base/parts.h"
#include "sessiond/mediator/mediator.h"
#include "sessiond/memory/memory-set.h"
#include "sessiond/ring/ring-set-import.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/session-private.h"
#include "sessiond/state/state.h"

/* One process's, while its rings are copied. */
struct rings {
	struct daemon *daemon;
	struct recovery *recovery;
	uint32_t index; /* of the record in the old saved state */
	const struct saved_process *record;
	struct memory_set *memories;  /* NULL: nothing of it is there yet */
	struct recover_source memory; /* of the slot's rings */
	uint64_t control_at;          /* in there */
	uint64_t saved_at;            /* of the ring set's part in the old saved state */
};

void recover_problem(struct recovery *recovery, bool again, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	log_warning("%s", text);
	/* Names in it may be anything; the rest of the world takes UTF-8. */
	for (char *c = text; *c; c++)
		if (*c < ' ' || *c == 0x7f)
			*c = '?';
	json_object_array_add(recovery->problems, json_object_new_string(text));
	recovery->again |= again;
}

static int read_control(void *data, uint64_t offset, void *bytes, uint64_t size)
{
	const struct rings *rings = data;

	return recover_source_read(&rings->memory, rings->control_at + offset, bytes, size);
}

static int read_data(void *data, uint64_t offset, void *bytes, uint64_t size)
{
	const struct rings *rings = data;

	return recover_source_read(&rings->memory, offset, bytes, size);
}

/* Where it cannot be written, another try would only be less exact. */
static void keep(void *data, uint64_t offset, const void *bytes, uint64_t size)
{
	const struct rings *rings = data;

	if (pwrite(rings->recovery->old.fd, bytes, size, (off_t)(rings->saved_at + offset)) < 0)
		return;
}

/* Anew in our own saved state, with the memory for its rings' copies. 0 or -errno. */
static int make_memories(struct rings *rings)
{
	struct saved_process *record;
	int error;

	if (rings->memories)
		return 0;
	error = memory_pool_take(rings->daemon->pool, &rings->memories);
	if (error)
		return error;
	record = memory_set_record(rings->memories);
	record->pid = rings->record->pid;
	record->uid = rings->record->uid;
	record->user = rings->record->user;
	record->gid = rings->record->gid;
	record->use_rseq = rings->record->use_rseq;
	memcpy(record->name, rings->record->name, sizeof(record->name));
	return 0;
}

/* Why the memory of the rings is not to be had. */
static void say_missing(const struct rings *rings, int error)
{
	const struct saved_process *record = rings->record;

	if (error == -ENOENT && !rings->recovery->old.head->named_files)
		recover_problem(rings->recovery, false,
				"%s (process %u): its rings went with it: events that were not on "
				"disk yet, if any, are lost; use --ring-dir for rings that outlive "
				"their programs",
				record->name, record->pid);
	else if (error == -ENOENT)
		recover_problem(rings->recovery, false,
				"%s (process %u): the file of its rings is gone", record->name,
				record->pid);
	else if (error == -EACCES)
		recover_problem(rings->recovery, true,
				"%s (process %u): who has its rings may not be looked into: try "
				"again as root",
				record->name, record->pid);
	else
		recover_problem(rings->recovery, true,
				"%s (process %u): its rings cannot be read: %s", record->name,
				record->pid, strerror(-error));
}

/* The slot's. 0, or -errno and it was said. */
static int find_memory(struct rings *rings, const struct channel *channel)
{
	int error = recover_source_find(rings->recovery->sources, rings->record->folder,
					rings->record->file[channel->slot], &rings->memory);

	if (error)
		say_missing(rings, error);
	return error;
}

static int copy_into(struct rings *rings, const struct channel *channel, struct ring_import *import)
{
	struct daemon *daemon = rings->daemon;
	struct memory_set *memories;
	const char *wrong;
	uint32_t closed;
	int error = make_memories(rings);

	if (error)
		return error;
	memories = rings->memories;
	error = memory_set_fit(memories, channel->slot,
			       geometry_data_size(daemon, channel->subbuf_shift,
						  channel->subbufs_shift),
			       geometry_control_size(daemon, channel->subbufs_shift));
	if (error)
		return error;
	wrong = ring_set_import(import,
				saved_set(daemon->saved_state, memories->index, channel->slot));
	if (wrong) {
		recover_problem(rings->recovery, false, "%s (process %u), channel %s: %s",
				rings->record->name, rings->record->pid, channel->name, wrong);
		return -EBADMSG;
	}
	closed = ring_set_copy(import,
			       saved_set(daemon->saved_state, memories->index, channel->slot),
			       memory_set_rings(memories, channel->slot),
			       memories->rings[channel->slot].fd);
	if (closed)
		recover_problem(
			rings->recovery, false,
			"%s (process %u), channel %s: %u rings cannot be read: their memory "
			"is cut short, or went away meanwhile",
			rings->record->name, rings->record->pid, channel->name, closed);
	return 0;
}

/*
 * The kernel module has the rings, whether their process lives or not: they are read as they are,
 * and end now.
 */
static int adopt(struct rings *rings, const struct channel *channel, const struct ring_saved *old)
{
	struct daemon *daemon = rings->daemon;
	struct ring_set_module module = { .doorbell = -1 };
	struct ring_set_config config = {
		.session = channel->session->key,
		.channel = channel->name,
		.pid = rings->record->pid,
		.cpu_rings = daemon->cpu_rings,
		.mode = channel->mode,
		.subbuf_shift = channel->subbuf_shift,
		.subbufs_shift = channel->subbufs_shift,
		.life = channel->life,
		.module = &module,
	};
	uint64_t control_at;
	int error, fd;

	if (!daemon->mediator_ops->device) {
		say_missing(rings, -ENOENT);
		return -ENOENT;
	}
	module.device = daemon->mediator_ops->device(daemon->mediator);
	error = make_memories(rings);
	if (error)
		return error;
	config.saved = saved_set(daemon->saved_state, rings->memories->index, channel->slot);
	fd = ring_set_module_adopt(&config, old, &control_at);
	error = fd < 0 ? fd : memory_set_adopt(rings->memories, channel->slot, fd, control_at);
	if (error)
		say_missing(rings, error);
	if (error && fd >= 0)
		close(fd);
	return error;
}

static int copy(struct rings *rings, const struct channel *channel, struct ring_import *import)
{
	int error = find_memory(rings, channel);

	if (error == 0)
		error = copy_into(rings, channel, import);
	recover_source_close(&rings->memory);
	return error;
}

/* One ring set of the process, if it had one in this channel. 0 or -errno. */
static int take_channel(struct rings *rings, const struct channel *channel)
{
	struct daemon *daemon = rings->daemon;
	struct ring_import import = {
		.mode = channel->mode,
		.cpu_rings = daemon->cpu_rings,
		.subbuf_shift = channel->subbuf_shift,
		.subbufs_shift = channel->subbufs_shift,
		.meta_page_size = daemon->meta_page_size,
		.read_control = read_control,
		.read_data = read_data,
		.keep = keep,
		.data = rings,
	};
	uint64_t size = ring_set_saved_size(daemon->cpu_rings);
	int error;

	rings->control_at = rings->record->control_at[channel->slot];
	rings->saved_at = recover_saved_set_at(&rings->recovery->old, rings->index, channel->slot);
	import.address = rings->recovery->old.head->address + rings->saved_at;
	import.saved = malloc(size);
	error = import.saved ? recover_saved_read(&rings->recovery->old, rings->saved_at,
						  import.saved, size)
			     : -ENOMEM;
	if (error == 0 &&
	    (ring_set_saved_generation(import.saved) != channel->life ||
	     ring_set_saved_id(import.saved) == saved_totals(channel->session->record)->last_set)) {
		free(import.saved);
		return 0;
	}
	if (error == 0)
		error = rings->recovery->old.head->by_module ? adopt(rings, channel, import.saved)
							     : copy(rings, channel, &import);
	free(import.saved);
	return error;
}

static void take_process(struct daemon *daemon, uint32_t index, const struct saved_process *record)
{
	struct rings rings = {
		.daemon = daemon,
		.recovery = daemon->recovery,
		.index = index,
		.record = record,
		.memory.fd = -1,
	};
	struct session *session;
	struct channel *channel;
	bool lost = false;

	cds_list_for_each_entry(session, sessions_list(daemon->sessions), node)
		cds_list_for_each_entry(channel, &session->channels, node)
			lost |= take_channel(&rings, channel) != 0;
	rings.recovery->lost += lost;
	if (!rings.memories)
		return;
	saved_process_set(daemon->saved_state, rings.memories->index, SAVED_ENDED);
	rings.recovery->processes += state_restore_ended(daemon, rings.memories) > 0;
}

void recover_processes(struct daemon *daemon)
{
	struct saved_process *record = malloc(sizeof(*record));
	struct session *session;

	/* The saved state may have lost what it described; that a session describes more does no
	 * harm.
	 */
	cds_list_for_each_entry(session, sessions_list(daemon->sessions), node)
		session_describe_all(session);
	for (uint32_t index = 0; record && index < SAVED_PROCESSES; index++)
		if (recover_saved_process(&daemon->recovery->old, index, record))
			take_process(daemon, index, record);
	if (!record)
		recover_problem(daemon->recovery, true, "out of memory");
	free(record);
}
