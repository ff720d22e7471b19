/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * cmd-recover.c - lttngmap recover DIR: a readable trace from what is left when
 * all daemons died at once. The daemon does it for what it left itself, and the
 * consumer for traces, each by its own means of going on after a death. A dump of a kernel that
 * panicked becomes what a daemon left first (recover-vmcore.h).
 */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/locate.h"
#include "common/base/losses.h"
#include "cli/base/message.h"
#include "cli/base/output-dir.h"
#include "cli/client/control-client.h"
#include "cli/client/left-recordings.h"
#include "cli/recover-vmcore.h"
#include "common/protocol/protocol-control.h"

static int as_json;
static const char *vmcore;
static const char *output;

static const struct poptOption options[] = {
	{ "vmcore", '\0', POPT_ARG_STRING, &vmcore, 0,
	  "From a dump of the kernel's memory, after a panic", "FILE" },
	{ "output", 'o', POPT_ARG_STRING, &output, 0, "With --vmcore: a directory for the traces",
	  "DIR" },
	{ "json", 'j', POPT_ARG_NONE, &as_json, 0, "Print one JSON object", NULL },
	POPT_TABLEEND
};

static bool has_file(const char *directory, const char *name, char *path, size_t size)
{
	struct stat status;

	return (size_t)snprintf(path, size, "%s/%s", directory, name) < size &&
	       lstat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Finds the path of a dead daemon's saved state. */
static bool find_saved_state(const char *given, char *path, size_t size)
{
	struct stat status;

	if (stat(given, &status) == 0 && S_ISREG(status.st_mode))
		return (size_t)snprintf(path, size, "%s", given) < size;
	if (has_file(given, LEFT_STATE, path, size))
		return (size_t)snprintf(path, size, "%s", given) < size;
	return has_file(given, LEFT_STATE_OLD, path, size);
}

/* Only returns where it fails. */
static int run_program(const char *name, const char *variable, const char *option, const char *path)
{
	char program[PATH_MAX], argument[PATH_MAX + 32];
	char *arguments[] = { (char *)name, argument, as_json ? "--json" : NULL, NULL };

	locate_program(name, variable, program, sizeof(program));
	snprintf(argument, sizeof(argument), "--%s=%s", option, path);
	execvp(program, arguments);
	message_error("recover: cannot run '%s': %s", program, strerror(errno));
	message_hint("is lttngmap installed as a whole? %s says where that program is", variable);
	return CLI_STATUS_FAILED;
}

/* True: `path` has the sockets of a daemon, and no saved state. */
static bool is_runtime_dir(const char *path)
{
	char name[PATH_MAX];
	struct stat status;

	return (size_t)snprintf(name, sizeof(name), "%s/" PROTOCOL_CONTROL_SOCKET, path) <
		       sizeof(name) &&
	       lstat(name, &status) == 0 && S_ISSOCK(status.st_mode);
}

static bool is_served(const char *path)
{
	struct control_client *client;
	int error = control_client_connect_now(path, &client);

	if (!error)
		control_client_close(client);
	return error != -ECONNREFUSED;
}

/* A daemon that ends as it should leaves an empty --ring-dir; recover leaves the sockets. */
static int tell_nothing(const char *path, bool has_sockets)
{
	if (as_json)
		message_line("{\"kind\":\"rings\",\"sessions\":[],\"processes\":0,"
			     "\"processes_lost\":0,\"problems\":[]}");
	else if (has_sockets)
		message_line("%s: nothing is left to recover, as after recover", path);
	else
		message_line("%s is empty: nothing is left to recover, as when a recording has "
			     "ended as it should",
			     path);
	if (has_sockets)
		message_hint("if its daemon was started with --ring-dir, name that directory");
	return message_flush_output() ? CLI_STATUS_FAILED : CLI_STATUS_OK;
}

/* Nobody knows the name of the directory that a killed `record` leaves. */
static void tell_recording(const char *directory, void *data)
{
	(void)data;
	message_hint("%s is of a recording that goes on, or was killed", directory);
}

static void tell_losses(const char *directory)
{
	struct losses losses = { 0 };
	char text[LOSSES_TEXT_SIZE];

	if (losses_add(directory, &losses) && losses_any(&losses))
		message_note("recover: lost: %s", losses_describe(&losses, text));
}

static int run(int argc, const char **argv)
{
	char path[PATH_MAX];
	struct stat status;
	bool left;

	if (vmcore && argc == 0)
		return recover_vmcore(vmcore, output, as_json);
	if (vmcore || output) {
		message_error(vmcore ? "recover: a dump, or a directory, and not both"
				     : "recover: --output goes with --vmcore");
		return verb_usage_error(&verb_recover);
	}
	if (argc != 1) {
		message_error(argc ? "recover: one directory at a time, not %d"
				   : "recover: a directory is missing",
			      argc);
		if (argc == 0)
			left_recordings_each(tell_recording, NULL);
		return verb_usage_error(&verb_recover);
	}
	if (stat(argv[0], &status) != 0) {
		message_error("recover: '%s': %s", argv[0], strerror(errno));
		message_hint("name a trace's directory, a daemon's runtime directory, or what "
			     "--ring-dir named");
		return CLI_STATUS_FAILED;
	}
	if (find_saved_state(argv[0], path, sizeof(path)))
		return run_program("lttngmap-sessiond", "LTTNGMAP_SESSIOND", "recover", path);
	if (is_runtime_dir(argv[0]) && !is_served(argv[0]))
		return tell_nothing(argv[0], true);
	left = left_recordings_tell("recover", argv[0]);
	if (S_ISDIR(status.st_mode) && access(argv[0], R_OK) == 0 && !output_dir_is_taken(argv[0]))
		return left ? CLI_STATUS_FAILED : tell_nothing(argv[0], false);
	tell_losses(argv[0]);
	return run_program("lttngmap-consumerd", "LTTNGMAP_CONSUMERD", "repair", argv[0]);
}

const struct verb verb_recover = {
	.name = "recover",
	.arguments = "[OPTIONS] DIR|--vmcore FILE",
	.summary = "Make a readable trace of what is left when all daemons were killed",
	.example = "lttngmap recover /var/tmp/rings",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
