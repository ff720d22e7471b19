# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# liblttngmap.so: what lives in the traced program. It needs libc only, and
# stays mapped after a dlclose, for tracepoints elsewhere point into it.

# Becomes lib_LTLIBRARIES once there is a source.
EXTRA_LTLIBRARIES += liblttngmap.la
liblttngmap_la_SOURCES =
liblttngmap_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
liblttngmap_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -rpath $(libdir) \
	-Wl,-z,nodelete -Wl,-z,defs \
	-Wl,--version-script=$(top_srcdir)/liblttngmap/liblttngmap.map
EXTRA_liblttngmap_la_DEPENDENCIES = liblttngmap/liblttngmap.map
EXTRA_DIST += liblttngmap/liblttngmap.map

pkgconfig_DATA += liblttngmap/lttngmap.pc
