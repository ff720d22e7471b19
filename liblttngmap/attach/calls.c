/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * calls.c - calls of tracepoints that are in a module which the caller is not
 * linked with, and the providers of these: each call is led to the tracepoint
 * of its name, whichever of the two comes first, and off again before the
 * provider goes.
 *
 * Both lists are under module.c's lock. A call has its class exactly while its
 * provider is listed; who finds the call's word on may find no emitter any
 * more, and then does nothing.
 */
#include <stdbool.h>
#include <string.h>

#include <lttngmap/event-class.h>

#include "liblttngmap/attach/module.h"

static struct lttngmap_calls *all_calls;
static struct lttngmap_provider *all_providers;

static bool is_for(const struct lttngmap_call *call, const struct lttngmap_emitter *emitter)
{
	const struct lttngmap_event_class *class = emitter->tracepoint->event_class;

	return strcmp(call->name, class->name) == 0 &&
	       strcmp(call->provider, class->provider) == 0 &&
	       strcmp(call->signature, emitter->signature) == 0;
}

/* Lead what is not led yet. True: something is now. */
static bool lead(const struct lttngmap_calls *calls, const struct lttngmap_provider *provider)
{
	bool found = false;

	for (const struct lttngmap_call *const *at = calls->begin; at < calls->end; at++) {
		const struct lttngmap_call *call = *at;

		for (uint32_t i = 0; !call->tracepoint->event_class && i < provider->nr_emitters;
		     i++) {
			const struct lttngmap_emitter *emitter = &provider->emitters[i];

			if (!is_for(call, emitter))
				continue;
			__atomic_store_n(call->emit, emitter->emit, __ATOMIC_RELEASE);
			call->tracepoint->event_class = emitter->tracepoint->event_class;
			found = true;
		}
	}
	return found;
}

/* To the first that has the name; where two have, the other one serves when that goes. */
static bool lead_to_any(const struct lttngmap_calls *calls)
{
	bool found = false;

	for (const struct lttngmap_provider *at = all_providers; at; at = at->next)
		found |= lead(calls, at);
	return found;
}

static void lead_off(const struct lttngmap_calls *calls, const struct lttngmap_provider *provider)
{
	for (const struct lttngmap_call *const *at = calls->begin; at < calls->end; at++) {
		const struct lttngmap_call *call = *at;

		for (uint32_t i = 0; i < provider->nr_emitters; i++) {
			if (*call->emit != provider->emitters[i].emit)
				continue;
			__atomic_store_n(&call->tracepoint->word, calls->module.off,
					 __ATOMIC_RELEASE);
			__atomic_store_n(call->emit, NULL, __ATOMIC_RELEASE);
			call->tracepoint->event_class = NULL;
			break;
		}
	}
}

void lttngmap_calls_register(struct lttngmap_calls *calls)
{
	if (calls->struct_size < sizeof(*calls) || !module_lock(MODULE_COMING))
		return;
	calls->next = all_calls;
	all_calls = calls;
	if (lead_to_any(calls))
		module_announce(&calls->module);
	module_unlock();
}

void lttngmap_calls_unregister(struct lttngmap_calls *calls)
{
	bool locked;

	lttngmap_module_unregister(&calls->module);
	locked = module_lock(MODULE_GOING);
	for (struct lttngmap_calls **link = &all_calls; *link; link = &(*link)->next) {
		if (*link == calls) {
			*link = calls->next;
			break;
		}
	}
	if (locked)
		module_unlock();
}

void lttngmap_provider_register(struct lttngmap_provider *provider)
{
	if (provider->struct_size < sizeof(*provider) || !module_lock(MODULE_COMING))
		return;
	provider->next = all_providers;
	all_providers = provider;
	for (struct lttngmap_calls *at = all_calls; at; at = at->next)
		if (lead(at, provider))
			module_announce(&at->module);
	module_unlock();
}

void lttngmap_provider_unregister(struct lttngmap_provider *provider)
{
	struct lttngmap_provider **link = &all_providers;
	bool locked = module_lock(MODULE_GOING);

	while (*link && *link != provider)
		link = &(*link)->next;
	if (*link) {
		*link = provider->next;
		for (struct lttngmap_calls *at = all_calls; at; at = at->next) {
			lead_off(at, provider);
			if (locked && lead_to_any(at))
				module_announce(&at->module);
		}
	}
	if (locked)
		module_unlock();
}
