/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/storage/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "sessiond/base/parts.h"
#include "sessiond/storage/recover-saved.h"
#include "sessiond/storage/saved-state.h"

static int open_in(int dir, const char *name)
{
	return openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* Also of another version: these members are where they were. */
static bool is_kept(int fd)
{
	struct saved_head head;

	return pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	       head.magic == SAVED_MAGIC && *(const unsigned char *)&head.is_kept == 1;
}

bool kept_set_aside(int dir)
{
	int fd = open_in(dir, SAVED_FILE);
	bool kept = fd >= 0 && is_kept(fd) && renameat(dir, SAVED_FILE, dir, SAVED_KEPT) == 0;

	if (fd >= 0)
		close(fd);
	return kept;
}

void kept_remove(int dir)
{
	unlinkat(dir, SAVED_KEPT, 0);
}

/* Times in one trace are of one clock, and rings have their places by the number of CPUs. */
static const char *compare(const struct recover_saved *old, const struct options *options,
			   const struct saved_state *saved_state)
{
	enum lttngmap_clock clock;

	if (strcmp(old->head->boot, saved_state->head->boot) != 0)
		return "the machine was started again since";
	if (old->head->cpu_rings != saved_state->head->cpu_rings)
		return "the machine had another number of CPUs";
	if (clock_choose(options->clock, &clock) == 0 && clock != old->head->calibration.clock)
		return "events had another clock (--clock)";
	return NULL;
}

static int import(int fd, const struct options *options, struct saved_state *saved_state,
		  char why[RECOVER_WHY_SIZE])
{
	struct recover_saved old;
	const char *other;
	int error = recover_saved_open(fd, &old, why);

	if (error)
		return error;
	other = compare(&old, options, saved_state);
	if (other) {
		snprintf(why, RECOVER_WHY_SIZE, "%s", other);
		error = -EINVAL;
	} else {
		error = recover_saved_import(&old, saved_state, why);
	}
	if (error == 0) {
		saved_state->head->lives = 0;
		saved_state->head->took_over = true;
		saved_state->head->ended = old.head->ended;
	}
	recover_saved_close(&old);
	return error;
}

int kept_take_over(int dir, const char *path, const struct options *options,
		   struct saved_state *saved_state)
{
	char why[RECOVER_WHY_SIZE] = "";
	int error, fd;

	if (options->forget || options->private_instance) {
		kept_remove(dir);
		return 0;
	}
	fd = open_in(dir, SAVED_KEPT);
	if (fd < 0)
		return 0;
	error = import(fd, options, saved_state, why);
	close(fd);
	if (error == 0)
		return 0;
	log_error("the sessions of the daemon before do not go on: %s; create them again; what it "
		  "knew is left in %s/" KEPT_REFUSED,
		  why, path);
	if (renameat(dir, SAVED_KEPT, dir, KEPT_REFUSED) != 0)
		kept_remove(dir);
	return error;
}
