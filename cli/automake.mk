# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# lttngmap, the command: main.c, one cmd-VERB.c a verb. What needs no daemon
# is in libcli.la, so that the unit tests reach it.

noinst_LTLIBRARIES += libcli.la
libcli_la_SOURCES = \
	cli/control-client.c \
	cli/control-client.h \
	cli/elf-symbol.c \
	cli/event-names.c \
	cli/event-names.h \
	cli/elf-symbol.h \
	cli/filter-caret.c \
	cli/filter-caret.h \
	cli/json-keys.c \
	cli/json-keys.h \
	cli/loaded.c \
	cli/loaded.h \
	cli/locate.c \
	cli/locate.h \
	cli/options.c \
	cli/options.h \
	cli/probe.c \
	cli/probe.h \
	cli/problem.c \
	cli/problem.h \
	cli/program-search.c \
	cli/program-search.h \
	cli/reach.c \
	cli/reach.h \
	cli/relay-keep.c \
	cli/relay-keep.h \
	cli/report.c \
	cli/report.h \
	cli/session-file.c \
	cli/session-file.h \
	cli/shell-quote.c \
	cli/shell-quote.h \
	cli/metadata-file.c \
	cli/metadata-file.h \
	cli/stream-check.c \
	cli/stream-check.h \
	cli/target.c \
	cli/target.h \
	cli/target-inside.c \
	cli/target-parts.h \
	cli/tracee.c \
	cli/tracee.h \
	cli/tracee-frame.c \
	cli/tracee-frame.h \
	cli/tracee-safe.c \
	cli/tracee-safe.h \
	cli/untraced.c \
	cli/untraced.h \
	cli/verb.c \
	cli/verb.h \
	cli/view-output.c \
	cli/view-streams.c \
	cli/view.h
libcli_la_CPPFLAGS = $(AM_CPPFLAGS)
libcli_la_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS) $(BABELTRACE_CFLAGS) $(ELF_CFLAGS) $(DW_CFLAGS)
libcli_la_LIBADD = libcommon.la $(JSON_LIBS) $(BABELTRACE_LIBS) $(DW_LIBS) $(ELF_LIBS)

bin_PROGRAMS += lttngmap
lttngmap_SOURCES = \
	cli/cmd-attach.c \
	cli/cmd-channel.c \
	cli/cmd-clear.c \
	cli/cmd-complete.c \
	cli/cmd-context.c \
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
	cli/cmd-record.c \
	cli/cmd-merge.c \
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
	cli/cmd-untrack.c \
	cli/cmd-view.c \
	cli/complete.h \
	cli/complete-value.c \
	cli/export-chrome.c \
	cli/export-class.c \
	cli/export-event.c \
	cli/export-folded.c \
	cli/export-perfetto.c \
	cli/export-protobuf.h \
	cli/export-text.c \
	cli/export-track.c \
	cli/export.h \
	cli/field-member.c \
	cli/field-member.h \
	cli/main.c \
	cli/record-child.c \
	cli/record-daemon.c \
	cli/merge.c \
	cli/merge-find.c \
	cli/merge-parts.h \
	cli/merge.h \
	cli/output-dir.c \
	cli/output-dir.h \
	cli/output-file.c \
	cli/output-file.h \
	cli/page.h \
	cli/page-bins.c \
	cli/page-bytes.c \
	cli/page-durations.c \
	cli/page-events.c \
	cli/page-flame.c \
	cli/page-format.c \
	cli/page-index.c \
	cli/page-memory.c \
	cli/page-slices.c \
	cli/record-kernel.c \
	cli/record-preload.c \
	cli/record-program.c \
	cli/record-relay.c \
	cli/record-rings.c \
	cli/record-unmatched.c \
	cli/record-progress.c \
	cli/record-sdt.c \
	cli/record-session.c \
	cli/record.h \
	cli/relay-child.c \
	cli/relay-child.h \
	cli/relay-run.c \
	cli/relay-run.h \
	cli/session-batch.c \
	cli/session-batch.h \
	cli/session-counts.c \
	cli/session-counts.h \
	cli/session-daemon.c \
	cli/session-daemon.h \
	cli/session-events.c \
	cli/session-events.h \
	cli/session-print.c \
	cli/session-print.h \
	cli/session-sending.c \
	cli/session-sending.h \
	cli/session-rules.c \
	cli/session-rules.h \
	cli/session-trackers.c \
	cli/session-trackers.h \
	cli/session-verb.c \
	cli/session-verb.h \
	cli/symbol-file.c \
	cli/symbol-file.h \
	cli/symbol-open.c \
	cli/symbol-open.h \
	cli/symbols.c \
	cli/symbols.h \
	cli/suggest.c \
	cli/suggest.h \
	cli/synonyms.c \
	cli/synonyms.h \
	cli/top-daemons.c \
	cli/top-rows.c \
	cli/top-sample.c \
	cli/top-screen.c \
	cli/top-text.c \
	cli/top-usage.c \
	cli/usage.c \
	cli/usage.h \
	cli/top.h \
	cli/verbs.c \
	cli/verbs.h \
	cli/view-filter.c \
	cli/view-missed.c \
	cli/view-find.c \
	cli/view-follow.c \
	cli/view-graph.c \
	cli/view-join.c \
	cli/view-join.h \
	cli/view-json.c \
	cli/view-pieces.c \
	cli/view-pieces-copy.c \
	cli/view-pieces.h \
	cli/view-sound.c \
	cli/view-text.c \
	cli/view-threads.c
nodist_lttngmap_SOURCES = page/page.c
lttngmap_CFLAGS = $(AM_CFLAGS) $(BABELTRACE_CFLAGS) $(CURSES_CFLAGS) $(DW_CFLAGS) $(ELF_CFLAGS) \
	$(JSON_CFLAGS) $(POPT_CFLAGS) $(ZLIB_CFLAGS)
lttngmap_LDADD = libcli.la librelay.la libcommon.la $(BABELTRACE_LIBS) $(CURSES_LIBS) $(DW_LIBS) $(ELF_LIBS) \
	$(JSON_LIBS) $(POPT_LIBS) $(ZLIB_LIBS) -ldl -lm

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
