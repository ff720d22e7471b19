/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * class-wire.h - event classes in the wire form of common/protocol/protocol-app.h,
 * right or wrong, as a test wants them.
 *
 * The bytes of one message; all zeros is an empty one. What does not fit ends
 * the test.
 */
#ifndef CLASS_WIRE_H
#define CLASS_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "common/protocol/protocol-app.h"

struct class_wire {
	uint8_t bytes[PROTOCOL_APP_MESSAGE_MAX];
	size_t size;
	uint32_t nr_classes;
};

void class_wire_bytes(struct class_wire *wire, const void *bytes, size_t size);

/* Log level 13; its fields are to follow. */
void class_wire_class(struct class_wire *wire, const char *provider, const char *name,
		      unsigned nr_fields);
/* Any kind but ENUM. */
void class_wire_field(struct class_wire *wire, unsigned kind, unsigned size, unsigned flags,
		      unsigned base, uint32_t count, const char *name);
/* ENUM, base 10; its values are to follow. */
void class_wire_enum(struct class_wire *wire, unsigned size, unsigned flags, const char *name,
		     const char *enum_name, unsigned nr_values);
void class_wire_value(struct class_wire *wire, const char *label, int64_t first, int64_t last);

#endif /* CLASS_WIRE_H */
