/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "sessiond/options.h"

#include <errno.h>
#include <limits.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/protocol/places.h"
#include "common/protocol/protocol-app.h"
#include "sessiond/base/parts.h"
#include "sessiond/quota/quota.h"

#define EXIT_USAGE 2

#define CONSUMER "lttngmap-consumerd"

/* Text from the command line and the environment, before it is checked. */
struct given {
	char *runtime_dir;
	char *mediator;
	char *clock;
	char *consumer;
	char *per_user;
	int private_instance;
	int preloaded;
	int supervise;
	char *ring_dir;
	char *survive_panic;
	int forget;
	char *recover;
	char *output;
	int json;
	int version;
};

/* The option, else the variable, else the default. Allocated. */
static char *pick(char *option, const char *variable, const char *otherwise)
{
	const char *value = variable ? getenv(variable) : NULL;

	if (option)
		return option;
	return strdup(value && value[0] ? value : otherwise);
}

static char *default_runtime_dir(void)
{
	const char *given = getenv("LTTNGMAP_RUNTIME_DIR");
	const char *xdg = getenv("XDG_RUNTIME_DIR");
	enum place place = geteuid() == 0         ? PLACE_SYSTEM
			   : xdg && xdg[0] == '/' ? PLACE_RUNTIME
						  : PLACE_TEMPORARY;
	char path[PATH_MAX];

	if (given && given[0])
		return strdup(given);
	return places_make(place, geteuid(), xdg, path, sizeof(path)) ? strdup(path) : NULL;
}

/* Beside this program, as in the build tree and in bindir. */
static char *default_consumer(void)
{
	const char *given = getenv("LTTNGMAP_CONSUMERD");
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof(CONSUMER));
	char *slash;

	if (given && given[0])
		return strdup(given);
	/* Without /proc it is in "/": the working directory is no place to start a program from. */
	path[length > 0 ? length : 0] = '\0';
	slash = strrchr(path, '/');
	strcpy(slash ? slash + 1 : stpcpy(path, "/"), CONSUMER);
	return strdup(path);
}

/* `list` has them for people. */
static int check_choice(const char *value, const char *what, const char *const *choices,
			const char *list)
{
	for (const char *const *choice = choices; *choice; choice++)
		if (strcmp(value, *choice) == 0)
			return 0;
	log_error("%s: there is no '%s'; it is %s", what, value, list);
	return -EINVAL;
}

static int parse_per_user(const char *text, struct quota_limits *limits)
{
	const char *wrong;
	int error = quota_limits_parse(text, limits, &wrong);

	if (error)
		log_error("--per-user: '%s' begins with none of processes=N, descriptors=N, "
			  "memory=BYTES, connections=N or messages=N",
			  wrong);
	return error;
}

/* Takes what is in *given. */
static int fill(struct options *options, struct given *given)
{
	static const char *const mediators[] = { "ring-fs", "ring-socket", "ring-kernel", "auto",
						 NULL };
	static const char *const clocks[] = { "tsc", "monotonic", "auto", NULL };
	int error = 0;

	options->runtime_dir_chosen = !given->runtime_dir;
	options->runtime_dir = given->runtime_dir ? given->runtime_dir : default_runtime_dir();
	options->mediator = pick(given->mediator, "LTTNGMAP_MEDIATOR", "auto");
	options->clock = pick(given->clock, NULL, "auto");
	options->consumer = given->consumer ? given->consumer : default_consumer();
	options->private_instance = given->private_instance;
	options->preloaded = given->preloaded;
	options->supervise = given->supervise;
	options->survive_panic = given->survive_panic != NULL;
	options->ring_dir = given->survive_panic ? given->survive_panic : given->ring_dir;
	options->forget = given->forget;
	options->recover = given->recover;
	options->output = given->output;
	options->json = given->json;
	if (!options->runtime_dir || !options->mediator || !options->clock || !options->consumer) {
		log_error("out of memory");
		return -ENOMEM;
	}
	if (given->per_user) {
		options->per_user = calloc(1, sizeof(*options->per_user));
		error = options->per_user ? parse_per_user(given->per_user, options->per_user)
					  : -ENOMEM;
	}
	free(given->per_user);
	if (error == 0 && options->runtime_dir[0] != '/') {
		log_error("--runtime-dir: '%s' is not an absolute path", options->runtime_dir);
		error = -EINVAL;
	}
	if (error == 0 && given->survive_panic && given->ring_dir) {
		log_error("--survive-panic and --ring-dir both say where rings lie: leave out one");
		free(given->ring_dir);
		error = -EINVAL;
	}
	if (error == 0 && options->ring_dir && strcmp(options->mediator, "ring-kernel") == 0) {
		log_error("--mediator=ring-kernel keeps rings in memory: leave out --ring-dir and "
			  "--survive-panic, or take another mediator");
		error = -EINVAL;
	}
	if (error == 0 && options->recover && options->ring_dir) {
		log_error("--recover finds out itself where rings lie: leave out --ring-dir");
		error = -EINVAL;
	}
	if (error == 0 && options->output && (!options->recover || options->output[0] != '/')) {
		log_error("--output is an absolute path, and goes with --recover");
		error = -EINVAL;
	}
	if (error == 0)
		error = check_choice(options->mediator, "--mediator (LTTNGMAP_MEDIATOR)", mediators,
				     "ring-fs, ring-socket, ring-kernel or auto");
	return error ? error
		     : check_choice(options->clock, "--clock", clocks, "tsc, monotonic or auto");
}

int options_parse(struct options *options, int argc, const char **argv)
{
	struct given given = { .supervise = 1 };
	const struct poptOption table[] = {
		{ "runtime-dir", '\0', POPT_ARG_STRING, &given.runtime_dir, 0,
		  "keep sockets and ring files here", "DIRECTORY" },
		{ "mediator", '\0', POPT_ARG_STRING, &given.mediator, 0,
		  "how readers see rings: ring-fs, ring-socket, ring-kernel, auto (default)",
		  "KIND" },
		{ "clock", '\0', POPT_ARG_STRING, &given.clock, 0,
		  "what stamps events (default: auto)", "tsc|monotonic|auto" },
		{ "consumer", '\0', POPT_ARG_STRING, &given.consumer, 0,
		  "what writes traces to disk (default: " CONSUMER ")", "PROGRAM|none" },
		{ "per-user", '\0', POPT_ARG_STRING, &given.per_user, 0,
		  "what another user's processes may have: processes, descriptors, memory in "
		  "bytes, connections and messages a second",
		  "NAME=N,..." },
		{ "private", '\0', POPT_ARG_NONE, &given.private_instance, 0,
		  "end when the parent process ends", NULL },
		{ "preloaded", '\0', POPT_ARG_NONE, &given.preloaded, 0,
		  "programs are started with preloaded libraries: count those that load none",
		  NULL },
		{ "supervise", '\0', POPT_ARG_VAL, &given.supervise, 1,
		  "keep what the daemon has, and start it again, when it is killed (default)",
		  NULL },
		{ "no-supervise", '\0', POPT_ARG_VAL, &given.supervise, 0,
		  "be one process, which ends for good when it is killed", NULL },
		{ "ring-dir", '\0', POPT_ARG_STRING, &given.ring_dir, 0,
		  "keep rings in files here, for lttngmap recover", "DIRECTORY" },
		{ "survive-panic", '\0', POPT_ARG_STRING, &given.survive_panic, 0,
		  "the same, on persistent memory: rings survive a panic and a reset",
		  "DIRECTORY" },
		{ "forget", '\0', POPT_ARG_NONE, &given.forget, 0,
		  "take over no session of the daemon before, and leave none to the next", NULL },
		{ "recover", '\0', POPT_ARG_STRING, &given.recover, 0,
		  "bring what a killed daemon left there into its traces, then end", "DIRECTORY" },
		{ "output", '\0', POPT_ARG_STRING, &given.output, 0,
		  "with --recover: traces go there, a directory for each session", "DIRECTORY" },
		{ "json", '\0', POPT_ARG_NONE, &given.json, 0,
		  "with --recover: tell as JSON what was done", NULL },
		{ "version", '\0', POPT_ARG_NONE, &given.version, 0, "print the version", NULL },
		POPT_AUTOHELP POPT_TABLEEND
	};
	poptContext context = poptGetContext("lttngmap-sessiond", argc, argv, table, 0);
	int result = poptGetNextOpt(context);
	int status = EXIT_USAGE;

	memset(options, 0, sizeof(*options));
	if (result < -1) {
		log_error("%s: %s (--help lists the options)",
			  poptBadOption(context, POPT_BADOPTION_NOALIAS), poptStrerror(result));
	} else if (poptPeekArg(context)) {
		log_error("%s: no argument is expected here (--help lists the options)",
			  poptPeekArg(context));
	} else if (given.version) {
		puts("lttngmap-sessiond " PACKAGE_VERSION);
		status = EXIT_SUCCESS;
	} else if (fill(options, &given) == 0) {
		status = -1;
	}
	poptFreeContext(context);
	return status;
}

void options_free(struct options *options)
{
	free(options->runtime_dir);
	free(options->mediator);
	free(options->clock);
	free(options->consumer);
	free(options->ring_dir);
	free(options->recover);
	free(options->output);
	free(options->per_user);
}
