/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * read.c - from the notes of a file to an object's classes and sites. It runs without
 * any lock, and looks at nothing but the file and the object that it makes: what
 * takes time here keeps nobody waiting but who loads the file.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/name.h"
#include "sdt/object.h"
#include "sdt/place.h"

#define PAGE UINT64_C(4096)
#define LEVEL LTTNGMAP_LOGLEVEL_DEBUG_LINE
/* More than any program has; ids are 16 bits wide, for all programs together. */
#define SITES_MAX 8192u
/* So many probes at the same byte: of more, each would have to be compared with all others. */
#define SAME_PLACE_MAX 4u
/* And in one list of sites, under the lock walked for each of them: chance makes none so long. */
#define LIST_MAX 64u
/* Maximum length shown of an argument. */
#define ARGUMENT_MAX 60u

static const uint64_t off;

static const char *const field_names[SDT_OPERANDS_MAX] = {
	"arg1", "arg2", "arg3", "arg4",  "arg5",  "arg6",
	"arg7", "arg8", "arg9", "arg10", "arg11", "arg12",
};

/* ---- memory -------------------------------------------------------------------------- */

void *sdt_object_take(struct sdt_object *object, size_t size)
{
	char *taken = object->memory + object->used;

	size = (size + 15) & ~(size_t)15;
	if (size > object->size - object->used)
		return NULL;
	object->used += size;
	return taken;
}

static const char *keep_text(struct sdt_object *object, const char *text, size_t length)
{
	char *kept = sdt_object_take(object, length + 1);

	/* The memory is new, hence zero behind the text. */
	return kept ? memcpy(kept, text, length) : NULL;
}

void sdt_object_refuse(struct sdt_object *object, const struct sdt_note *note, uint64_t offset,
		       const char *argument, size_t length, const char *why)
{
	struct sdt_refused *refused = sdt_object_take(object, sizeof(*refused));

	if (!refused)
		return;
	*refused = (struct sdt_refused){
		.next = object->refused,
		.provider = keep_text(object, note->provider, strlen(note->provider)),
		.name = keep_text(object, note->name, strlen(note->name)),
		.argument = argument ? keep_text(object, argument,
						 length < ARGUMENT_MAX ? length : ARGUMENT_MAX)
				     : NULL,
		.offset = offset,
		.why = why,
	};
	if (refused->provider && refused->name)
		object->refused = refused;
}

/* Batches: a class is in one of them, and there are no more of them than classes. */
static size_t size_of(const struct sdt_file *file, unsigned nr_notes, unsigned nr_hashes)
{
	const size_t one = sizeof(struct sdt_class) + sizeof(struct sdt_site) +
			   sizeof(struct sdt_batch) + sizeof(struct sdt_refused) + sizeof(void *);

	return file->notes_size + nr_notes * (one + 8 * 16) + 2 * nr_hashes * sizeof(uint16_t) +
	       file->image.nr_segments * sizeof(*file->segments) + file->identity_size;
}

/* `more` bytes beside what every object has. */
static struct sdt_object *allocate(size_t more, const char *path)
{
	/* Room for what is said of the file as a whole. */
	size_t size = sizeof(struct sdt_object) + strlen(path) + sizeof(struct sdt_refused) + more +
		      32 * 16 + PAGE;
	struct sdt_object *object;
	void *memory;

	size &= ~(size_t)(PAGE - 1);
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	object = memory;
	object->memory = memory;
	object->size = size;
	sdt_object_take(object, sizeof(*object));
	object->path = keep_text(object, path, strlen(path));
	return object;
}

static uint32_t hash_of(uint32_t value, const char *text)
{
	while (*text)
		value = (value ^ (uint8_t)*text++) * 16777619u;
	return value;
}

static uint16_t *name_of(const struct sdt_object *object, const struct sdt_note *note)
{
	uint32_t hash = hash_of(hash_of(2166136261u, note->provider), note->name);

	return &object->classes_by_name[(hash ^ hash >> 16) & (object->nr_hashes - 1)];
}

uint16_t *sdt_object_place(const struct sdt_object *object, uint64_t address)
{
	uint64_t hash = (address >> 3) * UINT64_C(0x9e3779b97f4a7c15);

	return &object->sites_by_place[hash >> 48 & (object->nr_hashes - 1)];
}

/* ---- one note ------------------------------------------------------------------------ */

/* The file being read, and its reader. */
struct reading {
	struct sdt_file *file;
	struct sdt_object *object;
};

static void refuse(const struct reading *reading, const struct sdt_note *note, uint64_t offset,
		   const char *why)
{
	sdt_object_refuse(reading->object, note, offset, NULL, 0, why);
}

static int find_symbol(void *context, const char *name, size_t length, struct sdt_symbol *symbol)
{
	struct reading *reading = context;

	return sdt_file_find(reading->file, name, length, &symbol->address, &symbol->low,
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
	const char *at;
	size_t length;
	int count = sdt_operands_parse(note->arguments, site->operands, find_symbol, reading, &at,
				       &length);

	if (count >= 0) {
		site->nr_operands = (uint8_t)count;
		return true;
	}
	sdt_object_refuse(reading->object, note, site->file_offset, at, length,
			  explain_operand(count));
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
	const struct sdt_image *image = &reading->file->image;
	const ElfW(Phdr) *code =
		sdt_image_segment(image, note->location, SDT_LANDING_SIZE, PF_R | PF_X);

	*site = (struct sdt_site){ .address = image->bias + note->location };
	if (!name_is_provider(note->provider, strlen(note->provider)) ||
	    !name_is_event(note->name, strlen(note->name)) ||
	    strlen(note->provider) + 1 + strlen(note->name) > LTTNGMAP_NAME_MAX)
		return false; /* nobody can ask for it */
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
	uint16_t *head = name_of(object, note);

	*class = (struct sdt_class){
		.tracepoint = { .word = &off, .event_class = &class->event_class },
		.event_class = {
			.struct_size = sizeof(class->event_class),
			.nr_fields = site->nr_operands,
			.loglevel = LEVEL,
			.provider = keep_text(object, note->provider, strlen(note->provider)),
			.name = keep_text(object, note->name, strlen(note->name)),
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
	class->next = *head;
	*head = (uint16_t)++object->nr_classes;
	return class;
}

/* Fields are as large as the largest site's, and signed if one's are. */
static void widen_fields(struct sdt_class *class, const struct sdt_site *site)
{
	for (unsigned i = 0; i < site->nr_operands; i++) {
		struct lttngmap_field *field = &class->fields[i];

		if (site->operands[i].size > field->size)
			field->size = site->operands[i].size;
		if (site->operands[i].is_signed)
			field->flags |= LTTNGMAP_FIELD_SIGNED;
	}
}

static bool is_crowded(const struct sdt_object *object, uint64_t address)
{
	unsigned same = 0, all = 0;

	for (unsigned i = *sdt_object_place(object, address); i; i = object->sites[i - 1].next) {
		same += object->sites[i - 1].address == address;
		all++;
	}
	return same >= SAME_PLACE_MAX || all >= LIST_MAX;
}

/* NULL, or why not. */
static const char *add_site(struct sdt_object *object, const struct sdt_note *note,
			    const struct sdt_site *site)
{
	struct sdt_class *class = NULL;
	struct sdt_site *added = &object->sites[object->nr_sites];
	uint16_t *place = sdt_object_place(object, site->address);

	if (is_crowded(object, site->address))
		return "there are too many others at its place";
	for (unsigned i = *name_of(object, note); i && !class; i = object->classes[i - 1].next)
		if (is_alike(&object->classes[i - 1], note, site))
			class = &object->classes[i - 1];
	if (!class)
		class = add_class(object, note, site);
	if (!class)
		return "there is no room for it";
	widen_fields(class, site);
	*added = *site;
	added->tracepoint = &class->tracepoint;
	added->next = *place;
	*place = (uint16_t)++object->nr_sites;
	return NULL;
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

static void read_all(struct reading *reading, unsigned nr_notes)
{
	struct sdt_note note;
	struct sdt_site site;
	size_t offset = 0;

	while (nr_notes-- > 0 && sdt_file_next(reading->file, &offset, &note)) {
		const char *why = NULL;

		if (read_site(reading, &note, &site))
			why = add_site(reading->object, &note, &site);
		if (why)
			refuse(reading, &note, site.file_offset, why);
	}
	if (sdt_file_next(reading->file, &offset, &note))
		refuse(reading, &(struct sdt_note){ .provider = "*", .name = "*" }, 0,
		       "it has more than 8192 probes: the others are left out");
	settle_fields(reading->object);
}

static void keep_identity(struct sdt_object *object, const struct sdt_file *file)
{
	size_t size = file->image.nr_segments * sizeof(*file->segments);
	ElfW(Phdr) *segments = sdt_object_take(object, size);

	object->identity = sdt_object_take(object, file->identity_size);
	memcpy(segments, file->segments, size);
	memcpy(object->identity, file->identity, file->identity_size);
	object->identity_size = file->identity_size;
	object->file = file->image;
	object->file.segments = segments;
}

struct sdt_object *sdt_object_read(struct sdt_file *file, const char *path)
{
	unsigned nr_notes = count_notes(file), nr_hashes = 1;
	struct reading reading = { .file = file };
	struct sdt_object *object;

	while (nr_hashes < nr_notes)
		nr_hashes *= 2;
	object = allocate(size_of(file, nr_notes, nr_hashes), path);
	if (!object || nr_notes == 0)
		return object;
	keep_identity(object, file);
	object->nr_hashes = nr_hashes;
	object->classes = sdt_object_take(object, nr_notes * sizeof(*object->classes));
	object->sites = sdt_object_take(object, nr_notes * sizeof(*object->sites));
	object->classes_by_name = sdt_object_take(object, nr_hashes * sizeof(uint16_t));
	object->sites_by_place = sdt_object_take(object, nr_hashes * sizeof(uint16_t));
	reading.object = object;
	read_all(&reading, nr_notes);
	return object;
}

struct sdt_object *sdt_object_create(const char *file_path, const char *path,
				     const struct sdt_image *image)
{
	const struct sdt_note whole = { .provider = "*", .name = "*" };
	struct sdt_object *object;
	struct sdt_file file;
	int error = sdt_file_open(&file, file_path, image->bias, image->nr_segments);

	object = error ? allocate(0, path) : sdt_object_read(&file, path);
	if (object)
		object->image = *image;
	if (object && error && error != -ENODATA)
		sdt_object_refuse(object, &whole, 0, NULL, 0,
				  error == -ESTALE ? SDT_FILE_IS_ANOTHER
						   : "the file cannot be read");
	if (!error)
		sdt_file_close(&file);
	return object;
}
