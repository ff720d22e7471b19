/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-load.c - lttngmap load FILE: sessions as a file describes them, or none. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/output-dir.h"
#include "cli/client/control-client.h"
#include "cli/client/session-batch.h"
#include "cli/client/session-file.h"
#include "cli/load/session-xml.h"

static char *output;

static const struct poptOption options[] = {
	{ "output", 'o', POPT_ARG_STRING, &output, 0,
	  "Write the traces below it, each in DIR/SESSION (default: as the file says)", "DIR" },
	SESSION_INCLUDE(session_daemon_table),
	POPT_TABLEEND
};

/* ---- the file ------------------------------------------------------------------ */

static int read_stream(FILE *stream, char **text, size_t *size)
{
	*text = malloc(SESSION_FILE_MAX + 1);
	if (!*text)
		return -ENOMEM;
	errno = 0;
	*size = fread(*text, 1, SESSION_FILE_MAX + 1, stream);
	if (ferror(stream))
		return errno ? -errno : -EIO;
	return *size > SESSION_FILE_MAX ? -EFBIG : 0;
}

static void tell_left_out(const char *text)
{
	message_note("load: %s", text);
}

/* LTTng's description becomes ours, which is checked as any other. */
static int parse_xml(const char *text, size_t size, struct json_object **file,
		     char why[SESSION_FILE_WHY_SIZE])
{
	struct json_object *made;
	const char *own;
	size_t own_size;
	int error = session_xml_parse(text, size, &made, tell_left_out, why);

	if (error)
		return error;
	own = json_object_to_json_string_length(made, JSON_C_TO_STRING_PLAIN, &own_size);
	error = session_file_parse(own, own_size, file, why);
	json_object_put(made);
	return error;
}

static int read_file(const char *name, struct json_object **file)
{
	char why[SESSION_FILE_WHY_SIZE], *text = NULL;
	bool from_input = strcmp(name, "-") == 0;
	FILE *stream = from_input ? stdin : fopen(name, "re");
	size_t size = 0;
	int error = stream ? read_stream(stream, &text, &size) : -errno;

	if (error) {
		message_error("load: cannot read '%s': %s", name, strerror(-error));
	} else {
		error = session_xml_is(text, size) ? parse_xml(text, size, file, why)
						   : session_file_parse(text, size, file, why);
		if (error) {
			message_error("load: %s: %s", name, why);
			message_hint("nothing was made; lttngmap-save(1) describes the file");
		}
	}
	if (stream && !from_input)
		fclose(stream);
	free(text);
	return error;
}

/* ---- what to ask for --------------------------------------------------------------- */

/* A request about a session, with members of its description. */
static struct json_object *request_of(struct session_verb *self, const char *verb,
				      struct json_object *from, const char *const *keys)
{
	struct json_object *request = session_verb_request(self, verb), *value;

	for (; keys && *keys; keys++) {
		if (json_object_object_get_ex(from, *keys, &value))
			json_object_object_add(request, *keys, json_object_get(value));
	}
	return request;
}

static int add_rules(struct session_batch *batch, struct session_verb *self,
		     struct json_object *channel, const char *place)
{
	static const char *const members[] = { "rule",          "exclude", "loglevel",
					       "loglevel_only", "filter",  NULL };
	struct json_object *rules = session_member_array(channel, "rules");
	char here[256];
	int error = 0;

	for (size_t i = 0; !error && i < json_object_array_length(rules); i++) {
		struct json_object *rule = json_object_array_get_idx(rules, i);

		snprintf(here, sizeof(here), "%.200s.rules[%zu]", place, i);
		error = session_batch_add(batch, request_of(self, "enable", rule, members), NULL,
					  here);
		if (!error && !control_answer_flag(rule, "enabled"))
			error = session_batch_add_on_id(
				batch, session_verb_request(self, "disable"), here);
	}
	return error;
}

/* Those come with buffers that processes share. */
static bool has_already(struct json_object *channel, struct json_object *context)
{
	const char *name = json_object_get_string(context);

	return strcmp(control_answer_text(channel, "buffers"), "user") == 0 && name &&
	       (strcmp(name, "vpid") == 0 || strcmp(name, "vtid") == 0);
}

static int add_contexts(struct session_batch *batch, struct session_verb *self,
			struct json_object *channel, const char *place)
{
	struct json_object *contexts = session_member_array(channel, "contexts");
	char here[256];
	int error = 0;

	for (size_t i = 0; !error && i < json_object_array_length(contexts); i++) {
		struct json_object *context = json_object_array_get_idx(contexts, i), *request;

		if (has_already(channel, context))
			continue;
		request = session_verb_request(self, "context");
		json_object_object_add(request, "context", json_object_get(context));
		snprintf(here, sizeof(here), "%.200s.contexts[%zu]", place, i);
		error = session_batch_add(batch, request, NULL, here);
	}
	return error;
}

static int add_disabled(struct session_batch *batch, struct session_verb *self,
			struct json_object *channel, const char *place)
{
	struct json_object *request;

	if (!control_answer_flag(channel, "disabled"))
		return 0;
	request = session_verb_request(self, "channel-enable");
	json_object_object_add(request, "enabled", json_object_new_boolean(false));
	return session_batch_add(batch, request, NULL, place);
}

static int add_channels(struct session_batch *batch, struct session_verb *self,
			struct json_object *session, const char *place)
{
	static const char *const members[] = { "subbuf_size",         "subbufs",    "mode",
					       "file_size",           "file_count", "buffers",
					       "blocking_timeout_ms", "flush_ms",   NULL };
	struct json_object *channels = session_member_array(session, "channels");
	char here[128];
	int error = 0;

	for (size_t i = 0; !error && i < json_object_array_length(channels); i++) {
		struct json_object *channel = json_object_array_get_idx(channels, i);

		session_verb_set_channel(self, control_answer_text(channel, "channel"));
		snprintf(here, sizeof(here), "%.64s.channels[%zu]", place, i);
		error = session_batch_add(batch, request_of(self, "channel", channel, members),
					  NULL, here);
		if (!error)
			error = add_contexts(batch, self, channel, here);
		if (!error)
			error = add_rules(batch, self, channel, here);
		if (!error)
			error = add_disabled(batch, self, channel, here);
	}
	self->channel[0] = '\0';
	return error;
}

static int add_trackers(struct session_batch *batch, struct session_verb *self,
			struct json_object *session, const char *place)
{
	static const char *const members[] = { "kind", "value", NULL };
	struct json_object *trackers = session_member_array(session, "trackers");
	char here[128];
	int error = 0;

	for (size_t i = 0; !error && i < json_object_array_length(trackers); i++) {
		snprintf(here, sizeof(here), "%.64s.trackers[%zu]", place, i);
		error = session_batch_add(
			batch,
			request_of(self, "track", json_object_array_get_idx(trackers, i), members),
			NULL, here);
	}
	return error;
}

static int add_rotation(struct session_batch *batch, struct session_verb *self,
			struct json_object *session, const char *place)
{
	static const char *const members[] = { "period_ms", "size", NULL };
	struct json_object *rotation = NULL;

	json_object_object_get_ex(session, "rotation", &rotation);
	if (control_answer_count(rotation, "period_ms") == 0 &&
	    control_answer_count(rotation, "size") == 0)
		return 0;
	return session_batch_add(batch, request_of(self, "rotation", rotation, members), NULL,
				 place);
}

/* All but the start, which is for when the last of them is complete. */
static int add_session(struct session_batch *batch, struct session_verb *self,
		       struct json_object *session, const char *place, const char *directory)
{
	static const char *const members[] = { "snapshot", NULL };
	struct json_object *create;
	int error;

	session_verb_choose(self, control_answer_text(session, "session"));
	create = request_of(self, "create", session, members);
	session_add_text(create, "output", directory);
	error = session_batch_add(batch, create, session_verb_request(self, "destroy"), place);
	if (!error)
		error = add_trackers(batch, self, session, place);
	if (!error)
		error = add_channels(batch, self, session, place);
	if (!error)
		error = add_rotation(batch, self, session, place);
	return error;
}

static int add_start(struct session_batch *batch, struct session_verb *self,
		     struct json_object *session, const char *place)
{
	if (!control_answer_flag(session, "active"))
		return 0;
	session_verb_choose(self, control_answer_text(session, "session"));
	return session_batch_add(batch, session_verb_request(self, "start"), NULL, place);
}

static int plan(struct session_batch *batch, struct session_verb *self,
		struct json_object *sessions, const struct output_dir *directories)
{
	size_t count = json_object_array_length(sessions);
	char place[64];
	int error = 0;

	for (size_t i = 0; !error && i < 2 * count; i++) {
		struct json_object *session = json_object_array_get_idx(sessions, i % count);

		snprintf(place, sizeof(place), "sessions[%zu]", i % count);
		error = i < count ? add_session(batch, self, session, place, directories[i].path)
				  : add_start(batch, self, session, place);
	}
	self->session[0] = '\0';
	return error;
}

/* ---- doing it ------------------------------------------------------------------- */

/* Told before anything is made; the daemon would refuse it, too. */
static int check_names(struct session_verb *self, struct json_object *sessions)
{
	struct json_object *existing;
	int error = session_verb_list(self, &existing);

	if (error)
		return error;
	for (size_t i = 0; i < json_object_array_length(sessions); i++) {
		const char *name =
			control_answer_text(json_object_array_get_idx(sessions, i), "session");

		for (size_t j = 0; j < json_object_array_length(existing); j++) {
			struct json_object *other = json_object_array_get_idx(existing, j);

			if (strcmp(control_answer_text(other, "session"), name) != 0)
				continue;
			message_error("load: sessions[%zu]: there is a session '%s' already", i,
				      name);
			message_hint("destroy it first, or give another name in the file");
			return -EEXIST;
		}
	}
	return 0;
}

static int make_directory(struct json_object *session, struct output_dir *directory)
{
	char path[PATH_MAX];
	const char *chosen = control_answer_text(session, "output");
	int error;

	if (output) {
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", output,
				     control_answer_text(session, "session")) >= sizeof(path)) {
			message_error("load: -o: that name is too long");
			return -ENAMETOOLONG;
		}
		chosen = path;
	}
	if (!output_dir_is_taken(chosen))
		return output_dir_create("load", chosen, NULL, directory);
	/* The earlier trace is still there: most users who load a session again want to keep it. */
	error = output_dir_create("load", NULL, chosen, directory);
	if (!error)
		message_note("load: '%s' is not empty: session %s is written to %s", chosen,
			     control_answer_text(session, "session"), directory->path);
	return error;
}

static int load(struct session_verb *self, struct json_object *sessions)
{
	size_t count = json_object_array_length(sessions), made = 0;
	struct output_dir *directories = calloc(count + 1, sizeof(*directories));
	struct session_batch batch = { 0 };
	int error = directories ? check_names(self, sessions) : -ENOMEM;

	while (!error && made < count) {
		error = make_directory(json_object_array_get_idx(sessions, made),
				       &directories[made]);
		made += !error;
	}
	if (!error)
		error = plan(&batch, self, sessions, directories);
	if (!error)
		error = session_batch_run(&batch, self);
	while (error && made-- > 0)
		output_dir_remove(&directories[made]);
	session_batch_clear(&batch);
	free(directories);
	return error;
}

static struct json_object *describe(struct json_object *sessions)
{
	struct json_object *answer = json_object_new_object(), *names = json_object_new_array();

	for (size_t i = 0; i < json_object_array_length(sessions); i++) {
		struct json_object *name;

		if (json_object_object_get_ex(json_object_array_get_idx(sessions, i), "session",
					      &name))
			json_object_array_add(names, json_object_get(name));
	}
	json_object_object_add(answer, "loaded", names);
	return answer;
}

static void tell(size_t count, const char *file)
{
	message_line("loaded %zu session%s from %s", count, message_plural(count), file);
}

static int run(int argc, const char **argv)
{
	struct session_verb self = { .verb = &verb_load };
	struct json_object *file = NULL, *sessions, *answer = NULL;
	int error;

	if (argc != 1) {
		message_error("load: %s", argc ? "one file at a time" : "which file?");
		return verb_usage_error(&verb_load);
	}
	error = read_file(argv[0], &file);
	if (!error)
		error = session_verb_open(&self, &verb_load, true);
	if (!error) {
		sessions = session_member_array(file, "sessions");
		error = load(&self, sessions);
		if (!error) {
			answer = describe(sessions);
			if (!session_options.json)
				tell(json_object_array_length(sessions), argv[0]);
		}
	}
	json_object_put(file);
	return session_verb_close(&self, error, answer);
}

const struct verb verb_load = {
	.name = "load",
	.arguments = "[OPTIONS] FILE",
	.summary = "Make sessions as a file describes them",
	.example = "lttngmap load orders.json",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
