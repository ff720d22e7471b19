# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# lttngmap, the command: main.c, one cmd-VERB.c a verb. What needs no daemon
# is in libcli.la, so that the unit tests reach it.

noinst_LTLIBRARIES += libcli.la
libcli_la_SOURCES = \
	cli/attach/mapped.c \
	cli/attach/mapped.h \
	cli/attach/reach.c \
	cli/attach/reach.h \
	cli/attach/target.c \
	cli/attach/target.h \
	cli/attach/tracee-frame.c \
	cli/attach/tracee-frame.h \
	cli/attach/tracee-safe.c \
	cli/attach/tracee-safe.h \
	cli/attach/tracee.c \
	cli/attach/tracee.h \
	cli/base/field-member.c \
	cli/base/field-member.h \
	cli/base/locate.c \
	cli/base/locate.h \
	cli/base/message.c \
	cli/base/message.h \
	cli/base/options.c \
	cli/base/options.h \
	cli/base/output-dir.c \
	cli/base/output-dir.h \
	cli/base/output-file.c \
	cli/base/output-file.h \
	cli/base/running.c \
	cli/base/running.h \
	cli/base/regular-open.c \
	cli/base/regular-open.h \
	cli/base/problem.c \
	cli/base/problem.h \
	cli/base/program-search.c \
	cli/base/program-search.h \
	cli/base/shell-quote.c \
	cli/base/shell-quote.h \
	cli/base/suggest.c \
	cli/base/suggest.h \
	cli/base/text-output.c \
	cli/base/text-output.h \
	cli/base/verb.c \
	cli/base/verb.h \
	cli/client/control-client.c \
	cli/client/control-client.h \
	cli/client/damaged.c \
	cli/client/damaged.h \
	cli/client/filter-caret.c \
	cli/client/filter-caret.h \
	cli/client/json-keys.c \
	cli/client/json-keys.h \
	cli/client/left-recordings.c \
	cli/client/left-recordings.h \
	cli/client/logger-rule.c \
	cli/client/logger-rule.h \
	cli/client/present-user.c \
	cli/client/present-user.h \
	cli/client/probe.c \
	cli/client/probe.h \
	cli/client/session-daemon.c \
	cli/client/session-daemon.h \
	cli/client/session-file.c \
	cli/client/session-file.h \
	cli/load/session-xml.c \
	cli/load/session-xml.h \
	cli/client/untraced.c \
	cli/client/untraced.h \
	cli/export/export-pair.c \
	cli/export/export.h \
	cli/query/query-class.c \
	cli/query/query-database.c \
	cli/query/query-events.c \
	cli/query/query-functions.c \
	cli/query/query-output.c \
	cli/query/query-packets.c \
	cli/query/query-plot.c \
	cli/query/query-scan.c \
	cli/query/query-spans.c \
	cli/query/query-stream.c \
	cli/query/query-trace.c \
	cli/query/query-value.c \
	cli/query/query.h \
	cli/relay/relay-keep.c \
	cli/relay/relay-keep.h \
	cli/symbols/elf-symbol.c \
	cli/symbols/elf-symbol.h \
	cli/symbols/loaded.c \
	cli/symbols/loaded.h \
	cli/symbols/symbol-file.c \
	cli/symbols/symbol-file.h \
	cli/symbols/symbol-open.c \
	cli/symbols/symbol-open.h \
	cli/symbols/symbols.c \
	cli/symbols/symbols.h \
	cli/view/event-names.c \
	cli/view/event-names.h \
	cli/view/metadata-bounds.c \
	cli/view/metadata-bounds.h \
	cli/view/metadata-file.c \
	cli/view/metadata-file.h \
	cli/view/stream-check.c \
	cli/view/stream-check.h \
	cli/view/view-filter.c \
	cli/view/view-find.c \
	cli/view/view-losses.c \
	cli/view/view-progress.c \
	cli/view/view-streams.c \
	cli/view/view.h
libcli_la_CPPFLAGS = $(AM_CPPFLAGS)
libcli_la_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS) $(BABELTRACE_CFLAGS) $(ELF_CFLAGS) $(DW_CFLAGS) \
	$(SQLITE_CFLAGS) $(ZLIB_CFLAGS)
libcli_la_LIBADD = libcommon.la $(JSON_LIBS) $(BABELTRACE_LIBS) $(DW_LIBS) $(ELF_LIBS) \
	$(SQLITE_LIBS) $(ZLIB_LIBS) -lm

bin_PROGRAMS += lttngmap
lttngmap_SOURCES = \
	cli/cmd-attach.c \
	cli/cmd-channel.c \
	cli/cmd-clear.c \
	cli/cmd-set-session.c \
	cli/cmd-complete.c \
	cli/cmd-context.c \
	cli/cmd-count.c \
	cli/cmd-create.c \
	cli/cmd-destroy.c \
	cli/cmd-detach.c \
	cli/cmd-disable.c \
	cli/cmd-enable.c \
	cli/cmd-events.c \
	cli/cmd-export.c \
	cli/cmd-help.c \
	cli/cmd-list.c \
	cli/cmd-load.c \
	cli/cmd-map.c \
	cli/cmd-merge.c \
	cli/cmd-metrics.c \
	cli/cmd-query.c \
	cli/cmd-record.c \
	cli/cmd-recover.c \
	cli/cmd-relay.c \
	cli/cmd-remove.c \
	cli/cmd-report.c \
	cli/cmd-rotate.c \
	cli/cmd-save.c \
	cli/cmd-snapshot.c \
	cli/cmd-start.c \
	cli/cmd-status.c \
	cli/cmd-stop.c \
	cli/cmd-top.c \
	cli/cmd-track.c \
	cli/cmd-trigger.c \
	cli/cmd-untrack.c \
	cli/cmd-view.c \
	cli/complete-value.c \
	cli/complete.h \
	cli/main.c \
	cli/synonyms.c \
	cli/synonyms.h \
	cli/usage.c \
	cli/usage.h \
	cli/recover-vmcore.c \
	cli/recover-vmcore.h \
	cli/verbs.c \
	cli/verbs.h \
	cli/client/filter-name.c \
	cli/client/filter-name.h \
	cli/client/session-batch.c \
	cli/client/session-batch.h \
	cli/map/map-print.c cli/map/map-print.h \
	cli/map/map-request.c cli/map/map-request.h \
	cli/map/map-rows.c cli/map/map-rows.h \
	cli/metrics/metrics-counts.c \
	cli/metrics/metrics-http.c \
	cli/metrics/metrics-look.c \
	cli/metrics/metrics-maps.c \
	cli/metrics/metrics-page.c \
	cli/metrics/metrics-text.c \
	cli/metrics/metrics.h \
	cli/client/session-counts.c \
	cli/client/session-counts.h \
	cli/client/session-events.c \
	cli/client/session-events.h \
	cli/client/session-print.c \
	cli/client/session-print.h \
	cli/client/session-rules.c \
	cli/client/session-rules.h \
	cli/client/session-sending.c \
	cli/client/session-sending.h \
	cli/client/session-trackers.c \
	cli/client/session-trackers.h \
	cli/client/session-verb.c \
	cli/client/session-verb.h \
	cli/export/export-chrome.c \
	cli/export/export-class.c \
	cli/export/export-event.c \
	cli/export/export-folded.c \
	cli/export/export-perfetto.c \
	cli/export/export-protobuf.h \
	cli/export/export-text.c \
	cli/export/export-track.c \
	cli/merge/merge-find.c \
	cli/merge/merge-private.h \
	cli/merge/merge.c \
	cli/merge/merge.h \
	cli/query/query-prompt.c \
	cli/record/record-child.c \
	cli/record/record-daemon.c \
	cli/record/record-follow.c \
	cli/record/record-kernel.c \
	cli/record/record-map.c \
	cli/record/record-preload.c \
	cli/record/record-program.c \
	cli/record/record-progress.c \
	cli/record/record-relay.c \
	cli/record/record-rings.c \
	cli/record/record-sdt.c \
	cli/record/record-session.c \
	cli/record/record-unmatched.c \
	cli/record/record.h \
	cli/relay/relay-child.c \
	cli/relay/relay-child.h \
	cli/relay/relay-run.c \
	cli/relay/relay-run.h \
	cli/report/page-bins.c \
	cli/report/page-bytes.c \
	cli/report/page-callers.c \
	cli/report/page-durations.c \
	cli/report/page-events.c \
	cli/report/page-flame.c \
	cli/report/page-format.c \
	cli/report/page-index.c \
	cli/report/page-files.c \
	cli/report/page-descriptors.c \
	cli/report/page-memory.c \
	cli/report/page-slices.c \
	cli/report/page-text.c \
	cli/report/page.h \
	cli/top/top-daemons.c \
	cli/top/top-rows.c \
	cli/top/top-sample.c \
	cli/top/top-screen.c \
	cli/top/top-text.c \
	cli/top/top-usage.c \
	cli/top/top.h \
	cli/view/view-follow.c \
	cli/view/view-graph.c \
	cli/view/view-join.c \
	cli/view/view-join.h \
	cli/view/view-json.c \
	cli/view/view-missed.c \
	cli/view/view-segments-copy.c \
	cli/view/view-segments.c \
	cli/view/view-segments.h \
	cli/view/view-sound.c \
	cli/view/view-text.c \
	cli/view/view-threads.c
nodist_lttngmap_SOURCES = page/page.c
lttngmap_CFLAGS = $(AM_CFLAGS) $(BABELTRACE_CFLAGS) $(CURSES_CFLAGS) $(DW_CFLAGS) $(ELF_CFLAGS) \
	$(EDIT_CFLAGS) $(EXPAT_CFLAGS) $(JSON_CFLAGS) $(MICROHTTPD_CFLAGS) $(POPT_CFLAGS) $(SQLITE_CFLAGS) $(ZLIB_CFLAGS)
lttngmap_LDADD = libcli.la librelay.la libcommon.la $(BABELTRACE_LIBS) $(CURSES_LIBS) $(DW_LIBS) $(ELF_LIBS) \
	$(EDIT_LIBS) $(EXPAT_LIBS) $(JSON_LIBS) $(POPT_LIBS) $(SQLITE_LIBS) $(ZLIB_LIBS) -ldl -lm

# A command of its own, under the name that LTTng's has.
bin_SCRIPTS += cli/lttngmap-gen-tp
EXTRA_DIST += cli/lttngmap-gen-tp.in
CLEANFILES += cli/lttngmap-gen-tp
cli/lttngmap-gen-tp: cli/lttngmap-gen-tp.in Makefile
	$(AM_V_GEN)$(MKDIR_P) cli && \
	$(SED) -e 's|@includedir[@]|$(includedir)|g' -e 's|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|' \
		$(top_srcdir)/cli/lttngmap-gen-tp.in >$@.tmp && chmod +x $@.tmp && mv $@.tmp $@

# How a command line may go on; each shell asks `lttngmap complete`.
bashcompletiondir = $(datadir)/bash-completion/completions
nodist_bashcompletion_DATA = cli/completion/lttngmap
dist_zshcompletion_DATA = cli/completion/_lttngmap
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = cli/completion/lttngmap.fish
# Installed by the command's own name, by which bash looks for it.
EXTRA_DIST += cli/completion/lttngmap.bash
CLEANFILES += cli/completion/lttngmap
cli/completion/lttngmap: cli/completion/lttngmap.bash
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $(srcdir)/cli/completion/lttngmap.bash $@
