# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# lttngmap-consumerd. All but main.c is in libconsumerd.la, so that the unit
# tests reach it.

noinst_LTLIBRARIES += libconsumerd.la
libconsumerd_la_SOURCES = \
	consumerd/confine.c \
	consumerd/confine.h \
	consumerd/consumer.c \
	consumerd/consumer.h \
	consumerd/kernel/kernel-packet.c \
	consumerd/kernel/kernel-packet.h \
	consumerd/kernel/kernel-plan.c \
	consumerd/kernel/kernel-plan.h \
	consumerd/session/ring-kernel.c \
	consumerd/session/ring-kernel.h \
	consumerd/link.c \
	consumerd/link.h \
	consumerd/packet/file.c \
	consumerd/packet/file.h \
	consumerd/packet/packet.c \
	consumerd/packet/packet.h \
	consumerd/trace/stream-repair.c \
	consumerd/trace/stream-repair.h \
	consumerd/session/live.c \
	consumerd/session/live.h \
	consumerd/session/output-channel.c \
	consumerd/session/output-channel.h \
	consumerd/session/output-ring-ask.c \
	consumerd/session/output-ring-private.h \
	consumerd/session/output-ring-write.c \
	consumerd/session/output-ring.c \
	consumerd/session/output-ring.h \
	consumerd/session/output-session-live.c \
	consumerd/session/output-session-place.c \
	consumerd/session/output-session-private.h \
	consumerd/session/output-session-records.c \
	consumerd/session/output-session-rotate.c \
	consumerd/session/output-session-spool.c \
	consumerd/session/output-session-written.c \
	consumerd/session/output-session.c \
	consumerd/session/output-session.h \
	consumerd/session/snapshot.c \
	consumerd/session/snapshot.h \
	consumerd/session/spool.c \
	consumerd/session/spool.h \
	consumerd/session/turn.c \
	consumerd/session/turn.h \
	consumerd/session/watch.c \
	consumerd/session/watch.h \
	consumerd/stream/stream-circle.c \
	consumerd/stream/stream-circle.h \
	consumerd/stream/stream-direct.c \
	consumerd/stream/stream-direct.h \
	consumerd/stream/stream-parts.c \
	consumerd/stream/stream-parts.h \
	consumerd/stream/stream-reuse.c \
	consumerd/stream/stream-reuse.h \
	consumerd/stream/stream.c \
	consumerd/stream/stream.h \
	consumerd/trace/sync.c \
	consumerd/trace/sync.h \
	consumerd/trace/trace-chunk.c \
	consumerd/trace/trace-files.c \
	consumerd/trace/trace-journal.c \
	consumerd/trace/trace-metadata.c \
	consumerd/trace/trace-repair.c \
	consumerd/trace/trace-repair.h \
	consumerd/trace/trace.c \
	consumerd/trace/trace.h
libconsumerd_la_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS) $(JSON_CFLAGS)
libconsumerd_la_LIBADD = libringfile.la libconfine.la libkernel.la libcommon.la $(URCU_LIBS) $(SYSTEMD_LIBS) $(JSON_LIBS) \
	-lpthread

bin_PROGRAMS += lttngmap-consumerd
lttngmap_consumerd_SOURCES = consumerd/main.c
lttngmap_consumerd_CFLAGS = $(libconsumerd_la_CFLAGS) $(POPT_CFLAGS)
lttngmap_consumerd_LDADD = libconsumerd.la $(POPT_LIBS)
