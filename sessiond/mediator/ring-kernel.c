/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-kernel.c - the mediator whose rings the kernel module reads and shows
 * (doc/design/ring-kernel.md).
 *
 * The daemon makes channels' folders and ring sets, and asks for their counts. What readers get,
 * and when, is the module's business, with or without a daemon.
 */
#include "sessiond/mediator/mediator.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include "sessiond/ring/module-abi.h"

struct mediator {
	int device;
	char rings_dir[];
};

/* Those of daemons that were killed, too. */
static void unmount_all(const char *rings_dir)
{
	while (umount2(rings_dir, MNT_DETACH | UMOUNT_NOFOLLOW) == 0)
		;
}

static void ring_kernel_destroy(struct mediator *mediator)
{
	if (!mediator)
		return;
	if (strcmp(mediator->rings_dir, LTTNGMAP_MODULE_FOLDER) != 0)
		unmount_all(mediator->rings_dir);
	/* Its sessions are anybody's. */
	close(mediator->device);
	free(mediator);
}

/* Then a file of debugfs that has a map is opened by nobody. */
static bool is_locked_down(void)
{
	int fd = open("/sys/kernel/security/lockdown", O_RDONLY | O_CLOEXEC);
	char text[64];
	ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	return length > 0 && !strstr(text, "[none]");
}

static int connect_module(struct mediator *mediator, const char **why)
{
	*why = "the kernel module lttngmap is not loaded: there is no " LTTNGMAP_MODULE_DEVICE;
	mediator->device = open(LTTNGMAP_MODULE_DEVICE, O_RDWR | O_CLOEXEC);
	if (mediator->device < 0 && errno != ENOENT)
		*why = LTTNGMAP_MODULE_DEVICE " cannot be opened: only root may";
	if (mediator->device < 0)
		return -errno;
	*why = "the kernel is locked down: nobody can open ring files in debugfs";
	if (is_locked_down())
		return -EPERM;
	/* Where rings are recovered. */
	if (strcmp(mediator->rings_dir, LTTNGMAP_MODULE_FOLDER) == 0)
		return 0;
	unmount_all(mediator->rings_dir);
	*why = "debugfs is not mounted at /sys/kernel/debug, or cannot be bound to the runtime "
	       "directory";
	if (mount(LTTNGMAP_MODULE_FOLDER, mediator->rings_dir, NULL, MS_BIND, NULL) < 0)
		return -errno;
	return 0;
}

static int ring_kernel_create(const char *runtime_dir, const char *rings_dir, sd_event *ring_loop,
			      struct mediator **result, const char **why)
{
	struct mediator *mediator = calloc(1, sizeof(*mediator) + strlen(rings_dir) + 1);
	int error;

	(void)runtime_dir;
	(void)ring_loop;
	*result = NULL;
	*why = "no memory";
	if (!mediator)
		return -ENOMEM;
	strcpy(mediator->rings_dir, rings_dir);
	error = connect_module(mediator, why);
	if (error) {
		if (mediator->device >= 0)
			close(mediator->device);
		free(mediator);
		return error;
	}
	*result = mediator;
	return 0;
}

static int ask_channel(const struct mediator *mediator, unsigned long request, const char *session,
		       const char *channel)
{
	struct lttngmap_channel_name name = { .session = "" };

	snprintf(name.session, sizeof(name.session), "%s", session);
	snprintf(name.channel, sizeof(name.channel), "%s", channel);
	return ioctl(mediator->device, request, &name) < 0 ? -errno : 0;
}

static int ring_kernel_add_channel(struct mediator *mediator, const char *session,
				   const char *channel)
{
	return ask_channel(mediator, LTTNGMAP_CHANNEL_ADD, session, channel);
}

static void ring_kernel_remove_channel(struct mediator *mediator, const char *session,
				       const char *channel)
{
	(void)ask_channel(mediator, LTTNGMAP_CHANNEL_REMOVE, session, channel);
}

static void ring_kernel_notify(struct mediator *mediator, struct ring_set *set)
{
	uint64_t id = ring_set_id(set);

	/* ENOENT: it was removed meanwhile. */
	(void)ioctl(mediator->device, LTTNGMAP_SET_SHOW, &id);
}

static int ring_kernel_announce(struct mediator *mediator, struct ring_set *set)
{
	ring_kernel_notify(mediator, set);
	return 0;
}

/* ring_set_forget() removed it. */
static void ring_kernel_withdraw(struct mediator *mediator, struct ring_set *set)
{
	(void)mediator;
	(void)set;
}

static int ring_kernel_device(const struct mediator *mediator)
{
	return mediator->device;
}

const struct mediator_ops ring_kernel_mediator = {
	.name = "ring-kernel",
	.create = ring_kernel_create,
	.destroy = ring_kernel_destroy,
	.add_channel = ring_kernel_add_channel,
	.remove_channel = ring_kernel_remove_channel,
	.announce = ring_kernel_announce,
	.notify = ring_kernel_notify,
	.withdraw = ring_kernel_withdraw,
	.device = ring_kernel_device,
};
