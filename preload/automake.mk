# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Libraries to preload into programs as they are, one a family of functions:
# liblttngmap-libc.so, ... They stand in $(libdir), unversioned. No builtins:
# the compiler must not make a call of malloc into one of calloc in here.

preload_cflags = $(AM_CFLAGS) -fno-builtin
preload_ldflags = $(AM_LDFLAGS) $(TRACED_LDFLAGS) -module -avoid-version -shared \
	-Wl,-z,nodelete -Wl,-z,defs -Wl,-z,now $(beside_ldflags)

noinst_HEADERS += preload/early.h

# What several of these libraries have, compiled once.
preload_parts = libpreload-exec.la libpreload-maps.la libpreload-sandbox.la
noinst_LTLIBRARIES += $(preload_parts) libdl-caller.la libfunction-select.la
libpreload_exec_la_SOURCES = preload/exec.c preload/exec.h
libpreload_exec_la_CFLAGS = $(preload_cflags)
libpreload_maps_la_SOURCES = preload/own-maps.c
libpreload_maps_la_CFLAGS = $(preload_cflags)
libpreload_sandbox_la_SOURCES = preload/sandbox.c
libpreload_sandbox_la_CFLAGS = $(preload_cflags)
libdl_caller_la_SOURCES = preload/dl-caller.c preload/dl-caller.h
libdl_caller_la_CFLAGS = $(preload_cflags)
libfunction_select_la_SOURCES = preload/function-select.c preload/function-select.h
libfunction_select_la_CFLAGS = $(preload_cflags)

lib_LTLIBRARIES += liblttngmap-libc.la
liblttngmap_libc_la_SOURCES = \
	preload/libc.c \
	preload/libc-next.c preload/libc-next.h
liblttngmap_libc_la_CFLAGS = $(preload_cflags)
liblttngmap_libc_la_LIBADD = $(preload_parts)
liblttngmap_libc_la_LDFLAGS = $(preload_ldflags) \
	-Wl,--version-script=$(top_srcdir)/preload/libc.map
EXTRA_liblttngmap_libc_la_DEPENDENCIES = liblttngmap.la preload/libc.map
EXTRA_DIST += preload/libc.map

lib_LTLIBRARIES += liblttngmap-pthread.la
liblttngmap_pthread_la_SOURCES = preload/pthread.c preload/next.h
liblttngmap_pthread_la_CFLAGS = $(preload_cflags)
liblttngmap_pthread_la_LIBADD = $(preload_parts)
liblttngmap_pthread_la_LDFLAGS = $(preload_ldflags) \
	-Wl,--version-script=$(top_srcdir)/preload/pthread.map
EXTRA_liblttngmap_pthread_la_DEPENDENCIES = liblttngmap.la preload/pthread.map
EXTRA_DIST += preload/pthread.map

lib_LTLIBRARIES += liblttngmap-dl.la
liblttngmap_dl_la_SOURCES = \
	preload/dl.c \
	preload/dl-debug-link.c preload/dl-debug-link.h \
	preload/dl-objects.c preload/dl-objects.h \
	preload/next.h
liblttngmap_dl_la_CFLAGS = $(preload_cflags)
liblttngmap_dl_la_LIBADD = libdl-caller.la $(preload_parts)
liblttngmap_dl_la_LDFLAGS = $(preload_ldflags) \
	-Wl,--version-script=$(top_srcdir)/preload/dl.map
EXTRA_liblttngmap_dl_la_DEPENDENCIES = liblttngmap.la preload/dl.map
EXTRA_DIST += preload/dl.map

lib_LTLIBRARIES += liblttngmap-io.la
liblttngmap_io_la_SOURCES = preload/io.c preload/io.h preload/io-descriptor.c \
	preload/io-path.c preload/io-stdio.c preload/next.h
liblttngmap_io_la_CFLAGS = $(preload_cflags) -U_FORTIFY_SOURCE
liblttngmap_io_la_LIBADD = $(preload_parts)
liblttngmap_io_la_LDFLAGS = $(preload_ldflags) \
	-Wl,--version-script=$(top_srcdir)/preload/io.map
EXTRA_liblttngmap_io_la_DEPENDENCIES = liblttngmap.la preload/io.map
EXTRA_DIST += preload/io.map

lib_LTLIBRARIES += liblttngmap-proc.la
liblttngmap_proc_la_SOURCES = \
	preload/proc.c preload/proc.h \
	preload/proc-exec.c \
	preload/proc-signal.c \
	preload/proc-text.c \
	preload/proc-vfork.c \
	preload/next.h
liblttngmap_proc_la_CFLAGS = $(preload_cflags)
liblttngmap_proc_la_LIBADD = libpreload-maps.la libpreload-sandbox.la
liblttngmap_proc_la_LDFLAGS = $(preload_ldflags) \
	-Wl,--version-script=$(top_srcdir)/preload/proc.map
EXTRA_liblttngmap_proc_la_DEPENDENCIES = liblttngmap.la preload/proc.map
EXTRA_DIST += preload/proc.map

lib_LTLIBRARIES += liblttngmap-syslog.la
liblttngmap_syslog_la_SOURCES = preload/syslog.c preload/next.h
liblttngmap_syslog_la_CFLAGS = $(preload_cflags) -U_FORTIFY_SOURCE
liblttngmap_syslog_la_LIBADD = $(preload_parts)
liblttngmap_syslog_la_LDFLAGS = $(preload_ldflags) \
	-Wl,--version-script=$(top_srcdir)/preload/syslog.map
EXTRA_liblttngmap_syslog_la_DEPENDENCIES = liblttngmap.la preload/syslog.map
EXTRA_DIST += preload/syslog.map

lib_LTLIBRARIES += liblttngmap-cyg-profile.la liblttngmap-cyg-profile-fast.la
cyg_profile_ldflags = $(preload_ldflags) \
	-Wl,--version-script=$(top_srcdir)/preload/cyg-profile.map
liblttngmap_cyg_profile_la_SOURCES = preload/cyg-profile.c preload/cyg-profile.h
liblttngmap_cyg_profile_la_CFLAGS = $(preload_cflags)
liblttngmap_cyg_profile_la_LIBADD = libfunction-select.la $(preload_parts)
liblttngmap_cyg_profile_la_LDFLAGS = $(cyg_profile_ldflags)
EXTRA_liblttngmap_cyg_profile_la_DEPENDENCIES = liblttngmap.la preload/cyg-profile.map
liblttngmap_cyg_profile_fast_la_SOURCES = preload/cyg-profile-fast.c preload/cyg-profile.h
liblttngmap_cyg_profile_fast_la_CFLAGS = $(preload_cflags)
liblttngmap_cyg_profile_fast_la_LIBADD = libfunction-select.la $(preload_parts)
liblttngmap_cyg_profile_fast_la_LDFLAGS = $(cyg_profile_ldflags)
EXTRA_liblttngmap_cyg_profile_fast_la_DEPENDENCIES = liblttngmap.la preload/cyg-profile.map
EXTRA_DIST += preload/cyg-profile.map

# Loaded by `lttngmap attach` into running processes, and unloaded again.
lib_LTLIBRARIES += liblttngmap-inside.la
liblttngmap_inside_la_SOURCES = \
	common/protocol/inside.h \
	preload/inside.c \
	preload/inside-slots.c preload/inside-slots.h
liblttngmap_inside_la_CFLAGS = $(preload_cflags) -fvisibility=hidden
liblttngmap_inside_la_LDFLAGS = $(AM_LDFLAGS) $(TRACED_LDFLAGS) -module -avoid-version -shared \
	-Wl,-z,defs -Wl,-z,now

lib_LTLIBRARIES += liblttngmap-function.la
liblttngmap_function_la_SOURCES = preload/function.c \
	preload/function-patch.c preload/function-patch.h
liblttngmap_function_la_CFLAGS = $(preload_cflags)
liblttngmap_function_la_LIBADD = libfunction-select.la $(preload_parts)
liblttngmap_function_la_LDFLAGS = $(preload_ldflags) \
	-Wl,--version-script=$(top_srcdir)/preload/function.map
EXTRA_liblttngmap_function_la_DEPENDENCIES = liblttngmap.la preload/function.map
EXTRA_DIST += preload/function.map
