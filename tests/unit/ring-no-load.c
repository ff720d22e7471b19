/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The writer never loads from ring data. The hardware cannot forbid it (a
 * write-only page is readable on x86), so an emulated CPU looks: the real code
 * of an event runs in it on copies of this process's pages, and every load
 * and store that touches the ring data is counted. By rseq and by trylock,
 * within sub-buffers and through many switches.
 */
#include <errno.h>
#include <stdint.h>

#include <unicorn/unicorn.h>
#include <urcu.h>

#include <lttngmap/event-class.h>

#include "common/base/clock.h"
#include "liblttngmap/base/arch.h"
#include "liblttngmap/ring/ring.h"
#include "liblttngmap/event/ring-write.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define PAGE UINT64_C(4096)
#define STACK_TOP UINT64_C(0x100000000000)
#define STACK_SIZE (64 * PAGE)
#define RETURN_TO UINT64_C(0x200000000000)

static struct bench_set bench;
static uint64_t loads, stores;

static void on_load(uc_engine *engine, uc_mem_type type, uint64_t address, int size, int64_t value,
		    void *data)
{
	(void)engine, (void)type, (void)address, (void)size, (void)value, (void)data;
	loads++;
}

static void on_store(uc_engine *engine, uc_mem_type type, uint64_t address, int size, int64_t value,
		     void *data)
{
	(void)engine, (void)type, (void)address, (void)size, (void)value, (void)data;
	stores++;
}

/* The emulated CPU sees this process's memory, page by page, as it comes to it. */
static bool on_unmapped(uc_engine *engine, uc_mem_type type, uint64_t address, int size,
			int64_t value, void *data)
{
	uint64_t page = address & ~(PAGE - 1);

	(void)type, (void)value, (void)data;
	if (page < PAGE)
		return false;
	for (; page < address + (uint64_t)size; page += PAGE)
		if (uc_mem_map(engine, page, PAGE, UC_PROT_ALL) == UC_ERR_OK)
			uc_mem_write(engine, page, (void *)page, PAGE);
	return true;
}

static void set_register(uc_engine *engine, int which, uint64_t value)
{
	uc_reg_write(engine, which, &value);
}

static uc_err call(uc_engine *engine, void *function, const uint64_t arguments[5])
{
	static const int registers[5] = { UC_X86_REG_RDI, UC_X86_REG_RSI, UC_X86_REG_RDX,
					  UC_X86_REG_RCX, UC_X86_REG_R8 };
	uint64_t return_to = RETURN_TO, stack = STACK_TOP - STACK_SIZE / 2 - 8;

	for (int i = 0; i < 5; i++)
		set_register(engine, registers[i], arguments[i]);
	set_register(engine, UC_X86_REG_RSP, stack);
	set_register(engine, UC_X86_REG_FS_BASE, arch_thread_token());
	uc_mem_write(engine, stack, &return_to, sizeof(return_to));
	return uc_emu_start(engine, (uint64_t)function, RETURN_TO, 0, 0);
}

static __attribute__((noinline)) uint64_t load_one(const volatile uint64_t *word)
{
	return *word;
}

static void watch(uc_engine *engine)
{
	uint64_t first = (uint64_t)bench.local->rings[0].data;
	uint64_t last = first + bench.local->rings[0].data_size - 1;
	static uc_hook hooks[3];

	uc_mem_map(engine, STACK_TOP - STACK_SIZE, STACK_SIZE, UC_PROT_ALL);
	uc_mem_map(engine, RETURN_TO, PAGE, UC_PROT_ALL);
	uc_hook_add(engine, &hooks[0], UC_HOOK_MEM_UNMAPPED, (void *)on_unmapped, NULL, 1, 0);
	uc_hook_add(engine, &hooks[1], UC_HOOK_MEM_READ, (void *)on_load, NULL, first, last);
	uc_hook_add(engine, &hooks[2], UC_HOOK_MEM_WRITE, (void *)on_store, NULL, first, last);
}

enum way { TRYLOCK, RSEQ, FAST, FAST_IP, FAST_VTID };

static void run(enum way way, size_t size, unsigned events)
{
	static const char *const names[] = { "trylock", "rseq", "the fast way",
					     "… with vtid and ip", "… with vtid" };
	struct bench_set_config config = {
		.mode = LTTNGMAP_MODE_OVERWRITE,
		.clock = LTTNGMAP_CLOCK_TSC,
		.subbuf_shift = 12,
		.subbufs_shift = 1,
		.use_rseq = way != TRYLOCK,
	};
	char fields[512] __attribute__((aligned(16))) = "fields";
	struct ring_event event = { fields, size, NULL, 5, 0 };
	struct lttngmap_tracepoint tracepoint;
	uint64_t written = 0;
	uc_err error = UC_ERR_OK;
	uc_engine *engine;

	bench_set_create(&bench, &config);
	bench.control->channels[0].contexts = way == FAST_IP     ? CONTEXTS_OF_IP
					      : way == FAST_VTID ? CONTEXTS_OF_VTID
								 : 0;
	bench.control->event_words[event.id] = 1;
	tracepoint.word = &bench.control->event_words[event.id];
	bench.local->has_rdpid = false; /* younger than the emulated CPU */
	if (uc_open(UC_ARCH_X86, UC_MODE_64, &engine) != UC_ERR_OK)
		bail_out("no emulated CPU");
	watch(engine);
	loads = stores = 0;
	for (unsigned i = 0; i < events && error == UC_ERR_OK; i++)
		error = way < FAST
				? call(engine, (void *)ring_write,
				       (uint64_t[5]){ (uint64_t)bench.local, 0, (uint64_t)&event })
				: call(engine, (void *)lttngmap_event_write,
				       (uint64_t[5]){ (uint64_t)&tracepoint, (uint64_t)fields,
						      size });
	is(error, UC_ERR_OK, "the code ran in the emulated CPU") ||
		(diag("%s", uc_strerror(error)), 0);
	for (uint32_t i = 0; i < bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS; i++) {
		struct lttngmap_ring ring = { .commit = { 0 } };

		uc_mem_read(engine, (uint64_t)bench.rings + i * lttngmap_ring_stride(2), &ring,
			    sizeof(ring));
		written += ring.commit[0] >> LTTNGMAP_COUNT_SHIFT;
	}
	is(written, events, "all events were written");
	ok(stores >= events * (size / 8 + 1),
	   "%s: %llu stores to ring data for %u events of %zu bytes", names[way],
	   (unsigned long long)stores, events, size);
	is(loads, 0, "and no load from it");

	call(engine, (void *)load_one, (uint64_t[5]){ (uint64_t)bench.local->rings[0].data });
	is(loads, 1, "a load would have been seen");
	uc_close(engine);
	bench_set_destroy(&bench);
}

int main(void)
{
	rcu_register_thread();
	ring_set_table_create();
	for (enum way way = TRYLOCK; way <= FAST_VTID; way++) {
		run(way, 12, 2000);
		run(way, 301, 500);
	}
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
