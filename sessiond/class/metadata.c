/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/class/metadata.h"

#include <config.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <systemd/sd-id128.h>

#include <lttngmap/abi.h>

#include "sessiond/base/memory.h"
#include "sessiond/class/tsdl.h"
#include "sessiond/quota/quota.h"

#define NSEC_PER_SEC UINT64_C(1000000000)
/* The first of the lists; they double. */
#define EVENTS_MIN 64

struct channel {
	char *name; /* NULL: there is none of this stream id */
	uint64_t contexts;
	/* Which ids it has, a bit each: LTTNGMAP_EVENT_IDS of them. */
	uint64_t *has;
};

struct event {
	uint32_t stream_id;
	const struct registry_class *event_class;
};

/* Bytes of text about the classes that one user is charged for. */
struct user_text {
	uint32_t user;
	uint64_t size;
};

struct metadata {
	char *session;
	char hostname[HOST_NAME_MAX + 1];
	time_t created;
	bool is_kernel;
	uint8_t uuid[CTF_UUID_SIZE];
	struct clock_description clock;
	char *untraced; /* NULL: nobody */
	uint64_t generation;
	uint64_t head; /* the generation of all but the events */
	struct channel channels[LTTNGMAP_CHANNELS];
	struct event *events; /* in the order in which they came */
	size_t nr_events;
	size_t events_room;
	struct user_text *texts;
	size_t nr_texts;
	uint64_t text_size; /* of all of them */
};

int metadata_uuid_make(uint8_t uuid[CTF_UUID_SIZE])
{
	sd_id128_t id;
	int error = sd_id128_randomize(&id);

	if (error < 0)
		return error;
	memcpy(uuid, id.bytes, CTF_UUID_SIZE);
	return 0;
}

void metadata_uuid_text(const uint8_t uuid[CTF_UUID_SIZE], char text[METADATA_UUID_TEXT_SIZE])
{
	for (unsigned i = 0; i < CTF_UUID_SIZE; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*text++ = '-';
		text += sprintf(text, "%02x", uuid[i]);
	}
}

int metadata_create(const struct metadata_config *config, struct metadata **metadata)
{
	struct metadata *new = calloc(1, sizeof(*new));

	if (!new)
		return -ENOMEM;
	new->session = strdup(config->session);
	if (!new->session) {
		free(new);
		return -ENOMEM;
	}
	/* Where it is cut it gets no NUL; the last byte stays 0. */
	if (config->hostname)
		strncpy(new->hostname, config->hostname, sizeof(new->hostname) - 1);
	else
		gethostname(new->hostname, sizeof(new->hostname) - 1);
	new->created = config->created ? (time_t)(config->created / NSEC_PER_SEC) : time(NULL);
	new->is_kernel = config->is_kernel;
	memcpy(new->uuid, config->uuid, sizeof(new->uuid));
	new->clock = config->clock;
	new->generation = 1;
	new->head = 1;
	*metadata = new;
	return 0;
}

void metadata_destroy(struct metadata *metadata)
{
	if (!metadata)
		return;
	for (unsigned i = 0; i < LTTNGMAP_CHANNELS; i++) {
		free(metadata->channels[i].name);
		free(metadata->channels[i].has);
	}
	free(metadata->events);
	free(metadata->texts);
	free(metadata->session);
	free(metadata->untraced);
	free(metadata);
}

int metadata_add_channel(struct metadata *metadata, uint32_t stream_id, const char *channel,
			 uint64_t contexts)
{
	struct channel *place;

	if (stream_id >= LTTNGMAP_CHANNELS)
		return -EINVAL;
	place = &metadata->channels[stream_id];
	if (place->name)
		return -EEXIST;
	place->has = calloc(LTTNGMAP_EVENT_IDS / 64, sizeof(uint64_t));
	if (!place->has)
		return -ENOMEM;
	place->contexts = contexts;
	place->name = strdup(channel);
	if (!place->name) {
		free(place->has);
		place->has = NULL;
		return -ENOMEM;
	}
	metadata->head = ++metadata->generation;
	return 0;
}

int metadata_change_contexts(struct metadata *metadata, uint32_t stream_id, uint64_t contexts)
{
	if (stream_id >= LTTNGMAP_CHANNELS || !metadata->channels[stream_id].name)
		return -ENOENT;
	metadata->channels[stream_id].contexts = contexts;
	metadata->head = ++metadata->generation;
	return 0;
}

static int make_room(struct metadata *metadata)
{
	size_t room = metadata->events_room ? 2 * metadata->events_room : EVENTS_MIN;
	struct event *events;

	if (metadata->nr_events < metadata->events_room)
		return 0;
	events = reallocarray(metadata->events, room, sizeof(*events));
	if (!events)
		return -ENOMEM;
	metadata->events = events;
	metadata->events_room = room;
	return 0;
}

/* NULL: no memory. */
static struct user_text *text_of(struct metadata *metadata, uint32_t user)
{
	struct user_text *texts = metadata->texts;
	size_t i = 0;

	while (i < metadata->nr_texts && texts[i].user != user)
		i++;
	if (i < metadata->nr_texts)
		return &texts[i];
	texts = reallocarray(texts, i + 1, sizeof(*texts));
	if (!texts)
		return NULL;
	metadata->texts = texts;
	metadata->nr_texts++;
	texts[i] = (struct user_text){ .user = user };
	return &texts[i];
}

static int charge(struct metadata *metadata, uint32_t stream_id,
		  const struct registry_class *event_class, uint32_t user, bool limited)
{
	struct user_text *text = text_of(metadata, user);
	uint64_t left = METADATA_EVENTS_MAX - metadata->text_size;
	char *buffer = NULL;
	size_t size = 0;
	FILE *out = text ? open_memstream(&buffer, &size) : NULL;
	int error = 0;

	if (!out)
		return -ENOMEM;
	tsdl_event(out, stream_id, event_class);
	if (fclose(out) != 0)
		error = -ENOMEM;
	free(buffer);
	if (metadata->text_size > METADATA_EVENTS_MAX)
		left = 0;
	if (!error && limited &&
	    size > quota_share(left, text->size, METADATA_EVENTS_MAX, QUOTA_CLASSES_USER))
		error = -EDQUOT;
	if (error)
		return error;
	text->size += size;
	metadata->text_size += size;
	return 0;
}

int metadata_add_event(struct metadata *metadata, uint32_t stream_id,
		       const struct registry_class *event_class, uint32_t user, bool limited)
{
	uint64_t bit = UINT64_C(1) << event_class->id % 64;
	uint64_t *word;
	int error;

	if (stream_id >= LTTNGMAP_CHANNELS || !metadata->channels[stream_id].name)
		return -ENOENT;
	word = &metadata->channels[stream_id].has[event_class->id / 64];
	if (*word & bit)
		return 0;
	error = make_room(metadata);
	if (!error)
		error = charge(metadata, stream_id, event_class, user, limited);
	if (error < 0)
		return error;
	metadata->events[metadata->nr_events++] = (struct event){ stream_id, event_class };
	*word |= bit;
	metadata->generation++;
	return 0;
}

void metadata_set_clock(struct metadata *metadata, const struct clock_description *clock)
{
	const struct clock_description *old = &metadata->clock;

	if (old->frequency == clock->frequency && old->offset_s == clock->offset_s &&
	    old->offset == clock->offset)
		return;
	metadata->clock = *clock;
	metadata->head = ++metadata->generation;
}

int metadata_set_untraced(struct metadata *metadata, const char *names)
{
	char *copy = names && names[0] ? strdup(names) : NULL;

	if (names && names[0] && !copy)
		return -ENOMEM;
	if (strcmp(copy ? copy : "", metadata->untraced ? metadata->untraced : "") != 0)
		metadata->head = ++metadata->generation;
	free(metadata->untraced);
	metadata->untraced = copy;
	return 0;
}

const struct clock_description *metadata_clock(const struct metadata *metadata)
{
	return &metadata->clock;
}

uint64_t metadata_created(const struct metadata *metadata)
{
	return (uint64_t)metadata->created * NSEC_PER_SEC;
}

const char *metadata_channel(const struct metadata *metadata, uint32_t stream_id,
			     uint64_t *contexts)
{
	*contexts = metadata->channels[stream_id].contexts;
	return metadata->channels[stream_id].name;
}

bool metadata_has_event(const struct metadata *metadata, uint32_t stream_id, uint32_t id)
{
	return metadata->channels[stream_id].has[id / 64] >> id % 64 & 1;
}

uint64_t metadata_generation(const struct metadata *metadata)
{
	return metadata->generation;
}

static void write_string_entry(FILE *out, const char *key, const char *value)
{
	fprintf(out, "\t%s = ", key);
	tsdl_quote(out, value);
	fputs(";\n", out);
}

/*
 * Trace Compass offers its analyses of user space to tracer "lttng-ust" of
 * 2.9 and later only, and our events have the same names and fields; the
 * lttngmap_ entries say what really wrote it. The buffering scheme is "uid":
 * to readers "pid" means that one process wrote the whole trace.
 */
static void write_program_tracer(FILE *out)
{
	write_string_entry(out, "domain", "ust");
	write_string_entry(out, "tracer_name", "lttng-ust");
	fputs("\ttracer_major = 2;\n\ttracer_minor = 13;\n", out);
	write_string_entry(out, "tracer_buffering_scheme", "uid");
	fprintf(out, "\ttracer_buffering_id = %u;\n", (unsigned)geteuid());
}

/*
 * Trace Compass takes a trace of domain "kernel" for a kernel trace, and finds the names of events
 * and fields by the tracer's name. "perf" stands for the names of tracefs, which these traces have;
 * LTTng names them otherwise.
 */
static void write_kernel_tracer(FILE *out)
{
	struct utsname kernel;

	write_string_entry(out, "domain", "kernel");
	write_string_entry(out, "tracer_name", "perf");
	write_string_entry(out, "tracer_buffering_scheme", "global");
	if (uname(&kernel) != 0)
		return;
	write_string_entry(out, "sysname", kernel.sysname);
	write_string_entry(out, "kernel_release", kernel.release);
	write_string_entry(out, "kernel_version", kernel.version);
	write_string_entry(out, "architecture", kernel.machine);
}

static void write_env(FILE *out, const struct metadata *metadata)
{
	char created[sizeof("20260101T000000+0000") + 16] = "";
	struct tm tm;

	if (gmtime_r(&metadata->created, &tm))
		strftime(created, sizeof(created), "%Y%m%dT%H%M%S+0000", &tm);
	fputs("env {\n", out);
	(metadata->is_kernel ? write_kernel_tracer : write_program_tracer)(out);
	fprintf(out, "\tarchitecture_bit_width = %zu;\n", 8 * sizeof(long));
	write_string_entry(out, "trace_name", metadata->session);
	write_string_entry(out, "trace_creation_datetime", created);
	write_string_entry(out, "hostname", metadata->hostname);
	write_string_entry(out, "lttngmap_version", PACKAGE_VERSION);
	fprintf(out, "\tlttngmap_abi_major = %u;\n\tlttngmap_abi_minor = %u;\n", LTTNGMAP_ABI_MAJOR,
		LTTNGMAP_ABI_MINOR);
	for (unsigned i = 0; i < LTTNGMAP_CHANNELS; i++) {
		char key[sizeof("lttngmap_channel_") + 10];

		if (!metadata->channels[i].name)
			continue;
		snprintf(key, sizeof(key), "lttngmap_channel_%u", i);
		write_string_entry(out, key, metadata->channels[i].name);
	}
	if (metadata->untraced)
		write_string_entry(out, "lttngmap_not_traced", metadata->untraced);
	fputs("};\n\n", out);
}

static void write_head(FILE *out, const struct metadata *metadata)
{
	tsdl_trace(out, metadata->uuid);
	write_env(out, metadata);
	tsdl_clock(out, &metadata->clock);
	for (unsigned i = 0; i < LTTNGMAP_CHANNELS; i++) {
		if (metadata->channels[i].name)
			tsdl_stream(out, &metadata->clock, i, metadata->channels[i].contexts);
	}
}

/* The events from `first` on. */
static int make_text(const struct metadata *metadata, bool head, size_t first, char **text,
		     size_t *size)
{
	char *buffer = NULL;
	size_t written = 0;
	bool failed;
	FILE *out = open_memstream(&buffer, &written);

	if (!out)
		return -ENOMEM;
	if (head)
		write_head(out, metadata);
	for (size_t i = first; i < metadata->nr_events; i++)
		tsdl_event(out, metadata->events[i].stream_id, metadata->events[i].event_class);
	failed = ferror(out);
	if (fclose(out) != 0 || failed) {
		free(buffer);
		return -ENOMEM;
	}
	*text = buffer;
	*size = written;
	return 0;
}

int metadata_text(const struct metadata *metadata, char **text, size_t *size)
{
	return make_text(metadata, true, 0, text, size);
}

int metadata_memfd(const struct metadata *metadata, int *fd)
{
	struct metadata_sent nothing = { .head = 0 };
	uint64_t offset;

	return metadata_segment(metadata, &nothing, &offset, fd);
}

int metadata_segment(const struct metadata *metadata, struct metadata_sent *sent, uint64_t *offset,
		     int *fd)
{
	bool head = sent->head != metadata->head;
	char *text;
	size_t size;
	int error = make_text(metadata, head, head ? 0 : sent->events, &text, &size);

	if (error < 0)
		return error;
	error = memory_create_text("lttngmap-metadata", text, size, fd);
	free(text);
	if (error < 0)
		return error;
	*offset = head ? 0 : sent->size;
	*sent = (struct metadata_sent){
		.head = metadata->head,
		.events = metadata->nr_events,
		.size = *offset + size,
	};
	return 0;
}
