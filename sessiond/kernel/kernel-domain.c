/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/kernel/kernel-domain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "common/ring-file/ring-file-pages.h"
#include "sessiond/base/memory.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/kernel/kernel-consumer.h"
#include "sessiond/kernel/kernel-leftovers.h"
#include "sessiond/kernel/kernel-state.h"
#include "sessiond/session/session.h"

#define STREAM_ID 0

/* ---- making and undoing ------------------------------------------------------------ */

static int make_metadata(struct kernel_domain *domain)
{
	struct session *session = domain->session;
	struct metadata_config config = {
		.session = session->name,
		.is_kernel = true,
		.created = metadata_created(session->metadata),
		.clock = *metadata_clock(session->metadata),
	};
	int error = metadata_uuid_make(config.uuid);

	if (error < 0)
		return error;
	metadata_uuid_text(config.uuid, domain->uuid);
	error = metadata_create(&config, &domain->metadata);
	if (error)
		return error;
	return metadata_add_channel(domain->metadata, STREAM_ID, "per_cpu", 0);
}

/*
 * Makes the kernel domain's pages. Events that the kernel has dropped after they were read must
 * outlive the reader.
 */
static int make_pages(struct kernel_domain *domain, struct kernel_problem *problem)
{
	uint32_t cpus = 0, size = 0;
	int error = kernel_instance_cpus(domain->instance, &cpus);

	if (error == 0) {
		size = ring_file_kernel_subbuf_size(kernel_instance_path(domain->instance));
		error = size == 0 ? -errno : ring_file_pages_create(cpus, size, &domain->pages);
	}
	if (error) {
		snprintf(problem->why, sizeof(problem->why),
			 "no memory to read the kernel's rings to: %s", strerror(-error));
		snprintf(problem->hint, sizeof(problem->hint),
			 "see whether the machine has memory, and the daemon descriptors, left");
	}
	return error;
}

static struct kernel_instance_config configure(const struct kernel_domain *domain, const char *key)
{
	const struct daemon *daemon = domain->session->daemon;
	struct kernel_instance_config config = { .key = key, .clock = daemon->clock };

	config.pid = kernel_leftovers_pid(daemon->kernel_leftovers, &config.start);
	return config;
}

static int make_instance(struct kernel_domain *domain, struct kernel_problem *problem)
{
	struct kernel_instance_config config;
	char key[KERNEL_INSTANCE_NAME_SIZE];
	int error = kernel_tracing_find(problem);

	/* That of the daemon before a restart may be there still, and its probes. */
	snprintf(key, sizeof(key), domain->folder ? "%s@%" PRIu32 : "%s", domain->session->key,
		 domain->folder);
	config = configure(domain, key);

	if (error)
		return error;
	error = kernel_instance_create(&config, &domain->instance, problem);
	if (error)
		return error;
	kernel_probes_group(kernel_instance_name(domain->instance), domain->group);
	if (!kernel_instance_is_mapped(domain->instance))
		error = make_pages(domain, problem);
	return error ? error : kernel_domain_set_buffer(domain, KERNEL_BUFFER_DEFAULT, problem);
}

int kernel_domain_create(struct session *session, uint32_t folder, struct kernel_problem *problem)
{
	struct kernel_domain *domain = calloc(1, sizeof(*domain));
	int error = -ENOMEM;

	snprintf(problem->why, sizeof(problem->why), "out of memory");
	snprintf(problem->hint, sizeof(problem->hint), "try again");
	if (!domain)
		return -ENOMEM;
	domain->session = session;
	domain->folder = folder;
	domain->pages = -1;
	error = make_metadata(domain);
	if (error == 0)
		error = make_instance(domain, problem);
	if (error) {
		kernel_domain_destroy(domain);
		return error;
	}
	session->kernel = domain;
	return 0;
}

static void remove_instance(struct kernel_domain *domain, struct kernel_instance *instance)
{
	char name[KERNEL_INSTANCE_NAME_SIZE];

	snprintf(name, sizeof(name), "%s", kernel_instance_name(instance));
	kernel_instance_close(instance);
	kernel_leftovers_add(domain->session->daemon->kernel_leftovers, name);
}

int kernel_domain_try(struct kernel_domain *domain, struct kernel_problem *problem)
{
	struct kernel_instance_config config = configure(domain, "trial");

	return domain->trial ? 0 : kernel_instance_create_idle(&config, &domain->trial, problem);
}

void kernel_domain_end_trial(struct kernel_domain *domain)
{
	if (domain->trial)
		remove_instance(domain, domain->trial);
	domain->trial = NULL;
}

void kernel_domain_destroy(struct kernel_domain *domain)
{
	struct daemon *daemon;

	if (!domain)
		return;
	daemon = domain->session->daemon;
	json_object_put(domain->saved);
	domain->saved = NULL;
	kernel_domain_cancel(domain);
	if (domain->told)
		kernel_consumer_send_end(domain->session->consumer, domain);
	kernel_domain_end_trial(domain);
	if (domain->instance) {
		remove_instance(domain, domain->instance);
		/* A probe may also be there that was refused in the end. */
		kernel_leftovers_add(daemon->kernel_leftovers, domain->group);
	}
	if (domain->pages >= 0)
		close(domain->pages);
	metadata_destroy(domain->metadata);
	for (size_t i = 0; i < domain->nr_events; i++)
		kernel_event_free(&domain->events[i]);
	for (size_t i = 0; i < domain->nr_rules; i++)
		kernel_rule_free(&domain->rules[i]);
	free(domain->events);
	free(domain->rules);
	free(domain->write_error);
	free(domain);
}

int kernel_domain_set_buffer(struct kernel_domain *domain, uint64_t size,
			     struct kernel_problem *problem)
{
	/* One that is only read, the kernel would resize, and drop events. */
	bool is_late = domain->told && !kernel_instance_is_mapped(domain->instance);
	int error = is_late ? kernel_instance_tell_busy(problem)
			    : kernel_instance_set_buffer(domain->instance, size, problem);

	if (error == 0)
		domain->buffer_size = size;
	return error;
}

int kernel_domain_set_pids(struct kernel_domain *domain, const uint32_t *pids, size_t nr_pids,
			   struct kernel_problem *problem)
{
	int error = kernel_instance_set_pids(domain->instance, pids, nr_pids, problem);

	if (error)
		return error;
	memcpy(domain->pids, pids, nr_pids * sizeof(*pids));
	domain->nr_pids = nr_pids;
	return 0;
}

/* ---- the consumer ------------------------------------------------------------------ */

int kernel_domain_formats(const struct kernel_domain *domain, int *fd)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool failed;
	int error;

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < domain->nr_events; i++) {
		const struct kernel_event *event = &domain->events[i];

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
static void push_metadata(struct kernel_domain *domain, bool final)
{
	metadata_set_clock(domain->metadata, metadata_clock(domain->session->metadata));
	domain->generation++;
	kernel_consumer_send_metadata(domain->session->consumer, domain, final);
}

static void kernel_domain_push(struct kernel_domain *domain)
{
	if (!domain || !domain->told)
		return;
	/* It counts what it writes itself. */
	domain->earlier = domain->written;
	kernel_consumer_send_session(domain->session->consumer, domain);
	push_metadata(domain, false);
	kernel_consumer_send_channel(domain->session->consumer, domain);
	/* A consumer that does not know of the rings yet would report at once that all are read. */
	if (domain->finishing)
		push_metadata(domain, true);
}

static void kernel_domain_take_written(struct kernel_domain *domain,
				       const struct kernel_written *written, const char *error)
{
	domain->written = (struct kernel_written){
		.generation = written->generation,
		.packets = domain->earlier.packets + written->packets,
		.events = domain->earlier.events + written->events,
		.discarded = domain->discarded_before + written->discarded,
		.bytes = domain->earlier.bytes + written->bytes,
		.streams = domain->earlier.streams + written->streams,
	};
	if (error && (!domain->write_error || strcmp(error, domain->write_error) != 0))
		log_warning("session %s, events of the kernel's: %s", domain->session->name, error);
	free(domain->write_error);
	domain->write_error = error ? strdup(error) : NULL;
	if (domain->awaited && domain->is_recording && written->generation >= domain->awaited) {
		domain->awaited = 0;
		kernel_events_turn_on(domain, written->generation);
	}
}

static uint64_t kernel_domain_progress(const struct kernel_domain *domain)
{
	return domain ? domain->written.packets + domain->written.bytes + domain->written.generation
		      : 0;
}

/* ---- recording --------------------------------------------------------------------- */

static void say_failed(const struct kernel_domain *domain, const char *what, int error)
{
	message_of(domain->session->key, "session %s: cannot %s events of the kernel's: %s",
		   domain->session->name, what, strerror(-error));
}

void kernel_domain_start(struct kernel_domain *domain)
{
	int error;

	if (!domain)
		return;
	domain->finishing = false;
	if (domain->told) {
		push_metadata(domain, false);
	} else {
		domain->told = true;
		kernel_domain_push(domain);
	}
	domain->is_recording = true;
	kernel_events_turn_on(domain, UINT64_MAX);
	error = kernel_instance_record(domain->instance, true);
	if (error)
		say_failed(domain, "record", error);
}

static void kernel_domain_stop(struct kernel_domain *domain)
{
	int error;

	if (!domain)
		return;
	error = kernel_instance_record(domain->instance, false);
	if (error)
		say_failed(domain, "stop recording", error);
	/* A stopped domain costs the machine nothing. */
	kernel_events_turn_off(domain);
	domain->is_recording = false;
	domain->awaited = 0;
}

void kernel_domain_tell(struct kernel_domain *domain)
{
	bool is_new = false;

	for (size_t i = 0; i < domain->nr_events; i++)
		is_new |= domain->events[i].generation > domain->generation;
	if (!domain->is_recording || !is_new)
		return;
	push_metadata(domain, false);
	domain->awaited = domain->generation;
}

static void kernel_domain_finish(struct kernel_domain *domain)
{
	if (!domain || !domain->told)
		return;
	domain->finishing = true;
	push_metadata(domain, true);
}

static bool kernel_domain_is_finished(const struct kernel_domain *domain)
{
	return !domain || domain->written.generation >= domain->generation;
}

static const char *write_error_of(const struct kernel_domain *domain)
{
	return domain ? domain->write_error : NULL;
}

static void send_live(const struct kernel_domain *domain, uint64_t time)
{
	if (domain && domain->told)
		kernel_consumer_send_live(domain->session->consumer, domain, time);
}

static void forget(struct kernel_domain *domain, const void *data)
{
	if (domain && domain->making.data == data)
		domain->making.data = NULL;
}

static uint64_t count_lost(const struct kernel_domain *domain)
{
	uint64_t overrun;

	if (!domain)
		return 0;
	overrun = kernel_instance_overrun(domain->instance);
	return overrun > domain->written.discarded ? overrun : domain->written.discarded;
}

const struct session_kernel_ops kernel_domain_ops = {
	.start = kernel_domain_start,
	.stop = kernel_domain_stop,
	.finish = kernel_domain_finish,
	.is_finished = kernel_domain_is_finished,
	.progress = kernel_domain_progress,
	.write_error = write_error_of,
	.push = kernel_domain_push,
	.send_live = send_live,
	.lost = count_lost,
	.take_written = kernel_domain_take_written,
	.forget = forget,
	.destroy = kernel_domain_destroy,
	.save = kernel_domain_save,
	.restore = kernel_domain_restore,
};
