/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/vmcore/extract.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/log.h"
#include "sessiond/ring/ring-set-private.h"
#include "sessiond/storage/recover-saved.h"
#include "sessiond/vmcore/extract-set.h"

/* Entries of a list that are followed; a damaged one may have no end. */
#define SETS_MAX 65536u
#define STATES_MAX 64u
/* The largest memory of rings, and the largest saved state, sparse. */
#define RINGS_MAX (UINT64_C(1) << 44)
#define STATE_MAX (UINT64_C(1) << 46)

struct extract {
	struct dump *dump;
	struct dump_set *sets;
	uint32_t sets_count;
	struct extract_counts *counts;
	int dir;   /* of the daemon that is extracted */
	int state; /* its saved state */
	struct recover_saved saved;
	uint64_t sets_of_daemon;
	uint64_t last_file;
};

/* ---- lists --------------------------------------------------------------------------- */

/* The structures of a list, by the offset of their node; how many, `max` at most. */
static uint32_t read_list(struct dump *dump, uint64_t head, uint32_t node, uint32_t max,
			  uint64_t *entries)
{
	uint64_t at = dump_read_address(dump, head);
	uint32_t count = 0;

	for (; at != 0 && at != head && count < max; at = dump_read_address(dump, at))
		entries[count++] = at - node;
	return count;
}

static bool read_set(struct dump *dump, struct dump_set *set)
{
	const struct lttngmap_anchor_set *layout = &dump_anchor(dump)->set;

	return dump_read(dump, set->address + layout->info, &set->info, sizeof(set->info)) == 0 &&
	       dump_read(dump, set->address + layout->rings, &set->rings, sizeof(set->rings)) ==
		       0 &&
	       set->info.id != 0;
}

static int find_sets(struct extract *extract)
{
	const struct lttngmap_anchor *anchor = dump_anchor(extract->dump);
	uint64_t *addresses = calloc(SETS_MAX, sizeof(*addresses));
	uint32_t count;

	if (!addresses)
		return -ENOMEM;
	count = read_list(extract->dump, anchor->sets, anchor->set.node, SETS_MAX, addresses);
	extract->sets = calloc(count ? count : 1, sizeof(*extract->sets));
	for (uint32_t i = 0; extract->sets && i < count; i++) {
		struct dump_set *set = &extract->sets[extract->sets_count];

		set->address = addresses[i];
		if (read_set(extract->dump, set))
			extract->sets_count++;
		else
			extract->counts->lost_sets++;
	}
	free(addresses);
	return extract->sets ? 0 : -ENOMEM;
}

static struct dump_set *find_set(const struct extract *extract, uint64_t id)
{
	for (uint32_t i = 0; i < extract->sets_count; i++)
		if (extract->sets[i].info.id == id && !extract->sets[i].used)
			return &extract->sets[i];
	return NULL;
}

/* ---- one ring set ---------------------------------------------------------------------- */

static int write_at(int fd, uint64_t offset, const void *bytes, size_t size)
{
	if (pwrite(fd, bytes, size, (off_t)offset) == (ssize_t)size)
		return 0;
	return errno ? -errno : -EIO;
}

/* Files of rings and their folders are named by numbers. */
static int make_file(struct extract *extract, struct saved_process *record, uint32_t slot)
{
	char folder[MEMORY_FILE_NAME_SIZE], name[MEMORY_FILE_NAME_SIZE];
	char path[2 * MEMORY_FILE_NAME_SIZE];
	int fd;

	if (record->folder == 0) {
		record->folder = ++extract->last_file;
		memory_file_name(record->folder, folder);
		if (mkdirat(extract->dir, folder, 0700) != 0)
			return -errno;
	}
	record->file[slot] = ++extract->last_file;
	memory_file_name(record->folder, folder);
	memory_file_name(record->file[slot], name);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = openat(extract->dir, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

static int copy_rings(struct extract *extract, const struct dump_set *set,
		      struct saved_process *record, uint32_t slot)
{
	const struct lttngmap_anchor_set *layout = &dump_anchor(extract->dump)->set;
	uint64_t file = dump_read_address(extract->dump, set->address + layout->memory);
	int fd, error;

	if (!file)
		return -EBADMSG;
	fd = make_file(extract, record, slot);
	if (fd < 0)
		return fd;
	error = dump_copy_file(extract->dump, file, RINGS_MAX, fd, &extract->counts->pages);
	close(fd);
	record->control_at[slot] = set->info.control_at;
	return error;
}

/* Rings that a process has in a channel, if the saved state says so. 0 or -errno. */
static int take_slot(struct extract *extract, uint32_t index, uint32_t slot,
		     struct saved_process *record, struct ring_saved *saved)
{
	const struct recover_saved *old = &extract->saved;
	uint64_t at = recover_saved_set_at(old, index, slot);
	size_t size = ring_set_saved_size(old->head->cpu_rings);
	struct dump_set *set;
	int error;

	record->file[slot] = 0;
	error = recover_saved_read(old, at, saved, size);
	if (error)
		return error;
	set = saved->id ? find_set(extract, saved->id) : NULL;
	if (!set || set->rings != old->head->cpu_rings + LTTNGMAP_EXTRA_RINGS)
		return 0;
	error = extract_set_state(extract->dump, set, old->head->address + at, saved);
	if (error == 0)
		error = copy_rings(extract, set, record, slot);
	if (error == -EIO || error == -EBADMSG) {
		log_warning("%s (process %u): its rings in channel %s cannot be read", record->name,
			    record->pid, set->info.channel);
		record->file[slot] = 0;
		return 0;
	}
	if (error)
		return error;
	set->used = true;
	extract->sets_of_daemon++;
	return write_at(extract->state, at, saved, size);
}

static int take_process(struct extract *extract, uint32_t index, struct saved_process *record,
			struct ring_saved *saved)
{
	const struct saved_layout *layout = &extract->saved.layout;
	int error = 0;

	record->folder = 0;
	for (uint32_t slot = 0; error == 0 && slot < LTTNGMAP_CHANNELS; slot++)
		error = take_slot(extract, index, slot, record, saved);
	if (error)
		return error;
	return write_at(extract->state, layout->records + index * layout->process_stride, record,
			sizeof(*record));
}

/* ---- one saved state --------------------------------------------------------------------- */

/* From now on it says what a daemon with --ring-dir would say. */
static int change_head(const struct extract *extract)
{
	struct saved_head *head = extract->saved.head;

	head->by_module = false;
	head->named_files = true;
	/* That of another machine, or of another time. */
	memset(head->runtime_dir, 0, sizeof(head->runtime_dir));
	return write_at(extract->state, 0, head, sizeof(*head));
}

static int take_processes(struct extract *extract)
{
	struct ring_saved *saved = malloc(ring_set_saved_size(extract->saved.head->cpu_rings));
	struct saved_process *record = malloc(sizeof(*record));
	int error = saved && record ? 0 : -ENOMEM;

	for (uint32_t index = 0; error == 0 && index < SAVED_PROCESSES; index++)
		if (recover_saved_process(&extract->saved, index, record))
			error = take_process(extract, index, record, saved);
	free(record);
	free(saved);
	return error == 0 ? change_head(extract) : error;
}

/* 0, with no set if it is of no use; -errno. */
static int take_state(struct extract *extract, uint64_t file)
{
	struct dump_file_counts pages = { .copied = 0 };
	char why[RECOVER_WHY_SIZE];
	int error = dump_copy_file(extract->dump, file, STATE_MAX, extract->state, &pages);

	if (error == -EBADMSG) {
		log_warning("a saved state cannot be read");
		return 0;
	}
	if (error)
		return error;
	error = recover_saved_open(extract->state, &extract->saved, why);
	if (error) {
		log_warning("a saved state in the dump cannot be used: %s", why);
		return 0;
	}
	error = take_processes(extract);
	recover_saved_close(&extract->saved);
	return error;
}

/* In a folder of its own, which is removed where nothing is in it. */
static int take_daemon(struct extract *extract, int dir, uint64_t file)
{
	char name[16];
	int error;

	snprintf(name, sizeof(name), "%u", extract->counts->daemons);
	if (mkdirat(dir, name, 0700) != 0)
		return -errno;
	extract->sets_of_daemon = 0;
	extract->last_file = 0;
	extract->state = -1;
	extract->dir = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (extract->dir >= 0)
		extract->state = openat(extract->dir, SAVED_FILE,
					O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	error = extract->state < 0 ? -errno : take_state(extract, file);
	if (extract->state >= 0)
		close(extract->state);
	if (error == 0 && extract->sets_of_daemon == 0) {
		unlinkat(extract->dir, SAVED_FILE, 0);
		unlinkat(dir, name, AT_REMOVEDIR);
	} else if (error == 0) {
		extract->counts->daemons++;
		extract->counts->sets += extract->sets_of_daemon;
	}
	if (extract->dir >= 0)
		close(extract->dir);
	return error;
}

int extract_all(struct dump *dump, int dir, struct extract_counts *counts)
{
	const struct lttngmap_anchor *anchor = dump_anchor(dump);
	struct extract extract = { .dump = dump, .counts = counts };
	uint64_t states[STATES_MAX];
	uint32_t count;
	int error;

	*counts = (struct extract_counts){ .daemons = 0 };
	error = find_sets(&extract);
	count = read_list(dump, anchor->states, anchor->state.node, STATES_MAX, states);
	for (uint32_t i = 0; error == 0 && i < count; i++) {
		uint64_t file = dump_read_address(dump, states[i] + anchor->state.file);

		if (file)
			error = take_daemon(&extract, dir, file);
	}
	for (uint32_t i = 0; i < extract.sets_count; i++)
		counts->lost_sets += !extract.sets[i].used;
	free(extract.sets);
	if (error)
		log_error("what was found cannot be written: %s", strerror(-error));
	return error;
}
