/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * output-session-place.c - whether the trace is still where the session's user looks for it.
 *
 * The session writes through descriptors, which follow a folder that is renamed, and outlive one
 * that is removed. The kernel knows the path of a held folder: /proc/self/fd asks no file system,
 * so another user who owns the path cannot make us wait.
 */
#include "consumerd/session/output-session-private.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/protocol/protocol-control.h"

/* The kernel appends this to the path of a removed folder. */
#define DELETED " (deleted)"
#define DELETED_LENGTH (sizeof(DELETED) - 1)

static bool read_path(int fd, char path[PATH_MAX])
{
	char link[32];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, PATH_MAX - 1);
	path[length < 0 ? 0 : length] = '\0';
	return length > 0;
}

static bool is_deleted(const char *path)
{
	size_t length = strlen(path);

	return length > DELETED_LENGTH && strcmp(path + length - DELETED_LENGTH, DELETED) == 0;
}

/* A network file system may forget a folder's path, and folders may have such names. */
static bool is_removed(int fd, const char *path)
{
	struct stat status;

	return is_deleted(path) && fstat(fd, &status) == 0 && status.st_nlink == 0;
}

void output_session_note_place(struct output_session *session)
{
	read_path(session->trace.output, session->place);
}

static void describe_removed(struct output_session *session, const char *folder, uint64_t gone_from)
{
	session->gone_from = gone_from;
	snprintf(session->removed, sizeof(session->removed),
		 "%.*s%s%s " PROTOCOL_CONTROL_REMOVED "; " PROTOCOL_CONTROL_ANOTHER,
		 SESSION_PATH_SHOWN, session->output, folder ? "/" : "", folder ? folder : "");
}

static void describe_moved(struct output_session *session, const char *now)
{
	snprintf(session->moved, sizeof(session->moved),
		 "%.*s is not the folder that the session began with, which is %.*s now: the trace "
		 "is there; move it back" PROTOCOL_CONTROL_OR_ANOTHER,
		 SESSION_PATH_SHOWN, session->output, SESSION_PATH_SHOWN, now);
}

static void find_place(struct output_session *session)
{
	char now[PATH_MAX], dir[PATH_MAX];

	session->moved[0] = session->removed[0] = '\0';
	if (session->trace.output < 0 || !session->place[0] ||
	    !read_path(session->trace.output, now))
		return;
	if (is_removed(session->trace.output, now))
		describe_removed(session, NULL, 0);
	else if (session->is_open && read_path(session->trace.dir, dir) &&
		 is_removed(session->trace.dir, dir))
		describe_removed(session, trace_directory(&session->trace), session->chunk_from);
	else if (strcmp(now, session->place) != 0 && !is_deleted(now))
		describe_moved(session, now);
}

const char *output_session_misplaced(const struct output_session *session)
{
	if (session->removed[0])
		return session->removed;
	return session->moved[0] ? session->moved : NULL;
}

bool output_session_is_gone(struct output_session *session)
{
	(void)output_session_check_place(session);
	return session->removed[0] != '\0';
}

bool output_session_check_place(struct output_session *session)
{
	const char *misplaced = output_session_misplaced(session);
	char before[SESSION_TEXT_SIZE];

	snprintf(before, sizeof(before), "%s", misplaced ? misplaced : "");
	find_place(session);
	misplaced = output_session_misplaced(session);
	/* It may be moved back. */
	if (misplaced)
		output_session_retry_later(session);
	if (strcmp(before, misplaced ? misplaced : "") == 0)
		return false;
	if (misplaced)
		log_error("session %s: %s", session->name, misplaced);
	else
		log_info("session %s: the trace is in %s again", session->name, session->output);
	return true;
}
