/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-progress.h - the file by which the sender of a spool tells its consumer how far it is:
 * OUTPUT/.relay. The first of both that looks for the file makes it. With a trace that stays,
 * each collector's sender has a file of its own, OUTPUT/.relay-COLLECTOR.
 *
 * Where the folder is a spool, its writer holds back what would make more than
 * the agreed bytes of packets in it that were not sent.
 */
#ifndef COMMON_PROTOCOL_RELAY_PROGRESS_H
#define COMMON_PROTOCOL_RELAY_PROGRESS_H

#include <stdint.h>

#define RELAY_PROGRESS_NAME ".relay"
#define RELAY_PROGRESS_MAGIC UINT64_C(0x6c6d2d72656c6179)

/* OUTPUT/ust with its archives, and OUTPUT/kernel. */
enum relay_progress_part {
	RELAY_PROGRESS_USER,
	RELAY_PROGRESS_KERNEL,
	RELAY_PROGRESS_PARTS,
};

struct relay_progress {
	uint64_t magic; /* RELAY_PROGRESS_MAGIC; anything else: nothing was sent yet */
	struct {
		uint64_t confirmed; /* bytes of packets that the collector has, in all */
		uint64_t removed;   /* of them, in files that are gone */
	} parts[RELAY_PROGRESS_PARTS];
	/* When the last connection was made, in seconds since 1970; 0: there was none. */
	uint64_t connected;
	/*
	 * Connections that were lost while packets were on the way, as far as can be told: what is
	 * to be sent of these are the pages of their files, for as long as the kernel likes.
	 */
	uint64_t lost;
};

#endif /* COMMON_PROTOCOL_RELAY_PROGRESS_H */
