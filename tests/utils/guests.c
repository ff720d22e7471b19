/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/utils/guests.h"

/* All processes of one guest share it. */
static struct {
	_Atomic unsigned marks, blocks, wrong;
} * counts;
static int number;

void mark(void)
{
	errno = 0;
	expect(close(-number) == -1 && errno == EBADF);
	counts->marks++;
}

void work(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	void *volatile block;

	errno = EXDEV;
	block = malloc((size_t)number);
	counts->blocks++;
	expect(block != NULL);
	free(block);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	expect(errno == EXDEV);
	mark();
}

void expect(bool condition)
{
	if (!condition)
		counts->wrong++;
}

static const struct guest *find(const struct guest *guests, const char *name)
{
	for (; guests->name; guests++) {
		if (strcmp(guests->name, name) == 0)
			return guests;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct guest *guest;

	if (argc < 3 || (number = atoi(argv[2])) <= 0)
		return 2;
	guest = find(process_guests, argv[1]);
	if (!guest)
		guest = find(thread_guests, argv[1]);
	if (!guest)
		return 2;
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		return 3;
	guest->run(argv[3]);
	printf("%s: %u wrong\ncounted %u %u\n", guest->name, counts->wrong, counts->marks,
	       counts->blocks);
	return counts->wrong != 0;
}
