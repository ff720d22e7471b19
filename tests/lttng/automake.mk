# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Programs written for LTTng-UST, built as they are against include/lttng-compat.
# *.expected is what LTTng-UST makes of them: tests/lttng/peer.sh.

EXTRA_DIST += \
	tests/lttng/brought.c \
	tests/lttng/fields.expected \
	tests/lttng/hello.expected \
	tests/lttng/Jul.java \
	tests/lttng/jul.expected \
	tests/lttng/jul.txt \
	tests/lttng/Log4j.java \
	tests/lttng/log4j.expected \
	tests/lttng/log4j.txt \
	tests/lttng/Log4j2.java \
	tests/lttng/log4j2.expected \
	tests/lttng/log4j2.txt \
	tests/lttng/log4j2.xml \
	tests/lttng/loggers.sh \
	tests/lttng/messages.expected \
	tests/lttng/multi.c \
	tests/lttng/multi.expected \
	tests/lttng/multi.order \
	tests/lttng/multi-tp.c \
	tests/lttng/multi-tp.h \
	tests/lttng/nested.cc \
	tests/lttng/nested.expected \
	tests/lttng/nested.h \
	tests/lttng/nested-tp.h \
	tests/lttng/peer.sh \
	tests/lttng/python.expected \
	tests/lttng/python.py \
	tests/lttng/python.txt \
	tests/lttng/robot.expected \
	tests/lttng/taken.c \
	tests/lttng/typed.expected \
	tests/lttng/typed.sh \
	tests/lttng/typed.txt \
	tests/lttng/taken.expected \
	tests/lttng/taken-tp.h

lttng_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/include/lttng-compat -I$(top_srcdir)/tests/lttng

check_PROGRAMS += tests/lttng/fields tests/lttng/hello
tests_lttng_fields_SOURCES = tests/lttng/fields.c tests/lttng/fields.h \
	tests/lttng/fields-tp.c tests/lttng/fields-tp.h
tests_lttng_fields_CPPFLAGS = $(lttng_cppflags)
tests_lttng_fields_LDFLAGS = $(test_ldflags)
tests_lttng_fields_LDADD = liblttngmap.la
tests_lttng_hello_SOURCES = tests/lttng/hello.c tests/lttng/hello.h \
	tests/lttng/hello-tp.c tests/lttng/hello-tp.h
tests_lttng_hello_CPPFLAGS = $(lttng_cppflags)
tests_lttng_hello_LDFLAGS = $(test_ldflags)
tests_lttng_hello_LDADD = liblttngmap.la

check_PROGRAMS += tests/lttng/messages
tests_lttng_messages_SOURCES = tests/lttng/messages.c
tests_lttng_messages_CPPFLAGS = $(lttng_cppflags)
tests_lttng_messages_LDFLAGS = $(test_ldflags)
tests_lttng_messages_LDADD = liblttngmap.la

# Its provider is loaded, or not; or it is in the program, or beside it.
check_LTLIBRARIES += tests/lttng/robot-tp.la
tests_lttng_robot_tp_la_SOURCES = tests/lttng/robot-tp.c tests/lttng/robot-tp.h
tests_lttng_robot_tp_la_CPPFLAGS = $(lttng_cppflags)
tests_lttng_robot_tp_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere
tests_lttng_robot_tp_la_LIBADD = liblttngmap.la

check_PROGRAMS += tests/lttng/robot tests/lttng/robot-whole
tests_lttng_robot_SOURCES = tests/lttng/robot.cc tests/lttng/robot-define.c
tests_lttng_robot_CPPFLAGS = $(lttng_cppflags)
tests_lttng_robot_LDFLAGS = $(test_ldflags) -Wl,-rpath,$(abs_top_builddir)/.libs
tests_lttng_robot_LDADD = -ldl
tests_lttng_robot_whole_SOURCES = tests/lttng/robot.cc tests/lttng/robot-define.c \
	tests/lttng/robot-tp.c
tests_lttng_robot_whole_CPPFLAGS = $(lttng_cppflags)
tests_lttng_robot_whole_LDFLAGS = $(test_ldflags)
tests_lttng_robot_whole_LDADD = liblttngmap.la -ldl

dist_check_SCRIPTS += tests/integration/lttng-compat.sh tests/integration/lttng-gen-tp.sh
dist_check_SCRIPTS += tests/integration/lttng-commands.sh
TESTS += tests/integration/lttng-compat.sh tests/integration/lttng-gen-tp.sh
TESTS += tests/integration/lttng-commands.sh
