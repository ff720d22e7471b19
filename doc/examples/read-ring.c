/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * read-ring.c - read what a ring holds now, a traced program's or the kernel's.
 *
 *   cc -o read-ring read-ring.c -llttngmap-ring-file
 *   ./read-ring /run/lttngmap/rings/SESSION/CHANNEL/PROGRAM-PID-ID
 *   ./read-ring /sys/kernel/tracing/per_cpu/cpu0/trace_pipe_raw
 *
 * Reading takes events out of the ring: nobody else finds them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <lttngmap/ring-file.h>

/* How the kernel packs events: see /sys/kernel/tracing/events/header_event. */
enum { KERNEL_LONG = 0, KERNEL_PADDING = 29, KERNEL_TIME_EXTEND = 30, KERNEL_TIME_STAMP = 31 };

/* How many events the kernel put in there. */
static unsigned long long count_kernel_events(const char *data, uint32_t length)
{
	unsigned long long events = 0;
	uint32_t at = 0, header, size;

	while (at + sizeof(header) <= length) {
		memcpy(&header, data + at, sizeof(header));
		switch (header & 31) {
		case KERNEL_TIME_EXTEND:
		case KERNEL_TIME_STAMP:
			size = 8;
			break;
		case KERNEL_LONG:
		case KERNEL_PADDING:
			/* The length is the word behind. Padding without a time is the end. */
			if (at + 8 > length || header == KERNEL_PADDING)
				return events;
			memcpy(&size, data + at + 4, sizeof(size));
			size += 4;
			break;
		default:
			size = 4 + 4 * (header & 31);
		}
		events += (header & 31) < KERNEL_PADDING;
		if (size > length - at)
			break;
		at += size;
	}
	return events;
}

int main(int argc, char **argv)
{
	struct lttngmap_ring_file *file;
	unsigned long long events = 0, lost = 0;
	int error;

	if (argc != 2) {
		fprintf(stderr, "usage: read-ring FILE\n");
		return 2;
	}
	error = lttngmap_ring_file_open(argv[1], &file);
	if (error) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-error));
		return 1;
	}
	for (;;) {
		struct lttngmap_packet packet = { .cpu = LTTNGMAP_CPU_ANY,
						  .flags = LTTNGMAP_PACKET_PARTIAL };
		const char *data;

		error = lttngmap_ring_file_get_packet(file, &packet);
		if (error)
			break;
		data = lttngmap_ring_file_data(file, &packet);
		if (packet.flags & LTTNGMAP_PACKET_KERNEL)
			packet.events = count_kernel_events(data, packet.length);
		printf("cpu %u: from %llu on %llu events in %u bytes\n", packet.cpu,
		       (unsigned long long)packet.timestamp_begin,
		       (unsigned long long)packet.events, packet.length);
		events += packet.events;
		lost = packet.discarded;
	}
	printf("%llu events, %llu lost\n", events, lost);
	lttngmap_ring_file_close(file);
	/* Nothing more now, or ever. */
	return error != -EAGAIN && error != -ENODATA;
}
