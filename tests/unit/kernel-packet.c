/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-packet.c - packets of ours out of a kernel's sub-buffers: whole ones,
 * parts, several of one, and out of what no kernel would write. What
 * libtraceevent's own walk finds in sub-buffers made at random, ours does.
 */
#include "consumerd/kernel/kernel-packet.h"

#include <errno.h>
#include <kbuffer.h>

#include <lttngmap/abi.h>

#include "tests/utils/kernel-page.h"
#include "tests/utils/tap.h"

#define BEGIN UINT64_C(0x123456789abc)
#define NUMBER KERNEL_PAGE_NUMBER
#define NUMBER_RECORD (LTTNGMAP_RECORD_HEADER_SIZE + 6 + 4)
#define PAGES_RANDOM 2000

static struct kernel_plan *classes;
static struct kernel_page page;
static struct kernel_cursor cursor;
static struct kernel_converted converted;
static uint8_t body[KERNEL_PAGE_SIZE * 4];

static void begin(uint64_t time)
{
	cursor = (struct kernel_cursor){ .sequence = 5 };
	kernel_page_begin(&page, time);
}

/*
 * Neither the sub-buffer nor the body has a byte more than it may use: of
 * what is beyond, sanitizers and valgrind would tell.
 */
static int convert_room(const struct lttngmap_packet *packet, size_t room)
{
	size_t size = packet->offset + packet->length;
	uint8_t *exact = malloc(size), *to = malloc(room ? room : 1);
	int error;

	memcpy(exact, page.bytes, size);
	memset(&converted, 0x5a, sizeof(converted));
	error = kernel_packet_convert(classes, &cursor, packet, exact, to, room, &converted);
	if (!error)
		memcpy(body, to, converted.packet.length);
	free(exact);
	free(to);
	return error;
}

static int convert(uint32_t offset)
{
	struct lttngmap_packet packet = kernel_page_packet(&page, offset);

	return convert_room(&packet, sizeof(body));
}

/* ---- what is in a body ----------------------------------------------------------- */

static uint64_t header_at(size_t at)
{
	uint64_t header;

	memcpy(&header, body + at, sizeof(header));
	return header;
}

/* Of a body of numbers: the value, and the time's low bits. */
static uint32_t value_of(unsigned index)
{
	uint32_t value;

	memcpy(&value, body + index * NUMBER_RECORD + NUMBER_RECORD - sizeof(value), sizeof(value));
	return value;
}

static uint64_t time_of(unsigned index)
{
	return header_at(index * NUMBER_RECORD) >> 16;
}

/* ---- what kernels write ------------------------------------------------------------ */

static void check_whole(void)
{
	begin(BEGIN);
	kernel_page_number(&page, NUMBER, 0, 11);
	kernel_page_number(&page, NUMBER, 100, 12);
	kernel_page_string(&page, 7, "late");
	is(convert(KERNEL_PAGE_HEAD), 0, "a whole sub-buffer");
	is(converted.packet.events, 3, "... of three events");
	is(converted.packet.length, 2 * NUMBER_RECORD + LTTNGMAP_RECORD_HEADER_SIZE + 6 + 5,
	   "... as long as its records");
	is(converted.packet.timestamp_begin, BEGIN, "... from the first one's time");
	is(converted.packet.timestamp_end, BEGIN + 107, "... to that of the last");
	is(converted.packet.sequence, 5, "... with the cursor's number");
	is(converted.next.sequence, 6, "... and the next one for the next");
	is(converted.packet.cpu, 1, "... of its CPU");
	is(converted.packet.flags, 0, "... no kernel's any more");
	is(converted.packet.offset, 0, "... from its body's beginning");
	is(converted.packet.discarded, 0, "... nothing lost");
	ok(!converted.more && !converted.is_empty, "... and that was all");
	is(header_at(0) & 0xffff, NUMBER, "a record has its class");
	is(time_of(0), BEGIN, "... its time");
	ok(memcmp(body + 8, "\1\0\xfe\xff\xff\xff\x0b\0\0\0", 10) == 0, "... and its fields");
	is(time_of(1), BEGIN + 100, "the next one's time");
	is(value_of(1), 12, "... and value");
	is(header_at(2 * NUMBER_RECORD) & 0xffff, KERNEL_PAGE_STRING, "one with a length");
	is(header_at(2 * NUMBER_RECORD) >> 16, BEGIN + 107, "... its time");
	is_string((char *)body + 2 * NUMBER_RECORD + 14, "late", "... and text");
}

static void check_parts(void)
{
	struct kernel_converted first;
	uint8_t before[NUMBER_RECORD];
	uint32_t middle;

	begin(BEGIN);
	kernel_page_number(&page, NUMBER, 0, 1);
	kernel_page_extend(&page, UINT64_C(1) << 40);
	kernel_page_number(&page, NUMBER, 3, 2);
	is(convert(KERNEL_PAGE_HEAD), 0, "what is in a sub-buffer so far");
	first = converted;
	middle = page.at;
	kernel_page_number(&page, NUMBER, 5, 3);
	kernel_page_commit(&page, UINT64_C(3) << 30);
	is(convert(middle), 0, "what came later, to one who saw nothing before");
	is(converted.packet.events, 1, "... is one event");
	is(converted.packet.timestamp_begin, BEGIN + (UINT64_C(1) << 40) + 8, "... at its time");
	is(value_of(0), 3, "... with its value");
	memcpy(before, body, sizeof(before));
	cursor = first.next;
	is(convert(middle), 0, "what came later, to one who saw the first part");
	is(converted.packet.events, 1, "... is the same");
	ok(memcmp(before, body, sizeof(before)) == 0, "... byte by byte");
	is(converted.packet.sequence, 6, "... and the next packet");
	cursor.page_time++;
	cursor.time = 0;
	is(convert(middle), 0, "a cursor of another sub-buffer");
	is(time_of(0), BEGIN + (UINT64_C(1) << 40) + 8, "... says nothing of this one");
}

static void check_times(void)
{
	const uint64_t high = UINT64_C(3) << 59;

	begin(BEGIN);
	kernel_page_discarded(&page, 50, 24);
	kernel_page_number(&page, NUMBER, 4, 1);
	kernel_page_discarded(&page, 1, 24);
	kernel_page_number(&page, NUMBER, 4, 2);
	kernel_page_stamp(&page, BEGIN + 1000);
	kernel_page_number(&page, NUMBER, 4, 3);
	is(convert(KERNEL_PAGE_HEAD), 0, "events that were taken back, and a time");
	is(converted.packet.events, 3, "... are no events");
	is(time_of(0), BEGIN + 54, "one that was taken back had its time");
	is(time_of(1), BEGIN + 58, "... or none");
	is(time_of(2), BEGIN + 1004, "a time is one, and no difference");
	begin(high | BEGIN);
	kernel_page_stamp(&page, BEGIN + 10);
	kernel_page_number(&page, NUMBER, 0, 1);
	is(convert(KERNEL_PAGE_HEAD), 0, "a time of 59 bits");
	is(converted.packet.timestamp_begin, high | (BEGIN + 10), "... has the others of before");
	begin(high | ((UINT64_C(1) << 59) - 1));
	kernel_page_stamp(&page, 10);
	kernel_page_number(&page, NUMBER, 0, 1);
	is(convert(KERNEL_PAGE_HEAD), 0, "... or, where it went beyond 59 bits,");
	is(converted.packet.timestamp_begin, (UINT64_C(4) << 59) + 10, "... one more");
}

static void check_backward(void)
{
	begin(BEGIN);
	kernel_page_number(&page, NUMBER, 0, 1);
	is(convert(KERNEL_PAGE_HEAD), 0, "a sub-buffer");
	cursor = converted.next;
	kernel_page_begin(&page, BEGIN - 100);
	kernel_page_number(&page, NUMBER, 0, 2);
	kernel_page_number(&page, NUMBER, 200, 3);
	is(convert(KERNEL_PAGE_HEAD), 0, "... and one that is earlier than that");
	is(converted.packet.timestamp_begin, BEGIN, "does not begin before the other's end");
	is(time_of(0), BEGIN, "... nor does its record");
	is(time_of(1), BEGIN + 100, "... and one that is later stays so");
}

static void check_losses(void)
{
	struct lttngmap_packet packet;

	begin(BEGIN);
	kernel_page_number(&page, 6, 0, 1);
	kernel_page_number(&page, NUMBER, 1, 2);
	kernel_page_head(&page, 0, 1);
	kernel_page_word(&page, 4);
	packet = kernel_page_packet(&page, KERNEL_PAGE_HEAD);
	packet.discarded = 1000;
	is(convert_room(&packet, sizeof(body)), 0, "events without a class, or any data");
	is(converted.packet.events, 1, "... leave the others as they are");
	is(converted.packet.discarded, 1002, "... and count with what the kernel lost");
	cursor = converted.next;
	kernel_page_begin(&page, BEGIN + 100);
	kernel_page_number(&page, 65535, 0, 1);
	packet = kernel_page_packet(&page, KERNEL_PAGE_HEAD);
	packet.discarded = 1000;
	is(convert_room(&packet, sizeof(body)), 0, "nothing but one without a class");
	is(converted.packet.events, 0, "... is no event");
	ok(!converted.is_empty, "... but tells of one that was lost");
	is(converted.packet.discarded, 1003, "... on top of the others");
	is(converted.packet.length, 0, "... in a packet without a body");
	is(converted.packet.timestamp_begin, BEGIN + 100, "... of that time");
	is(converted.packet.timestamp_end, BEGIN + 100, "... and no longer");
	is(converted.next.sequence, 7, "... with a number of its own");
	cursor = converted.next;
	kernel_page_begin(&page, BEGIN + 200);
	kernel_page_extend(&page, 10);
	packet = kernel_page_packet(&page, KERNEL_PAGE_HEAD);
	packet.discarded = 1000;
	is(convert_room(&packet, sizeof(body)), 0, "nothing but time");
	ok(converted.is_empty, "... need not be told");
	is(converted.next.sequence, 7, "... and has no number");
}

/* One packet of the kernel's, as many of ours as it takes. */
static void check_room(void)
{
	struct lttngmap_packet packet;
	unsigned packets = 0, wrong = 0;
	uint32_t next = 0;

	begin(BEGIN);
	for (uint32_t i = 0; i < 100; i++)
		kernel_page_number(&page, NUMBER, 10, i);
	packet = kernel_page_packet(&page, KERNEL_PAGE_HEAD);
	do {
		wrong += convert_room(&packet, 7 * NUMBER_RECORD + NUMBER_RECORD - 1) != 0;
		wrong += converted.packet.sequence != 5 + packets;
		for (unsigned i = 0; i < converted.packet.events; i++, next++)
			wrong += value_of(i) != next || time_of(i) != BEGIN + 10 * (next + 1);
		cursor = converted.next;
		packets++;
	} while (converted.more && packets < 200);
	is(packets, 15, "bodies of seven records: fifteen for a hundred");
	is(next, 100, "... with all of them");
	is(wrong, 0, "... in order, at their times");
	kernel_page_begin(&page, BEGIN + 5000);
	kernel_page_number(&page, NUMBER, 0, 1);
	kernel_page_string(&page, 0, "much longer than there is room for in a body");
	kernel_page_number(&page, NUMBER, 0, 2);
	packet = kernel_page_packet(&page, KERNEL_PAGE_HEAD);
	is(convert_room(&packet, 2 * NUMBER_RECORD), 0, "a record that is larger than a body");
	ok(converted.more && converted.packet.events == 1, "... is no part of the first one");
	cursor = converted.next;
	is(convert_room(&packet, 2 * NUMBER_RECORD), 0, "... nor of the next");
	is(converted.packet.events, 1, "... which has what follows");
	is(value_of(0), 2, "... that record");
	is(converted.packet.discarded, 1, "... but is counted");
	is(convert_room(&packet, 0), 0, "without any room");
	is(converted.packet.discarded, 2, "... all are lost, and counted");
}

static void check_again(void)
{
	struct kernel_converted first;

	begin(BEGIN);
	kernel_page_number(&page, NUMBER, 0, 1);
	kernel_page_number(&page, 6, 0, 1);
	is(convert(KERNEL_PAGE_HEAD), 0, "a packet");
	first = converted;
	is(convert(KERNEL_PAGE_HEAD), 0, "... that could not be written");
	ok(memcmp(&first.packet, &converted.packet, sizeof(first.packet)) == 0,
	   "... is the same once more");
}

/* What 48 bits cannot tell. */
static void check_idle(void)
{
	const uint64_t long_time = UINT64_C(1) << 50;

	begin(BEGIN);
	kernel_page_number(&page, NUMBER, 0, 1);
	kernel_page_extend(&page, (UINT64_C(1) << 47) - 1);
	kernel_page_number(&page, NUMBER, 0, 2);
	kernel_page_extend(&page, long_time);
	kernel_page_number(&page, NUMBER, 0, 3);
	is(convert(KERNEL_PAGE_HEAD), 0, "a ring that was idle for days");
	is(converted.packet.events, 2, "... has what came within hours in one packet");
	ok(converted.more, "... and the others in another");
	cursor = converted.next;
	is(convert(KERNEL_PAGE_HEAD), 0, "... which");
	is(converted.packet.events, 1, "... has the last one");
	is(converted.packet.timestamp_begin, BEGIN + (UINT64_C(1) << 47) - 1 + long_time,
	   "... and says when it was");
	is(value_of(0), 3, "... what it was");
}

/* ---- what kernels do not write ------------------------------------------------------ */

static void check_bad_event(const char *what, uint32_t type_len, uint32_t second, bool has_second)
{
	begin(BEGIN);
	kernel_page_number(&page, NUMBER, 0, 42);
	kernel_page_head(&page, type_len, 5);
	if (has_second)
		kernel_page_word(&page, second);
	ok(convert(KERNEL_PAGE_HEAD) == 0 && converted.packet.events == 1 && converted.more,
	   "%s: the event before it comes first", what);
	cursor = converted.next;
	ok(convert(KERNEL_PAGE_HEAD) == -EBADMSG, "... and then it is refused");
}

/* One that wraps to the sub-buffer's beginning: there are good events up to its last byte. */
static void check_endless(void)
{
	struct lttngmap_packet packet;
	uint8_t *exact = malloc(KERNEL_PAGE_SIZE);

	begin(BEGIN);
	while (page.at + 16 < KERNEL_PAGE_SIZE)
		kernel_page_number(&page, NUMBER, 0, 1);
	while (page.at < KERNEL_PAGE_SIZE)
		kernel_page_extend(&page, 1);
	packet = kernel_page_packet(&page, KERNEL_PAGE_HEAD);
	packet.offset = UINT32_MAX - 7;
	packet.length = 8;
	memcpy(exact, page.bytes, KERNEL_PAGE_SIZE);
	is(kernel_packet_convert(classes, &cursor, &packet, exact, body, sizeof(body), &converted),
	   -EBADMSG, "an end beyond all");
	free(exact);
}

static void check_bad(void)
{
	struct lttngmap_packet packet;

	check_bad_event("data beyond the end", 1, 0, false);
	check_bad_event("much data beyond the end", 28, 0, true);
	check_bad_event("no length", 0, 0, false);
	check_bad_event("a length of nothing", 0, 0, true);
	check_bad_event("a length that is no more than its word", 0, 3, true);
	check_bad_event("a length beyond the end", 0, 8, true);
	check_bad_event("a length beyond all", 0, UINT32_MAX, true);
	check_bad_event("a gap without a length", 29, 0, false);
	check_bad_event("a gap that leads back", 29, 0, true);
	check_bad_event("a gap beyond the end", 29, 8, true);
	check_bad_event("half a difference", 30, 0, false);
	check_bad_event("half a time", 31, 0, false);
	begin(BEGIN);
	kernel_page_number(&page, NUMBER, 0, 1);
	packet = kernel_page_packet(&page, KERNEL_PAGE_HEAD);
	packet.length -= 2;
	is(convert_room(&packet, sizeof(body)), -EBADMSG, "an event that is cut");
	packet.length = 2;
	is(convert_room(&packet, sizeof(body)), -EBADMSG, "... within its first word");
	packet = kernel_page_packet(&page, KERNEL_PAGE_HEAD - 4);
	is(convert_room(&packet, sizeof(body)), -EBADMSG, "an offset in the head");
	check_endless();
	begin(BEGIN);
	kernel_page_number(&page, NUMBER, 0, 1);
	kernel_page_head(&page, 29, 0);
	kernel_page_word(&page, 0);
	is(convert(KERNEL_PAGE_HEAD), 0, "a gap without time and length");
	is(converted.packet.events, 1, "... is the end");
	ok(!converted.more, "... of all");
}

/* ---- at random ----------------------------------------------------------------------- */

static uint64_t random_state = 88172645463325252;

static uint32_t random_below(uint32_t bound)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 20) % bound;
}

static void put_random(uint32_t value)
{
	switch (random_below(8)) {
	case 0:
		kernel_page_extend(&page, random_below(1u << 30) * UINT64_C(977));
		break;
	case 1:
		kernel_page_string(&page, random_below(1000),
				   &"four bytes or more"[random_below(14)]);
		break;
	case 2:
		kernel_page_discarded(&page, 2 + random_below(1000), 8 + 4 * random_below(9));
		break;
	default:
		kernel_page_number(&page, NUMBER, random_below(1u << 27), value);
		break;
	}
}

/* Does libtraceevent find the records of the body in the sub-buffer? */
static bool is_same(struct kbuffer *kbuffer)
{
	unsigned long long time;
	uint16_t id;
	size_t at = 0;
	uint32_t events = 0;
	const uint8_t *data;

	if (kbuffer_load_subbuffer(kbuffer, page.bytes) < 0)
		return false;
	for (data = kbuffer_read_event(kbuffer, &time); data;
	     data = kbuffer_next_event(kbuffer, &time)) {
		memcpy(&id, data, sizeof(id));
		if (at + LTTNGMAP_RECORD_HEADER_SIZE > converted.packet.length ||
		    (header_at(at) & 0xffff) != id ||
		    header_at(at) >> 16 != (time & LTTNGMAP_TIMESTAMP_MASK))
			return false;
		at += LTTNGMAP_RECORD_HEADER_SIZE + 6;
		if (id == NUMBER && memcmp(body + at, data + 8, 4) != 0)
			return false;
		if (id != NUMBER && strcmp((char *)body + at, (const char *)data + 12) != 0)
			return false;
		at += id == NUMBER ? 4 : strlen((char *)body + at) + 1;
		events++;
	}
	return at == converted.packet.length && events == converted.packet.events;
}

static void check_random_pages(void)
{
	struct kbuffer *kbuffer =
		kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	unsigned same = 0;
	uint64_t events = 0;

	for (unsigned i = 0; i < PAGES_RANDOM; i++) {
		begin(BEGIN);
		while (page.at < KERNEL_PAGE_SIZE - 64)
			put_random(page.at);
		same += convert(KERNEL_PAGE_HEAD) == 0 && is_same(kbuffer);
		events += converted.packet.events;
	}
	kbuffer_free(kbuffer);
	is(same, PAGES_RANDOM, "libtraceevent finds the same events, times and values");
	ok(events > 10 * PAGES_RANDOM, "... of which there were many: %llu",
	   (unsigned long long)events);
}

/* Good sub-buffers with some wrong bits, in bodies of any size. */
static void check_random_bytes(void)
{
	unsigned endless = 0, refused = 0, rounds;
	struct lttngmap_packet packet;
	int error = 0;

	for (unsigned i = 0; i < PAGES_RANDOM; i++) {
		begin(BEGIN);
		while (page.at < 1000)
			put_random(page.at);
		for (unsigned bits = random_below(20); bits > 0; bits--)
			page.bytes[random_below(1000)] ^= (uint8_t)(1u << random_below(8));
		packet = kernel_page_packet(&page, KERNEL_PAGE_HEAD);
		packet.length -= random_below(64);
		for (rounds = 0; rounds < 1000; rounds++) {
			error = convert_room(&packet, random_below(2000));
			if (error || !converted.more)
				break;
			cursor = converted.next;
		}
		endless += rounds == 1000;
		refused += error == -EBADMSG;
	}
	is(endless, 0, "whatever the bytes are, there is an end");
	ok(refused > PAGES_RANDOM / 10, "... and many are refused: %u", refused);
}

int main(void)
{
	classes = kernel_page_plan();
	check_whole();
	check_parts();
	check_times();
	check_backward();
	check_losses();
	check_room();
	check_again();
	check_idle();
	check_bad();
	check_random_pages();
	check_random_bytes();
	kernel_plan_destroy(classes);
	return done_testing();
}
