/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record-session.c - the requests of `record` to its daemon.
 *
 * A killed daemon is started again and knows its state. So a lost connection is made again, and its
 * request is repeated. If the daemon had served the request before, it refuses the repeated one as
 * done already.
 */
#include <config.h>

#include "cli/record/record.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/base/message.h"
#include "cli/client/control-client.h"
#include "cli/client/filter-caret.h"
#include "common/protocol/protocol-control.h"
#include "common/base/time.h"

#define REQUEST_TIMEOUT_MS 10000
/* Give up a daemon that ends so often before it answers "hello". */
#define RECONNECT_TRIES 20
/*
 * The kernel patches its code for each of hundreds of events, which takes long on a slow machine.
 */
#define START_TIMEOUT_MS 60000
/* Much data may wait for a slow disk. */
#define STOP_TIMEOUT_MS 120000

static int receive(struct record *record, int timeout_ms, struct json_object **answer)
{
	int64_t deadline = time_now_ms() + timeout_ms;

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = control_client_fd(record->client), .events = POLLIN },
			{ .fd = record->signal_fd, .events = POLLIN },
		};
		int64_t left = deadline - time_now_ms();
		int error = control_client_receive(record->client, answer);

		if (error != -EAGAIN)
			return error;
		if (record_wants_end(record))
			return -EINTR;
		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(fds, 2, left) < 0 && errno != EINTR)
			return -errno;
		record_signals_handle(record);
	}
}

/* The daemon names the session, which nobody made by name. */
static const char *without_session(const char *text)
{
	static const char ours[] = "session " RECORD_SESSION ": ";
	size_t length = strlen(ours);

	return strncmp(text, ours, length) == 0 ? text + length : text;
}

/* The daemon's log may have it, too. */
static void note_hint(struct record *record, const char *hint)
{
	char text[sizeof(record->trouble)];

	snprintf(text, sizeof(text), "%.*s", control_ended_length(hint), hint);
	(void)record_is_new(record, text);
}

/* Prints why `request` (or NULL) failed; `what` completes "cannot …". */
static void explain(struct record *record, struct json_object *request, const char *what, int error)
{
	if (error == -EINTR)
		return;
	/* The code below uses the refusal, too. */
	if (error == -EREMOTEIO)
		note_hint(record, control_client_hint(record->client));
	record_log_show(record);
	if (error == -EREMOTEIO) {
		const char *hint = control_client_hint(record->client);

		message_error("%s: cannot %s: %s", record->options.verb, what,
			      without_session(control_client_error(record->client)));
		filter_caret_show(request, control_client_refusal(record->client));
		if (hint[0] != '\0')
			message_hint("%.*s", control_ended_length(hint), hint);
		return;
	}
	if (error == -EPIPE || error == -ECONNRESET || error == -ECONNREFUSED)
		message_error("%s: cannot %s: the session daemon is gone", record->options.verb,
			      what);
	else if (error == -ETIMEDOUT)
		message_error("%s: cannot %s: the session daemon does not answer",
			      record->options.verb, what);
	else if (error == -EBADMSG)
		message_error("%s: cannot %s: the session daemon answers in a way unknown "
			      "to this version",
			      record->options.verb, what);
	else
		message_error("%s: cannot %s: %s", record->options.verb, what, strerror(-error));
}

/* Takes `request`. */
static int ask(struct record *record, struct json_object *request, int timeout_ms,
	       struct json_object **answer)
{
	int error = control_client_send(record->client, request);

	return error ? error : receive(record, timeout_ms, answer);
}

static int reconnect(struct record *record);

/* Takes `request`. The caller puts *answer, if it wants one. */
static int request(struct record *record, struct json_object *request, const char *what,
		   int timeout_ms, struct json_object **wanted)
{
	struct json_object *answer = NULL;
	bool again = false;
	int error;

	for (;;) {
		error = ask(record, json_object_get(request), timeout_ms, &answer);
		if ((error != -EPIPE && error != -ECONNRESET) || reconnect(record) != 0)
			break;
		again = true;
	}
	if (error == -EREMOTEIO && again && !wanted &&
	    control_answer_flag(control_client_refusal(record->client), "already"))
		error = 0;
	else if (error)
		explain(record, request, what, error);
	json_object_put(request);
	if (error)
		return error;
	if (wanted)
		*wanted = answer;
	else
		json_object_put(answer);
	return 0;
}

static void add_text(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_object_new_string(value));
}

struct json_object *record_new_request(const char *verb)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "verb", verb);
	add_text(object, "session", RECORD_SESSION);
	return object;
}

static struct json_object *new_hello(void)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "verb", "hello");
	json_object_object_add(object, "version", json_object_new_int(PROTOCOL_CONTROL_VERSION));
	return object;
}

/* Makes one connection and sends "hello". */
static int connect_again(struct record *record)
{
	struct control_client *client;
	struct json_object *answer;
	int error = control_client_connect(record->runtime_dir, &client);

	if (error)
		return error;
	control_client_close(record->client);
	record->client = client;
	error = ask(record, new_hello(), REQUEST_TIMEOUT_MS, &answer);
	if (error == 0)
		json_object_put(answer);
	return error;
}

/*
 * 0: connected again, and "hello" was answered; prints nothing. A daemon that is killed before it
 * answers is soon started again; otherwise nobody listens.
 */
static int reconnect(struct record *record)
{
	int error = -ECONNRESET;

	for (int tries = 0; tries < RECONNECT_TRIES; tries++) {
		error = connect_again(record);
		if (error != -EPIPE && error != -ECONNRESET)
			break;
	}
	return error;
}

static int hello(struct record *record)
{
	struct json_object *answer;
	uint64_t version;
	int error;

	error = request(record, new_hello(), "talk to the session daemon", REQUEST_TIMEOUT_MS,
			&answer);
	if (error == -EREMOTEIO && control_client_hint(record->client)[0] == '\0')
		message_hint("command and daemon must be of one version; LTTNGMAP_SESSIOND says "
			     "which daemon is started");
	if (error)
		return error;
	version = control_answer_count(answer, "version");
	json_object_put(answer);
	if (version == PROTOCOL_CONTROL_VERSION)
		return 0;
	message_error("%s: the session daemon speaks version %llu of the protocol, this "
		      "command version %d",
		      record->options.verb, (unsigned long long)version, PROTOCOL_CONTROL_VERSION);
	message_hint("install both from one release; LTTNGMAP_SESSIOND says which daemon is "
		     "started");
	return -EPROTO;
}

/*
 * Slices need the thread. Where processes share a stream, its name is none of theirs, and each
 * event has to name its program; the process is there in any case.
 */
static struct json_object *contexts(char **lists, bool is_shared)
{
	struct json_object *names = json_object_new_array();

	if (!lists) {
		json_object_array_add(names, json_object_new_string("vtid"));
		json_object_array_add(names, json_object_new_string("ip"));
		if (is_shared)
			json_object_array_add(names, json_object_new_string("procname"));
	}
	for (; lists && *lists; lists++) {
		char *list = *lists, *name;

		while ((name = strsep(&list, ",")))
			if (strcmp(name, "none") != 0)
				json_object_array_add(names, json_object_new_string(name));
	}
	return names;
}

/* A sub-buffer holds what some 80 objects need. */
#define STATEDUMP_SUBBUF_SIZE (16 << 10)
#define STATEDUMP_SUBBUFS 4

/*
 * What tells of loaded programs and libraries comes first in a trace. Where the oldest events make
 * room for new ones it would go first, and addresses would have no names: it has a channel of its
 * own then.
 */
static bool keeps_statedump(const struct record *record)
{
	return record->options.nr_rules == 0 && record_preload_has(&record->options, "dl") &&
	       (strcmp(record->options.mode, "overwrite") == 0 || record->options.file_count);
}

static int make_statedump(struct record *record)
{
	struct json_object *object = record_new_request("channel");
	struct json_object *contexts = json_object_new_array();
	const char *mode = record->options.mode;

	/* By it babeltrace2's debug-info tells processes apart. */
	json_object_array_add(contexts, json_object_new_string("vpid"));
	if (!record->options.flight_recorder && strcmp(mode, "overwrite") == 0)
		mode = "discard";
	add_text(object, "channel", RECORD_STATEDUMP);
	json_object_object_add(object, "subbuf_size", json_object_new_int(STATEDUMP_SUBBUF_SIZE));
	json_object_object_add(object, "subbufs", json_object_new_int(STATEDUMP_SUBBUFS));
	add_text(object, "mode", mode);
	if (record->options.buffers)
		add_text(object, "buffers", record->options.buffers);
	json_object_object_add(object, "contexts", contexts);
	return request(record, object, "make a channel", REQUEST_TIMEOUT_MS, NULL);
}

static int make_channel(struct record *record)
{
	struct json_object *object = record_new_request("channel");

	add_text(object, "channel", RECORD_CHANNEL);
	json_object_object_add(object, "subbuf_size", json_object_new_int64(record->subbuf_size));
	json_object_object_add(object, "subbufs", json_object_new_int(record->options.subbufs));
	add_text(object, "mode", record->options.mode);
	if (record->options.buffers)
		add_text(object, "buffers", record->options.buffers);
	json_object_object_add(object, "contexts",
			       contexts(record->options.contexts,
					record->options.buffers &&
						strcmp(record->options.buffers, "user") == 0));
	if (record->file_size)
		json_object_object_add(object, "file_size",
				       json_object_new_uint64(record->file_size));
	if (record->options.file_count)
		json_object_object_add(object, "file_count",
				       json_object_new_int(record->options.file_count));
	return request(record, object, "make a channel", REQUEST_TIMEOUT_MS, NULL);
}

static int create(struct record *record)
{
	struct json_object *object = record_new_request("create");
	int error;

	add_text(object, "output", record->output.path);
	if (record->options.flight_recorder)
		json_object_object_add(object, "snapshot", json_object_new_boolean(true));
	if (record->options.relay.url)
		add_text(object, "url", record->options.relay.url);
	if (record->options.relay.spool)
		json_object_object_add(object, "spool",
				       json_object_new_uint64(record->options.relay.spool));
	if (record->options.relay.live_ms)
		json_object_object_add(object, "live_ms",
				       json_object_new_uint64(record->options.relay.live_ms));
	error = request(record, object, "make a session", REQUEST_TIMEOUT_MS, NULL);
	if (error)
		return error;

	error = make_channel(record);
	return error || !keeps_statedump(record) ? error : make_statedump(record);
}

/* Prints the texts of an array, if the answer has it. */
static void say_all(struct record *record, struct json_object *answer, const char *key)
{
	struct json_object *texts;

	if (!json_object_object_get_ex(answer, key, &texts) ||
	    !json_object_is_type(texts, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(texts); i++) {
		const char *text = json_object_get_string(json_object_array_get_idx(texts, i));

		if (text)
			record_show_message(record, text);
	}
}

int record_ask(struct record *record, struct json_object *object, const char *what,
	       struct json_object **answer)
{
	return request(record, object, what, REQUEST_TIMEOUT_MS, answer);
}

int record_request(struct record *record, struct json_object *object, const char *what)
{
	struct json_object *answer;
	int error = request(record, object, what, REQUEST_TIMEOUT_MS, &answer);

	if (error)
		return error;
	say_all(record, answer, "warnings");
	json_object_put(answer);
	return 0;
}

static int enable(struct record *record)
{
	static struct record_rule everything = { .rule = RECORD_EVERYTHING };
	size_t count = record->options.nr_rules;
	const struct record_rule *rules = count > 0 ? record->options.rules : &everything;

	for (size_t i = 0; i < (count > 0 ? count : 1); i++) {
		struct json_object *object = record_new_request("enable");
		char what[160];
		int error;

		add_text(object, "channel", RECORD_CHANNEL);
		add_text(object, "rule", rules[i].rule);
		if (rules[i].filter)
			add_text(object, "filter", rules[i].filter);
		if (keeps_statedump(record))
			add_text(object, "exclude", RECORD_STATEDUMP_RULE);
		snprintf(what, sizeof(what), "enable '%.120s'", rules[i].rule);
		error = record_request(record, object, what);
		if (error)
			return error;
	}
	return 0;
}

static int enable_statedump(struct record *record)
{
	struct json_object *object = record_new_request("enable");

	add_text(object, "channel", RECORD_STATEDUMP);
	add_text(object, "rule", RECORD_STATEDUMP_RULE);
	return record_request(record, object, "enable '" RECORD_STATEDUMP_RULE "'");
}

int record_session_connect(struct record *record)
{
	int error = control_client_connect(record->runtime_dir, &record->client);

	if (!error)
		return hello(record);
	explain(record, NULL, "talk to the session daemon", error);
	return error;
}

int record_session_start(struct record *record)
{
	int error = record_session_connect(record);

	if (!error)
		error = create(record);
	if (!error)
		error = enable(record);
	if (!error && keeps_statedump(record))
		error = enable_statedump(record);
	if (!error)
		error = record_kernel_enable(record);
	if (!error)
		error = request(record, record_new_request("start"), "start tracing",
				START_TIMEOUT_MS, NULL);
	return error;
}

static bool is_blocking(const struct record *record)
{
	return strcmp(record->options.mode, "blocking") == 0;
}

/* Every answer to "status" has the trouble; it is printed once. */
static void say_trouble(struct record *record, const char *trouble)
{
	char text[sizeof(record->trouble)];

	if (strncmp(record->trouble, trouble, sizeof(record->trouble) - 1) == 0)
		return;
	snprintf(record->trouble, sizeof(record->trouble), "%s", trouble);
	if (trouble[0] == '\0')
		return;
	record->had_trouble = true;
	/* The daemon writes only while the program runs. */
	snprintf(text, sizeof(text), "%.*s", control_ended_length(trouble), trouble);
	record_show_message(record, text);
	if (is_blocking(record) && !strstr(trouble, PROTOCOL_CONTROL_REMOVED))
		message_hint("%s waits for that; ^C, or SIGINT for this command, lets it go on "
			     "untraced",
			     record->command[0]);
}

static void take_status(struct record *record, struct json_object *answer)
{
	struct json_object *kernel = NULL;
	uint64_t discarded, overrun;

	json_object_object_get_ex(answer, "kernel", &kernel);
	discarded = control_answer_count(kernel, "discarded");
	overrun = control_answer_count(kernel, "overrun");
	record->counts = (struct record_counts){
		.processes = control_answer_count(answer, "processes"),
		.alive = control_answer_count(answer, "alive"),
		.untraced_hint = untraced_hint(answer),
		.untraced_unseen = untraced_has(answer, "executed"),
		.kept = control_answer_count(answer, "kept"),
		.discarded = control_answer_count(answer, "discarded"),
		.overwritten = control_answer_count(answer, "overwritten"),
		.cut = control_answer_count(answer, "cut"),
		.broken = control_answer_count(answer, "broken"),
		.buffered = control_answer_count(answer, "buffered"),
		.forgotten = control_answer_count(answer, "forgotten"),
		.bytes = control_answer_count(answer, "bytes"),
		.streams = control_answer_count(answer, "streams"),
		.kernel_events = control_answer_count(kernel, "events"),
		.kernel_lost = discarded > overrun ? discarded : overrun,
		.kernel_bytes = control_answer_count(kernel, "bytes"),
		.kernel_streams = control_answer_count(kernel, "streams"),
		.kernel_is_mapped = control_answer_flag(kernel, "mapped"),
	};
	untraced_describe(answer, record->counts.untraced);
	damaged_describe(answer, record->counts.damaged);
	say_trouble(record, control_answer_text(answer, "trouble"));
	say_all(record, answer, "messages");
	record->is_stuck = record->trouble[0] || control_answer_count(answer, "output_silent_ms");
	/* The program took that signal as usual. */
	if (!record->is_stuck)
		record->wants_release = false;
}

void record_daemon_lost(struct record *record)
{
	if (reconnect(record) == 0)
		return;
	control_client_close(record->client);
	record->client = NULL;
	if (record->daemon_failed)
		return;
	record->daemon_failed = true;
	record_log_show(record);
	message_error("%s: the session daemon is gone; %s runs on, the trace ends here",
		      record->options.verb, record->command[0]);
}

static struct json_object *new_status(const struct record *record)
{
	struct json_object *object;

	if (!record->options.map)
		return record_new_request("status");
	object = json_object_new_object();
	add_text(object, "verb", "status");
	add_text(object, "map", RECORD_SESSION);
	return object;
}

int record_status_ask(struct record *record)
{
	if (control_client_pending(record->client))
		return 0;
	return control_client_send(record->client, new_status(record));
}

int record_status_read(struct record *record)
{
	struct json_object *answer;
	int error = control_client_receive(record->client, &answer);

	if (error)
		return error;
	take_status(record, answer);
	json_object_put(answer);
	return 0;
}

/* Asks for the programs' events, part by part. Prints no failure: only the summary needs them. */
void record_events_ask(struct record *record)
{
	struct json_object *events = json_object_new_array();
	uint64_t from = 0, next = 0;

	do {
		struct json_object *object = json_object_new_object(), *answer, *part;

		from = next;
		add_text(object, "verb", "events");
		json_object_object_add(object, "from", json_object_new_uint64(from));
		if (ask(record, object, REQUEST_TIMEOUT_MS, &answer) != 0) {
			json_object_put(events);
			return;
		}
		if (json_object_object_get_ex(answer, "events", &part))
			for (size_t i = 0; i < json_object_array_length(part); i++)
				json_object_array_add(
					events,
					json_object_get(json_object_array_get_idx(part, i)));
		next = control_answer_count(answer, "next");
		json_object_put(answer);
	} while (next > from);
	record->events = events;
}

int record_status_end(struct record *record)
{
	struct json_object *answer;
	int error;

	if (!control_client_pending(record->client))
		return 0;
	error = receive(record, REQUEST_TIMEOUT_MS, &answer);
	if (error == -EPIPE && reconnect(record) == 0)
		return 0;
	if (error) {
		explain(record, NULL, "complete the trace", error);
		return error;
	}
	take_status(record, answer);
	json_object_put(answer);
	return 0;
}

/* Writes what a flight recorder still has: these events are kept, and none is in the rings only. */
static int write_snapshot(struct record *record)
{
	struct json_object *object = record_new_request("snapshot"), *answer;
	int error;

	add_text(object, "output", record->output.path);
	error = request(record, object, "write what the flight recorder has", STOP_TIMEOUT_MS,
			&answer);
	if (error)
		return error;
	record->counts.kept = control_answer_count(answer, "events");
	/* Nobody reads a flight recorder's rings, so nobody has counted these. */
	if (record->counts.buffered > record->counts.kept)
		record->counts.overwritten += record->counts.buffered - record->counts.kept;
	record->counts.bytes = control_answer_count(answer, "bytes");
	record->counts.buffered = 0;
	json_object_put(answer);
	return 0;
}

/* Once: a later call returns the same. */
static int stop(struct record *record)
{
	if (!record->is_stopped) {
		record->is_stopped = true;
		record->stop_error = request(record, record_new_request("stop"),
					     "complete the trace", STOP_TIMEOUT_MS, NULL);
	}
	return record->stop_error;
}

void record_session_release(struct record *record)
{
	if (!record->is_stuck || !is_blocking(record) || record->is_stopped ||
	    record_status_end(record) != 0 || !record->is_stuck)
		return;
	message_note("recording stops: nothing can be written, and %s does not wait for that any "
		     "longer",
		     record->command[0]);
	(void)stop(record);
	record->released_ms = time_now_ms();
}

int record_status_last(struct record *record)
{
	struct json_object *answer;
	int error = request(record, new_status(record), "count the events", REQUEST_TIMEOUT_MS,
			    &answer);

	if (error)
		return error;
	take_status(record, answer);
	record->has_ended = true;
	json_object_put(answer);
	return 0;
}

int record_session_stop(struct record *record)
{
	int error = record_status_end(record);

	if (error)
		return error;
	error = stop(record);
	if (!error || error == -EREMOTEIO) {
		int status_error = record_status_last(record);

		error = error ? error : status_error;
	}
	if (!error && record->options.flight_recorder && !record_is_empty(record))
		error = write_snapshot(record);
	if (!error && record->options.nr_rules > 0 && !record_is_empty(record))
		record_events_ask(record);
	if (!error)
		error = request(record, record_new_request("destroy"), "close the session",
				REQUEST_TIMEOUT_MS, NULL);
	return error;
}
