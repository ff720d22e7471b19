# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The page that `lttngmap report` writes a trace into: what runs in the browser. It is
# bundled into page/page.c by node, with the library that draws its charts, in the version
# that the lock file names. A distribution has page/page.c: to build that wants neither.

page_sources = \
	page/build.mjs \
	page/chart.js \
	page/data.js \
	page/durations.js \
	page/events.js \
	page/flame.js \
	page/format.js \
	page/lists.js \
	page/main.js \
	page/memory.js \
	page/meter.js \
	page/overview.js \
	page/page.html \
	page/query.js \
	page/style.css \
	page/table.js \
	page/timeline.js \
	page/timeline-rows.js

EXTRA_DIST += $(page_sources) page/package.json page/package-lock.json page/page.c
MAINTAINERCLEANFILES += page/page.c

# What npm fetches stands in the build's directory, and is fetched once for each lock file.
page/modules/done: $(top_srcdir)/page/package-lock.json
	$(AM_V_GEN)$(NPM) --version >/dev/null 2>&1 || { \
		echo 'page/page.c needs npm to be made; on Debian, install nodejs and npm' >&2; exit 1; }; \
	rm -rf page/modules && $(MKDIR_P) page/modules && \
	cp $(top_srcdir)/page/package.json $(top_srcdir)/page/package-lock.json page/modules && \
	(cd page/modules && $(NPM) ci --ignore-scripts --no-audit --no-fund --loglevel=error) >/dev/null && \
	touch $@

page/page.c: $(page_sources) page/package-lock.json
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) page/modules/done
	$(AM_V_GEN)$(MKDIR_P) page && \
	$(NODE) $(top_srcdir)/page/build.mjs $(top_srcdir)/page page/modules/node_modules page/page.c.tmp && \
	mv page/page.c.tmp page/page.c

distclean-local:
	rm -rf page/modules
