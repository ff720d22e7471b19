/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sdt/object.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "common/name.h"
#include "sdt/report.h"

#define PAGE UINT64_C(4096)
#define JUMP_SIZE 5u
#define LEVEL LTTNGMAP_LOGLEVEL_DEBUG_LINE
/* More than any program has; ids are 16 bits wide, for all programs together. */
#define SITES_MAX 8192u

static const uint64_t off;

static const char *const field_names[SDT_OPERANDS_MAX] = {
	"arg1", "arg2", "arg3", "arg4",  "arg5",  "arg6",
	"arg7", "arg8", "arg9", "arg10", "arg11", "arg12",
};

/* NULL only where the size was reckoned wrongly. */
static void *take(struct sdt_object *object, size_t size)
{
	char *taken = object->memory + object->used;

	size = (size + 15) & ~(size_t)15;
	if (size > object->size - object->used)
		return NULL;
	object->used += size;
	return taken;
}

static const char *keep_text(struct sdt_object *object, const char *text)
{
	size_t size = strlen(text) + 1;
	char *kept = take(object, size);

	return kept ? memcpy(kept, text, size) : NULL;
}

/* ---- one note ------------------------------------------------------------------------ */

/* What is read, and for whom. */
struct reading {
	struct sdt_file file;
	struct sdt_object *object;
	bool (*selected)(const char *provider, const char *name);
};

static void refuse(const struct reading *reading, const struct sdt_note *note, uint64_t offset,
		   const char *why)
{
	if (reading->selected(note->provider, note->name))
		sdt_report(note->provider, note->name, reading->object->path, offset, why);
}

static int find_symbol(void *context, const char *name, size_t length, struct sdt_symbol *symbol)
{
	struct reading *reading = context;

	return sdt_file_find(&reading->file, name, length, &symbol->address, &symbol->low,
			     &symbol->high);
}

static const char *explain_operand(int error)
{
	switch (error) {
	case -E2BIG:
		return "is the thirteenth: no more than twelve are looked at";
	case -ENXIO:
		return "is in a register that is not looked at";
	case -EFAULT:
		return "is in memory that cannot be read safely";
	case -ENOENT:
		return "is at a symbol that the file no longer names";
	case -ENOTUNIQ:
		return "is at a symbol that the file has several of";
	default:
		return "is not understood";
	}
}

static bool read_operands(struct reading *reading, const struct sdt_note *note,
			  struct sdt_site *site)
{
	char why[160];
	const char *at;
	size_t length;
	int count = sdt_operands_parse(note->arguments, site->operands, find_symbol, reading, &at,
				       &length);

	if (count >= 0) {
		site->nr_operands = (uint8_t)count;
		return true;
	}
	snprintf(why, sizeof(why), "its argument %.*s %s", length < 60 ? (int)length : 60, at,
		 explain_operand(count));
	refuse(reading, note, site->file_offset, why);
	return false;
}

/* A counter that the program can write: whole pages of RELRO it cannot, once it is linked. */
static bool has_counter(const struct sdt_image *image, uint64_t address)
{
	if (address % 2 != 0 || !sdt_image_segment(image, address, 2, PF_R | PF_W))
		return false;
	for (unsigned i = 0; i < image->nr_segments; i++) {
		const ElfW(Phdr) *segment = &image->segments[i];

		if (segment->p_type == PT_GNU_RELRO && address + 2 > segment->p_vaddr &&
		    address < ((segment->p_vaddr + segment->p_memsz) & ~(PAGE - 1)))
			return false;
	}
	return true;
}

/* Fill in a site. False: there is none, or it cannot be served, which was said. */
static bool read_site(struct reading *reading, const struct sdt_note *note, struct sdt_site *site)
{
	const struct sdt_image *image = reading->file.image;
	const ElfW(Phdr) *code = sdt_image_segment(image, note->location, JUMP_SIZE, PF_R | PF_X);

	*site = (struct sdt_site){ .address = image->bias + note->location };
	if (!name_is_provider(note->provider, strlen(note->provider)) ||
	    !name_is_event(note->name, strlen(note->name)) ||
	    strlen(note->provider) + 1 + strlen(note->name) > LTTNGMAP_NAME_MAX)
		return false; /* nobody can have asked for it */
	if (!code) {
		refuse(reading, note, 0, "it is not in the file's code");
		return false;
	}
	site->file_offset = note->location - code->p_vaddr + code->p_offset;
	if (note->semaphore) {
		site->semaphore = (uint16_t *)(image->bias + note->semaphore);
		if (!has_counter(image, note->semaphore)) {
			refuse(reading, note, site->file_offset,
			       "its semaphore is not in the file's data");
			return false;
		}
	}
	return read_operands(reading, note, site);
}

/* ---- classes ------------------------------------------------------------------------- */

static bool is_alike(const struct sdt_class *class, const struct sdt_note *note,
		     const struct sdt_site *site)
{
	if (strcmp(class->event_class.name, note->name) != 0 ||
	    strcmp(class->event_class.provider, note->provider) != 0 ||
	    class->event_class.nr_fields != site->nr_operands)
		return false;
	for (unsigned i = 0; i < site->nr_operands; i++) {
		bool is_float = class->fields[i].kind == LTTNGMAP_FIELD_FLOAT;

		if (is_float != site->operands[i].is_float ||
		    (is_float && class->fields[i].size != site->operands[i].size))
			return false;
	}
	return true;
}

static struct sdt_class *add_class(struct sdt_object *object, const struct sdt_note *note,
				   const struct sdt_site *site)
{
	struct sdt_class *class = &object->classes[object->nr_classes];

	*class = (struct sdt_class){
		.tracepoint = { .word = &off, .event_class = &class->event_class },
		.event_class = {
			.struct_size = sizeof(class->event_class),
			.nr_fields = site->nr_operands,
			.loglevel = LEVEL,
			.provider = keep_text(object, note->provider),
			.name = keep_text(object, note->name),
			.fields = class->fields,
		},
	};
	if (!class->event_class.provider || !class->event_class.name)
		return NULL;
	for (unsigned i = 0; i < site->nr_operands; i++)
		class->fields[i] = (struct lttngmap_field){
			.name = field_names[i],
			.kind = site->operands[i].is_float ? LTTNGMAP_FIELD_FLOAT
							   : LTTNGMAP_FIELD_INTEGER,
		};
	object->nr_classes++;
	return class;
}

static bool add_site(struct sdt_object *object, const struct sdt_note *note,
		     const struct sdt_site *site)
{
	struct sdt_class *class = NULL;

	for (unsigned i = 0; i < object->nr_classes && !class; i++)
		if (is_alike(&object->classes[i], note, site))
			class = &object->classes[i];
	if (!class)
		class = add_class(object, note, site);
	if (!class)
		return false;
	for (unsigned i = 0; i < site->nr_operands; i++) {
		struct lttngmap_field *field = &class->fields[i];

		if (site->operands[i].size > field->size)
			field->size = site->operands[i].size;
		if (site->operands[i].is_signed)
			field->flags |= LTTNGMAP_FIELD_SIGNED;
	}
	object->sites[object->nr_sites] = *site;
	object->sites[object->nr_sites++].tracepoint = &class->tracepoint;
	return true;
}

/* When all sites of a name are known: addresses, as eight bytes without a sign are, in hex. */
static void settle_fields(struct sdt_object *object)
{
	for (unsigned i = 0; i < object->nr_classes; i++) {
		struct sdt_class *class = &object->classes[i];

		for (unsigned j = 0; j < class->event_class.nr_fields; j++) {
			struct lttngmap_field *field = &class->fields[j];

			field->base = field->size == 8 && !(field->flags & LTTNGMAP_FIELD_SIGNED)
					      ? 16
					      : 10;
		}
	}
	for (unsigned i = 0; i < object->nr_sites; i++) {
		struct sdt_site *site = &object->sites[i];

		for (unsigned j = 0; j < site->nr_operands; j++)
			site->operands[j].field_size =
				site->tracepoint->event_class->fields[j].size;
	}
}

/* ---- an object ------------------------------------------------------------------------ */

static unsigned count_notes(struct sdt_file *file)
{
	struct sdt_note note;
	size_t offset = 0;
	unsigned count = 0;

	while (count < SITES_MAX && sdt_file_next(file, &offset, &note))
		count++;
	return count;
}

/* Batches: a class is in one of them, and there are no more of them than classes. */
static struct sdt_object *allocate(size_t texts_size, unsigned nr_notes, const char *path)
{
	size_t size = sizeof(struct sdt_object) + strlen(path) + 1 + texts_size +
		      nr_notes * (sizeof(struct sdt_class) + sizeof(struct sdt_site) +
				  sizeof(struct sdt_batch) + sizeof(void *) + 4 * 16) +
		      4 * 16 + PAGE;
	char *memory;
	struct sdt_object *object;

	size &= ~(size_t)(PAGE - 1);
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	object = (struct sdt_object *)memory;
	object->memory = memory;
	object->size = size;
	take(object, sizeof(*object));
	object->path = keep_text(object, path);
	object->classes = take(object, nr_notes * sizeof(*object->classes));
	object->sites = take(object, nr_notes * sizeof(*object->sites));
	return object;
}

static void read_all(struct reading *reading, unsigned nr_notes)
{
	struct sdt_note note;
	struct sdt_site site;
	size_t offset = 0;

	while (nr_notes-- > 0 && sdt_file_next(&reading->file, &offset, &note))
		if (read_site(reading, &note, &site) && !add_site(reading->object, &note, &site))
			refuse(reading, &note, site.file_offset, "there is no room for it");
	settle_fields(reading->object);
}

struct sdt_object *sdt_object_create(const char *file, const char *path,
				     const struct sdt_image *image,
				     bool (*selected)(const char *provider, const char *name))
{
	struct reading reading = { .selected = selected };
	int error = sdt_file_open(&reading.file, file, image);
	unsigned nr_notes = error ? 0 : count_notes(&reading.file);

	if (error && error != -ENODATA)
		sdt_report("*", "*", path, 0,
			   error == -ESTALE ? "the file is another one since it was loaded"
					    : "the file cannot be read");
	reading.object = allocate(error ? 0 : reading.file.notes_size, nr_notes, path);
	if (reading.object) {
		reading.object->image = *image;
		if (nr_notes)
			read_all(&reading, nr_notes);
	}
	if (!error)
		sdt_file_close(&reading.file);
	return reading.object;
}

void sdt_object_destroy(struct sdt_object *object)
{
	for (unsigned i = 0; i < object->nr_sites; i++)
		sdt_site_forget(&object->sites[i]);
	if (!object->is_kept)
		munmap(object->memory, object->size);
}

/* The classes that are selected and were never registered. */
static void make_batch(struct sdt_object *object, unsigned count)
{
	struct sdt_batch *batch =
		take(object, sizeof(*batch) + count * sizeof(batch->tracepoints[0]));

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

void sdt_object_select(struct sdt_object *object,
		       bool (*selected)(const char *provider, const char *name))
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
 * Of two jumps, one's byte would be in the other's distance: only one of such
 * neighbours is ever armed, that which was the first.
 */
static bool is_beside_another(const struct sdt_object *object, const struct sdt_site *site)
{
	for (unsigned i = 0; i < object->nr_sites; i++) {
		const struct sdt_site *other = &object->sites[i];

		if (other != site && other->landing && site->address < other->address + JUMP_SIZE &&
		    other->address < site->address + JUMP_SIZE)
			return true;
	}
	return false;
}

/* Once: the same would be said at each library that is loaded. */
static void report_site(const struct sdt_object *object, struct sdt_site *site, const char *why)
{
	const struct lttngmap_event_class *class = site->tracepoint->event_class;

	if (!site->refused)
		sdt_report(class->provider, class->name, object->path, site->file_offset, why);
	site->refused = true;
}

void sdt_object_prepare(struct sdt_object *object, struct sdt_writer *writer)
{
	for (unsigned i = 0; i < object->nr_sites; i++) {
		struct sdt_site *site = &object->sites[i];
		struct sdt_refusal refusal;

		if (!is_selected(site) || site->landing)
			continue;
		if (is_beside_another(object, site))
			report_site(object, site,
				    "another probe that is served begins less than five bytes "
				    "away");
		else if (sdt_site_prepare(writer, site, &refusal) != 0)
			report_site(object, site, refusal.why);
	}
}

void sdt_object_arm(struct sdt_object *object, struct sdt_writer *writer)
{
	for (unsigned i = 0; i < object->nr_sites; i++) {
		struct sdt_site *site = &object->sites[i];
		struct sdt_refusal refusal;

		if (!is_selected(site))
			sdt_site_disarm(writer, site);
		else if (site->landing && sdt_site_arm(writer, site, &refusal) != 0)
			report_site(object, site, refusal.why);
	}
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
