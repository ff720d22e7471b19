/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* The same text is the test in C++. */
#include "tests/unit/tracepoint-fields.c"
