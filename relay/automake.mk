# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Sending a trace to a collector (lttng-relayd): `lttngmap relay`.

noinst_LTLIBRARIES += librelay.la
librelay_la_SOURCES = \
	relay/connection.c \
	relay/connection.h \
	relay/flight.c \
	relay/flight.h \
	relay/follow.c \
	relay/follow.h \
	relay/follow-ended.c \
	relay/follow-files.c \
	relay/follow-journal.c \
	relay/follow-parts.h \
	relay/metadata.c \
	relay/metadata.h \
	relay/presence.c \
	relay/presence.h \
	relay/protocol.c \
	relay/protocol.h \
	relay/relay-parts.h \
	relay/relay-anchor.c \
	relay/relay-ended.c \
	relay/relay-live.c \
	relay/relay-send.c \
	relay/relay-traces.c \
	relay/relay.c \
	relay/relay.h \
	relay/url.c \
	relay/url.h
librelay_la_CFLAGS = $(AM_CFLAGS) $(URCU_CFLAGS) $(SYSTEMD_CFLAGS)
librelay_la_LIBADD = libcommon.la $(URCU_LIBS) $(SYSTEMD_LIBS)
