/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * forge KIND [STOP]: a traced program that emits ten events and then, in the ring, makes the
 * last record one that no reader can read:
 *
 *   sound    leaves it as it is
 *   id       an id that no event class has
 *   time     later than its packet
 *   back     earlier than the record before
 *   length   a sequence of more elements than there are bytes
 *   string   no NUL up to the packet's end
 *   flip     sound and with a wrong id in turns, as fast as it can, until there is a file STOP
 *   lost     sound, but its rings say that fewer events than none were lost, until there is a file
 * STOP
 *
 * Prints how many events it emitted.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <lttngmap/abi.h>
#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(forge, event, LTTNGMAP_LOGLEVEL_INFO, (sequence, uint8_t, bytes),
		    (string, text));

#define EVENTS 10
#define PAGE 4096u
#define MARK "the record that is forged"
static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
/* Of the record at its mark: header, count, elements. */
#define TO_TEXT (sizeof(uint64_t) + sizeof(uint32_t) + sizeof(bytes))

/* The next page from there that it has touched; `end`: none. */
static char *next_page(char *page, char *end)
{
	static uint64_t entries[4096];
	static int pagemap = -1;

	if (pagemap < 0)
		pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	while (page < end) {
		size_t pages = (size_t)(end - page) / PAGE, i = 0;

		if (pages > 4096)
			pages = 4096;
		if (pread(pagemap, entries, pages * sizeof(*entries),
			  (off_t)((uintptr_t)page / PAGE * sizeof(*entries))) <= 0)
			return end;
		while (i < pages && !(entries[i] >> 63))
			i++;
		page += i * PAGE;
		if (i < pages)
			break;
	}
	return page;
}

static char *find_in(char *begin, char *end)
{
	char *found = NULL;

	for (char *page = next_page(begin, end); page < end && !found;
	     page = next_page(page + PAGE, end))
		found = memmem(page, PAGE, MARK, sizeof(MARK) - 1);
	return found;
}

/* The first that `find` finds in memory of the daemon's with that name. */
static char *find_by(const char *name, char *(*find)(char *begin, char *end))
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], rights[5], *found = NULL;
	unsigned long begin, end;

	while (maps && !found && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %4s", &begin, &end, rights) == 3 && rights[1] == 'w' &&
		    strstr(line, name))
			found = find((char *)begin, (char *)end);
	if (maps)
		fclose(maps);
	return found;
}

static char *find_record(void)
{
	char *found = find_by("memfd:lttngmap", find_in);

	return found ? found - TO_TEXT : NULL;
}

static bool is_used(const struct lttngmap_ring *ring)
{
	return ring->commit[0] && ring->commit[1] && !ring->lock && !ring->discards &&
	       !ring->rung && !ring->reserved2;
}

/* Rings that it wrote into, by what stands there. */
static char *lose_in(char *begin, char *end)
{
	for (char *page = next_page(begin, end); page < end; page = next_page(page + PAGE, end))
		for (char *at = page; at < page + PAGE; at += 64) {
			struct lttngmap_ring *ring = (struct lttngmap_ring *)at;

			if (at + sizeof(*ring) <= end && is_used(ring))
				ring->discards = -(UINT64_C(1) << 40);
		}
	return NULL;
}

static void add_to_header(char *record, uint64_t more)
{
	uint64_t header;

	memcpy(&header, record, sizeof(header));
	header += more;
	memcpy(record, &header, sizeof(header));
}

static void flip(char *record, const char *stop)
{
	while (access(stop, F_OK) != 0)
		for (int i = 0; i < 10000; i++)
			*(volatile uint16_t *)record ^= 0xffff;
}

static void lose(const char *stop)
{
	find_by("memfd:lttngmap-ring-set", lose_in);
	while (access(stop, F_OK) != 0)
		usleep(10000);
}

static bool forge(const char *kind, char *record, const char *stop)
{
	uint16_t id = 0xfffe;
	uint32_t count = 1u << 20;

	if (strcmp(kind, "id") == 0)
		memcpy(record, &id, sizeof(id));
	else if (strcmp(kind, "time") == 0)
		add_to_header(record, UINT64_C(1) << (16 + 44));
	else if (strcmp(kind, "back") == 0)
		add_to_header(record, -(UINT64_C(1) << (16 + 30)));
	else if (strcmp(kind, "length") == 0)
		memcpy(record + sizeof(uint64_t), &count, sizeof(count));
	else if (strcmp(kind, "string") == 0)
		record[TO_TEXT + sizeof(MARK) - 1] = 'x';
	else if (strcmp(kind, "flip") == 0)
		flip(record, stop);
	else
		return strcmp(kind, "sound") == 0;
	return true;
}

int main(int argc, char **argv)
{
	char *record;

	if (argc < 2)
		return 2;
	for (int i = 0; i < EVENTS - 1; i++)
		lttngmap_tracepoint(forge, event, bytes, sizeof(bytes), "as it should be");
	lttngmap_tracepoint(forge, event, bytes, sizeof(bytes), MARK);
	if (argc > 2 && strcmp(argv[1], "lost") == 0) {
		lose(argv[2]);
		return 0;
	}
	record = find_record();
	if (!record || !forge(argv[1], record, argc > 2 ? argv[2] : "")) {
		fprintf(stderr, "forge: %s\n", record ? "no such kind" : "its record is not found");
		return 1;
	}
	printf("%d\n", EVENTS);
	return 0;
}
