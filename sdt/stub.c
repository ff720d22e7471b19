/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sdt/stub.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sdt/place.h"

#define NOP 0x90
#define JUMP 0xe9
#define BREAKPOINT 0xcc
#define JUMP_SIZE SDT_LANDING_SIZE
#define STUB_SIZE SDT_STUB_SIZE

int sdt_writer_open(struct sdt_writer *writer)
{
	writer->fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR | O_CLOEXEC);
	return writer->fd < 0 ? -errno : 0;
}

void sdt_writer_close(struct sdt_writer *writer)
{
	syscall(SYS_close, writer->fd);
}

static int write_at(struct sdt_writer *writer, uint64_t address, const void *bytes, size_t size)
{
	long written = syscall(SYS_pwrite64, writer->fd, bytes, size, address);

	return written == (long)size ? 0 : written < 0 ? -errno : -EIO;
}

static int refuse(struct sdt_refusal *refusal, int error, const char *why)
{
	refusal->error = error;
	refusal->why = why;
	return error;
}

/* ---- code ---------------------------------------------------------------------------- */

/*
 * Over the red zone, is the event on, call, back. jrcxz looks at no flag and
 * changes none.
 */
static void write_code(unsigned char code[STUB_SIZE], const struct sdt_site *site, uint64_t stub)
{
	static const unsigned char form[STUB_SIZE] = {
		0x48, 0x8d, 0x64, 0x24, 0x80,                      /* lea -128(%rsp), %rsp */
		0x51,                                              /* push %rcx */
		0x48, 0xb9, 0,    0,    0,    0, 0, 0, 0,    0,    /* movabs $word, %rcx */
		0x48, 0x8b, 0x09,                                  /* mov (%rcx), %rcx */
		0x48, 0x8b, 0x09,                                  /* mov (%rcx), %rcx */
		0xe3, 0x10,                                        /* jrcxz 1f */
		0x48, 0xb9, 0,    0,    0,    0, 0, 0, 0,    0,    /* movabs $site, %rcx */
		0xff, 0x15, 0x0e, 0,    0,    0,                   /* call *entry(%rip) */
		0x59,                                              /* 1: pop %rcx */
		0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0,             /* lea 128(%rsp), %rsp */
		0xe9, 0,    0,    0,    0,                         /* jmp site + 1 */
		0,    0,    0,    0,    0,    0, 0, 0, 0x0f, 0x0b, /* entry; ud2 */
	};
	const uint64_t *const *word = &site->tracepoint->word;
	const char *entry = sdt_entry;
	int32_t back = (int32_t)(site->address + 1 - (stub + 54));

	memcpy(code, form, STUB_SIZE);
	memcpy(code + 8, &word, 8);
	memcpy(code + 26, &site, 8);
	memcpy(code + 50, &back, 4);
	memcpy(code + 54, &entry, 8);
}

static uint8_t byte_of(const struct sdt_site *site)
{
	return __atomic_load_n((const uint8_t *)site->address, __ATOMIC_RELAXED);
}

static const char *explain_byte(uint8_t byte)
{
	return byte == BREAKPOINT ? "there is a breakpoint" : "there is no nop of one byte";
}

/* Where the jump would go, its distance being the bytes behind the nop. */
static uint64_t find_landing(const struct sdt_site *site)
{
	int32_t distance;

	memcpy(&distance, (const void *)(site->address + 1), sizeof(distance));
	/* The way back, from anywhere on that page, has to fit as well. */
	if (distance > INT32_MAX - 8192 || distance < INT32_MIN + 8192)
		return UINT64_MAX;
	return site->address + JUMP_SIZE + (uint64_t)(int64_t)distance;
}

static int write_stub(struct sdt_writer *writer, const struct sdt_site *site, uint64_t landing,
		      uint64_t stub)
{
	unsigned char code[STUB_SIZE], jump[JUMP_SIZE] = { JUMP };
	int32_t distance = (int32_t)(stub - (landing + JUMP_SIZE));
	int error;

	write_code(code, site, stub);
	memcpy(jump + 1, &distance, sizeof(distance));
	error = write_at(writer, stub, code, sizeof(code));
	return error ? error : write_at(writer, landing, jump, sizeof(jump));
}

static const char *explain(int error)
{
	switch (error) {
	case -EBUSY:
		return "other probes have the place that it needs";
	case -EEXIST:
		return "no jump can be written there: the code that follows would make it lead to "
		       "memory in use";
	case -EPERM:
		return "no jump can be written there: the code that follows would make it lead to "
		       "where the kernel allows no memory";
	case -ERANGE:
		return "no jump can be written there: the code that follows would make it lead "
		       "beyond the address space";
	case -ENOSPC:
		return "there are too many probes";
	case -EACCES:
		return "the kernel refuses memory with code in it";
	default:
		return "the kernel refuses memory for it";
	}
}

int sdt_site_prepare(struct sdt_writer *writer, struct sdt_site *site, struct sdt_refusal *refusal)
{
	uint64_t landing, stub;
	int error;

	if (site->landing)
		return 0;
	if (byte_of(site) != NOP)
		return refuse(refusal, -EBUSY, explain_byte(byte_of(site)));
	landing = find_landing(site);
	error = sdt_place_take(landing, &stub);
	if (error)
		return refuse(refusal, error, explain(error));
	error = write_stub(writer, site, landing, stub);
	if (error) {
		sdt_place_give(landing, stub);
		return refuse(refusal, error, explain(error));
	}
	site->landing = landing;
	site->stub = stub;
	return 0;
}

/* ---- sites --------------------------------------------------------------------------- */

int sdt_site_arm(struct sdt_writer *writer, struct sdt_site *site, struct sdt_refusal *refusal)
{
	const uint8_t jump = JUMP;
	int error;

	/* A kernel's uprobe that ended, or another map of the file, leaves the nop. */
	if (site->armed && byte_of(site) != NOP)
		return 0;
	if (byte_of(site) != NOP)
		return refuse(refusal, -EBUSY, explain_byte(byte_of(site)));
	if (find_landing(site) != site->landing)
		return refuse(refusal, -ESTALE, "the code behind it has changed");
	/* The stub is there for who finds the jump: the kernel's write is behind ours. */
	error = write_at(writer, site->address, &jump, 1);
	if (error)
		return refuse(refusal, error, "the kernel refuses to change code");
	if (site->semaphore &&
	    (!site->armed || __atomic_load_n(site->semaphore, __ATOMIC_RELAXED) == 0))
		__atomic_fetch_add(site->semaphore, 1, __ATOMIC_RELAXED);
	site->armed = true;
	return 0;
}

void sdt_site_disarm(struct sdt_writer *writer, struct sdt_site *site)
{
	const uint8_t nop = NOP;

	/* A debugger that has put a breakpoint over it will restore the byte from before us. */
	if (!site->armed || (byte_of(site) == JUMP && write_at(writer, site->address, &nop, 1)))
		return;
	site->armed = false;
	if (site->semaphore && __atomic_load_n(site->semaphore, __ATOMIC_RELAXED) > 0)
		__atomic_fetch_sub(site->semaphore, 1, __ATOMIC_RELAXED);
}

void sdt_site_forget(struct sdt_site *site)
{
	if (!site->landing)
		return;
	sdt_place_give(site->landing, site->stub);
	site->landing = 0;
	site->armed = false;
}
