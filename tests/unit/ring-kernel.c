/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A kernel's ring goes on in a stream that ends later than it should: what no
 * reader would take is counted as lost in the stream, and what is lost without an
 * event is told of at the stream's end.
 */
#include "consumerd/session/ring-kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/base/log.h"
#include "tests/utils/kernel-page.h"
#include "tests/utils/tap.h"
#include "tests/utils/trace-kit.h"

#define END UINT64_C(500000) /* of the stream */

static struct output_session_shared shared;
static struct kernel_plan *classes;
static struct kernel_page page;
static struct output_session_written written;

/* A stream with one packet of an earlier consumer's, which counts three losses. */
static struct stream *begin(struct trace *trace, const char *folder)
{
	const struct lttngmap_packet first = {
		.cpu = 1,
		.timestamp_begin = END - 10,
		.timestamp_end = END,
		.discarded = 3,
	};
	struct stream *stream;

	written = (struct output_session_written){ .packets = 0 };
	if (trace_open(trace, trace_kit_path("%s", folder), trace_kit_uuid))
		bail_out("no trace");
	stream = stream_create(trace, &shared.pool, "kernel_1", "kernel", 0);
	if (!stream || stream_write(stream, &first, NULL))
		bail_out("no stream");
	return stream;
}

static void end(struct trace *trace, struct stream *stream)
{
	is(stream_flush(stream), 0, "the index is on disk");
	stream_destroy(stream);
	trace_close(trace);
}

static int put(struct ring_kernel *kernel, struct stream *stream, uint64_t lost)
{
	struct lttngmap_packet packet = kernel_page_packet(&page, KERNEL_PAGE_HEAD);

	packet.discarded = lost;
	return ring_kernel_write(kernel, &shared, classes, stream, &packet, page.bytes, &written);
}

/* The stream's packet with that number; times and losses count up to it. */
static struct ctf_packet_header read_packet(const char *folder, unsigned number)
{
	const char *path = trace_kit_path("%s/ust/kernel_1", folder);
	struct ctf_packet_header header = { .packet_size = 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t at = 0, time = 0, lost = 0;

	for (unsigned i = 0; i <= number; i++) {
		if (pread(fd, &header, sizeof(header), (off_t)at) != sizeof(header))
			bail_out("no packet %u in %s", i, path);
		if (header.timestamp_begin < time || header.events_discarded < lost)
			bail_out("packet %u goes back", i);
		time = header.timestamp_end;
		lost = header.events_discarded;
		at += header.packet_size / 8;
	}
	close(fd);
	return header;
}

/* Whatever made that of it: it has events of before the stream's end. */
static void test_stale(void)
{
	struct ring_kernel kernel = { .has_end = true,
				      .discarded = 3,
				      .cursor = { .sequence = 1, .told = 3 } };
	struct ctf_packet_header header;
	struct trace trace;
	struct stream *stream = begin(&trace, "stale");

	kernel_page_begin(&page, END - 1000);
	for (uint32_t i = 0; i < 4; i++)
		kernel_page_number(&page, KERNEL_PAGE_NUMBER, 1, i);
	is(put(&kernel, stream, 5), 0, "events of before the stream's end");
	is(written.events, 0, "... are none of it");
	is(written.overrun, 2 + 4, "... but lost, as those that the kernel tells of");
	kernel_page_begin(&page, END + 1000);
	kernel_page_number(&page, KERNEL_PAGE_NUMBER, 1, 7);
	is(put(&kernel, stream, 5), 0, "a later one");
	is(written.events, 1, "... is");
	is(written.overrun, 2 + 4, "... and nothing more lost");
	end(&trace, stream);

	header = read_packet("stale", 1);
	is(header.events_discarded, 3 + 2 + 4, "the stream has the losses");
	is(header.timestamp_begin, END, "... at its end");
	is(header.timestamp_end, END, "... in no time");
	is(header.packet_seq_num, 1, "... in the next packet");
	header = read_packet("stale", 2);
	is(header.events_discarded, 3 + 2 + 4, "the one after it has them too");
	is(header.timestamp_begin, END + 1001, "... and its own time");
	is(header.packet_seq_num, 2, "... and number");
}

/* Another consumer is given what is in the stream, and the count of what was lost since. */
static void test_loss_alone(void)
{
	struct ring_kernel kernel = { .has_end = false };
	struct trace trace;
	struct stream *stream = begin(&trace, "loss");
	struct ctf_packet_header header;

	kernel_page_begin(&page, END - 1000);
	kernel_page_number(&page, KERNEL_PAGE_NUMBER, 1, 1);
	is(put(&kernel, stream, 3), 0, "what is in the stream is read once more");
	is(written.packets, 0, "... and not written");
	is(written.overrun, 3, "... of which the losses are known");
	is(put(&kernel, stream, 11), 0, "once more, and others were lost");
	is(written.packets, 1, "... which is a packet");
	is(written.overrun, 11, "... counted");
	end(&trace, stream);
	header = read_packet("loss", 1);
	is(header.events_discarded, 11, "the stream has them");
	is(header.timestamp_begin, END, "... at its end");
	is(header.content_size, sizeof(header) * 8, "... and no event");
}

int main(void)
{
	log_set_level(LOG_LEVEL_ERROR);
	trace_kit_dir();
	stream_pool_init(&shared.pool, 10);
	classes = kernel_page_plan();
	test_stale();
	test_loss_alone();
	kernel_plan_destroy(classes);
	free(shared.copy);
	stream_pool_destroy(&shared.pool);
	return done_testing();
}
