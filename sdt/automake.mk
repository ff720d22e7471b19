# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# liblttngmap-sdt.so: the SDT probes of a program and its libraries as events. It
# is preloaded, as those of preload/ are; doc/design/sdt.md tells how it works.

sdt_files = \
	common/base/name.c common/base/name.h \
	common/protocol/sdt-environment.h \
	preload/next.h \
	sdt/library.c sdt/library.h \
	sdt/note.c sdt/note.h \
	sdt/object.c sdt/object.h \
	sdt/place.c sdt/place.h \
	sdt/read.c \
	sdt/report.c sdt/report.h \
	sdt/rules.c sdt/rules.h \
	sdt/site.h \
	sdt/stub.c sdt/stub.h \
	sdt/update.c sdt/update.h

# What runs in a probe before vector registers are saved does not use them.
noinst_LTLIBRARIES += libsdt-entry.la
libsdt_entry_la_SOURCES = sdt/entry.c sdt/operand.c sdt/operand.h
libsdt_entry_la_CFLAGS = $(preload_cflags) -mgeneral-regs-only

lib_LTLIBRARIES += liblttngmap-sdt.la
liblttngmap_sdt_la_SOURCES = $(sdt_files)
liblttngmap_sdt_la_CFLAGS = $(preload_cflags)
liblttngmap_sdt_la_LIBADD = libsdt-entry.la libdl-caller.la libpreload-exec.la libpreload-sandbox.la
liblttngmap_sdt_la_LDFLAGS = $(preload_ldflags) \
	-Wl,--version-script=$(top_srcdir)/sdt/sdt.map
EXTRA_liblttngmap_sdt_la_DEPENDENCIES = liblttngmap.la sdt/sdt.map
EXTRA_DIST += sdt/sdt.map

# For tests, which take of it what they test.
check_LTLIBRARIES += libsdt-parts.la
libsdt_parts_la_SOURCES = \
	sdt/note.c sdt/object.c sdt/operand.c sdt/place.c sdt/read.c sdt/report.c sdt/rules.c sdt/stub.c
