/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * lttngmap-consumerd: from ring files to a trace on disk. Started by
 * lttngmap-sessiond, and told by it over the control socket what to record.
 */
#include <config.h>

#include <errno.h>
#include <popt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <systemd/sd-event.h>

#include "common/base/log.h"
#include "common/base/map-guard.h"
#include "consumerd/confine.h"
#include "consumerd/consumer.h"
#include "consumerd/trace/sync.h"
#include "consumerd/trace/trace-repair.h"

#define EXIT_USAGE 2
/* Then one a second: what a session runs into is its owner's, and the log is everybody's. */
#define LOG_AT_ONCE 50

struct options {
	char *control;
	char *repair;
	int json;
	int sync;
	int version;
};

/* 0; < 0 and *status is what to exit with. */
static int parse_options(int argc, const char **argv, struct options *options, int *status)
{
	const struct poptOption table[] = { { "control", '\0', POPT_ARG_STRING, &options->control,
					      0, "connect to the session daemon here", "PATH" },
					    { "repair", '\0', POPT_ARG_STRING, &options->repair, 0,
					      "make traces below it whole, then end", "DIRECTORY" },
					    { "json", '\0', POPT_ARG_NONE, &options->json, 0,
					      "with --repair: tell as JSON what was done", NULL },
					    { "sync", '\0', POPT_ARG_NONE, &options->sync, 0,
					      "sync what is asked for over standard input", NULL },
					    { "version", '\0', POPT_ARG_NONE, &options->version, 0,
					      "print the version", NULL },
					    POPT_AUTOHELP POPT_TABLEEND };
	poptContext context = poptGetContext("lttngmap-consumerd", argc, argv, table, 0);
	int result = poptGetNextOpt(context);

	*status = EXIT_USAGE;
	if (result < -1) {
		log_error("%s: %s (--help lists the options)",
			  poptBadOption(context, POPT_BADOPTION_NOALIAS), poptStrerror(result));
	} else if (poptPeekArg(context)) {
		log_error("%s: no argument is expected here (--help lists the options)",
			  poptPeekArg(context));
	} else if (options->version) {
		puts("lttngmap-consumerd " PACKAGE_VERSION);
		*status = EXIT_SUCCESS;
	} else if (!options->control && !options->repair && !options->sync) {
		log_error(
			"--control=PATH is missing; lttngmap-sessiond starts this program itself");
	} else {
		*status = -1;
	}
	poptFreeContext(context);
	return *status < 0 ? 0 : -1;
}

/* All descriptors that we may have; how many these are. */
static unsigned raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 1024;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur > 1 << 20 ? 1 << 20 : (unsigned)limit.rlim_cur;
}

static int on_terminate(sd_event_source *source, const struct signalfd_siginfo *info,
			void *userdata)
{
	(void)source;
	(void)info;
	*(int *)userdata = 1;
	return 0;
}

/*
 * SIGINT and SIGHUP come from the terminal of the traced program's user, and
 * are not for us: the daemon says when it is over. SIGTERM: write what there
 * is, then go. SIGXFSZ and SIGPIPE are errors of a write.
 */
static int set_signals(sd_event *loop, int *terminate)
{
	sigset_t mask;

	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &mask, NULL) < 0)
		return -errno;
	return sd_event_add_signal(loop, NULL, SIGTERM, on_terminate, terminate);
}

/* The process that syncs: a socket to it, or -1. */
static int start_sync(void)
{
	int fd;

	if (sync_seconds() == 0)
		return -1;
	fd = sync_start();
	if (fd >= 0)
		return fd;
	log_warning("what is written is not synced: %s", strerror(-fd));
	return -1;
}

/* One event of the loop. */
static int serve(sd_event *loop, struct consumer *consumer)
{
	int ready = sd_event_prepare(loop);

	if (ready == 0)
		ready = sd_event_wait(loop, UINT64_MAX);
	if (ready <= 0)
		return ready;
	consumer_note_work(consumer);
	return sd_event_dispatch(loop);
}

static int run(const char *control, int sync_fd)
{
	struct consumer *consumer = NULL;
	sd_event *loop = NULL;
	int error, terminate = 0;

	error = map_guard_install();
	if (error >= 0)
		error = sd_event_new(&loop);
	if (error >= 0)
		error = set_signals(loop, &terminate);
	if (error >= 0)
		error = consumer_create(loop, control, raise_limit(), sync_fd, &consumer);
	if (error < 0) {
		if (error != -EPROTO)
			log_error("%s: no session daemon can be reached there: %s", control,
				  strerror(-error));
		goto unref;
	}
	while (error >= 0 && !terminate && !consumer_is_orphan(consumer))
		error = serve(loop, consumer);
	if (error < 0)
		log_error("the event loop failed: %s", strerror(-error));
	consumer_finish(consumer);
	consumer_destroy(consumer);
unref:
	sd_event_unref(loop);
	return error < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	int error, status, sync_fd;

	log_init("lttngmap-consumerd");
	log_set_limit(LOG_AT_ONCE);
	if (parse_options(argc, (const char **)argv, &options, &status) == 0) {
		/* It starts a process, which nobody may do later on. */
		sync_fd = options.control ? start_sync() : -1;
		error = consumer_confine();
		if (error)
			log_warning("rights that are not needed cannot be given up: %s",
				    strerror(-error));
		/* The verb executes this program: its user knows no consumer. */
		if (options.repair)
			log_init("lttngmap: recover");
		if (options.sync)
			status = sync_serve();
		else if (options.repair)
			status = trace_repair_all(options.repair, options.json);
		else
			status = run(options.control, sync_fd);
	}
	free(options.control);
	free(options.repair);
	return status;
}
