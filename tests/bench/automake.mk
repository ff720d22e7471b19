# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# What `./dev bench` runs. It asks for these programs by name: LTTng-UST, the
# peer that they compare with, is not needed to build anything else.

EXTRA_DIST += tests/bench/bounds tests/bench/calls.sh tests/bench/enable.py tests/bench/held.sh tests/bench/kernel.sh \
	tests/bench/disk.sh tests/bench/query.sh tests/bench/relay.sh tests/bench/run.sh \
	tests/bench/samples.sh tests/bench/scale.sh tests/bench/sdt.sh tests/bench/storm.sh tests/bench/tracers.sh

bench_programs = \
	tests/bench/calls \
	tests/bench/check-calls \
	tests/bench/events-bare \
	tests/bench/events-lttng-ust \
	tests/bench/events-lttngmap \
	tests/bench/least \
	tests/bench/spawn
EXTRA_PROGRAMS += $(bench_programs)
bench_events = tests/bench/events.c tests/bench/tracer.h

tests_bench_calls_SOURCES = tests/bench/calls.c
tests_bench_calls_CFLAGS = $(AM_CFLAGS) -finstrument-functions -fno-optimize-sibling-calls
tests_bench_check_calls_SOURCES = tests/bench/check-calls.c
tests_bench_check_calls_CFLAGS = $(AM_CFLAGS) $(BABELTRACE_CFLAGS)
tests_bench_check_calls_LDADD = $(BABELTRACE_LIBS)

tests_bench_events_bare_SOURCES = $(bench_events)
tests_bench_events_bare_LDADD = libcommon.la -lpthread

tests_bench_events_lttngmap_SOURCES = $(bench_events)
tests_bench_events_lttngmap_CPPFLAGS = $(AM_CPPFLAGS) -DBENCH_LTTNGMAP
tests_bench_events_lttngmap_LDADD = liblttngmap.la -lpthread
tests_bench_events_lttngmap_LDFLAGS = $(test_ldflags)

tests_bench_events_lttng_ust_SOURCES = $(bench_events) \
	tests/bench/ust-events.c tests/bench/ust-events.h
tests_bench_events_lttng_ust_CPPFLAGS = $(AM_CPPFLAGS) -DBENCH_LTTNG_UST
tests_bench_events_lttng_ust_LDADD = -llttng-ust -ldl -lpthread

tests_bench_least_SOURCES = tests/bench/least.c
tests_bench_least_LDADD = liblttngmap-ring-file.la librelay.la
tests_bench_least_LDFLAGS = $(test_ldflags)

tests_bench_spawn_SOURCES = tests/bench/spawn.c

bench-programs: $(bench_programs) tests/utils/asked$(EXEEXT) tests/utils/control$(EXEEXT)
.PHONY: bench-programs
