/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/ring/context.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/stat.h>

#include <lttngmap/abi.h>
#include <lttngmap/filter-code.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/ring/ring-rseq.h"
#include "liblttngmap/base/vfork.h"

/* Ticks that a value may be old: 1 to 2 ms by the TSC of today's CPUs, 4 ms by CLOCK_MONOTONIC. */
#define AGE_MAX (UINT64_C(1) << 22)

#define NAMESPACES (LTTNGMAP_CONTEXT_UTS_NS - LTTNGMAP_CONTEXT_CGROUP_NS + 1)
#define USER_IDS (LTTNGMAP_CONTEXT_VSGID - LTTNGMAP_CONTEXT_VUID + 1)

#define BIT(context) (UINT64_C(1) << LTTNGMAP_CONTEXT_##context)
#define BITS(first, last) ((BIT(last) << 1) - BIT(first))

/*
 * A thread's. A signal handler may come in between and fill it as well: it
 * stores what the thread would, and `known` says only what is stored.
 */
struct cache {
	uint64_t epoch; /* of the process that this was asked in */
	uint64_t known; /* bit set of contexts */
	uint64_t asked; /* ticks when the first of the ageing ones was */
	int32_t vpid, vtid;
	char procname[LTTNGMAP_PROCNAME_SIZE];
	uint64_t namespaces[NAMESPACES];
	uint32_t user_ids[USER_IDS];
};

static __thread struct cache cache __attribute__((tls_model("initial-exec")));
__thread struct context_vtid context_vtid;

static const char *const namespace_paths[NAMESPACES] = {
	"/proc/thread-self/ns/cgroup", "/proc/thread-self/ns/ipc", "/proc/thread-self/ns/mnt",
	"/proc/thread-self/ns/net",    "/proc/thread-self/ns/pid", "/proc/thread-self/ns/time",
	"/proc/thread-self/ns/user",   "/proc/thread-self/ns/uts",
};

static void ask_namespaces(uint64_t wanted)
{
	for (unsigned i = 0; i < NAMESPACES; i++) {
		struct stat status = { .st_ino = 0 };

		if (!(wanted >> (LTTNGMAP_CONTEXT_CGROUP_NS + i) & 1))
			continue;
		/* Where it cannot be told (no /proc), it is 0. */
		arch_syscall(SYS_newfstatat, AT_FDCWD, namespace_paths[i], &status, 0);
		cache.namespaces[i] = status.st_ino;
	}
}

static void ask(uint64_t wanted)
{
	uint32_t *ids = cache.user_ids;

	if (wanted & BIT(VPID))
		cache.vpid = (int32_t)arch_syscall(SYS_getpid);
	if (wanted & BIT(VTID)) {
		cache.vtid = (int32_t)arch_syscall(SYS_gettid);
		/* A vfork's child that is killed in here leaves its parent none, and not its own.
		 */
		context_vtid.epoch = 0;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		context_vtid.vtid = cache.vtid;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		context_vtid.epoch = cache.epoch;
	}
	if (wanted & BIT(PROCNAME))
		arch_syscall(SYS_prctl, PR_GET_NAME, cache.procname);
	if (wanted & BITS(CGROUP_NS, UTS_NS))
		ask_namespaces(wanted);
	if (wanted & BITS(VUID, VSUID))
		arch_syscall(SYS_getresuid, &ids[0], &ids[1], &ids[2]);
	if (wanted & BITS(VGID, VSGID))
		arch_syscall(SYS_getresgid, &ids[3], &ids[4], &ids[5]);
}

static void refresh(const struct local *local, uint64_t contexts)
{
	const uint64_t ageing = BIT(PROCNAME) | BITS(CGROUP_NS, VSGID);
	uint64_t missing;

	/* A vfork's child has its parent's thread storage: it knows nothing, and leaves nothing. */
	if (cache.epoch != local->epoch || vfork_depth) {
		cache.known = 0;
		cache.epoch = vfork_depth ? 0 : local->epoch;
	}
	if ((contexts & ageing) && arch_ticks() - cache.asked > AGE_MAX) {
		cache.known &= ~ageing;
		cache.asked = arch_ticks();
	}
	missing = contexts & BITS(VPID, VSGID) & ~cache.known & ~(BIT(PTHREAD_ID) | BIT(IP));
	if (missing) {
		ask(missing);
		cache.known |= missing;
	}
}

static unsigned char *put(unsigned char *to, const void *value, size_t size)
{
	__builtin_memcpy(to, value, size);
	return to + size;
}

/* Contexts that few users record. */
static __attribute__((noinline)) unsigned char *put_namespaces_and_ids(unsigned char *at,
								       uint64_t contexts)
{
	for (unsigned i = 0; i < NAMESPACES; i++)
		if (contexts >> (LTTNGMAP_CONTEXT_CGROUP_NS + i) & 1)
			at = put(at, &cache.namespaces[i], sizeof(cache.namespaces[i]));
	for (unsigned i = 0; i < USER_IDS; i++)
		if (contexts >> (LTTNGMAP_CONTEXT_VUID + i) & 1)
			at = put(at, &cache.user_ids[i], sizeof(cache.user_ids[i]));
	return at;
}

size_t context_write(const struct local *local, uint64_t contexts, const void *ip,
		     unsigned char *to)
{
	unsigned char *at = to;
	uint64_t word;

	refresh(local, contexts);
	if (contexts & BIT(VPID))
		at = put(at, &cache.vpid, sizeof(cache.vpid));
	if (contexts & BIT(VTID))
		at = put(at, &cache.vtid, sizeof(cache.vtid));
	if (contexts & BIT(PROCNAME))
		at = put(at, cache.procname, sizeof(cache.procname));
	if (contexts & BIT(PTHREAD_ID)) {
		word = arch_thread_token(); /* which is what glibc's pthread_self() is */
		at = put(at, &word, sizeof(word));
	}
	if (contexts & BIT(IP)) {
		word = (uint64_t)ip;
		at = put(at, &word, sizeof(word));
	}
	if (UNLIKELY(contexts & BITS(CGROUP_NS, VSGID)))
		at = put_namespaces_and_ids(at, contexts);
	return (size_t)(at - to);
}

/* Threads have neither rseq nor rdpid on old kernels, and in valgrind. */
static uint32_t current_cpu(const struct local *local)
{
	uint32_t cpu = local->use_rseq ? ring_rseq_cpu(__rseq_offset) : UINT32_MAX;

	if ((int32_t)cpu >= 0)
		return cpu;
	if (local->has_rdpid)
		return arch_rdpid();
	arch_syscall(SYS_getcpu, &cpu, NULL, NULL);
	return cpu;
}

bool context_read(const struct local *local, uint32_t id, const void *ip,
		  struct filter_value *value)
{
	*value = (struct filter_value){ .number = 0 };
	if (id == LTTNGMAP_FILTER_CONTEXT_CPU_ID) {
		value->number = current_cpu(local);
		return true;
	}
	if (id >= LTTNGMAP_CONTEXTS || id == LTTNGMAP_CONTEXT_CALLSTACK)
		return false;
	refresh(local, UINT64_C(1) << id);
	if (id == LTTNGMAP_CONTEXT_VPID)
		value->number = (uint64_t)cache.vpid;
	else if (id == LTTNGMAP_CONTEXT_VTID)
		value->number = (uint64_t)cache.vtid;
	else if (id == LTTNGMAP_CONTEXT_PTHREAD_ID)
		value->number = arch_thread_token();
	else if (id == LTTNGMAP_CONTEXT_IP)
		value->number = (uint64_t)ip;
	else if (id >= LTTNGMAP_CONTEXT_VUID)
		value->number = cache.user_ids[id - LTTNGMAP_CONTEXT_VUID];
	else if (id >= LTTNGMAP_CONTEXT_CGROUP_NS)
		value->number = cache.namespaces[id - LTTNGMAP_CONTEXT_CGROUP_NS];
	else
		*value = (struct filter_value){ .string = cache.procname,
						.size = sizeof(cache.procname) };
	return true;
}
