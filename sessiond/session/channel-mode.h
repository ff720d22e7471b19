/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* channel-mode.h - the names of channels' modes: "discard", "overwrite", "blocking". Any thread. */
#ifndef SESSIOND_SESSION_CHANNEL_MODE_H
#define SESSIOND_SESSION_CHANNEL_MODE_H

#include <lttngmap/abi.h>

const char *channel_mode_name(enum lttngmap_mode mode);
/* -EINVAL: no mode has that name. */
int channel_mode_parse(const char *name, enum lttngmap_mode *mode);

#endif /* SESSIOND_SESSION_CHANNEL_MODE_H */
