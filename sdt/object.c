/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sdt/object.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "sdt/place.h"
#include "sdt/report.h"

static const uint64_t off;

void sdt_object_destroy(struct sdt_object *object)
{
	for (unsigned i = 0; i < object->nr_sites; i++)
		sdt_site_forget(&object->sites[i]);
	if (!object->is_kept)
		munmap(object->memory, object->size);
}

bool sdt_object_is(const struct sdt_object *object, const struct sdt_image *image)
{
	return !object->nr_sites ||
	       sdt_image_is(image, &object->file, object->identity, object->identity_size);
}

void sdt_object_empty(struct sdt_object *object)
{
	const struct sdt_note whole = { .provider = "*", .name = "*" };

	object->nr_sites = 0;
	object->nr_classes = 0;
	object->refused = NULL;
	sdt_object_refuse(object, &whole, 0, NULL, 0, SDT_FILE_IS_ANOTHER);
}

/* The classes that are selected and were never registered. */
static void make_batch(struct sdt_object *object, unsigned count)
{
	struct sdt_batch *batch =
		sdt_object_take(object, sizeof(*batch) + count * sizeof(batch->tracepoints[0]));

	if (!batch)
		return;
	count = 0;
	for (unsigned i = 0; i < object->nr_classes; i++) {
		struct sdt_class *class = &object->classes[i];

		if (!class->selected || class->registered)
			continue;
		class->registered = true;
		batch->tracepoints[count++] = &class->tracepoint;
	}
	batch->module = (struct lttngmap_module){
		.struct_size = sizeof(batch->module),
		.begin = batch->tracepoints,
		.end = batch->tracepoints + count,
		.off = &off,
	};
	batch->next = object->batches;
	/* Release: who registers it has no lock. */
	__atomic_store_n(&object->batches, batch, __ATOMIC_RELEASE);
}

void sdt_object_select(struct sdt_object *object, sdt_selected *selected)
{
	unsigned count = 0;

	for (unsigned i = 0; i < object->nr_classes; i++) {
		struct sdt_class *class = &object->classes[i];

		class->selected = selected(class->event_class.provider, class->event_class.name);
		count += class->selected && !class->registered;
	}
	if (count)
		make_batch(object, count);
}

static bool is_selected(const struct sdt_site *site)
{
	const struct sdt_class *class = (const void *)((const char *)site->tracepoint -
						       offsetof(struct sdt_class, tracepoint));

	return class->selected && class->registered;
}

/*
 * A jump's byte would lie in the neighbour's displacement: of two such neighbours only the first is
 * ever armed. They begin in the same eight bytes, or in adjacent ones.
 */
static bool is_beside_another(const struct sdt_object *object, const struct sdt_site *site)
{
	for (int side = -1; side <= 1; side++) {
		uint64_t address = site->address + (uint64_t)(side * 8);

		for (unsigned i = *sdt_object_place(object, address); i;
		     i = object->sites[i - 1].next) {
			const struct sdt_site *other = &object->sites[i - 1];

			if (other != site && other->landing &&
			    site->address < other->address + SDT_LANDING_SIZE &&
			    other->address < site->address + SDT_LANDING_SIZE)
				return true;
		}
	}
	return false;
}

void sdt_object_prepare(struct sdt_object *object, struct sdt_writer *writer)
{
	for (unsigned i = 0; i < object->nr_sites; i++) {
		struct sdt_site *site = &object->sites[i];
		struct sdt_refusal refusal;

		if (!is_selected(site) || site->landing)
			continue;
		if (is_beside_another(object, site))
			site->why = "another probe that is served begins less than five bytes away";
		else if (sdt_site_prepare(writer, site, &refusal) != 0)
			site->why = refusal.why;
	}
}

void sdt_object_arm(struct sdt_object *object, struct sdt_writer *writer)
{
	for (unsigned i = 0; i < object->nr_sites; i++) {
		struct sdt_site *site = &object->sites[i];
		struct sdt_refusal refusal;

		if (!is_selected(site))
			sdt_site_disarm(writer, site);
		else if (site->landing)
			site->why = sdt_site_arm(writer, site, &refusal) ? refusal.why : NULL;
	}
}

/* Once: the same would be said at each library that is loaded. */
static bool tell_site(const struct sdt_object *object, struct sdt_site *site,
		      const struct sdt_telling *telling)
{
	const struct lttngmap_event_class *class = site->tracepoint->event_class;
	bool is_told;

	if (!site->why || (telling->again ? !is_selected(site) : site->is_told))
		return true;
	is_told = telling->tell(telling->data, class->provider, class->name, object->path,
				site->file_offset, site->why);
	site->is_told |= is_told && !telling->again;
	return is_told;
}

static bool tell_refused(const struct sdt_object *object, struct sdt_refused *refused,
			 const struct sdt_telling *telling)
{
	char why[160];
	bool is_told;

	if ((refused->is_told && !telling->again) ||
	    (strcmp(refused->provider, "*") != 0 &&
	     !telling->selected(refused->provider, refused->name)))
		return true;
	if (refused->argument)
		snprintf(why, sizeof(why), "its argument %s %s", refused->argument, refused->why);
	else
		snprintf(why, sizeof(why), "%s", refused->why);
	is_told = telling->tell(telling->data, refused->provider, refused->name, object->path,
				refused->offset, why);
	refused->is_told |= is_told && !telling->again;
	return is_told;
}

bool sdt_object_tell(struct sdt_object *object, const struct sdt_telling *telling)
{
	for (struct sdt_refused *refused = object->refused; refused; refused = refused->next)
		if (!tell_refused(object, refused, telling))
			return false;
	for (unsigned i = 0; i < object->nr_sites; i++)
		if (!tell_site(object, &object->sites[i], telling))
			return false;
	return true;
}

void sdt_object_register(struct sdt_object *object)
{
	for (struct sdt_batch *batch = __atomic_load_n(&object->batches, __ATOMIC_ACQUIRE); batch;
	     batch = batch->next)
		lttngmap_module_register(&batch->module);
}

bool sdt_object_unregister(struct sdt_object *object)
{
	bool is_over = true;

	for (struct sdt_batch *batch = object->batches; batch; batch = batch->next) {
		lttngmap_module_unregister(&batch->module);
		is_over = is_over && batch->module.state == 0;
	}
	return is_over;
}
