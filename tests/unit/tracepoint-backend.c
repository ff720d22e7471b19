/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <string.h>

#include "tracepoint-backend.h"

struct backend backend;

static const uint64_t on_word = 1;

/* The plugin under test finds these in the program. */
#define EXPORTED __attribute__((visibility("default")))

EXPORTED void lttngmap_module_register(struct lttngmap_module *module)
{
	backend.registrations++;
	if (backend.nr_modules < BACKEND_MODULES_MAX)
		backend.modules[backend.nr_modules++] = module;
}

EXPORTED void lttngmap_module_unregister(struct lttngmap_module *module)
{
	struct lttngmap_tracepoint *const *at;
	unsigned int i;

	backend.unregistrations++;
	for (at = module->begin; at < module->end; at++)
		__atomic_store_n(&(*at)->word, module->off, __ATOMIC_RELEASE);
	for (i = 0; i < backend.nr_modules; i++)
		if (backend.modules[i] == module)
			backend.modules[i] = backend.modules[--backend.nr_modules];
}

EXPORTED void lttngmap_event_write(const struct lttngmap_tracepoint *tracepoint, const void *fields,
				   size_t size, const void *ip)
{
	backend.ip = ip;
	backend.events++;
	backend.tracepoint = tracepoint;
	backend.size = size;
	if (size <= sizeof(backend.fields))
		memcpy(backend.fields, fields, (size + 7) / 8 * 8);
}

EXPORTED size_t lttngmap_event_room(const struct lttngmap_tracepoint *tracepoint)
{
	const size_t least = LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE;

	(void)tracepoint;
	return backend.room > least ? backend.room : least;
}

EXPORTED unsigned char *lttngmap_event_reserve(size_t size)
{
	return size <= backend.room ? backend.reserved : NULL;
}

EXPORTED void lttngmap_event_write_long(const struct lttngmap_tracepoint *tracepoint,
					const void *fields, size_t size, const void *ip, int is_cut)
{
	lttngmap_event_write(tracepoint, fields, size, ip);
	backend.cut += is_cut != 0;
}

static struct lttngmap_tracepoint *find(const char *provider, const char *name, unsigned int *count)
{
	struct lttngmap_tracepoint *found = NULL;
	unsigned int i;

	*count = 0;
	for (i = 0; i < backend.nr_modules; i++) {
		struct lttngmap_tracepoint *const *at = backend.modules[i]->begin;

		for (; at < backend.modules[i]->end; at++) {
			if (strcmp((*at)->event_class->provider, provider) != 0 ||
			    strcmp((*at)->event_class->name, name) != 0)
				continue;
			if ((*count)++ == 0)
				found = *at;
		}
	}
	return found;
}

unsigned int backend_count(const char *provider, const char *name)
{
	unsigned int count;

	find(provider, name, &count);
	return count;
}

struct lttngmap_tracepoint *backend_find(const char *provider, const char *name)
{
	unsigned int count;

	return find(provider, name, &count);
}

void backend_switch(int on)
{
	unsigned int i;

	for (i = 0; i < backend.nr_modules; i++) {
		struct lttngmap_tracepoint *const *at = backend.modules[i]->begin;

		for (; at < backend.modules[i]->end; at++)
			__atomic_store_n(&(*at)->word, on ? &on_word : backend.modules[i]->off,
					 __ATOMIC_RELEASE);
	}
}
