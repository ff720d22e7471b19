/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/storage/recover-saved.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/protocol/protocol-app.h"
#include "sessiond/ring/ring-reader.h"

/* No machine has more; and the sizes that follow do not overflow. */
#define CPUS_MAX 8192u
/* Latest time in nanoseconds: more than a century. */
#define TIME_MAX (UINT64_C(1) << 62)
/* Range of a clock's frequency, Hz. */
#define FREQUENCY_MIN UINT64_C(200000000)
#define FREQUENCY_MAX UINT64_C(100000000000)

int recover_saved_read(const struct recover_saved *old, uint64_t offset, void *bytes, uint64_t size)
{
	char *at = bytes;

	while (size > 0) {
		ssize_t got = pread(old->fd, at, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -ENODATA;
		at += got;
		offset += (uint64_t)got;
		size -= (uint64_t)got;
	}
	return 0;
}

/* Any byte may stand there, of which a bool may have two. */
static void mend_bool(bool *value)
{
	unsigned char byte;

	memcpy(&byte, value, 1);
	*value = byte != 0;
}

static const char *check_calibration(const struct clock_calibration *calibration)
{
	const struct clock_sample *first = &calibration->awake, *last = &calibration->last;
	struct clock_description description;
	uint32_t clock;

	memcpy(&clock, &calibration->clock, sizeof(clock));
	if (clock > LTTNGMAP_CLOCK_MONOTONIC || last->clock < first->clock ||
	    last->monotonic < first->monotonic || calibration->first.realtime >= TIME_MAX ||
	    calibration->first.clock >= RING_PAST_LATEST || last->clock >= RING_PAST_LATEST)
		return "its clock cannot be";
	clock_calibration_describe(calibration, &description);
	if (description.frequency < FREQUENCY_MIN || description.frequency > FREQUENCY_MAX)
		return "its clock cannot be";
	return NULL;
}

/* Is it of this version, with rings and records as this program has them? */
static bool is_of_this_version(const struct saved_head *head)
{
	uint32_t abi[SAVED_ABI_NUMBERS];

	saved_state_abi(abi);
	return head->version == SAVED_VERSION && memcmp(head->abi, abi, sizeof(abi)) == 0 &&
	       head->page_size == memory_page_size();
}

static const char *check_head(struct recover_saved *old, uint64_t size)
{
	struct saved_head *head = old->head;

	if (head->cpu_rings == 0 || head->cpu_rings > CPUS_MAX)
		return "its number of CPUs cannot be";
	saved_lay_out(head->cpu_rings, &old->layout);
	if (head->size != old->layout.size || head->set_stride != old->layout.set_stride ||
	    head->process_stride != old->layout.process_stride)
		return "it is laid out as no saved state of this version";
	if (size < old->layout.size)
		return "it is cut short";
	if (head->text > 1 || head->log > 1 || head->log_size[head->log] > SAVED_LOG_MAX ||
	    head->log_size[head->log] % 8 != 0)
		return "what it says of its parts cannot be";
	mend_bool(&head->named_files);
	mend_bool(&head->by_module);
	mend_bool(&head->is_kept);
	head->boot[sizeof(head->boot) - 1] = '\0';
	head->runtime_dir[sizeof(head->runtime_dir) - 1] = '\0';
	return check_calibration(&head->calibration);
}

int recover_saved_open(int fd, struct recover_saved *old, char why[RECOVER_WHY_SIZE])
{
	const char *wrong = NULL;
	struct stat status;
	int error = 0, refused = -EBADMSG;

	*old = (struct recover_saved){ .fd = fd };
	if (fstat(fd, &status) != 0)
		error = -errno;
	else if (!S_ISREG(status.st_mode))
		wrong = "it is no regular file";
	else if (status.st_uid != geteuid() || status.st_mode & (S_IWGRP | S_IWOTH))
		wrong = "it is another user's, or others may write to it";
	if (error == 0 && !wrong) {
		old->head = malloc(sizeof(*old->head));
		error = old->head ? recover_saved_read(old, 0, old->head, sizeof(*old->head))
				  : -ENOMEM;
		if (error == -ENODATA) {
			wrong = "it is cut short";
		} else if (error == 0 && old->head->magic != SAVED_MAGIC) {
			wrong = "it is no saved state";
		} else if (error == 0 && !is_of_this_version(old->head)) {
			wrong = "it is of another version of lttngmap, or of another kind of "
				"machine";
			refused = -EPROTO;
		} else if (error == 0) {
			wrong = check_head(old, (uint64_t)status.st_size);
		}
	}
	if (wrong)
		error = refused;
	if (error) {
		snprintf(why, RECOVER_WHY_SIZE, "%s", wrong ? wrong : strerror(-error));
		recover_saved_close(old);
	}
	return error;
}

void recover_saved_close(struct recover_saved *old)
{
	free(old->head);
	old->head = NULL;
}

/* ---- taking over ---------------------------------------------------------------------- */

/* One entry, whose header was read; *at is moved behind it. */
static int import_entry(const struct recover_saved *old, const struct saved_entry *entry,
			uint64_t *at, struct saved_state *saved_state)
{
	uint64_t left = old->head->log_size[old->head->log] - *at - sizeof(*entry);
	void *bytes;
	int error;

	if (entry->size > left)
		return -EBADMSG;
	bytes = malloc(entry->size + 1);
	if (!bytes)
		return -ENOMEM;
	error = recover_saved_read(old, old->layout.log[old->head->log] + *at + sizeof(*entry),
				   bytes, entry->size);
	if (error == 0)
		error = saved_log_append(saved_state, entry->id, entry->user, bytes, entry->size);
	free(bytes);
	*at += (sizeof(*entry) + entry->size + 7) & ~UINT64_C(7);
	return error;
}

/* One that is damaged corrupts all: nobody knows where the next one begins. */
static int import_log(const struct recover_saved *old, struct saved_state *saved_state)
{
	const uint64_t size = old->head->log_size[old->head->log];
	struct saved_entry entry;
	uint64_t at = 0;
	int error = 0;

	while (error == 0 && at < size) {
		if (size - at < sizeof(entry))
			return -EBADMSG;
		error = recover_saved_read(old, old->layout.log[old->head->log] + at, &entry,
					   sizeof(entry));
		if (error == 0)
			error = import_entry(old, &entry, &at, saved_state);
	}
	return error;
}

/* Up to its NUL, of a text that may have room for much more. */
static int read_text(const struct recover_saved *old, char **text, size_t *size)
{
	uint64_t at = old->layout.text[old->head->text];
	size_t step = 1 << 16;
	int error = 0;
	char *more;

	*text = NULL;
	for (*size = 0; *size < SAVED_TEXT_MAX; *size += step) {
		more = realloc(*text, *size + step);
		if (!more)
			return -ENOMEM;
		*text = more;
		error = recover_saved_read(old, at + *size, *text + *size, step);
		if (error)
			return error;
		if (memchr(*text + *size, '\0', step)) {
			*size = strlen(*text);
			return 0;
		}
	}
	return -EBADMSG;
}

bool recover_saved_is_empty(const struct recover_saved *old)
{
	char *text;
	size_t size;
	bool empty = read_text(old, &text, &size) != 0 || saved_text_is_empty(text);

	free(text);
	return empty;
}

static int import_text(const struct recover_saved *old, struct saved_state *saved_state)
{
	char *text;
	size_t size;
	int error = read_text(old, &text, &size);

	if (error == 0)
		error = saved_text_write(saved_state, text, size);
	free(text);
	return error;
}

/* Imports the bit sets of described classes. */
static int import_described(const struct recover_saved *old, struct saved_state *saved_state)
{
	static const uint64_t none[SAVED_DESCRIBED_SIZE / 8];
	uint64_t at = old->layout.described, ids[SAVED_DESCRIBED_SIZE / 8];
	int error = 0;

	for (uint32_t i = 0; error == 0 && i < SAVED_SESSIONS * LTTNGMAP_CHANNELS; i++) {
		uint32_t session = i / LTTNGMAP_CHANNELS, stream = i % LTTNGMAP_CHANNELS;

		error = recover_saved_read(old, at + i * sizeof(ids), ids, sizeof(ids));
		if (error || memcmp(ids, none, sizeof(ids)) == 0)
			continue;
		error = saved_described_reserve(saved_state, session, stream);
		if (error == 0)
			memcpy(saved_described(saved_state, session, stream), ids, sizeof(ids));
	}
	return error;
}

static void import_head(const struct saved_head *from, struct saved_head *to)
{
	to->lives = 2;
	snprintf(to->death, sizeof(to->death), "was killed, and its supervisor");
	to->last_set = from->last_set;
	to->last_life = from->last_life;
	to->calibration = from->calibration;
	memcpy(to->generations, from->generations, sizeof(to->generations));
	memcpy(to->sessions, from->sessions, sizeof(to->sessions));
	for (uint32_t i = 0; i < SAVED_SESSIONS; i++) {
		to->sessions[i].which = to->sessions[i].which != 0;
		/* Numbers of descriptors that were another process's. */
		to->sessions[i].consumer.pidfd = 0;
	}
}

int recover_saved_import(const struct recover_saved *old, struct saved_state *saved_state,
			 char why[RECOVER_WHY_SIZE])
{
	int error;

	import_head(old->head, saved_state->head);
	error = import_log(old, saved_state);
	if (error)
		snprintf(why, RECOVER_WHY_SIZE, "its event classes cannot be read: %s",
			 strerror(-error));
	if (error == 0) {
		error = import_text(old, saved_state);
		if (error == 0)
			error = import_described(old, saved_state);
		if (error)
			snprintf(why, RECOVER_WHY_SIZE, "its sessions cannot be read: %s",
				 strerror(-error));
	}
	return error;
}

/* ---- processes ------------------------------------------------------------------------ */

bool recover_saved_process(const struct recover_saved *old, uint32_t index,
			   struct saved_process *record)
{
	uint8_t state = old->head->processes[index];
	char name[NAME_PROGRAM_SIZE];

	if ((state != SAVED_LIVE && state != SAVED_ENDED) ||
	    recover_saved_read(old, old->layout.records + index * old->layout.process_stride,
			       record, sizeof(*record)) != 0)
		return false;
	mend_bool(&record->use_rseq);
	memcpy(name, record->name, sizeof(name));
	name_clean_program(name, sizeof(name), record->name);
	return true;
}

uint64_t recover_saved_set_at(const struct recover_saved *old, uint32_t index, uint32_t slot)
{
	return old->layout.records + index * old->layout.process_stride +
	       saved_set_offset(&old->layout, slot);
}
