/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/load/session-xml.h"

#include <ctype.h>
#include <errno.h>
#include <expat.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/context.h"

/* ---- elements ------------------------------------------------------------------- */

#define DEPTH_MAX 32
#define ELEMENTS_MAX 100000
#define TEXT_MAX 65536

/* An element is an array: its name, its text, then the elements in it. */
enum { NAME, TEXT, FIRST };

struct parser {
	XML_Parser expat;
	struct json_object *open[DEPTH_MAX]; /* the first one has the document's */
	unsigned depth;
	unsigned elements;
	char text[TEXT_MAX + 1]; /* of the innermost element */
	size_t length;
	const char *wrong;
};

static void stop(struct parser *parser, const char *wrong)
{
	if (parser->wrong)
		return;
	parser->wrong = wrong;
	XML_StopParser(parser->expat, XML_FALSE);
}

static void on_doctype(void *userdata, const char *name, const char *system, const char *public_id,
		       int has_subset)
{
	(void)name;
	(void)system;
	(void)public_id;
	(void)has_subset;
	stop(userdata, "it has a document type declaration, which no file of `lttng save` has");
}

static void on_start(void *userdata, const char *name, const char **attributes)
{
	struct parser *parser = userdata;
	struct json_object *element;

	(void)attributes;
	if (parser->wrong)
		return;
	if (parser->depth + 1 == DEPTH_MAX) {
		stop(parser, "its elements are nested too deep");
		return;
	}
	if (parser->elements++ == ELEMENTS_MAX) {
		stop(parser, "it has too many elements");
		return;
	}
	element = json_object_new_array();
	json_object_array_add(element, json_object_new_string(name));
	json_object_array_add(element, json_object_new_string(""));
	json_object_array_add(parser->open[parser->depth++], element);
	parser->open[parser->depth] = element;
	parser->length = 0;
}

static void on_end(void *userdata, const char *name)
{
	struct parser *parser = userdata;
	const char *text = parser->text;

	(void)name;
	if (parser->wrong)
		return;
	while (parser->length && isspace((unsigned char)text[parser->length - 1]))
		parser->length--;
	parser->text[parser->length] = '\0';
	while (isspace((unsigned char)*text))
		text++;
	json_object_array_put_idx(parser->open[parser->depth--], TEXT,
				  json_object_new_string(text));
	parser->length = 0;
}

static void on_text(void *userdata, const char *text, int length)
{
	struct parser *parser = userdata;

	if (parser->wrong)
		return;
	if ((size_t)length > TEXT_MAX - parser->length) {
		stop(parser, "it has too long a text");
		return;
	}
	memcpy(parser->text + parser->length, text, (size_t)length);
	parser->length += (size_t)length;
}

/* 0, and the caller puts *document. */
static int parse(const char *text, size_t size, struct json_object **document,
		 char why[SESSION_FILE_WHY_SIZE])
{
	struct parser *parser = calloc(1, sizeof(*parser));
	int error = parser ? 0 : -ENOMEM;

	*document = NULL;
	if (parser)
		parser->expat = XML_ParserCreate(NULL);
	if (!error && !parser->expat)
		error = -ENOMEM;
	if (error) {
		snprintf(why, SESSION_FILE_WHY_SIZE, "%s", strerror(-error));
		free(parser);
		return error;
	}
	parser->open[0] = json_object_new_array();
	XML_SetUserData(parser->expat, parser);
	XML_SetStartDoctypeDeclHandler(parser->expat, on_doctype);
	XML_SetElementHandler(parser->expat, on_start, on_end);
	XML_SetCharacterDataHandler(parser->expat, on_text);
	if (XML_Parse(parser->expat, text, (int)size, 1) != XML_STATUS_OK) {
		error = -EINVAL;
		snprintf(why, SESSION_FILE_WHY_SIZE, "line %lu: %s",
			 (unsigned long)XML_GetCurrentLineNumber(parser->expat),
			 parser->wrong ? parser->wrong
				       : XML_ErrorString(XML_GetErrorCode(parser->expat)));
	}
	if (error)
		json_object_put(parser->open[0]);
	else
		*document = parser->open[0];
	XML_ParserFree(parser->expat);
	free(parser);
	return error;
}

static bool is_named(struct json_object *element, const char *name)
{
	return strcmp(json_object_get_string(json_object_array_get_idx(element, NAME)), name) == 0;
}

/* Index of the next element of that name in `parent`, from `from` on; SIZE_MAX: there is none. */
static size_t next(struct json_object *parent, const char *name, size_t from)
{
	size_t count = parent ? json_object_array_length(parent) : 0;

	for (size_t i = from < FIRST ? FIRST : from; i < count; i++)
		if (!name || is_named(json_object_array_get_idx(parent, i), name))
			return i;
	return SIZE_MAX;
}

#define FOR_EACH(child, parent, name)                                                              \
	for (size_t child##_at = next(parent, name, 0);                                            \
	     child##_at != SIZE_MAX &&                                                             \
	     ((child) = json_object_array_get_idx(parent, child##_at), true);                      \
	     child##_at = next(parent, name, child##_at + 1))

/* The first one; NULL: there is none. */
static struct json_object *child_of(struct json_object *parent, const char *name)
{
	size_t at = next(parent, name, 0);

	return at == SIZE_MAX ? NULL : json_object_array_get_idx(parent, at);
}

/* Of the first element of that name; "": there is none. */
static const char *text_of(struct json_object *parent, const char *name)
{
	struct json_object *child = child_of(parent, name);

	return child ? json_object_get_string(json_object_array_get_idx(child, TEXT)) : "";
}

static bool is_true(struct json_object *parent, const char *name)
{
	const char *text = text_of(parent, name);

	return strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
}

static int64_t number_of(struct json_object *parent, const char *name)
{
	return strtoll(text_of(parent, name), NULL, 10);
}

/* ---- sessions ------------------------------------------------------------------- */

struct maker {
	void (*tell)(const char *text);
	const char *session;
	bool is_snapshot;
};

__attribute__((format(printf, 2, 3))) static void leave_out(const struct maker *maker,
							    const char *format, ...)
{
	char text[512];
	va_list arguments;
	int length = snprintf(text, sizeof(text), "session %.64s: ", maker->session);

	va_start(arguments, format);
	vsnprintf(text + length, sizeof(text) - (size_t)length, format, arguments);
	va_end(arguments);
	maker->tell(text);
}

static void add(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_object_new_string(text));
}

static void add_number(struct json_object *object, const char *key, int64_t number)
{
	json_object_object_add(object, key, json_object_new_int64(number));
}

static void add_flag(struct json_object *object, const char *key, bool flag)
{
	json_object_object_add(object, key, json_object_new_boolean(flag));
}

/* Of microseconds, the whole milliseconds that have them. */
static int64_t milliseconds(int64_t microseconds)
{
	return microseconds > 0 ? (microseconds - 1) / 1000 + 1 : 0;
}

static void add_exclusions(struct json_object *rule, struct json_object *event)
{
	struct json_object *exclusions = child_of(event, "exclusions"), *exclusion;
	char text[4096] = "";
	size_t length = 0;

	FOR_EACH(exclusion, exclusions, "exclusion")
	{
		length += (size_t)snprintf(
			text + length, sizeof(text) - length, "%s%s", length ? "," : "",
			json_object_get_string(json_object_array_get_idx(exclusion, TEXT)));
		if (length >= sizeof(text))
			return;
	}
	if (length)
		add(rule, "exclude", text);
}

static void add_rule(const struct maker *maker, struct json_object *rules,
		     struct json_object *event)
{
	const char *level = text_of(event, "loglevel_type"), *filter = text_of(event, "filter");
	struct json_object *rule;

	if (strcmp(text_of(event, "type"), "TRACEPOINT") != 0) {
		leave_out(maker, "event %.64s is left out: only tracepoints of programs are read",
			  text_of(event, "name"));
		return;
	}
	rule = json_object_new_object();
	add_flag(rule, "enabled", is_true(event, "enabled"));
	add(rule, "rule", text_of(event, "name"));
	add_exclusions(rule, event);
	if (strcmp(level, "RANGE") == 0 || strcmp(level, "SINGLE") == 0)
		add_number(rule, "loglevel", number_of(event, "loglevel"));
	if (strcmp(level, "SINGLE") == 0)
		add_flag(rule, "loglevel_only", true);
	if (*filter)
		add(rule, "filter", filter);
	json_object_array_add(rules, rule);
}

static void add_context(const struct maker *maker, struct json_object *contexts,
			struct json_object *context)
{
	struct json_object *perf = child_of(context, "perf"), *app = child_of(context, "app");
	const char *type = text_of(context, "type");
	char name[64];
	uint64_t bits;
	size_t i;

	if (perf || app) {
		leave_out(maker, "context %.64s%s%.64s is left out: there is none such here",
			  perf ? text_of(perf, "name") : text_of(app, "provider_name"),
			  perf ? "" : ":", perf ? "" : text_of(app, "ctx_name"));
		return;
	}
	for (i = 0; type[i] && i < sizeof(name) - 1; i++)
		name[i] = (char)tolower((unsigned char)type[i]);
	name[i] = '\0';
	/* It stands in each packet. */
	if (strcmp(name, "cpu_id") == 0)
		return;
	if (context_find(name, &bits) < 0)
		leave_out(maker, "context %s is left out: there is none such here", name);
	else
		json_object_array_add(contexts, json_object_new_string(name));
}

static void add_mode(const struct maker *maker, struct json_object *to, struct json_object *channel)
{
	int64_t timeout = number_of(channel, "blocking_timeout");
	bool overwrites = maker->is_snapshot ||
			  strcmp(text_of(channel, "overwrite_mode"), "OVERWRITE") == 0;

	add(to, "mode", overwrites ? "overwrite" : timeout ? "blocking" : "discard");
	/* -1: without a limit, which is 0 here. */
	add_number(to, "blocking_timeout_ms", overwrites ? 0 : milliseconds(timeout));
}

static void add_channel(const struct maker *maker, struct json_object *channels,
			struct json_object *channel, const char *buffers)
{
	struct json_object *to = json_object_new_object(), *from;
	struct json_object *contexts = json_object_new_array(), *rules = json_object_new_array();
	int64_t flush = milliseconds(number_of(channel, "switch_timer_interval"));

	add(to, "channel", text_of(channel, "name"));
	add_number(to, "subbuf_size", number_of(channel, "subbuffer_size"));
	add_number(to, "subbufs", number_of(channel, "subbuffer_count"));
	add_mode(maker, to, channel);
	/* A flight recorder's buffers are written by snapshots alone. */
	if (!maker->is_snapshot)
		add_number(to, "flush_ms", flush);
	add_number(to, "file_size", number_of(channel, "tracefile_size"));
	add_number(to, "file_count", number_of(channel, "tracefile_count"));
	add(to, "buffers", strcmp(buffers, "PER_UID") == 0 ? "user" : "process");
	if (!is_true(channel, "enabled"))
		add_flag(to, "disabled", true);
	FOR_EACH(from, child_of(channel, "contexts"), "context")
	add_context(maker, contexts, from);
	json_object_object_add(to, "contexts", contexts);
	FOR_EACH(from, child_of(channel, "events"), "event")
	add_rule(maker, rules, from);
	json_object_object_add(to, "rules", rules);
	json_object_array_add(channels, to);
}

/* The number of a user or group of that name; -1: there is none. */
static int64_t id_of(const char *kind, const char *name)
{
	const struct passwd *user = strcmp(kind, "uid") == 0 ? getpwnam(name) : NULL;
	const struct group *group = strcmp(kind, "gid") == 0 ? getgrnam(name) : NULL;

	return user ? (int64_t)user->pw_uid : group ? (int64_t)group->gr_gid : -1;
}

/* A tracker of all processes is not there at all. */
static void add_trackers(const struct maker *maker, struct json_object *trackers,
			 struct json_object *from)
{
	static const char *const kinds[] = { "pid", "uid", "gid" };
	struct json_object *tracker, *value, *to;

	FOR_EACH(tracker, from, NULL)
	{
		struct json_object *values = child_of(tracker, "process_attr_values");
		const char *kind = NULL;

		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (strstr(json_object_get_string(json_object_array_get_idx(tracker, NAME)),
				   kinds[i]))
				kind = kinds[i];
		if (kind && next(values, NULL, 0) == SIZE_MAX)
			leave_out(maker, "it tracks no %s, which is left out", kind);
		FOR_EACH(value, kind ? values : NULL, NULL)
		{
			const char *name = text_of(value, "name");
			int64_t id = *name ? id_of(kind, name) : number_of(value, "id");

			if (id < 0)
				leave_out(maker, "the %s %.64s is not tracked: there is none", kind,
					  name);
			to = json_object_new_object();
			add(to, "kind", kind);
			add_number(to, "value", id < 0 ? UINT32_MAX : id);
			json_object_array_add(trackers, to);
		}
	}
}

static void add_domains(const struct maker *maker, struct json_object *to,
			struct json_object *domains)
{
	struct json_object *channels = json_object_new_array(), *domain, *channel;
	struct json_object *trackers = json_object_new_array();

	FOR_EACH(domain, domains, "domain")
	{
		const char *type = text_of(domain, "type");
		struct json_object *from = child_of(domain, "channels");

		if (strcmp(type, "UST") != 0) {
			if (child_of(from, "channel"))
				leave_out(maker, "the events of domain %.32s are left out", type);
			continue;
		}
		FOR_EACH(channel, from, "channel")
		add_channel(maker, channels, channel, text_of(domain, "buffer_type"));
		add_trackers(maker, trackers, child_of(domain, "process_attr_trackers"));
	}
	json_object_object_add(to, "trackers", trackers);
	json_object_object_add(to, "channels", channels);
}

static void add_rotation(struct json_object *to, struct json_object *attributes)
{
	struct json_object *rotation = json_object_new_object();
	struct json_object *schedules = child_of(attributes, "rotation_schedules");

	add_number(rotation, "period_ms",
		   milliseconds(number_of(child_of(schedules, "periodic"), "time_us")));
	add_number(rotation, "size", number_of(child_of(schedules, "size_threshold"), "bytes"));
	json_object_object_add(to, "rotation", rotation);
}

/* "": it is written nowhere, or is sent. */
static const char *path_of(struct json_object *session)
{
	struct json_object *output = child_of(session, "output");
	struct json_object *snapshots = child_of(output, "snapshot_outputs");
	struct json_object *consumer =
		child_of(snapshots ? child_of(snapshots, "output") : output, "consumer_output");

	return text_of(child_of(consumer, "destination"), "path");
}

static int add_session(struct json_object *sessions, struct json_object *session,
		       void (*tell)(const char *text), char why[SESSION_FILE_WHY_SIZE])
{
	struct json_object *attributes = child_of(session, "attributes");
	struct json_object *to, *channels = NULL;
	struct maker maker = { .tell = tell,
			       .session = text_of(session, "name"),
			       .is_snapshot = is_true(attributes, "snapshot_mode") };

	if (!*path_of(session)) {
		snprintf(why, SESSION_FILE_WHY_SIZE,
			 "session %.64s: it has no path: sessions that are sent to a relay daemon, "
			 "or written nowhere, are not read",
			 maker.session);
		return -EINVAL;
	}
	to = json_object_new_object();
	json_object_array_add(sessions, to);
	add(to, "session", maker.session);
	add(to, "output", path_of(session));
	add_flag(to, "snapshot", maker.is_snapshot);
	add_domains(&maker, to, child_of(session, "domains"));
	add_rotation(to, attributes);
	json_object_object_get_ex(to, "channels", &channels);
	add_flag(to, "active",
		 is_true(session, "started") && json_object_array_length(channels) > 0);
	return 0;
}

bool session_xml_is(const char *text, size_t size)
{
	size_t i = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	while (i < size && isspace((unsigned char)text[i]))
		i++;
	return i < size && text[i] == '<';
}

int session_xml_parse(const char *text, size_t size, struct json_object **file,
		      void (*tell)(const char *text), char why[SESSION_FILE_WHY_SIZE])
{
	struct json_object *document, *root, *session, *sessions;
	int error = parse(text, size, &document, why);

	*file = NULL;
	if (error)
		return error;
	root = json_object_array_get_idx(document, 0);
	if (!is_named(root, "sessions")) {
		snprintf(why, SESSION_FILE_WHY_SIZE, "it is no file of `lttng save`");
		json_object_put(document);
		return -EINVAL;
	}
	*file = json_object_new_object();
	sessions = json_object_new_array();
	add(*file, "format", SESSION_FILE_FORMAT);
	add_number(*file, "version", SESSION_FILE_VERSION);
	json_object_object_add(*file, "sessions", sessions);
	for (size_t i = next(root, "session", 0); !error && i != SIZE_MAX;
	     i = next(root, "session", i + 1)) {
		session = json_object_array_get_idx(root, i);
		error = add_session(sessions, session, tell, why);
	}
	json_object_put(document);
	if (error) {
		json_object_put(*file);
		*file = NULL;
	}
	return error;
}
