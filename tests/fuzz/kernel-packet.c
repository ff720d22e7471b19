/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-packet.c - any bytes as a kernel's sub-buffer. The input is two bytes
 * of how much room a body has, two of where the packet begins, and the
 * sub-buffer; numbers have their little end first.
 *
 * It has an end; no packet is larger than its room; its records are whole, as
 * many as it says, and later than those before; and what is made again is the
 * same.
 */
#include <string.h>

#include <lttngmap/abi.h>

#include "consumerd/kernel/kernel-packet.h"
#include "tests/fuzz/fuzz.h"
#include "tests/utils/kernel-page.h"

static struct kernel_plan *classes;

static uint16_t take_number(struct fuzz_input *input)
{
	uint16_t low = fuzz_take_byte(input);

	return (uint16_t)(low | fuzz_take_byte(input) << 8);
}

/* The bytes that a record takes; 0: it is cut. */
static size_t record_size(const uint8_t *at, size_t size)
{
	const size_t common = LTTNGMAP_RECORD_HEADER_SIZE + 6;
	const uint8_t *end;
	uint64_t header;

	if (size < common)
		return 0;
	memcpy(&header, at, sizeof(header));
	if ((header & 0xffff) == KERNEL_PAGE_NUMBER)
		return size < common + 4 ? 0 : common + 4;
	FUZZ_CHECK((header & 0xffff) == KERNEL_PAGE_STRING);
	end = memchr(at + common, '\0', size - common);
	return end ? (size_t)(end + 1 - at) : 0;
}

static void check_packet(const struct kernel_cursor *cursor,
			 const struct kernel_converted *converted, const uint8_t *body, size_t room)
{
	const struct lttngmap_packet *packet = &converted->packet;
	uint64_t events = 0;
	size_t size;

	FUZZ_CHECK(packet->length <= room);
	FUZZ_CHECK(packet->timestamp_begin >= cursor->last);
	FUZZ_CHECK(packet->timestamp_end >= packet->timestamp_begin);
	FUZZ_CHECK(packet->discarded >= cursor->told);
	FUZZ_CHECK(packet->events > 0 || !converted->more);
	FUZZ_CHECK(packet->sequence == cursor->sequence);
	for (size_t at = 0; at < packet->length; at += size, events++) {
		size = record_size(body + at, packet->length - at);
		FUZZ_CHECK(size > 0);
	}
	FUZZ_CHECK(events == packet->events);
}

/* From a body of its own, with no byte beyond its room. */
static int convert(const struct kernel_cursor *cursor, const struct lttngmap_packet *packet,
		   const uint8_t *page, size_t room, uint8_t **body,
		   struct kernel_converted *converted)
{
	*body = calloc(1, room ? room : 1);
	FUZZ_CHECK(*body);
	return kernel_packet_convert(classes, cursor, packet, page, *body, room, converted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	struct kernel_cursor cursor = { .sequence = 1 };
	struct kernel_converted converted = { .more = true }, again;
	size_t room = take_number(&input);
	struct lttngmap_packet packet = {
		.flags = LTTNGMAP_PACKET_KERNEL,
		.offset = take_number(&input),
	};
	uint8_t *page, *body, *other;

	if (!classes)
		classes = kernel_page_plan();
	/* The reader library says nothing of what is beyond the sub-buffer. */
	if (input.size < KERNEL_PAGE_HEAD || packet.offset > input.size)
		return 0;
	packet.length = (uint32_t)input.size - packet.offset;
	page = malloc(input.size);
	FUZZ_CHECK(page);
	memcpy(page, input.data, input.size);
	for (size_t rounds = 0; converted.more; rounds++) {
		FUZZ_CHECK(rounds <= input.size / 4);
		if (convert(&cursor, &packet, page, room, &body, &converted) < 0) {
			free(body);
			break;
		}
		check_packet(&cursor, &converted, body, room);
		FUZZ_CHECK(convert(&cursor, &packet, page, room, &other, &again) == 0);
		FUZZ_CHECK(memcmp(body, other, room) == 0);
		FUZZ_CHECK(memcmp(&converted.packet, &again.packet, sizeof(packet)) == 0);
		free(body);
		free(other);
		cursor = converted.next;
	}
	free(page);
	return 0;
}
