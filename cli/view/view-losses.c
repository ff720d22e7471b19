/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* view-losses.c - losses that the session counted and no stream tells of. */
#include <config.h>

#include "cli/view/view.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli/base/message.h"

/* The sums lie in OUTPUT; the traces in OUTPUT/ust and OUTPUT/kernel have neighbouring paths. */
void view_losses_find(struct losses *losses, const struct view_traces *traces)
{
	char path[PATH_MAX];
	struct stat status, last = { 0 };

	for (size_t i = 0; i < traces->count; i++) {
		if (snprintf(path, sizeof(path), "%s/..", traces->paths[i]) >= (int)sizeof(path) ||
		    stat(path, &status) < 0 ||
		    (status.st_ino == last.st_ino && status.st_dev == last.st_dev))
			continue;
		last = status;
		losses_add(path, losses);
	}
}

const char *view_losses_describe(const struct view *view, char text[LOSSES_TEXT_SIZE])
{
	if (losses_sum(&view->losses) <= view->told_lost && !view->losses.cut)
		return NULL;
	return losses_describe(&view->losses, text);
}

void view_losses_report(const struct view *view)
{
	char text[LOSSES_TEXT_SIZE];

	if (view_losses_describe(view, text))
		message_note("%s: lost: %s", view_verb, text);
}
