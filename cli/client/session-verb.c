/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/session-verb.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/client/control-client.h"
#include "cli/client/filter-caret.h"
#include "cli/client/session-daemon.h"
#include "common/base/json-message.h"
#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"

#define HELLO_TIMEOUT_MS 10000

struct session_options session_options;

const struct poptOption session_daemon_table[] = {
	{ "runtime-dir", '\0', POPT_ARG_STRING, &session_options.runtime_dir, 0,
	  "Talk to the session daemon there (default: yours, else the system's)", "DIR" },
	{ "json", 'j', POPT_ARG_NONE, &session_options.json, 0,
	  "One JSON object on standard output", NULL },
	POPT_TABLEEND
};

const struct poptOption session_table[] = { { "session", 's', POPT_ARG_STRING,
					      &session_options.session, 0,
					      "The session (default: the current one)", "SESSION" },
					    SESSION_INCLUDE(session_daemon_table),
					    POPT_TABLEEND };

const struct poptOption session_channel_table[] = {
	{ "channel", 'c', POPT_ARG_STRING, &session_options.channel, 0,
	  "The channel (default: the only one that the session has)", "CHANNEL" },
	SESSION_INCLUDE(session_table),
	POPT_TABLEEND
};

/* ---- requests ---------------------------------------------------------------- */

void session_add_text(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_object_new_string(value));
}

void session_add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

struct json_object *session_member_array(struct json_object *object, const char *key)
{
	static struct json_object *none;
	struct json_object *array;

	if (json_object_object_get_ex(object, key, &array) &&
	    json_object_is_type(array, json_type_array))
		return array;
	if (!none)
		none = json_object_new_array();
	return none;
}

struct json_object *session_verb_request(const struct session_verb *self, const char *verb)
{
	struct json_object *request = json_object_new_object();

	session_add_text(request, "verb", verb);
	if (self->session[0] != '\0')
		session_add_text(request, "session", self->session);
	if (self->channel[0] != '\0')
		session_add_text(request, "channel", self->channel);
	return request;
}

static void explain_refusal(struct session_verb *self, struct json_object *request)
{
	const char *hint = control_client_hint(self->client);

	message_error("%s: %s%s%s", self->verb->name, self->place ? self->place : "",
		      self->place ? ": " : "", control_client_error(self->client));
	filter_caret_show(request, control_client_refusal(self->client));
	if (hint[0] != '\0')
		message_hint("%s", hint);
}

static void explain(struct session_verb *self, struct json_object *request, int error)
{
	const char *verb = self->verb->name;

	if (error == -EREMOTEIO)
		explain_refusal(self, request);
	else if (error == -EPIPE || error == -ECONNRESET)
		message_error("%s: the session daemon closed the connection", verb);
	else if (error == -ETIMEDOUT)
		message_error("%s: the session daemon does not answer", verb);
	else if (error == -EBADMSG)
		message_error("%s: the session daemon answers in a way unknown to this version",
			      verb);
	else if (error == -EMSGSIZE)
		message_error("%s: that is more than fits in one message", verb);
	else
		message_error("%s: talking to the session daemon: %s", verb, strerror(-error));
}

static void show_warnings(struct session_verb *self, struct json_object *answer)
{
	struct json_object *warnings = session_member_array(answer, "warnings");

	for (size_t i = 0; i < json_object_array_length(warnings); i++) {
		struct json_object *text = json_object_array_get_idx(warnings, i);

		message_note("%s: warning: %s", self->verb->name, json_object_get_string(text));
	}
}

bool session_verb_trouble(struct session_verb *self, struct json_object *answer)
{
	const char *trouble = control_answer_text(answer, "trouble");

	if (trouble[0] == '\0')
		return false;
	message_note("%s: session %s: %s", self->verb->name, self->session, trouble);
	return true;
}

int session_verb_await(struct session_verb *self, struct json_object *request, int timeout_ms,
		       struct json_object **answer)
{
	int error = control_client_send(self->client, json_object_get(request));

	if (!error)
		error = socket_wait(control_client_fd(self->client), POLLIN, timeout_ms);
	if (!error)
		error = control_client_receive(self->client, answer);
	if (error && error != -ETIMEDOUT)
		explain(self, request, error);
	json_object_put(request);
	return error;
}

/* Waits without a limit, because a trace may have to go to a slow disk. */
static int exchange(struct session_verb *self, struct json_object *request, int timeout_ms,
		    struct json_object **answer)
{
	int error = session_verb_await(self, request, timeout_ms, answer);

	if (error == -ETIMEDOUT)
		explain(self, NULL, error);
	return error;
}

int session_verb_ask(struct session_verb *self, struct json_object *request,
		     struct json_object **wanted)
{
	struct json_object *answer;
	int error = exchange(self, request, -1, &answer);

	if (error)
		return error;
	show_warnings(self, answer);
	if (wanted)
		*wanted = answer;
	else
		json_object_put(answer);
	return 0;
}

int session_verb_ask_all(struct session_verb *self, struct json_object *request, const char *key,
			 struct json_object **answer)
{
	struct json_object *all = json_object_new_array();
	uint64_t from = 0;
	int error;

	do {
		struct json_object *part, *array;
		uint64_t next;

		if (from != 0)
			session_add_number(request, "from", from);
		error = session_verb_ask(self, json_object_get(request), &part);
		if (error)
			break;
		array = session_member_array(part, key);
		for (size_t i = 0; i < json_object_array_length(array); i++)
			json_object_array_add(all,
					      json_object_get(json_object_array_get_idx(array, i)));
		next = control_answer_count(part, "next");
		json_object_put(part);
		/* A daemon that repeats itself would keep the loop going for ever. */
		if (next != 0 && next <= from) {
			error = -EBADMSG;
			explain(self, request, error);
		}
		from = next;
	} while (!error && from != 0);
	json_object_put(request);
	if (error) {
		json_object_put(all);
		return error;
	}
	*answer = json_object_new_object();
	json_object_object_add(*answer, "ok", json_object_new_boolean(true));
	json_object_object_add(*answer, key, all);
	return 0;
}

/* ---- begin and end ----------------------------------------------------------- */

static int hello(struct session_verb *self)
{
	struct json_object *request = json_object_new_object(), *answer;
	uint64_t version;
	int error;

	session_add_text(request, "verb", "hello");
	session_add_number(request, "version", PROTOCOL_CONTROL_VERSION);
	error = exchange(self, request, HELLO_TIMEOUT_MS, &answer);
	if (error)
		return error;
	version = control_answer_count(answer, "version");
	json_object_put(answer);
	if (version == PROTOCOL_CONTROL_VERSION)
		return 0;
	message_error("%s: the session daemon speaks version %llu of the protocol, this command "
		      "version %d",
		      self->verb->name, (unsigned long long)version, PROTOCOL_CONTROL_VERSION);
	message_hint("install both from one release");
	return -EPROTO;
}

int session_verb_open(struct session_verb *self, const struct verb *verb, bool start)
{
	const char *chosen = session_options.runtime_dir;
	int error;

	*self = (struct session_verb){ .verb = verb };
	error = session_daemon_connect(verb->name, chosen, &self->client);
	if (error == -ENOENT && start) {
		error = session_daemon_start(verb->name, chosen, &self->client, &self->started);
		if (!error && self->started)
			message_note("started lttngmap-sessiond, process %d", (int)self->started);
	} else if (error == -ENOENT) {
		session_daemon_report_missing(verb->name, chosen);
	}
	return error ? error : hello(self);
}

static void print_json(struct session_verb *self, int error, struct json_object *answer)
{
	struct json_object *object = json_object_new_object(), *refusal = NULL;

	json_object_object_add(object, "ok", json_object_new_boolean(!error));
	if (self->session[0] != '\0')
		session_add_text(object, "session", self->session);
	if (self->channel[0] != '\0')
		session_add_text(object, "channel", self->channel);
	if (!error && answer) {
		json_object_object_foreach(answer, key, value)
			json_object_object_add(object, key, json_object_get(value));
	}
	if (error) {
		session_add_text(object, "error", message_first_error());
		session_add_text(object, "hint", message_first_hint());
	}
	if (error && self->client)
		refusal = control_client_refusal(self->client);
	if (refusal && json_object_object_get_ex(refusal, "column", NULL)) {
		session_add_number(object, "column", control_answer_count(refusal, "column"));
		session_add_number(object, "length", control_answer_count(refusal, "length"));
	}
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_SPACED |
							    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

int session_verb_close(struct session_verb *self, int error, struct json_object *answer)
{
	if (session_options.json)
		print_json(self, error, answer);
	json_object_put(answer);
	json_object_put(self->sessions);
	control_client_close(self->client);
	self->client = NULL;
	if (message_flush_output())
		return CLI_STATUS_FAILED;
	return error ? CLI_STATUS_FAILED : CLI_STATUS_OK;
}

/* ---- which session, which channel --------------------------------------------- */

int session_verb_check_argument(const struct verb *verb, int argc)
{
	if (argc > 1) {
		message_error("%s: one session at a time, not %d", verb->name, argc);
		return verb_usage_error(verb);
	}
	if (argc == 1 && session_options.session) {
		message_error("%s: the session is named twice, by -s and behind the options",
			      verb->name);
		return verb_usage_error(verb);
	}
	return 0;
}

int session_verb_list(struct session_verb *self, struct json_object **sessions)
{
	struct json_object *request, *answer;
	int error;

	if (!self->sessions) {
		request = json_object_new_object();
		session_add_text(request, "verb", "list");
		error = session_verb_ask_all(self, request, "sessions", &answer);
		if (error)
			return error;
		self->sessions = json_object_get(session_member_array(answer, "sessions"));
		json_object_put(answer);
	}
	*sessions = self->sessions;
	return 0;
}

/* "a, b, c and 4 more", of the members `key` of an array's objects. */
static char *join_names(struct json_object *array, const char *key)
{
	size_t count = json_object_array_length(array);
	char *text = strdup("");

	for (size_t i = 0; text && i < count; i++) {
		const char *name = control_answer_text(json_object_array_get_idx(array, i), key);
		char *longer;

		if (i == 8)
			(void)(asprintf(&longer, "%s and %zu more", text, count - i) < 0 &&
			       (longer = NULL));
		else
			(void)(asprintf(&longer, "%s%s%s", text, i ? ", " : "", name) < 0 &&
			       (longer = NULL));
		free(text);
		text = longer;
		if (i == 8)
			break;
	}
	return text;
}

/* The only one's name, or NULL after a message that names the option. */
static const char *only_one(struct session_verb *self, struct json_object *array, const char *key,
			    const char *option, const char *make)
{
	size_t count = json_object_array_length(array);
	char *names;

	if (count == 1)
		return control_answer_text(json_object_array_get_idx(array, 0), key);
	if (count == 0) {
		message_error("%s: there is no %s", self->verb->name, key);
		message_hint("`lttngmap %s` makes one", make);
		return NULL;
	}
	names = join_names(array, key);
	message_error("%s: which of %zu %ss? %s", self->verb->name, count, key, names ? names : "");
	message_hint("%s NAME says which", option);
	free(names);
	return NULL;
}

/* Refuses a name that is too long for a session; the daemon would only refuse it later. */
static int take_name(struct session_verb *self, const char *key, const char *name, char *to)
{
	if (!name_is_session(name)) {
		message_error("%s: '%.80s' is no name of a %s", self->verb->name, name, key);
		message_hint("a name is 1 to %d of A-Z a-z 0-9 . _ + - and begins with none of . -",
			     NAME_SESSION_MAX);
		return -EINVAL;
	}
	strcpy(to, name);
	return 0;
}

/* Parses [USER/]NAME; the user is a name or a number. */
static int take_session(struct session_verb *self, const char *name)
{
	const char *slash = strchr(name, '/');
	char user[64];
	uint64_t uid;
	int length;

	if (!slash)
		return take_name(self, "session", name, self->session);
	snprintf(user, sizeof(user), "%.*s", (int)(slash - name), name);
	if (options_parse_user(user, &uid) != 0) {
		message_error("%s: there is no user '%s'", self->verb->name, user);
		message_hint("USER/SESSION is another user's session, by name or number");
		return -ENOENT;
	}
	length = uid == geteuid() ? 0 : sprintf(self->session, "%" PRIu64 "/", uid);
	return take_name(self, "session", slash + 1, self->session + length);
}

static const char *find_current(struct json_object *sessions)
{
	for (size_t i = 0; i < json_object_array_length(sessions); i++) {
		struct json_object *session = json_object_array_get_idx(sessions, i);

		if (control_answer_flag(session, "current"))
			return control_answer_text(session, "session");
	}
	return NULL;
}

int session_verb_choose(struct session_verb *self, const char *argument)
{
	const char *name = session_options.session ? session_options.session : argument;
	struct json_object *sessions;
	int error;

	if (!name) {
		error = session_verb_list(self, &sessions);
		if (error)
			return error;
		name = find_current(sessions);
		if (!name)
			name = only_one(self, sessions, "session", "-s", "create");
		if (!name)
			return -ENOENT;
	}
	return take_session(self, name);
}

struct json_object *session_verb_find(struct session_verb *self)
{
	struct json_object *sessions;

	if (session_verb_list(self, &sessions))
		return NULL;
	for (size_t i = 0; i < json_object_array_length(sessions); i++) {
		struct json_object *session = json_object_array_get_idx(sessions, i);

		if (strcmp(control_answer_text(session, "session"), self->session) == 0)
			return session;
	}
	message_error("%s: there is no session '%s'", self->verb->name, self->session);
	message_hint("`lttngmap list` shows the sessions");
	return NULL;
}

struct json_object *session_verb_find_channel(struct session_verb *self)
{
	struct json_object *session = session_verb_find(self), *channels;

	if (!session)
		return NULL;
	channels = session_member_array(session, "channels");
	for (size_t i = 0; i < json_object_array_length(channels); i++) {
		struct json_object *channel = json_object_array_get_idx(channels, i);

		if (strcmp(control_answer_text(channel, "channel"), self->channel) == 0)
			return channel;
	}
	message_error("%s: session %s has no channel '%s'", self->verb->name, self->session,
		      self->channel);
	message_hint("`lttngmap list %s` shows its channels", self->session);
	return NULL;
}

int session_verb_set_channel(struct session_verb *self, const char *name)
{
	return take_name(self, "channel", name, self->channel);
}

int session_verb_choose_channel(struct session_verb *self)
{
	const char *name = session_options.channel;
	struct json_object *session;

	if (!name) {
		session = session_verb_find(self);
		if (!session)
			return -ENOENT;
		name = only_one(self, session_member_array(session, "channels"), "channel", "-c",
				"channel NAME");
		if (!name)
			return -ENOENT;
	}
	return session_verb_set_channel(self, name);
}
