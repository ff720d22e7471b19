/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "common/protocol/protocol-app.h"
#include "liblttngmap/attach/answer.h"
#include "liblttngmap/base/arch.h"
#include "liblttngmap/attach/attach.h"
#include "liblttngmap/base/descriptors.h"
#include "liblttngmap/attach/exchange.h"
#include "liblttngmap/attach/memory-map.h"
#include "liblttngmap/attach/sandbox.h"

static void end_exchange(struct local *local, long result)
{
	if (result == -ETIMEDOUT)
		local->unanswered++;
	__atomic_store_n(&local->exchange, 0, __ATOMIC_RELEASE);
}

/*
 * One exchange at a time; whoever comes second goes without, unless it may
 * wait. So does a program that closed our socket: its number may be a socket
 * of the program's now. And an answer that is late would be taken for the next
 * one's: until it is there, there is no other exchange.
 */
static bool begin_exchange(struct local *local)
{
	uint64_t deadline = 0, holder = 0;

	if (sandbox_is_on() || !descriptors_has_socket(local->socket) || !attach_may_ask())
		return false;
	while (!__atomic_compare_exchange_n(&local->exchange, &holder, arch_thread_token(), false,
					    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		if (!attach_may_wait(local, holder, &deadline))
			return false;
		holder = 0;
	}
	for (; local->unanswered; local->unanswered--) {
		if (!exchange_drop(local->socket)) {
			end_exchange(local, 0);
			return false;
		}
	}
	return true;
}

enum attach_result attach_classes(const void *classes, size_t size, uint32_t nr_classes,
				  uint16_t *ids)
{
	uint64_t deadline = sandbox_is_on() ? 0 : attach_register_deadline();
	struct protocol_app_classes request = {
		.header.type = PROTOCOL_APP_CLASSES,
		.nr_classes = nr_classes,
	};
	struct local *local = local_pages;
	union {
		struct protocol_app_ids head;
		char space[sizeof(struct protocol_app_ids) +
			   PROTOCOL_APP_CLASSES_MAX * sizeof(uint16_t)];
	} answer;
	long result;

	if (!begin_exchange(local))
		return ATTACH_BUSY;
	result = exchange(local->socket, &request, sizeof(request), classes, size, PROTOCOL_APP_IDS,
			  &answer, sizeof(answer.head), sizeof(answer), NULL, deadline);
	end_exchange(local, result);
	if (result < (long)(sizeof(answer.head) + nr_classes * sizeof(*ids)) ||
	    answer.head.nr_ids != nr_classes)
		return ATTACH_NONE;
	__builtin_memcpy(ids, answer.head.ids, nr_classes * sizeof(*ids));
	return ATTACH_READY;
}

/* `exchange` is held. *fds are the caller's to close where this is not -errno. */
static long ask_for_rings(struct local *local, uint32_t slot, struct protocol_app_memory *answer,
			  struct exchange_fds *fds)
{
	struct protocol_app_memory request = {
		.header.type = PROTOCOL_APP_MEMORY,
		.of.slot = slot,
	};

	return exchange(local->socket, &request, sizeof(request), NULL, 0, PROTOCOL_APP_MEMORY,
			answer, sizeof(*answer), sizeof(*answer), fds, attach_deadline());
}

bool attach_has_rings(const struct local *local, const struct protocol_app_slot *wanted)
{
	const struct local_rings *rings = &local->rings[wanted->slot];

	return __atomic_load_n(&rings->known, __ATOMIC_ACQUIRE) ==
		       ((uint64_t)wanted->life << 32 | 1) &&
	       __atomic_load_n(&rings->data_size, __ATOMIC_RELAXED) >= wanted->data &&
	       __atomic_load_n(&rings->control_size, __ATOMIC_RELAXED) >= wanted->control;
}

bool attach_fetch_rings(struct local *local, const struct protocol_app_slot *wanted)
{
	const uint64_t meta_page_size = 4096;
	struct protocol_app_memory answer;
	struct exchange_fds fds;
	bool mapped = false;
	long result;

	if (!begin_exchange(local))
		return false;
	/* Another thread, waited for, had the same wish. */
	if (attach_has_rings(local, wanted)) {
		end_exchange(local, 0);
		return true;
	}
	result = ask_for_rings(local, wanted->slot, &answer, &fds);
	if (result >= 0) {
		mapped = fds.count == 1 && answer.of.slot == wanted->slot &&
			 answer.of.life == wanted->life &&
			 answer.of.data >= wanted->data + meta_page_size &&
			 answer.of.control >= wanted->control &&
			 answer_has_rings(&answer.of, fds.fd[0]) &&
			 memory_map_rings(local, &answer.of, fds.fd[0]);
		exchange_close_fds(&fds);
	}
	end_exchange(local, result);
	return mapped;
}

bool attach_tell_lost(const struct local *local, uint32_t slot)
{
	struct protocol_app_lost message = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .minor = PROTOCOL_APP_MINOR,
			    .type = PROTOCOL_APP_LOST,
			    .size = sizeof(message) },
		.slot = slot,
		.count = 1,
	};
	/* 0 in a child that was forked in here, which has not this one. */
	int socket = __atomic_load_n(&local->socket, __ATOMIC_RELAXED);

	return !sandbox_is_on() && descriptors_has_socket(socket) && attach_may_ask() &&
	       arch_syscall(SYS_sendto, socket, &message, sizeof(message),
			    MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0) == sizeof(message);
}

void attach_leave_alone(const struct local *local)
{
	struct protocol_app_header message = {
		.magic = PROTOCOL_APP_MAGIC,
		.major = PROTOCOL_APP_MAJOR,
		.minor = PROTOCOL_APP_MINOR,
		.type = PROTOCOL_APP_ALONE,
		.size = sizeof(message),
	};
	int socket = __atomic_load_n(&local->socket, __ATOMIC_RELAXED);

	if (!sandbox_is_on() && descriptors_has_socket(socket))
		arch_syscall(SYS_sendto, socket, &message, sizeof(message),
			     MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
}
