/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* complete-value.c - what a value may be, by the name that the usage gives it. */
#include <config.h>

#include "cli/complete.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/options.h"
#include "cli/client/control-client.h"
#include "cli/client/session-events.h"
#include "cli/client/session-verb.h"
#include "cli/record/record.h"
#include "cli/verbs.h"
#include "cli/view/event-names.h"
#include "cli/view/view.h"
#include "common/base/context.h"
#include "common/base/name.h"

/* The word being completed. */
struct wanted {
	const struct verb *verb;
	const char *word;
	const char *before;
	const char *trace;
};

/* Prints another user's text as one line for a terminal. */
static void print_clean(const char *text)
{
	char *line = strdup(text);

	if (!line)
		return;
	name_clean_line(line);
	fputs(line, stdout);
	free(line);
}

/*
 * A shell may put a candidate into the command line as it is. A name that another user chose must
 * not end that command and begin another.
 */
static bool is_plain(const char *candidate)
{
	return candidate[strspn(candidate, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					   "0123456789_:.+-")] == '\0';
}

void complete_print(const char *word, const char *before, const char *candidate, const char *what)
{
	if (strncmp(candidate, word, strlen(word)) != 0 || !is_plain(candidate))
		return;
	print_clean(before);
	print_clean(candidate);
	putchar('\t');
	print_clean(what ? what : "");
	putchar('\n');
}

static void say(const struct wanted *wanted, const char *candidate, const char *what)
{
	complete_print(wanted->word, wanted->before, candidate, what);
}

static void by_shell(const struct wanted *wanted, const char *kind)
{
	printf("\t%s\t", kind);
	print_clean(wanted->before);
	putchar('\n');
}

static void files(const struct wanted *wanted)
{
	by_shell(wanted, "files");
}

static void directories(const struct wanted *wanted)
{
	by_shell(wanted, "directories");
}

static void families(const struct wanted *wanted)
{
	const char *name, *library;

	for (size_t i = 0; (name = record_family(i, &library)) != NULL; i++)
		say(wanted, name, library);
}

static void contexts(const struct wanted *wanted)
{
	for (size_t i = 0; i < LTTNGMAP_CONTEXTS; i++)
		say(wanted, context_kinds[i].name, context_kinds[i].what);
}

static void levels(const struct wanted *wanted)
{
	for (uint64_t i = 0; i <= 14; i++)
		say(wanted, options_loglevel_name(i), NULL);
}

static void help_verbs(const struct wanted *wanted)
{
	for (int i = 0; verbs[i]; i++)
		say(wanted, verbs[i]->name, verbs[i]->summary);
}

/* ---- processes ---------------------------------------------------------------- */

static void process_name(int proc, const char *pid, char *name, size_t size)
{
	char path[64];
	ssize_t length;
	int fd;

	name[0] = '\0';
	if (snprintf(path, sizeof(path), "%s/comm", pid) >= (int)sizeof(path))
		return;
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	length = read(fd, name, size - 1);
	close(fd);
	name[length > 0 ? length - (name[length - 1] == '\n') : 0] = '\0';
}

/* Those of the same user; root sees everybody's. */
static void processes(const struct wanted *wanted)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	struct stat status;
	char name[64];

	while (proc && (entry = readdir(proc)) != NULL) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    fstatat(dirfd(proc), entry->d_name, &status, 0) != 0 ||
		    (geteuid() != 0 && status.st_uid != geteuid()))
			continue;
		process_name(dirfd(proc), entry->d_name, name, sizeof(name));
		say(wanted, entry->d_name, name);
	}
	if (proc)
		closedir(proc);
}

/* ---- what the daemon knows ------------------------------------------------------ */

/*
 * Connected, or not, which a shell in the middle of a line is not told of. A daemon that
 * does not answer ends us, with what was printed until then.
 */
static int open_quietly(struct session_verb *self, const struct wanted *wanted)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDERR_FILENO) < 0)
		return -1;
	close(null);
	fflush(stdout);
	signal(SIGALRM, SIG_DFL);
	alarm(2);
	session_options.json = 0;
	return session_verb_open(self, wanted->verb, false);
}

static void close_quietly(struct session_verb *self, struct json_object *answer)
{
	alarm(0);
	session_verb_close(self, 0, answer);
}

static void sessions(const struct wanted *wanted)
{
	struct session_verb self = { 0 };
	struct json_object *list;

	if (open_quietly(&self, wanted) == 0 && session_verb_list(&self, &list) == 0) {
		for (size_t i = 0; i < json_object_array_length(list); i++) {
			struct json_object *one = json_object_array_get_idx(list, i);

			say(wanted, control_answer_text(one, "session"),
			    control_answer_text(one, "output"));
		}
	}
	close_quietly(&self, NULL);
}

/* Says all that a request lists: the member `name` of each object in the array `key`, with its
 * rule. */
static void listed(const struct wanted *wanted, const char *verb, const char *key, const char *name)
{
	struct json_object *answer = NULL, *list, *request = json_object_new_object();
	struct session_verb self = { 0 };

	session_add_text(request, "verb", verb);
	if (open_quietly(&self, wanted) == 0 &&
	    session_verb_ask_all(&self, json_object_get(request), key, &answer) == 0) {
		list = session_member_array(answer, key);
		for (size_t i = 0; i < json_object_array_length(list); i++) {
			struct json_object *one = json_object_array_get_idx(list, i);

			say(wanted, control_answer_text(one, name),
			    control_answer_text(one, "rule"));
		}
	}
	json_object_put(request);
	close_quietly(&self, answer);
}

static void maps(const struct wanted *wanted)
{
	listed(wanted, "map-list", "maps", "map");
}

static void triggers(const struct wanted *wanted)
{
	listed(wanted, "trigger-list", "triggers", "trigger");
}

/* Channels of the session that the line names, or of the only one. */
static void channels(const struct wanted *wanted)
{
	struct session_verb self = { 0 };
	struct json_object *session, *list;

	if (open_quietly(&self, wanted) == 0 && session_verb_choose(&self, NULL) == 0 &&
	    (session = session_verb_find(&self)) != NULL) {
		list = session_member_array(session, "channels");
		for (size_t i = 0; i < json_object_array_length(list); i++) {
			struct json_object *one = json_object_array_get_idx(list, i);

			say(wanted, control_answer_text(one, "channel"),
			    control_answer_text(one, "mode"));
		}
	}
	close_quietly(&self, NULL);
}

static void events(const struct wanted *wanted)
{
	struct session_verb self = { 0 };
	struct json_object *answer = NULL, *list;

	if (open_quietly(&self, wanted) == 0 && session_events_ask(&self, 0, &answer) == 0) {
		list = session_member_array(answer, "events");
		for (size_t i = 0; i < json_object_array_length(list); i++)
			say(wanted, control_answer_text(json_object_array_get_idx(list, i), "name"),
			    NULL);
	}
	close_quietly(&self, answer);
}

/* ---- what needs no daemon --------------------------------------------------------- */

static void say_event(const char *name, void *data)
{
	say(data, name, NULL);
}

/* With its provider, or without. */
static void say_short_event(const char *name, void *data)
{
	const char *colon = strchr(name, ':');

	say(data, name, NULL);
	if (colon)
		say(data, colon + 1, NULL);
}

/* Events of the trace that the line names, or of the newest one here. */
static void trace_events(const struct wanted *wanted)
{
	char newest[PATH_MAX];
	const char *path = wanted->trace;

	if (!path && freopen("/dev/null", "w", stderr) &&
	    view_find_newest(newest, sizeof(newest)) == 0)
		path = newest;
	if (path)
		event_names_of_trace(path, say_short_event, (void *)wanted);
}

static void kernel_events(const struct wanted *wanted)
{
	event_names_of_kernel(say_event, (void *)wanted);
}

/* -------------------------------------------------------------------------------- */

static const struct kind {
	const char *name;
	void (*complete)(const struct wanted *wanted);
} kinds[] = {
	{ "DIR", directories }, { "FILE", files },         { "FAMILY", families },
	{ "NAME", contexts },   { "LEVEL", levels },       { "VERB", help_verbs },
	{ "PID", processes },   { "SESSION", sessions },   { "CHANNEL", channels },
	{ "RULE", events },     { "EVENT", trace_events }, { "SYSTEM:NAME", kernel_events },
	{ "MAP", maps },        { "TRIGGER", triggers },
};

/* "discard|overwrite|blocking": the words themselves, where they are such. */
static bool say_words(const struct wanted *wanted, const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz-|");
	char words[128], *word, *rest = words;

	if (name[length] != '\0' || !strchr(name, '|') || length >= sizeof(words))
		return false;
	strcpy(words, name);
	while ((word = strsep(&rest, "|")) != NULL)
		say(wanted, word, NULL);
	return true;
}

void complete_value(const struct verb *verb, const char *name, const char *word, const char *before,
		    const char *trace)
{
	struct wanted wanted = { verb, word, before, trace };
	size_t length = name ? strcspn(name, ",") : 0;
	const char *comma = strrchr(word, ',');
	char *longer = NULL;

	if (!name)
		return;
	if (name[length] == ',' && comma) {
		if (asprintf(&longer, "%s%.*s", before, (int)(comma + 1 - word), word) < 0)
			return;
		wanted.before = longer;
		wanted.word = comma + 1;
	}
	if (strcmp(name, "WHEN") == 0)
		name = "always|never|auto";
	if (!say_words(&wanted, name)) {
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			if (strlen(kinds[i].name) == length &&
			    strncmp(kinds[i].name, name, length) == 0)
				kinds[i].complete(&wanted);
		}
	}
	free(longer);
}
