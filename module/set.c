// SPDX-License-Identifier: GPL-2.0
// SPDX-FileCopyrightText: 2026 The lttngmap authors
/* set.c - making a ring set; its state, chunks and counts. */
#include "module/set.h"

#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "sessiond/ring/ring-host.h"

/* CPUs of a set: what a machine can have. */
#define CPU_RINGS_MAX 8192

/* ---- making --------------------------------------------------------------------------- */

bool set_is_name(const char *name, size_t size)
{
	size_t length = strnlen(name, size);

	return length > 0 && length < size && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       !memchr(name, '/', length);
}

static bool is_valid(const struct lttngmap_set_info *info)
{
	return set_is_name(info->session, sizeof(info->session)) &&
	       set_is_name(info->channel, sizeof(info->channel)) &&
	       set_is_name(info->procname, sizeof(info->procname)) && info->cpu_rings > 0 &&
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
	set->state.chunk = info->chunk;
	set->state.next_chunk = info->chunk;
	set->generation = info->generation;
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
		ring_reader_init(&set->readers[i], &set->geometry, memory_zeros(), &set->undo);
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

void set_close_ring(struct lttngmap_set *set, uint32_t ring)
{
	set->state.closed++;
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
			set_close_ring(set, i);
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
void set_follow(struct lttngmap_set *set)
{
	if (READ_ONCE(set->ended))
		finish(set);
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

/* Since the last clear. */
struct ring_account set_sum(const struct lttngmap_set *set)
{
	struct ring_account sum = { 0 };

	for (uint32_t i = 0; i < set->rings; i++) {
		const struct ring_account *now = &set->readers[i].account;
		const struct ring_account *cleared = &set->readers[i].cleared;

		sum.written += now->written - cleared->written;
		sum.discarded += now->discarded - cleared->discarded;
		sum.overwritten += now->overwritten - cleared->overwritten;
	}
	return sum;
}

/* Tells writers whether the reader looks by itself; pairs with ring_switch_tell(). */
void set_tell_awake(struct lttngmap_set *set, bool awake)
{
	struct lttngmap_ring *first = set->readers[0].ring;

	if (set->awake == awake || !memory_is_mapped(set, 0))
		return;
	set->awake = awake;
	WRITE_ONCE(first->awake, awake);
	smp_mb();
}

/* ---- chunks ------------------------------------------------------------------------------- */

static void begin_chunk(struct lttngmap_set *set)
{
	for (uint32_t i = 0; i < set->rings; i++)
		ring_reader_begin_chunk(&set->readers[i]);
	set->state.chunk = set->state.next_chunk;
	set->state.rotating = false;
}

/* The next chunk begins when all rings are past their marks. */
void set_pass_rotation(struct lttngmap_set *set)
{
	if (!set->state.rotating || set_held(set) > 0)
		return;
	for (uint32_t i = 0; i < set->rings; i++)
		if (!ring_reader_has_passed(&set->readers[i]))
			return;
	begin_chunk(set);
}

/* True if the next packet of that ring belongs to the next chunk. */
bool set_is_beyond(const struct lttngmap_set *set, uint32_t ring)
{
	return set->state.rotating && ring_reader_has_passed(&set->readers[ring]);
}

void set_rotate(struct lttngmap_set *set, uint32_t chunk)
{
	mutex_lock(&set->lock);
	if (set->state.next_chunk != chunk) {
		for_each_ring(set, ring_reader_mark);
		set->state.rotating = true;
	}
	set->state.next_chunk = chunk;
	set_pass_rotation(set);
	mutex_unlock(&set->lock);
	set_update(set, true);
}

void set_end_rotation(struct lttngmap_set *set)
{
	mutex_lock(&set->lock);
	if (set->state.rotating)
		begin_chunk(set);
	mutex_unlock(&set->lock);
}

void set_describe(struct lttngmap_set *set, uint64_t generation)
{
	mutex_lock(&set->lock);
	set->generation = generation;
	mutex_unlock(&set->lock);
}

void set_reset_clock(struct lttngmap_set *set, uint64_t latest)
{
	uint64_t now = ring_host_clock(set->geometry.clock);
	uint64_t begin = now > RING_HOST_CLOCK_SLACK ? now - RING_HOST_CLOCK_SLACK : 0;

	mutex_lock(&set->lock);
	for (uint32_t i = 0; i < set->rings; i++)
		ring_reader_reset_clock(&set->readers[i], latest);
	/* No record is older, of this time or of that before. */
	set->geometry.begin = min(set->geometry.begin, begin);
	mutex_unlock(&set->lock);
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
	set_tell_awake(set, false);
	set->back = (struct ring_back){ .begun = false };
	set->back_holds = false;
	set->backward_passes += set->back_used;
	set->back_used = false;
	set->given = 0;
	set->taken_away = false;
	set->has_reader = false;
	mutex_unlock(&set->lock);
}

__poll_t set_poll(struct lttngmap_set *set)
{
	__poll_t events = 0;

	mutex_lock(&set->lock);
	set_follow(set);
	if (set->removed)
		events = EPOLLHUP;
	else if (packets_wait(set))
		events = EPOLLIN | EPOLLRDNORM;
	else if (set->finished)
		events = EPOLLHUP;
	mutex_unlock(&set->lock);
	return events;
}

void set_update(struct lttngmap_set *set, bool show)
{
	mutex_lock(&set->lock);
	set_follow(set);
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
	set->passed = false;
	/* A rotation has its own marks, up to which all becomes readable, too. */
	if (!set->state.rotating)
		for_each_ring(set, ring_reader_mark);
	mutex_unlock(&set->lock);
	set_update(set, true);
}

static void skip(struct ring_reader *reader)
{
	ring_reader_skip(reader);
	ring_undo_end(reader->undo);
}

/*
 * Lets go of the reader's packets first: an exchange needs the reader's sub-buffer, and while a
 * packet is taken, that packet's sub-buffer stands in its place.
 */
void set_clear(struct lttngmap_set *set)
{
	mutex_lock(&set->lock);
	set->taken_away = set->given > 0;
	set->given = 0;
	while (set_held(set) > 0) {
		set->held[set->state.from].packet.events = 0;
		packets_release(set);
	}
	set->before = set->state;
	for_each_ring(set, skip);
	for (uint32_t i = 0; i < set->rings; i++)
		ring_reader_clear(&set->readers[i]);
	set->state.delivered_cleared = set->state.delivered;
	set->state.closed = 0;
	mutex_unlock(&set->lock);
}

static bool has_passed_all(const struct lttngmap_set *set)
{
	for (uint32_t i = 0; i < set->rings; i++)
		if (!ring_reader_has_passed(&set->readers[i]))
			return false;
	return true;
}

/* The packet that was the last below the marks is released, too. */
static bool is_flushed(struct lttngmap_set *set)
{
	const struct lttngmap_packet *first = &set->held[set->state.from].packet;

	if (!set->passed && has_passed_all(set)) {
		set->passed = true;
		set->passed_cpu = set_held(set) > 0 ? first->cpu : LTTNGMAP_CPU_ANY;
		set->passed_sequence = first->sequence + set_held(set) - 1;
	}
	return set->passed && (set_held(set) == 0 || first->cpu != set->passed_cpu ||
			       first->sequence > set->passed_sequence);
}

static bool is_drained(struct lttngmap_set *set)
{
	return (set->finished || set->frozen) && set_held(set) == 0 && !packets_wait(set);
}

static void look(struct ring_reader *reader)
{
	struct ring_commit commit;

	ring_reader_look(reader, &commit);
}

static void count_claims(const struct lttngmap_set *set, struct lttngmap_set_counts *counts)
{
	for (uint32_t i = 0; i < set->rings; i++) {
		struct ring_account claims = ring_reader_claims(&set->readers[i]);

		counts->claims_written += claims.written;
		counts->claims_discarded += claims.discarded;
		counts->claims_overwritten += claims.overwritten;
	}
}

void set_count(struct lttngmap_set *set, struct lttngmap_set_counts *counts)
{
	uint64_t id = counts->id;
	struct ring_account sum;

	*counts = (struct lttngmap_set_counts){ .id = id };
	mutex_lock(&set->lock);
	set_follow(set);
	set_pass_rotation(set);
	for_each_ring(set, look);
	/* A ring that counts other events than were there is closed. */
	if (is_drained(set)) {
		for_each_ring(set, ring_reader_settle);
		counts->flags |= LTTNGMAP_SET_DRAINED;
	}
	sum = set_sum(set);
	count_claims(set, counts);
	counts->written = sum.written;
	counts->discarded = sum.discarded;
	counts->overwritten = sum.overwritten;
	counts->delivered = set->state.delivered - set->state.delivered_cleared;
	counts->closed_rings = set->state.closed;
	counts->backward_passes = set->backward_passes;
	if (set->finished)
		counts->flags |= LTTNGMAP_SET_FINISHED;
	if (set->has_reader)
		counts->flags |= LTTNGMAP_SET_IS_READ;
	if (is_flushed(set))
		counts->flags |= LTTNGMAP_SET_FLUSHED;
	if (!set->state.rotating)
		counts->flags |= LTTNGMAP_SET_ROTATED;
	mutex_unlock(&set->lock);
}
