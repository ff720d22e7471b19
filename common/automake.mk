# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# libcommon.la: what daemons and command share. libringfile.la: the reader of
# ring files, installed as liblttngmap-ring-file.so and used by the consumer.

noinst_LTLIBRARIES += libcommon.la libringfile.la
libcommon_la_SOURCES = \
	common/base/beneath.c \
	common/base/beneath.h \
	common/base/amount.c \
	common/base/amount.h \
	common/base/clock.c \
	common/base/clock.h \
	common/base/context.c \
	common/base/context.h \
	common/protocol/ctf.h \
	common/protocol/ended-streams.h \
	common/base/elf-loader.h \
	common/base/filter-float.h \
	common/base/json-message.c \
	common/base/json-message.h \
	common/protocol/attach-request.h \
	common/protocol/places.h \
	common/base/losses.c \
	common/base/losses.h \
	common/base/rings-note.c \
	common/base/rings-note.h \
	common/base/log.c \
	common/base/log.h \
	common/base/map-guard.c \
	common/base/map-guard.h \
	common/base/name.c \
	common/base/name.h \
	common/record/packet-check.c \
	common/record/packet-check.h \
	common/protocol/protocol-app.h \
	common/protocol/protocol-control.h \
	common/record/record-layout.c \
	common/record/record-layout.h \
	common/record/record-label.c \
	common/record/record-tsdl.c \
	common/protocol/live-time.h \
	common/protocol/metadata-room.h \
	common/protocol/relay-journal.h \
	common/protocol/relay-progress.h \
	common/base/remove-tree.c \
	common/base/remove-tree.h \
	common/ring-file/ring-file-pages.c \
	common/ring-file/ring-file-pages.h \
	common/base/socket.c \
	common/base/socket.h \
	common/base/time.h \
	common/record/tsdl-scan.c \
	common/record/tsdl-scan.h \
	common/base/vector-save.h
libcommon_la_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS) $(SYSTEMD_CFLAGS)
libcommon_la_LIBADD = $(JSON_LIBS)

# Of the daemons alone: the command and programs have nothing of libseccomp.
noinst_LTLIBRARIES += libconfine.la
libconfine_la_SOURCES = \
	common/base/confine-calls.c \
	common/base/confine-calls.h \
	common/base/confine.c \
	common/base/confine.h
libconfine_la_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
libconfine_la_LIBADD = $(SECCOMP_LIBS)

# Of the daemons alone, too: the kernel's event classes.
noinst_LTLIBRARIES += libkernel.la
libkernel_la_SOURCES = \
	common/kernel/kernel-class.c \
	common/kernel/kernel-class.h \
	common/kernel/kernel-format.c \
	common/kernel/kernel-format.h \
	common/kernel/kernel-step.c \
	common/kernel/kernel-step.h
libkernel_la_CFLAGS = $(AM_CFLAGS) $(TRACEEVENT_CFLAGS)
libkernel_la_LIBADD = $(TRACEEVENT_LIBS)

libringfile_la_SOURCES = \
	common/base/map-guard.c \
	common/base/map-guard.h \
	common/protocol/protocol-ring.h \
	common/ring-file/ring-file-ioctl.c \
	common/ring-file/ring-file-kernel.h \
	common/ring-file/ring-file-pages.c \
	common/ring-file/ring-file-pages.h \
	common/ring-file/ring-file-read.c \
	common/ring-file/ring-file-socket.c \
	common/ring-file/ring-file-tracefs.c \
	common/ring-file/ring-file-transport.h \
	common/ring-file/ring-file.c

lib_LTLIBRARIES += liblttngmap-ring-file.la
liblttngmap_ring_file_la_SOURCES =
liblttngmap_ring_file_la_LIBADD = libringfile.la
liblttngmap_ring_file_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-export-symbols-regex '^lttngmap_ring_file_'
