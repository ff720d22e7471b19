/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* fields-tp.c - the provider of fields-tp.h, which is included before, too. */
#include "fields-tp.h"
#define TRACEPOINT_CREATE_PROBES
#include "fields-tp.h"
