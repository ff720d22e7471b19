# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# lttngmap, the command: main.c, one cmd-VERB.c a verb.

# Becomes bin_PROGRAMS once there is a main.c.
EXTRA_PROGRAMS += lttngmap
lttngmap_SOURCES =
lttngmap_CFLAGS = $(AM_CFLAGS) $(SYSTEMD_CFLAGS) $(JSON_CFLAGS) $(BABELTRACE_CFLAGS) $(POPT_CFLAGS)
lttngmap_LDADD = libcommon.la $(SYSTEMD_LIBS) $(JSON_LIBS) $(BABELTRACE_LIBS) $(POPT_LIBS)
