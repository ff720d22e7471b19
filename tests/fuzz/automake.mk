# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Fuzz targets: tests/fuzz/NAME.c, with what they begin with in corpus/NAME/.
# As tests they run that and end; configured with --enable-fuzzer they are
# linked with libFuzzer (`./dev fuzz`, tests/fuzz/run.sh). The folder of a corpus is what the
# scripts know a target by.

fuzz_targets = \
	tests/fuzz/app \
	tests/fuzz/consumer \
	tests/fuzz/control \
	tests/fuzz/filter-compile \
	tests/fuzz/filter-machine \
	tests/fuzz/kernel-format \
	tests/fuzz/kernel-packet \
	tests/fuzz/ledger \
	tests/fuzz/link \
	tests/fuzz/metadata \
	tests/fuzz/query \
	tests/fuzz/relay \
	tests/fuzz/repair \
	tests/fuzz/ring \
	tests/fuzz/ring-answer \
	tests/fuzz/ring-request \
	tests/fuzz/sdt-operand \
	tests/fuzz/sdt-read \
	tests/fuzz/session-file \
	tests/fuzz/streams \
	tests/fuzz/tsdl
check_PROGRAMS += $(fuzz_targets) tests/fuzz/filter-seeds
dist_check_SCRIPTS += tests/fuzz/replay.sh
TESTS += tests/fuzz/replay.sh
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/filter-expressions.txt tests/fuzz/run.sh
.PHONY: fuzz-programs
fuzz-programs: $(fuzz_targets) tests/fuzz/filter-seeds

check_LTLIBRARIES += libfuzz.la
libfuzz_la_SOURCES = tests/fuzz/fuzz.c tests/fuzz/fuzz.h tests/fuzz/fuzz-daemon.c tests/fuzz/fuzz-daemon.h
libfuzz_la_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
if FUZZER
fuzz_ldflags = $(AM_LDFLAGS) -no-install -fsanitize=fuzzer
EXTRA_DIST += tests/fuzz/replay.c
else
fuzz_ldflags = $(AM_LDFLAGS) -no-install
libfuzz_la_SOURCES += tests/fuzz/replay.c
endif

tests_fuzz_app_SOURCES = tests/fuzz/app.c
tests_fuzz_app_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_fuzz_app_LDADD = libfuzz.la libsessiond.la
tests_fuzz_app_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_consumer_SOURCES = tests/fuzz/consumer.c
tests_fuzz_consumer_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_fuzz_consumer_LDADD = libfuzz.la libconsumerd.la
tests_fuzz_consumer_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_control_SOURCES = tests/fuzz/control.c
tests_fuzz_control_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_fuzz_control_LDADD = libfuzz.la libsessiond.la
tests_fuzz_control_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_filter_compile_SOURCES = tests/fuzz/filter-compile.c
tests_fuzz_filter_compile_LDADD = libtest-filter.la libfuzz.la $(filter_test_libs)
tests_fuzz_filter_compile_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_filter_machine_SOURCES = tests/fuzz/filter-machine.c
tests_fuzz_filter_machine_LDADD = libtest-filter.la libfuzz.la $(filter_test_libs)
tests_fuzz_filter_machine_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_filter_seeds_SOURCES = tests/fuzz/filter-seeds.c
tests_fuzz_filter_seeds_LDADD = libtest-filter.la $(filter_test_libs)
tests_fuzz_kernel_format_SOURCES = tests/fuzz/kernel-format.c
tests_fuzz_kernel_format_LDADD = libfuzz.la libkernel.la
tests_fuzz_kernel_format_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_kernel_packet_SOURCES = tests/fuzz/kernel-packet.c
tests_fuzz_kernel_packet_LDADD = libfuzz.la libtest-kernel.la libconsumerd.la
tests_fuzz_kernel_packet_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_ledger_SOURCES = tests/fuzz/ledger.c
tests_fuzz_ledger_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS) $(JSON_CFLAGS)
tests_fuzz_ledger_LDADD = libfuzz.la libsessiond.la
tests_fuzz_ledger_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_link_SOURCES = tests/fuzz/link.c
tests_fuzz_link_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_fuzz_link_LDADD = libfuzz.la libconsumerd.la
tests_fuzz_link_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_relay_SOURCES = tests/fuzz/relay.c
tests_fuzz_relay_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_fuzz_relay_LDADD = libfuzz.la librelay.la
tests_fuzz_relay_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_metadata_SOURCES = tests/fuzz/metadata.c
tests_fuzz_metadata_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(BABELTRACE_CFLAGS)
tests_fuzz_metadata_LDADD = libfuzz.la libsessiond.la $(BABELTRACE_LIBS)
tests_fuzz_metadata_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_repair_SOURCES = tests/fuzz/repair.c
tests_fuzz_repair_LDADD = libfuzz.la libconsumerd.la
tests_fuzz_repair_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_ring_SOURCES = tests/fuzz/ring.c
tests_fuzz_ring_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS)
tests_fuzz_ring_LDADD = libfuzz.la libsessiond.la
tests_fuzz_ring_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_ring_answer_SOURCES = tests/fuzz/ring-answer.c
tests_fuzz_ring_answer_LDADD = libfuzz.la libringfile.la libcommon.la -lpthread
tests_fuzz_ring_answer_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_ring_request_SOURCES = tests/fuzz/ring-request.c
tests_fuzz_ring_request_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
tests_fuzz_ring_request_LDADD = libfuzz.la libsessiond.la
tests_fuzz_ring_request_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_sdt_operand_SOURCES = tests/fuzz/sdt-operand.c
tests_fuzz_sdt_operand_LDADD = libfuzz.la libsdt-parts.la
tests_fuzz_sdt_operand_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_sdt_read_SOURCES = tests/fuzz/sdt-read.c
tests_fuzz_sdt_read_LDADD = libfuzz.la libsdt-parts.la libcommon.la
tests_fuzz_sdt_read_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_session_file_SOURCES = tests/fuzz/session-file.c
tests_fuzz_session_file_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
tests_fuzz_session_file_LDADD = libfuzz.la libcli.la $(JSON_LIBS)
tests_fuzz_session_file_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_query_SOURCES = tests/fuzz/query.c
tests_fuzz_query_CFLAGS = $(AM_CFLAGS) $(BABELTRACE_CFLAGS) $(SQLITE_CFLAGS)
tests_fuzz_query_LDADD = libfuzz.la libcli.la $(SQLITE_LIBS)
tests_fuzz_query_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_streams_SOURCES = tests/fuzz/streams.c
tests_fuzz_streams_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(BABELTRACE_CFLAGS)
tests_fuzz_streams_LDADD = libfuzz.la libcli.la libconsumerd.la libsessiond.la $(BABELTRACE_LIBS)
tests_fuzz_streams_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_tsdl_SOURCES = tests/fuzz/tsdl.c
tests_fuzz_tsdl_LDADD = libfuzz.la libcli.la libcommon.la
tests_fuzz_tsdl_LDFLAGS = $(fuzz_ldflags)
