# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The installed headers: #include <lttngmap/…>.

lttngmapincludedir = $(includedir)/lttngmap
lttngmapinclude_HEADERS = \
	include/lttngmap/abi.h \
	include/lttngmap/event-class.h \
	include/lttngmap/filter-code.h \
	include/lttngmap/ring-file.h \
	include/lttngmap/tracef.h \
	include/lttngmap/tracepoint.h

# For programs written for LTTng-UST, and only for those that ask for them:
# pkg-config lttngmap-lttng-compat.
lttngcompatdir = $(includedir)/lttngmap/lttng-compat/lttng
lttngcompat_HEADERS = \
	include/lttng-compat/lttng/tracef.h \
	include/lttng-compat/lttng/tracelog.h \
	include/lttng-compat/lttng/tracepoint.h \
	include/lttng-compat/lttng/tracepoint-dynamic.h \
	include/lttng-compat/lttng/tracepoint-event.h \
	include/lttng-compat/lttng/tracepoint-old.h \
	include/lttng-compat/lttng/tracepoint-pass.h \
	include/lttng-compat/lttng/tracepoint-probe.h \
	include/lttng-compat/lttng/ust-clock.h \
	include/lttng-compat/lttng/ust-common.h \
	include/lttng-compat/lttng/ust-events.h \
	include/lttng-compat/lttng/ust-fork.h \
	include/lttng-compat/lttng/ust-getcpu.h \
	include/lttng-compat/lttng/ust-thread.h \
	include/lttng-compat/lttng/ust-version.h
