# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# lttngmap-sessiond. All but main.c is in libsessiond.la, so that the unit
# tests reach it.

# The compiler of filters, which needs nothing of the rest.
noinst_LTLIBRARIES += libfilter.la
libfilter_la_SOURCES = \
	sessiond/filter/filter-code.c \
	sessiond/filter/filter-compare.c \
	sessiond/filter/filter-emit.c \
	sessiond/filter/filter-emit.h \
	sessiond/filter/filter-fold.c \
	sessiond/filter/filter-lex.c \
	sessiond/filter/filter-operand.c \
	sessiond/filter/filter-parse.c \
	sessiond/filter/filter-tree.h \
	sessiond/filter/filter-types.c \
	sessiond/filter/filter-value.c \
	sessiond/filter/filter.h

noinst_LTLIBRARIES += libsessiond.la
libsessiond_la_SOURCES = \
	sessiond/app/address-space.c \
	sessiond/app/address-space.h \
	sessiond/app/app-connection.c \
	sessiond/app/app-connection.h \
	sessiond/app/app-message.c \
	sessiond/app/app-message.h \
	sessiond/app/app-request.c \
	sessiond/app/app-request.h \
	sessiond/app/app-socket.c \
	sessiond/app/app-socket.h \
	sessiond/app/class-reclaim.c \
	sessiond/app/class-reclaim.h \
	sessiond/app/attach-sender.c \
	sessiond/app/attach-sender.h \
	sessiond/app/late-attach.c \
	sessiond/app/late-attach.h \
	sessiond/base/close-untrusted.c \
	sessiond/base/close-untrusted.h \
	sessiond/base/geometry.c \
	sessiond/base/geometry.h \
	sessiond/base/listen.c \
	sessiond/base/listen.h \
	sessiond/base/memory.c \
	sessiond/base/memory.h \
	sessiond/base/messages.c \
	sessiond/base/messages.h \
	sessiond/base/parts.h \
	sessiond/base/peer.c \
	sessiond/base/peer.h \
	sessiond/base/pid-state.c \
	sessiond/base/pid-state.h \
	sessiond/base/ring-sweeper.c \
	sessiond/base/ring-sweeper.h \
	sessiond/base/slots.c \
	sessiond/base/slots.h \
	sessiond/class/class-layout.c \
	sessiond/class/class-layout.h \
	sessiond/class/class-measure.c \
	sessiond/class/class-parse.c \
	sessiond/class/class-parse.h \
	sessiond/class/metadata.c \
	sessiond/class/metadata.h \
	sessiond/class/registry.c \
	sessiond/class/registry.h \
	sessiond/class/tsdl.c \
	sessiond/class/tsdl.h \
	sessiond/confine.c \
	sessiond/confine.h \
	sessiond/consumer/consumer-answer.c \
	sessiond/consumer/consumer-link.c \
	sessiond/consumer/consumer-link.h \
	sessiond/consumer/consumer-private.h \
	sessiond/consumer/consumer-start.c \
	sessiond/consumer/consumers.c \
	sessiond/control/control-act.c \
	sessiond/control/control-act.h \
	sessiond/control/control-admit.c \
	sessiond/control/control-admit.h \
	sessiond/control/control-args.c \
	sessiond/control/control-args.h \
	sessiond/control/control-channel.c \
	sessiond/control/control-client.c \
	sessiond/control/control-client.h \
	sessiond/control/control-kernel.c \
	sessiond/control/control-list.c \
	sessiond/control/control-map.c \
	sessiond/control/control-part.c \
	sessiond/control/control-part.h \
	sessiond/control/control-rotation.c \
	sessiond/control/control-rule.c \
	sessiond/control/control-session.c \
	sessiond/control/control-snapshot.c \
	sessiond/control/control-socket.c \
	sessiond/control/control-socket.h \
	sessiond/control/control-trigger.c \
	sessiond/control/control-usage.c \
	sessiond/control/control-verbs.c \
	sessiond/control/control-verbs.h \
	sessiond/daemon.c \
	sessiond/daemon.h \
	sessiond/kernel/kernel-consumer.c \
	sessiond/kernel/kernel-consumer.h \
	sessiond/kernel/kernel-describe.c \
	sessiond/kernel/kernel-describe.h \
	sessiond/kernel/kernel-domain.c \
	sessiond/kernel/kernel-domain.h \
	sessiond/kernel/kernel-events.c \
	sessiond/kernel/kernel-events.h \
	sessiond/kernel/kernel-instance.c \
	sessiond/kernel/kernel-instance.h \
	sessiond/kernel/kernel-leftovers.c \
	sessiond/kernel/kernel-leftovers.h \
	sessiond/kernel/kernel-probe-child.c \
	sessiond/kernel/kernel-probe-child.h \
	sessiond/kernel/kernel-probes.c \
	sessiond/kernel/kernel-probes.h \
	sessiond/kernel/kernel-rules.c \
	sessiond/kernel/kernel-state.c \
	sessiond/kernel/kernel-state.h \
	sessiond/mediator/doorbell.c \
	sessiond/mediator/doorbell.h \
	sessiond/mediator/mediator.h \
	sessiond/mediator/ring-dirs.c \
	sessiond/mediator/ring-dirs.h \
	sessiond/mediator/ring-fs-dir.c \
	sessiond/mediator/ring-fs-file.c \
	sessiond/mediator/ring-fs-helper.c \
	sessiond/mediator/ring-fs-init.c \
	sessiond/mediator/ring-fs-tree.c \
	sessiond/mediator/ring-fs.c \
	sessiond/mediator/ring-fs.h \
	sessiond/mediator/ring-kernel.c \
	sessiond/mediator/ring-socket.c \
	sessiond/mediator/ring-thread.c \
	sessiond/mediator/ring-thread.h \
	sessiond/mediator/run-queue.c \
	sessiond/mediator/run-queue.h \
	sessiond/memory/control-pages.c \
	sessiond/memory/control-pages.h \
	sessiond/memory/filter-pages.c \
	sessiond/memory/filter-pages.h \
	sessiond/memory/memory-set.c \
	sessiond/memory/memory-set.h \
	sessiond/memory/memory-stock.c \
	sessiond/memory/memory-stock.h \
	sessiond/options.c \
	sessiond/options.h \
	sessiond/quota/quota.c \
	sessiond/quota/quota.h \
	sessiond/quota/subuids.c \
	sessiond/quota/subuids.h \
	sessiond/recover.c \
	sessiond/recover.h \
	sessiond/recover/recover-source.c \
	sessiond/recover/recover-source.h \
	sessiond/recover/recovery.c \
	sessiond/recover/recovery.h \
	sessiond/ring/ring-back.c \
	sessiond/ring/ring-back.h \
	sessiond/ring/ring-host.c \
	sessiond/ring/ring-host.h \
	sessiond/ring/ring-reader-private.h \
	sessiond/ring/module-abi.h \
	sessiond/ring/module-dump.h \
	sessiond/ring/ring-reader.c \
	sessiond/ring/ring-reader.h \
	sessiond/ring/ring-set-copy.c \
	sessiond/ring/ring-set-end.c \
	sessiond/ring/ring-set-import.c \
	sessiond/ring/ring-set-import.h \
	sessiond/ring/ring-set-lease.c \
	sessiond/ring/ring-set-make.c \
	sessiond/ring/ring-set-module.c \
	sessiond/ring/ring-set-private.h \
	sessiond/ring/ring-set-usage.c \
	sessiond/ring/ring-set.c \
	sessiond/ring/ring-set.h \
	sessiond/ring/ring-take.c \
	sessiond/ring/ring-totals.c \
	sessiond/ring/ring-totals.h \
	sessiond/ring/ring-undo.c \
	sessiond/rule/rule-list.c \
	sessiond/rule/rule-list.h \
	sessiond/rule/rule.c \
	sessiond/rule/rule.h \
	sessiond/session/channel-classes.c \
	sessiond/session/channel-map.c sessiond/session/channel-map.h \
	sessiond/session/channel-mode.c \
	sessiond/session/channel-mode.h \
	sessiond/session/channel.c \
	sessiond/session/channel-flush.c \
	sessiond/session/channel.h \
	sessiond/session/executed.c \
	sessiond/session/executed.h \
	sessiond/session/process-channel.c \
	sessiond/session/process-channel.h \
	sessiond/session/process-list.c \
	sessiond/session/process-private.h \
	sessiond/session/process.c \
	sessiond/session/process.h \
	sessiond/session/session-clear.c \
	sessiond/session/session-clock.c \
	sessiond/session/session-consumer.c \
	sessiond/session/session-consumer.h \
	sessiond/session/session-list.c \
	sessiond/session/session-live.c \
	sessiond/session/session-make.c \
	sessiond/session/session-metadata.c \
	sessiond/session/session-private.h \
	sessiond/session/session-reports.c \
	sessiond/session/session-rotate.c \
	sessiond/session/session-rules.c \
	sessiond/session/session-snapshot.c \
	sessiond/session/session.c \
	sessiond/session/session.h \
	sessiond/session/tracker.c \
	sessiond/session/tracker.h \
	sessiond/session/untraced.c \
	sessiond/session/untraced.h \
	sessiond/session/user-rings.c \
	sessiond/session/user-rings.h \
	sessiond/state/clock-watch.c \
	sessiond/state/clock-watch.h \
	sessiond/state/state-private.h \
	sessiond/state/state-session.c \
	sessiond/state/state-trigger.c \
	sessiond/state/state.c \
	sessiond/state/state.h \
	sessiond/storage/kept.c \
	sessiond/storage/kept.h \
	sessiond/storage/recover-saved.c \
	sessiond/storage/recover-saved.h \
	sessiond/storage/ring-dir.c \
	sessiond/storage/ring-dir.h \
	sessiond/storage/runtime-dir.c \
	sessiond/storage/runtime-dir.h \
	sessiond/storage/saved-state.c \
	sessiond/storage/saved-state.h \
	sessiond/storage/supervisor.c \
	sessiond/storage/supervisor.h \
	sessiond/storage/untraced-tally.h \
	sessiond/trigger/trigger-config.c \
	sessiond/trigger/trigger-look.c \
	sessiond/trigger/trigger-private.h \
	sessiond/trigger/trigger.c \
	sessiond/trigger/trigger.h
libsessiond_la_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS) $(FUSE_CFLAGS) \
	$(JSON_CFLAGS) $(NUMA_CFLAGS) $(POPT_CFLAGS) $(TRACEFS_CFLAGS)
libsessiond_la_LIBADD = libkernel.la libfilter.la libconfine.la libcommon.la $(URCU_LIBS) $(SYSTEMD_LIBS) $(FUSE_LIBS) $(JSON_LIBS) \
	$(NUMA_LIBS) $(POPT_LIBS) $(TRACEFS_LIBS) -lpthread

# Units: the system's instance, and one for each user.
unit_files = systemd/system/lttngmap-sessiond.service systemd/system/lttngmap-sessiond.socket \
	systemd/system/lttngmap-metrics.service
user_unit_files = systemd/user/lttngmap-sessiond.service systemd/user/lttngmap-sessiond.socket
EXTRA_DIST += $(unit_files:=.in) $(user_unit_files:=.in)
CLEANFILES += $(unit_files) $(user_unit_files)
$(unit_files) $(user_unit_files): Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
		$(SED) -e 's|[@]bindir[@]|$(bindir)|g' $(srcdir)/$@.in >$@.new && mv $@.new $@
$(unit_files) $(user_unit_files): %: $(srcdir)/%.in
if HAVE_SYSTEMD_UNITS
nodist_systemdsystemunit_DATA = $(unit_files)
nodist_systemduserunit_DATA = $(user_unit_files)
endif
check_DATA = $(unit_files) $(user_unit_files)

bin_PROGRAMS += lttngmap-sessiond
lttngmap_sessiond_SOURCES = sessiond/main.c
lttngmap_sessiond_CFLAGS = $(libsessiond_la_CFLAGS)
lttngmap_sessiond_LDADD = libsessiond.la

# Beside it, for `lttngmap recover --vmcore`.
if HAVE_KDUMPFILE
bin_PROGRAMS += lttngmap-vmcore
endif
EXTRA_PROGRAMS += lttngmap-vmcore
lttngmap_vmcore_SOURCES = \
	sessiond/vmcore/dump-file.c \
	sessiond/vmcore/dump-private.h \
	sessiond/vmcore/dump.c \
	sessiond/vmcore/dump.h \
	sessiond/vmcore/extract-set.c \
	sessiond/vmcore/extract-set.h \
	sessiond/vmcore/extract.c \
	sessiond/vmcore/extract.h \
	sessiond/vmcore/main.c
lttngmap_vmcore_CFLAGS = $(libsessiond_la_CFLAGS) $(KDUMPFILE_CFLAGS)
lttngmap_vmcore_LDADD = libsessiond.la $(KDUMPFILE_LIBS)
