# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Libraries to preload into programs as they are, one a family of functions:
# liblttngmap-libc.so, ... They stand in $(libdir), unversioned.

preload_ldflags = $(AM_LDFLAGS) -module -avoid-version -shared -rpath $(libdir) -Wl,-z,nodelete

# Becomes lib_LTLIBRARIES once there is a source.
EXTRA_LTLIBRARIES += liblttngmap-libc.la
liblttngmap_libc_la_SOURCES =
liblttngmap_libc_la_LIBADD = liblttngmap.la
liblttngmap_libc_la_LDFLAGS = $(preload_ldflags)
