/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/attach/answer.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <lttngmap/abi.h>

#include "liblttngmap/base/arch.h"

#define META_PAGE_SIZE 4096u

/*
 * True if the memory has the stated size and is sealed: otherwise a touch of the map could end the
 * program by SIGBUS.
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
static bool is_held_ring(int fd, uint64_t size)
{
	struct stat status;

	if (is_held(fd, size))
		return true;
	return arch_syscall(SYS_fstat, fd, &status) == 0 && S_ISREG(status.st_mode) &&
	       !(status.st_mode & (S_IRWXG | S_IRWXO)) && status.st_nlink > 0 &&
	       (status.st_uid == 0 || status.st_uid == (uid_t)arch_syscall(SYS_geteuid)) &&
	       answer_page_up((uint64_t)status.st_size) >= answer_page_up(size);
}

bool answer_has_rings(const struct protocol_app_slot *slot, int fd)
{
	return slot->slot < LTTNGMAP_CHANNELS && slot->data > META_PAGE_SIZE && slot->control > 0 &&
	       slot->data < UINT64_C(1) << 56 && slot->control < UINT64_C(1) << 56 &&
	       is_held_ring(fd, answer_page_up(slot->data) + slot->control);
}

const struct protocol_app_slots *answer_slots(const struct protocol_app_registered *answer,
					      long size)
{
	uint64_t offset = protocol_app_slots_offset(answer->nr_ids);

	if ((uint64_t)size < offset + sizeof(struct protocol_app_slots))
		return NULL;
	return (const void *)((const char *)answer + offset);
}

static unsigned fds_of(const struct protocol_app_registered *answer, long size)
{
	const struct protocol_app_slots *slots = answer_slots(answer, size);

	if (!slots)
		return PROTOCOL_APP_FD_RINGS;
	/* None where that is too many. */
	return slots->count <= PROTOCOL_APP_SLOTS_MAX ? PROTOCOL_APP_FD_RINGS + slots->count : 0;
}

bool answer_is_sane(const struct protocol_app_registered *answer, long size, uint32_t nr_classes,
		    const struct exchange_fds *fds, bool has_control)
{
	return answer->nr_ids == nr_classes &&
	       (size_t)size >= sizeof(*answer) + nr_classes * sizeof(uint16_t) &&
	       fds->count == fds_of(answer, size) &&
	       answer->control_size >= sizeof(struct lttngmap_control) &&
	       answer->process_size >= sizeof(struct lttngmap_process) &&
	       answer->process_offset % sizeof(struct lttngmap_process) == 0 &&
	       answer->process_offset <= answer->process_size - sizeof(struct lttngmap_process) &&
	       answer->meta_page_size == META_PAGE_SIZE &&
	       (has_control || is_held(fds->fd[PROTOCOL_APP_FD_CONTROL], answer->control_size)) &&
	       is_held(fds->fd[PROTOCOL_APP_FD_PROCESS], answer->process_size);
}
