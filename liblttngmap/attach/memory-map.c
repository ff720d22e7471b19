/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/attach/memory-map.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/syscall.h>

#include "liblttngmap/attach/answer.h"
#include "liblttngmap/base/arch.h"
#include "liblttngmap/attach/own-limits.h"
#include "liblttngmap/ring/ring-filter.h"
#include "liblttngmap/attach/sandbox.h"

/* Survives a fork, so that a child can map over its parent's. */
static struct {
	char *base; /* control and process's page: one range of address space */
	uint64_t size;
	uint64_t bytes; /* of all maps; atomic */
	/* Where in there; NULL while it is being mapped over. */
	const struct lttngmap_control *control;
	const struct lttngmap_process *process;
	/* All of control, with the filters; the daemon's, so that a child has the same. */
	char *filters;
	/* The process's own rings of each slot, and shared ones. */
	struct mappings {
		struct mapping {
			char *base;
			uint64_t size;
		} control, data;
	} own[LTTNGMAP_CHANNELS], shared[LTTNGMAP_CHANNELS];
	uint64_t slots; /* that have had a mapping; atomic */
} inherited;

static bool is_error(long result)
{
	return result < 0 && result > -4096;
}

static bool map_at(char *to, uint64_t size, int protection, int fd, uint64_t offset)
{
	return arch_syscall(SYS_mmap, to, size, protection, MAP_SHARED | MAP_FIXED, fd, offset) ==
	       (long)to;
}

/*
 * One range for what each process has; a child finds its parent's, which it maps over. Not so
 * a process that leaves a dead daemon: its other threads may be writing there.
 */
static bool reserve_stretch(uint64_t size, bool over)
{
	long base;

	if (over && inherited.base && inherited.size == size)
		return true;
	__builtin_memset(inherited.own, 0, sizeof(inherited.own));
	__builtin_memset(inherited.shared, 0, sizeof(inherited.shared));
	inherited.filters = NULL;
	limits_make_room(size);
	base = arch_syscall(SYS_mmap, NULL, size, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (is_error(base))
		return false;
	inherited.bytes += size;
	inherited.base = (char *)base;
	inherited.size = size;
	return true;
}

/* The map of all of control, which others now find, or another thread's that came first. */
static char *keep_filters(char *map, uint64_t size)
{
	char *none = NULL;

	arch_syscall(SYS_munlock, map, size);
	arch_syscall(SYS_madvise, map, size, MADV_DONTDUMP);
	__atomic_add_fetch(&inherited.bytes, size, __ATOMIC_RELAXED);
	/* Release: pairs with the loads of who finds it. */
	if (__atomic_compare_exchange_n(&inherited.filters, &none, map, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return map;
	arch_syscall(SYS_munmap, map, size);
	__atomic_sub_fetch(&inherited.bytes, size, __ATOMIC_RELAXED);
	return none;
}

/* Maps `size` bytes from `map` on again. With an old size of 0, mremap() leaves the old map. */
static long map_again(const void *map, uint64_t size)
{
	return arch_syscall(SYS_mremap, map, 0, size, MREMAP_MAYMOVE, NULL);
}

/*
 * Maps the filters where no descriptor is needed later: valgrind refuses map_again(). It has no
 * rseq either, so a program with rseq is not asked. A failure is found at the first filter.
 */
static void map_filters_early(const struct local *local, int fd)
{
	long map = map_again(local->control, 4096);

	if (!is_error(map)) {
		arch_syscall(SYS_munmap, map, 4096);
		return;
	}
	limits_make_room(local->control_size);
	map = arch_syscall(SYS_mmap, NULL, local->control_size, PROT_READ, MAP_SHARED, fd, 0);
	if (!is_error(map))
		keep_filters((char *)map, local->control_size);
}

bool memory_map_has_control(void)
{
	return __atomic_load_n(&inherited.control, __ATOMIC_RELAXED) != NULL;
}

bool memory_map(struct local *local, const struct protocol_app_registered *answer,
		const struct exchange_fds *fds, bool over)
{
	uint64_t control_size = answer_page_up(sizeof(struct lttngmap_control));
	uint64_t process_page = answer->process_offset & ~UINT64_C(4095);
	bool has_control = over && memory_map_has_control();
	char *at;

	__atomic_store_n(&inherited.control, NULL, __ATOMIC_RELAXED);
	if (!reserve_stretch(control_size + 4096, over))
		return false;
	at = inherited.base;
	local->control = (const void *)at;
	local->event_words = local->control->event_words;
	local->control_size = answer_page_up(answer->control_size);
	if (!has_control &&
	    !map_at(at, control_size, PROT_READ, fds->fd[PROTOCOL_APP_FD_CONTROL], 0))
		return false;
	at += control_size;
	if (!map_at(at, 4096, PROT_READ, fds->fd[PROTOCOL_APP_FD_PROCESS], process_page))
		return false;
	inherited.process = (const void *)(at + answer->process_offset % 4096);
	arch_syscall(SYS_madvise, has_control ? at : inherited.base,
		     has_control ? 4096 : inherited.size, MADV_DONTDUMP);
	if (__rseq_size == 0 && !inherited.filters && !has_control)
		map_filters_early(local, fds->fd[PROTOCOL_APP_FD_CONTROL]);
	__atomic_store_n(&inherited.control, local->control, __ATOMIC_RELEASE);
	return true;
}

const struct lttngmap_process *memory_map_process(void)
{
	return inherited.process;
}

bool memory_map_filters(struct local *local)
{
	char *filters = __atomic_load_n(&inherited.filters, __ATOMIC_ACQUIRE);
	uint64_t size = __atomic_load_n(&local->control_size, __ATOMIC_RELAXED);
	const struct lttngmap_control *control = __atomic_load_n(&local->control, __ATOMIC_RELAXED);

	/* Zeros in a child that was forked in here. */
	if (!size || !control)
		return false;
	if (!filters && !sandbox_is_on()) {
		long map;

		limits_make_room(size);
		map = map_again(control, size);
		if (is_error(map))
			return false;
		filters = keep_filters((char *)map, size);
	}
	if (!filters)
		return false;
	__atomic_store_n(&local->filters, filters, __ATOMIC_RELAXED);
	__atomic_store_n(&local->filter_words, ring_filter_words((const void *)filters, size),
			 __ATOMIC_RELEASE);
	return true;
}

/* The slot's ring control, as far as it is mapped, by what the channel there is now. */
static struct lttngmap_ring *mapped_ring(const struct lttngmap_control *control, uint32_t slot)
{
	uint32_t flags = __atomic_load_n(&control->channels[slot].flags, __ATOMIC_RELAXED);
	const struct mappings *mappings = flags & LTTNGMAP_CHANNEL_SHARED ? inherited.shared
									  : inherited.own;

	return (void *)mappings[slot].control.base;
}

uint64_t memory_map_channels(const uint64_t *word)
{
	const struct lttngmap_control *control =
		__atomic_load_n(&inherited.control, __ATOMIC_ACQUIRE);

	if (!control || word < control->event_words ||
	    word >= control->event_words + LTTNGMAP_EVENT_IDS)
		return 0;
	return __atomic_load_n(word, __ATOMIC_RELAXED) &
	       __atomic_load_n(&inherited.process->channels, __ATOMIC_RELAXED);
}

void memory_map_lose(const uint64_t *word)
{
	uint64_t channels = memory_map_channels(word);

	for (; channels; channels &= channels - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(channels);
		struct lttngmap_ring *ring = mapped_ring(memory_map_control(), slot);

		if (ring)
			__atomic_add_fetch(&ring->discards, 1, __ATOMIC_RELAXED);
	}
}

/*
 * Where a mapping may begin, as a hint: further from the code than a jump leads (2 GiB). The
 * families sdt and function need single pages where a jump leads, which depends on what code it
 * was put into.
 */
static void *far_from_code(uint64_t size)
{
	static const uint64_t away = UINT64_C(4) << 30, step = UINT64_C(2) << 20;
	static uint64_t taken;
	uint64_t below = __atomic_add_fetch(&taken, (size + step) & -step, __ATOMIC_RELAXED);
	uintptr_t code = (uintptr_t)&far_from_code & -step;

	return code > away + below ? (void *)(code - away - below) : NULL;
}

/*
 * Does the kernel lock, and make, all of a map as soon as it is there? It does after
 * mlockall(MCL_FUTURE). A page tells: the kernel refuses MADV_DONTNEED for one that is locked.
 */
static bool new_maps_are_locked(void)
{
	long page = arch_syscall(SYS_mmap, NULL, 4096, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool is_locked;

	if (is_error(page))
		return true;
	is_locked = arch_syscall(SYS_madvise, page, 4096, MADV_DONTNEED) < 0;
	arch_syscall(SYS_munmap, page, 4096);
	return is_locked;
}

/*
 * A map that is not locked where new maps are. It begins with one page, which munlock() unlocks
 * and mremap() makes larger. valgrind 3.19 then takes all but the first page of a map that is
 * `over` another one for memory that nobody may write.
 */
static long map_unlocked(char *over, uint64_t size, int protection, int fd, uint64_t offset)
{
	long page = arch_syscall(SYS_mmap, over ? NULL : far_from_code(size), 4096, protection,
				 MAP_SHARED, fd, offset);
	long map;

	if (is_error(page))
		return page;
	arch_syscall(SYS_munlock, page, 4096);
	map = over ? arch_syscall(SYS_mremap, page, 4096, size, MREMAP_MAYMOVE | MREMAP_FIXED, over)
		   : arch_syscall(SYS_mremap, page, 4096, size, 0);
	if (is_error(map) && !over)
		map = arch_syscall(SYS_mremap, page, 4096, size, MREMAP_MAYMOVE);
	if (is_error(map))
		arch_syscall(SYS_munmap, page, 4096);
	return map;
}

/* `size` bytes of the file from `offset` on, over what was there, if that was as large. */
static bool map_memory(struct mapping *mapping, uint64_t size, int protection, int fd,
		       uint64_t offset, bool must_unlock)
{
	char *over = mapping->size == size ? mapping->base : NULL;
	long map = -EAGAIN;

	if (!over)
		limits_make_room(size);
	if (must_unlock)
		map = map_unlocked(over, size, protection, fd, offset);
	/* Locked or not, where that is not to be had. */
	if (is_error(map))
		map = arch_syscall(SYS_mmap, over ? over : far_from_code(size), size, protection,
				   MAP_SHARED | (over ? MAP_FIXED : 0), fd, offset);
	if (is_error(map))
		return false;
	arch_syscall(SYS_madvise, map, size, MADV_DONTDUMP);
	if (!over)
		__atomic_add_fetch(&inherited.bytes, size, __ATOMIC_RELAXED);
	*mapping = (struct mapping){ (char *)map, size };
	return true;
}

bool memory_map_rings(struct local *local, const struct protocol_app_slot *slot, int fd)
{
	const uint64_t meta_page_size = 4096;
	struct mappings *mappings = slot->life ? &inherited.shared[slot->slot]
					       : &inherited.own[slot->slot];
	struct local_rings *rings = &local->rings[slot->slot];
	uint64_t control_at = answer_page_up(slot->data);
	uint64_t control_size = answer_page_up(slot->control);
	bool must_unlock = new_maps_are_locked();
	/* A table is searched, a ring is only written. */
	int read_data = __atomic_load_n(&memory_map_control()->channels[slot->slot].flags,
					__ATOMIC_RELAXED) &
					LTTNGMAP_CHANNEL_MAP
				? PROT_READ
				: 0;

	__atomic_store_n(&rings->known, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (!map_memory(&mappings->control, control_size, PROT_READ | PROT_WRITE, fd, control_at,
			must_unlock) ||
	    !map_memory(&mappings->data, control_at - meta_page_size, PROT_WRITE | read_data, fd,
			meta_page_size, must_unlock))
		return false;
	__atomic_or_fetch(&inherited.slots, UINT64_C(1) << slot->slot, __ATOMIC_RELAXED);
	__atomic_store_n(&rings->rings, mappings->control.base, __ATOMIC_RELAXED);
	__atomic_store_n(&rings->data, mappings->data.base, __ATOMIC_RELAXED);
	__atomic_store_n(&rings->control_size, control_size, __ATOMIC_RELAXED);
	__atomic_store_n(&rings->data_size, control_at - meta_page_size, __ATOMIC_RELAXED);
	__atomic_store_n(&rings->known, (uint64_t)slot->life << 32 | 1, __ATOMIC_RELEASE);
	return true;
}

void memory_map_first_rings(struct local *local, const struct protocol_app_registered *answer,
			    long size, const struct exchange_fds *fds)
{
	const struct protocol_app_slots *slots = answer_slots(answer, size);

	for (uint32_t i = 0; slots && i < slots->count; i++)
		if (answer_has_rings(&slots->slots[i], fds->fd[PROTOCOL_APP_FD_RINGS + i]))
			memory_map_rings(local, &slots->slots[i],
					 fds->fd[PROTOCOL_APP_FD_RINGS + i]);
}

void *memory_map_anew(void *old, uint64_t old_size, uint64_t size)
{
	long map = -EACCES;

	if (old) {
		arch_syscall(SYS_munmap, old, old_size);
		__atomic_sub_fetch(&inherited.bytes, old_size, __ATOMIC_RELAXED);
	}
	if (!sandbox_is_on()) {
		limits_make_room(size);
		map = arch_syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	if (is_error(map))
		return NULL;
	arch_syscall(SYS_madvise, map, size, MADV_DONTDUMP);
	__atomic_add_fetch(&inherited.bytes, size, __ATOMIC_RELAXED);
	return (void *)map;
}

uint64_t memory_map_bytes(void)
{
	return __atomic_load_n(&inherited.bytes, __ATOMIC_RELAXED);
}

static void take_first(const struct mapping *mapping, uintptr_t begin, uintptr_t end,
		       struct memory_map_extent *found)
{
	uintptr_t from = (uintptr_t)mapping->base, to = from + mapping->size;

	from = from > begin ? from : begin;
	to = to < end ? to : end;
	/* A mapping that is not there has no base, and perhaps a size. */
	if (mapping->base && from < to && from <= found->begin)
		*found = (struct memory_map_extent){ from, to };
}

bool memory_map_find(uintptr_t begin, uintptr_t end, struct memory_map_extent *found)
{
	const struct mapping filters = { inherited.filters,
					 local_pages ? local_pages->control_size : 0 };
	const struct mapping first = { inherited.base, inherited.size };

	*found = (struct memory_map_extent){ end, end };
	take_first(&first, begin, end, found);
	take_first(&filters, begin, end, found);
	for (uint64_t slots = __atomic_load_n(&inherited.slots, __ATOMIC_RELAXED); slots;
	     slots &= slots - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(slots);

		take_first(&inherited.own[slot].control, begin, end, found);
		take_first(&inherited.own[slot].data, begin, end, found);
		take_first(&inherited.shared[slot].control, begin, end, found);
		take_first(&inherited.shared[slot].data, begin, end, found);
	}
	return found->begin < found->end;
}

const struct lttngmap_control *memory_map_control(void)
{
	return (const void *)inherited.base;
}
