/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* lttng/ust-version.h - the version of LTTng-UST whose interface these headers have. */
#ifndef LTTNGMAP_LTTNG_UST_VERSION_H
#define LTTNGMAP_LTTNG_UST_VERSION_H

#define LTTNG_UST_MAJOR_VERSION 2
#define LTTNG_UST_MINOR_VERSION 13
#define LTTNG_UST_PATCHLEVEL_VERSION 0
#define LTTNG_UST_VERSION "2.13.0"

#define LTTNG_UST_LIB_SONAME_MAJOR 1

#endif /* LTTNGMAP_LTTNG_UST_VERSION_H */
