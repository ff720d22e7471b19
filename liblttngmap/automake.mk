# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# liblttngmap.so: what lives in the traced program. It needs libc only, and
# stays mapped after a dlclose, for tracepoints elsewhere point into it. The
# objects stand in a library of their own, so that tests reach hidden symbols.

noinst_LTLIBRARIES += liblttngmap-core.la
liblttngmap_core_la_SOURCES = \
	liblttngmap/attach/answer.c liblttngmap/attach/answer.h \
	liblttngmap/base/arch.h \
	liblttngmap/attach/attach.c liblttngmap/attach/attach.h \
	liblttngmap/attach/attach-fetch.c \
	liblttngmap/attach/away.c liblttngmap/attach/away.h \
	liblttngmap/attach/calls.c \
	liblttngmap/attach/channel.c liblttngmap/attach/channel.h \
	liblttngmap/ring/context.c liblttngmap/ring/context.h \
	liblttngmap/base/descriptors.c liblttngmap/base/descriptors.h \
	liblttngmap/event/callstack.c liblttngmap/event/callstack.h \
	liblttngmap/event/event.c \
	liblttngmap/event/event-fast.c liblttngmap/event/event-fast.h \
	liblttngmap/event/event-map.c liblttngmap/event/event-section.h \
	liblttngmap/event/event-long.c liblttngmap/event/event-long.h \
	liblttngmap/event/event-trylock.c liblttngmap/event/event-trylock.h \
	liblttngmap/attach/exchange.c liblttngmap/attach/exchange.h \
	liblttngmap/attach/exec.c liblttngmap/attach/exec.h \
	liblttngmap/ring/filter.c liblttngmap/ring/filter.h \
	liblttngmap/ring/filter-decode.h \
	liblttngmap/ring/filter-string.c liblttngmap/ring/filter-string.h \
	liblttngmap/ring/filter-test.h \
	liblttngmap/base/local.c liblttngmap/base/local.h \
	liblttngmap/attach/loaded.c liblttngmap/attach/loaded.h \
	liblttngmap/attach/memory-map.c liblttngmap/attach/memory-map.h \
	liblttngmap/attach/module.c liblttngmap/attach/module.h \
	liblttngmap/attach/own-limits.c liblttngmap/attach/own-limits.h \
	liblttngmap/attach/own-maps.c liblttngmap/attach/own-maps.h \
	liblttngmap/attach/own-user.c liblttngmap/attach/own-user.h \
	liblttngmap/ring/ring.c liblttngmap/ring/ring.h \
	liblttngmap/ring/ring-filter.c liblttngmap/ring/ring-filter.h \
	liblttngmap/ring/ring-map.c liblttngmap/ring/ring-map.h liblttngmap/ring/ring-map-text.h \
	liblttngmap/ring/ring-pair.c liblttngmap/ring/ring-pair.h \
	liblttngmap/ring/ring-lock.h \
	liblttngmap/ring/ring-rseq.h \
	liblttngmap/ring/ring-switch.c liblttngmap/ring/ring-switch.h \
	liblttngmap/ring/ring-trylock.c liblttngmap/ring/ring-trylock.h \
	liblttngmap/event/ring-wait.c liblttngmap/event/ring-wait.h \
	liblttngmap/event/ring-write.c liblttngmap/event/ring-write.h \
	liblttngmap/attach/sandbox.c liblttngmap/attach/sandbox.h \
	liblttngmap/attach/statedump.c liblttngmap/attach/statedump.h \
	liblttngmap/unwind/cfi.c liblttngmap/unwind/cfi.h \
	liblttngmap/unwind/objects.c liblttngmap/unwind/objects.h \
	liblttngmap/unwind/stack.c liblttngmap/unwind/stack.h \
	liblttngmap/unwind/table.c liblttngmap/unwind/table.h \
	liblttngmap/unwind/walk.c liblttngmap/unwind/walk.h \
	liblttngmap/base/vfork.c liblttngmap/base/vfork.h
liblttngmap_core_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden

lib_LTLIBRARIES += liblttngmap.la
liblttngmap_la_SOURCES =
liblttngmap_la_LIBADD = liblttngmap-core.la
liblttngmap_la_LDFLAGS = $(AM_LDFLAGS) $(TRACED_LDFLAGS) -version-info 0:0:0 \
	-Wl,-z,nodelete -Wl,-z,defs \
	-Wl,--version-script=$(top_srcdir)/liblttngmap/liblttngmap.map
EXTRA_liblttngmap_la_DEPENDENCIES = liblttngmap/liblttngmap.map
EXTRA_DIST += liblttngmap/liblttngmap.map

# How our other libraries are linked with it, which depend on liblttngmap.la. Libtool would link them again when they
# are installed, for the place where that is. These find it beside themselves, unless `make beside_rpath=` says that the
# loader looks there anyway.
beside_rpath = -Wl,-rpath,'$$ORIGIN'
beside_ldflags = $(beside_rpath) -Wl,.libs/liblttngmap.so

pkgconfig_DATA += liblttngmap/lttngmap.pc liblttngmap/lttngmap-lttng-compat.pc

# Where pkg-config looks only if it is told to.
lttngustpcdir = $(libdir)/lttngmap/lttng-compat/pkgconfig
lttngustpc_DATA = liblttngmap/lttng-ust.pc

# The same directory is a prefix with LTTng-UST's names of headers, libraries and command, for builds that
# ask for these and not for pkg-config's.
lttngprefix = $(libdir)/lttngmap/lttng-compat
lttng_libraries = ust: ust-common: ust-tracepoint: ust-fork: ust-fd: ust-dl:-dl ust-libc-wrapper:-libc \
	ust-pthread-wrapper:-pthread ust-cyg-profile:-cyg-profile ust-cyg-profile-fast:-cyg-profile-fast
# LTTng's command, by lttngmap.
lttngbindir = $(lttngprefix)/bin
dist_lttngbin_SCRIPTS = cli/lttng
install-exec-hook:
	$(MKDIR_P) "$(DESTDIR)$(lttngprefix)/bin" "$(DESTDIR)$(lttngprefix)/include" \
		"$(DESTDIR)$(lttngprefix)/lib" "$(DESTDIR)$(lttngprefix)/python"
	for names in $(lttng_libraries); do \
		ln -sf "../../../liblttngmap$${names#*:}.so" \
			"$(DESTDIR)$(lttngprefix)/lib/liblttng-$${names%:*}.so" || exit 1; \
	done
	ln -sf lttng "$(DESTDIR)$(lttngprefix)/bin/lttng-sessiond"
	ln -sfr "$(DESTDIR)$(bindir)/lttngmap-gen-tp" "$(DESTDIR)$(lttngprefix)/bin/lttng-gen-tp"
	for name in $(lttng_jars); do \
		$(MKDIR_P) "$(DESTDIR)$(lttngprefix)/java" && \
		ln -sfr "$(DESTDIR)$(datadir)/java/lttngmap-agent.jar" \
			"$(DESTDIR)$(lttngprefix)/java/lttng-ust-agent-$$name.jar" || exit 1; \
	done
	ln -sfr "$(DESTDIR)$(pythondir)/lttngmap.py" "$(DESTDIR)$(lttngprefix)/python/lttngmap.py"
	ln -sfrn "$(DESTDIR)$(lttngmapincludedir)" "$(DESTDIR)$(lttngprefix)/include/lttngmap"
	ln -sfrn "$(DESTDIR)$(lttngcompatdir)" "$(DESTDIR)$(lttngprefix)/include/lttng"

uninstall-local:
	cd "$(DESTDIR)$(lttngprefix)" && rm -f bin/lttng-sessiond bin/lttng-gen-tp include/lttngmap include/lttng python/lttngmap.py \
		java/lttng-ust-agent-*.jar lib/liblttng-*.so
