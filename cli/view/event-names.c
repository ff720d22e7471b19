/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/view/event-names.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/view/metadata-file.h"

#define DEPTH_MOST 16
#define NAME_MOST 256

/* nftw() has no argument for its callback. */
static event_name_each *current_each;
static void *current_data;

/*
 * Reads `name = "PROVIDER:NAME";`, as events have. Streams and channels have no name of that form.
 */
static void read_line(char *line)
{
	char *name = strstr(line, "name = \""), *end;

	if (!name)
		return;
	name += strlen("name = \"");
	end = strchr(name, '"');
	if (!end || end - name > NAME_MOST || end == name)
		return;
	*end = '\0';
	if (strchr(name, ':'))
		current_each(name, current_data);
}

static int read_metadata(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	char *text, *rest, *line;
	size_t size;

	(void)status;
	if (type != FTW_F || strcmp(path + walk->base, METADATA) != 0 ||
	    metadata_file_text(path, O_NOFOLLOW, &text, &size) != 0)
		return 0;
	rest = text;
	while ((line = strsep(&rest, "\n")) != NULL)
		read_line(line);
	free(text);
	return 0;
}

void event_names_of_trace(const char *path, event_name_each *each, void *data)
{
	current_each = each;
	current_data = data;
	nftw(path, read_metadata, DEPTH_MOST, FTW_PHYS);
}

int event_names_of_kernel(event_name_each *each, void *data)
{
	FILE *file = fopen("/sys/kernel/tracing/available_events", "re");
	char line[NAME_MOST];

	if (!file)
		file = fopen("/sys/kernel/debug/tracing/available_events", "re");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		each(line, data);
	}
	fclose(file);
	return 0;
}
