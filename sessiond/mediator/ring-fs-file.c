/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * FUSE requests on open files. A ring's mmap never comes here: passthrough
 * sends it to the memfd. Passthrough also ignores the memfd's seals for who
 * opened for writing, so nothing but O_RDONLY is ever opened.
 *
 * A blocked GET_READER is a request that is kept unanswered: until there is
 * something, the ring is withdrawn, or a signal interrupts it.
 */
#include "sessiond/mediator/ring-fs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/fuse.h>

/* Linux >= 6.9; the headers that we are built with may be older. */
#define KERNEL_FOPEN_PASSTHROUGH (UINT32_C(1) << 7)
struct kernel_open_out {
	uint64_t file;
	uint32_t flags;
	int32_t backing;
};
_Static_assert(sizeof(struct kernel_open_out) == sizeof(struct fuse_open_out),
	       "as the kernel has it");

/* One reader at a time, so a ring has at most one of these. */
struct ring_fs_file {
	struct ring_fs_node *node;
	struct fuse_session *session;
	int backing;
	bool nonblocking;               /* as opened: a later fcntl is not told to us */
	struct fuse_pollhandle *poller; /* or NULL */
	struct cds_list_head waiters;
};

/* A thread of the reader in a blocking GET_READER. */
struct waiter {
	struct cds_list_head node;
	fuse_req_t request;
};

static struct mediator *mediator_of(fuse_req_t request)
{
	return fuse_req_userdata(request);
}

static struct ring_fs_node *node_of(fuse_req_t request, fuse_ino_t id)
{
	return ring_fs_tree_find(&mediator_of(request)->tree, id);
}

/* ---- blocked readers and pollers ----------------------------------------------- */

static void waiter_end(struct waiter *waiter, int error)
{
	fuse_req_t request = waiter->request;

	cds_list_del(&waiter->node);
	fuse_req_interrupt_func(request, NULL, NULL);
	free(waiter);
	if (error)
		fuse_reply_err(request, error);
	else
		fuse_reply_ioctl(request, 0, NULL, 0);
}

static void end_waiters(struct ring_fs_file *file, int error)
{
	struct waiter *waiter, *next;

	cds_list_for_each_entry_safe(waiter, next, &file->waiters, node)
		waiter_end(waiter, error);
}

/* By libfuse, in the ring thread, with the request's lock held. */
static void on_interrupt(fuse_req_t request, void *data)
{
	struct waiter *waiter = data;

	cds_list_del(&waiter->node);
	free(waiter);
	fuse_reply_err(request, EINTR);
}

static void wait_for_data(fuse_req_t request, struct ring_fs_file *file)
{
	struct waiter *waiter;

	/* Now, not by the function: libfuse would use the request after it. */
	if (fuse_req_interrupted(request)) {
		fuse_reply_err(request, EINTR);
		return;
	}
	waiter = malloc(sizeof(*waiter));
	if (!waiter) {
		fuse_reply_err(request, ENOMEM);
		return;
	}
	waiter->request = request;
	cds_list_add_tail(&waiter->node, &file->waiters);
	fuse_req_interrupt_func(request, on_interrupt, waiter);
}

static void wake_poller(struct ring_fs_file *file)
{
	if (file->poller)
		fuse_lowlevel_notify_poll(file->poller);
}

void ring_fs_file_notify(struct ring_fs_node *node)
{
	struct ring_fs_file *file = node->file;
	int result;

	if (!file)
		return;
	if (!cds_list_empty(&file->waiters)) {
		result = ring_set_get_reader(node->set);
		if (result != 0)
			end_waiters(file, result < 0 ? -result : 0);
	}
	if (file->poller && ring_set_poll(node->set))
		wake_poller(file);
}

void ring_fs_file_withdraw(struct ring_fs_node *node)
{
	if (!node->file)
		return;
	ring_set_close_reader(node->set);
	end_waiters(node->file, ENODATA);
	wake_poller(node->file);
}

static void file_free(struct ring_fs_file *file)
{
	if (file->poller)
		fuse_pollhandle_destroy(file->poller);
	file->node->file = NULL;
	free(file);
}

void ring_fs_file_abandon(struct ring_fs_node *node)
{
	if (!node->file)
		return;
	end_waiters(node->file, ENOTCONN);
	file_free(node->file);
}

/* ---- rings: open and release ------------------------------------------------------ */

/* Its memory registered; NULL and *error where it cannot. */
static struct ring_fs_file *file_create(struct mediator *mediator, struct ring_fs_node *node,
					int flags, int *error)
{
	struct ring_fs_file *file = calloc(1, sizeof(*file));

	if (!file) {
		*error = -ENOMEM;
		return NULL;
	}
	file->backing = ring_fs_backing_open(mediator->session, ring_set_data_fd(node->set));
	if (file->backing < 0) {
		*error = file->backing;
		free(file);
		return NULL;
	}
	file->node = node;
	file->session = mediator->session;
	file->nonblocking = flags & O_NONBLOCK;
	CDS_INIT_LIST_HEAD(&file->waiters);
	node->file = file;
	return file;
}

static void file_close(struct ring_fs_file *file)
{
	if (file->node->set)
		ring_set_close_reader(file->node->set);
	end_waiters(file, EBADF);
	ring_fs_backing_close(file->session, file->backing);
	file_free(file);
}

static int check_open(const struct ring_fs_node *node, int flags)
{
	/* Not O_WRONLY, not O_RDWR, nor the 3 that means both and neither. */
	if ((flags & O_ACCMODE) != O_RDONLY || flags & (O_TRUNC | O_CREAT | O_APPEND))
		return -EACCES;
	if (!node->set)
		return -ENODATA;
	/* Until the kernel has said that the last one is closed for good. */
	if (node->file)
		return -EBUSY;
	return ring_set_open_reader(node->set);
}

static void open_ring(fuse_req_t request, struct ring_fs_node *node, int flags)
{
	struct kernel_open_out out = { .flags = KERNEL_FOPEN_PASSTHROUGH };
	struct ring_fs_file *file;
	int error = check_open(node, flags);

	if (error) {
		fuse_reply_err(request, -error);
		return;
	}
	file = file_create(mediator_of(request), node, flags, &error);
	if (!file) {
		ring_set_close_reader(node->set);
		fuse_reply_err(request, -error);
		return;
	}
	out.file = (uintptr_t)file;
	out.backing = file->backing;
	/* Interrupted: there will be no release. */
	if (fuse_reply_buf(request, (const char *)&out, sizeof(out)) < 0)
		file_close(file);
}

/* ---- stats -------------------------------------------------------------------------- */

static const char *state_of(struct ring_set *set)
{
	unsigned events = ring_set_poll(set);

	if (events & POLLIN)
		return "ready";
	return events & POLLHUP ? "ended" : "waiting";
}

static void print_stats(FILE *stream, const struct ring_fs_node *directory)
{
	struct ring_fs_node *node;

	fprintf(stream, "# %-30s %-7s %-6s %s\n", "ring", "state", "reader", "bytes");
	cds_list_for_each_entry(node, &directory->children, sibling) {
		if (node->visible && node->set)
			fprintf(stream, "%-32s %-7s %-6s %llu\n", node->name, state_of(node->set),
				node->file ? "yes" : "no",
				(unsigned long long)ring_set_data_size(node->set));
	}
}

/* The text is made when it is read, and nothing is kept for who has it open. */
static void open_stats(fuse_req_t request, const struct ring_fs_node *node,
		       struct fuse_file_info *info)
{
	if ((info->flags & O_ACCMODE) != O_RDONLY || info->flags & O_TRUNC || !node->parent) {
		fuse_reply_err(request, node->parent ? EACCES : ENOENT);
		return;
	}
	/* Its size is told by reading it. */
	info->direct_io = 1;
	fuse_reply_open(request, info);
}

static void read_stats(fuse_req_t request, const struct ring_fs_node *directory, size_t size,
		       off_t offset)
{
	size_t text_size = 0;
	char *text = NULL;
	FILE *stream = open_memstream(&text, &text_size);

	if (stream && directory)
		print_stats(stream, directory);
	if (!stream || fclose(stream) != 0) {
		fuse_reply_err(request, ENOMEM);
	} else if (offset < 0 || (uint64_t)offset >= text_size) {
		fuse_reply_buf(request, NULL, 0);
	} else {
		if (size > text_size - (size_t)offset)
			size = text_size - (size_t)offset;
		fuse_reply_buf(request, text + offset, size);
	}
	free(text);
}

static void handle_read(fuse_req_t request, fuse_ino_t id, size_t size, off_t offset,
			struct fuse_file_info *info)
{
	const struct ring_fs_node *node = node_of(request, id);

	(void)info;
	/* A ring's is read by passthrough. */
	if (node && node->kind == RING_FS_STATS)
		read_stats(request, node->parent, size, offset);
	else
		fuse_reply_err(request, EINVAL);
}

/* ---- all files ------------------------------------------------------------------------ */

static void handle_open(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
	struct ring_fs_node *node = node_of(request, id);

	if (!node)
		fuse_reply_err(request, ENOENT);
	else if (node->kind == RING_FS_RING)
		open_ring(request, node, info->flags);
	else if (node->kind == RING_FS_STATS)
		open_stats(request, node, info);
	else
		fuse_reply_err(request, EISDIR);
}

static void handle_release(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
	const struct ring_fs_node *node = node_of(request, id);

	(void)info;
	if (node && node->kind == RING_FS_RING && node->file)
		file_close(node->file);
	fuse_reply_err(request, 0);
}

/* ---- a reader's requests ----------------------------------------------------------------- */

static void answer_get_packet(fuse_req_t request, struct ring_set *set, const void *in,
			      size_t in_size, size_t out_size)
{
	struct lttngmap_packet packet;
	int error;

	if (in_size < sizeof(packet) || out_size < sizeof(packet)) {
		fuse_reply_err(request, EINVAL);
		return;
	}
	memcpy(&packet, in, sizeof(packet));
	error = ring_set_get_packet(set, &packet);
	if (error)
		fuse_reply_err(request, -error);
	else
		fuse_reply_ioctl(request, 0, &packet, sizeof(packet));
}

static void answer_get_packets(fuse_req_t request, struct ring_set *set, const void *in,
			       size_t in_size, size_t out_size)
{
	struct lttngmap_packets packets;
	int error;

	if (in_size < sizeof(packets) || out_size < sizeof(packets)) {
		fuse_reply_err(request, EINVAL);
		return;
	}
	memcpy(&packets, in, sizeof(packets));
	error = ring_set_get_packets(set, &packets);
	if (error)
		fuse_reply_err(request, -error);
	else
		fuse_reply_ioctl(request, 0, &packets, sizeof(packets));
}

static void answer_check_packet(fuse_req_t request, struct ring_set *set)
{
	int error = ring_set_check_packet(set);

	if (error)
		fuse_reply_err(request, -error);
	else
		fuse_reply_ioctl(request, 0, NULL, 0);
}

static void answer_get_reader(fuse_req_t request, struct ring_fs_file *file)
{
	int result = ring_set_get_reader(file->node->set);

	if (result == 0 && !file->nonblocking)
		wait_for_data(request, file);
	else if (result < 0)
		fuse_reply_err(request, -result);
	else
		fuse_reply_ioctl(request, 0, NULL, 0);
}

static void answer_get_size(fuse_req_t request, struct ring_set *set, size_t out_size)
{
	uint64_t size = ring_set_data_size(set);

	if (out_size < sizeof(size))
		fuse_reply_err(request, EINVAL);
	else
		fuse_reply_ioctl(request, 0, &size, sizeof(size));
}

/* Like tracefs: wakes readers that wait in GET_READER. */
static void answer_wake(fuse_req_t request, struct ring_fs_file *file)
{
	end_waiters(file, 0);
	fuse_reply_ioctl(request, 0, NULL, 0);
}

static bool is_ring_request(unsigned int command)
{
	return command == 0 || command == TRACE_MMAP_IOCTL_GET_READER ||
	       command == LTTNGMAP_IOC_GET_PACKET || command == LTTNGMAP_IOC_GET_PACKETS ||
	       command == LTTNGMAP_IOC_CHECK_PACKET || command == LTTNGMAP_IOC_GET_SIZE;
}

/*
 * The kernel copies as many bytes in and out as the command's number says. A
 * 32-bit reader's structs have the same layout, so it needs no special case.
 */
static void handle_ioctl(fuse_req_t request, fuse_ino_t id, unsigned int command, void *argument,
			 struct fuse_file_info *info, unsigned flags, const void *in,
			 size_t in_size, size_t out_size)
{
	struct ring_fs_node *node = node_of(request, id);

	(void)argument;
	(void)info;
	if (!node || node->kind != RING_FS_RING || flags & FUSE_IOCTL_DIR ||
	    !is_ring_request(command)) {
		fuse_reply_err(request, ENOTTY);
		return;
	}
	if (!node->set || !node->file) {
		fuse_reply_err(request, ENODATA);
		return;
	}
	switch (command) {
	case LTTNGMAP_IOC_GET_PACKET:
		answer_get_packet(request, node->set, in, in_size, out_size);
		break;
	case LTTNGMAP_IOC_GET_PACKETS:
		answer_get_packets(request, node->set, in, in_size, out_size);
		break;
	case LTTNGMAP_IOC_CHECK_PACKET:
		answer_check_packet(request, node->set);
		break;
	case LTTNGMAP_IOC_GET_SIZE:
		answer_get_size(request, node->set, out_size);
		break;
	case TRACE_MMAP_IOCTL_GET_READER:
		answer_get_reader(request, node->file);
		break;
	default:
		answer_wake(request, node->file);
		break;
	}
}

static void handle_poll(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info,
			struct fuse_pollhandle *poller)
{
	struct ring_fs_node *node = node_of(request, id);
	struct ring_fs_file *file = node && node->kind == RING_FS_RING ? node->file : NULL;
	unsigned events = POLLIN | POLLRDNORM;

	(void)info;
	/* One at a time, as often as the kernel gives a new one. */
	if (file && poller) {
		if (file->poller)
			fuse_pollhandle_destroy(file->poller);
		file->poller = poller;
	} else if (poller) {
		fuse_pollhandle_destroy(poller);
	}
	if (file)
		events = node->set ? ring_set_poll(node->set) : POLLHUP;
	if (events & POLLIN)
		events |= POLLRDNORM;
	fuse_reply_poll(request, events);
}

void ring_fs_file_handlers(struct fuse_lowlevel_ops *ops)
{
	ops->open = handle_open;
	ops->release = handle_release;
	ops->read = handle_read;
	ops->ioctl = handle_ioctl;
	ops->poll = handle_poll;
}
