/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <string.h>

#include "tests/utils/count-libc.h"
#include "tests/utils/fake-lttngmap.h"

#include <lttngmap/abi.h>

#define EXPORT __attribute__((visibility("default")))
#define MODULES_MAX 8

static const uint64_t always_on = 1;
static struct lttngmap_module *modules[MODULES_MAX];
static fake_lttngmap_hook *event_hook;
static struct count_file *counts;
static struct lttngmap_statedump *registered;

EXPORT fake_lttngmap_set_hook_function fake_lttngmap_set_hook;
EXPORT fake_lttngmap_class_function fake_lttngmap_class;
EXPORT fake_lttngmap_statedump_function fake_lttngmap_statedump;

void fake_lttngmap_set_hook(fake_lttngmap_hook *hook)
{
	__atomic_store_n(&event_hook, hook, __ATOMIC_RELEASE);
}

const struct lttngmap_event_class *fake_lttngmap_class(const char *provider, const char *name)
{
	struct lttngmap_tracepoint *const *tracepoint;
	const struct lttngmap_event_class *event_class;
	int i;

	for (i = 0; i < MODULES_MAX && modules[i]; i++)
		for (tracepoint = modules[i]->begin; tracepoint < modules[i]->end; tracepoint++) {
			event_class = (*tracepoint)->event_class;
			if (!strcmp(event_class->provider, provider) &&
			    !strcmp(event_class->name, name))
				return event_class;
		}
	return NULL;
}

EXPORT void lttngmap_module_register(struct lttngmap_module *module)
{
	struct lttngmap_tracepoint *const *tracepoint;
	int i = 0;

	while (i < MODULES_MAX - 1 && modules[i] && modules[i] != module)
		i++;
	if (modules[i] == module)
		return;
	modules[i] = module;
	if (i == 0)
		counts = count_file_make("LTTNGMAP_EVENTS_DIR");
	for (tracepoint = module->begin; tracepoint < module->end; tracepoint++)
		__atomic_store_n(&(*tracepoint)->word, &always_on, __ATOMIC_RELEASE);
}

EXPORT void lttngmap_module_unregister(struct lttngmap_module *module)
{
	struct lttngmap_tracepoint *const *tracepoint;

	for (tracepoint = module->begin; tracepoint < module->end; tracepoint++)
		__atomic_store_n(&(*tracepoint)->word, module->off, __ATOMIC_RELEASE);
}

static void count(const char *name)
{
	static const char *const names[] = {
#define COUNT_NAME(name) #name,
		COUNT_FUNCTIONS(COUNT_NAME)
#undef COUNT_NAME
	};
	int i;

	for (i = 0; i < COUNT_FUNCTIONS_NR; i++)
		if (!strcmp(names[i], name))
			count_file_add(counts, i);
}

EXPORT void lttngmap_statedump_register(struct lttngmap_statedump *statedump)
{
	registered = statedump;
}

void fake_lttngmap_statedump(void)
{
	registered->write();
}

EXPORT void lttngmap_event_write(const struct lttngmap_tracepoint *tracepoint, const void *fields,
				 size_t size, const void *ip)
{
	fake_lttngmap_hook *hook = __atomic_load_n(&event_hook, __ATOMIC_ACQUIRE);

	(void)ip;
	if (counts)
		count(tracepoint->event_class->name);
	if (hook)
		hook(tracepoint->event_class, fields, size);
}

EXPORT size_t lttngmap_event_room(const struct lttngmap_tracepoint *tracepoint)
{
	(void)tracepoint;
	return LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE;
}

EXPORT unsigned char *lttngmap_event_reserve(size_t size)
{
	(void)size;
	return NULL;
}

EXPORT void lttngmap_event_write_long(const struct lttngmap_tracepoint *tracepoint,
				      const void *fields, size_t size, const void *ip, int is_cut)
{
	(void)is_cut;
	lttngmap_event_write(tracepoint, fields, size, ip);
}
