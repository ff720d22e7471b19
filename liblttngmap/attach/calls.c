/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * calls.c - calls of tracepoints that are in modules which the caller is not
 * linked with, and the providers of these: each call is led to all tracepoints
 * of its name, whichever of the two comes first, and off again before a
 * provider goes.
 *
 * Both lists are under module.c's lock. A call has the class of its provider
 * exactly while that one alone is listed. With several, the placeholder's word is
 * always on, and the call looks at the word of each. A caller that finds the word
 * on may find no emitter any more, and then does nothing.
 */
#include <stdbool.h>
#include <string.h>

#include <lttngmap/event-class.h>

#include "liblttngmap/attach/module.h"

static struct lttngmap_calls *all_calls;
static struct lttngmap_provider *all_providers;

static const uint64_t always_on = 1;

static bool has_name(const struct lttngmap_emitter *emitter, const char *provider, const char *name,
		     const char *signature)
{
	const struct lttngmap_event_class *class = emitter->tracepoint->event_class;

	return strcmp(name, class->name) == 0 && strcmp(provider, class->provider) == 0 &&
	       strcmp(signature, emitter->signature) == 0;
}

/* The oldest listed emitter of this name, which has the others behind it. */
static struct lttngmap_emitter *find(const char *provider, const char *name, const char *signature)
{
	struct lttngmap_provider *at;

	for (at = all_providers; at; at = at->next)
		for (uint32_t i = 0; i < at->nr_emitters; i++)
			if (has_name(&at->emitters[i], provider, name, signature))
				return &at->emitters[i];
	return NULL;
}

/*
 * Leads a call to the emitters that are listed now. True: its placeholder has another class, which
 * is to be registered. Without the lock nothing can be: then one provider counts as several.
 */
static bool lead(const struct lttngmap_call *call, const uint64_t *off, bool locked)
{
	struct lttngmap_tracepoint *tracepoint = call->tracepoint;
	struct lttngmap_emitter *first = find(call->provider, call->name, call->signature);
	const struct lttngmap_event_class *class =
		first && !first->next && locked ? first->tracepoint->event_class : NULL;

	if (first && first == *call->first && class && class == tracepoint->event_class)
		return false;
	tracepoint->event_class = class;
	__atomic_store_n(call->first, first, __ATOMIC_RELEASE);
	__atomic_store_n(&tracepoint->word, first && !class ? &always_on : off, __ATOMIC_RELEASE);
	return class;
}

/* Whether the linker put the provider's own tracepoint in the placeholder's place. */
static bool is_linked(const struct lttngmap_call *call)
{
	return call->tracepoint->event_class && !*call->first;
}

static bool has_emitter(const struct lttngmap_provider *provider, const struct lttngmap_call *call)
{
	for (uint32_t i = 0; i < provider->nr_emitters; i++)
		if (has_name(&provider->emitters[i], call->provider, call->name, call->signature))
			return true;
	return false;
}

/* Those calls that a provider has to do with which comes or goes; if that is NULL, all. */
static void lead_all(struct lttngmap_calls *calls, const struct lttngmap_provider *provider,
		     bool locked)
{
	bool changed = false;

	for (const struct lttngmap_call *const *at = calls->begin; at < calls->end; at++)
		if (!is_linked(*at) && (!provider || has_emitter(provider, *at)))
			changed |= lead(*at, calls->module.off, locked);
	if (changed)
		module_announce(&calls->module);
}

/* Behind the older emitters of the same name. The provider is not listed yet. */
static void chain(struct lttngmap_emitter *emitter)
{
	const struct lttngmap_event_class *class = emitter->tracepoint->event_class;
	struct lttngmap_emitter *older = find(class->provider, class->name, emitter->signature);

	emitter->next = NULL;
	while (older && older->next)
		older = older->next;
	if (older)
		__atomic_store_n(&older->next, emitter, __ATOMIC_RELEASE);
}

/* Its own `next` stays, for a call that is at it. The provider is not listed any more. */
static void unchain(struct lttngmap_emitter *emitter)
{
	const struct lttngmap_event_class *class = emitter->tracepoint->event_class;
	struct lttngmap_emitter *older = find(class->provider, class->name, emitter->signature);

	while (older && older->next != emitter)
		older = older->next;
	if (older)
		__atomic_store_n(&older->next, emitter->next, __ATOMIC_RELEASE);
}

void lttngmap_calls_register(struct lttngmap_calls *calls)
{
	if (calls->struct_size < sizeof(*calls) || !module_lock(MODULE_COMING))
		return;
	calls->next = all_calls;
	all_calls = calls;
	lead_all(calls, NULL, true);
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
	struct lttngmap_provider **link = &all_providers;

	if (provider->struct_size < sizeof(*provider) || !module_lock(MODULE_COMING))
		return;
	for (uint32_t i = 0; i < provider->nr_emitters; i++)
		chain(&provider->emitters[i]);
	/* The oldest is the first. */
	while (*link)
		link = &(*link)->next;
	provider->next = NULL;
	*link = provider;
	for (struct lttngmap_calls *at = all_calls; at; at = at->next)
		lead_all(at, provider, true);
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
		for (uint32_t i = 0; i < provider->nr_emitters; i++)
			unchain(&provider->emitters[i]);
		for (struct lttngmap_calls *at = all_calls; at; at = at->next)
			lead_all(at, provider, locked);
	}
	if (locked)
		module_unlock();
}
