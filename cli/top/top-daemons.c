/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * top-daemons.c - finds session daemons: only in the chosen directory, if there is one; else the
 * user's own, the system's, and those that the user's recordings have for themselves.
 */
#include <config.h>

#include "cli/top/top.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/client/session-daemon.h"
#include "common/protocol/places.h"
#include "common/protocol/protocol-control.h"

/* `lttngmap record` gives this prefix to mkdtemp(3). */
#define RECORDING "lttngmap-"
#define RECORDING_LENGTH (sizeof(RECORDING) - 1 + 6)

static void remember(struct top *top, const char *path, bool named)
{
	struct top_daemon **end = &top->daemons, *daemon;

	for (; *end; end = &(*end)->next) {
		if (strcmp((*end)->runtime_dir, path) != 0)
			continue;
		(*end)->seen = true;
		return;
	}
	if (strlen(path) >= sizeof(daemon->runtime_dir))
		return;
	daemon = calloc(1, sizeof(*daemon));
	if (!daemon)
		return;
	strcpy(daemon->runtime_dir, path);
	daemon->named = named;
	daemon->seen = true;
	*end = daemon;
}

/*
 * Accepts only a directory, no symbolic link, that belongs to this user or root and that no other
 * user can write. In /tmp anybody can make a directory of such a name. `base`: the directory above;
 * NULL: the place was looked at.
 */
static bool has_daemon(const char *base, const char *path)
{
	char socket[SOCKET_PATH_MAX + 32];
	struct stat file;

	snprintf(socket, sizeof(socket), "%s/%s", path, PROTOCOL_CONTROL_SOCKET);
	if (base && !session_daemon_is_own(base, path, geteuid()) &&
	    !session_daemon_is_own(base, path, 0))
		return false;
	return stat(socket, &file) == 0 && S_ISSOCK(file.st_mode) &&
	       access(socket, R_OK | W_OK) == 0;
}

static void find_recordings(struct top *top, const char *base)
{
	DIR *directory = opendir(base);
	struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory))) {
		char path[SOCKET_PATH_MAX + 1];

		if (strlen(entry->d_name) != RECORDING_LENGTH ||
		    strncmp(entry->d_name, RECORDING, sizeof(RECORDING) - 1) != 0)
			continue;
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", base, entry->d_name) <
			    sizeof(path) &&
		    has_daemon(base, path))
			remember(top, path, false);
	}
	closedir(directory);
}

static void find_all(struct top *top)
{
	const char *chosen = session_daemon_chosen(top->chosen), *base = getenv("XDG_RUNTIME_DIR");
	char path[SOCKET_PATH_MAX + 1];

	if (chosen) {
		remember(top, chosen, true);
		if (!top->everywhere)
			return;
	}
	for (unsigned int place = 0; place < PLACES; place++)
		if (session_daemon_place(place, path, sizeof(path)) && has_daemon(NULL, path))
			remember(top, path, false);
	if (base && base[0] == '/')
		find_recordings(top, base);
	if (!base || strcmp(base, PLACES_TEMPORARY_DIR) != 0)
		find_recordings(top, PLACES_TEMPORARY_DIR);
}

bool top_find_one(const char *chosen, char path[SOCKET_PATH_MAX + 1])
{
	chosen = session_daemon_chosen(chosen);
	if (chosen)
		return (size_t)snprintf(path, SOCKET_PATH_MAX + 1, "%s", chosen) <= SOCKET_PATH_MAX;
	for (unsigned int place = 0; place < PLACES; place++)
		if (session_daemon_place(place, path, SOCKET_PATH_MAX + 1) &&
		    has_daemon(NULL, path))
			return true;
	return false;
}

/* A killed daemon leaves its socket, which is none that the user wants to see. */
static bool is_left(const struct top_daemon *daemon, int error)
{
	return error == -ENOENT && !daemon->named && !daemon->answered;
}

static void forget(struct top_daemon *daemon)
{
	top_sample_end(daemon);
	free(daemon);
}

size_t top_look(struct top *top)
{
	struct top_daemon **at = &top->daemons, *daemon;
	size_t answered = 0;

	for (daemon = top->daemons; daemon; daemon = daemon->next)
		daemon->seen = false;
	find_all(top);
	while ((daemon = *at)) {
		int error = daemon->seen
				    ? top_sample_take(daemon, top->sessions_only, top->timeout_ms)
				    : 0;

		if (!daemon->seen || is_left(daemon, error)) {
			*at = daemon->next;
			forget(daemon);
			continue;
		}
		daemon->answered |= error == 0;
		answered += error == 0;
		at = &daemon->next;
	}
	return answered;
}

size_t top_count(const struct top *top)
{
	size_t count = 0;

	for (const struct top_daemon *daemon = top->daemons; daemon; daemon = daemon->next)
		count++;
	return count;
}

void top_free(struct top *top)
{
	while (top->daemons) {
		struct top_daemon *daemon = top->daemons;

		top->daemons = daemon->next;
		forget(daemon);
	}
}
