/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/kernel/kernel-domain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/ring-file-pages.h"
#include "sessiond/base/memory.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/kernel/kernel-consumer.h"
#include "sessiond/kernel/kernel-leftovers.h"
#include "sessiond/kernel/kernel-state.h"
#include "sessiond/session/session.h"

#define STREAM_ID 0

/* ---- making and undoing ------------------------------------------------------------ */

static int make_metadata(struct kernel_part *part)
{
	struct session *session = part->session;
	struct metadata_config config = {
		.session = session->name,
		.is_kernel = true,
		.created = metadata_created(session->metadata),
		.clock = *metadata_clock(session->metadata),
	};
	int error = metadata_uuid_make(config.uuid);

	if (error < 0)
		return error;
	metadata_uuid_text(config.uuid, part->uuid);
	error = metadata_create(&config, &part->metadata);
	if (error)
		return error;
	return metadata_add_channel(part->metadata, STREAM_ID, "per_cpu", 0);
}

/* What the kernel has no more, once it was read, is to outlive who read it. */
static int make_pages(struct kernel_part *part, struct kernel_problem *problem)
{
	uint32_t cpus = 0, size = 0;
	int error = kernel_instance_cpus(part->instance, &cpus);

	if (error == 0) {
		size = ring_file_kernel_subbuf_size(kernel_instance_path(part->instance));
		error = size == 0 ? -errno : ring_file_pages_create(cpus, size, &part->pages);
	}
	if (error) {
		snprintf(problem->why, sizeof(problem->why),
			 "no memory to read the kernel's rings to: %s", strerror(-error));
		snprintf(problem->hint, sizeof(problem->hint),
			 "see whether the machine has memory, and the daemon descriptors, left");
	}
	return error;
}

static struct kernel_instance_config configure(const struct kernel_part *part, const char *key)
{
	const struct daemon *daemon = part->session->daemon;
	struct kernel_instance_config config = { .key = key, .clock = daemon->clock };

	config.pid = kernel_leftovers_pid(daemon->kernel_leftovers, &config.start);
	return config;
}

static int make_instance(struct kernel_part *part, struct kernel_problem *problem)
{
	struct kernel_instance_config config;
	char key[KERNEL_INSTANCE_NAME_SIZE];
	int error = kernel_tracing_find(problem);

	/* That of an earlier life may be there still, and its probes. */
	snprintf(key, sizeof(key), part->folder ? "%s@%" PRIu32 : "%s", part->session->key,
		 part->folder);
	config = configure(part, key);

	if (error)
		return error;
	error = kernel_instance_create(&config, &part->instance, problem);
	if (error)
		return error;
	kernel_probes_group(kernel_instance_name(part->instance), part->group);
	if (!kernel_instance_is_mapped(part->instance))
		error = make_pages(part, problem);
	return error ? error : kernel_part_set_buffer(part, KERNEL_BUFFER_DEFAULT, problem);
}

int kernel_part_create(struct session *session, uint32_t folder, struct kernel_problem *problem)
{
	struct kernel_part *part = calloc(1, sizeof(*part));
	int error = -ENOMEM;

	snprintf(problem->why, sizeof(problem->why), "out of memory");
	snprintf(problem->hint, sizeof(problem->hint), "try again");
	if (!part)
		return -ENOMEM;
	part->session = session;
	part->folder = folder;
	part->pages = -1;
	error = make_metadata(part);
	if (error == 0)
		error = make_instance(part, problem);
	if (error) {
		kernel_part_destroy(part);
		return error;
	}
	session->kernel = part;
	return 0;
}

static void remove_instance(struct kernel_part *part, struct kernel_instance *instance)
{
	char name[KERNEL_INSTANCE_NAME_SIZE];

	snprintf(name, sizeof(name), "%s", kernel_instance_name(instance));
	kernel_instance_close(instance);
	kernel_leftovers_add(part->session->daemon->kernel_leftovers, name);
}

int kernel_part_try(struct kernel_part *part, struct kernel_problem *problem)
{
	struct kernel_instance_config config = configure(part, "trial");

	return part->trial ? 0 : kernel_instance_create_idle(&config, &part->trial, problem);
}

void kernel_part_end_trial(struct kernel_part *part)
{
	if (part->trial)
		remove_instance(part, part->trial);
	part->trial = NULL;
}

void kernel_part_destroy(struct kernel_part *part)
{
	struct daemon *daemon;

	if (!part)
		return;
	daemon = part->session->daemon;
	json_object_put(part->saved);
	part->saved = NULL;
	kernel_part_cancel(part);
	if (part->told)
		kernel_consumer_send_end(part->session->consumer, part);
	kernel_part_end_trial(part);
	if (part->instance) {
		remove_instance(part, part->instance);
		/* A probe may also be there that was refused in the end. */
		kernel_leftovers_add(daemon->kernel_leftovers, part->group);
	}
	if (part->pages >= 0)
		close(part->pages);
	metadata_destroy(part->metadata);
	for (size_t i = 0; i < part->nr_events; i++)
		kernel_event_free(&part->events[i]);
	for (size_t i = 0; i < part->nr_rules; i++)
		kernel_rule_free(&part->rules[i]);
	free(part->events);
	free(part->rules);
	free(part->write_error);
	free(part);
}

int kernel_part_set_buffer(struct kernel_part *part, uint64_t size, struct kernel_problem *problem)
{
	/* One that is only read, the kernel would resize, and drop events. */
	bool is_late = part->told && !kernel_instance_is_mapped(part->instance);
	int error = is_late ? kernel_instance_tell_busy(problem)
			    : kernel_instance_set_buffer(part->instance, size, problem);

	if (error == 0)
		part->buffer_size = size;
	return error;
}

int kernel_part_set_pids(struct kernel_part *part, const uint32_t *pids, size_t nr_pids,
			 struct kernel_problem *problem)
{
	int error = kernel_instance_set_pids(part->instance, pids, nr_pids, problem);

	if (error)
		return error;
	memcpy(part->pids, pids, nr_pids * sizeof(*pids));
	part->nr_pids = nr_pids;
	return 0;
}

/* ---- the consumer ------------------------------------------------------------------ */

int kernel_part_formats(const struct kernel_part *part, int *fd)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool failed;
	int error;

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < part->nr_events; i++) {
		const struct kernel_event *event = &part->events[i];

		fprintf(out, "%s %zu\n", event->system, event->format_size);
		fwrite(event->format, 1, event->format_size, out);
	}
	failed = ferror(out) != 0;
	failed |= fclose(out) != 0;
	error = failed ? -ENOMEM : memory_create_text("lttngmap-formats", text, size, fd);
	free(text);
	return error;
}

/* The program's trace and this one shall mean one and the same clock. */
static void push_metadata(struct kernel_part *part, bool final)
{
	metadata_set_clock(part->metadata, metadata_clock(part->session->metadata));
	part->generation++;
	kernel_consumer_send_metadata(part->session->consumer, part, final);
}

static void kernel_part_push(struct kernel_part *part)
{
	if (!part || !part->told)
		return;
	/* It counts what it writes itself. */
	part->earlier = part->written;
	kernel_consumer_send_session(part->session->consumer, part);
	push_metadata(part, false);
	kernel_consumer_send_channel(part->session->consumer, part);
	/* Who does not know of the rings yet would say at once that all are read. */
	if (part->finishing)
		push_metadata(part, true);
}

static void kernel_part_take_written(struct kernel_part *part, const struct kernel_written *written,
				     const char *error)
{
	part->written = (struct kernel_written){
		.generation = written->generation,
		.packets = part->earlier.packets + written->packets,
		.events = part->earlier.events + written->events,
		.discarded = part->discarded_before + written->discarded,
		.bytes = part->earlier.bytes + written->bytes,
		.streams = part->earlier.streams + written->streams,
	};
	if (error && (!part->write_error || strcmp(error, part->write_error) != 0))
		log_warning("session %s, events of the kernel's: %s", part->session->name, error);
	free(part->write_error);
	part->write_error = error ? strdup(error) : NULL;
	if (part->awaited && part->is_recording && written->generation >= part->awaited) {
		part->awaited = 0;
		kernel_events_turn_on(part, written->generation);
	}
}

static uint64_t kernel_part_progress(const struct kernel_part *part)
{
	return part ? part->written.packets + part->written.bytes + part->written.generation : 0;
}

/* ---- recording --------------------------------------------------------------------- */

static void say_failed(const struct kernel_part *part, const char *what, int error)
{
	message_of(part->session->key, "session %s: cannot %s events of the kernel's: %s",
		   part->session->name, what, strerror(-error));
}

void kernel_part_start(struct kernel_part *part)
{
	int error;

	if (!part)
		return;
	part->finishing = false;
	if (part->told) {
		push_metadata(part, false);
	} else {
		part->told = true;
		kernel_part_push(part);
	}
	part->is_recording = true;
	kernel_events_turn_on(part, UINT64_MAX);
	error = kernel_instance_record(part->instance, true);
	if (error)
		say_failed(part, "record", error);
}

static void kernel_part_stop(struct kernel_part *part)
{
	int error;

	if (!part)
		return;
	error = kernel_instance_record(part->instance, false);
	if (error)
		say_failed(part, "stop recording", error);
	/* What is stopped costs the machine nothing. */
	kernel_events_turn_off(part);
	part->is_recording = false;
	part->awaited = 0;
}

void kernel_part_tell(struct kernel_part *part)
{
	bool is_new = false;

	for (size_t i = 0; i < part->nr_events; i++)
		is_new |= part->events[i].generation > part->generation;
	if (!part->is_recording || !is_new)
		return;
	push_metadata(part, false);
	part->awaited = part->generation;
}

static void kernel_part_finish(struct kernel_part *part)
{
	if (!part || !part->told)
		return;
	part->finishing = true;
	push_metadata(part, true);
}

static bool kernel_part_is_finished(const struct kernel_part *part)
{
	return !part || part->written.generation >= part->generation;
}

static const char *write_error_of(const struct kernel_part *part)
{
	return part ? part->write_error : NULL;
}

static void send_live(const struct kernel_part *part, uint64_t time)
{
	if (part && part->told)
		kernel_consumer_send_live(part->session->consumer, part, time);
}

static void forget(struct kernel_part *part, const void *data)
{
	if (part && part->making.data == data)
		part->making.data = NULL;
}

const struct session_kernel_ops kernel_part_ops = {
	.start = kernel_part_start,
	.stop = kernel_part_stop,
	.finish = kernel_part_finish,
	.is_finished = kernel_part_is_finished,
	.progress = kernel_part_progress,
	.write_error = write_error_of,
	.push = kernel_part_push,
	.send_live = send_live,
	.take_written = kernel_part_take_written,
	.forget = forget,
	.destroy = kernel_part_destroy,
	.save = kernel_part_save,
	.restore = kernel_part_restore,
};
