// SPDX-License-Identifier: GPL-2.0
// SPDX-FileCopyrightText: 2026 The lttngmap authors
/* set.c - making a ring set, and reading its rings for the one reader that it has. */
#include "module/set.h"

#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

/* CPUs of a set: what a machine can have. */
#define CPU_RINGS_MAX 8192

/* ---- making --------------------------------------------------------------------------- */

/* One component of a path. */
static bool is_name(const char *name, size_t size)
{
	size_t length = strnlen(name, size);

	return length > 0 && length < size && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       !memchr(name, '/', length);
}

static bool is_valid(const struct lttngmap_set_info *info)
{
	return is_name(info->session, sizeof(info->session)) &&
	       is_name(info->channel, sizeof(info->channel)) &&
	       is_name(info->procname, sizeof(info->procname)) && info->cpu_rings > 0 &&
	       info->cpu_rings <= CPU_RINGS_MAX && info->mode <= LTTNGMAP_MODE_BLOCKING &&
	       info->clock <= LTTNGMAP_CLOCK_MONOTONIC &&
	       info->subbuf_shift >= LTTNGMAP_SUBBUF_SHIFT_MIN &&
	       info->subbuf_shift >= PAGE_SHIFT &&
	       info->subbuf_shift <= LTTNGMAP_SUBBUF_SHIFT_MAX &&
	       info->subbufs_shift >= LTTNGMAP_SUBBUFS_SHIFT_MIN &&
	       info->subbufs_shift <= LTTNGMAP_SUBBUFS_SHIFT_MAX &&
	       !(info->flags & ~LTTNGMAP_SET_BY_RSEQ);
}

static void fill(struct lttngmap_set *set, const struct lttngmap_set_info *info)
{
	uint64_t subbufs = 1ULL << info->subbufs_shift, pages;

	kref_init(&set->references);
	mutex_init(&set->lock);
	init_waitqueue_head(&set->wait);
	set->info = *info;
	set->rings = info->cpu_rings + LTTNGMAP_EXTRA_RINGS;
	set->stride = lttngmap_ring_stride(subbufs);
	set->data_size = PAGE_SIZE + set->rings * ((subbufs + 1) << info->subbuf_shift);
	set->unit_pages = DIV_ROUND_UP(set->stride, PAGE_SIZE);
	pages = DIV_ROUND_UP(set->rings * set->stride, PAGE_SIZE);
	set->units_count = DIV_ROUND_UP(pages, set->unit_pages);
	set->geometry = (struct ring_geometry){
		.mode = info->mode,
		.clock = info->clock,
		.subbuf_shift = info->subbuf_shift,
		.subbufs_shift = info->subbufs_shift,
		.begin = info->begin,
	};
	for (uint32_t i = 0; i < set->rings; i++)
		ring_reader_init(&set->readers[i], &set->geometry, memory_zeros(), NULL);
	/* A process counts there, too, how many events it lost before. */
	set->readers[0].lost_before_most = RING_LOST_BEFORE_MAX;
}

struct lttngmap_set *set_make(const struct lttngmap_set_info *info)
{
	struct lttngmap_set *set;
	int error;

	if (!is_valid(info))
		return ERR_PTR(-EINVAL);
	set = kvzalloc(struct_size(set, readers, info->cpu_rings + LTTNGMAP_EXTRA_RINGS),
		       GFP_KERNEL_ACCOUNT);
	if (!set)
		return ERR_PTR(-ENOMEM);
	fill(set, info);
	set->owner = make_kuid(current_user_ns(), info->owner);
	error = uid_valid(set->owner) ? memory_take(set) : -EINVAL;
	if (error == 0)
		return set;
	set_put(set);
	return ERR_PTR(error);
}

static void set_free(struct kref *references)
{
	struct lttngmap_set *set = container_of(references, struct lttngmap_set, references);

	memory_drop(set);
	kvfree(set);
}

void set_put(struct lttngmap_set *set)
{
	kref_put(&set->references, set_free);
}

/* ---- rings ------------------------------------------------------------------------------ */

static void close_ring(struct lttngmap_set *set, uint32_t ring)
{
	set->closed++;
	pr_notice_ratelimited("lttngmap: ring %u of %s (process %u) was closed: %s\n", ring,
			      set->info.procname, set->info.pid, set->readers[ring].is_corrupt);
}

/* Calls `what` for each ring that is good, as it is now. */
static void for_each_ring(struct lttngmap_set *set, void (*what)(struct ring_reader *reader))
{
	for (uint32_t i = 0; i < set->rings; i++) {
		struct ring_reader *reader = &set->readers[i];

		if (reader->is_corrupt)
			continue;
		memory_look(set, i);
		what(reader);
		if (reader->is_corrupt)
			close_ring(set, i);
		cond_resched();
	}
}

static void finish(struct lttngmap_set *set)
{
	if (set->finished)
		return;
	for_each_ring(set, ring_reader_freeze);
	set->finished = true;
}

/* Brings the set up to what its process did. */
static void follow(struct lttngmap_set *set)
{
	if (READ_ONCE(set->ended))
		finish(set);
}

static bool has_packet(struct lttngmap_set *set)
{
	if (set->held_count > set->given)
		return true;
	for (uint32_t i = 0; i < set->rings; i++) {
		struct ring_reader *reader = &set->readers[i];

		if (reader->is_corrupt)
			continue;
		memory_look(set, i);
		if (ring_reader_has_packet(reader))
			return true;
		if (reader->is_corrupt)
			close_ring(set, i);
		cond_resched();
	}
	return false;
}

static bool is_touched(struct lttngmap_set *set)
{
	for (uint32_t i = 0; i < set->rings; i++) {
		memory_look(set, i);
		if (ring_reader_is_touched(&set->readers[i]))
			return true;
	}
	return false;
}

/* Tells writers whether the reader looks by itself; pairs with ring_switch_tell(). */
static void set_awake(struct lttngmap_set *set, bool awake)
{
	struct lttngmap_ring *first = set->readers[0].ring;

	if (set->awake == awake || !memory_is_mapped(set, 0))
		return;
	set->awake = awake;
	WRITE_ONCE(first->awake, awake);
	smp_mb();
}

/* ---- packets ------------------------------------------------------------------------------ */

static void release_first(struct lttngmap_set *set)
{
	struct held *first = &set->held[0];
	struct ring_reader *reader = &set->readers[first->packet.cpu];

	ring_reader_release(reader, &first->lease);
	ring_reader_free(reader, &first->lease);
	if (first->overrun)
		/* The ring's next packet tells of them, as of all that were overwritten. */
		reader->account.overwritten += first->packet.events;
	else
		set->delivered += first->packet.events;
	set->held_count--;
	memmove(first, first + 1, set->held_count * sizeof(*first));
}

static void place_packet(const struct lttngmap_set *set, uint32_t ring,
			 struct lttngmap_packet *packet)
{
	packet->cpu = ring;
	packet->subbuf_id += ring * ((1u << set->info.subbufs_shift) + 1);
	packet->pid = set->info.pid;
	packet->uid = set->info.uid;
	if (!(set->info.flags & LTTNGMAP_SET_BY_RSEQ) || ring >= set->info.cpu_rings)
		packet->flags |= LTTNGMAP_PACKET_ANY_CPU;
}

/* From one ring, behind those that are held. False: there is none. */
static bool take(struct lttngmap_set *set, uint32_t ring, bool partial)
{
	struct ring_reader *reader = &set->readers[ring];
	struct held *held = &set->held[set->held_count];
	int result;

	if (reader->is_corrupt)
		return false;
	memory_look(set, ring);
	held->overrun = false;
	if (set->held_count == 0)
		result = ring_reader_take(reader, partial, &held->packet, &held->lease);
	else
		result = ring_reader_take_more(reader, &held->packet, &held->lease);
	if (reader->is_corrupt)
		close_ring(set, ring);
	if (result != 0)
		return false;
	place_packet(set, ring, &held->packet);
	set->held_count++;
	return true;
}

/* The first packet of those to be given: 0 or -EAGAIN. */
static int take_first(struct lttngmap_set *set, uint32_t cpu, bool partial)
{
	for (; set->given > 0; set->given--)
		release_first(set);
	if (set->held_count > 0)
		return 0;
	if (cpu != LTTNGMAP_CPU_ANY)
		return take(set, cpu, partial) ? 0 : -EAGAIN;
	for (uint32_t i = 0; i < set->rings; i++) {
		uint32_t ring = (set->turn + i) % set->rings;

		if (take(set, ring, partial)) {
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
	uint32_t count;

	while (set->held_count < most && set->held_count < quarter &&
	       set->held_count < LTTNGMAP_PACKETS_MAX)
		if (!take(set, set->held[0].packet.cpu, false))
			break;
	count = min(set->held_count, most);
	for (uint32_t i = 0; i < count; i++)
		packets[i] = set->held[i].packet;
	return count;
}

static struct ring_account sum_of(const struct lttngmap_set *set)
{
	struct ring_account sum = { 0 };

	for (uint32_t i = 0; i < set->rings; i++) {
		sum.written += set->readers[i].account.written;
		sum.discarded += set->readers[i].account.discarded;
		sum.overwritten += set->readers[i].account.overwritten;
	}
	return sum;
}

/* The process can write there, too: nothing is ever read from it. */
static void update_meta(struct lttngmap_set *set)
{
	struct trace_buffer_meta *meta = &memory_meta(set)->meta;
	struct ring_account sum = sum_of(set);

	meta->entries = sum.written - sum.overwritten;
	meta->overrun = sum.overwritten + sum.discarded;
	meta->read = set->delivered;
}

static int get_packets(struct lttngmap_set *set, struct lttngmap_packet *packets, uint32_t most,
		       uint32_t *count)
{
	int result;

	follow(set);
	set_awake(set, packets->flags & LTTNGMAP_PACKET_AWAKE);
	result = take_first(set, packets->cpu, packets->flags & LTTNGMAP_PACKET_PARTIAL);
	if (result == 0)
		set->given = *count = give(set, packets, most);
	else if (set->finished && !has_packet(set))
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
			close_ring(set, cpu);
	}
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
	struct held *first = &set->held[0];
	int result = 0;

	mutex_lock(&set->lock);
	if (set->back_holds) {
		if (!ring_reader_is_intact(&set->readers[set->back_cpu], &set->back_lease))
			result = -ESTALE;
	} else if (set->given == 0) {
		result = -EINVAL;
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
	before = sum_of(set);
	result = set->removed ? -ENODATA : get_packets(set, &packet, 1, &count);
	if (result == 0) {
		meta->meta.reader.id = packet.subbuf_id;
		meta->meta.reader.read = packet.offset + packet.length;
		meta->reader_begin = packet.offset;
		now = sum_of(set);
		meta->meta.reader.lost_events =
			now.discarded - before.discarded + now.overwritten - before.overwritten;
	}
	mutex_unlock(&set->lock);
	if (result == -EAGAIN)
		return 0;
	return result < 0 ? result : 1;
}

/* ---- the reader, and the set's state ---------------------------------------------------- */

int set_open(struct lttngmap_set *set)
{
	int result;

	mutex_lock(&set->lock);
	if (set->removed)
		result = -ENODATA;
	else if (set->has_reader)
		result = -EBUSY;
	else
		result = memory_make_meta(set);
	if (result == 0)
		set->has_reader = true;
	mutex_unlock(&set->lock);
	return result;
}

void set_close(struct lttngmap_set *set)
{
	mutex_lock(&set->lock);
	set_awake(set, false);
	set->back = (struct ring_back){ .begun = false };
	set->back_holds = false;
	set->given = 0;
	set->has_reader = false;
	mutex_unlock(&set->lock);
}

__poll_t set_poll(struct lttngmap_set *set)
{
	__poll_t events = 0;

	mutex_lock(&set->lock);
	follow(set);
	if (set->removed)
		events = EPOLLHUP;
	else if (has_packet(set))
		events = EPOLLIN | EPOLLRDNORM;
	else if (set->finished)
		events = EPOLLHUP;
	mutex_unlock(&set->lock);
	return events;
}

void set_update(struct lttngmap_set *set, bool show)
{
	mutex_lock(&set->lock);
	follow(set);
	if (show && !set->removed && !set->file && is_touched(set))
		file_show(set);
	mutex_unlock(&set->lock);
	atomic_inc(&set->bells);
	wake_up_all(&set->wait);
}

void set_freeze(struct lttngmap_set *set, bool frozen)
{
	mutex_lock(&set->lock);
	if (!set->finished)
		for_each_ring(set, frozen ? ring_reader_freeze : ring_reader_thaw);
	set->frozen = frozen;
	mutex_unlock(&set->lock);
	set_update(set, frozen);
}

void set_finish(struct lttngmap_set *set)
{
	mutex_lock(&set->lock);
	finish(set);
	mutex_unlock(&set->lock);
	set_update(set, true);
}

void set_flush(struct lttngmap_set *set)
{
	mutex_lock(&set->lock);
	for_each_ring(set, ring_reader_mark);
	mutex_unlock(&set->lock);
	set_update(set, true);
}

static void look(struct ring_reader *reader)
{
	struct ring_commit commit;

	ring_reader_look(reader, &commit);
}

void set_count(struct lttngmap_set *set, struct lttngmap_set_counts *counts)
{
	uint64_t id = counts->id;
	struct ring_account sum;

	*counts = (struct lttngmap_set_counts){ .id = id };
	mutex_lock(&set->lock);
	follow(set);
	for_each_ring(set, look);
	sum = sum_of(set);
	counts->written = sum.written;
	counts->discarded = sum.discarded;
	counts->overwritten = sum.overwritten;
	counts->delivered = set->delivered;
	counts->closed_rings = set->closed;
	if (set->finished)
		counts->flags |= LTTNGMAP_SET_FINISHED;
	if (set->has_reader)
		counts->flags |= LTTNGMAP_SET_IS_READ;
	if ((set->finished || set->frozen) && set->held_count == 0 && !has_packet(set))
		counts->flags |= LTTNGMAP_SET_DRAINED;
	mutex_unlock(&set->lock);
}
