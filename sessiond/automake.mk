# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# lttngmap-sessiond. All but main.c is in libsessiond.la, so that the unit
# tests reach it.

# The compiler of filters, which needs nothing of the rest.
noinst_LTLIBRARIES += libfilter.la
libfilter_la_SOURCES = \
	sessiond/filter-code.c \
	sessiond/filter-compare.c \
	sessiond/filter-emit.c \
	sessiond/filter-emit.h \
	sessiond/filter-fold.c \
	sessiond/filter-lex.c \
	sessiond/filter-operand.c \
	sessiond/filter-parse.c \
	sessiond/filter-tree.h \
	sessiond/filter-types.c \
	sessiond/filter-value.c \
	sessiond/filter.h

noinst_LTLIBRARIES += libsessiond.la
libsessiond_la_SOURCES = \
	sessiond/address-space.c \
	sessiond/address-space.h \
	sessiond/app-connection.c \
	sessiond/app-connection.h \
	sessiond/app-message.c \
	sessiond/app-message.h \
	sessiond/app-request.c \
	sessiond/app-request.h \
	sessiond/app-socket.c \
	sessiond/app-socket.h \
	sessiond/app-turns.c \
	sessiond/app-turns.h \
	sessiond/channel-classes.c \
	sessiond/channel-mode.c \
	sessiond/channel-mode.h \
	sessiond/channel.c \
	sessiond/channel.h \
	sessiond/class-layout.c \
	sessiond/class-layout.h \
	sessiond/class-measure.c \
	sessiond/class-parse.c \
	sessiond/class-parse.h \
	sessiond/class-reclaim.c \
	sessiond/class-reclaim.h \
	sessiond/clock-watch.c \
	sessiond/clock-watch.h \
	sessiond/confine.c \
	sessiond/confine.h \
	sessiond/consumer-answer.c \
	sessiond/consumer-link-parts.h \
	sessiond/consumer-link.c \
	sessiond/consumer-link.h \
	sessiond/consumer-start.c \
	sessiond/consumers.c \
	sessiond/control-admit.c \
	sessiond/control-admit.h \
	sessiond/control-args.c \
	sessiond/control-args.h \
	sessiond/control-channel.c \
	sessiond/control-client.c \
	sessiond/control-client.h \
	sessiond/control-kernel.c \
	sessiond/control-list.c \
	sessiond/control-pages.c \
	sessiond/control-pages.h \
	sessiond/control-part.c \
	sessiond/control-part.h \
	sessiond/control-rotation.c \
	sessiond/control-rule.c \
	sessiond/control-session.c \
	sessiond/control-snapshot.c \
	sessiond/control-socket.c \
	sessiond/control-socket.h \
	sessiond/control-usage.c \
	sessiond/control-verbs.c \
	sessiond/control-verbs.h \
	sessiond/daemon.c \
	sessiond/daemon.h \
	sessiond/doorbell.c \
	sessiond/doorbell.h \
	sessiond/executed.c \
	sessiond/executed.h \
	sessiond/filter-pages.c \
	sessiond/filter-pages.h \
	sessiond/geometry.c \
	sessiond/geometry.h \
	sessiond/keeper.c \
	sessiond/keeper.h \
	sessiond/kept.c \
	sessiond/kept.h \
	sessiond/kernel-consumer.c \
	sessiond/kernel-consumer.h \
	sessiond/kernel-describe.c \
	sessiond/kernel-describe.h \
	sessiond/kernel-events.c \
	sessiond/kernel-events.h \
	sessiond/kernel-instance.c \
	sessiond/kernel-instance.h \
	sessiond/kernel-leftovers.c \
	sessiond/kernel-leftovers.h \
	sessiond/kernel-part.c \
	sessiond/kernel-part.h \
	sessiond/kernel-probe-child.c \
	sessiond/kernel-probe-child.h \
	sessiond/kernel-probes.c \
	sessiond/kernel-probes.h \
	sessiond/kernel-rules.c \
	sessiond/kernel-state.c \
	sessiond/kernel-state.h \
	sessiond/knock.c \
	sessiond/knock.h \
	sessiond/ledger.c \
	sessiond/ledger.h \
	sessiond/listen.c \
	sessiond/listen.h \
	sessiond/mediator.h \
	sessiond/member.c \
	sessiond/member.h \
	sessiond/memory-set.c \
	sessiond/memory-set.h \
	sessiond/memory.c \
	sessiond/memory.h \
	sessiond/messages.c \
	sessiond/messages.h \
	sessiond/metadata.c \
	sessiond/metadata.h \
	sessiond/options.c \
	sessiond/options.h \
	sessiond/part.c \
	sessiond/part.h \
	sessiond/parts.h \
	sessiond/peer.c \
	sessiond/peer.h \
	sessiond/pickup.c \
	sessiond/pickup.h \
	sessiond/pid-state.c \
	sessiond/pid-state.h \
	sessiond/process-list.c \
	sessiond/process-parts.h \
	sessiond/process.c \
	sessiond/process.h \
	sessiond/quota.c \
	sessiond/quota.h \
	sessiond/recover-ledger.c \
	sessiond/recover-ledger.h \
	sessiond/recover-source.c \
	sessiond/recover-source.h \
	sessiond/recover.c \
	sessiond/recover.h \
	sessiond/recovery.c \
	sessiond/recovery.h \
	sessiond/registry.c \
	sessiond/registry.h \
	sessiond/ring-back.c \
	sessiond/ring-back.h \
	sessiond/ring-dir.c \
	sessiond/ring-dir.h \
	sessiond/ring-dirs.c \
	sessiond/ring-dirs.h \
	sessiond/ring-fs-dir.c \
	sessiond/ring-fs-file.c \
	sessiond/ring-fs-helper.c \
	sessiond/ring-fs-init.c \
	sessiond/ring-fs-tree.c \
	sessiond/ring-fs.c \
	sessiond/ring-fs.h \
	sessiond/ring-reader-parts.h \
	sessiond/ring-reader.c \
	sessiond/ring-reader.h \
	sessiond/ring-set-copy.c \
	sessiond/ring-set-end.c \
	sessiond/ring-set-hand.c \
	sessiond/ring-set-import.c \
	sessiond/ring-set-import.h \
	sessiond/ring-set-make.c \
	sessiond/ring-set-parts.h \
	sessiond/ring-set-usage.c \
	sessiond/ring-set.c \
	sessiond/ring-set.h \
	sessiond/ring-socket.c \
	sessiond/ring-sweeper.c \
	sessiond/ring-sweeper.h \
	sessiond/ring-take.c \
	sessiond/ring-thread.c \
	sessiond/ring-thread.h \
	sessiond/ring-undo.c \
	sessiond/rule-list.c \
	sessiond/rule-list.h \
	sessiond/rule.c \
	sessiond/rule.h \
	sessiond/runtime-dir.c \
	sessiond/runtime-dir.h \
	sessiond/session-clear.c \
	sessiond/session-clock.c \
	sessiond/session-consumer.c \
	sessiond/session-consumer.h \
	sessiond/session-list.c \
	sessiond/session-live.c \
	sessiond/session-make.c \
	sessiond/session-metadata.c \
	sessiond/session-parts.h \
	sessiond/session-reports.c \
	sessiond/session-rotate.c \
	sessiond/session-rules.c \
	sessiond/session-snapshot.c \
	sessiond/session.c \
	sessiond/session.h \
	sessiond/slots.c \
	sessiond/slots.h \
	sessiond/state-session.c \
	sessiond/state.c \
	sessiond/state.h \
	sessiond/subuids.c \
	sessiond/subuids.h \
	sessiond/time.c \
	sessiond/time.h \
	sessiond/tracker.c \
	sessiond/tracker.h \
	sessiond/tsdl.c \
	sessiond/tsdl.h \
	sessiond/untraced-tally.h \
	sessiond/untraced.c \
	sessiond/untraced.h \
	sessiond/user-rings.c \
	sessiond/user-rings.h
libsessiond_la_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS) $(FUSE_CFLAGS) \
	$(JSON_CFLAGS) $(NUMA_CFLAGS) $(POPT_CFLAGS) $(TRACEFS_CFLAGS)
libsessiond_la_LIBADD = libkernel.la libfilter.la libconfine.la libcommon.la $(URCU_LIBS) $(SYSTEMD_LIBS) $(FUSE_LIBS) $(JSON_LIBS) \
	$(NUMA_LIBS) $(POPT_LIBS) $(TRACEFS_LIBS) -lpthread

# Units: the system's instance, and one for each user.
unit_files = systemd/system/lttngmap-sessiond.service systemd/system/lttngmap-sessiond.socket
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
