/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * cmd-attach.c - lttngmap attach PID: bring tracing into a running process.
 */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/attach/reach.h"
#include "cli/base/locate.h"
#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/base/running.h"
#include "cli/client/control-client.h"
#include "cli/client/present-user.h"
#include "cli/client/session-daemon.h"
#include "cli/client/session-verb.h"
#include "cli/record/record.h"

static char *preload, *runtime_dir;
static const char **libraries, **sdt_rules;
static int quiet;

static const struct poptOption options[] = {
	{ "preload", 'p', POPT_ARG_STRING, &preload, 0,
	  "Families of functions to trace; none: none of them (default: libc, with --sdt none)",
	  "FAMILY,..." },
	{ "sdt", '\0', POPT_ARG_ARGV, &sdt_rules, 0,
	  "Record SDT probes of the program and its libraries; may be given again",
	  "PROVIDER:NAME" },
	{ "library", 'l', POPT_ARG_ARGV, &libraries, 0,
	  "Load this library, which has tracepoints; may be given again", "FILE" },
	{ "runtime-dir", '\0', POPT_ARG_STRING, &runtime_dir, 0,
	  "The session daemon's directory (default: where the process looks itself)", "DIR" },
	{ "quiet", 'q', POPT_ARG_NONE, &quiet, 0, "Do not say what was done", NULL },
	POPT_TABLEEND
};

/* The names by which the request's libraries are told of. */
static const char *names[INSIDE_LIBRARIES_MAX];

static int add_path(struct inside_request *request, enum inside_kind kind, const char *name,
		    const char *path)
{
	struct inside_library *library;

	if (request->nr_libraries >= INSIDE_LIBRARIES_MAX) {
		message_error("attach: too many libraries");
		message_hint("attach again with the others");
		return -E2BIG;
	}
	library = &request->libraries[request->nr_libraries];
	if ((size_t)snprintf(library->path, sizeof(library->path), "%s", path) >=
	    sizeof(library->path)) {
		message_error("attach: '%s': the path is too long", path);
		return -ENAMETOOLONG;
	}
	library->kind = kind;
	names[request->nr_libraries++] = name;
	return 0;
}

static int add_ours(struct inside_request *request, enum inside_kind kind, const char *name,
		    const char *library)
{
	char path[PATH_MAX];

	if (locate_library(library, path, sizeof(path)) == 0)
		return add_path(request, kind, name, path);
	return -ENOENT;
}

/* In an installation it is known by its soname only. */
static int add_tracer(struct inside_request *request)
{
	int error = add_ours(request, INSIDE_TRACER, "lttngmap", "liblttngmap.so.0");

	if (error == -ENOENT)
		error = add_ours(request, INSIDE_TRACER, "lttngmap", "liblttngmap.so");
	if (error == -ENOENT) {
		message_error("attach: cannot find liblttngmap.so");
		message_hint("is lttngmap installed as a whole? LTTNGMAP_LIBDIR says where its "
			     "libraries are");
	}
	return error;
}

static int add_family(struct inside_request *request, const char *name, size_t length)
{
	const char *family, *library;

	for (size_t i = 0; (family = record_family(i, &library)) != NULL; i++) {
		int error;

		if (strlen(family) != length || strncmp(family, name, length) != 0)
			continue;
		if (!record_family_may_come_late(family)) {
			message_error("attach: --preload: '%s' works from a program's start only",
				      family);
			message_hint("lttngmap record --preload %s -- PROGRAM", family);
			return -EINVAL;
		}
		error = add_ours(request, INSIDE_FAMILY, family, library);
		if (error == -ENOENT) {
			message_error("attach: cannot find %s", library);
			message_hint("is lttngmap installed as a whole? LTTNGMAP_LIBDIR says where "
				     "its libraries are");
		}
		return error;
	}
	message_error("attach: --preload: there is no family '%.*s'", (int)length, name);
	record_families_hint(name, length);
	return -EINVAL;
}

static int add_families(struct inside_request *request, const char *list)
{
	const char *one, *other;
	int error = 0;

	if (strcmp(list, "none") == 0)
		return 0;
	if (record_families_clash(list, &one, &other)) {
		message_error("attach: --preload: %s and %s cannot be used together", one, other);
		message_hint("they trace the same calls: choose one");
		return -EINVAL;
	}
	for (size_t length; *list && !error; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		error = add_family(request, list, length);
	}
	return error;
}

static int add_others(struct inside_request *request)
{
	char path[PATH_MAX];
	int error = 0;

	for (const char **library = libraries; library && *library && !error; library++) {
		if (!realpath(*library, path) || access(path, R_OK) != 0) {
			message_error("attach: --library: '%s': %s", *library, strerror(errno));
			return -errno;
		}
		error = add_path(request, INSIDE_OTHER, *library, path);
	}
	return error;
}

static int add_rule(struct inside_request *request, const char *rule)
{
	size_t used = strlen(request->rules);
	const char *why;

	if (options_check_rule(rule, &why)) {
		message_error("attach: --sdt: '%s' is not a rule", rule);
		message_hint("%s", why);
		return -EINVAL;
	}
	if ((size_t)snprintf(request->rules + used, sizeof(request->rules) - used, "%s%s",
			     used ? "," : "", rule) >= sizeof(request->rules) - used) {
		message_error("attach: --sdt: all rules together are longer than %u bytes",
			      SDT_RULES_MAX);
		message_hint("one rule may match many: 'PROVIDER:*'");
		return -E2BIG;
	}
	return 0;
}

/* Behind all others: it looks at what is loaded by then. */
static int add_probes(struct inside_request *request)
{
	int error = 0;

	if (!sdt_rules)
		return 0;
	for (const char **rule = sdt_rules; *rule && !error; rule++)
		error = add_rule(request, *rule);
	if (error)
		return error;
	error = add_ours(request, INSIDE_SDT, "sdt", RECORD_SDT_LIBRARY);
	if (error == -ENOENT) {
		message_error("attach: cannot find " RECORD_SDT_LIBRARY);
		message_hint("is lttngmap installed as a whole? LTTNGMAP_LIBDIR says where its "
			     "libraries are");
	}
	return error;
}

static int choose_directory(struct inside_request *request)
{
	const char *chosen = runtime_dir ? runtime_dir : getenv("LTTNGMAP_RUNTIME_DIR");
	char path[PATH_MAX];

	if (!chosen || !chosen[0])
		return 0;
	if (!realpath(chosen, path)) {
		message_error("attach: '%s': %s", chosen, strerror(errno));
		message_hint("--runtime-dir names the directory of a session daemon");
		return -errno;
	}
	if ((size_t)snprintf(request->directory, sizeof(request->directory), "%s", path) >=
	    sizeof(request->directory)) {
		message_error("attach: '%s': the path is too long", path);
		return -ENAMETOOLONG;
	}
	return 0;
}

static int fill(struct inside_request *request)
{
	int error;

	*request = (struct inside_request){ .magic = INSIDE_MAGIC,
					    .version = INSIDE_VERSION,
					    .size = sizeof(*request),
					    .action = INSIDE_ATTACH };
	error = choose_directory(request);
	if (!error)
		error = add_tracer(request);
	if (!error)
		error = add_families(request, preload ? preload : sdt_rules ? "none" : "libc");
	if (!error)
		error = add_others(request);
	if (!error)
		error = add_probes(request);
	if (!error && request->nr_libraries < 2) {
		message_error("attach: nothing to bring in");
		message_hint("--preload names families, --library files with tracepoints, "
			     "--sdt probes");
		return -EINVAL;
	}
	return error;
}

static void tell_probes(const struct inside_library *library, char *text, pid_t pid)
{
	unsigned more;

	more = record_sdt_report_lines(text, strlen(text), "enable");
	if (more)
		message_note("--sdt: and %u more", more);
	if (library->changed == 0)
		message_note("process %d: sdt: no probe is armed: %s", (int)pid,
			     library->refused ? "none of those that match can be served"
					      : "none of what is loaded matches");
	else if (!quiet)
		message_note("process %d: sdt: %u place%s of its code lead%s through tracing",
			     (int)pid, library->changed, message_plural(library->changed),
			     library->changed == 1 ? "s" : "");
}

static void tell(struct inside_request *request, pid_t pid)
{
	for (uint32_t i = 0; i < request->nr_libraries; i++) {
		const struct inside_library *library = &request->libraries[i];
		uint32_t leading = library->changed + library->unchanged;

		if (library->kind == INSIDE_OTHER && !quiet)
			message_note("process %d: %s is %s", (int)pid, names[i],
				     library->was_loaded ? "loaded already" : "loaded");
		if (library->kind == INSIDE_SDT)
			tell_probes(library, request->refused, pid);
		if (library->kind != INSIDE_FAMILY)
			continue;
		if (leading && !quiet)
			message_note("process %d: %s: %u place%s that call it lead through tracing",
				     (int)pid, names[i], leading, message_plural(leading));
		if (!leading)
			message_note("process %d: %s: nothing that is loaded calls its functions",
				     (int)pid, names[i]);
		if (library->foreign)
			message_note(
				"process %d: %s: %u place%s not traced: they call functions of "
				"that name that are not the C library's",
				(int)pid, names[i], library->foreign,
				library->foreign == 1 ? " is" : "s are");
		if (library->refused)
			message_note("process %d: %s: %u place%s could not be changed", (int)pid,
				     names[i], library->refused, message_plural(library->refused));
	}
}

static bool is_recording(struct session_verb *self)
{
	struct json_object *sessions;

	if (session_verb_list(self, &sessions))
		return true;
	for (size_t i = 0; i < json_object_array_length(sessions); i++)
		if (control_answer_flag(json_object_array_get_idx(sessions, i), "active"))
			return true;
	return false;
}

/* Attached libraries write nothing before a session records them. */
static void tell_sessions(pid_t pid)
{
	struct session_verb self = { .verb = &verb_attach };
	bool records = false;
	int error;

	/* Another user's process finds another daemon. */
	if (present_user((uint64_t)pid, UINT64_MAX) != geteuid())
		return;
	error = session_daemon_connect("attach", runtime_dir, &self.client);
	control_client_close(self.client);
	if (error && error != -ENOENT)
		return;
	if (!error) {
		session_options.runtime_dir = runtime_dir;
		if (session_verb_open(&self, &verb_attach, false) == 0)
			records = is_recording(&self);
		json_object_put(self.sessions);
		control_client_close(self.client);
	}
	if (records)
		return;
	message_note("nothing is recorded yet: %s",
		     error ? "no session daemon runs" : "no session is started");
	message_hint("`lttngmap create`, `lttngmap enable` and `lttngmap start` begin a recording");
}

/* Those that it had before are attached one by one, those that it forks from now on have it all. */
static void tell_descendants(pid_t pid)
{
	struct running running = { 0 };

	running_add_descendants_without(&running, pid, "liblttngmap");
	if (!running.count)
		return;
	message_note("process %d: %u process%s below it %s not attached: %s", (int)pid,
		     running.count, running.count == 1 ? "" : "es",
		     running.count == 1 ? "is" : "are", running.text);
	message_hint("`lttngmap attach` each of them, too; those that it forks from now on are "
		     "traced");
}

/* Many type the name of a program. */
static void hint_at_number(const char *typed)
{
	if (typed[strspn(typed, "0123456789")] && !strpbrk(typed, " '\"\\$`"))
		message_hint("`pgrep -x %s` shows the numbers of a program's processes", typed);
}

static int run(int argc, const char **argv)
{
	static struct inside_request request;
	struct problem problem;
	uint64_t pid;
	int error;

	if (argc != 1 || options_parse_number(argv[0], INT_MAX, &pid) != 0 || pid == 0) {
		message_error(argc == 0  ? "attach: a process's number is missing"
			      : argc > 1 ? "attach: one process at a time"
					 : "attach: '%s' is no process's number",
			      argc == 1 ? argv[0] : "");
		if (argc == 1)
			hint_at_number(argv[0]);
		return verb_usage_error(&verb_attach);
	}
	error = fill(&request);
	if (error)
		return error == -EINVAL ? verb_usage_error(&verb_attach) : CLI_STATUS_FAILED;
	if (reach_run((pid_t)pid, &request, &problem) != 0) {
		message_error("attach: %s", problem.why);
		if (problem.hint[0])
			message_hint("%s", problem.hint);
		return CLI_STATUS_FAILED;
	}
	tell(&request, (pid_t)pid);
	if (!quiet) {
		tell_descendants((pid_t)pid);
		tell_sessions((pid_t)pid);
	}
	return CLI_STATUS_OK;
}

const struct verb verb_attach = {
	.name = "attach",
	.arguments = "[OPTIONS] PID",
	.summary = "Bring tracing into a running process",
	.example = "lttngmap attach 4711 --preload libc,io",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
