/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * arch.h - what the event path asks of the machine, and nothing of libc:
 * the time stamp counter, the thread's identity, a 16-byte store, and system
 * calls that leave errno alone.
 *
 * x86-64 only so far. Another architecture needs these functions, and writes
 * by trylock (ring-trylock.h) until it has a ring-rseq.h of its own.
 */
#ifndef LIBLTTNGMAP_BASE_ARCH_H
#define LIBLTTNGMAP_BASE_ARCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/platform/x86.h>
#include <sys/syscall.h>

#ifndef __x86_64__
#error "liblttngmap knows x86-64 only so far: see liblttngmap/base/arch.h"
#endif

/* Ticks since boot, 64 bits. Not ordered against the instructions around it. */
static inline uint64_t arch_ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* Not 0, and no other running thread's of this process. */
static inline uint64_t arch_thread_token(void)
{
	uint64_t self;

	__asm__("movq %%fs:0, %0" : "=r"(self));
	return self;
}

/*
 * Does this thread have the C library's thread-local storage? Its first and its third word are its
 * own address. The thread pointer of a raw clone may lead to zeros.
 */
static inline bool arch_thread_has_storage(void)
{
	uint64_t self;

	__asm__("movq %%fs:16, %0" : "=r"(self));
	return self && self == arch_thread_token();
}

/*
 * The C library's pointer guard, a random number that each thread of a process has in its storage.
 * So one comparison tells a thread that has such storage.
 *
 * The number is a secret: glibc mangles pointers of setjmp() and atexit() by it.
 * `local_first.guard` (local.h) is a copy in the library's data, at a known distance from its code.
 * An attacker who can read all of the process's memory finds the number in each thread's storage
 * anyway. One who can read only the library's data learns it from the copy
 * (doc/design/security.md).
 */
#define ARCH_THREAD_GUARD "%%fs:48"
static inline uint64_t arch_thread_guard(void)
{
	uint64_t guard;

	__asm__("movq " ARCH_THREAD_GUARD ", %0" : "=r"(guard));
	return guard;
}

/*
 * Publish both words of a commit at once; everything stored before is visible
 * to whoever sees it (stores are not reordered on x86). A 16-byte aligned
 * store is one access on every CPU that has AVX, as Intel and AMD document;
 * arch_store16_is_atomic() tells, arch_store16_locked() serves the others.
 */
static inline void arch_store16(uint64_t *to, uint64_t word0, uint64_t word1)
{
	__asm__ volatile("movq %1, %%xmm0\n\t"
			 "movq %2, %%xmm1\n\t"
			 "punpcklqdq %%xmm1, %%xmm0\n\t"
			 "movaps %%xmm0, (%0)"
			 :
			 : "r"(to), "r"(word0), "r"(word1)
			 : "xmm0", "xmm1", "memory");
}

static inline void arch_store16_locked(uint64_t *to, uint64_t word0, uint64_t word1)
{
	uint64_t old0 = to[0], old1 = to[1];
	bool done;

	do {
		__asm__ volatile("lock cmpxchg16b (%5)"
				 : "=@ccz"(done), "+a"(old0), "+d"(old1)
				 : "b"(word0), "c"(word1), "r"(to)
				 : "memory");
	} while (!done);
}

/*
 * libc has asked the CPU already: an instruction that asks it anew leaves a
 * virtual machine, 4 us each time.
 */
static inline bool arch_store16_is_atomic(void)
{
	return CPU_FEATURE_ACTIVE(AVX);
}

/*
 * The CPU that this runs on, as a first guess only. rdpid reads it from a register (0.5 ns). Older
 * CPUs have it in the limit of a segment, too, but valgrind does not know the instruction that
 * reads it.
 */
static inline bool arch_has_rdpid(void)
{
	return CPU_FEATURE_PRESENT(RDPID);
}

static inline uint32_t arch_rdpid(void)
{
	uint64_t value;

	__asm__ volatile("rdpid %0" : "=r"(value));
	return value & 0xfff;
}

/* Asks for a line of memory that is to be written to. No fault, whatever is there. */
static inline void arch_prefetch(const void *address)
{
	__asm__ volatile("prefetchw (%0)" : : "r"(address));
}

static inline void arch_pause(void)
{
	__asm__ volatile("pause");
}

/* The kernel's own answer: a value, or -errno. Keeps the caller's errno. */
static inline long arch_syscall6(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#define ARCH_SYSCALL_PICK(_1, _2, _3, _4, _5, _6, _7, NAME, ...) NAME
#define arch_syscall_1(n) arch_syscall6(n, 0, 0, 0, 0, 0, 0)
#define arch_syscall_2(n, a) arch_syscall6(n, (long)(a), 0, 0, 0, 0, 0)
#define arch_syscall_3(n, a, b) arch_syscall6(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define arch_syscall_4(n, a, b, c) arch_syscall6(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define arch_syscall_5(n, a, b, c, d)                                                              \
	arch_syscall6(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define arch_syscall_6(n, a, b, c, d, e)                                                           \
	arch_syscall6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define arch_syscall_7(n, a, b, c, d, e, f)                                                        \
	arch_syscall6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
/* arch_syscall(SYS_name, up to six arguments) */
#define arch_syscall(...)                                                                          \
	ARCH_SYSCALL_PICK(__VA_ARGS__, arch_syscall_7, arch_syscall_6, arch_syscall_5,             \
			  arch_syscall_4, arch_syscall_3, arch_syscall_2, arch_syscall_1)          \
	(__VA_ARGS__)

#endif /* LIBLTTNGMAP_BASE_ARCH_H */
