/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <lttngmap/abi.h>

#include "common/protocol-app.h"
#include "answer.h"
#include "arch.h"
#include "attach.h"
#include "exchange.h"
#include "module.h"
#include "ring-filter.h"

/*
 * Our two descriptors are put at numbers that a program does not come by on
 * its own, so that one that closes all and opens others does not find an
 * eventfd's eight bytes in a file of its own: beyond its soft limit, where
 * neither open() nor dup2() gets. Not where the limit is so high that the
 * kernel's table would be large, nor where it is the hard one, too.
 */
#define HIGH_FD 1000
#define HIGHEST_FD 4096
/* With so few, and none beyond, our numbers would soon be the program's. */
#define FEW_FDS 64
/* A daemon that hangs up so often is not one. */
#define REGISTER_TRIES 3

struct local *local_pages;

/*
 * What survives a fork, so that a child can be attached over its parent. Set
 * by the first attach only, before `local->process`, but for the descriptors.
 */
static struct {
	char *base; /* the one stretch of address space */
	uint64_t size;
	uint64_t instance;
	uint64_t epoch;
	int socket;
	int doorbell;
	ino_t socket_inode;
	uint32_t place; /* of module_knock.places */
	bool allow_blocking;
	/* It has more rights than who started it, who is not to read along. */
	bool is_secure;
	/* Ring data beyond the reserve, mapped one by one; shared rings, behind their control. */
	struct stretch {
		char *base;
		uint64_t size;
	} extra[LTTNGMAP_CHANNELS], shared[LTTNGMAP_CHANNELS];
} inherited = { .socket = -1, .doorbell = -1, .place = KNOCK_NO_PLACE };

/* Where `process` points when this process is not traced: no channel at all. */
static const struct lttngmap_process not_traced;

static struct local *make_pages(void)
{
	size_t size = (sizeof(struct local) + 4095) & ~(size_t)4095;
	long pages = arch_syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages < 0 && pages > -4096)
		return NULL;
	if (arch_syscall(SYS_madvise, pages, size, MADV_WIPEONFORK) < 0) {
		arch_syscall(SYS_munmap, pages, size);
		return NULL;
	}
	return (struct local *)pages;
}

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

static bool map_memories(struct local *local, const struct protocol_app_registered *answer,
			 const struct exchange_fds *fds, bool over)
{
	uint64_t data_size = answer_page_up(answer->ring_data_size - answer->meta_page_size);
	uint64_t control_size = answer_page_up(answer->control_size);
	uint64_t process_page = answer->process_offset & ~UINT64_C(4095);
	uint64_t ring_control_size = answer_page_up(answer->ring_control_size);
	uint64_t total = control_size + 4096 + ring_control_size + answer->reserve * data_size;
	char *at;

	if (!reserve_stretch(total, over))
		return false;
	at = inherited.base;
	local->control = (const void *)at;
	local->control_size = control_size;
	if (!map_at(at, control_size, PROT_READ, fds->fd[PROTOCOL_APP_FD_CONTROL], 0))
		return false;
	local->filter_words = ring_filter_words(local->control, control_size);
	at += control_size;
	if (!map_at(at, 4096, PROT_READ, fds->fd[PROTOCOL_APP_FD_PROCESS], process_page))
		return false;
	at += 4096;
	local->ring_control = at;
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
	return true;
}

/* Not closed by the program, and its number not used for another file since. */
static bool is_our_socket(int fd)
{
	struct stat status;

	return fd >= 0 && arch_syscall(SYS_fstat, fd, &status) == 0 && S_ISSOCK(status.st_mode) &&
	       status.st_ino == inherited.socket_inode;
}

/* A child closes what it has of its parent's, a process what it had of a dead daemon's. */
static void drop_inherited_fds(void)
{
	if (is_our_socket(inherited.socket)) {
		arch_syscall(SYS_close, inherited.socket);
		arch_syscall(SYS_close, inherited.doorbell);
	}
	inherited.socket = -1;
	inherited.doorbell = -1;
}

static int move_to(int fd, long lowest)
{
	long moved = arch_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, lowest);

	if (moved < 0)
		return fd;
	arch_syscall(SYS_close, fd);
	return (int)moved;
}

/* The limit is raised for an instant, as far as the program may do itself. */
static bool move_beyond(struct local *local, const struct rlimit *limit)
{
	struct rlimit raised = { limit->rlim_cur + 2, limit->rlim_max };

	if (limit->rlim_cur > HIGHEST_FD || raised.rlim_cur > limit->rlim_max ||
	    arch_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &raised, NULL) < 0)
		return false;
	local->socket = move_to(local->socket, (long)limit->rlim_cur);
	local->doorbell = move_to(local->doorbell, (long)limit->rlim_cur);
	arch_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, limit, NULL);
	return true;
}

static void move_fds(struct local *local)
{
	struct rlimit limit = { .rlim_cur = 0 };
	long lowest;

	arch_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
	if (move_beyond(local, &limit))
		return;
	if (limit.rlim_cur < FEW_FDS) {
		arch_syscall(SYS_close, local->socket);
		arch_syscall(SYS_close, local->doorbell);
		local->socket = -1;
		local->doorbell = -1;
		return;
	}
	lowest = limit.rlim_cur < HIGH_FD + 16 ? (long)limit.rlim_cur - 16 : HIGH_FD;
	local->socket = move_to(local->socket, lowest);
	local->doorbell = move_to(local->doorbell, lowest);
}

static void keep_fds(struct local *local, int socket, struct exchange_fds *fds)
{
	struct stat status = { .st_ino = 0 };

	local->socket = socket;
	local->doorbell = fds->fd[PROTOCOL_APP_FD_DOORBELL];
	fds->fd[PROTOCOL_APP_FD_DOORBELL] = -1;
	move_fds(local);
	if (local->socket >= 0)
		arch_syscall(SYS_fstat, local->socket, &status);
	inherited.socket = local->socket;
	inherited.doorbell = local->doorbell;
	inherited.socket_inode = status.st_ino;
}

/* Control and data of shared rings, in one stretch; a child maps over its parent's. */
static bool map_shared(struct local *local, const struct protocol_app_shared_slot *answer, int data,
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

/* What of it is not to be had is asked for by the first event. */
static void map_shared_rings(struct local *local, const struct protocol_app_registered *answer,
			     long size, const struct exchange_fds *fds)
{
	const struct protocol_app_shared *shared = answer_shared(answer, size);
	const int *fd = fds->fd + PROTOCOL_APP_FD_RING_DATA + answer->reserve;

	for (uint32_t i = 0; shared && i < shared->count; i++)
		if (answer_is_held_shared(&shared->slots[i], local->slot_stride, fd[1 + i], fd[0]))
			map_shared(local, &shared->slots[i], fd[1 + i], fd[0]);
}

static void fill_request(struct protocol_app_register *request, uint32_t flags, uint32_t nr_classes,
			 bool use_rseq, bool allow_blocking)
{
	*request = (struct protocol_app_register){
		.header.type = PROTOCOL_APP_REGISTER,
		.abi_major = LTTNGMAP_ABI_MAJOR,
		.abi_minor = LTTNGMAP_ABI_MINOR,
		.flags = flags | (inherited.is_secure ? 0 : PROTOCOL_APP_SHARES) |
			 (use_rseq ? PROTOCOL_APP_RSEQ : 0) |
			 (allow_blocking ? PROTOCOL_APP_BLOCKING : 0),
		.instance = inherited.instance,
		.word_size = sizeof(long),
		.nr_classes = nr_classes,
	};
	arch_syscall(SYS_prctl, PR_GET_NAME, request->procname);
}

/*
 * Register over `socket`, which is kept or closed, and map; publishes
 * `local->process` last. `attaching` is held. 0 or -errno.
 */
static long attach(struct local *local, int socket, uint64_t deadline, uint32_t flags,
		   const void *classes, size_t size, uint32_t nr_classes,
		   struct protocol_app_registered *answer, size_t answer_size)
{
	struct protocol_app_register request;
	struct exchange_fds fds = { .count = 0 };
	bool use_rseq, allow_blocking;
	long result;

	use_rseq = arch_store16_is_atomic() && __rseq_size > 0;
	allow_blocking = inherited.allow_blocking;
	fill_request(&request, flags, nr_classes, use_rseq, allow_blocking);
	/* A daemon that was killed meanwhile, and is started again, hangs up on us. */
	for (int tries = 0; tries < REGISTER_TRIES; tries++) {
		result = exchange(socket, &request, sizeof(request), classes, size,
				  PROTOCOL_APP_REGISTERED, answer, sizeof(*answer), answer_size,
				  &fds, deadline);
		if (result != -ECONNRESET && result != -EPIPE)
			break;
		arch_syscall(SYS_close, socket);
		socket = exchange_connect_again(deadline, inherited.place);
		if (socket < 0)
			return socket;
	}
	if (result >= 0 &&
	    (!answer_is_sane(answer, result, nr_classes, &fds) ||
	     ((flags & PROTOCOL_APP_FORKED) && answer->instance != inherited.instance)))
		result = -EPROTO;
	if (result >= 0 && !map_memories(local, answer, &fds, flags & PROTOCOL_APP_FORKED))
		result = -ENOMEM;
	if (result < 0) {
		arch_syscall(SYS_close, socket);
		exchange_close_fds(&fds);
		return result;
	}
	local->slot_stride = answer->slot_stride;
	map_shared_rings(local, answer, result, &fds);
	drop_inherited_fds();
	keep_fds(local, socket, &fds);
	exchange_close_fds(&fds);

	local->use_rseq = use_rseq;
	local->store16_atomic = arch_store16_is_atomic();
	local->has_rdpid = arch_has_rdpid();
	local->allow_blocking = allow_blocking;
	local->daemon_gone = false;
	local->reserve = answer->reserve;
	local->index = answer->process_offset / sizeof(struct lttngmap_process);
	inherited.instance = answer->instance;
	module_knock.instance = answer->instance;
	/* A value no ancestor's write can hold: see ring-trylock.c. */
	__atomic_store_n(&local->epoch, ++inherited.epoch, __ATOMIC_RELAXED);
	/* Release: everything above is there for who finds `process`. */
	__atomic_store_n(&local->process,
			 (const void *)((const char *)local->control +
					answer_page_up(answer->control_size) +
					answer->process_offset % 4096),
			 __ATOMIC_RELEASE);
	return 0;
}

static uint64_t deadline_from_now(void)
{
	return exchange_now() + ATTACH_DEADLINE_MS * UINT64_C(1000000);
}

/*
 * Hundreds of children at once have to wait for each other, and all of them for
 * a daemon that is started again.
 */
static uint64_t patient_deadline_from_now(void)
{
	return inherited.allow_blocking
		       ? exchange_now() + ATTACH_BLOCKING_DEADLINE_MS * UINT64_C(1000000)
		       : deadline_from_now();
}

int attach_connect(uint64_t *deadline)
{
	static bool asked;

	if (!asked) {
		inherited.allow_blocking = secure_getenv("LTTNGMAP_ALLOW_BLOCKING") != NULL;
		inherited.is_secure = getauxval(AT_SECURE) != 0;
	}
	asked = true;
	*deadline = deadline_from_now();
	return exchange_connect(*deadline, &inherited.place);
}

/* The first registration, with the answer's room for ids in memory of its own. */
static long attach_with_ids(struct local *local, int socket, uint64_t deadline, const void *classes,
			    size_t size, uint32_t nr_classes, uint16_t *ids)
{
	size_t answer_size =
		protocol_app_shared_offset(nr_classes) + sizeof(struct protocol_app_shared);
	struct protocol_app_registered *answer;
	long memory, result;

	memory = arch_syscall(SYS_mmap, NULL, answer_size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory < 0 && memory > -4096) {
		arch_syscall(SYS_close, socket);
		return memory;
	}
	answer = (struct protocol_app_registered *)memory;
	result = attach(local, socket, deadline, 0, classes, size, nr_classes, answer, answer_size);
	if (result == 0)
		__builtin_memcpy(ids, answer->ids, nr_classes * sizeof(*ids));
	arch_syscall(SYS_munmap, memory, answer_size);
	return result;
}

enum attach_result attach_first(int socket, uint64_t deadline, const void *classes, size_t size,
				uint32_t nr_classes, uint16_t *ids)
{
	struct local *local = make_pages();

	if (!local) {
		arch_syscall(SYS_close, socket);
		return ATTACH_NONE;
	}
	if (attach_with_ids(local, socket, deadline, classes, size, nr_classes, ids) != 0) {
		arch_syscall(SYS_munmap, local, sizeof(*local));
		return ATTACH_NONE;
	}
	/* What was there before stays: somebody may be writing an event by it. */
	module_knock.place = inherited.place;
	__atomic_store_n(&local_pages, local, __ATOMIC_RELEASE);
	return ATTACH_READY;
}

/* The child of a fork: registers as itself, and is not traced where it cannot. */
static void attach_forked(struct local *local)
{
	union {
		struct protocol_app_registered head;
		char space[sizeof(struct protocol_app_registered) + 8 +
			   sizeof(struct protocol_app_shared)];
	} answer;
	uint64_t deadline = patient_deadline_from_now();
	int socket = exchange_connect_again(deadline, module_knock.place);

	if (socket < 0 || attach(local, socket, deadline, PROTOCOL_APP_FORKED, NULL, 0, 0,
				 &answer.head, sizeof(answer)) < 0)
		__atomic_store_n(&local->process, &not_traced, __ATOMIC_RELEASE);
}

/*
 * Somebody is at it. Where events may make this program wait at all, another
 * thread waits for that, as long as a registration takes at most: else a
 * child's threads would lose what they emit until its first one is attached,
 * and all threads but one what they emit until a channel's memory is there.
 * Not the handler of a signal that came to the very thread.
 */
static bool may_wait(struct local *local, uint64_t holder, uint64_t *deadline)
{
	const struct timespec pause = { .tv_nsec = 50000 };

	if (!inherited.allow_blocking || holder == arch_thread_token() ||
	    __atomic_load_n(&local->impatient, __ATOMIC_RELAXED))
		return false;
	if (!*deadline)
		*deadline = patient_deadline_from_now();
	if (exchange_now() >= *deadline) {
		__atomic_store_n(&local->impatient, true, __ATOMIC_RELAXED);
		return false;
	}
	arch_syscall(SYS_nanosleep, &pause, NULL);
	return true;
}

enum attach_result attach_child(struct local *local)
{
	const struct lttngmap_process *process;
	uint64_t deadline = 0, holder;

	while (UNLIKELY((process = __atomic_load_n(&local->process, __ATOMIC_ACQUIRE)) == NULL)) {
		holder = 0;
		if (__atomic_compare_exchange_n(&local->attaching, &holder, arch_thread_token(),
						false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			if (__atomic_load_n(&local->process, __ATOMIC_RELAXED) == NULL)
				attach_forked(local);
			__atomic_store_n(&local->attaching, 0, __ATOMIC_RELEASE);
		} else if (!may_wait(local, holder, &deadline)) {
			return ATTACH_BUSY;
		}
	}
	return process == &not_traced ? ATTACH_NONE : ATTACH_READY;
}

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

	if (!is_our_socket(local->socket))
		return false;
	while (!__atomic_compare_exchange_n(&local->exchange, &holder, arch_thread_token(), false,
					    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		if (!may_wait(local, holder, &deadline))
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
	uint64_t deadline = patient_deadline_from_now();
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

/* Map a memory of its own for a slot; a child maps over its parent's. */
static bool map_extra(struct local *local, uint32_t slot, uint64_t size, int fd, uint64_t offset)
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

bool attach_fetch_memory(struct local *local, uint32_t slot, uint64_t needed)
{
	const uint64_t meta_page_size = 4096;
	uint64_t deadline = patient_deadline_from_now();
	struct protocol_app_memory request = {
		.header.type = PROTOCOL_APP_MEMORY,
		.slot = slot,
	};
	struct protocol_app_memory answer;
	struct exchange_fds fds;
	bool mapped = false;
	long result;

	if (!begin_exchange(local))
		return false;
	/* Another thread, waited for, had the same wish. */
	if (__atomic_load_n(&local->data_size[slot], __ATOMIC_RELAXED) >= needed) {
		end_exchange(local, 0);
		return true;
	}
	result = exchange(local->socket, &request, sizeof(request), NULL, 0, PROTOCOL_APP_MEMORY,
			  &answer, sizeof(answer), sizeof(answer), &fds, deadline);
	if (result >= 0) {
		if (fds.count == 1 && answer.slot == slot &&
		    answer.size >= needed + meta_page_size &&
		    answer_is_held_ring(fds.fd[0], answer.size))
			mapped = map_extra(local, slot,
					   answer_page_up(answer.size - meta_page_size), fds.fd[0],
					   meta_page_size);
		exchange_close_fds(&fds);
	}
	end_exchange(local, result);
	return mapped;
}

bool attach_has_shared(const struct local *local, uint32_t slot, uint32_t life, uint64_t needed)
{
	const struct local_shared *shared = &local->shared[slot];

	return __atomic_load_n(&shared->known, __ATOMIC_ACQUIRE) == ((uint64_t)life << 32 | 1) &&
	       __atomic_load_n(&shared->data_size, __ATOMIC_RELAXED) >= needed;
}

bool attach_fetch_shared(struct local *local, uint32_t slot, uint32_t life, uint64_t needed)
{
	uint64_t deadline = patient_deadline_from_now();
	struct protocol_app_memory request = {
		.header.type = PROTOCOL_APP_MEMORY,
		.slot = slot,
	};
	struct protocol_app_memory answer;
	struct exchange_fds fds;
	bool mapped = false;
	long result;

	if (!begin_exchange(local))
		return false;
	if (attach_has_shared(local, slot, life, needed)) {
		end_exchange(local, 0);
		return true;
	}
	result = exchange(local->socket, &request, sizeof(request), NULL, 0, PROTOCOL_APP_MEMORY,
			  &answer, sizeof(answer), sizeof(answer), &fds, deadline);
	if (result >= 0) {
		const struct protocol_app_shared_slot shared = { slot, life, answer.size };

		mapped = answer_has_shared(&answer, slot, life, needed, local->slot_stride, &fds) &&
			 map_shared(local, &shared, fds.fd[0], fds.fd[1]);
		exchange_close_fds(&fds);
	}
	end_exchange(local, result);
	return mapped;
}

uint64_t attach_patience_ms(void)
{
	/* For an exchange of somebody else's, and then for the own one. */
	return 1000 + (inherited.allow_blocking ? 2 * ATTACH_BLOCKING_DEADLINE_MS : 0);
}

bool attach_has_socket(struct local *local)
{
	return is_our_socket(local->socket);
}

bool attach_daemon_left(void)
{
	const struct lttngmap_control *control = (const void *)inherited.base;

	return control && __atomic_load_n(&control->left, __ATOMIC_ACQUIRE);
}

bool attach_is_alive(struct local *local)
{
	char byte;
	long result = arch_syscall(SYS_recvfrom, local->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT,
				   NULL, NULL);

	/* A child that was forked here has no socket yet. */
	if (!__atomic_load_n(&local->process, __ATOMIC_ACQUIRE))
		return true;
	/* An answer that came too late is still there: the daemon was slow, not gone. */
	return result > 0 || result == -EAGAIN;
}
