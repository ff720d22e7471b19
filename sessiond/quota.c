/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/quota.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include <urcu/list.h>

/* Of a process, beside its reserve: socket, pidfd, doorbell, pages, rings. */
#define DESCRIPTORS_EACH 8u

struct user {
	struct cds_list_head node;
	uint32_t uid;
	uint32_t processes;
	uint32_t classes;
};

struct quota {
	uint32_t processes;
	struct cds_list_head users; /* those who were ever seen: a few */
};

uint32_t quota_processes(uint64_t descriptors, uint32_t reserve)
{
	/* One user leaves half of them to the others. */
	uint64_t processes = descriptors / 2 / (DESCRIPTORS_EACH + reserve);

	return processes > UINT32_MAX ? UINT32_MAX : (uint32_t)processes;
}

int quota_create(uint32_t processes, struct quota **result)
{
	struct quota *quota = calloc(1, sizeof(*quota));

	*result = quota;
	if (!quota)
		return -ENOMEM;
	quota->processes = processes;
	CDS_INIT_LIST_HEAD(&quota->users);
	return 0;
}

void quota_destroy(struct quota *quota)
{
	struct user *user, *next;

	if (!quota)
		return;
	cds_list_for_each_entry_safe(user, next, &quota->users, node)
		free(user);
	free(quota);
}

static bool is_limited(uint32_t uid)
{
	return uid != 0 && uid != geteuid();
}

static struct user *find_user(const struct quota *quota, uint32_t uid)
{
	struct user *user;

	cds_list_for_each_entry(user, &quota->users, node)
		if (user->uid == uid)
			return user;
	return NULL;
}

/* NULL: no memory. */
static struct user *get_user(struct quota *quota, uint32_t uid)
{
	struct user *user = find_user(quota, uid);

	if (user)
		return user;
	user = calloc(1, sizeof(*user));
	if (!user)
		return NULL;
	user->uid = uid;
	cds_list_add(&user->node, &quota->users);
	return user;
}

int quota_take_process(struct quota *quota, uint32_t uid)
{
	struct user *user;

	if (!is_limited(uid))
		return 0;
	user = get_user(quota, uid);
	if (!user)
		return -ENOMEM;
	if (user->processes >= quota->processes)
		return -EDQUOT;
	user->processes++;
	return 0;
}

void quota_drop_process(struct quota *quota, uint32_t uid)
{
	struct user *user = find_user(quota, uid);

	if (user && user->processes > 0)
		user->processes--;
}

void quota_add_classes(struct quota *quota, uint32_t uid, uint32_t classes)
{
	struct user *user = is_limited(uid) ? get_user(quota, uid) : NULL;

	if (user)
		user->classes += classes;
}

int quota_check_classes(const struct quota *quota, uint32_t uid)
{
	const struct user *user = find_user(quota, uid);

	return user && user->classes >= QUOTA_CLASSES ? -EDQUOT : 0;
}
