# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# libcommon.la: what daemons and command share. libringfile.la: the reader of
# ring files, installed as liblttngmap-ring-file.so and used by the consumer.

DISTCLEANFILES += common/installed.h # configure.ac
noinst_LTLIBRARIES += libcommon.la libringfile.la
libcommon_la_SOURCES = \
	common/beneath.c \
	common/beneath.h \
	common/clock.c \
	common/clock.h \
	common/context.c \
	common/context.h \
	common/ctf.h \
	common/ended-streams.h \
	common/elf-loader.h \
	common/filter-float.h \
	common/json-message.c \
	common/json-message.h \
	common/attach-request.h \
	common/places.h \
	common/log.c \
	common/log.h \
	common/map-guard.c \
	common/map-guard.h \
	common/name.c \
	common/name.h \
	common/packet-check.c \
	common/packet-check.h \
	common/protocol-app.h \
	common/protocol-control.h \
	common/record-layout.c \
	common/record-layout.h \
	common/record-tsdl.c \
	common/live-time.h \
	common/metadata-room.h \
	common/relay-journal.h \
	common/relay-progress.h \
	common/remove-tree.c \
	common/remove-tree.h \
	common/ring-file-pages.c \
	common/ring-file-pages.h \
	common/socket.c \
	common/socket.h \
	common/time.h \
	common/tsdl-scan.c \
	common/tsdl-scan.h \
	common/vector-save.h
libcommon_la_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS) $(SYSTEMD_CFLAGS)
libcommon_la_LIBADD = $(JSON_LIBS)

# Of the daemons alone: the command and programs have nothing of libseccomp.
noinst_LTLIBRARIES += libconfine.la
libconfine_la_SOURCES = \
	common/confine-calls.c \
	common/confine-calls.h \
	common/confine.c \
	common/confine.h
libconfine_la_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
libconfine_la_LIBADD = $(SECCOMP_LIBS)

# Of the daemons alone, too: the kernel's event classes.
noinst_LTLIBRARIES += libkernel.la
libkernel_la_SOURCES = \
	common/kernel-class.c \
	common/kernel-class.h \
	common/kernel-format.c \
	common/kernel-format.h \
	common/kernel-step.c \
	common/kernel-step.h
libkernel_la_CFLAGS = $(AM_CFLAGS) $(TRACEEVENT_CFLAGS)
libkernel_la_LIBADD = $(TRACEEVENT_LIBS)

libringfile_la_SOURCES = \
	common/map-guard.c \
	common/map-guard.h \
	common/protocol-ring.h \
	common/ring-file-ioctl.c \
	common/ring-file-kernel.h \
	common/ring-file-pages.c \
	common/ring-file-pages.h \
	common/ring-file-read.c \
	common/ring-file-socket.c \
	common/ring-file-tracefs.c \
	common/ring-file-transport.h \
	common/ring-file.c

lib_LTLIBRARIES += liblttngmap-ring-file.la
liblttngmap_ring_file_la_SOURCES =
liblttngmap_ring_file_la_LIBADD = libringfile.la
liblttngmap_ring_file_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-export-symbols-regex '^lttngmap_ring_file_'
