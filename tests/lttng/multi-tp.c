/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* multi-tp.c - the provider MULTI_PROVIDER of multi-tp.h, a library. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "multi-tp.h"
