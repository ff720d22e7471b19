/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/ring/ring-set-private.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/map-guard.h"
#include "common/record/record-layout.h"
#include "sessiond/base/messages.h"

/* ---- totals, and rings that were closed ------------------------------------- */

static void add(uint64_t *total, uint64_t *told, uint64_t now)
{
	ring_total_add(total, now - *told);
	*told = now;
}

/* Bring the session's totals up to what the rings' accounts say. */
void ring_set_tell_totals(struct ring_set *set)
{
	struct ring_totals *totals = set->config.totals;
	struct ring_account sum = { 0 }, claims = { 0 }, *told_claims = &set->saved->claims;

	if (!totals)
		return;
	for (uint32_t i = 0; i < set->rings; i++) {
		struct ring_account more = ring_reader_claims(&set->readers[i]);

		ring_account_add(&sum, &set->readers[i].account);
		ring_account_add(&claims, &more);
	}
	add(&totals->written, &set->told->written, sum.written);
	add(&totals->discarded, &set->told->discarded, sum.discarded);
	add(&totals->overwritten, &set->told->overwritten, sum.overwritten);
	add(&totals->cut, &set->told->cut, sum.cut);
	/* The counts, which have them, are there before. */
	add(&totals->claims.written, &told_claims->written, claims.written);
	add(&totals->claims.discarded, &told_claims->discarded, claims.discarded);
	add(&totals->claims.overwritten, &told_claims->overwritten, claims.overwritten);
}

void ring_set_close_ring(struct ring_set *set, uint32_t ring)
{
	if (set->config.totals) {
		ring_total_add(&set->config.totals->closed_rings, 1);
		ring_totals_name(set->config.totals, set->config.pid, set->procname);
	}
	set->saved->closed++;
	message_say("ring %u of %s (process %u, channel %s) was closed: %s. The process "
		    "damaged its own trace; others are not affected.",
		    ring, set->procname, set->config.pid, set->channel,
		    set->readers[ring].is_corrupt);
}

/* ---- the meta page ----------------------------------------------------------- */

/* Made when a reader comes, for a page that nobody looks at costs memory. */
static int map_meta(struct ring_set *set)
{
	struct lttngmap_meta *meta;

	if (set->meta)
		return 0;
	meta = mmap(NULL, set->config.meta_page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		    set->config.data_fd, 0);
	if (meta == MAP_FAILED)
		return -errno;
	if (set->config.can_shrink && map_guard_add(meta, set->config.meta_page_size) != 0) {
		munmap(meta, set->config.meta_page_size);
		return -ENOSPC;
	}
	*meta = (struct lttngmap_meta){
		.meta = {
			.meta_page_size = set->config.meta_page_size,
			.meta_struct_len = sizeof(*meta),
			.subbuf_size = 1u << set->config.subbuf_shift,
			.nr_subbufs = set->rings * ((1u << set->config.subbufs_shift) + 1),
		},
		.magic = LTTNGMAP_META_MAGIC,
		.major = LTTNGMAP_ABI_MAJOR,
		.minor = LTTNGMAP_ABI_MINOR,
		.rings = set->rings,
		.subbufs_per_ring = (1u << set->config.subbufs_shift) + 1,
		.pid = set->config.pid,
		.uid = set->config.uid,
		.clock = set->config.clock,
	};
	memcpy(meta->procname, set->procname, sizeof(meta->procname));
	set->meta = meta;
	return 0;
}

static void update_meta(struct ring_set *set)
{
	struct trace_buffer_meta *meta = &set->meta->meta;

	meta->entries = set->told->written - set->told->overwritten;
	meta->overrun = set->told->overwritten + set->told->discarded;
	meta->read = set->in_flight->delivered;
}

/* ---- readers ------------------------------------------------------------------ */

int ring_set_open_reader(struct ring_set *set)
{
	int result;

	pthread_mutex_lock(&set->mutex);
	result = set->has_reader ? -EBUSY : map_meta(set);
	if (result == 0)
		set->has_reader = true;
	pthread_mutex_unlock(&set->mutex);
	return result;
}

uint32_t ring_set_backward_passes(struct ring_set *set)
{
	uint32_t looks;

	if (ring_set_is_module(set))
		return ring_set_module_backward_passes(set);
	pthread_mutex_lock(&set->mutex);
	looks = set->backward_passes;
	pthread_mutex_unlock(&set->mutex);
	return looks;
}

/*
 * Does the reader look by itself? Where it does so no longer, the caller looks at the rings after
 * this: pairs with ring_switch_tell(). `saved` knows of the word before it is set, and until it is
 * cleared: a restarted daemon clears it.
 */
void ring_set_set_awake(struct ring_set *set, bool awake)
{
	if (set->saved->awake == awake)
		return;
	if (awake)
		__atomic_store_n(&set->saved->awake, true, __ATOMIC_RELEASE);
	__atomic_store_n(&set->config.rings->awake, awake, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!awake)
		__atomic_store_n(&set->saved->awake, false, __ATOMIC_RELEASE);
}

bool ring_set_is_awake(struct ring_set *set)
{
	bool awake;

	pthread_mutex_lock(&set->mutex);
	awake = set->saved->awake;
	pthread_mutex_unlock(&set->mutex);
	return awake;
}

void ring_set_close_reader(struct ring_set *set)
{
	pthread_mutex_lock(&set->mutex);
	ring_set_set_awake(set, false);
	set->backward_passes += set->back.used;
	set->back = (struct backward_reader){ .used = false };
	set->has_reader = false;
	set->is_taken_away = false;
	set->given = 0;
	pthread_mutex_unlock(&set->mutex);
}

/* Done again by the restarted daemon where this one is killed in between. */
void ring_set_begin_chunk(struct ring_set *set)
{
	for (uint32_t i = 0; i < set->rings; i++)
		ring_reader_begin_chunk(&set->readers[i]);
	set->saved->chunk = set->saved->next_chunk;
	__atomic_store_n(&set->saved->rotating, false, __ATOMIC_RELEASE);
}

/* The next chunk begins when all rings are past their marks. */
void ring_set_pass_rotation(struct ring_set *set)
{
	if (!set->saved->rotating || set->in_flight->holds)
		return;
	for (uint32_t i = 0; i < set->rings; i++)
		if (!ring_reader_has_passed(&set->readers[i]))
			return;
	ring_set_begin_chunk(set);
}

/*
 * Releases the packet that this reader has. Then takes the next one: first a packet of an earlier
 * reader, then of ring `cpu`. LTTNGMAP_CPU_ANY: the rings take turns.
 */
static int take_next(struct ring_set *set, uint32_t cpu, bool partial)
{
	ring_set_release(set);
	if (set->in_flight->holds)
		return 0;
	ring_set_pass_rotation(set);
	if (cpu != LTTNGMAP_CPU_ANY)
		return ring_set_take_from(set, cpu, partial);
	for (uint32_t i = 0; i < set->rings; i++) {
		uint32_t ring = (set->turn + i) % set->rings;

		/* Packets beyond the mark belong to the next chunk. */
		if (set->saved->rotating && ring_reader_has_passed(&set->readers[ring]))
			continue;
		if (ring_set_take_from(set, ring, partial) == 0) {
			set->turn = ring + 1;
			return 0;
		}
	}
	return -EAGAIN;
}

bool ring_set_has_packet(struct ring_set *set)
{
	if (in_flight_count(set->in_flight) > set->given)
		return true;
	for (uint32_t i = 0; i < set->rings; i++) {
		bool was_good = !set->readers[i].is_corrupt;

		if (ring_reader_has_packet(&set->readers[i]))
			return true;
		if (was_good && set->readers[i].is_corrupt)
			ring_set_close_ring(set, i);
	}
	return false;
}

/*
 * Closes the ring if its process truncated the ring's file. Packets in flight are then lost as if
 * they had been overwritten. The mutex is held.
 */
void ring_set_check_memory(struct ring_set *set)
{
	struct stat status;

	if (!set->config.can_shrink || set->shrunk ||
	    (fstat(set->config.data_fd, &status) == 0 &&
	     (uint64_t)status.st_size >= set->data_size))
		return;
	set->shrunk = true;
	while (set->in_flight->holds) {
		set->in_flight->overrun = true;
		ring_set_release_current(set);
	}
	set->given = 0;
	for (uint32_t i = 0; i < set->rings; i++) {
		if (set->readers[i].is_corrupt)
			continue;
		ring_reader_mark_corrupt(&set->readers[i], "the file of its memory was cut short");
		ring_set_close_ring(set, i);
	}
	ring_set_tell_totals(set);
}

/* Are its records there, as the packet says? Asked where they come from a disk. */
static bool is_sound(struct ring_set *set, const struct lttngmap_packet *packet)
{
	uint64_t offset = set->config.meta_page_size +
			  ((uint64_t)packet->subbuf_id << set->config.subbuf_shift) +
			  packet->offset;
	struct record_span extent = {
		.length = packet->length,
		.begin = packet->timestamp_begin,
		.end = packet->timestamp_end,
		.events = packet->events,
	};
	struct record_fault fault = { .wrong = RECORD_TORN };
	char text[RECORD_FAULT_TEXT_SIZE];
	bool sound = false;
	char *bytes;

	if (!set->config.layout || packet->length == 0)
		return true;
	extent.bytes = bytes = malloc(packet->length);
	if (bytes && pread(set->config.data_fd, bytes, packet->length, (off_t)offset) ==
			     (ssize_t)packet->length)
		sound = record_layout_check(set->config.layout, 0, &extent, &fault);
	free(bytes);
	if (!sound && !set->said_unsound)
		message_say(
			"%s (process %u, channel %s): packet %llu: %s: not all of its rings "
			"had reached the disk, or the saved state is damaged; what is missing is "
			"counted as overwritten",
			set->procname, set->config.pid, set->channel,
			(unsigned long long)packet->sequence, record_fault_text(&fault, text));
	set->said_unsound |= !sound;
	return sound;
}

/*
 * Like take_next(), but skips packets that are to be left out, also one that is given again: its
 * reader may have written it to a disk already.
 */
static int take_sound(struct ring_set *set, uint32_t cpu, bool partial)
{
	int result = take_next(set, cpu, partial);

	while (result == 0 && !is_sound(set, &set->in_flight->current)) {
		set->in_flight->overrun = true;
		set->given = 1;
		result = take_next(set, cpu, partial);
	}
	return result;
}

/* True if the next request may come later: nothing is full, and nobody waits for a release. */
static bool is_emptied(struct ring_set *set)
{
	bool is_awaited = set->saved->rotating;

	for (uint32_t i = 0; !is_awaited && i < set->rings; i++)
		is_awaited = set->readers[i].frozen;
	return !is_awaited && !ring_set_has_packet(set);
}

/* Up to `most`, which begin with packets[0], the request; how many in *count. The mutex is held. */
static int get_packets(struct ring_set *set, struct lttngmap_packet *packets, uint32_t most,
		       uint32_t *count)
{
	int result;

	ring_set_check_memory(set);
	set->is_taken_away = false;
	ring_set_set_awake(set, packets->flags & LTTNGMAP_PACKET_AWAKE);
	result = take_sound(set, packets->cpu, packets->flags & LTTNGMAP_PACKET_PARTIAL);
	if (result == 0)
		set->given = *count = ring_set_give(set, packets, most);
	if (result == 0 && is_emptied(set))
		packets[*count - 1].flags |= LTTNGMAP_PACKET_LAST;
	ring_set_tell_totals(set);
	if (result != 0 && set->finished && !ring_set_has_packet(set))
		result = -ENODATA;
	if (set->meta)
		update_meta(set);
	return result;
}

/* The mutex is held. */
static int look_back(struct ring_set *set, struct lttngmap_packet *packet)
{
	struct backward_reader *back = &set->back;
	uint32_t cpu = packet->cpu;
	struct ring_reader *reader = &set->readers[cpu];
	bool was_good = !reader->is_corrupt;
	int result = -EAGAIN;

	if (back->cpu != cpu)
		*back = (struct backward_reader){ .cpu = cpu };
	if (was_good)
		result = ring_back_take(&back->at, reader, packet, &back->lease);
	if (was_good && reader->is_corrupt)
		ring_set_close_ring(set, cpu);
	ring_set_tell_totals(set);
	back->used = true;
	back->holds = result == 0;
	if (result < 0) {
		back->at = (struct ring_back){ .begun = false };
		return -EAGAIN;
	}
	ring_set_place_packet(set, cpu, packet);
	if (!is_sound(set, packet)) {
		back->holds = false;
		back->at = (struct ring_back){ .begun = false };
		return -EAGAIN;
	}
	packet->pid = set->config.pid;
	packet->uid = ring_set_user_of(set, cpu, back->lease.seq, packet);
	if (set->config.totals)
		packet->metadata_generation =
			__atomic_load_n(&set->config.totals->metadata_generation, __ATOMIC_ACQUIRE);
	return 0;
}

/* Like get_packets(). */
static int serve(struct ring_set *set, struct lttngmap_packet *packets, uint32_t most,
		 uint32_t *count)
{
	bool backward = packets->flags & LTTNGMAP_PACKET_BACKWARD;
	int result;

	if (backward && packets->cpu == LTTNGMAP_CPU_ANY)
		return -EINVAL;
	if (packets->cpu != LTTNGMAP_CPU_ANY && packets->cpu >= set->rings)
		return -EINVAL;
	*count = 1;
	pthread_mutex_lock(&set->mutex);
	result = backward ? look_back(set, packets) : get_packets(set, packets, most, count);
	if (!backward)
		set->back.holds = false;
	pthread_mutex_unlock(&set->mutex);
	return result;
}

int ring_set_get_packet(struct ring_set *set, struct lttngmap_packet *packet)
{
	uint32_t count;

	return serve(set, packet, 1, &count);
}

int ring_set_get_packets(struct ring_set *set, struct lttngmap_packets *packets)
{
	if (packets->count < 1 || packets->count > LTTNGMAP_PACKETS_MAX)
		return -EINVAL;
	return serve(set, packets->packets, packets->count, &packets->count);
}

int ring_set_check_packet(struct ring_set *set)
{
	int result = 0;

	pthread_mutex_lock(&set->mutex);
	if (set->back.holds) {
		if (!ring_reader_is_intact(&set->readers[set->back.cpu], &set->back.lease))
			result = -ESTALE;
	} else if (!set->in_flight->holds) {
		result = set->is_taken_away ? -ESTALE : -EINVAL;
	} else if (set->in_flight->overrun ||
		   !ring_reader_is_intact(&set->readers[set->in_flight->current.cpu],
					  &set->in_flight->lease)) {
		set->in_flight->overrun = true;
		result = -ESTALE;
	}
	pthread_mutex_unlock(&set->mutex);
	return result;
}

int ring_set_get_reader(struct ring_set *set)
{
	struct lttngmap_packet packet = {
		.cpu = LTTNGMAP_CPU_ANY,
		.flags = LTTNGMAP_PACKET_PARTIAL,
	};
	uint32_t count;
	uint64_t lost;
	int result;

	pthread_mutex_lock(&set->mutex);
	lost = set->told->overwritten + set->told->discarded;
	result = get_packets(set, &packet, 1, &count);
	if (result == 0 && set->meta) {
		struct trace_buffer_meta *meta = &set->meta->meta;

		meta->reader.id = packet.subbuf_id;
		meta->reader.read = packet.offset + packet.length;
		set->meta->reader_begin = packet.offset;
		meta->reader.lost_events = set->told->overwritten + set->told->discarded - lost;
	}
	pthread_mutex_unlock(&set->mutex);
	if (result == -EAGAIN)
		return 0;
	return result < 0 ? result : 1;
}

unsigned ring_set_poll(struct ring_set *set)
{
	unsigned events = 0;

	if (ring_set_is_module(set))
		return ring_set_module_poll(set);
	pthread_mutex_lock(&set->mutex);
	if (ring_set_has_packet(set))
		events = POLLIN;
	else if (set->finished)
		events = POLLHUP;
	ring_set_tell_totals(set);
	pthread_mutex_unlock(&set->mutex);
	return events;
}

bool ring_set_is_urgent(struct ring_set *set)
{
	uint32_t enough = (1u << set->config.subbufs_shift) / 4;
	bool urgent = false;

	pthread_mutex_lock(&set->mutex);
	for (uint32_t i = 0; !urgent && i < set->rings; i++)
		urgent = set->readers[i].frozen || ring_reader_waiting(&set->readers[i]) > enough;
	pthread_mutex_unlock(&set->mutex);
	return urgent;
}

uint32_t ring_set_touched(struct ring_set *set)
{
	uint32_t touched = 0;

	for (uint32_t i = 0; i < set->rings; i++)
		touched += ring_reader_is_touched(&set->readers[i]);
	return touched;
}
