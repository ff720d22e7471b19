/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/class/class-layout.h"

#include "common/base/context.h"

static struct record_part part_of(const struct registry_field *field)
{
	struct record_part part = { .kind = RECORD_PART_FIXED, .size = field->size };

	switch (field->kind) {
	case LTTNGMAP_FIELD_STRING:
		part.kind = RECORD_PART_STRING;
		break;
	case LTTNGMAP_FIELD_ARRAY:
		part.size = (uint64_t)field->count * field->size;
		break;
	case LTTNGMAP_FIELD_TEXT:
		part.size = field->count;
		break;
	case LTTNGMAP_FIELD_SEQUENCE:
		part.kind = RECORD_PART_SEQUENCE;
		break;
	case LTTNGMAP_FIELD_TEXT_SEQUENCE:
		part.kind = RECORD_PART_SEQUENCE;
		part.size = 1;
		break;
	default:
		break;
	}
	return part;
}

static int add_stream(struct record_layout *layout, uint64_t contexts)
{
	uint64_t fixed = 0, sequence = 0;

	/* The last one alone may be a sequence. */
	for (unsigned i = 0; i < LTTNGMAP_CONTEXTS; i++)
		if (contexts >> i & 1)
			*(context_kinds[i].is_sequence ? &sequence : &fixed) +=
				context_kinds[i].size;
	return record_layout_add_stream(layout, 0, fixed, sequence);
}

static int add_class(struct record_layout *layout, const struct registry_class *event_class)
{
	struct record_part parts[LTTNGMAP_FIELDS_MAX];

	for (unsigned i = 0; i < event_class->nr_fields; i++)
		parts[i] = part_of(&event_class->fields[i]);
	return record_layout_add_event(layout, 0, event_class->id, parts, event_class->nr_fields);
}

struct record_layout *class_layout_create(const struct registry *registry,
					  const struct metadata *metadata, uint32_t stream_id)
{
	struct record_layout *layout = record_layout_create();
	uint64_t contexts;
	int error;

	if (!layout)
		return NULL;
	(void)metadata_channel(metadata, stream_id, &contexts);
	error = add_stream(layout, contexts);
	for (uint32_t id = 0; !error && id < registry_count(registry); id++)
		if (metadata_has_event(metadata, stream_id, id))
			error = add_class(layout, registry_get(registry, id));
	if (!error)
		return layout;
	record_layout_destroy(layout);
	return NULL;
}
