/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/session/channel-mode.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const char *const mode_names[] = {
	[LTTNGMAP_MODE_DISCARD] = "discard",
	[LTTNGMAP_MODE_OVERWRITE] = "overwrite",
	[LTTNGMAP_MODE_BLOCKING] = "blocking",
};

const char *channel_mode_name(enum lttngmap_mode mode)
{
	return mode_names[mode];
}

int channel_mode_parse(const char *name, enum lttngmap_mode *mode)
{
	for (size_t i = 0; i < sizeof(mode_names) / sizeof(mode_names[0]); i++) {
		if (strcmp(name, mode_names[i]) == 0) {
			*mode = (enum lttngmap_mode)i;
			return 0;
		}
	}
	return -EINVAL;
}
