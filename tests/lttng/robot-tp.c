/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* robot-tp.c - the provider of robot-tp.h, a library that is loaded or not. */
#define TRACEPOINT_CREATE_PROBES
#include "robot-tp.h"
