/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/session/untraced.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sessiond/base/parts.h"
#include "sessiond/base/peer.h"
#include "common/base/time.h"
#include "sessiond/quota/quota.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process.h"
#include "sessiond/session/session.h"
#include "sessiond/storage/saved-state.h"

/* The last ones that were counted, by their numbers' low bits. */
#define REMEMBERED 8192u
/* Where the kernel does not tell processes apart: no number is used again so soon. */
#define SAME_PID_USEC UINT64_C(10000000)

struct remembered {
	struct untraced_process process;
	uint64_t usec;         /* when; 0: nobody is remembered */
	enum untraced_why why; /* 0: it was traced, and has ended */
	uint64_t counted;      /* slots by which sessions count it as traced then */
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
	return time_now_usec() - before->usec < SAME_PID_USEC;
}

/*
 * The count of that name and reason, of that user's processes. One user's names leave room for
 * others': beyond its share, all are one. Entries stay, so a name is found again where it was
 * counted.
 */
static uint64_t *find_count(const struct daemon *daemon, struct untraced_tally *tally,
			    uint32_t user, const char *name, enum untraced_why why)
{
	uint32_t uid = quota_owner(daemon->quota, user);
	bool is_limited = uid != 0 && uid != geteuid();
	unsigned int i, shares = 0;

	if (why == UNTRACED_OTHERS)
		name = "?";

	for (i = 0; i < UNTRACED_NAMES && tally->names[i].why; i++) {
		if (tally->names[i].uid != uid)
			continue;
		if (tally->names[i].why == why && strcmp(tally->names[i].name, name) == 0)
			return &tally->names[i].count;
		shares++;
	}
	if (is_limited && why != UNTRACED_OTHERS && shares + 1 >= UNTRACED_SHARE)
		return find_count(daemon, tally, uid, name, UNTRACED_OTHERS);
	if (i >= UNTRACED_NAMES - (is_limited ? UNTRACED_RESERVED : 0))
		return &tally->others;
	snprintf(tally->names[i].name, NAME_PROGRAM_SIZE, "%s", name);
	tally->names[i].count = 0;
	tally->names[i].uid = uid;
	tally->names[i].why = why;
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

/* Slots by which an ended, traced process was counted. */
static uint64_t ended_slots(struct untraced *untraced, const struct untraced_process *left)
{
	const struct remembered *before = place_of(untraced, left->pid);

	return left->pid && !before->why && is_same(before, left->pid, left->identity)
		       ? before->counted
		       : 0;
}

static void add(struct untraced *untraced, const struct untraced_process *left,
		enum untraced_why why, bool take_back)
{
	struct process process = { .pid = left->pid, .uid = left->uid, .gid = left->gid };
	struct process *registered = find_registered(untraced, left);
	uint64_t ended = registered ? 0 : ended_slots(untraced, left);
	struct session *session;
	uint64_t *count;

	memcpy(process.name, left->name, sizeof(process.name));
	if (registered && !take_back)
		untraced_take_back(registered);
	cds_list_for_each_entry(session, sessions_list(untraced->daemon->sessions), node) {
		if (session->state != SESSION_ACTIVE || !session_takes(session, &process))
			continue;
		count = find_count(untraced->daemon, &session->record->untraced, left->uid,
				   left->name, why);
		if (take_back && *count > 0)
			--*count;
		if (take_back)
			continue;
		++*count;
		/* It had another program, which was traced; one process is counted once. */
		if (registered)
			session_uncount(session, registered);
		else
			session_uncount_ended(session, ended);
	}
}

void untraced_count_in(struct session *session, const struct process *process,
		       enum untraced_why why, bool take_back)
{
	uint64_t *count = find_count(session->daemon, &session->record->untraced, process->uid,
				     process->name, why);

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
		if (why == UNTRACED_EXECUTED && before->why)
			return;
		if (before->why)
			forget(untraced, before);
	}
	add(untraced, process, why, false);
	*before = (struct remembered){ *process, time_now_usec(), why, 0 };
}

void untraced_ended(struct untraced *untraced, const struct process *process)
{
	struct remembered *place = place_of(untraced, process->pid);

	if (!process->counted)
		return;
	*place = (struct remembered){
		.process = { .pid = process->pid, .identity = peer_identity_of(process->pidfd) },
		.usec = time_now_usec(),
		.counted = process->counted,
	};
}

void untraced_forget(struct untraced *untraced, uint32_t pid, uint64_t identity)
{
	struct remembered *before = place_of(untraced, pid);

	if (before->why && is_same(before, pid, identity))
		forget(untraced, before);
}

void untraced_unsay(struct untraced *untraced, const struct untraced_process *process)
{
	const struct remembered *before = place_of(untraced, process->pid);

	if (process->pid && before->why == UNTRACED_EXECUTED && before->process.uid == process->uid)
		untraced_forget(untraced, process->pid, process->identity);
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

struct shown {
	char name[32];
	uint64_t count;
	uint32_t why;
	uint32_t uid;
};

static int compare(const void *a, const void *b)
{
	const struct shown *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Those that have a count, the largest first. How many. */
static unsigned int sort(const struct untraced_tally *tally, struct shown shown[UNTRACED_NAMES])
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < UNTRACED_NAMES && tally->names[i].why; i++) {
		struct shown one = { .count = tally->names[i].count,
				     .why = tally->names[i].why,
				     .uid = tally->names[i].uid };

		if (!one.count)
			continue;
		if (one.why == UNTRACED_OTHERS)
			snprintf(one.name, sizeof(one.name), "others of user %" PRIu32,
				 tally->names[i].uid);
		else
			snprintf(one.name, sizeof(one.name), "%s", tally->names[i].name);
		shown[nr++] = one;
	}
	qsort(shown, nr, sizeof(shown[0]), compare);
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
	struct shown shown[UNTRACED_NAMES];
	unsigned int nr = sort(tally, shown);

	for (unsigned int i = 0; i < nr; i++) {
		struct json_object *one =
			describe(shown[i].name, shown[i].count, word_for(shown[i].why));

		json_object_object_add(one, "uid", json_object_new_int64(shown[i].uid));
		json_object_array_add(array, one);
	}
	if (tally->others)
		json_object_array_add(array, describe("?", tally->others, "?"));
	return array;
}

char *untraced_text(const struct session *session)
{
	const struct untraced_tally *tally = &session->record->untraced;
	struct shown shown[UNTRACED_NAMES];
	unsigned int nr = sort(tally, shown);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (unsigned int i = 0; i < nr; i++) {
		fprintf(out, "%s%s", i ? ", " : "", shown[i].name);
		/* A name is its user's word. */
		if (shown[i].uid != session->owner && shown[i].why != UNTRACED_OTHERS)
			fprintf(out, " of user %" PRIu32, shown[i].uid);
		fprintf(out, " (%llu)", (unsigned long long)shown[i].count);
	}
	if (tally->others)
		fprintf(out, "%s? (%llu)", nr ? ", " : "", (unsigned long long)tally->others);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
