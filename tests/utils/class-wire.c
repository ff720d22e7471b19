/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/utils/class-wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lttngmap/event-class.h>

void class_wire_bytes(struct class_wire *wire, const void *bytes, size_t size)
{
	if (size > sizeof(wire->bytes) - wire->size) {
		printf("Bail out! a test's message is too large\n");
		exit(EXIT_FAILURE);
	}
	memcpy(wire->bytes + wire->size, bytes, size);
	wire->size += size;
}

void class_wire_class(struct class_wire *wire, const char *provider, const char *name,
		      unsigned nr_fields)
{
	struct protocol_app_class header = {
		.provider_length = (uint8_t)strlen(provider),
		.name_length = (uint8_t)strlen(name),
		.nr_fields = (uint8_t)nr_fields,
		.loglevel = LTTNGMAP_LOGLEVEL_DEBUG_LINE,
	};

	class_wire_bytes(wire, &header, sizeof(header));
	class_wire_bytes(wire, provider, header.provider_length);
	class_wire_bytes(wire, name, header.name_length);
	wire->nr_classes++;
}

void class_wire_field(struct class_wire *wire, unsigned kind, unsigned size, unsigned flags,
		      unsigned base, uint32_t count, const char *name)
{
	struct protocol_app_field field = {
		.kind = (uint8_t)kind,
		.size = (uint8_t)size,
		.flags = (uint8_t)flags,
		.base = (uint8_t)base,
		.count = count,
		.name_length = (uint8_t)strlen(name),
	};

	class_wire_bytes(wire, &field, sizeof(field));
	class_wire_bytes(wire, name, field.name_length);
}

void class_wire_enum(struct class_wire *wire, unsigned size, unsigned flags, const char *name,
		     const char *enum_name, unsigned nr_values)
{
	struct protocol_app_field field = {
		.kind = LTTNGMAP_FIELD_ENUM,
		.size = (uint8_t)size,
		.flags = (uint8_t)flags,
		.base = 10,
		.name_length = (uint8_t)strlen(name),
		.enum_name_length = (uint8_t)strlen(enum_name),
		.nr_values = (uint16_t)nr_values,
	};

	class_wire_bytes(wire, &field, sizeof(field));
	class_wire_bytes(wire, name, field.name_length);
	class_wire_bytes(wire, enum_name, field.enum_name_length);
}

void class_wire_value(struct class_wire *wire, const char *label, int64_t first, int64_t last)
{
	struct protocol_app_enum_value value = {
		.first = first,
		.last = last,
		.label_length = (uint8_t)strlen(label),
	};

	class_wire_bytes(wire, &value, sizeof(value));
	class_wire_bytes(wire, label, value.label_length);
}
