/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * lttngmap-sessiond: the mediator between traced processes and readers. It
 * owns every ring, decides what is on, and shows rings as files. A supervisor
 * starts it again where it dies (supervisor.h).
 */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <urcu/urcu-memb.h>

#include "common/base/log.h"
#include "common/base/map-guard.h"
#include "sessiond/base/listen.h"
#include "sessiond/base/parts.h"
#include "sessiond/base/ring-sweeper.h"
#include "sessiond/confine.h"
#include "sessiond/daemon.h"
#include "sessiond/kernel/kernel-probe-child.h"
#include "sessiond/memory/control-pages.h"
#include "sessiond/options.h"
#include "sessiond/recover.h"
#include "sessiond/storage/kept.h"
#include "sessiond/storage/ring-dir.h"
#include "sessiond/storage/runtime-dir.h"
#include "sessiond/storage/saved-state.h"
#include "sessiond/storage/supervisor.h"

/* Every traced process takes some twenty descriptors. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* End with the parent, also if it ended before we could ask for that. */
static int follow_parent(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0)
		return -errno;
	if (getppid() != parent) {
		log_error("the process that started this private daemon is gone");
		return -ECHILD;
	}
	return 0;
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *data)
{
	(void)source;
	(void)info;
	daemon_exit(data);
	return 0;
}

static int watch_signals(sd_event *event, struct daemon *daemon)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		int error = sd_event_add_signal(event, NULL, signals[i], on_signal, daemon);

		if (error < 0)
			return error;
	}
	return 0;
}

/* Before any thread is made: each inherits it. */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* An orderly end has the sweeper finish; where a process holds one of its files, nobody waits. */
#define SWEEPING_MS 500

/* The state that a daemon begins with, before each restart, too. */
struct beginning {
	const struct options *options;
	struct runtime_dir *dir;
	struct saved_state *saved_state;
	int ring_dir; /* -1: rings are no files */
	bool rings_are_dax;
	struct ring_sweeper sweeper;
};

/* Where the saved state lies. */
static int saved_state_dir(const struct beginning *beginning)
{
	return beginning->ring_dir >= 0 ? beginning->ring_dir : beginning->dir->fd;
}

static void say_ready(const struct beginning *beginning, const char *notify)
{
	if (beginning->ring_dir >= 0)
		kept_remove(beginning->ring_dir);
	kept_remove(beginning->dir->fd);
	runtime_dir_unlock(beginning->dir);
	beginning->saved_state->head->ready = true;
	if (notify) {
		setenv("NOTIFY_SOCKET", notify, 1);
		sd_notify(1, "READY=1");
	}
}

/* The daemon until its next restart. 0 or -errno. */
static int serve(const struct beginning *beginning)
{
	struct daemon *daemon = NULL;
	sd_event *event = NULL;
	/* Ours alone: the consumer shall not say that it is ready in our name. */
	char *notify = getenv("NOTIFY_SOCKET") ? strdup(getenv("NOTIFY_SOCKET")) : NULL;
	int error = 0;

	unsetenv("NOTIFY_SOCKET");
	urcu_memb_register_thread();
	/* Its thread now: liburcu would make it when first needed, and abort where it cannot. */
	urcu_memb_get_default_call_rcu_data();
	if (!saved_state_is_new(beginning->saved_state))
		error = runtime_dir_renew(beginning->dir);
	if (error == 0)
		error = sd_event_default(&event);
	if (error < 0)
		goto out;
	error = daemon_create(beginning->options, beginning->saved_state, event, NULL, &daemon);
	if (error)
		goto out;
	error = watch_signals(event, daemon);
	if (error < 0)
		goto out;
	say_ready(beginning, notify);
	error = sd_event_loop(event);
	if (error < 0)
		log_error("the event loop failed: %s", strerror(-error));
out:
	daemon_destroy(daemon);
	sd_event_unref(event);
	urcu_memb_unregister_thread();
	free(notify);
	return error;
}

static int serve_status(void *data)
{
	return serve(data) >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The daemon before may not have had a ring directory. 0 or -errno, as kept_take_over(). */
static int take_over(const struct beginning *beginning)
{
	const struct options *options = beginning->options;
	struct saved_state *saved_state = beginning->saved_state;
	int error = 0;

	if (beginning->ring_dir >= 0)
		error = kept_take_over(beginning->ring_dir, options->ring_dir, options,
				       saved_state);
	if (error == 0 && !saved_state->head->took_over)
		error = kept_take_over(beginning->dir->fd, options->runtime_dir, options,
				       saved_state);
	return error;
}

/*
 * In the ring directory, else in the runtime directory. Where that cannot be,
 * the daemon does without: it only is not to be recovered should its supervisor be
 * killed, too.
 */
static int make_saved_state(struct beginning *beginning)
{
	int cpus = control_pages_cpu_rings(), ring_dir = beginning->ring_dir, error;
	struct saved_state **saved_state = &beginning->saved_state;
	uint64_t first = ring_dir_first();
	int dir = saved_state_dir(beginning);

	if (cpus < 0) {
		log_error("cannot tell how many CPUs there can be: %s", strerror(-cpus));
		return cpus;
	}
	error = saved_state_create_in((uint32_t)cpus, dir, saved_state);
	if (error == 0 && take_over(beginning) != 0) {
		saved_state_destroy(*saved_state);
		unlinkat(dir, SAVED_FILE, 0);
		error = saved_state_create_in((uint32_t)cpus, dir, saved_state);
	}
	if (error && ring_dir < 0) {
		log_warning(
			"cannot save state in the runtime directory (%s): should supervisor and "
			"daemon be killed, `lttngmap recover` finds nothing",
			strerror(-error));
		error = saved_state_create((uint32_t)cpus, saved_state);
	}
	if (error)
		log_error("cannot make the memory that is to outlive the daemon: %s",
			  strerror(-error));
	if (error == 0 && ring_dir >= 0) {
		saved_state_name_files(*saved_state, ring_dir, beginning->rings_are_dax,
				       beginning->sweeper.fd, first);
		/* Removes leftovers of earlier daemons whose sweepers did not finish. */
		ring_sweeper_remove_all(beginning->sweeper.fd, first - 1);
	}
	return error;
}

/*
 * A daemon that ended in order leaves its sessions to the next one; where it failed, `lttngmap
 * recover` needs the saved state. One that never got ready has left what it was to take over.
 */
static void leave_saved_state(const struct beginning *beginning, int status)
{
	const struct saved_state *saved_state = beginning->saved_state;
	bool ended = status == EXIT_SUCCESS || saved_text_is_empty(saved_text(saved_state)) ||
		     (!saved_state->head->ready && saved_state_is_taken_over(saved_state));

	if (saved_state->fd < 0)
		return;
	if (ended && beginning->ring_dir >= 0)
		ring_sweeper_remove_all(beginning->sweeper.fd, saved_state->head->last_file);
	if (status == EXIT_SUCCESS && !saved_text_is_empty(saved_text(saved_state))) {
		saved_state->head->is_kept = true;
		return;
	}
	if (ended) {
		unlinkat(saved_state_dir(beginning), SAVED_FILE, 0);
		return;
	}
	log_warning("what was not read yet of its sessions can be had by `lttngmap recover`");
}

/* The daemon in all its restarts, in its directories. An exit status. */
static int run(struct beginning *beginning)
{
	const struct options *options = beginning->options;
	struct supervisor_config supervisor = {
		.rings_dir = beginning->dir->rings,
		.serve = serve_status,
		.data = beginning,
	};
	int status = EXIT_FAILURE;

	if (make_saved_state(beginning) != 0)
		return EXIT_FAILURE;
	supervisor.saved_state = beginning->saved_state;
	snprintf(supervisor.saved_state->head->runtime_dir,
		 sizeof(supervisor.saved_state->head->runtime_dir), "%s", options->runtime_dir);
	if (listen_make(options->runtime_dir) != 0)
		goto out;
	if (options->supervise) {
		status = supervisor_run(&supervisor);
	} else {
		beginning->saved_state->head->lives = 1;
		status = serve_status(beginning);
	}
	saved_state_leave(beginning->saved_state);
out:
	leave_saved_state(beginning, status);
	saved_state_destroy(beginning->saved_state);
	return status;
}

/* Like run(), with rings where the options say. */
static int run_with_rings(struct beginning *beginning)
{
	int error, status = EXIT_FAILURE;

	beginning->ring_dir = -1;
	if (!beginning->options->ring_dir)
		return run(beginning);
	beginning->ring_dir = ring_dir_enter(beginning->options->ring_dir,
					     beginning->options->survive_panic,
					     &beginning->rings_are_dax);
	if (beginning->ring_dir < 0)
		return EXIT_FAILURE;
	if (map_guard_install() != 0) {
		log_error("cannot guard against files that are cut short: %s", strerror(errno));
		goto out;
	}
	error = ring_sweeper_start(beginning->ring_dir, &beginning->sweeper);
	if (error) {
		log_error("cannot make the process that removes ring files: %s", strerror(-error));
		goto out;
	}
	status = run(beginning);
	ring_sweeper_end(&beginning->sweeper, SWEEPING_MS);
out:
	close(beginning->ring_dir);
	return status;
}

static void confine(void)
{
	int error = sessiond_confine();

	if (error)
		log_warning("rights that are not needed cannot be given up: %s", strerror(-error));
}

int main(int argc, const char **argv)
{
	struct runtime_dir dir;
	struct options options;
	struct beginning beginning = { .options = &options, .dir = &dir };
	pid_t parent = getppid();
	int status;

	if (argc > 1 && strcmp(argv[1], KERNEL_PROBE_ARGUMENT) == 0)
		return kernel_probe_child_run(argc, argv);
	log_init("lttngmap-sessiond");
	status = options_parse(&options, argc, argv);
	if (status >= 0)
		goto out;
	if (options.recover) {
		/* The verb executes this program: its user knows no daemon. */
		log_init("lttngmap: recover");
		block_signals();
		raise_file_limit();
		confine();
		status = recover_run(&options);
		goto out;
	}
	status = EXIT_FAILURE;
	if (listen_init() != 0) {
		log_error("the sockets that were passed ($LISTEN_FDS) are not as sd_listen_fds(3) "
			  "has it: start the daemon by its unit, or without them");
		goto out;
	}
	block_signals();
	options.parent = parent;
	if (options.private_instance && follow_parent(parent) != 0) {
		/* It may have made it for us, and cannot remove it any more. */
		rmdir(options.runtime_dir);
		goto out;
	}
	raise_file_limit();
	if (runtime_dir_enter(options.runtime_dir, options.runtime_dir_chosen && geteuid() != 0,
			      &dir) != 0)
		goto out;
	if (options.private_instance)
		runtime_dir_adopt(&dir);
	confine();
	status = run_with_rings(&beginning);
	runtime_dir_leave(&dir);
	listen_end();
out:
	options_free(&options);
	return status;
}
