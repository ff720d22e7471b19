/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* verb.c - what all verbs do after a wrong call. */
#include <config.h>

#include "report.h"
#include "verb.h"

int verb_usage_error(const struct verb *verb)
{
	report_hint("`lttngmap help %s` shows how it is called", verb->name);
	return verb->usage_status;
}
