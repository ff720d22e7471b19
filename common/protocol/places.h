/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * places.h - the directories in which a session daemon may live, where none is named by
 * LTTNGMAP_RUNTIME_DIR or an option. Commands and traced programs look in them in this order.
 * A daemon without root takes the first one where $XDG_RUNTIME_DIR is set, else the second:
 * /run/user/UID is only looked in.
 *
 *   PLACE_RUNTIME    $XDG_RUNTIME_DIR/lttngmap, else /run/user/UID/lttngmap   not root's
 *   PLACE_TEMPORARY  /tmp/lttngmap-UID                                        not root's
 *   PLACE_SYSTEM     /run/lttngmap
 *
 * Anybody can make the second one, and mount a FUSE file system there that never answers. So no
 * call may ask its file system before places_is_own(): it counts only where it is a directory of
 * the user's own, on the file system of /tmp, that nobody else can write to. In /tmp, which is
 * sticky, nobody else can replace such a directory or mount over it. A process that connects
 * there compares the peer's user, too.
 *
 * No function of the C library: traced programs call this, too.
 */
#ifndef COMMON_PROTOCOL_PLACES_H
#define COMMON_PROTOCOL_PLACES_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum place {
	PLACE_RUNTIME,
	PLACE_TEMPORARY,
	PLACE_SYSTEM,
	PLACES,
};

#define PLACES_SYSTEM_DIR "/run/lttngmap"
#define PLACES_TEMPORARY_DIR "/tmp"
/* Name of the directory that `record` makes for its daemon, as a pattern of glob(7). */
#define PLACES_RECORD_GLOB "lttngmap-??????"
/*
 * Flags of statx(), with which the kernel answers from its memory, and sends no request to the
 * server of a FUSE file system. For a directory in /tmp, add AT_SYMLINK_NOFOLLOW.
 */
#define PLACES_LOOK (AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT)

/* Append to the text of `used` bytes. False: there is no room. */
static inline bool places_append(char *path, size_t size, size_t *used, const char *text)
{
	while (*text) {
		if (*used + 1 >= size)
			return false;
		path[(*used)++] = *text++;
	}
	path[*used] = '\0';
	return true;
}

static inline bool places_append_uid(char *path, size_t size, size_t *used, uint32_t uid)
{
	char digits[11];
	char *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do
		*--at = (char)('0' + uid % 10);
	while ((uid /= 10) > 0);
	return places_append(path, size, used, at);
}

/* `xdg`: $XDG_RUNTIME_DIR, or NULL. False: this user has no such place, or `path` no room. */
static inline bool places_make(enum place place, uint32_t uid, const char *xdg, char *path,
			       size_t size)
{
	size_t used = 0;

	if (place == PLACE_SYSTEM)
		return places_append(path, size, &used, PLACES_SYSTEM_DIR);
	if (uid == 0)
		return false;
	if (place == PLACE_TEMPORARY)
		return places_append(path, size, &used, PLACES_TEMPORARY_DIR "/lttngmap-") &&
		       places_append_uid(path, size, &used, uid);
	if (xdg && xdg[0] == '/')
		return places_append(path, size, &used, xdg) &&
		       places_append(path, size, &used, "/lttngmap");
	return places_append(path, size, &used, "/run/user/") &&
	       places_append_uid(path, size, &used, uid) &&
	       places_append(path, size, &used, "/lttngmap");
}

/* False: something is mounted there. A mount's attributes are its server's, and not believed. */
static inline bool places_is_of(const struct statx *parent, const struct statx *directory)
{
	return directory->stx_dev_major == parent->stx_dev_major &&
	       directory->stx_dev_minor == parent->stx_dev_minor;
}

/*
 * True if `directory` belongs to this user and nobody else can write to it. Both are of statx()
 * with PLACES_LOOK, `parent` of the directory above.
 */
static inline bool places_is_own(const struct statx *parent, const struct statx *directory,
				 uint32_t uid)
{
	return places_is_of(parent, directory) && S_ISDIR(directory->stx_mode) &&
	       directory->stx_uid == uid && !(directory->stx_mode & (S_IWGRP | S_IWOTH));
}

#endif /* COMMON_PROTOCOL_PLACES_H */
