/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The transport of ring-fs: requests are ioctls on the ring file itself.
 */
#include "common/ring-file/ring-file-transport.h"

#include <errno.h>
#include <sys/ioctl.h>

static int get_packet(struct lttngmap_ring_file *file, struct lttngmap_packet *packet)
{
	return ioctl(file->fd, LTTNGMAP_IOC_GET_PACKET, packet) < 0 ? -errno : 0;
}

static int get_packets(struct lttngmap_ring_file *file, struct lttngmap_packets *packets)
{
	return ioctl(file->fd, LTTNGMAP_IOC_GET_PACKETS, packets) < 0 ? -errno : 0;
}

static int check_packet(struct lttngmap_ring_file *file)
{
	return ioctl(file->fd, LTTNGMAP_IOC_CHECK_PACKET) < 0 ? -errno : 0;
}

static int get_reader(struct lttngmap_ring_file *file)
{
	return ioctl(file->fd, TRACE_MMAP_IOCTL_GET_READER) < 0 ? -errno : 0;
}

static const struct ring_file_transport transport = {
	.get_packet = get_packet,
	.get_packets = get_packets,
	.check_packet = check_packet,
	.get_reader = get_reader,
};

int ring_file_ioctl_attach(int fd, struct ring_file_attachment *attachment)
{
	uint64_t size;

	if (ioctl(fd, LTTNGMAP_IOC_GET_SIZE, &size) < 0)
		return errno == ENOTTY || errno == EINVAL ? -ENODEV : -errno;
	*attachment = (struct ring_file_attachment){
		.transport = &transport,
		.fd = fd,
		.memory_fd = fd,
		.size = size,
	};
	return 0;
}
