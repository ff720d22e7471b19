/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * metadata.h - the CTF 1.8 metadata (TSDL) of a session: what stands in its
 * trace, as text.
 *
 * Channels (stream classes) and events are only ever added, each with a new
 * generation, but for channels without packets, whose contexts may change. So
 * any later text describes all packets that an earlier one did. Events stand
 * last, in the order in which they came: new ones are a segment that is added to
 * the text that was sent before, at the cost of that segment. All else that
 * changes (a channel, a clock) makes the text anew. The layout of packets is
 * common/protocol/ctf.h's, that of records lttngmap/abi.h's. A kernel's differs from a
 * program's in what it says of who wrote it (doc/design/kernel.md).
 *
 * One thread. An event class must outlive the metadata it was added to.
 */
#ifndef SESSIOND_CLASS_METADATA_H
#define SESSIOND_CLASS_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/clock.h"
#include "common/protocol/ctf.h"
#include "sessiond/class/registry.h"

#define METADATA_UUID_TEXT_SIZE 37

struct metadata;

/*
 * Bytes of text about event classes. A limited user may have its share of them (quota.h), so that
 * nobody's classes make a trace that no reader has memory for: babeltrace2 takes 20 times as much.
 */
#define METADATA_EVENTS_MAX (UINT64_C(64) << 20)

struct metadata_config {
	const char *session;  /* copied, as all strings here */
	const char *hostname; /* NULL: this machine's */
	uint64_t created;     /* when, ns since 1970; 0: now */
	bool is_kernel;       /* of the kernel's events */
	uint8_t uuid[CTF_UUID_SIZE];
	struct clock_description clock;
};

/* A new random UUID (version 4). 0 or -errno. */
int metadata_uuid_make(uint8_t uuid[CTF_UUID_SIZE]);
void metadata_uuid_text(const uint8_t uuid[CTF_UUID_SIZE], char text[METADATA_UUID_TEXT_SIZE]);

/* Without channels; generation 1. 0 or -errno. */
int metadata_create(const struct metadata_config *config, struct metadata **metadata);
/* NULL is allowed. */
void metadata_destroy(struct metadata *metadata);

/*
 * A stream class, whose events have these contexts (a bit set of enum
 * lttngmap_context). stream_id < LTTNGMAP_CHANNELS. 0; -EEXIST; -EINVAL; -ENOMEM.
 */
int metadata_add_channel(struct metadata *metadata, uint32_t stream_id, const char *channel,
			 uint64_t contexts);
/* Other contexts; there is no packet of the stream class yet. 0; -ENOENT. */
int metadata_change_contexts(struct metadata *metadata, uint32_t stream_id, uint64_t contexts);
/*
 * An event that can be in that channel's packets from now on. Its text is charged to `user`;
 * `limited`: only within that user's share. 0, also when it was there already; -ENOENT no such
 * channel; -EDQUOT; -ENOMEM.
 */
int metadata_add_event(struct metadata *metadata, uint32_t stream_id,
		       const struct registry_class *event_class, uint32_t user, bool limited);
/* A better calibration of the same clock. */
void metadata_set_clock(struct metadata *metadata, const struct clock_description *clock);

/* Names of the processes that the trace lacks, for people; "" or NULL: none. 0 or -ENOMEM. */
int metadata_set_untraced(struct metadata *metadata, const char *names);

/* The description that was set last. */
const struct clock_description *metadata_clock(const struct metadata *metadata);

/* When the metadata was made: ns since 1970. */
uint64_t metadata_created(const struct metadata *metadata);
/* The name of a stream class, NULL: there is none, and its contexts. */
const char *metadata_channel(const struct metadata *metadata, uint32_t stream_id,
			     uint64_t *contexts);
/* Is that event described in that channel, which there is? */
bool metadata_has_event(const struct metadata *metadata, uint32_t stream_id, uint32_t id);

/* Grows with each change. */
uint64_t metadata_generation(const struct metadata *metadata);

/* The text of now, to be freed by the caller; *size without the NUL at its end. */
int metadata_text(const struct metadata *metadata, char **text, size_t *size);
/* The same as a memfd, sealed against any change, offset 0; the caller's. */
int metadata_memfd(const struct metadata *metadata, int *fd);

/* How much of it somebody has. All zeros: nothing. */
struct metadata_sent {
	uint64_t head; /* the state of all but the events */
	size_t events;
	uint64_t size; /* bytes of text */
};

/*
 * A memfd with the metadata that `sent` lacks; `sent` is updated. *offset: where in the text it
 * begins, 0 if all of it is sent anew. 0 or -errno.
 */
int metadata_segment(const struct metadata *metadata, struct metadata_sent *sent, uint64_t *offset,
		     int *fd);

#endif /* SESSIOND_CLASS_METADATA_H */
