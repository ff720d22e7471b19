# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Manual pages (installed) and what explains the tree (distributed).

EXTRA_DIST += \
	doc/coming-from-lttng.md \
	doc/tutorial.md \
	doc/design/architecture.md \
	doc/design/attach.md \
	doc/design/attacks.md \
	doc/design/callstacks.md \
	doc/design/consumer.md \
	doc/design/export.md \
	doc/design/features.md \
	doc/design/figures.md \
	doc/design/filters.md \
	doc/design/functions.md doc/design/guards.md \
	doc/design/kernel.md \
	doc/design/left-out.md \
	doc/design/lttng.md \
	doc/design/maps.md \
	doc/design/metrics.md \
	doc/design/triggers.md \
	doc/design/late-attach.md \
	doc/design/query.md \
	doc/design/recovering.md \
	doc/design/relay.md \
	doc/design/ring-file.md \
	doc/design/ring-kernel.md \
	doc/design/ring.md \
	doc/design/reliability.md \
	doc/design/report.md \
	doc/design/report \
	doc/design/sdt.md \
	doc/design/security.md \
	doc/design/surviving.md \
	doc/design/process-end.md \
	doc/design/tour.md \
	doc/design/trace.md \
	doc/design/user-rings.md \
	doc/design/watching.md

dist_man_MANS += \
	doc/man/lttngmap-abi.5 \
	doc/man/lttngmap-consumerd.8 \
	doc/man/lttngmap-event-class.3 \
	doc/man/lttngmap-filter.7 \
	doc/man/lttngmap-gen-tp.1 \
	doc/man/lttngmap-lttng.1 \
	doc/man/lttngmap-lttng.7 \
	doc/man/lttngmap-preload.7 \
	doc/man/lttngmap-java.7 \
	doc/man/lttngmap-python.7 \
	doc/man/lttngmap-ring-file.3 \
	doc/man/lttngmap-sdt.7 \
	doc/man/lttngmap-sessiond.8 \
	doc/man/lttngmap-vmcore.8 \
	doc/man/lttngmap-trace.5 \
	doc/man/lttngmap.1 \
	doc/man/lttngmap.7

# The examples, compiled by `make check` as a reader would by hand. They are
# run, and their traces looked at, by tests/integration/tracepoint.sh.
check_PROGRAMS += doc/examples/hello doc/examples/plugin-host doc/examples/shop
doc_examples_hello_SOURCES = doc/examples/hello.c
doc_examples_hello_LDFLAGS = $(test_ldflags)
doc_examples_hello_LDADD = liblttngmap.la
doc_examples_shop_SOURCES = doc/examples/shop.cc
doc_examples_shop_LDFLAGS = $(test_ldflags)
doc_examples_shop_LDADD = liblttngmap.la
doc_examples_plugin_host_SOURCES = doc/examples/plugin-host.c
doc_examples_plugin_host_LDFLAGS = $(test_ldflags)
doc_examples_plugin_host_LDADD = liblttngmap.la -ldl
check_PROGRAMS += doc/examples/read-ring
doc_examples_read_ring_SOURCES = doc/examples/read-ring.c
doc_examples_read_ring_LDFLAGS = $(test_ldflags)
doc_examples_read_ring_LDADD = liblttngmap-ring-file.la
check_LTLIBRARIES += doc/examples/plugin.la
doc_examples_plugin_la_SOURCES = doc/examples/plugin.c
doc_examples_plugin_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere
doc_examples_plugin_la_LIBADD = liblttngmap.la

dist_man_MANS += doc/man/lttngmap-tracef.3 doc/man/lttngmap-tracepoint.3

dist_man_MANS += \
	doc/man/lttngmap-attach.1 doc/man/lttngmap-count.1 doc/man/lttngmap-export.1 \
	doc/man/lttngmap-query.1 doc/man/lttngmap-record.1 doc/man/lttngmap-report.1 doc/man/lttngmap-view.1

# The verbs of sessions; those that share a page are links to it: VERB:PAGE.
dist_man_MANS += \
	doc/man/lttngmap-channel.1 \
	doc/man/lttngmap-clear.1 \
	doc/man/lttngmap-set-session.1 \
	doc/man/lttngmap-complete.1 \
	doc/man/lttngmap-context.1 \
	doc/man/lttngmap-create.1 \
	doc/man/lttngmap-destroy.1 \
	doc/man/lttngmap-enable.1 \
	doc/man/lttngmap-events.1 \
	doc/man/lttngmap-list.1 \
	doc/man/lttngmap-map.1 \
	doc/man/lttngmap-trigger.1 \
	doc/man/lttngmap-merge.1 \
	doc/man/lttngmap-metrics.1 \
	doc/man/lttngmap-recover.1 \
	doc/man/lttngmap-relay.1 \
	doc/man/lttngmap-rotate.1 \
	doc/man/lttngmap-save.1 \
	doc/man/lttngmap-snapshot.1 \
	doc/man/lttngmap-start.1 \
	doc/man/lttngmap-status.1 \
	doc/man/lttngmap-top.1 \
	doc/man/lttngmap-track.1
shared_pages = detach:attach stop:start disable:enable remove:enable untrack:track load:save

# The pages of public calls, by the calls' names: CALL:PAGE, each lttngmap_CALL(3).
shared_calls = \
	tracepoint:tracepoint tracepoint_enabled:tracepoint \
	tracef:tracef tracelog:tracef vtracef:tracef vtracelog:tracef \
	module_register:event-class module_unregister:event-class \
	event_may_pass:event-class event_write:event-class event_write_at_once:event-class \
	event_room:event-class event_reserve:event-class event_write_long:event-class \
	calls_register:event-class calls_unregister:event-class \
	provider_register:event-class provider_unregister:event-class \
	statedump_register:event-class \
	ring_file_open:ring-file ring_file_close:ring-file ring_file_fd:ring-file \
	ring_file_meta:ring-file ring_file_get_packet:ring-file ring_file_get_packets:ring-file \
	ring_file_check_packet:ring-file ring_file_get_reader:ring-file ring_file_data:ring-file

install-data-hook:
	@cd "$(DESTDIR)$(man1dir)" && for shared in $(shared_pages); do \
		rm -f "lttngmap-$${shared%:*}.1" && \
		$(LN_S) "lttngmap-$${shared#*:}.1" "lttngmap-$${shared%:*}.1" || exit 1; \
	done
	@cd "$(DESTDIR)$(man3dir)" && for shared in $(shared_calls); do \
		rm -f "lttngmap_$${shared%:*}.3" && \
		$(LN_S) "lttngmap-$${shared#*:}.3" "lttngmap_$${shared%:*}.3" || exit 1; \
	done

uninstall-hook:
	@for shared in $(shared_pages); do \
		rm -f "$(DESTDIR)$(man1dir)/lttngmap-$${shared%:*}.1"; \
	done
	@for shared in $(shared_calls); do \
		rm -f "$(DESTDIR)$(man3dir)/lttngmap_$${shared%:*}.3"; \
	done
