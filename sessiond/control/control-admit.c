/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/control/control-admit.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/log.h"
#include "sessiond/base/listen.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"

#define GROUPS_MAX 4096
/* A new connection must send "hello" or "consumer" within this time. */
#define GREET_USEC UINT64_C(4000000)
#define GREET_ACCURACY_USEC UINT64_C(100000)

/* ---- whom ------------------------------------------------------------------------ */

void control_admit_group(struct control_socket *control, const char *path)
{
	const struct group *group;

	if (geteuid() != 0 || control->daemon->options->private_instance)
		return;
	group = getgrnam(CONTROL_GROUP);
	if (!group)
		return;
	control->group = group->gr_gid;
	control->has_group = true;
	/* A socket of systemd's has the rights that its unit gives. */
	if (listen_is_passed(path))
		return;
	if (chown(path, (uid_t)-1, group->gr_gid) != 0 || chmod(path, 0660) != 0)
		log_warning("members of the group " CONTROL_GROUP " cannot use %s: %s", path,
			    strerror(errno));
}

static bool has_group(int fd, gid_t group)
{
	gid_t groups[GROUPS_MAX];
	socklen_t size = sizeof(groups);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0)
		return false;
	for (size_t i = 0; i < size / sizeof(groups[0]); i++)
		if (groups[i] == group)
			return true;
	return false;
}

bool control_is_served(const struct control_client *client)
{
	const struct control_socket *control = client->control;

	if (client->peer.uid == 0 || client->peer.uid == geteuid())
		return true;
	return control->has_group &&
	       (client->peer.gid == control->group || has_group(client->fd, control->group));
}

/* ---- how many -------------------------------------------------------------------- */

/* True if the client has not sent a valid "hello" yet; an unread message may still be one. */
static bool is_half_open(const struct control_client *client)
{
	struct pollfd spoken = { .fd = client->fd, .events = POLLIN };

	return !client->greeted && !client->pending && poll(&spoken, 1, 0) == 0;
}

/* For the oldest of them; where we are late ourselves, not at once. */
void control_arm_greet(struct control_socket *control)
{
	uint64_t soon = time_now_usec() + GREET_ACCURACY_USEC;
	struct control_client *client;

	cds_list_for_each_entry(client, &control->clients, node) {
		uint64_t end = client->since_usec + GREET_USEC;

		if (client->greeted)
			continue;
		sd_event_source_set_time(control->greet, end > soon ? end : soon);
		sd_event_source_set_enabled(control->greet, SD_EVENT_ONESHOT);
		return;
	}
	sd_event_source_set_enabled(control->greet, SD_EVENT_OFF);
}

static int on_greet_over(sd_event_source *source, uint64_t usec, void *data)
{
	struct control_socket *control = data;
	struct control_client *client, *next;
	uint64_t now = time_now_usec();

	(void)source;
	(void)usec;
	cds_list_for_each_entry_safe(client, next, &control->clients, node)
		if (client->since_usec + GREET_USEC <= now && is_half_open(client))
			control_client_free(client);
	control_arm_greet(control);
	return 0;
}

/* The oldest that never spoke, of the user or, with NULL, of anybody. */
static struct control_client *find_silent(const struct control_socket *control,
					  const struct quota_user *user,
					  const struct control_client *newest)
{
	struct control_client *client;

	cds_list_for_each_entry(client, &control->clients, node)
		if (client != newest && (!user || client->user == user) && is_half_open(client))
			return client;
	return NULL;
}

bool control_make_room(struct control_socket *control, const struct control_client *newest)
{
	struct control_client *client, *silent;
	unsigned int of_user = 0;
	/* All that others may have leave some to root and the daemon's own user. */
	unsigned int most =
		CONTROL_CLIENTS_MAX + (newest->user->limited ? 0 : CONTROL_CLIENTS_PER_USER_MAX);
	bool too_many;

	cds_list_for_each_entry(client, &control->clients, node)
		of_user += client->user == newest->user;
	too_many = newest->user->limited && of_user > CONTROL_CLIENTS_PER_USER_MAX;
	if (!too_many && control->nr_clients <= most)
		return true;
	silent = find_silent(control, too_many ? newest->user : NULL, newest);
	if (!silent)
		return false;
	control_client_free(silent);
	return true;
}

int control_add_timer(struct control_socket *control)
{
	int error = sd_event_add_time(control->daemon->event, &control->greet, CLOCK_MONOTONIC,
				      UINT64_MAX, GREET_ACCURACY_USEC, on_greet_over, control);

	return error < 0 ? error : sd_event_source_set_enabled(control->greet, SD_EVENT_OFF);
}
