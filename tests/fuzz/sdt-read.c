/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sdt-read.c - any bytes as a file with SDT probes: what is read of it is what a class and
 * a site can be, and nothing else in memory was looked at.
 */
#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/name.h"
#include "sdt/object.h"
#include "tests/fuzz/fuzz.h"

/* Mapped by nobody: whatever is read at the file's addresses is a finding. */
#define BIAS UINT64_C(0xffff800000000000)

static void check_class(const struct sdt_class *class)
{
	const struct lttngmap_event_class *its = &class->event_class;

	FUZZ_CHECK(name_is_provider(its->provider, strlen(its->provider)));
	FUZZ_CHECK(name_is_event(its->name, strlen(its->name)));
	FUZZ_CHECK(strlen(its->provider) + 1 + strlen(its->name) <= LTTNGMAP_NAME_MAX);
	FUZZ_CHECK(its->nr_fields <= SDT_OPERANDS_MAX && its->fields == class->fields);
	for (unsigned i = 0; i < its->nr_fields; i++) {
		const struct lttngmap_field *field = &class->fields[i];

		FUZZ_CHECK(field->size == 1 || field->size == 2 || field->size == 4 ||
			   field->size == 8);
		FUZZ_CHECK(field->kind == LTTNGMAP_FIELD_INTEGER ||
			   (field->kind == LTTNGMAP_FIELD_FLOAT && field->size >= 4));
	}
}

static void check_site(const struct sdt_object *object, const struct sdt_site *site)
{
	const struct lttngmap_event_class *class = site->tracepoint->event_class;
	bool is_found = false;

	FUZZ_CHECK(site->nr_operands == class->nr_fields);
	for (unsigned i = 0; i < site->nr_operands; i++) {
		const struct sdt_operand *operand = &site->operands[i];

		FUZZ_CHECK(operand->field_size == class->fields[i].size);
		FUZZ_CHECK(operand->size <= operand->field_size);
		FUZZ_CHECK(operand->kind <= SDT_OBJECT);
		FUZZ_CHECK(operand->base < SDT_REGISTERS || operand->base == SDT_NO_REGISTER);
		FUZZ_CHECK(operand->index < SDT_REGISTERS || operand->index == SDT_NO_REGISTER);
		FUZZ_CHECK(operand->kind != SDT_OBJECT || operand->low <= operand->high);
	}
	for (unsigned i = *sdt_object_place(object, site->address); i;
	     i = object->sites[i - 1].next)
		is_found |= &object->sites[i - 1] == site;
	FUZZ_CHECK(is_found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sdt_image image = { BIAS, (const void *)1, 0 };
	int file = memfd_create("fuzz", MFD_CLOEXEC);
	struct sdt_object *object;
	Elf64_Ehdr header;
	char path[64];

	if (size >= sizeof(header)) {
		memcpy(&header, data, sizeof(header));
		image.nr_segments = header.e_phnum;
	}
	FUZZ_CHECK(file >= 0 && write(file, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	object = sdt_object_create(path, path, &image);
	FUZZ_CHECK(object && object->nr_classes <= object->nr_sites);
	FUZZ_CHECK(object->used <= object->size);
	for (unsigned i = 0; i < object->nr_classes; i++)
		check_class(&object->classes[i]);
	for (unsigned i = 0; i < object->nr_sites; i++)
		check_site(object, &object->sites[i]);
	for (const struct sdt_refused *it = object->refused; it; it = it->next)
		FUZZ_CHECK(it->provider && it->name && it->why && !it->is_told);
	munmap(object->memory, object->size);
	close(file);
	return 0;
}
