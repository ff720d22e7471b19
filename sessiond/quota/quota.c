/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/quota/quota.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/protocol/protocol-app.h"
#include "sessiond/quota/subuids.h"
#include "sessiond/storage/saved-state.h"

/*
 * More than a CPU can start and end of the smallest programs, or fork and end
 * children that register: who connects more often does something else.
 */
#define CONNECTIONS_EACH_CPU 4000u
/* Its classes, 64 KiB a message, further ones of each library it loads, its end. */
#define MESSAGES_EACH_CONNECTION 4u
#define LOG_LINES 1u
#define LOG_LINES_AT_ONCE_NS (UINT64_C(10) * SECOND_NS)

#define SECOND_NS UINT64_C(1000000000)
#define COUNT_MEMORY_USEC UINT64_C(1000000)
/* Users are few; one with subordinate ids can be thousands. */
#define CHAINS 256u

struct quota {
	struct quota_limits limits;
	struct subuids *subuids; /* NULL: each id is a user */
	struct cds_list_head users[CHAINS];
	uint64_t processes; /* that all limited users hold, as the next */
	uint64_t descriptors;
};

/* ---- limits -------------------------------------------------------------------- */

static const struct {
	const char *name;
	size_t offset;
} names[] = {
	{ "processes", offsetof(struct quota_limits, processes) },
	{ "descriptors", offsetof(struct quota_limits, descriptors) },
	{ "memory", offsetof(struct quota_limits, memory) },
	{ "connections", offsetof(struct quota_limits, connections) },
	{ "messages", offsetof(struct quota_limits, messages) },
};

static uint64_t *limit_at(struct quota_limits *limits, size_t i)
{
	return (uint64_t *)((char *)limits + names[i].offset);
}

void quota_limits_default(uint64_t descriptors, uint64_t memory, uint32_t cpus,
			  struct quota_limits *limits)
{
	uint64_t connections = (uint64_t)CONNECTIONS_EACH_CPU * cpus;

	*limits = (struct quota_limits){
		/* One user leaves half to the others; of memory, as tmpfs does. */
		.descriptors = descriptors / 2,
		.all_descriptors = descriptors,
		.processes = descriptors / 2 / (QUOTA_PROCESS_DESCRIPTORS + 1),
		.memory = memory / 2,
		.connections = connections,
		.messages = connections * MESSAGES_EACH_CONNECTION,
	};
	if (limits->processes > SAVED_PROCESSES / 2)
		limits->processes = SAVED_PROCESSES / 2;
}

static int parse_one(const char *text, size_t length, struct quota_limits *limits)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t name = strlen(names[i].name);
		uint64_t value;
		char *end;

		if (length <= name + 1 || strncmp(text, names[i].name, name) != 0 ||
		    text[name] != '=' || text[name + 1] < '0' || text[name + 1] > '9')
			continue;
		errno = 0;
		value = strtoull(text + name + 1, &end, 10);
		if (errno != 0 || end != text + length || value == 0 || value > INT64_MAX)
			return -EINVAL;
		*limit_at(limits, i) = value;
		return 0;
	}
	return -EINVAL;
}

int quota_limits_parse(const char *text, struct quota_limits *limits, const char **wrong)
{
	for (;;) {
		size_t length = strcspn(text, ",");

		*wrong = text;
		if (parse_one(text, length, limits) != 0)
			return -EINVAL;
		if (text[length] == '\0')
			return 0;
		text += length + 1;
	}
}

/* ---- users --------------------------------------------------------------------- */

int quota_create(const struct quota_limits *limits, struct quota **result)
{
	struct quota *quota = calloc(1, sizeof(*quota));

	*result = quota;
	if (!quota)
		return -ENOMEM;
	quota->limits = *limits;
	for (uint32_t i = 0; i < CHAINS; i++)
		CDS_INIT_LIST_HEAD(&quota->users[i]);
	return 0;
}

void quota_destroy(struct quota *quota)
{
	struct quota_user *user, *next;

	for (uint32_t i = 0; quota && i < CHAINS; i++)
		cds_list_for_each_entry_safe(user, next, &quota->users[i], node) {
			free(user->class_ids);
			free(user);
		}
	if (quota)
		subuids_destroy(quota->subuids);
	free(quota);
}

int quota_group(struct quota *quota, const char *subuid_file)
{
	quota->subuids = subuids_create(subuid_file);
	return quota->subuids ? 0 : -ENOMEM;
}

const struct quota_limits *quota_limits(const struct quota *quota)
{
	return &quota->limits;
}

uint32_t quota_owner(const struct quota *quota, uint32_t uid)
{
	return subuids_owner(quota->subuids, uid);
}

static struct quota_user *find_user(const struct quota *quota, uint32_t uid)
{
	struct quota_user *user;

	cds_list_for_each_entry(user, &quota->users[uid % CHAINS], node)
		if (user->uid == uid)
			return user;
	return NULL;
}

struct quota_user *quota_user(struct quota *quota, uint32_t id)
{
	uint32_t uid = quota_owner(quota, id);
	struct quota_user *user = find_user(quota, uid);

	if (user)
		return user;
	/* One that is new: is it anybody's by now? */
	if (quota->subuids) {
		subuids_refresh(quota->subuids);
		uid = quota_owner(quota, id);
		user = find_user(quota, uid);
		if (user)
			return user;
	}
	user = calloc(1, sizeof(*user));
	if (!user)
		return NULL;
	user->quota = quota;
	user->uid = uid;
	user->limited = uid != 0 && uid != geteuid();
	CDS_INIT_LIST_HEAD(&user->pending);
	CDS_INIT_LIST_HEAD(&user->run_queue);
	CDS_INIT_LIST_HEAD(&user->ends);
	cds_list_add(&user->node, &quota->users[uid % CHAINS]);
	return user;
}

void quota_each(struct quota *quota, void (*take)(struct quota_user *user, void *data), void *data)
{
	struct quota_user *user;

	for (uint32_t i = 0; i < CHAINS; i++)
		cds_list_for_each_entry(user, &quota->users[i], node)
			take(user, data);
}

/* ---- what is held -------------------------------------------------------------- */

static int take(struct quota_user *user, uint32_t *held, uint32_t count, uint64_t limit, bool force)
{
	if (user->limited && !force && (uint64_t)quota_held(held) + count > limit)
		return -EDQUOT;
	__atomic_add_fetch(held, count, __ATOMIC_RELAXED);
	return 0;
}

/*
 * The most that a user who holds `held` may hold, but `most`. An eighth of all is left to root and
 * the daemon's own user, and an eighth of the rest to the next user.
 */
static uint64_t most_of(uint64_t all, uint64_t most, const uint64_t *by_all, const uint32_t *held)
{
	uint64_t others = __atomic_load_n(by_all, __ATOMIC_RELAXED) - quota_held(held);
	uint64_t left = all - all / 8 > others ? all - all / 8 - others : 0;

	left -= left / 8;
	return all == 0 || most < left ? most : left;
}

static uint64_t most_processes(const struct quota_user *user)
{
	const struct quota *quota = user->quota;

	return most_of(SAVED_PROCESSES, quota->limits.processes, &quota->processes,
		       &user->processes);
}

static uint64_t most_descriptors(const struct quota_user *user)
{
	const struct quota *quota = user->quota;

	return most_of(quota->limits.all_descriptors, quota->limits.descriptors,
		       &quota->descriptors, &user->descriptors);
}

int quota_take_process(struct quota_user *user, bool force)
{
	int error = take(user, &user->processes, 1, most_processes(user), force);

	if (!error && user->limited)
		__atomic_add_fetch(&user->quota->processes, 1, __ATOMIC_RELAXED);
	return error;
}

int quota_take_descriptors(struct quota_user *user, uint32_t count, bool force)
{
	int error = take(user, &user->descriptors, count, most_descriptors(user), force);

	if (!error && user->limited)
		__atomic_add_fetch(&user->quota->descriptors, count, __ATOMIC_RELAXED);
	return error;
}

int quota_check_held(const struct quota_user *user)
{
	return user->limited && (quota_held(&user->processes) >= most_processes(user) ||
				 quota_held(&user->descriptors) >= most_descriptors(user))
		       ? -EDQUOT
		       : 0;
}

void quota_drop(struct quota_user *user, uint32_t processes, uint32_t descriptors)
{
	__atomic_sub_fetch(&user->processes, processes, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&user->descriptors, descriptors, __ATOMIC_RELAXED);
	if (!user->limited)
		return;
	__atomic_sub_fetch(&user->quota->processes, processes, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&user->quota->descriptors, descriptors, __ATOMIC_RELAXED);
}

uint64_t quota_disk_room(const struct quota_user *user, const struct saved_disk *disk)
{
	uint64_t had = __atomic_load_n(&user->disk, __ATOMIC_RELAXED) + user->classes.bytes;

	return quota_share(disk->left, had, disk->all, QUOTA_DISK_USER);
}

int quota_take_disk(struct quota_user *user, uint64_t bytes, const struct saved_disk *disk,
		    bool force)
{
	if (user->limited && !force && bytes > quota_disk_room(user, disk))
		return -EDQUOT;
	__atomic_add_fetch(&user->disk, bytes, __ATOMIC_RELAXED);
	return 0;
}

void quota_drop_disk(struct quota_user *user, uint64_t bytes)
{
	__atomic_sub_fetch(&user->disk, bytes, __ATOMIC_RELAXED);
}

/* NULL: there is no memory, or no user; then a child of its processes may go untraced. */
static uint64_t *class_ids(struct quota_user *user)
{
	if (user && !user->class_ids)
		user->class_ids = calloc(LTTNGMAP_EVENT_IDS / 64, sizeof(*user->class_ids));
	return user ? user->class_ids : NULL;
}

void quota_note_classes(struct quota_user *user, const uint16_t *ids, uint32_t nr_ids)
{
	uint64_t *words = class_ids(user);

	for (uint32_t i = 0; words && i < nr_ids; i++)
		if (ids[i] != PROTOCOL_APP_NO_ID)
			words[ids[i] / 64] |= UINT64_C(1) << ids[i] % 64;
}

void quota_note_words(struct quota_user *user, const uint64_t *from, uint32_t nr_words)
{
	uint64_t *words = nr_words ? class_ids(user) : NULL;

	for (uint32_t i = 0; words && i < nr_words && i < LTTNGMAP_EVENT_IDS / 64; i++)
		words[i] |= from[i];
}

bool quota_has_class(const struct quota_user *user, uint32_t id)
{
	return user->class_ids && user->class_ids[id / 64] >> id % 64 & 1;
}

void quota_add_classes(struct quota_user *user, const struct registry_room *taken)
{
	user->classes.ids += taken->ids;
	user->classes.bytes += taken->bytes;
}

void quota_drop_classes(struct quota_user *user, const struct registry_room *taken)
{
	user->classes.ids -= taken->ids;
	user->classes.bytes -= taken->bytes;
}

void quota_forget_classes(struct quota *quota, const uint64_t *ids)
{
	struct quota_user *user;

	for (uint32_t chain = 0; chain < CHAINS; chain++)
		cds_list_for_each_entry(user, &quota->users[chain], node)
			for (uint32_t i = 0; user->class_ids && i < LTTNGMAP_EVENT_IDS / 64; i++)
				user->class_ids[i] &= ~ids[i];
}

uint64_t quota_share(uint64_t left, uint64_t had, uint64_t all, uint32_t one_in)
{
	uint64_t kept = all / QUOTA_CLASSES_KEPT, most;

	left = left > kept ? left - kept : 0;
	most = (left + had) / one_in;
	if (most <= had)
		return 0;
	return most - had < left ? most - had : left;
}

struct registry_room quota_class_room(const struct quota_user *user,
				      const struct registry_room *left,
				      const struct saved_disk *disk)
{
	const struct registry_room *had = &user->classes;
	uint64_t bytes, on_disk;

	if (!user->limited)
		return *left;
	bytes = quota_share(left->bytes, had->bytes, REGISTRY_BYTES_MAX, QUOTA_CLASSES_USER);
	on_disk = quota_disk_room(user, disk);
	return (struct registry_room){
		.ids = (uint32_t)quota_share(left->ids, had->ids, REGISTRY_CLASSES_MAX,
					     QUOTA_CLASSES_USER),
		.bytes = bytes < on_disk ? bytes : on_disk,
	};
}

int quota_check_memory(struct quota_user *user, uint64_t now_usec,
		       uint64_t (*count)(const struct quota_user *user, void *data), void *data)
{
	if (!user->limited)
		return 0;
	if (user->memory_usec == 0 || now_usec - user->memory_usec > COUNT_MEMORY_USEC) {
		user->memory = count(user, data);
		user->memory_usec = now_usec;
	}
	return user->memory > user->quota->limits.memory ? -EDQUOT : 0;
}

/* ---- rates --------------------------------------------------------------------- */

/*
 * Each unit lasts a second / rate. A user that took less than `ahead_ns` ahead of time
 * may take another one.
 */
static uint64_t rate_take(struct quota_rate *rate, uint64_t a_second, uint64_t ahead_ns,
			  uint32_t cost, uint64_t now_usec)
{
	uint64_t now = now_usec * 1000;

	if (rate->until_ns < now)
		rate->until_ns = now;
	if (rate->until_ns - now > ahead_ns)
		return (rate->until_ns - now - ahead_ns) / 1000 + 1;
	rate->until_ns += cost * SECOND_NS / a_second;
	return 0;
}

uint64_t quota_take_connection(struct quota_user *user, uint64_t now_usec)
{
	return user->limited ? rate_take(&user->connections, user->quota->limits.connections,
					 SECOND_NS, 1, now_usec)
			     : 0;
}

uint64_t quota_take_message(struct quota_user *user, uint32_t cost, uint64_t now_usec)
{
	return user->limited ? rate_take(&user->messages, user->quota->limits.messages, SECOND_NS,
					 cost, now_usec)
			     : 0;
}

void quota_charge_command(struct quota_user *user, uint64_t took_ns)
{
	user->messages.until_ns += took_ns * QUOTA_COMMAND_SHARE;
}

uint64_t quota_take_log_line(struct quota_user *user, uint64_t now_usec)
{
	return rate_take(&user->log_lines, LOG_LINES, LOG_LINES_AT_ONCE_NS, 1, now_usec);
}

bool quota_may_say(struct quota_user *user, uint64_t now_usec, char more[QUOTA_MORE_SIZE])
{
	more[0] = '\0';
	if (!user)
		return true;
	if (quota_take_log_line(user, now_usec) != 0) {
		user->suppressed++;
		return false;
	}
	if (user->suppressed > 0)
		snprintf(more, QUOTA_MORE_SIZE, " (%llu such messages were not shown)",
			 (unsigned long long)user->suppressed);
	user->suppressed = 0;
	return true;
}
