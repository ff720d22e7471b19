/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/app/app-message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <lttngmap/abi.h>

void app_refuse(struct app_refusal *refusal, int error, const char *format, ...)
{
	va_list arguments;

	refusal->error = error;
	va_start(arguments, format);
	vsnprintf(refusal->message, sizeof(refusal->message), format, arguments);
	va_end(arguments);
}

static int refuse_size(struct app_refusal *refusal, size_t size)
{
	app_refuse(refusal, EBADMSG, "a message of %zu bytes is not of the size that its type has",
		   size);
	return -EPROTO;
}

static int take_classes(const char *bytes, size_t size, size_t fixed, uint32_t nr_classes,
			struct app_message *message, struct app_refusal *refusal)
{
	if (nr_classes > PROTOCOL_APP_CLASSES_MAX) {
		app_refuse(refusal, E2BIG, "%u event classes in one message, %u are allowed",
			   nr_classes, PROTOCOL_APP_CLASSES_MAX);
		return -EPROTO;
	}
	message->nr_classes = nr_classes;
	message->classes = bytes + fixed;
	message->classes_size = size - fixed;
	return 0;
}

static int parse_register(const char *bytes, size_t size, uint64_t instance,
			  struct app_message *message, struct app_refusal *refusal)
{
	struct protocol_app_register *registration = &message->registration;

	if (size < sizeof(*registration))
		return refuse_size(refusal, size);
	memcpy(registration, bytes, sizeof(*registration));
	if (registration->abi_major != LTTNGMAP_ABI_MAJOR) {
		app_refuse(refusal, EPROTONOSUPPORT,
			   "liblttngmap's memory layout is %u, the daemon's %u: install both of "
			   "one version",
			   registration->abi_major, LTTNGMAP_ABI_MAJOR);
		return -EPROTO;
	}
	if (registration->word_size != sizeof(long)) {
		app_refuse(refusal, EPROTONOSUPPORT,
			   "a program of %u-bit words cannot be traced by a daemon of %zu-bit ones",
			   registration->word_size > 64 ? 0 : registration->word_size * 8,
			   sizeof(long) * 8);
		return -EPROTO;
	}
	/* It counts on ids that this daemon never gave. */
	if (registration->flags & PROTOCOL_APP_FORKED && registration->instance != instance) {
		app_refuse(refusal, ESTALE,
			   "its parent was registered with another daemon: register classes");
		return -EPROTO;
	}
	return take_classes(bytes, size, sizeof(*registration), registration->nr_classes, message,
			    refusal);
}

static int parse_classes(const char *bytes, size_t size, struct app_message *message,
			 struct app_refusal *refusal)
{
	struct protocol_app_classes classes;

	if (size < sizeof(classes))
		return refuse_size(refusal, size);
	memcpy(&classes, bytes, sizeof(classes));
	return take_classes(bytes, size, sizeof(classes), classes.nr_classes, message, refusal);
}

static int take_slot(uint32_t slot, struct app_message *message, struct app_refusal *refusal)
{
	if (slot >= LTTNGMAP_CHANNELS) {
		app_refuse(refusal, EINVAL, "there is no channel %u", slot);
		return -EPROTO;
	}
	message->slot = slot;
	return 0;
}

static int parse_memory(const char *bytes, size_t size, struct app_message *message,
			struct app_refusal *refusal)
{
	struct protocol_app_memory memory;

	if (size != sizeof(memory))
		return refuse_size(refusal, size);
	memcpy(&memory, bytes, sizeof(memory));
	return take_slot(memory.of.slot, message, refusal);
}

static int parse_lost(const char *bytes, size_t size, struct app_message *message,
		      struct app_refusal *refusal)
{
	struct protocol_app_lost lost;

	if (size != sizeof(lost))
		return refuse_size(refusal, size);
	memcpy(&lost, bytes, sizeof(lost));
	message->lost = lost.count;
	return take_slot(lost.slot, message, refusal);
}

static int parse_untraced(const char *bytes, size_t size, struct app_message *message,
			  struct app_refusal *refusal)
{
	if (size != sizeof(message->untraced))
		return refuse_size(refusal, size);
	memcpy(&message->untraced, bytes, size);
	return 0;
}

static int parse_executed(const char *bytes, size_t size, struct app_message *message,
			  struct app_refusal *refusal)
{
	if (size != sizeof(message->executed))
		return refuse_size(refusal, size);
	memcpy(&message->executed, bytes, size);
	return 0;
}

int app_message_parse(const void *bytes, size_t size, uint64_t instance,
		      struct app_message *message, struct app_refusal *refusal)
{
	struct protocol_app_header header;

	memset(message, 0, sizeof(*message));
	memset(refusal, 0, sizeof(*refusal));
	if (size < sizeof(header))
		return -EPROTO;
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != PROTOCOL_APP_MAGIC)
		return -EPROTO;
	/* Before anything else: another version may mean all the rest otherwise. */
	if (header.major != PROTOCOL_APP_MAJOR) {
		app_refuse(refusal, EPROTONOSUPPORT,
			   "liblttngmap speaks protocol %u, the daemon %u: install both of one "
			   "version",
			   header.major, PROTOCOL_APP_MAJOR);
		return -EPROTO;
	}
	if (header.size != size)
		return refuse_size(refusal, size);
	message->type = (enum protocol_app_type)header.type;
	switch (header.type) {
	case PROTOCOL_APP_REGISTER:
		return parse_register(bytes, size, instance, message, refusal);
	case PROTOCOL_APP_CLASSES:
		return parse_classes(bytes, size, message, refusal);
	case PROTOCOL_APP_MEMORY:
		return parse_memory(bytes, size, message, refusal);
	case PROTOCOL_APP_ALONE:
	case PROTOCOL_APP_USER:
		return size == sizeof(header) ? 0 : refuse_size(refusal, size);
	case PROTOCOL_APP_LOST:
		return parse_lost(bytes, size, message, refusal);
	case PROTOCOL_APP_UNTRACED:
		return parse_untraced(bytes, size, message, refusal);
	case PROTOCOL_APP_EXECUTED:
		return parse_executed(bytes, size, message, refusal);
	default:
		app_refuse(refusal, EOPNOTSUPP, "there is no request of type %u", header.type);
		return -EPROTO;
	}
}
