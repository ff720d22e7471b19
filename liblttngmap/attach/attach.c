/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/attach/attach.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/socket.h>

#include <lttngmap/abi.h>

#include "common/protocol/protocol-app.h"
#include "liblttngmap/attach/answer.h"
#include "liblttngmap/base/arch.h"
#include "liblttngmap/attach/away.h"
#include "liblttngmap/base/descriptors.h"
#include "liblttngmap/attach/exchange.h"
#include "liblttngmap/attach/memory-map.h"
#include "liblttngmap/attach/module.h"
#include "liblttngmap/attach/own-limits.h"
#include "liblttngmap/attach/sandbox.h"

/* A daemon that hangs up so often is not one. */
#define REGISTER_TRIES 3
/* Before it is asked again by who was refused for want of descriptors. */
#define SHORTAGE_PAUSE_NS UINT64_C(20000000)

/*
 * Survives a fork, so that a child can be attached over its parent. Set by the first attach only,
 * before `local->process`.
 */
static struct {
	uint64_t instance;
	uint64_t token;
	uint64_t epoch;
	uint32_t place; /* of module_attach_request.places */
	uint32_t pid;   /* of the process that registered: not of its child, before that does */
	uint32_t uid;   /* its effective user then, whose messages alone the daemon serves */
	uint32_t register_ms; /* how long a registration may take; 0: as an event's request */
	bool allow_blocking;
	/* It has more rights than who started it, who is not to read along. */
	bool is_secure;
} inherited = { .place = ATTACH_REQUEST_NO_PLACE };

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

static void fill_request(struct protocol_app_register *request, uint32_t flags, uint32_t nr_classes,
			 bool use_rseq, bool allow_blocking)
{
	*request = (struct protocol_app_register){
		.header.type = PROTOCOL_APP_REGISTER,
		.abi_major = LTTNGMAP_ABI_MAJOR,
		.abi_minor = LTTNGMAP_ABI_MINOR,
		.flags = flags | (inherited.is_secure ? 0 : PROTOCOL_APP_SHARES) |
			 (use_rseq ? PROTOCOL_APP_RSEQ : 0) |
			 (allow_blocking ? PROTOCOL_APP_BLOCKING : 0) |
			 (limits_are_set() ? 0 : PROTOCOL_APP_UNLIMITED),
		.instance = inherited.instance,
		.parent = inherited.token,
		.word_size = sizeof(long),
		.nr_classes = nr_classes,
	};
	arch_syscall(SYS_prctl, PR_GET_NAME, request->procname);
}

/*
 * Is a registration that ended so worth another one? A daemon that was killed meanwhile, and is
 * started again, hangs up on us. One that is short of descriptors may have some in a moment:
 * that counts as no try, as long as there is time.
 */
static bool may_try_again(long result, int *tries, uint64_t deadline)
{
	if (result == -EAGAIN && exchange_now() + SHORTAGE_PAUSE_NS < deadline) {
		exchange_pause(SHORTAGE_PAUSE_NS);
		*tries = 0;
		return true;
	}
	return (result == -ECONNRESET || result == -EPIPE) && ++*tries < REGISTER_TRIES;
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
	bool use_rseq, allow_blocking, is_forked = flags & PROTOCOL_APP_FORKED;
	int tries = 0;
	long result;

	use_rseq = arch_store16_is_atomic() && __rseq_size > 0;
	allow_blocking = inherited.allow_blocking;
	fill_request(&request, flags, nr_classes, use_rseq, allow_blocking);
	for (;;) {
		result = exchange(socket, &request, sizeof(request), classes, size,
				  PROTOCOL_APP_REGISTERED, answer, sizeof(*answer), answer_size,
				  &fds, deadline);
		if (!may_try_again(result, &tries, deadline))
			break;
		arch_syscall(SYS_close, socket);
		socket = exchange_connect_again(deadline, inherited.place);
		if (socket < 0)
			return socket;
	}
	if (result >= 0 && (!answer_is_sane(answer, result, nr_classes, &fds,
					    is_forked && memory_map_has_control()) ||
			    (is_forked && answer->instance != inherited.instance)))
		result = -EPROTO;
	if (result >= 0 && !memory_map(local, answer, &fds, is_forked))
		result = -ENOMEM;
	if (result < 0) {
		arch_syscall(SYS_close, socket);
		exchange_close_fds(&fds);
		return result;
	}
	memory_map_first_rings(local, answer, result, &fds);
	descriptors_keep(local, socket, &fds);
	exchange_close_fds(&fds);

	local->use_rseq = use_rseq;
	local->store16_atomic = arch_store16_is_atomic();
	local->has_rdpid = arch_has_rdpid();
	local->allow_blocking = allow_blocking;
	local->daemon_gone = false;
	local->index = answer->process_offset / sizeof(struct lttngmap_process);
	inherited.instance = answer->instance;
	inherited.pid = (uint32_t)arch_syscall(SYS_getpid);
	inherited.uid = (uint32_t)arch_syscall(SYS_geteuid);
	local->user = inherited.uid;
	inherited.token = answer->token;
	module_attach_request.instance = answer->instance;
	/* A value no ancestor's write can hold: see ring-trylock.c. */
	__atomic_store_n(&local->epoch, ++inherited.epoch, __ATOMIC_RELAXED);
	/* Release: everything above is there for who finds `process`. */
	__atomic_store_n(&local->process, memory_map_process(), __ATOMIC_RELEASE);
	return 0;
}

/*
 * Hundreds of programs and children at once have to wait for each other, and all of them
 * for a daemon that is started again.
 */
uint64_t attach_deadline(void)
{
	uint64_t ms = inherited.allow_blocking ? ATTACH_BLOCKING_DEADLINE_MS : ATTACH_DEADLINE_MS;

	return exchange_now() + ms * UINT64_C(1000000);
}

uint64_t attach_register_deadline(void)
{
	return inherited.register_ms ? exchange_now() + inherited.register_ms * UINT64_C(1000000)
				     : attach_deadline();
}

/* Not strtoul(), which depends on the locale. 0: it is no number. */
static uint32_t parse_ms(const char *text)
{
	uint32_t ms = 0;

	for (; text && *text; text++) {
		if (*text < '0' || *text > '9')
			return 0;
		ms = ms * 10 + (uint32_t)(*text - '0');
		if (ms > ATTACH_REGISTER_MOST_MS)
			ms = ATTACH_REGISTER_MOST_MS;
	}
	return ms;
}

int attach_connect(uint64_t *deadline)
{
	static bool asked;

	if (!asked) {
		inherited.allow_blocking = secure_getenv("LTTNGMAP_ALLOW_BLOCKING") != NULL;
		inherited.register_ms = parse_ms(secure_getenv("LTTNGMAP_REGISTER_TIMEOUT"));
		inherited.is_secure = getauxval(AT_SECURE) != 0;
	}
	asked = true;
	if (sandbox_is_on())
		return -EPERM;
	*deadline = attach_register_deadline();
	return exchange_connect(*deadline, &inherited.place);
}

enum attach_result attach_first(int socket, uint64_t deadline, const void *classes, size_t size,
				uint32_t nr_classes, struct protocol_app_registered *answer)
{
	size_t answer_size =
		protocol_app_slots_offset(nr_classes) + sizeof(struct protocol_app_slots);
	struct local *local = make_pages(), *before = local_pages;

	if (!local) {
		arch_syscall(SYS_close, socket);
		return ATTACH_NONE;
	}
	if (attach(local, socket, deadline, 0, classes, size, nr_classes, answer, answer_size) !=
	    0) {
		arch_syscall(SYS_munmap, local, sizeof(*local));
		return ATTACH_NONE;
	}
	/* The earlier pages stay: another thread may be writing an event by them. */
	module_attach_request.place = inherited.place;
	__atomic_store_n(&local_pages, local, __ATOMIC_RELEASE);
	away_carry(before, local);
	return ATTACH_READY;
}

/* The daemon reads it when it can, and nobody waits for it. */
static void tell_untraced(int socket, struct protocol_app_untraced *message)
{
	message->header = (struct protocol_app_header){
		.magic = PROTOCOL_APP_MAGIC,
		.major = PROTOCOL_APP_MAJOR,
		.minor = PROTOCOL_APP_MINOR,
		.type = PROTOCOL_APP_UNTRACED,
		.size = sizeof(*message),
	};
	arch_syscall(SYS_sendto, socket, message, sizeof(*message), MSG_DONTWAIT | MSG_NOSIGNAL,
		     NULL, 0);
}

/* This child did not reach the daemon. Its parent's socket, which it has as well, does. */
static void tell_forked(void)
{
	struct protocol_app_untraced message = { .pid = (uint32_t)arch_syscall(SYS_getpid) };
	int socket = descriptors_parent_socket();

	if (socket < 0)
		return;
	arch_syscall(SYS_prctl, PR_GET_NAME, message.procname);
	tell_untraced(socket, &message);
}

static void copy_name(char *to, size_t size, const char *name)
{
	for (size_t i = 0; i < size - 1 && name[i]; i++)
		to[i] = name[i];
}

/* This process has no descriptor of a registration: its program closed them before its exec. */
static void tell_executed_anew(const char *name)
{
	struct protocol_app_executed message = {
		.header = {
			.magic = PROTOCOL_APP_MAGIC,
			.major = PROTOCOL_APP_MAJOR,
			.minor = PROTOCOL_APP_MINOR,
			.type = PROTOCOL_APP_EXECUTED,
			.size = sizeof(message),
		},
		.parent = inherited.token,
	};
	uint64_t deadline = exchange_now() + ATTACH_DEADLINE_MS * UINT64_C(1000000);
	int socket;

	if (!inherited.instance)
		return;
	socket = exchange_connect_again(deadline, module_attach_request.place);
	if (socket < 0)
		return;
	copy_name(message.procname, sizeof(message.procname), name);
	arch_syscall(SYS_sendto, socket, &message, sizeof(message), MSG_DONTWAIT | MSG_NOSIGNAL,
		     NULL, 0);
	arch_syscall(SYS_close, socket);
}

void attach_tell_executed(int pid, const char *name)
{
	struct protocol_app_untraced message = { .executed = pid ? 2 : 1 };
	uint32_t own = (uint32_t)arch_syscall(SYS_getpid);
	int socket = descriptors_parent_socket();

	if (sandbox_is_on())
		return;
	message.pid = pid ? (uint32_t)pid : own;
	if (socket >= 0 && (*name || message.pid == inherited.pid)) {
		copy_name(message.procname, sizeof(message.procname), name);
		tell_untraced(socket, &message);
	} else if (!pid) {
		tell_executed_anew(name);
	}
}

static long register_forked(struct local *local)
{
	union {
		struct protocol_app_registered head;
		char space[sizeof(struct protocol_app_registered) + 8 +
			   sizeof(struct protocol_app_slots)];
	} answer;
	uint64_t deadline = attach_register_deadline();
	int socket = exchange_connect_again(deadline, module_attach_request.place);

	if (socket < 0) {
		tell_forked();
		return socket;
	}
	return attach(local, socket, deadline, PROTOCOL_APP_FORKED, NULL, 0, 0, &answer.head,
		      sizeof(answer));
}

/* The child of a fork: registers as itself, and is not traced where it cannot. */
static void attach_forked(struct local *local)
{
	long error = sandbox_is_on() ? -EPERM : register_forked(local);

	if (error == -ESTALE)
		__atomic_store_n(&local->stale, true, __ATOMIC_RELAXED);
	else if (error < 0)
		__atomic_store_n(&local->process, &not_traced, __ATOMIC_RELEASE);
	else
		descriptors_leave_few(local);
}

bool attach_is_stale(const struct local *local)
{
	return __atomic_load_n(&local->stale, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&local->process, __ATOMIC_RELAXED);
}

void attach_leave_stale(struct local *stale)
{
	struct local *local = local_pages;

	/* Adds the events that other threads lost meanwhile. */
	if (local != stale)
		__atomic_add_fetch(&local->lost,
				   __atomic_exchange_n(&stale->lost, 0, __ATOMIC_RELAXED),
				   __ATOMIC_RELAXED);
	__atomic_store_n(&stale->process, &not_traced, __ATOMIC_RELEASE);
}

void attach_lose(struct local *local, const uint64_t *word)
{
	if (__atomic_load_n(&local->process, __ATOMIC_RELAXED) == &not_traced &&
	    !away_lose_word(local, word))
		memory_map_lose(word);
}

/*
 * Another thread waits as long as a registration takes at most: else a child's
 * threads would lose what they emit until its first one is attached, and all
 * threads but one what they emit until a channel's memory is there. Not the
 * handler of a signal that came to the very thread.
 */
bool attach_may_wait(struct local *local, uint64_t holder, uint64_t *deadline)
{
	if (!inherited.allow_blocking || holder == arch_thread_token() ||
	    __atomic_load_n(&local->impatient, __ATOMIC_RELAXED))
		return false;
	if (!*deadline)
		*deadline = attach_deadline();
	if (exchange_now() >= *deadline) {
		__atomic_store_n(&local->impatient, true, __ATOMIC_RELAXED);
		return false;
	}
	exchange_pause(50000);
	return true;
}

enum attach_result attach_child(struct local *local)
{
	const struct lttngmap_process *process;
	uint64_t deadline = 0, holder;

	while (UNLIKELY((process = __atomic_load_n(&local->process, __ATOMIC_ACQUIRE)) == NULL)) {
		holder = 0;
		if (__atomic_load_n(&local->stale, __ATOMIC_RELAXED))
			return ATTACH_STALE;
		if (__atomic_compare_exchange_n(&local->attaching, &holder, arch_thread_token(),
						false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			if (__atomic_load_n(&local->process, __ATOMIC_RELAXED) == NULL)
				attach_forked(local);
			__atomic_store_n(&local->attaching, 0, __ATOMIC_RELEASE);
		} else if (!attach_may_wait(local, holder, &deadline)) {
			return ATTACH_BUSY;
		}
	}
	return process == &not_traced ? ATTACH_NONE : ATTACH_READY;
}

uint64_t attach_patience_ms(void)
{
	uint64_t ms = inherited.allow_blocking ? ATTACH_BLOCKING_DEADLINE_MS : 0;

	/* For an exchange of somebody else's, and then for the own one. */
	return 1000 + 2 * (inherited.register_ms > ms ? inherited.register_ms : ms);
}

bool attach_is_registered(void)
{
	return (uint32_t)arch_syscall(SYS_getpid) == inherited.pid;
}

bool attach_may_ask(void)
{
	return attach_is_registered() || (uint32_t)arch_syscall(SYS_getuid) == inherited.uid;
}

bool attach_has_socket(struct local *local)
{
	return descriptors_has_socket(local->socket);
}

bool attach_daemon_left(void)
{
	const struct lttngmap_control *control = memory_map_control();

	return control && __atomic_load_n(&control->left, __ATOMIC_ACQUIRE) & LTTNGMAP_LEFT_GONE;
}

bool attach_daemon_comes_again(void)
{
	const struct lttngmap_control *control = memory_map_control();

	return control && __atomic_load_n(&control->left, __ATOMIC_ACQUIRE) & LTTNGMAP_LEFT_COUNTS;
}

bool attach_is_alive(struct local *local)
{
	char byte;
	long result;

	if (sandbox_is_on())
		return true;
	result = arch_syscall(SYS_recvfrom, local->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT, NULL,
			      NULL);
	/* A child that was forked here has no socket yet. */
	if (!__atomic_load_n(&local->process, __ATOMIC_ACQUIRE))
		return true;
	/* An answer that came too late is still there: the daemon was slow, not gone. */
	return result > 0 || result == -EAGAIN;
}
