# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Python's logging as events: the module lttngmap, and the library that it calls.

lib_LTLIBRARIES += liblttngmap-python.la
liblttngmap_python_la_SOURCES = python/logging.c
liblttngmap_python_la_LDFLAGS = $(AM_LDFLAGS) $(TRACED_LDFLAGS) -module -avoid-version -shared \
	$(beside_ldflags) -Wl,-z,nodelete -Wl,-z,defs -Wl,--version-script=$(top_srcdir)/python/logging.map
EXTRA_liblttngmap_python_la_DEPENDENCIES = liblttngmap.la python/logging.map
EXTRA_DIST += python/logging.map python/lttngmap.py.in

# LTTng's name of the module, where LTTng's own is not in its way.
lttngpythondir = $(lttngprefix)/python
dist_lttngpython_DATA = python/lttngust.py

pythonmoduledir = $(pythondir)
nodist_pythonmodule_DATA = python/lttngmap.py
CLEANFILES += python/lttngmap.py
python/lttngmap.py: python/lttngmap.py.in Makefile
	$(AM_V_GEN)$(MKDIR_P) python && \
	$(SED) 's|@LIBDIR_FROM_PYTHONDIR[@]|$(LIBDIR_FROM_PYTHONDIR)|' $(top_srcdir)/python/lttngmap.py.in >$@.tmp && mv $@.tmp $@
