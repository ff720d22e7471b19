/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sdt/stub.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define PAGE UINT64_C(4096)
#define NOP 0x90
#define JUMP 0xe9
#define BREAKPOINT 0xcc
#define JUMP_SIZE 5u
#define STUB_SIZE 64u
/* Each is a map of its own, of which the kernel allows a process some 65000. */
#define PAGES_MAX 8192u
#define RANGES_MAX (2 * PAGES_MAX)
/* The main thread's stack may grow so far at least, whatever its limit is. */
#define STACK_ROOM_MIN (UINT64_C(128) << 20)
#define STACK_ROOM_MAX (UINT64_C(4) << 30)

/* A page of landings and stubs. */
struct page {
	uint64_t at; /* 0: free */
	unsigned users;
};

/* Bytes of such pages that are in use. */
struct range {
	uint64_t at; /* 0: free */
	uint64_t size;
};

/* Made at the first stub, by the caller's lock; searched one by one. */
static struct page *pages;
static struct range *ranges;
static unsigned nr_pages, nr_ranges; /* so many were ever used */

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

/* ---- places -------------------------------------------------------------------------- */

static bool make_tables(void)
{
	const size_t size = PAGES_MAX * sizeof(*pages) + RANGES_MAX * sizeof(*ranges);
	void *memory;

	if (pages)
		return true;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	ranges = (struct range *)((struct page *)memory + PAGES_MAX);
	pages = memory;
	return true;
}

/* Where the main thread's stack is, or may be one day. Its top has the random bytes. */
static bool is_stack(uint64_t address)
{
	uint64_t top = getauxval(AT_RANDOM), room = STACK_ROOM_MAX;
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < room)
		room = limit.rlim_cur;
	if (room < STACK_ROOM_MIN)
		room = STACK_ROOM_MIN;
	return address + PAGE > top - room && address < top + (1u << 20);
}

static struct page *find_page(uint64_t at)
{
	for (unsigned i = 0; i < nr_pages; i++)
		if (pages[i].at == at)
			return &pages[i];
	return NULL;
}

static int map_page(uint64_t at)
{
	void *mapped = mmap((void *)at, PAGE, PROT_READ | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (mapped == MAP_FAILED)
		return -errno;
	if (mapped == (void *)at)
		return 0;
	/* A kernel that does not know the flag takes the place as a wish. */
	munmap(mapped, PAGE);
	return -EEXIST;
}

static int get_page(uint64_t at)
{
	struct page *page = find_page(at);
	int error;

	if (page) {
		page->users++;
		return 0;
	}
	page = find_page(0);
	if (!page && nr_pages == PAGES_MAX)
		return -ENOSPC;
	error = map_page(at);
	if (error)
		return error;
	if (!page)
		page = &pages[nr_pages++];
	*page = (struct page){ at, 1 };
	return 0;
}

static void put_page(uint64_t at)
{
	struct page *page = find_page(at);

	if (!page || --page->users > 0)
		return;
	munmap((void *)at, PAGE);
	page->at = 0;
}

static uint64_t page_of(uint64_t address)
{
	return address & ~(PAGE - 1);
}

/* A landing may lie on two pages. */
static int get_pages(uint64_t landing)
{
	uint64_t first = page_of(landing), last = page_of(landing + JUMP_SIZE - 1);
	int error = get_page(first);

	if (error || last == first)
		return error;
	error = get_page(last);
	if (error)
		put_page(first);
	return error;
}

static void put_pages(uint64_t landing)
{
	uint64_t first = page_of(landing), last = page_of(landing + JUMP_SIZE - 1);

	put_page(first);
	if (last != first)
		put_page(last);
}

/* -EBUSY where something else is in these bytes. */
static int take_range(uint64_t at, uint64_t size)
{
	unsigned place = nr_ranges;

	for (unsigned i = 0; i < nr_ranges; i++) {
		if (!ranges[i].at)
			place = i;
		else if (at < ranges[i].at + ranges[i].size && ranges[i].at < at + size)
			return -EBUSY;
	}
	if (place == RANGES_MAX)
		return -ENOSPC;
	ranges[place] = (struct range){ at, size };
	nr_ranges += place == nr_ranges;
	return 0;
}

static void drop_range(uint64_t at)
{
	for (unsigned i = 0; at && i < nr_ranges; i++)
		if (ranges[i].at == at)
			ranges[i].at = 0;
}

/* On the landing's page, from its end: other landings may come anywhere. */
static int take_stub(uint64_t landing, uint64_t *stub)
{
	int error = -EBUSY;

	*stub = page_of(landing) + PAGE;
	while (error == -EBUSY && *stub > page_of(landing)) {
		*stub -= STUB_SIZE;
		error = take_range(*stub, STUB_SIZE);
	}
	if (error)
		*stub = 0;
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
	if (distance > INT32_MAX - 2 * (int)PAGE || distance < INT32_MIN + 2 * (int)PAGE)
		return 0;
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
		return "the place is taken to which the code behind it leads a jump";
	case -EPERM:
		return "the code behind it leads a jump to where nothing may be";
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
	uint64_t landing, stub = 0;
	int error;

	if (site->landing)
		return 0;
	if (byte_of(site) != NOP)
		return refuse(refusal, -EBUSY, explain_byte(byte_of(site)));
	landing = find_landing(site);
	if (landing < PAGE || landing >= UINT64_C(1) << 47)
		return refuse(refusal, -ERANGE,
			      "the code behind it leads a jump beyond the address space");
	if (is_stack(landing))
		return refuse(refusal, -EEXIST, "the code behind it leads a jump into the stack");
	if (!make_tables())
		return refuse(refusal, -ENOMEM, explain(-ENOMEM));
	error = take_range(landing, JUMP_SIZE);
	if (error)
		return refuse(refusal, error, explain(error));
	error = get_pages(landing);
	if (!error) {
		error = take_stub(landing, &stub);
		if (!error)
			error = write_stub(writer, site, landing, stub);
		if (error)
			put_pages(landing);
	}
	if (error) {
		drop_range(stub);
		drop_range(landing);
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

	/* Whoever has put a breakpoint over it will put back what was there before us. */
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
	put_pages(site->landing);
	drop_range(site->landing);
	drop_range(site->stub);
	site->landing = 0;
	site->armed = false;
}
