/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-verb.h - common code of the verbs that talk to a session daemon: their common options,
 * the connection, the choice of the session, and the answer as JSON.
 *
 * A verb's run() checks its arguments, then
 *
 *   error = session_verb_open(&self, &verb_x, false);   connected
 *   error = session_verb_choose(&self, name);           self.session is set
 *   error = session_verb_ask(&self, request, &answer);
 *   print, unless session_options.json
 *   return session_verb_close(&self, error, answer);
 *
 * Functions return 0, or -errno after a message. One thread.
 */
#ifndef CLI_CLIENT_SESSION_VERB_H
#define CLI_CLIENT_SESSION_VERB_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/base/verb.h"
#include "common/base/name.h"

struct control_client;

/* Values of the common options. */
struct session_options {
	char *session;
	char *channel;
	char *runtime_dir;
	int json;
};
extern struct session_options session_options;

/* Tables that a verb's own table includes. */
extern const struct poptOption session_channel_table[]; /* -c, and those of the next */
extern const struct poptOption session_table[];         /* -s, and those of the next */
extern const struct poptOption session_daemon_table[];  /* --runtime-dir, --json */
#define SESSION_INCLUDE(table)                                                                     \
	{                                                                                          \
		NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)(table), 0, NULL, NULL                 \
	}

struct session_verb {
	const struct verb *verb;
	struct control_client *client;
	const char *place;                   /* printed before a refusal, or NULL */
	char session[NAME_SESSION_MAX + 16]; /* NAME, or UID/NAME; "" until chosen */
	char channel[NAME_SESSION_MAX + 1];  /* "" until chosen */
	struct json_object *sessions;        /* from "list"; NULL: not asked yet */
	pid_t started;                       /* the daemon, if this command started it */
};

/* Connects and sends "hello". `start`: starts a daemon if none runs. */
int session_verb_open(struct session_verb *self, const struct verb *verb, bool start);

/*
 * Chooses the session named by -s or by `argument` (may be NULL), else the user's current session,
 * else the only one. The daemon refuses a session that does not exist.
 */
int session_verb_choose(struct session_verb *self, const char *argument);
/* Chooses the channel of the chosen session likewise; asks for the list. */
int session_verb_choose_channel(struct session_verb *self);
/* Chooses the channel `name`, which may not exist yet. */
int session_verb_set_channel(struct session_verb *self, const char *name);

/* {"verb": VERB}, with the chosen session and channel. */
struct json_object *session_verb_request(const struct session_verb *self, const char *verb);
void session_add_text(struct json_object *object, const char *key, const char *value);
void session_add_number(struct json_object *object, const char *key, uint64_t value);

/* Prints the trouble that the answer reports of the session; false: none. */
bool session_verb_trouble(struct session_verb *self, struct json_object *answer);
/*
 * Takes `request`; prints warnings of the answer. 0, and the caller puts *answer (`answer` may be
 * NULL); or -errno. -EREMOTEIO: refused.
 */
int session_verb_ask(struct session_verb *self, struct json_object *request,
		     struct json_object **answer);
/* The same, for so long at most, -1: for ever; -ETIMEDOUT: without a message. */
int session_verb_await(struct session_verb *self, struct json_object *request, int timeout_ms,
		       struct json_object **answer);
/*
 * Sends a request whose answer comes in parts, again and again with "from". *answer then has the
 * whole array as `key`.
 */
int session_verb_ask_all(struct session_verb *self, struct json_object *request, const char *key,
			 struct json_object **answer);
/* Asks for the sessions once; the array stays owned by `self`. */
int session_verb_list(struct session_verb *self, struct json_object **sessions);
/* The chosen session, or its chosen channel, from the list. NULL after a message: there is none. */
struct json_object *session_verb_find(struct session_verb *self);
struct json_object *session_verb_find_channel(struct session_verb *self);

/*
 * Ends the connection. With --json, prints `answer` with the session's name, or the error. Takes
 * `answer`, which may be NULL. Returns the exit status.
 */
int session_verb_close(struct session_verb *self, int error, struct json_object *answer);

/* An array member, or an empty array; the caller does not put it. */
struct json_object *session_member_array(struct json_object *object, const char *key);

/* Accepts no argument or one session's name. 0, or the exit status after a message. */
int session_verb_check_argument(const struct verb *verb, int argc);

#endif /* CLI_CLIENT_SESSION_VERB_H */
