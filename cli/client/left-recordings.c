/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/left-recordings.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "cli/base/message.h"
#include "cli/client/control-client.h"
#include "common/base/rings-note.h"
#include "cli/client/session-daemon.h"
#include "common/protocol/places.h"

/* The saved state is a sparse file of gigabytes. Its texts are in extents far smaller than this. */
#define EXTENT_MOST (INT64_C(64) << 20)
/* A trace is in OUTPUT/ust, or in OUTPUT/CHUNK/ust. */
#define FOLDERS_ABOVE 2

struct left_search {
	char wanted[PATH_MAX * 6 + 32]; /* as the saved state writes it */
	char *directory;
	size_t size;
	bool is_found;
};

void left_recordings_each(void (*each)(const char *directory, void *data), void *data)
{
	glob_t found;

	if (glob(PLACES_TEMPORARY_DIR "/" PLACES_RECORD_GLOB, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char path[PATH_MAX];
		struct stat status;

		snprintf(path, sizeof(path), "%s/" LEFT_STATE, found.gl_pathv[i]);
		if (session_daemon_is_own(PLACES_TEMPORARY_DIR, found.gl_pathv[i], geteuid()) &&
		    lstat(path, &status) == 0 && S_ISREG(status.st_mode))
			each(found.gl_pathv[i], data);
	}
	globfree(&found);
}

static bool extent_has(int fd, off_t begin, off_t end, const char *wanted)
{
	char *bytes;
	ssize_t count;
	bool has;

	if (end - begin > EXTENT_MOST)
		end = begin + EXTENT_MOST;
	bytes = malloc((size_t)(end - begin));
	if (!bytes)
		return false;
	count = pread(fd, bytes, (size_t)(end - begin), begin);
	has = count > 0 && memmem(bytes, (size_t)count, wanted, strlen(wanted));
	free(bytes);
	return has;
}

static bool state_has(const char *directory, const char *wanted)
{
	char path[PATH_MAX];
	off_t begin, end = 0;
	bool has = false;
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/" LEFT_STATE, directory) >= sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	while (!has && (begin = lseek(fd, end, SEEK_DATA)) >= 0) {
		end = lseek(fd, begin, SEEK_HOLE);
		if (end <= begin)
			break;
		has = extent_has(fd, begin, end, wanted);
	}
	close(fd);
	return has;
}

static bool is_dead(const char *directory)
{
	struct control_client *client;
	int error = control_client_connect_now(directory, &client);

	if (!error)
		control_client_close(client);
	return error == -ECONNREFUSED || error == -ENOENT;
}

static void look(const char *directory, void *data)
{
	struct left_search *search = data;

	if (search->is_found || !state_has(directory, search->wanted) || !is_dead(directory))
		return;
	search->is_found = (size_t)snprintf(search->directory, search->size, "%s", directory) <
			   search->size;
}

/* The daemon of a ring directory holds a lock on its saved state. */
static bool is_locked(const char *rings)
{
	char path[PATH_MAX];
	bool locked = false;
	int fd = -1;

	if ((size_t)snprintf(path, sizeof(path), "%s/" LEFT_STATE, rings) < sizeof(path))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0) {
		locked = flock(fd, LOCK_SH | LOCK_NB) != 0;
		close(fd);
	}
	return locked;
}

static void look_at_noted(const char *output, struct left_search *search)
{
	int folder = open(output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char rings[PATH_MAX];

	if (folder < 0)
		return;
	if (rings_note_read(folder, rings) && state_has(rings, search->wanted) && !is_locked(rings))
		search->is_found = (size_t)snprintf(search->directory, search->size, "%s", rings) <
				   search->size;
	close(folder);
}

static void look_everywhere(struct left_search *search)
{
	const char *chosen = session_daemon_chosen(NULL);
	char path[PATH_MAX];

	if (chosen)
		look(chosen, search);
	for (unsigned place = 0; place < PLACES; place++)
		if (session_daemon_place(place, path, sizeof(path)))
			look(path, search);
	left_recordings_each(look, search);
}

bool left_recordings_find(const char *trace, char *directory, size_t size)
{
	struct left_search search = { .directory = directory, .size = size };
	char path[PATH_MAX], *slash;

	if (!realpath(trace, path))
		return false;
	for (int above = 0; above <= FOLDERS_ABOVE; above++) {
		struct json_object *text = json_object_new_string(path);

		snprintf(search.wanted, sizeof(search.wanted), "\"output\":%s",
			 json_object_to_json_string_ext(text, JSON_C_TO_STRING_PLAIN));
		json_object_put(text);
		look_at_noted(path, &search);
		if (!search.is_found)
			look_everywhere(&search);
		slash = strrchr(path, '/');
		if (search.is_found || !slash || slash == path)
			break;
		*slash = '\0';
	}
	return search.is_found;
}

/* Events that its daemons had not written yet are in memory, or in their ring files. */
bool left_recordings_tell(const char *verb, const char *trace)
{
	char directory[PATH_MAX];

	if (!left_recordings_find(trace, directory, sizeof(directory)))
		return false;
	message_note("%s: the recording of '%s' was killed: some events may not be in it yet", verb,
		     trace);
	message_hint("`lttngmap recover %s` brings in what is left", directory);
	return true;
}
