/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "answer.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <lttngmap/abi.h>

#include "arch.h"

#define META_PAGE_SIZE 4096u

/*
 * As large as it was said to be, and sure to stay so: else a touch of the map
 * could end the program by SIGBUS.
 */
static bool is_held(int fd, uint64_t size)
{
	struct stat status;
	long seals = arch_syscall(SYS_fcntl, fd, F_GET_SEALS);

	return seals >= 0 && (seals & F_SEAL_SHRINK) && arch_syscall(SYS_fstat, fd, &status) == 0 &&
	       answer_page_up((uint64_t)status.st_size) >= answer_page_up(size);
}

/*
 * Rings may be files instead, which the daemon keeps in a directory of its own,
 * to survive a reboot. There are no seals then, but nobody else has them: the
 * daemon is root's or our own user's, who could end us anyway.
 */
bool answer_is_held_ring(int fd, uint64_t size)
{
	struct stat status;

	if (is_held(fd, size))
		return true;
	return arch_syscall(SYS_fstat, fd, &status) == 0 && S_ISREG(status.st_mode) &&
	       !(status.st_mode & (S_IRWXG | S_IRWXO)) && status.st_nlink > 0 &&
	       (status.st_uid == 0 || status.st_uid == (uid_t)arch_syscall(SYS_geteuid)) &&
	       answer_page_up((uint64_t)status.st_size) >= answer_page_up(size);
}

static bool are_held(const struct protocol_app_registered *answer, const struct exchange_fds *fds)
{
	bool held = is_held(fds->fd[PROTOCOL_APP_FD_CONTROL], answer->control_size) &&
		    is_held(fds->fd[PROTOCOL_APP_FD_PROCESS], answer->process_size) &&
		    answer_is_held_ring(fds->fd[PROTOCOL_APP_FD_RING_CONTROL],
					answer->ring_control_size);

	for (uint32_t slot = 0; held && slot < answer->reserve; slot++)
		held = answer_is_held_ring(fds->fd[PROTOCOL_APP_FD_RING_DATA + slot],
					   answer->ring_data_size);
	return held;
}

bool answer_is_held_shared(const struct protocol_app_shared_slot *shared, uint64_t slot_stride,
			   int data, int control)
{
	return shared->slot < LTTNGMAP_CHANNELS && shared->size > META_PAGE_SIZE &&
	       slot_stride % META_PAGE_SIZE == 0 && answer_is_held_ring(data, shared->size) &&
	       answer_is_held_ring(control, (shared->slot + 1) * slot_stride);
}

bool answer_has_shared(const struct protocol_app_memory *answer, uint32_t slot, uint32_t life,
		       uint64_t needed, uint64_t slot_stride, const struct exchange_fds *fds)
{
	const struct protocol_app_shared_slot shared = { answer->slot, answer->life, answer->size };

	return fds->count == 2 && answer->slot == slot && answer->life == life &&
	       answer->size >= needed + META_PAGE_SIZE &&
	       answer_is_held_shared(&shared, slot_stride, fds->fd[0], fds->fd[1]);
}

const struct protocol_app_shared *answer_shared(const struct protocol_app_registered *answer,
						long size)
{
	uint64_t offset = protocol_app_shared_offset(answer->nr_ids);

	if ((uint64_t)size < offset + sizeof(struct protocol_app_shared))
		return NULL;
	return (const void *)((const char *)answer + offset);
}

static unsigned fds_of(const struct protocol_app_registered *answer, long size)
{
	const struct protocol_app_shared *shared = answer_shared(answer, size);
	unsigned count = PROTOCOL_APP_FD_RING_DATA + answer->reserve;

	if (!shared)
		return count;
	/* None where that is too many. */
	return shared->count <= PROTOCOL_APP_SHARED_MAX ? count + 1 + shared->count : 0;
}

bool answer_is_sane(const struct protocol_app_registered *answer, long size, uint32_t nr_classes,
		    const struct exchange_fds *fds)
{
	return answer->nr_ids == nr_classes &&
	       (size_t)size >= sizeof(*answer) + nr_classes * sizeof(uint16_t) &&
	       answer->reserve <= PROTOCOL_APP_RESERVE_MAX && fds->count == fds_of(answer, size) &&
	       answer->control_size >= sizeof(struct lttngmap_control) &&
	       answer->process_size >= sizeof(struct lttngmap_process) &&
	       answer->process_offset % sizeof(struct lttngmap_process) == 0 &&
	       answer->process_offset <= answer->process_size - sizeof(struct lttngmap_process) &&
	       answer->slot_stride <= answer->ring_control_size / LTTNGMAP_CHANNELS &&
	       (answer->reserve == 0 || answer->ring_data_size > answer->meta_page_size) &&
	       answer->meta_page_size % 4096 == 0 && are_held(answer, fds);
}
