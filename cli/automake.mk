# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# lttngmap, the command: main.c, one cmd-VERB.c a verb. What needs no daemon
# is in libcli.la, so that the unit tests reach it.

noinst_LTLIBRARIES += libcli.la
libcli_la_SOURCES = \
	cli/control-client.c \
	cli/control-client.h \
	cli/locate.c \
	cli/locate.h \
	cli/options.c \
	cli/options.h \
	cli/report.c \
	cli/report.h \
	cli/view-output.c \
	cli/view-streams.c \
	cli/view.h
libcli_la_CPPFLAGS = $(AM_CPPFLAGS) -DBINDIR='"$(bindir)"' -DLIBDIR='"$(libdir)"'
libcli_la_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS) $(BABELTRACE_CFLAGS)
libcli_la_LIBADD = libcommon.la $(JSON_LIBS) $(BABELTRACE_LIBS)

bin_PROGRAMS += lttngmap
lttngmap_SOURCES = \
	cli/cmd-help.c \
	cli/cmd-record.c \
	cli/cmd-view.c \
	cli/main.c \
	cli/record-child.c \
	cli/record-daemon.c \
	cli/output-dir.c \
	cli/output-dir.h \
	cli/record-preload.c \
	cli/record-program.c \
	cli/record-progress.c \
	cli/record-session.c \
	cli/record.h \
	cli/verbs.h \
	cli/view-find.c \
	cli/view-graph.c \
	cli/view-json.c \
	cli/view-text.c
lttngmap_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS) $(BABELTRACE_CFLAGS) $(POPT_CFLAGS)
lttngmap_LDADD = libcli.la libcommon.la $(JSON_LIBS) $(BABELTRACE_LIBS) $(POPT_LIBS) -lm
