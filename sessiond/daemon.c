/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/daemon.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>
#include <urcu/urcu-memb.h>

#include "common/base/log.h"
#include "common/protocol/protocol-app.h"
#include "common/protocol/protocol-control.h"
#include "sessiond/app/app-socket.h"
#include "sessiond/app/late-attach.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/class/registry.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/control/control-act.h"
#include "sessiond/control/control-socket.h"
#include "sessiond/kernel/kernel-domain.h"
#include "sessiond/kernel/kernel-leftovers.h"
#include "sessiond/mediator/doorbell.h"
#include "sessiond/mediator/mediator.h"
#include "sessiond/mediator/ring-thread.h"
#include "sessiond/mediator/run-queue.h"
#include "sessiond/memory/control-pages.h"
#include "sessiond/memory/memory-set.h"
#include "sessiond/quota/quota.h"
#include "sessiond/quota/subuids.h"
#include "sessiond/recover/recovery.h"
#include "sessiond/ring/module-abi.h"
#include "sessiond/ring/ring-set.h"
#include "sessiond/session/process.h"
#include "sessiond/session/session-consumer.h"
#include "sessiond/session/session.h"
#include "sessiond/session/untraced.h"
#include "sessiond/state/clock-watch.h"
#include "sessiond/state/state.h"
#include "sessiond/storage/saved-state.h"
#include "sessiond/trigger/trigger.h"

#define POOL_READY 4u
/* Reserved for commands, so that a user can still end programs that took all others. */
#define DESCRIPTORS_FOR_COMMANDS 8
#define EXIT_USEC UINT64_C(4000000)
#define EXIT_TICK_USEC UINT64_C(5000)

/* ---- making ------------------------------------------------------------------ */

static int make_memories(struct daemon *daemon)
{
	struct memory_set_config config = {
		.saved_state = daemon->saved_state,
		.place = saved_state_place(daemon->saved_state),
	};
	struct rlimit files = { .rlim_cur = RLIM_INFINITY };
	int error;

	daemon->cpu_rings = daemon->saved_state->head->cpu_rings;
	daemon->meta_page_size = (uint32_t)memory_page_size();
	getrlimit(RLIMIT_NOFILE, &files);
	daemon->descriptors = files.rlim_cur > INT32_MAX
				      ? INT32_MAX
				      : (int)files.rlim_cur - DESCRIPTORS_FOR_COMMANDS;
	config.descriptors = daemon->descriptors;

	error = control_pages_create(daemon->saved_state, daemon->clock, daemon->cpu_rings,
				     &daemon->pages);
	if (error == 0)
		error = memory_pool_create(&config, POOL_READY, daemon->event, &daemon->pool);
	if (error)
		log_error("cannot make the control pages: %s", strerror(-error));
	return error;
}

static int make_clock(struct daemon *daemon)
{
	int error = 0;

	/* That of the rings, whatever this machine has now. */
	if (daemon->recovery)
		daemon->clock = daemon->saved_state->head->calibration.clock;
	else
		error = clock_choose(daemon->options->clock, &daemon->clock);
	if (error) {
		log_error("cannot use the clock '%s': %s", daemon->options->clock,
			  strerror(-error));
		return error;
	}
	daemon->calibration = &daemon->saved_state->head->calibration;
	if (saved_state_is_new(daemon->saved_state) && !daemon->saved_state->head->took_over)
		clock_calibration_start(daemon->calibration, daemon->clock);
	return 0;
}

static int try_mediator(struct daemon *daemon, const struct mediator_ops *ops, const char **why)
{
	int error = ops->create(daemon->options->runtime_dir, daemon->rings_dir,
				ring_thread_event(daemon->ring_thread), &daemon->mediator, why);

	if (error == 0)
		daemon->mediator_ops = ops;
	return error;
}

/* Are there rings that the kernel module kept for the daemon that is gone? */
static bool recovers_module(const struct daemon *daemon)
{
	return daemon->recovery && daemon->recovery->old.head->by_module &&
	       access(LTTNGMAP_MODULE_DEVICE, F_OK) == 0;
}

/* The saved state is found in a dump of the kernel's memory, beside the rings. */
static void show_saved_state(const struct daemon *daemon)
{
	int32_t fd = daemon->saved_state->fd;

	if (fd >= 0 &&
	    ioctl(daemon->mediator_ops->device(daemon->mediator), LTTNGMAP_STATE_ADD, &fd) < 0)
		log_warning("the kernel module does not take the saved state: %s; after a panic "
			    "lttngmap recover --vmcore will not find these rings",
			    strerror(errno));
}

/* With the kernel module: 0, or -errno and `why`. */
static int try_module(struct daemon *daemon, const char **why)
{
	int error = try_mediator(daemon, &ring_kernel_mediator, why);

	if (error)
		return error;
	daemon->saved_state->head->by_module = true;
	show_saved_state(daemon);
	return 0;
}

static int make_module_mediator(struct daemon *daemon)
{
	const char *why = NULL;
	int error = try_module(daemon, &why);

	if (error)
		log_error("ring-kernel cannot serve here: %s; load it, or use --mediator=ring-fs",
			  why ? why : strerror(-error));
	return error;
}

/* Does the machine's root want the kernel module, by loading it? Rings in files are no rings of it.
 */
static bool prefers_module(const struct daemon *daemon)
{
	return !daemon->recovery && !daemon->options->ring_dir && geteuid() == 0 &&
	       saved_state_is_new(daemon->saved_state) && access(LTTNGMAP_MODULE_DEVICE, F_OK) == 0;
}

/* A restarted daemon goes on by the kernel module if the one before began so, and else without. */
static bool goes_on_by_module(const struct daemon *daemon)
{
	return !saved_state_is_new(daemon->saved_state) && daemon->saved_state->head->by_module;
}

static int make_mediator(struct daemon *daemon)
{
	const char *wanted = daemon->options->mediator;
	const char *why = NULL;
	int error = -EPERM;

	if (recovers_module(daemon) || goes_on_by_module(daemon))
		return make_module_mediator(daemon);
	if (!daemon->recovery && strcmp(wanted, ring_kernel_mediator.name) == 0)
		return make_module_mediator(daemon);
	if (strcmp(wanted, "auto") == 0 && prefers_module(daemon)) {
		if (try_module(daemon, &why) == 0)
			return 0;
		log_info("the kernel module lttngmap is loaded, and not used: %s",
			 why ? why : "it failed");
	}
	if (strcmp(wanted, ring_socket_mediator.name) != 0) {
		error = try_mediator(daemon, &ring_fs_mediator, &why);
		if (error && strcmp(wanted, ring_fs_mediator.name) == 0) {
			log_error("ring-fs cannot serve here: %s; use --mediator=ring-socket",
				  why ? why : strerror(-error));
			return error;
		}
		if (error == 0)
			return 0;
		/* Nobody asked for it; but whoever runs a service may wonder. */
		if (geteuid() == 0 && !daemon->options->private_instance)
			log_info("rings are shown by ring-socket, as ring-fs cannot serve here: "
				 "%s",
				 why ? why : strerror(-error));
	}
	error = try_mediator(daemon, &ring_socket_mediator, &why);
	if (error)
		log_error("ring-socket cannot serve in %s: %s", daemon->options->runtime_dir,
			  why ? why : strerror(-error));
	return error;
}

static int make_rings(struct daemon *daemon)
{
	int error = ring_set_table_create();

	if (error == 0)
		error = ring_thread_create(&daemon->ring_thread);
	if (error) {
		log_error("cannot make the ring thread: %s", strerror(-error));
		return error;
	}
	error = make_mediator(daemon);
	if (error)
		return error;
	error = doorbells_create(daemon->ring_thread, daemon->mediator_ops, daemon->mediator,
				 &daemon->doorbells);
	if (error == 0)
		error = ring_thread_start(daemon->ring_thread);
	if (error)
		log_error("cannot start the ring thread: %s", strerror(-error));
	return error;
}

static int make_quota(struct daemon *daemon)
{
	const struct quota_limits none = { 0 };
	const struct quota_limits *given = daemon->options->per_user ? daemon->options->per_user
								     : &none;
	struct rlimit files = { .rlim_cur = RLIM_INFINITY };
	struct quota_limits limits;
	int error;

	getrlimit(RLIMIT_NOFILE, &files);
	quota_limits_default(files.rlim_cur, (uint64_t)sysconf(_SC_PHYS_PAGES) * memory_page_size(),
			     (uint32_t)sysconf(_SC_NPROCESSORS_ONLN), &limits);
	if (given->processes)
		limits.processes = given->processes;
	if (given->descriptors)
		limits.descriptors = given->descriptors;
	if (given->memory)
		limits.memory = given->memory;
	if (given->connections)
		limits.connections = given->connections;
	if (given->messages)
		limits.messages = given->messages;
	error = quota_create(&limits, &daemon->quota);
	return error ? error : quota_group(daemon->quota, SUBUIDS_FILE);
}

static int make_sessions(struct daemon *daemon)
{
	int error = registry_create(&daemon->registry);

	if (error == 0)
		error = make_quota(daemon);
	if (error == 0)
		error = run_queue_create(daemon->event, daemon->ring_thread, &daemon->run_queue);
	if (error == 0)
		error = processes_create(&daemon->processes);
	if (error == 0)
		error = sessions_create(daemon, &daemon->sessions);
	if (error == 0)
		error = triggers_create(daemon);
	if (error == 0)
		error = consumers_create(daemon, &session_consumer_ops, &daemon->consumers);
	if (error == 0)
		error = untraced_create(daemon, &daemon->untraced);
	if (error == 0 && !daemon->recovery)
		error = clock_watch_create(daemon, &daemon->clock_watch);
	if (error)
		log_error("cannot make the tables: %s", strerror(-error));
	return error;
}

/* Makes the kernel domains. The remover of leftovers outlives them, so it is made first. */
static int make_kernel(struct daemon *daemon)
{
	bool has_supervisor = daemon->options->supervise && !daemon->recovery;
	int error = kernel_leftovers_create(daemon->event, has_supervisor ? getppid() : getpid(),
					    &daemon->kernel_leftovers);

	if (error)
		log_error("cannot look for tracefs instances: %s", strerror(-error));
	return error;
}

static int make_sockets(struct daemon *daemon)
{
	const char *dir = daemon->options->runtime_dir;
	char control[PATH_MAX], app[PATH_MAX];
	int error;

	snprintf(control, sizeof(control), "%s/%s", dir, PROTOCOL_CONTROL_SOCKET);
	snprintf(app, sizeof(app), "%s/%s", dir, PROTOCOL_APP_SOCKET);
	error = control_socket_create(daemon, control, &daemon->control);
	if (error) {
		log_error("cannot listen at %s: %s", control, strerror(-error));
		return error;
	}
	error = consumers_start(daemon->consumers, daemon->options->consumer, control);
	if (error) {
		log_error("cannot start the consumer %s: %s; use --consumer=PROGRAM or "
			  "--consumer=none",
			  daemon->options->consumer, strerror(-error));
		return error;
	}
	/* Last: from here on processes come. */
	error = app_socket_create(daemon, app, &daemon->app);
	if (error) {
		log_error("cannot listen at %s: %s", app, strerror(-error));
		return error;
	}
	/* One program is started by who has a private daemon. */
	if (daemon->options->private_instance)
		return 0;
	error = late_attach_create(app, control_pages_get(daemon->pages)->instance,
				   &daemon->late_attach);
	if (error == 0)
		late_attach_scan(daemon->late_attach, 0);
	return error;
}

int daemon_create(const struct options *options, struct saved_state *saved_state, sd_event *event,
		  struct recovery *recovery, struct daemon **result)
{
	struct daemon *daemon = calloc(1, sizeof(*daemon));
	int error = -ENOMEM;

	*result = NULL;
	if (!daemon)
		return -ENOMEM;
	daemon->options = options;
	daemon->saved_state = saved_state;
	daemon->event = event;
	daemon->kernel_ops = &kernel_domain_ops;
	daemon->process_ops = &app_socket_ops;
	daemon->save_state = state_save;
	daemon->trigger_ops = &trigger_ops;
	daemon->act_for_trigger = control_act;
	daemon->recovery = recovery;
	daemon->restore_recovered = recover_processes;
	daemon->recovers_files = recovery && recovery->old.head->named_files;
	/* A recovery leaves no mount where it is killed. */
	if (recovers_module(daemon))
		daemon->rings_dir = strdup(LTTNGMAP_MODULE_FOLDER);
	else if (asprintf(&daemon->rings_dir, "%s/rings", options->runtime_dir) < 0)
		daemon->rings_dir = NULL;
	if (!daemon->rings_dir)
		goto fail;
	error = make_clock(daemon);
	if (error == 0)
		error = make_memories(daemon);
	if (error == 0)
		error = make_rings(daemon);
	if (error == 0)
		error = make_sessions(daemon);
	if (error == 0)
		error = make_kernel(daemon);
	if (error == 0)
		error = make_sockets(daemon);
	if (error == 0 && saved_state_is_taken_over(saved_state))
		state_take_over(daemon);
	else if (error == 0 && !saved_state_is_new(saved_state))
		error = state_restore(daemon);
	if (error)
		goto fail;
	if (!saved_state_is_new(saved_state))
		consumers_resume(daemon->consumers);
	if (!recovery)
		triggers_resume(daemon);
	*result = daemon;
	return 0;

fail:
	daemon_destroy(daemon);
	return error;
}

/* ---- ending ------------------------------------------------------------------- */

static int on_exit_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct daemon *daemon = data;
	static uint64_t since;

	(void)usec;
	if (since == 0)
		since = time_now_usec();
	if (sessions_stopping(daemon->sessions) && time_now_usec() - since < EXIT_USEC) {
		sd_event_source_set_time(source, time_now_usec() + EXIT_TICK_USEC);
		return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	}
	state_keep(daemon);
	return sd_event_exit(daemon->event, 0);
}

void daemon_exit(struct daemon *daemon)
{
	bool is_kept = state_is_kept(daemon);
	struct session *session;

	if (is_kept)
		control_pages_say_leaving(daemon->pages);
	cds_list_for_each_entry(session, sessions_list(daemon->sessions), node) {
		if (session->state != SESSION_ACTIVE)
			continue;
		session->goes_on = is_kept;
		session_stop(session, NULL, NULL);
	}
	if (sd_event_add_time(daemon->event, NULL, CLOCK_MONOTONIC, 0, 0, on_exit_timer, daemon) <
	    0)
		sd_event_exit(daemon->event, 0);
}

void daemon_destroy(struct daemon *daemon)
{
	if (!daemon)
		return;
	clock_watch_destroy(daemon->clock_watch);
	late_attach_destroy(daemon->late_attach);
	app_socket_destroy(daemon->app);
	sessions_destroy(daemon->sessions);
	processes_destroy(daemon->processes);
	daemon->sessions = NULL;
	control_socket_destroy(daemon->control);
	run_queue_destroy(daemon->run_queue);
	untraced_destroy(daemon->untraced);
	consumers_destroy(daemon->consumers);
	/* Nobody has a ring of the kernel's mapped any more. */
	kernel_leftovers_destroy(daemon->kernel_leftovers);
	/* All orders given above are run by the thread before it ends. */
	ring_thread_stop(daemon->ring_thread);
	if (daemon->mediator)
		daemon->mediator_ops->destroy(daemon->mediator);
	doorbells_destroy(daemon->doorbells);
	ring_thread_destroy(daemon->ring_thread);
	/* Ring sets and processes that wait for a grace period hold things of ours. */
	urcu_memb_barrier();
	ring_set_table_destroy();
	registry_destroy(daemon->registry);
	quota_destroy(daemon->quota);
	memory_pool_destroy(daemon->pool);
	control_pages_destroy(daemon->pages);
	json_object_put(daemon->before);
	free(daemon->rings_dir);
	free(daemon);
}
