# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# liblttngmap.so: what lives in the traced program. It needs libc only, and
# stays mapped after a dlclose, for tracepoints elsewhere point into it. The
# objects stand in a library of their own, so that tests reach hidden symbols.

noinst_LTLIBRARIES += liblttngmap-core.la
liblttngmap_core_la_SOURCES = \
	liblttngmap/answer.c liblttngmap/answer.h \
	liblttngmap/arch.h \
	liblttngmap/attach.c liblttngmap/attach.h \
	liblttngmap/attach-fetch.c \
	liblttngmap/away.c liblttngmap/away.h \
	liblttngmap/calls.c \
	liblttngmap/channel.c liblttngmap/channel.h \
	liblttngmap/context.c liblttngmap/context.h \
	liblttngmap/descriptors.c liblttngmap/descriptors.h \
	liblttngmap/event.c \
	liblttngmap/event-fast.c liblttngmap/event-fast.h \
	liblttngmap/exchange.c liblttngmap/exchange.h \
	liblttngmap/exec.c liblttngmap/exec.h \
	liblttngmap/filter.c liblttngmap/filter.h \
	liblttngmap/filter-decode.h \
	liblttngmap/filter-string.c liblttngmap/filter-string.h \
	liblttngmap/filter-test.h \
	liblttngmap/local.c liblttngmap/local.h \
	liblttngmap/memory-map.c liblttngmap/memory-map.h \
	liblttngmap/module.c liblttngmap/module.h \
	liblttngmap/own-limits.c liblttngmap/own-limits.h \
	liblttngmap/own-maps.c liblttngmap/own-maps.h \
	liblttngmap/ring.c liblttngmap/ring.h \
	liblttngmap/ring-filter.c liblttngmap/ring-filter.h \
	liblttngmap/ring-rseq.h \
	liblttngmap/ring-switch.c liblttngmap/ring-switch.h \
	liblttngmap/ring-trylock.c liblttngmap/ring-trylock.h \
	liblttngmap/ring-wait.c liblttngmap/ring-wait.h \
	liblttngmap/ring-write.c liblttngmap/ring-write.h \
	liblttngmap/sandbox.c liblttngmap/sandbox.h \
	liblttngmap/statedump.c liblttngmap/statedump.h \
	liblttngmap/vfork.c liblttngmap/vfork.h
liblttngmap_core_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden

lib_LTLIBRARIES += liblttngmap.la
liblttngmap_la_SOURCES =
liblttngmap_la_LIBADD = liblttngmap-core.la
liblttngmap_la_LDFLAGS = $(AM_LDFLAGS) $(TRACED_LDFLAGS) -version-info 0:0:0 \
	-Wl,-z,nodelete -Wl,-z,defs \
	-Wl,--version-script=$(top_srcdir)/liblttngmap/liblttngmap.map
EXTRA_liblttngmap_la_DEPENDENCIES = liblttngmap/liblttngmap.map
EXTRA_DIST += liblttngmap/liblttngmap.map

pkgconfig_DATA += liblttngmap/lttngmap.pc liblttngmap/lttngmap-lttng-compat.pc

# Where pkg-config looks only if it is told to.
lttngustpcdir = $(libdir)/lttngmap/lttng-compat/pkgconfig
lttngustpc_DATA = liblttngmap/lttng-ust.pc
