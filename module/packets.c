// SPDX-License-Identifier: GPL-2.0
// SPDX-FileCopyrightText: 2026 The lttngmap authors
/* packets.c - packets of a ring set, given to the one reader that it has. */
#include "module/set.h"

#include <linux/sched.h>

bool packets_wait(struct lttngmap_set *set)
{
	if (set_held(set) > set->given)
		return true;
	for (uint32_t i = 0; i < set->rings; i++) {
		struct ring_reader *reader = &set->readers[i];

		if (reader->is_corrupt)
			continue;
		memory_look(set, i);
		if (ring_reader_has_packet(reader))
			return true;
		if (reader->is_corrupt)
			set_close_ring(set, i);
		cond_resched();
	}
	return false;
}

/* Killed in between by a panic, all of it is undone, but for the last step. */
void packets_release(struct lttngmap_set *set)
{
	struct lttngmap_held *first = &set->held[set->state.from];
	struct ring_reader *reader = &set->readers[first->packet.cpu];

	set->before = set->state;
	ring_undo_begin(&set->undo, reader);
	ring_reader_release(reader, &first->lease);
	if (first->overrun)
		/* The ring's next packet tells of them, as of all that were overwritten. */
		reader->account.overwritten += first->packet.events;
	else
		set->state.delivered += first->packet.events;
	set->state.from++;
	ring_undo_end(&set->undo);
	ring_reader_free(reader, &first->lease);
}

static void place_packet(const struct lttngmap_set *set, uint32_t ring,
			 struct lttngmap_packet *packet)
{
	packet->cpu = ring;
	packet->subbuf_id += ring * ((1u << set->info.subbufs_shift) + 1);
	packet->pid = set->info.pid;
	packet->uid = set->info.uid;
	packet->chunk = set->state.chunk;
	packet->metadata_generation = set->generation;
	if (!(set->info.flags & LTTNGMAP_SET_BY_RSEQ) || ring >= set->info.cpu_rings)
		packet->flags |= LTTNGMAP_PACKET_ANY_CPU;
}

/* From one ring, behind those that are held. False: there is none. */
static bool take(struct lttngmap_set *set, uint32_t ring, bool partial)
{
	struct ring_reader *reader = &set->readers[ring];
	struct lttngmap_held *held;
	int result;

	if (reader->is_corrupt)
		return false;
	memory_look(set, ring);
	if (set_held(set) == 0)
		set->state.from = set->state.to = 0;
	set->before = set->state;
	held = &set->held[set->state.to];
	held->overrun = false;
	if (set_held(set) == 0)
		result = ring_reader_take(reader, partial, &held->packet, &held->lease);
	else
		result = ring_reader_take_more(reader, &held->packet, &held->lease);
	if (reader->is_corrupt)
		set_close_ring(set, ring);
	if (result == 0) {
		place_packet(set, ring, &held->packet);
		set->state.to++;
	}
	ring_undo_end(&set->undo);
	return result == 0;
}

/* The first packet of those to be given: 0 or -EAGAIN. */
static int take_first(struct lttngmap_set *set, uint32_t cpu, bool partial)
{
	for (; set->given > 0; set->given--)
		packets_release(set);
	if (set_held(set) > 0)
		return 0;
	set_pass_rotation(set);
	if (cpu != LTTNGMAP_CPU_ANY)
		return take(set, cpu, partial) ? 0 : -EAGAIN;
	for (uint32_t i = 0; i < set->rings; i++) {
		uint32_t ring = (set->turn + i) % set->rings;

		if (!set_is_beyond(set, ring) && take(set, ring, partial)) {
			set->turn = ring + 1;
			return 0;
		}
		cond_resched();
	}
	return -EAGAIN;
}

/* Writers go without those that stay in the rotation: no more than a quarter of it. */
static uint32_t give(struct lttngmap_set *set, struct lttngmap_packet *packets, uint32_t most)
{
	uint32_t quarter = (1u << set->info.subbufs_shift) / 4;
	const struct lttngmap_held *first = &set->held[set->state.from];
	uint32_t count;

	while (set_held(set) < most && set_held(set) < quarter &&
	       set->state.to < LTTNGMAP_PACKETS_MAX)
		if (set_is_beyond(set, first->packet.cpu) || !take(set, first->packet.cpu, false))
			break;
	count = min(set_held(set), most);
	for (uint32_t i = 0; i < count; i++)
		packets[i] = first[i].packet;
	return count;
}

/* The process can write there, too: nothing is ever read from it. */
static void update_meta(struct lttngmap_set *set)
{
	struct trace_buffer_meta *meta = &memory_meta(set)->meta;
	struct ring_account sum = set_sum(set);

	meta->entries = sum.written - sum.overwritten;
	meta->overrun = sum.overwritten + sum.discarded;
	meta->read = set->state.delivered - set->state.delivered_cleared;
}

static int get_packets(struct lttngmap_set *set, struct lttngmap_packet *packets, uint32_t most,
		       uint32_t *count)
{
	int result;

	set_follow(set);
	set->taken_away = false;
	set_tell_awake(set, packets->flags & LTTNGMAP_PACKET_AWAKE);
	result = take_first(set, packets->cpu, packets->flags & LTTNGMAP_PACKET_PARTIAL);
	if (result == 0)
		set->given = *count = give(set, packets, most);
	else if (set->finished && !packets_wait(set))
		result = -ENODATA;
	update_meta(set);
	return result;
}

static int look_back(struct lttngmap_set *set, struct lttngmap_packet *packet)
{
	uint32_t cpu = packet->cpu;
	struct ring_reader *reader = &set->readers[cpu];
	int result = -EAGAIN;

	if (set->back_cpu != cpu)
		set->back = (struct ring_back){ .begun = false };
	set->back_cpu = cpu;
	memory_look(set, cpu);
	if (!reader->is_corrupt) {
		result = ring_back_take(&set->back, reader, packet, &set->back_lease);
		if (reader->is_corrupt)
			set_close_ring(set, cpu);
	}
	set->back_used = true;
	set->back_holds = result == 0;
	if (result == 0)
		place_packet(set, cpu, packet);
	else
		set->back = (struct ring_back){ .begun = false };
	return result == 0 ? 0 : -EAGAIN;
}

int set_get_packets(struct lttngmap_set *set, struct lttngmap_packet *packets, uint32_t most,
		    uint32_t *count)
{
	bool backward = packets->flags & LTTNGMAP_PACKET_BACKWARD;
	int result;

	if (packets->cpu >= set->rings && (backward || packets->cpu != LTTNGMAP_CPU_ANY))
		return -EINVAL;
	*count = 1;
	mutex_lock(&set->lock);
	if (set->removed)
		result = -ENODATA;
	else if (backward)
		result = look_back(set, packets);
	else
		result = get_packets(set, packets, most, count);
	if (!backward)
		set->back_holds = false;
	mutex_unlock(&set->lock);
	return result;
}

int set_check_packet(struct lttngmap_set *set)
{
	struct lttngmap_held *first = &set->held[set->state.from];
	int result = 0;

	mutex_lock(&set->lock);
	if (set->back_holds) {
		if (!ring_reader_is_intact(&set->readers[set->back_cpu], &set->back_lease))
			result = -ESTALE;
	} else if (set->given == 0) {
		result = set->taken_away ? -ESTALE : -EINVAL;
	} else if (first->overrun ||
		   !ring_reader_is_intact(&set->readers[first->packet.cpu], &first->lease)) {
		first->overrun = true;
		result = -ESTALE;
	}
	mutex_unlock(&set->lock);
	return result;
}

int set_get_reader(struct lttngmap_set *set)
{
	struct lttngmap_packet packet = {
		.cpu = LTTNGMAP_CPU_ANY,
		.flags = LTTNGMAP_PACKET_PARTIAL,
	};
	struct lttngmap_meta *meta;
	uint32_t count;
	struct ring_account before, now;
	int result;

	mutex_lock(&set->lock);
	meta = memory_meta(set);
	before = set_sum(set);
	result = set->removed ? -ENODATA : get_packets(set, &packet, 1, &count);
	if (result == 0) {
		meta->meta.reader.id = packet.subbuf_id;
		meta->meta.reader.read = packet.offset + packet.length;
		meta->reader_begin = packet.offset;
		now = set_sum(set);
		meta->meta.reader.lost_events =
			now.discarded - before.discarded + now.overwritten - before.overwritten;
	}
	mutex_unlock(&set->lock);
	if (result == -EAGAIN)
		return 0;
	return result < 0 ? result : 1;
}
