/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/utils/kernel-page.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char number_text[] = "name: number\nID: 7\nformat:\n" COMMON
				  "\tfield:u32 value;\toffset:8;\tsize:4;\tsigned:0;\n\n"
				  "print fmt: \"%u\", REC->value\n";
static const char string_text[] =
	"name: string\nID: 8\nformat:\n" COMMON
	"\tfield:__data_loc char[] text;\toffset:8;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"%s\", __get_str(text)\n";

/* As the kernel has a record of either class, up to what is behind it. */
struct record {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	uint32_t word;
};

struct kernel_plan *kernel_page_plan(void)
{
	char texts[2048];
	int length = snprintf(texts, sizeof(texts), "test %zu\n%stest %zu\n%s", strlen(number_text),
			      number_text, strlen(string_text), string_text);
	struct kernel_plan *plan;

	if (kernel_plan_parse(texts, (size_t)length, &plan) < 0) {
		printf("Bail out! the classes are not understood\n");
		exit(EXIT_FAILURE);
	}
	return plan;
}

static void put(struct kernel_page *page, const void *bytes, size_t size)
{
	if (size > sizeof(page->bytes) - page->at) {
		printf("Bail out! a page is full\n");
		exit(EXIT_FAILURE);
	}
	memcpy(page->bytes + page->at, bytes, size);
	page->at += (uint32_t)size;
}

void kernel_page_commit(struct kernel_page *page, uint64_t flags)
{
	uint64_t commit = (page->at - KERNEL_PAGE_HEAD) | flags;

	memcpy(page->bytes + 8, &commit, sizeof(commit));
}

void kernel_page_begin(struct kernel_page *page, uint64_t time)
{
	page->at = KERNEL_PAGE_HEAD;
	memcpy(page->bytes, &time, sizeof(time));
	kernel_page_commit(page, 0);
}

void kernel_page_word(struct kernel_page *page, uint32_t word)
{
	put(page, &word, sizeof(word));
}

void kernel_page_head(struct kernel_page *page, uint32_t type_len, uint32_t delta)
{
#if __BYTE_ORDER == __LITTLE_ENDIAN
	kernel_page_word(page, type_len | delta << 5);
#else
	kernel_page_word(page, type_len << 27 | delta);
#endif
}

void kernel_page_number(struct kernel_page *page, uint16_t id, uint32_t delta, uint32_t value)
{
	struct record record = { .type = id, .flags = 1, .pid = -2, .word = value };

	kernel_page_head(page, sizeof(record) / 4, delta);
	put(page, &record, sizeof(record));
	kernel_page_commit(page, 0);
}

void kernel_page_string(struct kernel_page *page, uint32_t delta, const char *text)
{
	uint32_t length = (uint32_t)strlen(text) + 1;
	struct record record = {
		.type = KERNEL_PAGE_STRING,
		.word = (uint32_t)sizeof(record) | length << 16,
	};
	uint32_t padded = (length + 3) & ~UINT32_C(3);

	kernel_page_head(page, 0, delta);
	kernel_page_word(page, (uint32_t)(4 + sizeof(record) + padded));
	put(page, &record, sizeof(record));
	put(page, text, length);
	put(page, "\0\0\0", padded - length);
	kernel_page_commit(page, 0);
}

void kernel_page_discarded(struct kernel_page *page, uint32_t delta, uint32_t size)
{
	kernel_page_head(page, 29, delta);
	kernel_page_word(page, size - 4);
	for (uint32_t done = 8; done < size; done += 4)
		kernel_page_word(page, 0x5a5a5a5a);
	kernel_page_commit(page, 0);
}

void kernel_page_extend(struct kernel_page *page, uint64_t delta)
{
	kernel_page_head(page, 30, (uint32_t)(delta & 0x7ffffff));
	kernel_page_word(page, (uint32_t)(delta >> 27));
	kernel_page_commit(page, 0);
}

void kernel_page_stamp(struct kernel_page *page, uint64_t time)
{
	kernel_page_head(page, 31, (uint32_t)(time & 0x7ffffff));
	kernel_page_word(page, (uint32_t)(time >> 27));
	kernel_page_commit(page, 0);
}

struct lttngmap_packet kernel_page_packet(const struct kernel_page *page, uint32_t offset)
{
	struct lttngmap_packet packet = {
		.cpu = 1,
		.flags = LTTNGMAP_PACKET_KERNEL,
		.subbuf_id = 3,
		.offset = offset,
		.length = page->at - offset,
		.sequence = 99,
	};

	memcpy(&packet.timestamp_begin, page->bytes, sizeof(packet.timestamp_begin));
	return packet;
}
