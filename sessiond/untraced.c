/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/untraced.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sessiond/channel.h"
#include "sessiond/daemon.h"
#include "sessiond/ledger.h"
#include "sessiond/peer.h"
#include "sessiond/process.h"
#include "sessiond/session.h"

/* The last ones that were counted, by their numbers' low bits. */
#define REMEMBERED 8192u
/* Where the kernel does not tell processes apart: no number is used again so soon. */
#define SAME_PID_USEC UINT64_C(10000000)

struct remembered {
	struct untraced_process process;
	uint64_t usec; /* when; 0: nobody is remembered */
	enum untraced_why why;
};

struct untraced {
	struct daemon *daemon;
	struct remembered remembered[REMEMBERED];
};

int untraced_create(struct daemon *daemon, struct untraced **result)
{
	struct untraced *untraced = calloc(1, sizeof(*untraced));

	*result = untraced;
	if (!untraced)
		return -ENOMEM;
	untraced->daemon = daemon;
	return 0;
}

void untraced_destroy(struct untraced *untraced)
{
	free(untraced);
}

static struct remembered *place_of(struct untraced *untraced, uint32_t pid)
{
	return &untraced->remembered[pid % REMEMBERED];
}

static bool is_same(const struct remembered *before, uint32_t pid, uint64_t identity)
{
	if (!before->usec || before->process.pid != pid)
		return false;
	if (identity && before->process.identity)
		return before->process.identity == identity;
	return daemon_now_usec() - before->usec < SAME_PID_USEC;
}

/* The entry of that name and reason, else a free one, else NULL. */
static uint64_t *find_count(struct untraced_tally *tally, const char *name, enum untraced_why why)
{
	unsigned int i = 0;

	while (i < UNTRACED_NAMES && tally->names[i].why &&
	       (tally->names[i].why != why || strcmp(tally->names[i].name, name) != 0))
		i++;
	if (i == UNTRACED_NAMES)
		return NULL;
	if (!tally->names[i].why) {
		memcpy(tally->names[i].name, name, NAME_PROGRAM_SIZE);
		tally->names[i].count = 0;
		tally->names[i].why = why;
	}
	return &tally->names[i].count;
}

/* The very process, of which an earlier program is traced; NULL: none. */
static struct process *find_registered(struct untraced *untraced,
				       const struct untraced_process *left)
{
	struct process *process = process_lookup(untraced->daemon->processes, left->pid);

	if (!process || (left->identity && peer_identity_of(process->pidfd) != left->identity))
		return NULL;
	return process;
}

void untraced_take_back(struct process *process)
{
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++) {
		enum untraced_why why = process->slots[slot].left_out;
		struct channel *channel = why ? sessions_channel_at(process->daemon->sessions, slot)
					      : NULL;

		if (channel)
			untraced_count_in(channel->session, process, why, true);
		process->slots[slot].left_out = 0;
	}
}

static void add(struct untraced *untraced, const struct untraced_process *left,
		enum untraced_why why, bool take_back)
{
	struct process process = { .pid = left->pid, .uid = left->uid, .gid = left->gid };
	struct process *registered = find_registered(untraced, left);
	struct session *session;
	uint64_t *count;

	memcpy(process.name, left->name, sizeof(process.name));
	if (registered && !take_back)
		untraced_take_back(registered);
	cds_list_for_each_entry(session, sessions_list(untraced->daemon->sessions), node) {
		if (session->state != SESSION_ACTIVE || !session_takes(session, &process))
			continue;
		count = find_count(&session->record->untraced, left->name, why);
		if (!count)
			count = &session->record->untraced.others;
		if (take_back && *count > 0)
			--*count;
		if (take_back)
			continue;
		++*count;
		/* It had another program, which was traced; one process is counted once. */
		if (registered)
			session_uncount(session, registered);
	}
}

void untraced_count_in(struct session *session, const struct process *process,
		       enum untraced_why why, bool take_back)
{
	uint64_t *count = find_count(&session->record->untraced, process->name, why);

	if (!count)
		count = &session->record->untraced.others;
	if (!take_back)
		++*count;
	else if (*count > 0)
		--*count;
}

static void forget(struct untraced *untraced, struct remembered *before)
{
	add(untraced, &before->process, before->why, true);
	before->usec = 0;
}

void untraced_count(struct untraced *untraced, const struct untraced_process *process,
		    enum untraced_why why)
{
	struct remembered *before = place_of(untraced, process->pid);

	if (!process->pid) {
		add(untraced, process, why, false);
		return;
	}
	if (is_same(before, process->pid, process->identity)) {
		/* A reason that it gave says more. */
		if (why == UNTRACED_EXECUTED)
			return;
		forget(untraced, before);
	}
	*before = (struct remembered){ *process, daemon_now_usec(), why };
	add(untraced, process, why, false);
}

void untraced_forget(struct untraced *untraced, uint32_t pid, uint64_t identity)
{
	struct remembered *before = place_of(untraced, pid);

	if (is_same(before, pid, identity))
		forget(untraced, before);
}

/* ---- what is shown ------------------------------------------------------------- */

uint64_t untraced_total(const struct session *session)
{
	const struct untraced_tally *tally = &session->record->untraced;
	uint64_t total = tally->others;

	for (unsigned int i = 0; i < UNTRACED_NAMES; i++)
		total += tally->names[i].why ? tally->names[i].count : 0;
	return total;
}

static const char *word_for(uint32_t why)
{
	static const char *const words[] = {
		[UNTRACED_LATE] = "late",         [UNTRACED_REFUSED] = "refused",
		[UNTRACED_SHORT] = "descriptors", [UNTRACED_FORKED] = "forked",
		[UNTRACED_EXECUTED] = "executed", [UNTRACED_ALONE] = "alone",
	};

	return why < sizeof(words) / sizeof(words[0]) && words[why] ? words[why] : "?";
}

/* The places of those that have a count, the largest first. How many. */
static unsigned int sort(const struct untraced_tally *tally, unsigned int order[UNTRACED_NAMES])
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < UNTRACED_NAMES; i++) {
		unsigned int at = nr;

		if (!tally->names[i].why || !tally->names[i].count)
			continue;
		for (; at > 0 && tally->names[order[at - 1]].count < tally->names[i].count; at--)
			order[at] = order[at - 1];
		order[at] = i;
		nr++;
	}
	return nr;
}

static struct json_object *describe(const char *name, uint64_t count, const char *why)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "name", json_object_new_string(name));
	json_object_object_add(object, "count", json_object_new_uint64(count));
	json_object_object_add(object, "why", json_object_new_string(why));
	return object;
}

struct json_object *untraced_list(const struct session *session)
{
	const struct untraced_tally *tally = &session->record->untraced;
	struct json_object *array = json_object_new_array();
	unsigned int order[UNTRACED_NAMES], nr = sort(tally, order);

	for (unsigned int i = 0; i < nr; i++)
		json_object_array_add(array, describe(tally->names[order[i]].name,
						      tally->names[order[i]].count,
						      word_for(tally->names[order[i]].why)));
	if (tally->others)
		json_object_array_add(array, describe("?", tally->others, "?"));
	return array;
}

char *untraced_text(const struct session *session)
{
	const struct untraced_tally *tally = &session->record->untraced;
	unsigned int order[UNTRACED_NAMES], nr = sort(tally, order);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (unsigned int i = 0; i < nr; i++)
		fprintf(out, "%s%s (%llu)", i ? ", " : "", tally->names[order[i]].name,
			(unsigned long long)tally->names[order[i]].count);
	if (tally->others)
		fprintf(out, "%s? (%llu)", nr ? ", " : "", (unsigned long long)tally->others);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
