/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* packet-check.c - each reason for which a packet cannot follow another refuses it. */
#include <stdbool.h>
#include <string.h>

#include "common/record/packet-check.h"
#include "tests/utils/tap.h"

/* Nanoseconds: readers count 2^63 of them. */
static const struct record_trace trace = { .frequency = 1000000000 };
static struct packet_past past;

/* The one that comes next. */
static struct ctf_packet_header next;

static bool is_refused(const char *why)
{
	const char *what = packet_check_order(&past, &next, &trace);

	if (what)
		diag("%s", what);
	return what && strcmp(what, why) == 0;
}

static void start(void)
{
	const struct ctf_packet_header before = {
		.stream_id = 1,
		.stream_instance_id = 7,
		.timestamp_begin = 1000,
		.timestamp_end = 2000,
		.packet_seq_num = 3,
	};

	past = (struct packet_past){ .packets = 0 };
	packet_past_add(&past, &before);
	next = before;
	next.timestamp_begin = 2000;
	next.timestamp_end = 3000;
	next.packet_seq_num = 4;
}

int main(void)
{
	start();
	ok(!packet_check_order(&past, &next, &trace), "a packet follows another");
	next.packet_seq_num = 400;
	ok(!packet_check_order(&past, &next, &trace), "... also with packets lost between them");
	next.timestamp_begin = 1999;
	ok(is_refused("packet that begins before the last one ended"), "not one before its end");
	start();
	next.timestamp_end = 1999;
	ok(is_refused("packet that ends before it begins"), "nor one that ends before it begins");
	start();
	next.timestamp_end = UINT64_MAX;
	ok(is_refused("packet of a time that cannot be"), "nor one of the year 2554");
	start();
	next.packet_seq_num = 3;
	ok(is_refused("packet with the number of an earlier one"), "nor one of its number");
	start();
	next.stream_id = 2;
	ok(is_refused("packet of another stream"), "nor another channel's");
	start();
	next.stream_instance_id = 8;
	ok(is_refused("packet of another stream"), "nor another stream's");
	start();
	past = (struct packet_past){ .packets = 0 };
	next.timestamp_begin = 0;
	next.packet_seq_num = 0;
	ok(!packet_check_order(&past, &next, &trace),
	   "the first one may have any number and begin");
	return done_testing();
}
