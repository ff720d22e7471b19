/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "preload/function-patch.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096u
/* A call reaches 2 GiB; below an object its heap does not grow. */
#define REACH (UINT64_C(1) << 31)
#define STEP (UINT64_C(1) << 16)
#define STEPS_MAX 4096u
/* "." and ".." of /proc/self/task, and a directory for each thread. */
#define LINKS_OF_ONE_THREAD 3u
/* Size of the kernel's signal set. */
#define SIGNALS_SIZE 8u

/* jmp *0(%rip), and where to. */
struct thunk {
	unsigned char jump[6];
	uint64_t target;
} __attribute__((packed));

static int memory = -1;
static uint64_t signals_before;

/* mprotect() would leave other rights than there were; this changes bytes and nothing else. */
static bool write_code(uint64_t at, const void *bytes, uint64_t size)
{
	return syscall(SYS_pwrite64, memory, bytes, size, at) == (long)size;
}

enum function_problem function_patch_begin(void)
{
	const uint64_t all = UINT64_MAX;
	struct stat task;
	long fd;

	if (syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &task, 0) != 0)
		return FUNCTION_NOT_PERMITTED;
	if (task.st_nlink != LINKS_OF_ONE_THREAD)
		return FUNCTION_HAS_THREADS;
	fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return FUNCTION_NOT_PERMITTED;
	memory = (int)fd;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &signals_before, SIGNALS_SIZE);
	return FUNCTION_FINE;
}

void function_patch_end(void)
{
	if (memory < 0)
		return;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &signals_before, NULL, SIGNALS_SIZE);
	syscall(SYS_close, memory);
	memory = -1;
}

static bool is_reached(uint64_t at, const struct function_object *object)
{
	return at < object->begin && object->end - at < REACH;
}

/* Behind the code, to its last page's end: nobody's, as long as it is zeros. */
static const void *thunk_behind(const struct function_object *object, const struct thunk *thunk)
{
	static const struct thunk nothing;
	uint64_t at = (object->end + 15) & ~UINT64_C(15);
	uint64_t page_end = (object->end + PAGE - 1) & ~(uint64_t)(PAGE - 1);

	if (at + sizeof(*thunk) > page_end ||
	    memcmp((const void *)at, &nothing, sizeof(nothing)) != 0 ||
	    !write_code(at, thunk, sizeof(*thunk)))
		return NULL;
	return (const void *)at;
}

/* A page of its own, below the object. */
static const void *thunk_below(const struct function_object *object, const struct thunk *thunk,
			       enum function_problem *problem)
{
	uint64_t at = object->base < object->begin && object->base ? object->base : object->begin;
	void *page = MAP_FAILED;

	at &= ~(STEP - 1);
	for (unsigned i = 0; i < STEPS_MAX && at > STEP && is_reached(at - STEP, object); i++) {
		at -= STEP;
		page = mmap((void *)at, PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (page == (void *)at)
			break;
		/* Before Linux 4.17 the address was but a hint. */
		if (page != MAP_FAILED)
			munmap(page, PAGE);
		page = MAP_FAILED;
	}
	*problem = FUNCTION_NO_ROOM;
	if (page == MAP_FAILED)
		return NULL;
	memcpy(page, thunk, sizeof(*thunk));
	if (mprotect(page, PAGE, PROT_READ | PROT_EXEC) == 0) {
		*problem = FUNCTION_FINE;
		return page;
	}
	munmap(page, PAGE);
	*problem = FUNCTION_NOT_PERMITTED;
	return NULL;
}

const void *function_patch_thunk(const struct function_object *object, const void *target,
				 enum function_problem *problem)
{
	const struct thunk thunk = { { 0xff, 0x25 }, (uint64_t)target };
	const void *found = thunk_behind(object, &thunk);

	return found ? found : thunk_below(object, &thunk, problem);
}

bool function_patch_is_room(const unsigned char *at)
{
	static const unsigned char ones[] = { 0x90, 0x90, 0x90, 0x90, 0x90 };
	static const unsigned char one[] = { 0x0f, 0x1f, 0x44, 0x00 };

	return memcmp(at, ones, sizeof(ones)) == 0 || memcmp(at, one, sizeof(one)) == 0;
}

bool function_patch_call(uint64_t at, const void *thunk)
{
	unsigned char code[FUNCTION_CALL_SIZE] = { 0xe8 };
	int32_t distance = (int32_t)((uint64_t)thunk - (at + sizeof(code)));

	memcpy(code + 1, &distance, sizeof(distance));
	return write_code(at, code, sizeof(code));
}

static uint64_t reaches(uint64_t end)
{
	int32_t distance;

	memcpy(&distance, (const void *)(end - sizeof(distance)), sizeof(distance));
	return end + (uint64_t)(int64_t)distance;
}

static bool is_slot(uint64_t at, const struct function_slots *slots)
{
	for (unsigned i = 0; i < slots->count; i++) {
		if (slots->at[i] == at)
			return true;
	}
	return false;
}

/* Recognizes an entry of a procedure linkage table: [endbr64] [bnd] jmp *SLOT(%rip) */
static bool leads_to_slot(const struct function_object *object, uint64_t at,
			  const struct function_slots *slots)
{
	const unsigned char *code;

	if (at < object->begin || at >= object->end || object->end - at < FUNCTION_READ)
		return false;
	at = function_body(object, at);
	code = (const unsigned char *)at;
	if (code[0] == 0xf2) {
		code++;
		at++;
	}
	return code[0] == 0xff && code[1] == 0x25 && is_slot(reaches(at + 6), slots);
}

bool function_patch_mute(const struct function_object *object, uint64_t at,
			 const struct function_slots *slots)
{
	const unsigned char *code = (const unsigned char *)at;
	unsigned char nothing;

	if (object->end - at < FUNCTION_READ)
		return true;
	if (code[0] == 0xff && code[1] == 0x15 && is_slot(reaches(at + 6), slots))
		nothing = 0x85; /* test %edx, SLOT(%rip) */
	else if (code[0] == 0xe8 && leads_to_slot(object, reaches(at + 5), slots))
		nothing = 0xa9; /* test $…, %eax */
	else
		return true;
	return memory >= 0 && write_code(at, &nothing, sizeof(nothing));
}
