/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "answer.h"
#include "arch.h"
#include "memory-map.h"
#include "ring-filter.h"

/* What survives a fork, so that a child can map over its parent's. */
static struct {
	char *base; /* the one stretch of address space */
	uint64_t size;
	/* Where in there; NULL while it is being mapped over. */
	const struct lttngmap_control *control;
	const struct lttngmap_process *process;
	char *ring_control;
	uint64_t slot_stride;
	/* Ring data beyond the reserve, mapped one by one; shared rings, behind their control. */
	struct stretch {
		char *base;
		uint64_t size;
	} extra[LTTNGMAP_CHANNELS], shared[LTTNGMAP_CHANNELS];
} inherited;

static bool map_at(char *to, uint64_t size, int protection, int fd, uint64_t offset)
{
	return arch_syscall(SYS_mmap, to, size, protection, MAP_SHARED | MAP_FIXED, fd, offset) ==
	       (long)to;
}

/*
 * One stretch for all; a child finds its parent's, which it maps over. Not so
 * a process that leaves a dead daemon: its other threads may be writing there.
 */
static bool reserve_stretch(uint64_t size, bool over)
{
	long base;

	if (over && inherited.base && inherited.size == size)
		return true;
	__builtin_memset(inherited.extra, 0, sizeof(inherited.extra));
	__builtin_memset(inherited.shared, 0, sizeof(inherited.shared));
	base = arch_syscall(SYS_mmap, NULL, size, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base < 0 && base > -4096)
		return false;
	inherited.base = (char *)base;
	inherited.size = size;
	return true;
}

bool memory_map(struct local *local, const struct protocol_app_registered *answer,
		const struct exchange_fds *fds, bool over)
{
	uint64_t data_size = answer_page_up(answer->ring_data_size - answer->meta_page_size);
	uint64_t control_size = answer_page_up(answer->control_size);
	uint64_t process_page = answer->process_offset & ~UINT64_C(4095);
	uint64_t ring_control_size = answer_page_up(answer->ring_control_size);
	uint64_t total = control_size + 4096 + ring_control_size + answer->reserve * data_size;
	char *at;

	__atomic_store_n(&inherited.control, NULL, __ATOMIC_RELAXED);
	if (!reserve_stretch(total, over))
		return false;
	at = inherited.base;
	local->control = (const void *)at;
	local->event_words = local->control->event_words;
	local->control_size = control_size;
	if (!map_at(at, control_size, PROT_READ, fds->fd[PROTOCOL_APP_FD_CONTROL], 0))
		return false;
	local->filter_words = ring_filter_words(local->control, control_size);
	at += control_size;
	if (!map_at(at, 4096, PROT_READ, fds->fd[PROTOCOL_APP_FD_PROCESS], process_page))
		return false;
	inherited.process = (const void *)(at + answer->process_offset % 4096);
	at += 4096;
	local->ring_control = inherited.ring_control = at;
	inherited.slot_stride = answer->slot_stride;
	if (!map_at(at, ring_control_size, PROT_READ | PROT_WRITE,
		    fds->fd[PROTOCOL_APP_FD_RING_CONTROL], 0))
		return false;
	at += ring_control_size;
	for (uint32_t slot = 0; slot < answer->reserve; slot++, at += data_size) {
		if (!map_at(at, data_size, PROT_WRITE, fds->fd[PROTOCOL_APP_FD_RING_DATA + slot],
			    answer->meta_page_size))
			return false;
		local->data[slot] = at;
		local->data_size[slot] = data_size;
	}
	arch_syscall(SYS_madvise, inherited.base, inherited.size, MADV_DONTDUMP);
	__atomic_store_n(&inherited.control, local->control, __ATOMIC_RELEASE);
	return true;
}

void memory_map_lose(const uint64_t *word)
{
	const struct lttngmap_control *control =
		__atomic_load_n(&inherited.control, __ATOMIC_ACQUIRE);
	uint64_t channels;

	if (!control || word < control->event_words ||
	    word >= control->event_words + LTTNGMAP_EVENT_IDS)
		return;
	channels = __atomic_load_n(word, __ATOMIC_RELAXED) &
		   __atomic_load_n(&inherited.process->channels, __ATOMIC_RELAXED);
	for (; channels; channels &= channels - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(channels);
		struct lttngmap_ring *ring =
			(void *)(inherited.ring_control + slot * inherited.slot_stride);

		__atomic_add_fetch(&ring->discards, 1, __ATOMIC_RELAXED);
	}
}

bool memory_map_shared(struct local *local, const struct protocol_app_shared_slot *answer, int data,
		       int control)
{
	const uint64_t meta_page_size = 4096;
	/* Read once: it is 0 in a child that is forked in here. */
	const uint64_t stride = local->slot_stride;
	struct local_shared *shared = &local->shared[answer->slot];
	struct stretch *stretch = &inherited.shared[answer->slot];
	uint64_t data_size = answer_page_up(answer->size - meta_page_size);
	uint64_t size = stride + data_size;

	if (!stride)
		return false;
	if (stretch->size != size) {
		long base = arch_syscall(SYS_mmap, NULL, size, PROT_NONE,
					 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (base < 0 && base > -4096)
			return false;
		*stretch = (struct stretch){ (char *)base, size };
	}
	__atomic_store_n(&shared->known, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (!map_at(stretch->base, stride, PROT_READ | PROT_WRITE, control,
		    answer->slot * stride) ||
	    !map_at(stretch->base + stride, data_size, PROT_WRITE, data, meta_page_size))
		return false;
	arch_syscall(SYS_madvise, stretch->base, size, MADV_DONTDUMP);
	__atomic_store_n(&shared->rings, stretch->base, __ATOMIC_RELAXED);
	__atomic_store_n(&shared->data, stretch->base + stride, __ATOMIC_RELAXED);
	__atomic_store_n(&shared->data_size, data_size, __ATOMIC_RELAXED);
	__atomic_store_n(&shared->known, (uint64_t)answer->life << 32 | 1, __ATOMIC_RELEASE);
	return true;
}

void memory_map_shared_rings(struct local *local, const struct protocol_app_registered *answer,
			     long size, const struct exchange_fds *fds)
{
	const struct protocol_app_shared *shared = answer_shared(answer, size);
	const int *fd = fds->fd + PROTOCOL_APP_FD_RING_DATA + answer->reserve;

	for (uint32_t i = 0; shared && i < shared->count; i++)
		if (answer_is_held_shared(&shared->slots[i], local->slot_stride, fd[1 + i], fd[0]))
			memory_map_shared(local, &shared->slots[i], fd[1 + i], fd[0]);
}

bool memory_map_extra(struct local *local, uint32_t slot, uint64_t size, int fd, uint64_t offset)
{
	struct stretch *extra = &inherited.extra[slot];
	char *at = extra->size == size ? extra->base : NULL;
	long mapped = arch_syscall(SYS_mmap, at, size, PROT_WRITE,
				   MAP_SHARED | (at ? MAP_FIXED : 0), fd, offset);

	if (mapped < 0 && mapped > -4096)
		return false;
	arch_syscall(SYS_madvise, mapped, size, MADV_DONTDUMP);
	*extra = (struct stretch){ (char *)mapped, size };
	local->data[slot] = (char *)mapped;
	__atomic_store_n(&local->data_size[slot], size, __ATOMIC_RELEASE);
	return true;
}

const struct lttngmap_control *memory_map_control(void)
{
	return (const void *)inherited.base;
}
