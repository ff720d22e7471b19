# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# lttngmap-consumerd. All but main.c is in libconsumerd.la, so that the unit
# tests reach it.

noinst_LTLIBRARIES += libconsumerd.la
libconsumerd_la_SOURCES = \
	consumerd/channel.c \
	consumerd/channel.h \
	consumerd/confine.c \
	consumerd/confine.h \
	consumerd/consumer.c \
	consumerd/consumer.h \
	consumerd/file.c \
	consumerd/file.h \
	consumerd/kernel-packet.c \
	consumerd/kernel-packet.h \
	consumerd/kernel-plan.c \
	consumerd/kernel-plan.h \
	consumerd/link.c \
	consumerd/link.h \
	consumerd/live.c \
	consumerd/live.h \
	consumerd/packet.c \
	consumerd/packet.h \
	consumerd/ring-kernel.c \
	consumerd/ring-kernel.h \
	consumerd/ring-parts.h \
	consumerd/ring-write.c \
	consumerd/ring.c \
	consumerd/ring.h \
	consumerd/session-live.c \
	consumerd/session-parts.h \
	consumerd/session-place.c \
	consumerd/session-records.c \
	consumerd/session-rotate.c \
	consumerd/session-spool.c \
	consumerd/session-written.c \
	consumerd/session.c \
	consumerd/session.h \
	consumerd/spool.c \
	consumerd/spool.h \
	consumerd/snapshot.c \
	consumerd/snapshot.h \
	consumerd/stream-circle.c \
	consumerd/stream-circle.h \
	consumerd/stream-direct.c \
	consumerd/stream-direct.h \
	consumerd/stream-repair.c \
	consumerd/stream-repair.h \
	consumerd/stream-reuse.c \
	consumerd/stream-reuse.h \
	consumerd/stream.c \
	consumerd/stream.h \
	consumerd/sync.c \
	consumerd/sync.h \
	consumerd/trace-chunk.c \
	consumerd/trace-files.c \
	consumerd/trace-journal.c \
	consumerd/trace-metadata.c \
	consumerd/trace-repair.c \
	consumerd/trace-repair.h \
	consumerd/trace.c \
	consumerd/trace.h \
	consumerd/turn.c \
	consumerd/turn.h \
	consumerd/watch.c \
	consumerd/watch.h
libconsumerd_la_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS) $(JSON_CFLAGS)
libconsumerd_la_LIBADD = libringfile.la libconfine.la libkernel.la libcommon.la $(URCU_LIBS) $(SYSTEMD_LIBS) $(JSON_LIBS) \
	-lpthread

bin_PROGRAMS += lttngmap-consumerd
lttngmap_consumerd_SOURCES = consumerd/main.c
lttngmap_consumerd_CFLAGS = $(libconsumerd_la_CFLAGS) $(POPT_CFLAGS)
lttngmap_consumerd_LDADD = libconsumerd.la $(POPT_LIBS)
