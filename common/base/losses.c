/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "common/base/losses.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/amount.h"
#include "common/base/beneath.h"

#define FILE_SIZE 512 /* of the text with spaces behind it */
#define FORMAT(number)                                                                             \
	"lttngmap losses 1\nkept %" number "\ndiscarded %" number "\noverwritten %" number         \
	"\nbroken %" number "\nbuffered %" number "\nkernel %" number "\ncut %" number "\n"

static int write_at(int folder, int flags, const struct losses *losses)
{
	char text[FILE_SIZE];
	ssize_t written;
	int fd, length;

	memset(text, ' ', sizeof(text));
	length = snprintf(text, sizeof(text), FORMAT(PRIu64), losses->kept, losses->discarded,
			  losses->overwritten, losses->broken, losses->buffered, losses->kernel,
			  losses->cut);
	text[length] = ' ';
	text[FILE_SIZE - 1] = '\n';
	fd = beneath_open(folder, LOSSES_NAME, O_WRONLY | flags, 0660, beneath_owner(folder));
	if (fd < 0)
		return fd;
	written = pwrite(fd, text, sizeof(text), 0);
	close(fd);
	return written == (ssize_t)sizeof(text) ? 0 : written < 0 ? -errno : -ENOSPC;
}

int losses_reserve(int folder)
{
	const struct losses none = { 0 };

	return write_at(folder, O_CREAT, &none);
}

int losses_write(int folder, const struct losses *losses)
{
	return write_at(folder, O_CREAT, losses);
}

int losses_write_path(const char *path, const struct losses *losses)
{
	int folder = beneath_open_path(path, 0), error;

	if (folder < 0)
		return folder;
	error = losses_write(folder, losses);
	close(folder);
	return error;
}

bool losses_add(const char *path, struct losses *losses)
{
	struct losses more = { 0 };
	char text[FILE_SIZE];
	int fd, folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ssize_t size;

	if (folder < 0)
		return false;
	fd = beneath_open(folder, LOSSES_NAME, O_RDONLY, 0, BENEATH_ANYBODY);
	close(folder);
	if (fd < 0)
		return false;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[size > 0 ? size : 0] = '\0';
	/* Earlier versions wrote no `cut`. */
	if (sscanf(text, FORMAT(SCNu64), &more.kept, &more.discarded, &more.overwritten,
		   &more.broken, &more.buffered, &more.kernel, &more.cut) < 6)
		return false;
	losses->kept += more.kept;
	losses->discarded += more.discarded;
	losses->overwritten += more.overwritten;
	losses->broken += more.broken;
	losses->buffered += more.buffered;
	losses->kernel += more.kernel;
	losses->cut += more.cut;
	return true;
}

uint64_t losses_sum(const struct losses *losses)
{
	return losses->discarded + losses->overwritten + losses->broken + losses->buffered +
	       losses->kernel;
}

bool losses_any(const struct losses *losses)
{
	return losses_sum(losses) || losses->cut;
}

/* Appends "; COUNT WHAT", if there are any. */
static void add(char *text, uint64_t count, const char *what)
{
	size_t length = strlen(text);
	char number[32];

	if (count)
		snprintf(text + length, LOSSES_TEXT_SIZE - length, "; %s %s",
			 amount_format_count(count, number), what);
}

char *losses_describe(const struct losses *losses, char text[LOSSES_TEXT_SIZE])
{
	char discarded[32], overwritten[32], all[32];

	if (losses_sum(losses) == 0)
		snprintf(text, LOSSES_TEXT_SIZE, "none");
	else
		snprintf(text, LOSSES_TEXT_SIZE, "%s events discarded, %s overwritten (of %s)",
			 amount_format_count(losses->discarded, discarded),
			 amount_format_count(losses->overwritten, overwritten),
			 amount_format_count(losses->kept + losses_sum(losses) - losses->kernel,
					     all));
	add(text, losses->broken, "left out, which no reader could read");
	add(text, losses->buffered, "in the buffers, not on disk");
	add(text, losses->kernel, "of the kernel's lost");
	add(text, losses->cut, "recorded, and cut: longer than a sub-buffer");
	return text;
}
