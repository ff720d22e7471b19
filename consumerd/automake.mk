# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# lttngmap-consumerd. All but main.c is in libconsumerd.la, so that the unit
# tests reach it.

noinst_LTLIBRARIES += libconsumerd.la
libconsumerd_la_SOURCES =
libconsumerd_la_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS) $(JSON_CFLAGS)
libconsumerd_la_LIBADD = libringfile.la libcommon.la $(URCU_LIBS) $(SYSTEMD_LIBS) $(JSON_LIBS) \
	-lpthread

# Becomes bin_PROGRAMS once there is a main.c.
EXTRA_PROGRAMS += lttngmap-consumerd
lttngmap_consumerd_SOURCES =
lttngmap_consumerd_CFLAGS = $(libconsumerd_la_CFLAGS)
lttngmap_consumerd_LDADD = libconsumerd.la
