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
	include/lttngmap/tracepoint.h
