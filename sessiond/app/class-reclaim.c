/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/app/class-reclaim.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/class/registry.h"
#include "sessiond/memory/control-pages.h"
#include "sessiond/quota/quota.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/session.h"
#include "sessiond/storage/saved-state.h"

#define WORDS (LTTNGMAP_EVENT_IDS / 64)
/* One part in so many of the time. */
#define RECLAIM_PART 20u

struct reclaim {
	struct daemon *daemon;
	uint64_t used[WORDS]; /* a bit for each id */
	uint64_t paid[WORDS]; /* used by who is charged for it */
	bool charging;        /* the second time: who uses one that is not is charged */
	struct registry_room left;
	struct saved_disk disk;
};

/* A charged class is one that its payer can register anew, so the holder's own limit counts. */
static bool may_charge(const struct reclaim *reclaim, const struct quota_user *user)
{
	struct registry_room room = quota_class_room(user, &reclaim->left, &reclaim->disk);

	return room.ids > 0 && room.bytes > 0;
}

static void charge(struct reclaim *reclaim, uint32_t id, struct quota_user *user)
{
	struct registry *registry = reclaim->daemon->registry;
	struct quota_user *old =
		quota_user(reclaim->daemon->quota, registry_get(registry, id)->user);
	const struct registry_room room = registry_charge(registry, (uint16_t)id, user->uid);

	if (old)
		quota_drop_classes(old, &room);
	quota_add_classes(user, &room);
}

/* The user uses these ids; NULL: without being charged. */
static void use(struct reclaim *reclaim, const uint64_t *ids, uint32_t nr_words,
		struct quota_user *user)
{
	for (uint32_t i = 0; i < nr_words; i++) {
		uint64_t left = ids[i] & ~(reclaim->used[i] & reclaim->paid[i]);

		reclaim->used[i] |= ids[i];
		for (; left; left &= left - 1) {
			uint32_t id = i * 64 + (uint32_t)__builtin_ctzll(left);
			const struct registry_class *class =
				registry_get(reclaim->daemon->registry, id);

			bool of_other = class && user && user->uid != class->user;

			if (!class ||
			    (of_other && !(reclaim->charging && may_charge(reclaim, user))))
				continue;
			if (of_other)
				charge(reclaim, id, user);
			reclaim->paid[i] |= left & -left;
		}
	}
}

static void use_of_processes(struct reclaim *reclaim)
{
	const struct saved_state *saved_state = reclaim->daemon->saved_state;

	for (uint32_t index = 0; index < SAVED_PROCESSES; index++) {
		const struct saved_process *process = saved_process(saved_state, index);

		if (saved_process_state(saved_state, index) == SAVED_LIVE)
			use(reclaim, process->classes, process->class_words,
			    quota_user(reclaim->daemon->quota, process->uid));
	}
}

static void use_of_sessions(struct reclaim *reclaim)
{
	struct session *session;

	cds_list_for_each_entry(session, sessions_list(reclaim->daemon->sessions), node) {
		struct quota_user *user = quota_user(reclaim->daemon->quota, session->owner);

		for (uint32_t stream = 0; stream < session->nr_streams; stream++)
			use(reclaim, session_described(session, stream), WORDS,
			    user && user->limited ? user : NULL);
	}
}

static void find_used(struct reclaim *reclaim)
{
	const struct lttngmap_control *control = control_pages_get(reclaim->daemon->pages);

	reclaim->left = registry_room(reclaim->daemon->registry);
	saved_state_look(reclaim->daemon->saved_state, &reclaim->disk);
	for (int pass = 0; pass < 2; pass++) {
		reclaim->charging = pass == 1;
		use_of_processes(reclaim);
		use_of_sessions(reclaim);
	}
	/*
	 * A class that is turned on is described. If it were not, its id would not be reused
	 * either.
	 */
	for (uint32_t id = 0; id < registry_count(reclaim->daemon->registry); id++)
		if (__atomic_load_n(&control->event_words[id], __ATOMIC_RELAXED))
			reclaim->used[id / 64] |= UINT64_C(1) << id % 64;
}

static bool is_used(const struct reclaim *reclaim, uint32_t id)
{
	return reclaim->used[id / 64] >> id % 64 & 1;
}

static bool keep(uint32_t id, uint32_t *user, const void *data)
{
	const struct reclaim *reclaim = data;
	const struct registry_class *class = registry_get(reclaim->daemon->registry, id);

	if (class)
		*user = class->user;
	return is_used(reclaim, id);
}

/* The saved state first: who is killed meanwhile finds them gone, and nobody uses them. */
static int give_back(struct reclaim *reclaim)
{
	struct daemon *daemon = reclaim->daemon;
	int error = saved_log_compact(daemon->saved_state, keep, reclaim);
	struct session *session;
	struct channel *channel;

	if (error)
		return error;
	for (uint32_t id = 0; id < registry_count(daemon->registry); id++) {
		const struct registry_class *class = registry_get(daemon->registry, id);
		struct quota_user *user;
		struct registry_room room;

		if (!class || is_used(reclaim, id))
			continue;
		user = quota_user(daemon->quota, class->user);
		room = registry_remove(daemon->registry, (uint16_t)id);
		if (user)
			quota_drop_classes(user, &room);
	}
	for (uint32_t i = 0; i < WORDS; i++)
		reclaim->used[i] = ~reclaim->used[i];
	quota_forget_classes(daemon->quota, reclaim->used);
	/* Another class of the id is to be decided anew. */
	cds_list_for_each_entry(session, sessions_list(daemon->sessions), node)
		cds_list_for_each_entry(channel, &session->channels, node)
			for (uint32_t i = 0; i < WORDS; i++) {
				channel->decided[i] &= ~reclaim->used[i];
				channel->looked[i] &= ~reclaim->used[i];
				channel->refused[i] &= ~reclaim->used[i];
			}
	return 0;
}

/* CPU time of this thread. */
static uint64_t cpu_usec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void class_reclaim(struct daemon *daemon)
{
	static struct reclaim reclaim;
	uint64_t begin;
	int error;

	/* Rings that are recovered belong to processes that are not registered. */
	if (time_now_usec() < daemon->reclaim_usec || daemon->recovery)
		return;
	begin = cpu_usec();
	memset(&reclaim, 0, sizeof(reclaim));
	reclaim.daemon = daemon;
	find_used(&reclaim);
	error = give_back(&reclaim);
	if (error)
		message_say("event classes that nobody uses are kept: %s", strerror(-error));
	daemon->reclaim_usec = time_now_usec() + (cpu_usec() - begin) * RECLAIM_PART;
}
