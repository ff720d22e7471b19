/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-fs.c - the mediator that shows rings as files of a file system of its
 * own, so that they read as the kernel's rings on tracefs do: FUSE with
 * passthrough (root, /dev/fuse, Linux >= 6.9). See ring-fs.h for the parts.
 *
 * The kernel's requests are answered in the ring thread. Only the first one,
 * INIT, is answered while the mediator is made: whether there is passthrough
 * decides whether this mediator can serve at all.
 */
#include "sessiond/mediator/ring-fs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include "sessiond/base/messages.h"
#include "sessiond/mediator/ring-dirs.h"

#define INIT_TIMEOUT_MS 5000
/* Requests answered in one turn of the loop, for the others' sake. */
#define REQUESTS_PER_TURN 32

/* ---- the connection --------------------------------------------------------------- */

static void handle_init(void *user_data, struct fuse_conn_info *connection)
{
	(void)user_data;
	/* Requests are small; a pipe between would only cost. */
	connection->want &= ~(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE);
}

/* 1, 0: none there now, or -errno; -ENODEV: it was unmounted. */
static int answer_one(struct mediator *mediator)
{
	int length = fuse_session_receive_buf(mediator->session, &mediator->buffer);

	if (length == -EAGAIN || length == -EINTR)
		return 0;
	if (length <= 0)
		return length < 0 ? length : -ENODEV;
	fuse_session_process_buf(mediator->session, &mediator->buffer);
	return 1;
}

static int on_request(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct mediator *mediator = data;
	int result = 1, turn;

	(void)fd;
	(void)revents;
	for (turn = 0; turn < REQUESTS_PER_TURN && result > 0; turn++)
		result = answer_one(mediator);
	if (result >= 0)
		return 0;
	message_say("The file system of the rings at %s does not work any more: %s. Was it "
		    "unmounted? Restart the session daemon.",
		    mediator->mountpoint, strerror(-result));
	return sd_event_source_set_enabled(source, SD_EVENT_OFF);
}

static int answer_init(struct mediator *mediator)
{
	struct pollfd wait = { .fd = fuse_session_fd(mediator->session), .events = POLLIN };
	int result;

	while (!mediator->init.seen) {
		result = poll(&wait, 1, INIT_TIMEOUT_MS);
		if (result < 0 && errno != EINTR)
			return -errno;
		if (result == 0)
			return -ETIMEDOUT;
		result = answer_one(mediator);
		if (result < 0)
			return result;
	}
	return 0;
}

/* Says whether a memory may be registered, which the first namespace's root may. */
static int try_passthrough(struct mediator *mediator)
{
	int id, fd = memfd_create("lttngmap-try", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	id = ring_fs_backing_open(mediator->session, fd);
	if (id > 0)
		ring_fs_backing_close(mediator->session, id);
	close(fd);
	return id < 0 ? id : 0;
}

/* ---- mounting ------------------------------------------------------------------------ */

/* Detaches the mount of a killed daemon: its server is gone, the mount remains. */
static void detach_stale(const char *place)
{
	struct stat status;

	while (stat(place, &status) < 0 && errno == ENOTCONN)
		if (umount2(place, MNT_DETACH | UMOUNT_NOFOLLOW) < 0)
			return;
}

static int mount_at(struct mediator *mediator, int fd)
{
	char options[128];

	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=%o,user_id=0,group_id=0,default_permissions,allow_other", fd,
		 S_IFDIR | 0700);
	/* The source is what lists call fsname, the type's second half the subtype. */
	if (mount("lttngmap", mediator->mountpoint, "fuse.lttngmap",
		  MS_NOSUID | MS_NODEV | MS_NOEXEC, options) < 0)
		return -errno;
	mediator->mounted = true;
	return 0;
}

static int session_create(struct mediator *mediator, int fd)
{
	char *arguments[] = { "lttngmap", NULL };
	struct fuse_args args = FUSE_ARGS_INIT(1, arguments);
	struct fuse_lowlevel_ops ops = { .init = handle_init };
	int error;

	ring_fs_dir_handlers(&ops);
	ring_fs_file_handlers(&ops);
	mediator->session = fuse_session_new(&args, &ops, sizeof(ops), mediator);
	fuse_opt_free_args(&args);
	error = mediator->session ? 0 : -ENOMEM;
	if (!error)
		error = fuse_session_custom_io(mediator->session, &ring_fs_init_io, fd);
	/* From here on the session closes it. */
	if (error)
		close(fd);
	return error;
}

/* -EPERM, -ENOENT, -EOPNOTSUPP with *why: not here; another -errno: it failed. */
static int connect_kernel(struct mediator *mediator, const char **why)
{
	int error, fd = open("/dev/fuse", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		error = errno == EACCES ? -EPERM : -errno;
		*why = "/dev/fuse cannot be opened";
		return error == -ENODEV || error == -ENXIO ? -ENOENT : error;
	}
	*why = "the file system of the rings cannot be mounted";
	error = session_create(mediator, fd);
	if (error)
		return error;
	error = mount_at(mediator, fd);
	if (error)
		return error == -ENODEV ? -ENOENT : error;
	error = answer_init(mediator);
	if (error)
		return error;
	*why = "this kernel has no FUSE passthrough (Linux 6.9 and later have it)";
	if (!mediator->init.done)
		return -EOPNOTSUPP;
	*why = "FUSE passthrough is for the first user namespace's root only";
	return try_passthrough(mediator);
}

/* ---- the mediator's operations --------------------------------------------------------- */

static void release_rings(struct mediator *mediator)
{
	struct ring_fs_node *node, *next;

	for (size_t i = 0; i < RING_FS_BUCKETS; i++) {
		cds_hlist_for_each_entry_safe_2(node, next, &mediator->tree.by_id[i], by_id) {
			ring_fs_file_abandon(node);
			if (!node->set)
				continue;
			ring_set_set_mediator_data(node->set, NULL);
			ring_set_put(node->set);
		}
	}
}

/*
 * By force: this ends the requests under way with an error, the helper's too,
 * for nobody answers them any more. Where the mount is in use it vanishes from
 * sight at once, and a reader's maps stay.
 */
static void unmount(struct mediator *mediator)
{
	if (!mediator->mounted)
		return;
	if (umount2(mediator->mountpoint, MNT_FORCE | UMOUNT_NOFOLLOW) < 0 && errno == EBUSY)
		umount2(mediator->mountpoint, MNT_DETACH | UMOUNT_NOFOLLOW);
}

static void ring_fs_destroy(struct mediator *mediator)
{
	if (!mediator)
		return;
	unmount(mediator);
	ring_fs_helper_destroy(mediator->helper);
	sd_event_source_disable_unref(mediator->source);
	sd_event_unref(mediator->loop);
	release_rings(mediator);
	ring_fs_tree_destroy(&mediator->tree);
	if (mediator->session)
		fuse_session_destroy(mediator->session);
	free(mediator->buffer.mem);
	free(mediator);
}

static struct mediator *mediator_create(const char *rings_dir)
{
	struct mediator *mediator = calloc(1, sizeof(*mediator) + strlen(rings_dir) + 1);

	if (!mediator)
		return NULL;
	strcpy(mediator->mountpoint, rings_dir);
	if (ring_fs_tree_init(&mediator->tree) < 0) {
		free(mediator);
		return NULL;
	}
	return mediator;
}

static int ring_fs_create(const char *runtime_dir, const char *rings_dir, sd_event *ring_loop,
			  struct mediator **result, const char **why)
{
	struct mediator *mediator;
	int error;

	(void)runtime_dir;
	*result = NULL;
	*why = "only root can mount the file system of the rings";
	if (geteuid() != 0)
		return -EPERM;
	*why = "no memory";
	mediator = mediator_create(rings_dir);
	if (!mediator)
		return -ENOMEM;
	detach_stale(rings_dir);
	error = connect_kernel(mediator, why);
	if (!error) {
		*why = "the helper thread or the event source cannot be made";
		error = ring_fs_helper_create(rings_dir, &mediator->helper);
	}
	if (!error)
		error = sd_event_add_io(ring_loop, &mediator->source,
					fuse_session_fd(mediator->session), EPOLLIN, on_request,
					mediator);
	if (error < 0) {
		ring_fs_destroy(mediator);
		return error;
	}
	mediator->loop = sd_event_ref(ring_loop);
	*result = mediator;
	return 0;
}

static int ring_fs_add_channel(struct mediator *mediator, const char *session, const char *channel)
{
	return ring_fs_helper_add_channel(mediator->helper, session, channel);
}

static void ring_fs_remove_channel(struct mediator *mediator, const char *session,
				   const char *channel)
{
	/* Without memory for the job the empty directory stays until unmount. */
	(void)ring_fs_helper_remove_channel(mediator->helper, session, channel);
}

static int ring_fs_announce(struct mediator *mediator, struct ring_set *set)
{
	const char *session = ring_set_session(set), *channel = ring_set_channel(set);
	const char *name = ring_set_file_name(set);
	struct ring_fs_tree *tree = &mediator->tree;
	struct ring_fs_node *node = tree->root;
	int error;

	if (!ring_dirs_name_is_valid(name))
		return -EINVAL;
	node = ring_fs_tree_find_child(tree, node, session);
	if (node)
		node = ring_fs_tree_find_child(tree, node, channel);
	if (!node)
		return -ENOENT;
	if (ring_fs_tree_find_child(tree, node, name))
		return -EEXIST;
	node = ring_fs_tree_add(tree, node, name, RING_FS_RING);
	if (!node)
		return -ENOMEM;
	error = ring_fs_helper_make_file(mediator->helper, session, channel, name);
	if (error) {
		ring_fs_tree_remove(node);
		return error;
	}
	node->set = ring_set_get(set);
	ring_set_set_mediator_data(set, node);
	return 0;
}

static void ring_fs_notify(struct mediator *mediator, struct ring_set *set)
{
	struct ring_fs_node *node = ring_set_mediator_data(set);

	(void)mediator;
	if (node)
		ring_fs_file_notify(node);
}

static void ring_fs_withdraw(struct mediator *mediator, struct ring_set *set)
{
	struct ring_fs_node *node = ring_set_mediator_data(set);

	if (!node)
		return;
	ring_fs_file_withdraw(node);
	/* From now on open and ioctl say ENODATA; the name goes in a moment. */
	node->set = NULL;
	ring_set_set_mediator_data(set, NULL);
	if (ring_fs_helper_remove_file(mediator->helper, ring_set_session(set),
				       ring_set_channel(set), ring_set_file_name(set)) < 0)
		message_say("The file of ring %s stays, for memory ran out.",
			    ring_set_file_name(set));
	ring_set_put(set);
}

const struct mediator_ops ring_fs_mediator = {
	.name = "ring-fs",
	.create = ring_fs_create,
	.destroy = ring_fs_destroy,
	.add_channel = ring_fs_add_channel,
	.remove_channel = ring_fs_remove_channel,
	.announce = ring_fs_announce,
	.notify = ring_fs_notify,
	.withdraw = ring_fs_withdraw,
};
