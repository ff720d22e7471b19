# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# All tests speak TAP. Unit tests: a program of check_PROGRAMS that is in
# TESTS, one a line group below. Integration tests: a script in
# dist_check_SCRIPTS, likewise. Add a test by adding its lines here:
#
#   check_PROGRAMS += tests/unit/NAME
#   TESTS += tests/unit/NAME
#   tests_unit_NAME_SOURCES = tests/unit/NAME.c
#   tests_unit_NAME_LDADD = libsessiond.la
#
#   dist_check_SCRIPTS += tests/integration/NAME.sh
#   TESTS += tests/integration/NAME.sh
#
# Several programs share a source by a library libtest-*.la: it is compiled once.
#
# A program that links liblttngmap.la also wants, to be no wrapper script:
#
#   tests_unit_NAME_LDFLAGS = $(test_ldflags)

test_ldflags = $(AM_LDFLAGS) -no-install

# A test that hangs is ended, with all that it started, and has failed.
test_timeout = timeout --kill-after=10 $${LTTNGMAP_TEST_TIMEOUT:-600}

LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
LOG_COMPILER = $(test_timeout)
SH_LOG_COMPILER = $(test_timeout) $(BASH)
TEST_EXTENSIONS = .sh
# Reports of sanitizers go to files, for tests look at what programs say; none
# is to be there in the end (`./dev check-asan`, `check-tsan`). What a test
# provokes in a child, as SIGSEGV, is not theirs to handle.
if SANITIZED
sanitizer_options = log_path=$(abs_top_builddir)/reports/report:handle_segv=0:handle_sigbus=0
sanitizer_environment = \
	LTTNGMAP_SANITIZED='$(SANITIZER_FLAGS)'; export LTTNGMAP_SANITIZED; \
	ASAN_OPTIONS='$(sanitizer_options)'; export ASAN_OPTIONS; \
	UBSAN_OPTIONS='$(sanitizer_options):print_stacktrace=1'; export UBSAN_OPTIONS; \
	LSAN_OPTIONS='suppressions=$(abs_top_srcdir)/tests/sanitizers/leak.supp:print_suppressions=0'; \
	export LSAN_OPTIONS; \
	TSAN_OPTIONS='$(sanitizer_options):atexit_sleep_ms=0:die_after_fork=0:suppressions=$(abs_top_srcdir)/tests/sanitizers/thread.supp'; \
	export TSAN_OPTIONS;
endif
EXTRA_DIST += tests/sanitizers/leak.supp tests/sanitizers/thread.supp tests/sanitizers/urcu.h
AM_TESTS_ENVIRONMENT = $(sanitizer_environment) \
	LTTNGMAP_BUILD='$(abs_top_builddir)'; export LTTNGMAP_BUILD; \
	LTTNGMAP_SRC='$(abs_top_srcdir)'; export LTTNGMAP_SRC; \
	LTTNGMAP_CC='$(CC)'; export LTTNGMAP_CC; \
	LTTNGMAP_CXX='$(CXX)'; export LTTNGMAP_CXX; \
	if test x"$$LTTNGMAP_TEST_RSEQ" = xoff; then \
		GLIBC_TUNABLES=glibc.pthread.rseq=0; export GLIBC_TUNABLES; \
	fi;

# What `./dev check` gives tests/run.sh: the environment that tests get, and their names.
tests-environment:
	@: $(info $(AM_TESTS_ENVIRONMENT) AM_TAP_AWK='$(AWK)'; export AM_TAP_AWK;)
EXTRA_DIST += tests/changed.sh tests/check-all.sh tests/guards tests/guards.sh tests/rooms.pl tests/sleeps.pl tests/words.pl tests/rounds tests/run.sh
test-programs: $(check_PROGRAMS) $(check_LTLIBRARIES) $(check_DATA)
list-tests:
	@printf '%s\n' $(TESTS)
clean-local:
	-rm -rf results
.PHONY: tests-environment test-programs list-tests

EXTRA_DIST += tests/utils/tap.sh tests/utils/short.sh tests/reliability/rows
noinst_HEADERS += tests/utils/tap.h tests/utils/short.h

check_PROGRAMS += tests/unit/tap
TESTS += tests/unit/tap
tests_unit_tap_SOURCES = tests/unit/tap.c

dist_check_SCRIPTS += tests/integration/changed-tests.sh tests/integration/check-all.sh tests/integration/run-tests.sh tests/integration/tap.sh
TESTS += tests/integration/changed-tests.sh tests/integration/check-all.sh tests/integration/run-tests.sh tests/integration/tap.sh

dist_check_SCRIPTS += tests/integration/channel-disable.sh tests/integration/flush-period.sh tests/integration/suspend.sh
TESTS += tests/integration/channel-disable.sh tests/integration/flush-period.sh tests/integration/suspend.sh

# What is preloaded by tests: -rpath makes shared libraries of them, which go nowhere.
test_preload_ldflags = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere -Wl,-z,now
test_preload_cflags = $(AM_CFLAGS) -fno-builtin

# A sanitizer's runtime brings its own malloc, and has to come first itself.
if !SANITIZED
check_LTLIBRARIES += \
	tests/utils/libcount-calls.la \
	tests/utils/libcount-libc.la \
	tests/utils/libfake-lttngmap.la \
	tests/utils/libgreedy-dlsym.la \
	tests/utils/liblocking-dlsym.la \
	tests/utils/libslept-clock.la \
	tests/utils/libother-malloc.la
count_files = tests/utils/count-calls.h tests/utils/count-libc.h
tests_utils_libcount_calls_la_SOURCES = tests/utils/count-calls.c $(count_files)
tests_utils_libcount_calls_la_CFLAGS = $(test_preload_cflags)
tests_utils_libcount_calls_la_LDFLAGS = $(test_preload_ldflags)
tests_utils_libcount_libc_la_SOURCES = tests/utils/count-libc.c $(count_files)
tests_utils_libcount_libc_la_CFLAGS = $(test_preload_cflags)
tests_utils_libcount_libc_la_LDFLAGS = $(test_preload_ldflags)
tests_utils_libfake_lttngmap_la_SOURCES = \
	tests/utils/fake-lttngmap.c tests/utils/fake-lttngmap.h $(count_files)
tests_utils_libfake_lttngmap_la_LDFLAGS = $(test_preload_ldflags)
tests_utils_libgreedy_dlsym_la_SOURCES = tests/utils/greedy-dlsym.c tests/utils/greedy-dlsym.h
tests_utils_libgreedy_dlsym_la_CFLAGS = $(test_preload_cflags)
tests_utils_libgreedy_dlsym_la_LDFLAGS = $(test_preload_ldflags)
tests_utils_libslept_clock_la_SOURCES = tests/utils/slept-clock.c
tests_utils_libslept_clock_la_CFLAGS = $(test_preload_cflags)
tests_utils_libslept_clock_la_LDFLAGS = $(test_preload_ldflags)
tests_utils_liblocking_dlsym_la_SOURCES = tests/utils/locking-dlsym.c
tests_utils_liblocking_dlsym_la_CFLAGS = $(test_preload_cflags)
tests_utils_liblocking_dlsym_la_LDFLAGS = $(test_preload_ldflags)
tests_utils_libother_malloc_la_SOURCES = tests/utils/other-malloc.c
tests_utils_libother_malloc_la_CFLAGS = $(test_preload_cflags)
tests_utils_libother_malloc_la_LDFLAGS = $(test_preload_ldflags)

check_PROGRAMS += \
	tests/utils/attached tests/utils/count-sum tests/utils/instrumented tests/utils/own-malloc
tests_utils_attached_SOURCES = tests/utils/attached.c
tests_utils_attached_LDFLAGS = -pthread
tests_utils_instrumented_SOURCES = tests/utils/instrumented.c
tests_utils_instrumented_CFLAGS = -g -O1 -finstrument-functions -fno-pie -Wall -Wextra
tests_utils_instrumented_LDFLAGS = -no-pie -pthread
tests_utils_count_sum_SOURCES = tests/utils/count-sum.c $(count_files)
tests_utils_own_malloc_SOURCES = tests/utils/own-malloc.c tests/utils/other-malloc.c
tests_utils_own_malloc_CFLAGS = $(test_preload_cflags)

watched = tests/utils/preloaded.h tests/utils/watched.h
check_PROGRAMS += tests/unit/preload-libc tests/unit/preload-early
TESTS += tests/unit/preload-libc tests/unit/preload-early
tests_unit_preload_libc_SOURCES = tests/unit/preload-libc.c $(watched)
tests_unit_preload_libc_CFLAGS = $(test_preload_cflags)
tests_unit_preload_early_SOURCES = tests/unit/preload-early.c tests/utils/preloaded.h
tests_unit_preload_early_CFLAGS = $(test_preload_cflags)

check_PROGRAMS += tests/unit/preload-dl tests/unit/preload-io tests/unit/preload-next \
	tests/unit/preload-proc tests/unit/preload-pthread tests/unit/preload-syslog
TESTS += tests/unit/preload-dl tests/unit/preload-io tests/unit/preload-next \
	tests/unit/preload-proc tests/unit/preload-pthread tests/unit/preload-syslog
tests_unit_preload_io_SOURCES = tests/unit/preload-io.c $(watched)
tests_unit_preload_io_CFLAGS = $(test_preload_cflags) -U_FORTIFY_SOURCE
tests_unit_preload_dl_SOURCES = tests/unit/preload-dl.c $(watched)
tests_unit_preload_dl_CFLAGS = $(test_preload_cflags)
tests_unit_preload_next_SOURCES = tests/unit/preload-next.c tests/utils/preloaded.h
tests_unit_preload_next_CFLAGS = $(test_preload_cflags)
tests_unit_preload_proc_SOURCES = tests/unit/preload-proc.c $(watched)
tests_unit_preload_proc_CFLAGS = $(test_preload_cflags) -U_FORTIFY_SOURCE
tests_unit_preload_pthread_SOURCES = tests/unit/preload-pthread.c $(watched)
tests_unit_preload_pthread_CFLAGS = $(test_preload_cflags)
tests_unit_preload_syslog_SOURCES = tests/unit/preload-syslog.c $(watched)
tests_unit_preload_syslog_CFLAGS = $(test_preload_cflags) -U_FORTIFY_SOURCE
endif

check_PROGRAMS += tests/unit/dl-debug-link
TESTS += tests/unit/dl-debug-link
tests_unit_dl_debug_link_SOURCES = tests/unit/dl-debug-link.c \
	preload/dl-debug-link.c preload/dl-debug-link.h

check_PROGRAMS += tests/unit/statedump
TESTS += tests/unit/statedump
tests_unit_statedump_SOURCES = tests/unit/statedump.c
tests_unit_statedump_LDADD = liblttngmap-core.la

check_PROGRAMS += tests/unit/module-lock
TESTS += tests/unit/module-lock
tests_unit_module_lock_SOURCES = tests/unit/module-lock.c
tests_unit_module_lock_LDADD = liblttngmap-core.la -lpthread

EXTRA_DIST += tests/utils/counted-calls.sh tests/utils/libc-programs.sh
dist_check_SCRIPTS += tests/integration/preload-counts.sh
TESTS += tests/integration/preload-counts.sh
dist_check_SCRIPTS += tests/integration/preload-libc.sh
TESTS += tests/integration/preload-libc.sh
EXTRA_DIST += tests/utils/call_stacks.py tests/utils/trace_compass.py \
	tests/utils/entered.c tests/utils/rough-lttngmap.c
family_tests = \
	tests/integration/java-logging.sh \
	tests/integration/trace-compass.sh \
	tests/integration/preload-cyg-profile.sh \
	tests/integration/preload-dl.sh \
	tests/integration/preload-function.sh \
	tests/integration/preload-io.sh \
	tests/integration/preload-proc.sh \
	tests/integration/preload-vfork.sh \
	tests/integration/preload-pthread.sh \
	tests/integration/preload-syslog.sh \
	tests/integration/python-logging.sh \
	tests/integration/python-lttngust.sh
dist_check_SCRIPTS += $(family_tests) tests/integration/attach.sh
TESTS += $(family_tests) tests/integration/attach.sh

# Their programs are built by the script, for it needs them without sanitizers.
dist_check_SCRIPTS += tests/integration/sdt.sh tests/integration/sdt-attach.sh
TESTS += tests/integration/sdt.sh tests/integration/sdt-attach.sh
EXTRA_DIST += \
	tests/utils/sdt-host.c \
	tests/utils/sdt-late.c \
	tests/utils/sdt-odd.c \
	tests/utils/sdt-passes.c \
	tests/utils/sdt-plugin.c \
	tests/utils/sdt-probe.h \
	tests/utils/sdt-registers.c \
	tests/utils/sdt-toggle.c

sdt_tests = tests/unit/sdt-object tests/unit/sdt-operand tests/unit/sdt-place \
	tests/unit/sdt-read tests/unit/sdt-rules
check_PROGRAMS += $(sdt_tests)
TESTS += $(sdt_tests)
tests_unit_sdt_object_SOURCES = tests/unit/sdt-object.c tests/utils/sdt-elf.h
tests_unit_sdt_object_LDADD = libsdt-parts.la libsdt-entry.la liblttngmap-core.la libcommon.la
tests_unit_sdt_place_SOURCES = tests/unit/sdt-place.c
tests_unit_sdt_place_LDADD = libsdt-parts.la
tests_unit_sdt_rules_SOURCES = tests/unit/sdt-rules.c
tests_unit_sdt_rules_LDADD = libsdt-parts.la
tests_unit_sdt_operand_SOURCES = tests/unit/sdt-operand.c
tests_unit_sdt_operand_LDADD = libsdt-parts.la
tests_unit_sdt_read_SOURCES = tests/unit/sdt-read.c tests/utils/sdt-elf.h
tests_unit_sdt_read_LDADD = libsdt-parts.la libcommon.la

# lttngmap/tracepoint.h, on a stand-in for liblttngmap.
tracepoint_backend = tests/unit/tracepoint-backend.c tests/unit/tracepoint-backend.h
check_PROGRAMS += \
	tests/unit/tracepoint-changing \
	tests/unit/tracepoint-dlopen \
	tests/unit/tracepoint-fields \
	tests/unit/tracepoint-fields-cxx \
	tests/unit/tracepoint-module
TESTS += \
	tests/unit/tracepoint-changing \
	tests/unit/tracepoint-dlopen \
	tests/unit/tracepoint-fields \
	tests/unit/tracepoint-fields-cxx \
	tests/unit/tracepoint-module
tests_unit_tracepoint_changing_SOURCES = tests/unit/tracepoint-changing.c $(tracepoint_backend)
tests_unit_tracepoint_changing_LDADD = -lpthread
tests_unit_tracepoint_fields_SOURCES = tests/unit/tracepoint-fields.c $(tracepoint_backend)
tests_unit_tracepoint_fields_cxx_SOURCES = tests/unit/tracepoint-fields-cxx.cc \
	$(tracepoint_backend)
tests_unit_tracepoint_module_SOURCES = tests/unit/tracepoint-module.c \
	tests/unit/tracepoint-module-c.c tests/unit/tracepoint-module-cxx.cc \
	tests/unit/tracepoint-module.h $(tracepoint_backend)

# A plugin, which finds the stand-in in the program that loads it. The rpath
# makes libtool build a shared object of what is not to be installed.
tests_unit_tracepoint_dlopen_SOURCES = tests/unit/tracepoint-dlopen.c $(tracepoint_backend)
tests_unit_tracepoint_dlopen_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
tests_unit_tracepoint_dlopen_LDADD = -ldl
EXTRA_tests_unit_tracepoint_dlopen_DEPENDENCIES = tests/unit/tracepoint-plugin.la
check_LTLIBRARIES += tests/unit/tracepoint-plugin.la
tests_unit_tracepoint_plugin_la_SOURCES = tests/unit/tracepoint-plugin.c \
	tests/unit/tracepoint-plugin-cxx.cc
tests_unit_tracepoint_plugin_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere

dist_check_SCRIPTS += \
	tests/integration/tracepoint-compilers.sh \
	tests/integration/tracepoint.sh
TESTS += tests/integration/tracepoint-compilers.sh tests/integration/tracepoint.sh

# Both halves of the ring in one program, without daemons.
check_LTLIBRARIES += libtest-ring.la
libtest_ring_la_SOURCES = tests/utils/breakpoint.c tests/utils/breakpoint.h \
	tests/utils/ring-bench-set.c tests/utils/ring-bench-set.h \
	tests/utils/ring-check.c tests/utils/ring-check.h
libtest_ring_la_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
ring_tests = \
	tests/unit/ring-back \
	tests/unit/ring-edges \
	tests/unit/ring-fork \
	tests/unit/ring-hostile \
	tests/unit/ring-sums \
	tests/unit/ring-rotation \
	tests/unit/ring-bell \
	tests/unit/ring-several \
	tests/unit/ring-lives \
	tests/unit/ring-migrate \
	tests/unit/ring-nested \
	tests/unit/event-fast \
	tests/unit/event-many \
	tests/unit/event-map \
	tests/unit/event-trylock \
	tests/unit/ring-section \
	tests/unit/ring-stepped \
	tests/unit/ring-stress
check_PROGRAMS += $(ring_tests)
TESTS += $(ring_tests)
tests_unit_ring_fork_SOURCES = tests/unit/ring-fork.c
tests_unit_ring_fork_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_ring_fork_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_ring_stepped_SOURCES = tests/unit/ring-stepped.c
tests_unit_ring_stepped_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_ring_stepped_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_ring_back_SOURCES = tests/unit/ring-back.c
tests_unit_ring_back_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_ring_back_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_ring_edges_SOURCES = tests/unit/ring-edges.c
tests_unit_ring_edges_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_ring_edges_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
check_PROGRAMS += tests/unit/unwind
TESTS += tests/unit/unwind
tests_unit_unwind_SOURCES = tests/unit/unwind.c
tests_unit_unwind_CFLAGS = $(AM_CFLAGS) -O2 -fomit-frame-pointer
tests_unit_unwind_LDADD = liblttngmap-core.la
check_PROGRAMS += tests/unit/ring-clock
TESTS += tests/unit/ring-clock
tests_unit_ring_clock_SOURCES = tests/unit/ring-clock.c
tests_unit_ring_clock_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_ring_clock_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_ring_sums_SOURCES = tests/unit/ring-sums.c
tests_unit_ring_sums_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_ring_sums_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_ring_hostile_SOURCES = tests/unit/ring-hostile.c
tests_unit_ring_hostile_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_ring_hostile_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_ring_rotation_SOURCES = tests/unit/ring-rotation.c
tests_unit_ring_rotation_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_ring_rotation_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_ring_bell_SOURCES = tests/unit/ring-bell.c
tests_unit_ring_bell_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_ring_bell_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_ring_several_SOURCES = tests/unit/ring-several.c
tests_unit_ring_several_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_ring_several_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_ring_lives_SOURCES = tests/unit/ring-lives.c
tests_unit_ring_lives_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_ring_lives_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_ring_lives_LDFLAGS = $(test_ldflags)
tests_unit_event_fast_SOURCES = tests/unit/event-fast.c
tests_unit_event_fast_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_event_fast_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la

tests_unit_event_many_SOURCES = tests/unit/event-many.c
tests_unit_event_many_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_event_many_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_event_map_SOURCES = tests/unit/event-map.c
tests_unit_event_map_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_event_map_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la

tests_unit_event_trylock_SOURCES = tests/unit/event-trylock.c
tests_unit_event_trylock_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_event_trylock_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_ring_section_SOURCES = tests/unit/ring-section.c
tests_unit_ring_section_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_ring_section_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_ring_stress_SOURCES = tests/unit/ring-stress.c
tests_unit_ring_stress_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_ring_stress_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_ring_migrate_SOURCES = tests/unit/ring-migrate.c
tests_unit_ring_migrate_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_ring_migrate_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_ring_nested_SOURCES = tests/unit/ring-nested.c
tests_unit_ring_nested_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(malloc_is_taken)
tests_unit_ring_nested_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
# A sanitizer brings its own.
if SANITIZED
malloc_is_taken = -DLTTNGMAP_TEST_MALLOC_IS_TAKEN
endif

# The ring's protocol, by spin.
EXTRA_DIST += tests/model/bell.pml tests/model/check.sh tests/model/ring.pml
dist_check_SCRIPTS += tests/model/mutate.sh tests/model/run.sh
TESTS += tests/model/mutate.sh tests/model/run.sh

# The instrumentation of a sanitizer is not what runs in a traced program.
if HAVE_UNICORN
if !SANITIZED
check_PROGRAMS += tests/unit/ring-no-load
TESTS += tests/unit/ring-no-load
tests_unit_ring_no_load_SOURCES = tests/unit/ring-no-load.c
tests_unit_ring_no_load_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(UNICORN_CFLAGS)
tests_unit_ring_no_load_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la $(UNICORN_LIBS)
endif
endif

# The command, with a session daemon that only plays one.
EXTRA_DIST += tests/utils/fake-sessiond tests/utils/fake_sessions.py tests/utils/make-trace
EXTRA_DIST += tests/utils/verbs.sh
EXTRA_DIST += tests/utils/make-addresses
EXTRA_DIST += tests/utils/query_oracle.py tests/utils/run_tutorial.py
EXTRA_DIST += tests/utils/count_events.py tests/utils/damage_stream.py tests/utils/make-streams
EXTRA_DIST += tests/utils/spoil_ledger.py
EXTRA_DIST += tests/utils/make-slices tests/utils/perfetto.proto tests/utils/perfetto_slices.py \
	tests/utils/programs_of.py
EXTRA_DIST += tests/utils/browser.mjs tests/utils/held_blocks.py tests/utils/longest_slice.py \
	tests/utils/make-calls tests/utils/make-hostile tests/utils/make-many tests/utils/report-look.mjs
check_PROGRAMS += tests/unit/cli-options
TESTS += tests/unit/cli-options
tests_unit_cli_options_SOURCES = tests/unit/cli-options.c
tests_unit_cli_options_CFLAGS = $(AM_CFLAGS) $(BABELTRACE_CFLAGS)
tests_unit_cli_options_LDADD = libcli.la
check_PROGRAMS += tests/unit/cli-probe
TESTS += tests/unit/cli-probe
tests_unit_cli_probe_SOURCES = tests/unit/cli-probe.c
tests_unit_cli_probe_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS) $(ELF_CFLAGS)
tests_unit_cli_probe_LDADD = libcli.la $(ELF_LIBS)
check_PROGRAMS += tests/unit/view-progress
TESTS += tests/unit/view-progress
tests_unit_view_progress_SOURCES = tests/unit/view-progress.c
tests_unit_view_progress_CFLAGS = $(AM_CFLAGS) $(BABELTRACE_CFLAGS)
tests_unit_view_progress_LDADD = libcli.la
check_PROGRAMS += tests/unit/output-dir
TESTS += tests/unit/output-dir
tests_unit_output_dir_SOURCES = tests/unit/output-dir.c
tests_unit_output_dir_LDADD = libcli.la
check_PROGRAMS += tests/unit/relay-keep
TESTS += tests/unit/relay-keep
tests_unit_relay_keep_SOURCES = tests/unit/relay-keep.c
tests_unit_relay_keep_LDADD = libcli.la librelay.la
check_PROGRAMS += tests/unit/tracee
TESTS += tests/unit/tracee
tests_unit_tracee_SOURCES = tests/unit/tracee.c
tests_unit_tracee_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS)
tests_unit_tracee_LDADD = libcli.la $(DW_LIBS) $(ELF_LIBS)
check_PROGRAMS += tests/unit/tracee-safe
TESTS += tests/unit/tracee-safe
tests_unit_tracee_safe_SOURCES = tests/unit/tracee-safe.c
tests_unit_tracee_safe_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS)
tests_unit_tracee_safe_LDADD = libcli.la $(DW_LIBS) $(ELF_LIBS)
check_PROGRAMS += tests/unit/vfork-shadow
TESTS += tests/unit/vfork-shadow
tests_unit_vfork_shadow_SOURCES = tests/unit/vfork-shadow.c
tests_unit_vfork_shadow_LDADD = liblttngmap-core.la
check_PROGRAMS += tests/utils/own-limits
tests_utils_own_limits_SOURCES = tests/utils/own-limits.c
check_PROGRAMS += tests/utils/guests
tests_utils_guests_SOURCES = tests/utils/guests.c tests/utils/guests-processes.c tests/utils/guests-threads.c \
	tests/utils/guests.h
tests_utils_guests_CFLAGS = $(AM_CFLAGS) -fno-builtin
tests_utils_guests_LDADD = -lpthread
cli_tests = \
	tests/integration/changed-user.sh \
	tests/integration/foreign-program.sh \
	tests/integration/own-limits.sh \
	tests/integration/programs.sh \
	tests/integration/cli-complete.sh \
	tests/integration/cli-export.sh \
	tests/integration/cli-manual.sh \
	tests/integration/cli-query.sh \
	tests/integration/cli-report.sh \
	tests/integration/cli-symbols.sh \
	tests/integration/cli-valgrind.sh \
	tests/integration/cli-follow.sh \
	tests/integration/cli-top.sh \
	tests/integration/cli-view.sh \
	tests/integration/dev-install.sh \
	tests/integration/doc-pages.sh \
	tests/integration/lint.sh \
	tests/integration/report-text.sh \
	tests/integration/ring-core.sh \
	tests/integration/doc-tutorial.sh \
	tests/integration/package-files.sh \
	tests/integration/record-command.sh \
	tests/integration/record-faults.sh \
	tests/integration/left-out-exec.sh \
	tests/integration/left-out.sh \
	tests/integration/record-real.sh \
	tests/integration/record-terminal.sh \
	tests/integration/record-defaults.sh \
	tests/integration/record-follow.sh \
	tests/integration/record-usage.sh \
	tests/integration/verbs-daemon.sh \
	tests/integration/verbs-file.sh \
	tests/integration/verbs-real.sh \
	tests/integration/verbs-sessions.sh \
	tests/integration/verbs-synonyms.sh \
	tests/integration/verbs-usage.sh \
	tests/integration/view-killed.sh \
	tests/integration/view-trace.sh
dist_check_SCRIPTS += $(cli_tests)
TESTS += $(cli_tests)

# The two mediators, each with a ring thread and rings filled by hand.
check_LTLIBRARIES += libtest-mediator.la
libtest_mediator_la_SOURCES = tests/utils/ring-server.c tests/utils/ring-server.h
libtest_mediator_la_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
mediator_test_libs = libtest-mediator.la libsessiond.la libringfile.la libcommon.la $(URCU_LIBS) $(SYSTEMD_LIBS) \
	-lpthread
check_PROGRAMS += tests/unit/ring-fs tests/unit/ring-socket
TESTS += tests/unit/ring-fs tests/unit/ring-socket
tests_unit_ring_fs_SOURCES = tests/unit/ring-fs.c tests/unit/mediator-cases.h
tests_unit_ring_fs_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_unit_ring_fs_LDADD = $(mediator_test_libs)
tests_unit_ring_socket_SOURCES = tests/unit/ring-socket.c tests/unit/mediator-cases.h
tests_unit_ring_socket_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_unit_ring_socket_LDADD = $(mediator_test_libs)

# The consumer.
check_LTLIBRARIES += libtest-kernel.la libtest-trace.la
libtest_kernel_la_SOURCES = tests/utils/kernel-marks.c tests/utils/kernel-marks.h \
	tests/utils/kernel-page.c tests/utils/kernel-page.h
libtest_trace_la_SOURCES = tests/utils/trace-kit.c tests/utils/trace-kit.h
check_PROGRAMS += tests/unit/consumer-stream
TESTS += tests/unit/consumer-stream
tests_unit_consumer_stream_SOURCES = tests/unit/consumer-stream.c
tests_unit_consumer_stream_LDADD = libtest-trace.la libconsumerd.la
check_PROGRAMS += tests/unit/consumer-metadata
TESTS += tests/unit/consumer-metadata
tests_unit_consumer_metadata_SOURCES = tests/unit/consumer-metadata.c
tests_unit_consumer_metadata_LDADD = libtest-trace.la libconsumerd.la
check_PROGRAMS += tests/unit/consumer-live
TESTS += tests/unit/consumer-live
tests_unit_consumer_live_SOURCES = tests/unit/consumer-live.c
tests_unit_consumer_live_LDADD = libconsumerd.la
check_PROGRAMS += tests/unit/stream-circle
TESTS += tests/unit/stream-circle
tests_unit_stream_circle_SOURCES = tests/unit/stream-circle.c
tests_unit_stream_circle_LDADD = libconsumerd.la
check_PROGRAMS += tests/unit/consumer-reuse
TESTS += tests/unit/consumer-reuse
tests_unit_consumer_reuse_SOURCES = tests/unit/consumer-reuse.c
tests_unit_consumer_reuse_LDADD = libtest-trace.la libconsumerd.la
check_PROGRAMS += tests/unit/consumer-spool
TESTS += tests/unit/consumer-spool
tests_unit_consumer_spool_SOURCES = tests/unit/consumer-spool.c
tests_unit_consumer_spool_LDADD = libconsumerd.la
check_PROGRAMS += tests/unit/beneath
TESTS += tests/unit/beneath
tests_unit_beneath_SOURCES = tests/unit/beneath.c
tests_unit_beneath_LDADD = libtest-trace.la libcommon.la

check_PROGRAMS += tests/unit/output-swapped
TESTS += tests/unit/output-swapped
tests_unit_output_swapped_SOURCES = tests/unit/output-swapped.c
tests_unit_output_swapped_LDADD = libtest-trace.la libconsumerd.la

check_PROGRAMS += tests/unit/consumer-chunks
TESTS += tests/unit/consumer-chunks
tests_unit_consumer_chunks_SOURCES = tests/unit/consumer-chunks.c
tests_unit_consumer_chunks_LDADD = libtest-trace.la libconsumerd.la
check_PROGRAMS += tests/unit/consumer-ring
TESTS += tests/unit/consumer-ring
tests_unit_consumer_ring_SOURCES = tests/unit/consumer-ring.c
tests_unit_consumer_ring_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_unit_consumer_ring_LDADD = libtest-trace.la libconsumerd.la
check_PROGRAMS += tests/unit/snapshot
TESTS += tests/unit/snapshot
tests_unit_snapshot_SOURCES = tests/unit/snapshot.c
tests_unit_snapshot_LDADD = libconsumerd.la

# On a tracefs instance of its own.
check_PROGRAMS += tests/unit/consumer-kernel
TESTS += tests/unit/consumer-kernel
tests_unit_consumer_kernel_SOURCES = tests/unit/consumer-kernel.c
tests_unit_consumer_kernel_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_unit_consumer_kernel_LDADD = libtest-trace.la libtest-kernel.la libconsumerd.la

check_PROGRAMS += tests/unit/ring-file
TESTS += tests/unit/ring-file
tests_unit_ring_file_SOURCES = tests/unit/ring-file.c
tests_unit_ring_file_LDADD = libringfile.la -lpthread
# They have a mmap of their own.
if !SANITIZED
check_PROGRAMS += tests/unit/ring-file-read
TESTS += tests/unit/ring-file-read
tests_unit_ring_file_read_SOURCES = tests/unit/ring-file-read.c tests/utils/no-ring-map.c
tests_unit_ring_file_read_LDADD = libtest-kernel.la libringfile.la
check_PROGRAMS += tests/unit/consumer-kernel-read
TESTS += tests/unit/consumer-kernel-read
tests_unit_consumer_kernel_read_SOURCES = $(tests_unit_consumer_kernel_SOURCES) \
	tests/utils/no-ring-map.c
tests_unit_consumer_kernel_read_CPPFLAGS = $(AM_CPPFLAGS) -DRINGS_ARE_READ
tests_unit_consumer_kernel_read_CFLAGS = $(tests_unit_consumer_kernel_CFLAGS)
tests_unit_consumer_kernel_read_LDADD = $(tests_unit_consumer_kernel_LDADD)
endif

# Readers by third parties, who know the kernel's rings only.
abi_reader_cppflags = -D_GNU_SOURCE -idirafter $(top_srcdir)/tests/abi/include
noinst_HEADERS += tests/abi/include/linux/trace_mmap.h
check_PROGRAMS += tests/abi/drain-ring tests/abi/map-ring tests/abi/ring-abi
TESTS += tests/abi/ring-abi
tests_abi_drain_ring_SOURCES = tests/abi/drain-ring.c
tests_abi_drain_ring_CPPFLAGS = $(abi_reader_cppflags)
tests_abi_drain_ring_CFLAGS = $(AM_CFLAGS) $(TRACEFS_CFLAGS) $(TRACEEVENT_CFLAGS)
tests_abi_drain_ring_LDADD = $(TRACEFS_LIBS) $(TRACEEVENT_LIBS)
tests_abi_map_ring_SOURCES = tests/abi/map-ring.c
tests_abi_map_ring_CPPFLAGS = $(abi_reader_cppflags)
tests_abi_ring_abi_SOURCES = tests/abi/ring-abi.c
tests_abi_ring_abi_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_abi_ring_abi_LDADD = $(mediator_test_libs)

# What both daemons share, and the session daemon's event classes.
common_tests = \
	tests/unit/clock \
	tests/unit/json-message \
	tests/unit/log \
	tests/unit/map-guard \
	tests/unit/name \
	tests/unit/relay-flight \
	tests/unit/relay-follow \
	tests/unit/relay-protocol \
	tests/unit/socket
check_PROGRAMS += $(common_tests)
TESTS += $(common_tests)
tests_unit_clock_SOURCES = tests/unit/clock.c
tests_unit_clock_LDADD = libcommon.la
tests_unit_json_message_SOURCES = tests/unit/json-message.c
tests_unit_json_message_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_unit_json_message_LDADD = libcommon.la
tests_unit_log_SOURCES = tests/unit/log.c
tests_unit_log_LDADD = libcommon.la
tests_unit_map_guard_SOURCES = tests/unit/map-guard.c
tests_unit_map_guard_LDADD = libcommon.la
tests_unit_name_SOURCES = tests/unit/name.c
tests_unit_relay_flight_SOURCES = tests/unit/relay-flight.c
tests_unit_relay_flight_LDADD = librelay.la
tests_unit_relay_follow_SOURCES = tests/unit/relay-follow.c
tests_unit_relay_follow_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_relay_follow_LDADD = librelay.la
tests_unit_relay_protocol_SOURCES = tests/unit/relay-protocol.c
tests_unit_relay_protocol_LDADD = librelay.la
tests_unit_name_LDADD = libcommon.la
tests_unit_socket_SOURCES = tests/unit/socket.c
tests_unit_socket_LDADD = libcommon.la

# The kernel's event classes.
check_PROGRAMS += tests/unit/kernel-class
TESTS += tests/unit/kernel-class
tests_unit_kernel_class_SOURCES = tests/unit/kernel-class.c
tests_unit_kernel_class_LDADD = libkernel.la
check_PROGRAMS += tests/unit/kernel-packet
TESTS += tests/unit/kernel-packet
tests_unit_kernel_packet_SOURCES = tests/unit/kernel-packet.c
tests_unit_kernel_packet_CFLAGS = $(AM_CFLAGS) $(TRACEEVENT_CFLAGS)
tests_unit_kernel_packet_LDADD = libtest-kernel.la libconsumerd.la $(TRACEEVENT_LIBS)
check_PROGRAMS += tests/unit/ring-kernel
TESTS += tests/unit/ring-kernel
tests_unit_ring_kernel_SOURCES = tests/unit/ring-kernel.c
tests_unit_ring_kernel_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_unit_ring_kernel_LDADD = libtest-trace.la libtest-kernel.la libconsumerd.la
check_PROGRAMS += tests/unit/kernel-plan
TESTS += tests/unit/kernel-plan
tests_unit_kernel_plan_SOURCES = tests/unit/kernel-plan.c
tests_unit_kernel_plan_LDADD = libconsumerd.la
check_PROGRAMS += tests/integration/kernel-records
TESTS += tests/integration/kernel-records
tests_integration_kernel_records_SOURCES = tests/integration/kernel-records.c
tests_integration_kernel_records_CFLAGS = $(AM_CFLAGS) $(TRACEEVENT_CFLAGS)
tests_integration_kernel_records_LDADD = libconsumerd.la $(TRACEEVENT_LIBS)

check_LTLIBRARIES += libtest-class.la
libtest_class_la_SOURCES = tests/utils/class-wire.c tests/utils/class-wire.h
check_PROGRAMS += tests/unit/packet-check
TESTS += tests/unit/packet-check
tests_unit_packet_check_SOURCES = tests/unit/packet-check.c
tests_unit_packet_check_LDADD = libcommon.la

check_PROGRAMS += tests/unit/record-layout
TESTS += tests/unit/record-layout
tests_unit_record_layout_SOURCES = tests/unit/record-layout.c
tests_unit_record_layout_LDADD = libcommon.la
check_PROGRAMS += tests/unit/metadata tests/unit/registry tests/unit/rule
TESTS += tests/unit/metadata tests/unit/registry tests/unit/rule
check_PROGRAMS += tests/unit/saved-state
TESTS += tests/unit/saved-state
tests_unit_saved_state_SOURCES = tests/unit/saved-state.c
tests_unit_saved_state_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_saved_state_LDADD = libsessiond.la
tests_unit_metadata_SOURCES = tests/unit/metadata.c
tests_unit_metadata_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_metadata_LDADD = libtest-class.la libsessiond.la
tests_unit_registry_SOURCES = tests/unit/registry.c
tests_unit_registry_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_registry_LDADD = libtest-class.la libsessiond.la
tests_unit_rule_SOURCES = tests/unit/rule.c
tests_unit_rule_LDADD = libsessiond.la

# The session daemon.
check_PROGRAMS += tests/utils/control
tests_utils_control_SOURCES = tests/utils/control.c
tests_utils_control_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_utils_control_LDADD = libcommon.la $(JSON_LIBS)

check_PROGRAMS += \
	tests/unit/app-message \
	tests/unit/ring-orders \
	tests/unit/run-queue \
	tests/unit/control-lives \
	tests/unit/control-pages \
	tests/unit/memory \
	tests/unit/wait-writers \
	tests/unit/messages \
	tests/unit/kernel-describe \
	tests/unit/kernel-leftovers \
	tests/unit/peer \
	tests/unit/quota \
	tests/unit/recover-source \
	tests/unit/slots
TESTS += \
	tests/unit/app-message \
	tests/unit/ring-orders \
	tests/unit/run-queue \
	tests/unit/control-lives \
	tests/unit/control-pages \
	tests/unit/memory \
	tests/unit/wait-writers \
	tests/unit/messages \
	tests/unit/kernel-describe \
	tests/unit/kernel-leftovers \
	tests/unit/peer \
	tests/unit/quota \
	tests/unit/recover-source \
	tests/unit/slots
tests_unit_app_message_SOURCES = tests/unit/app-message.c
tests_unit_app_message_LDADD = libsessiond.la
tests_unit_control_lives_SOURCES = tests/unit/control-lives.c
tests_unit_control_lives_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_unit_control_lives_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la
tests_unit_control_pages_SOURCES = tests/unit/control-pages.c
tests_unit_control_pages_LDADD = libsessiond.la
check_PROGRAMS += tests/unit/doorbell-crowd
TESTS += tests/unit/doorbell-crowd
tests_unit_doorbell_crowd_SOURCES = tests/unit/doorbell-crowd.c
tests_unit_doorbell_crowd_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_unit_doorbell_crowd_LDADD = libsessiond.la $(URCU_LIBS)
tests_unit_memory_SOURCES = tests/unit/memory.c
tests_unit_memory_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_unit_memory_LDADD = libsessiond.la
tests_unit_wait_writers_SOURCES = tests/unit/wait-writers.c
tests_unit_wait_writers_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_unit_wait_writers_LDADD = libsessiond.la
tests_unit_messages_SOURCES = tests/unit/messages.c
tests_unit_messages_LDADD = libsessiond.la
tests_unit_peer_SOURCES = tests/unit/peer.c tests/utils/reused-pid.h
tests_unit_peer_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
tests_unit_peer_LDADD = libsessiond.la $(SECCOMP_LIBS)
tests_unit_recover_source_SOURCES = tests/unit/recover-source.c
tests_unit_recover_source_LDADD = libsessiond.la
tests_unit_ring_orders_SOURCES = tests/unit/ring-orders.c
tests_unit_ring_orders_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_unit_ring_orders_LDADD = libsessiond.la $(SYSTEMD_LIBS)

tests_unit_run_queue_SOURCES = tests/unit/run-queue.c
tests_unit_run_queue_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_unit_run_queue_LDADD = libsessiond.la $(SYSTEMD_LIBS)
tests_unit_quota_SOURCES = tests/unit/quota.c
tests_unit_quota_LDADD = libsessiond.la
tests_unit_kernel_describe_SOURCES = tests/unit/kernel-describe.c
tests_unit_kernel_describe_LDADD = libsessiond.la
tests_unit_kernel_leftovers_SOURCES = tests/unit/kernel-leftovers.c
tests_unit_kernel_leftovers_CFLAGS = $(AM_CFLAGS) $(SYSTEMD_CFLAGS)
tests_unit_kernel_leftovers_LDADD = libsessiond.la
tests_unit_slots_SOURCES = tests/unit/slots.c
tests_unit_slots_LDADD = libsessiond.la

check_PROGRAMS += tests/utils/survivors
tests_utils_survivors_SOURCES = tests/utils/survivors.c
tests_utils_survivors_LDADD = liblttngmap.la -lpthread
tests_utils_survivors_LDFLAGS = $(test_ldflags)
check_PROGRAMS += tests/utils/crowd
tests_utils_crowd_SOURCES = tests/utils/crowd.c
tests_utils_crowd_LDADD = liblttngmap.la
tests_utils_crowd_LDFLAGS = $(test_ldflags)
dist_check_SCRIPTS += tests/reliability/soak.sh
TESTS += tests/reliability/soak.sh

dist_check_SCRIPTS += tests/integration/supervisor.sh tests/integration/restart.sh tests/integration/survive.sh
TESTS += tests/integration/supervisor.sh tests/integration/restart.sh tests/integration/survive.sh
dist_check_SCRIPTS += tests/integration/damaged-rings.sh tests/integration/places.sh tests/integration/status-now.sh
TESTS += tests/integration/damaged-rings.sh tests/integration/places.sh tests/integration/status-now.sh

kernel_tests = \
	tests/integration/kernel-probe.sh \
	tests/integration/kernel-probe-hung.sh \
	tests/integration/kernel-record.sh \
	tests/integration/kernel-lttng.sh \
	tests/integration/kernel-restart.sh \
	tests/integration/kernel-rules.sh
dist_check_SCRIPTS += $(kernel_tests)
TESTS += $(kernel_tests)
check_PROGRAMS += tests/utils/probe-load
tests_utils_probe_load_SOURCES = tests/utils/probe-load.c tests/utils/probe-load-twin.c
# The same on a machine that maps no ring of the kernel's.
if !SANITIZED
check_LTLIBRARIES += tests/utils/libno-ring-map.la
tests_utils_libno_ring_map_la_SOURCES = tests/utils/no-ring-map.c
tests_utils_libno_ring_map_la_CFLAGS = $(test_preload_cflags)
tests_utils_libno_ring_map_la_LDFLAGS = $(test_preload_ldflags)
endif
kernel_read_tests = \
	tests/integration/kernel-record-read.sh \
	tests/integration/kernel-survive-read.sh
dist_check_SCRIPTS += $(kernel_read_tests)
TESTS += $(kernel_read_tests)
EXTRA_DIST += tests/package/install.sh
check_PROGRAMS += tests/vm/module-hostile tests/vm/module-rings
tests_vm_module_hostile_SOURCES = tests/vm/module-hostile.c tests/vm/module-traced.h
tests_vm_module_hostile_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_vm_module_hostile_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la liblttngmap-ring-file.la
tests_vm_module_rings_SOURCES = tests/vm/module-rings.c tests/vm/module-traced.h
tests_vm_module_rings_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_vm_module_rings_LDADD = libtest-ring.la libsessiond.la liblttngmap-core.la liblttngmap-ring-file.la
EXTRA_DIST += tests/vm/init tests/vm/inside.sh tests/vm/machine.sh tests/vm/module-guards tests/vm/module-inside.sh \
	tests/vm/module-record.sh tests/vm/module-tests-inside.sh tests/vm/tally.sh \
	tests/vm/module.sh tests/vm/panic-inside.sh tests/vm/panic-judge.sh tests/vm/panic.sh tests/vm/run.sh \
	tests/vm/vmcore-inside.sh tests/vm/vmcore.sh
EXTRA_DIST += tests/utils/kernel.sh tests/utils/kernel_compare.py tests/utils/kernel_order.py
check_PROGRAMS += tests/utils/kernel-load
tests_utils_kernel_load_SOURCES = tests/utils/kernel-load.c
tests_utils_kernel_load_LDADD = liblttngmap.la -lpthread
tests_utils_kernel_load_LDFLAGS = $(test_ldflags)

check_PROGRAMS += tests/utils/paced
tests_utils_paced_SOURCES = tests/utils/paced.c
tests_utils_paced_LDADD = liblttngmap.la
tests_utils_paced_LDFLAGS = $(test_ldflags)

check_PROGRAMS += tests/utils/steady
tests_utils_steady_SOURCES = tests/utils/steady.c
tests_utils_steady_LDADD = liblttngmap.la
tests_utils_steady_LDFLAGS = $(test_ldflags)
dist_check_SCRIPTS += tests/integration/guest.sh
TESTS += tests/integration/guest.sh
dist_check_SCRIPTS += tests/integration/child-calls.sh
TESTS += tests/integration/child-calls.sh

# Processes that register, as liblttngmap does or as it never would.
check_LTLIBRARIES += libtest-siege.la
libtest_siege_la_SOURCES = tests/utils/sessiond-run.c tests/utils/sessiond-run.h \
	tests/utils/siege.c tests/utils/siege.h
libtest_siege_la_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
libtest_siege_la_LIBADD = libtest-class.la
sessiond_programs = \
	tests/integration/attempts \
	tests/integration/foreign-sender \
	tests/integration/objects \
	tests/integration/reused-pid \
	tests/integration/sessiond-app \
	tests/integration/sessiond-hostile
check_PROGRAMS += $(sessiond_programs)
TESTS += $(sessiond_programs)
tests_integration_attempts_SOURCES = tests/integration/attempts.c
tests_integration_attempts_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_integration_attempts_LDADD = libtest-siege.la libcommon.la $(JSON_LIBS)
tests_integration_foreign_sender_SOURCES = tests/integration/foreign-sender.c
tests_integration_foreign_sender_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_integration_foreign_sender_LDADD = libtest-siege.la libcommon.la $(JSON_LIBS)
tests_integration_reused_pid_SOURCES = tests/integration/reused-pid.c tests/utils/reused-pid.h
tests_integration_reused_pid_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_integration_reused_pid_LDADD = libtest-siege.la libcommon.la $(JSON_LIBS)
tests_integration_sessiond_app_SOURCES = tests/integration/sessiond-app.c
tests_integration_sessiond_app_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_integration_sessiond_app_LDADD = libtest-siege.la libcommon.la $(JSON_LIBS)
tests_integration_objects_SOURCES = tests/integration/objects.c tests/utils/object-attacks.c \
	tests/utils/object-attacks.h
tests_integration_objects_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS) $(SECCOMP_CFLAGS)
tests_integration_objects_LDADD = libtest-siege.la libcommon.la $(JSON_LIBS) $(SECCOMP_LIBS)
tests_integration_sessiond_hostile_SOURCES = tests/integration/sessiond-hostile.c
tests_integration_sessiond_hostile_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_integration_sessiond_hostile_LDADD = libtest-siege.la libcommon.la $(JSON_LIBS)
# A daemon under attack; reliability.md has the rows.
siege_programs = \
	tests/reliability/descriptors \
	tests/reliability/flood \
	tests/reliability/silent \
	tests/reliability/storms
check_PROGRAMS += $(siege_programs)
TESTS += $(siege_programs)
tests_reliability_descriptors_SOURCES = tests/reliability/descriptors.c
tests_reliability_descriptors_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_reliability_descriptors_LDADD = libtest-siege.la libcommon.la $(JSON_LIBS)
tests_reliability_flood_SOURCES = tests/reliability/flood.c
tests_reliability_flood_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_reliability_flood_LDADD = libtest-siege.la libcommon.la $(JSON_LIBS)
tests_reliability_silent_SOURCES = tests/reliability/silent.c
tests_reliability_silent_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_reliability_silent_LDADD = libtest-siege.la libcommon.la $(JSON_LIBS)
tests_reliability_storms_SOURCES = tests/reliability/storms.c
tests_reliability_storms_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_reliability_storms_LDADD = libtest-siege.la libcommon.la $(JSON_LIBS)
check_PROGRAMS += tests/utils/sleepers
tests_utils_sleepers_SOURCES = tests/utils/sleepers.c
tests_utils_sleepers_LDADD = liblttngmap.la
tests_utils_sleepers_LDFLAGS = $(test_ldflags)

check_PROGRAMS += tests/integration/class-flood
TESTS += tests/integration/class-flood
tests_integration_class_flood_SOURCES = tests/integration/class-flood.c
tests_integration_class_flood_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_integration_class_flood_LDADD = libtest-siege.la libcommon.la $(JSON_LIBS)
check_PROGRAMS += tests/integration/untraced
TESTS += tests/integration/untraced
tests_integration_untraced_SOURCES = tests/integration/untraced.c
tests_integration_untraced_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_integration_untraced_LDADD = libtest-siege.la libcommon.la $(JSON_LIBS)
check_PROGRAMS += tests/integration/limits
TESTS += tests/integration/limits
tests_integration_limits_SOURCES = tests/integration/limits.c
tests_integration_limits_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_integration_limits_LDADD = libtest-siege.la libcommon.la $(JSON_LIBS)

# What the daemons gave up.
noinst_HEADERS += tests/utils/confined.h
check_PROGRAMS += tests/unit/consumer-confine tests/unit/sessiond-confine tests/utils/inject-call
TESTS += tests/unit/consumer-confine tests/unit/sessiond-confine
tests_unit_consumer_confine_SOURCES = tests/unit/consumer-confine.c
tests_unit_consumer_confine_LDADD = libconsumerd.la
tests_unit_sessiond_confine_SOURCES = tests/unit/sessiond-confine.c
tests_unit_sessiond_confine_LDADD = libsessiond.la
tests_utils_inject_call_SOURCES = tests/utils/inject-call.c
check_PROGRAMS += tests/utils/only-calls
tests_utils_only_calls_SOURCES = tests/utils/only-calls.c
tests_utils_only_calls_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
tests_utils_only_calls_LDADD = $(SECCOMP_LIBS)
dist_check_SCRIPTS += tests/integration/confine.sh
TESTS += tests/integration/confine.sh

check_PROGRAMS += tests/utils/hanging-file
tests_utils_hanging_file_SOURCES = tests/utils/hanging-file.c
tests_utils_hanging_file_CFLAGS = $(AM_CFLAGS) $(FUSE_CFLAGS)
tests_utils_hanging_file_LDADD = $(FUSE_LIBS)
EXTRA_DIST += tests/utils/fake-consumer tests/utils/fake-attach-request tests/utils/sessiond.sh
sessiond_tests = \
	tests/integration/lttng-load.sh \
	tests/integration/long-events.sh \
	tests/integration/losses.sh \
	tests/integration/output-gone.sh \
	tests/integration/output-swapped.sh \
	tests/integration/kernel-cpu.sh \
	tests/integration/kernel-disk.sh \
	tests/integration/kernel-instance.sh \
	tests/integration/kernel-survive.sh \
	tests/integration/late-attach.sh \
	tests/integration/sessiond-consumer.sh \
	tests/integration/sessiond-control.sh \
	tests/integration/sessiond-start.sh \
	tests/integration/sessiond-units.sh \
	tests/integration/sessions-owners.sh \
	tests/integration/sessions-shares.sh \
	tests/integration/sessions-rules.sh
check_PROGRAMS += tests/utils/orphan
tests_utils_orphan_SOURCES = tests/utils/orphan.c
tests_utils_orphan_LDADD = liblttngmap.la
tests_utils_orphan_LDFLAGS = $(test_ldflags)
dist_check_SCRIPTS += tests/integration/forked-classes.sh
TESTS += tests/integration/forked-classes.sh
check_PROGRAMS += tests/utils/many-classes
tests_utils_many_classes_SOURCES = tests/utils/many-classes.c
tests_utils_many_classes_LDADD = liblttngmap.la
tests_utils_many_classes_LDFLAGS = $(test_ldflags)
dist_check_SCRIPTS += tests/integration/dead-mounts.sh
TESTS += tests/integration/dead-mounts.sh
dist_check_SCRIPTS += tests/integration/recover-stranger.sh
TESTS += tests/integration/recover-stranger.sh
dist_check_SCRIPTS += tests/integration/filter-shares.sh tests/integration/filter-turns.sh
TESTS += tests/integration/filter-shares.sh tests/integration/filter-turns.sh
dist_check_SCRIPTS += tests/integration/class-text.sh
TESTS += tests/integration/class-text.sh
dist_check_SCRIPTS += tests/integration/class-reclaim.sh
TESTS += tests/integration/class-reclaim.sh
check_PROGRAMS += tests/utils/rounds
tests_utils_rounds_SOURCES = tests/utils/rounds.c
tests_utils_rounds_LDADD = liblttngmap.la
tests_utils_rounds_LDFLAGS = $(test_ldflags)
dist_check_SCRIPTS += $(sessiond_tests)
TESTS += $(sessiond_tests)

check_PROGRAMS += tests/utils/callstacks
tests_utils_callstacks_SOURCES = tests/utils/callstacks.c
tests_utils_callstacks_CFLAGS = $(AM_CFLAGS) -O2 -fomit-frame-pointer
tests_utils_callstacks_LDADD = liblttngmap.la
dist_check_SCRIPTS += tests/integration/callstacks.sh
TESTS += tests/integration/callstacks.sh
check_PROGRAMS += tests/utils/contexts
tests_utils_contexts_SOURCES = tests/utils/contexts.c
tests_utils_contexts_LDADD = liblttngmap.la -lpthread
tests_utils_contexts_LDFLAGS = $(test_ldflags)
dist_check_SCRIPTS += tests/integration/contexts.sh
TESTS += tests/integration/contexts.sh

# Filters: the compiler of the session daemon, and the machine of the library.
check_LTLIBRARIES += libtest-filter.la
libtest_filter_la_SOURCES = \
	tests/utils/filter-assembler.c tests/utils/filter-assembler.h \
	tests/utils/filter-check.c tests/utils/filter-check.h \
	tests/utils/filter-oracle.c tests/utils/filter-oracle.h \
	tests/utils/filter-record.c tests/utils/filter-record.h
filter_test_libs = libfilter.la liblttngmap-core.la
filter_tests = \
	tests/unit/filter-check \
	tests/unit/filter-errors \
	tests/unit/filter-expressions \
	tests/unit/filter-machine \
	tests/unit/filter-pages \
	tests/unit/filter-random
check_PROGRAMS += $(filter_tests)
TESTS += $(filter_tests)
tests_unit_filter_check_SOURCES = tests/unit/filter-check.c
tests_unit_filter_check_LDADD = libtest-filter.la liblttngmap-core.la
tests_unit_filter_errors_SOURCES = tests/unit/filter-errors.c
tests_unit_filter_errors_LDADD = libtest-filter.la $(filter_test_libs)
tests_unit_filter_expressions_SOURCES = tests/unit/filter-expressions.c
tests_unit_filter_expressions_LDADD = libtest-filter.la $(filter_test_libs)
tests_unit_filter_machine_SOURCES = tests/unit/filter-machine.c
tests_unit_filter_machine_LDADD = libtest-filter.la liblttngmap-core.la -lm
tests_unit_filter_pages_SOURCES = tests/unit/filter-pages.c
tests_unit_filter_pages_LDADD = libsessiond.la liblttngmap-core.la
tests_unit_filter_random_SOURCES = tests/unit/filter-random.c
tests_unit_filter_random_LDADD = libtest-filter.la $(filter_test_libs)

check_PROGRAMS += tests/utils/filtered
tests_utils_filtered_SOURCES = tests/utils/filtered.c
tests_utils_filtered_LDADD = liblttngmap.la
tests_utils_filtered_LDFLAGS = $(test_ldflags)
dist_check_SCRIPTS += tests/integration/filters.sh tests/integration/filters-changing.sh
dist_check_SCRIPTS += tests/integration/maps.sh tests/integration/count.sh tests/integration/latencies.sh \
	tests/integration/maps-owners.sh
TESTS += tests/integration/maps.sh tests/integration/count.sh tests/integration/latencies.sh tests/integration/maps-owners.sh
dist_check_SCRIPTS += tests/integration/metrics.sh tests/utils/fake-answers tests/utils/metrics_check.py
TESTS += tests/integration/metrics.sh
dist_check_SCRIPTS += tests/integration/triggers.sh
TESTS += tests/integration/triggers.sh
check_PROGRAMS += tests/utils/emit-late
tests_utils_emit_late_SOURCES = tests/utils/emit-late.c tests/utils/numbered-emit.h
tests_utils_emit_late_LDADD = liblttngmap.la
tests_utils_emit_late_LDFLAGS = $(test_ldflags)
TESTS += tests/integration/filters.sh tests/integration/filters-changing.sh

EXTRA_PROGRAMS += tests/bench/filter
tests_bench_filter_SOURCES = tests/bench/filter.c
tests_bench_filter_LDADD = libtest-filter.la $(filter_test_libs)

# Sessions that come and go while programs run, against an oracle.
EXTRA_DIST += tests/utils/churn.py tests/utils/churn_oracle.py
check_PROGRAMS += tests/utils/churn
tests_utils_churn_SOURCES = tests/utils/churn.c
tests_utils_churn_LDADD = liblttngmap.la -lpthread
tests_utils_churn_LDFLAGS = $(test_ldflags)
dist_check_SCRIPTS += tests/integration/churn.sh tests/integration/event-code.sh tests/integration/features.sh \
	tests/integration/late-memory.sh \
	tests/integration/alone.sh
TESTS += tests/integration/churn.sh tests/integration/event-code.sh tests/integration/features.sh \
	tests/integration/late-memory.sh \
	tests/integration/alone.sh

# Numbered events of many threads and processes, against what they counted.
EXTRA_DIST += tests/utils/chunks.sh tests/utils/numbered.sh tests/utils/fake-app-daemon
EXTRA_DIST += tests/utils/started-daemon.sh
EXTRA_DIST += tests/utils/count_sources.py tests/utils/check_latencies.py tests/utils/relayd.sh tests/utils/fake-relayd tests/utils/relayed_packets.py \
	tests/utils/bell_latency.py tests/utils/live_latency.py
noinst_HEADERS += tests/utils/numbered.h tests/utils/numbered-emit.h
check_PROGRAMS += tests/utils/asked tests/utils/check-trace tests/utils/emit tests/utils/processes tests/utils/storm
tests_utils_storm_SOURCES = tests/utils/storm.c
tests_utils_check_trace_SOURCES = tests/utils/check-trace.c
tests_utils_check_trace_CFLAGS = $(AM_CFLAGS) $(BABELTRACE_CFLAGS)
tests_utils_check_trace_LDADD = $(BABELTRACE_LIBS)
tests_utils_asked_SOURCES = tests/utils/asked.c
tests_utils_asked_LDADD = liblttngmap.la -lpthread
tests_utils_asked_LDFLAGS = $(test_ldflags)
tests_utils_emit_SOURCES = tests/utils/emit.c
tests_utils_emit_LDADD = liblttngmap.la -lpthread
tests_utils_emit_LDFLAGS = $(test_ldflags)
check_PROGRAMS += tests/utils/long-events
tests_utils_long_events_SOURCES = tests/utils/long-events.c
tests_utils_long_events_LDADD = liblttngmap.la -lpthread
tests_utils_long_events_LDFLAGS = $(test_ldflags)
tests_utils_processes_SOURCES = tests/utils/processes.c tests/utils/processes-life.c \
	tests/utils/processes-odd.c tests/utils/processes.h
tests_utils_processes_LDADD = liblttngmap.la -lpthread
check_PROGRAMS += tests/utils/sandboxed
tests_utils_sandboxed_SOURCES = tests/utils/sandboxed.c
tests_utils_sandboxed_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
tests_utils_sandboxed_LDADD = liblttngmap.la $(SECCOMP_LIBS)
tests_utils_sandboxed_LDFLAGS = $(test_ldflags)
tests_utils_processes_LDFLAGS = $(test_ldflags)
numbered_tests = \
	tests/integration/broken-streams.sh \
	tests/integration/damaged-streams.sh \
	tests/integration/many-streams.sh \
	tests/integration/file-limits.sh \
	tests/integration/bell-latency.sh \
	tests/integration/taken-bell.sh \
	tests/integration/million.sh \
	tests/integration/processes.sh \
	tests/integration/sandbox.sh \
	tests/integration/relay-ended.sh \
	tests/integration/relay-full.sh \
	tests/integration/relay-hostile.sh \
	tests/integration/relay-killed.sh \
	tests/integration/relay-live.sh \
	tests/integration/relay-merge.sh \
	tests/integration/relay-network.sh \
	tests/integration/relay-snapshot.sh \
	tests/integration/relay.sh \
	tests/integration/rotation.sh \
	tests/integration/snapshot-early.sh \
	tests/integration/snapshot.sh \
	tests/integration/recover-slow.sh \
	tests/integration/survive-panic.sh \
	tests/integration/hostile-queries.sh \
	tests/integration/hostile-traces.sh \
	tests/integration/sparse-streams.sh \
	tests/integration/start-up.sh \
	tests/integration/user-rings.sh
dist_check_SCRIPTS += $(numbered_tests)
TESTS += $(numbered_tests)

# Rows of the reliability table (tests/reliability/rows).
check_PROGRAMS += tests/utils/pid-reuse tests/utils/stop-anywhere
tests_utils_pid_reuse_SOURCES = tests/utils/pid-reuse.c tests/utils/reused-pid.h
tests_utils_pid_reuse_LDADD = liblttngmap.la
tests_utils_pid_reuse_LDFLAGS = $(test_ldflags)
tests_utils_stop_anywhere_SOURCES = tests/utils/stop-anywhere.c
tests_utils_stop_anywhere_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_utils_stop_anywhere_LDADD = libtest-siege.la liblttngmap.la libcommon.la $(JSON_LIBS) -lpthread
tests_utils_stop_anywhere_LDFLAGS = $(test_ldflags)
check_LTLIBRARIES += tests/utils/numbered-plugin.la
tests_utils_numbered_plugin_la_SOURCES = tests/utils/numbered-plugin.c
tests_utils_numbered_plugin_la_LIBADD = liblttngmap.la
tests_utils_numbered_plugin_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere
life_tests = \
	tests/reliability/events-in-malloc.sh \
	tests/reliability/killed-programs.sh \
	tests/reliability/pid-reuse.sh \
	tests/reliability/process-lives.sh \
	tests/reliability/stopped-consumer.sh \
	tests/reliability/stopped-sharers.sh \
	tests/reliability/stopped-writers.sh
dist_check_SCRIPTS += $(life_tests)
TESTS += $(life_tests)

# What is left when all daemons are killed at once.
recover_tests = \
	tests/reliability/recover-damaged.sh \
	tests/reliability/recover.sh \
	tests/reliability/ring-files.sh
dist_check_SCRIPTS += $(recover_tests)
TESTS += $(recover_tests)

# What goes wrong around the daemons, and whoever means harm.
check_PROGRAMS += tests/utils/hostile tests/utils/misnamed tests/utils/opened
check_PROGRAMS += tests/utils/taken-bell
tests_utils_taken_bell_SOURCES = tests/utils/taken-bell.c
tests_utils_taken_bell_LDADD = liblttngmap.la
tests_utils_taken_bell_LDFLAGS = $(test_ldflags)
check_PROGRAMS += tests/utils/forge tests/utils/forge-map tests/utils/spans
tests_utils_spans_SOURCES = tests/utils/spans.c
tests_utils_spans_LDADD = liblttngmap.la -lpthread
tests_utils_spans_LDFLAGS = $(test_ldflags)
tests_utils_forge_map_SOURCES = tests/utils/forge-map.c tests/utils/numbered-emit.h
tests_utils_forge_map_LDADD = liblttngmap.la
tests_utils_forge_map_LDFLAGS = $(test_ldflags)
tests_utils_forge_SOURCES = tests/utils/forge.c
tests_utils_forge_LDADD = liblttngmap.la
tests_utils_forge_LDFLAGS = $(test_ldflags)
tests_utils_hostile_SOURCES = tests/utils/hostile.c
tests_utils_hostile_LDADD = libtest-class.la liblttngmap.la -lpthread
tests_utils_hostile_LDFLAGS = $(test_ldflags)
tests_utils_opened_SOURCES = tests/utils/opened.c
tests_utils_misnamed_SOURCES = tests/utils/misnamed.c
tests_utils_misnamed_LDADD = libtest-class.la libcommon.la liblttngmap.la
tests_utils_misnamed_LDFLAGS = $(test_ldflags)
# An output, or a program, on a file system that does not answer, which comes from the plain build.
if !SANITIZED
check_PROGRAMS += tests/utils/hang-fs
tests_utils_hang_fs_SOURCES = tests/utils/hang-fs.c
tests_utils_hang_fs_CFLAGS = $(AM_CFLAGS) $(FUSE_CFLAGS)
tests_utils_hang_fs_LDADD = $(FUSE_LIBS)
endif
hang_tests = \
	tests/integration/attach-hostile.sh \
	tests/integration/hung-program.sh \
	tests/integration/hung-restart.sh \
	tests/integration/hung-status.sh \
	tests/reliability/failing-output.sh \
	tests/reliability/hung-output.sh
dist_check_SCRIPTS += $(hang_tests)
TESTS += $(hang_tests)

if !SANITIZED
check_LTLIBRARIES += tests/utils/libbad-disk.la
tests_utils_libbad_disk_la_SOURCES = tests/utils/bad-disk.c
tests_utils_libbad_disk_la_CFLAGS = $(test_preload_cflags)
tests_utils_libbad_disk_la_LDFLAGS = $(test_preload_ldflags)
endif
check_PROGRAMS += tests/reliability/overflow
TESTS += tests/reliability/overflow
tests_reliability_overflow_SOURCES = tests/reliability/overflow.c
tests_reliability_overflow_CFLAGS = $(AM_CFLAGS) $(SYSTEMD_CFLAGS)
tests_reliability_overflow_LDADD = libconsumerd.la
trouble_tests = \
	tests/reliability/bad-disk.sh \
	tests/reliability/hostile.sh \
	tests/reliability/machine.sh \
	tests/reliability/memory.sh \
	tests/reliability/names.sh \
	tests/reliability/overflow-rings.sh \
	tests/reliability/strangers.sh
dist_check_SCRIPTS += $(trouble_tests)
TESTS += $(trouble_tests)

# What somebody who means harm can do to root's service: tests/utils/attack.sh judges.
check_PROGRAMS += tests/attack/as-pid tests/attack/attacker
tests_attack_as_pid_SOURCES = tests/attack/as-pid.c tests/utils/reused-pid.h
tests_attack_attacker_SOURCES = tests/attack/attacker.c tests/attack/attacker.h \
	tests/attack/attack-control.c tests/attack/attack-shared.c tests/attack/attack-socket.c
tests_attack_attacker_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_attack_attacker_LDADD = libtest-siege.la libcommon.la $(JSON_LIBS) -lpthread
attack_tests = \
	tests/attack/awake.sh \
	tests/attack/bell.sh \
	tests/attack/classes.sh \
	tests/attack/clock.sh \
	tests/attack/deep.sh \
	tests/attack/discards.sh \
	tests/attack/enums.sh \
	tests/attack/filters.sh \
	tests/attack/forge.sh \
	tests/attack/frozen.sh \
	tests/attack/hoard.sh \
	tests/attack/holes.sh \
	tests/attack/ids.sh \
	tests/attack/inode.sh \
	tests/attack/inodes.sh \
	tests/attack/inotify.sh \
	tests/attack/library.sh \
	tests/attack/locks.sh \
	tests/attack/memfds.sh \
	tests/attack/nested.sh \
	tests/attack/opens.sh \
	tests/attack/pids.sh \
	tests/attack/rights.sh \
	tests/attack/room.sh \
	tests/attack/rules.sh \
	tests/attack/sandbox.sh \
	tests/attack/scribble.sh \
	tests/attack/storm.sh \
	tests/attack/swap.sh \
	tests/attack/trackers.sh \
	tests/attack/unread.sh \
	tests/attack/watchers.sh
dist_check_SCRIPTS += $(attack_tests)
TESTS += $(attack_tests)
EXTRA_DIST += tests/utils/attack.sh
