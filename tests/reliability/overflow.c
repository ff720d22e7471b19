/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Row 14: more files appear in a watched directory than the kernel queues events for:
 * the rescan finds each of them, soon.
 *
 *   LTTNGMAP_SOAK_SECONDS   50000 files, else some more than the queue holds
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "consumerd/session/watch.h"
#include "tests/utils/tap.h"

#define SHORT_BEYOND 4000
#define FULL 50000
/* Some hundred it takes; a machine may stand still for a while. */
#define FOUND_MS 5000

static struct {
	unsigned files;
	unsigned found; /* different ones */
	unsigned again;
	unsigned strange; /* that nobody made */
	bool *seen;
} state;

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static unsigned queue_length(void)
{
	FILE *file = fopen("/proc/sys/fs/inotify/max_queued_events", "r");
	unsigned length = 0;

	if (!file || fscanf(file, "%u", &length) != 1)
		bail_out("the kernel does not say how many events it queues");
	fclose(file);
	return length;
}

static void on_found(void *userdata, const char *name)
{
	unsigned number;

	(void)userdata;
	if (sscanf(name, "program-%u-1", &number) != 1 || number >= state.files) {
		state.strange++;
		return;
	}
	state.found += !state.seen[number];
	state.again += state.seen[number];
	state.seen[number] = true;
}

static void make_files(const char *folder, unsigned from, unsigned to)
{
	char path[128];

	for (unsigned i = from; i < to; i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/program-%u-1", folder, i);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0)
			bail_out("%s: %s", path, strerror(errno));
		close(fd);
	}
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* Until all are found, or nothing comes any more. Milliseconds. */
static int64_t run(sd_event *loop)
{
	int64_t begin = now_ms();

	while (state.found < state.files && sd_event_run(loop, 1000000) > 0)
		continue;
	return now_ms() - begin;
}

int main(void)
{
	unsigned queue = queue_length();
	char folder[] = "/tmp/lttngmap-test.XXXXXX";
	struct watch *watch = NULL;
	sd_event *loop = NULL;
	int64_t took, later;

	state.files = getenv("LTTNGMAP_SOAK_SECONDS") ? FULL : queue + SHORT_BEYOND;
	if (state.files <= queue + 1)
		skip_all("the kernel queues %u events here, too many to overflow", queue);
	state.seen = calloc(state.files + 1, sizeof(*state.seen));
	if (!state.seen || !mkdtemp(folder) || sd_event_new(&loop) < 0)
		bail_out("%s: %s", folder, strerror(errno));
	is(watch_create(loop, folder, on_found, NULL, &watch), 0, "a directory is watched");
	make_files(folder, 0, state.files);
	took = run(loop);
	is(state.found, state.files, "each file is found");
	is(state.strange, 0, "and nothing else");
	ok(took <= FOUND_MS, "after %lld ms", (long long)took);
	/* Events that were queued before the overflow tell of files once, the scan once more. */
	ok(state.again > 0, "by looking through it again: %u were told of twice", state.again);

	/* The watch is as good as before. */
	make_files(folder, state.files, state.files + 1);
	state.files++;
	later = run(loop);
	ok(state.found == state.files && later <= FOUND_MS, "one that comes later, after %lld ms",
	   (long long)later);
	tap_figure(14, "%u files, %u more than inotify queues: all found after %lld ms",
		   state.files - 1, state.files - 1 - queue, (long long)took);
	watch_destroy(watch);
	sd_event_unref(loop);
	nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	free(state.seen);
	return done_testing();
}
