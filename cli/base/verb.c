/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/base/verb.h"

#include "cli/base/message.h"

int verb_usage_error(const struct verb *verb)
{
	message_hint("`lttngmap help %s` shows how it is called", verb->name);
	return verb->usage_status;
}
