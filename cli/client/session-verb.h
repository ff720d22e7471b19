/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-verb.h - what the verbs share that ask something of a session
 * daemon: their common options, the connection, which session is meant, and
 * the answer as JSON.
 *
 * A verb's run() checks what was typed, then
 *
 *   error = session_verb_open(&self, &verb_x, false);   connected
 *   error = session_verb_choose(&self, name);           self.session is set
 *   error = session_verb_ask(&self, request, &answer);
 *   print, unless session_options.json
 *   return session_verb_close(&self, error, answer);
 *
 * Functions return 0 or -errno, and have told of every error then. One thread.
 */
#ifndef LTTNGMAP_CLI_CLIENT_SESSION_VERB_H
#define LTTNGMAP_CLI_CLIENT_SESSION_VERB_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/base/verb.h"
#include "common/name.h"

struct control_client;

/* Values of the common options. */
struct session_options {
	char *session;
	char *channel;
	char *runtime_dir;
	int json;
};
extern struct session_options session_options;

/* The common tables, to be included in a verb's own. */
extern const struct poptOption session_channel_table[]; /* -c, and as the next */
extern const struct poptOption session_table[];         /* -s, and as the next */
extern const struct poptOption session_daemon_table[];  /* --runtime-dir, --json */
#define SESSION_INCLUDE(table)                                                                     \
	{                                                                                          \
		NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)(table), 0, NULL, NULL                 \
	}

struct session_verb {
	const struct verb *verb;
	struct control_client *client;
	const char *place;                   /* said before a refusal, or NULL */
	char session[NAME_SESSION_MAX + 16]; /* NAME, or UID/NAME; "" until chosen */
	char channel[NAME_SESSION_MAX + 1];  /* likewise */
	struct json_object *sessions;        /* of "list", or NULL: not asked for yet */
	pid_t started;                       /* the daemon, if we started it */
};

/* Connect and say hello. With `start`, a daemon is started where none runs. */
int session_verb_open(struct session_verb *self, const struct verb *verb, bool start);

/*
 * The session that -s or `argument` (or NULL) names, or else the only one
 * that there is. Whether a named one exists is the daemon's to say.
 */
int session_verb_choose(struct session_verb *self, const char *argument);
/* Likewise the channel, in the session chosen; asks for the list. */
int session_verb_choose_channel(struct session_verb *self);
/* The channel of that name, which may not exist yet. */
int session_verb_set_channel(struct session_verb *self, const char *name);

/* {"verb": VERB}, with the session and the channel where they are chosen. */
struct json_object *session_verb_request(const struct session_verb *self, const char *verb);
void session_add_text(struct json_object *object, const char *key, const char *value);
void session_add_number(struct json_object *object, const char *key, uint64_t value);

/* Shows the trouble that the answer reports of the session; false: there is none. */
bool session_verb_trouble(struct session_verb *self, struct json_object *answer);
/*
 * Takes `request`. 0, with the answer the caller's to put (NULL: not wanted),
 * warnings in it shown; or -errno. -EREMOTEIO: refused.
 */
int session_verb_ask(struct session_verb *self, struct json_object *request,
		     struct json_object **answer);
/*
 * A request whose answer comes in parts, asked for with "from" again and
 * again; `key` in *answer then holds the whole array.
 */
int session_verb_ask_all(struct session_verb *self, struct json_object *request, const char *key,
			 struct json_object **answer);
/* The sessions, asked for once; an array that stays ours. */
int session_verb_list(struct session_verb *self, struct json_object **sessions);
/* Of the list: the session or channel chosen. NULL: it is not there, which is said. */
struct json_object *session_verb_find(struct session_verb *self);
struct json_object *session_verb_find_channel(struct session_verb *self);

/*
 * The end. With --json prints `answer` with the session's name, or the error;
 * takes `answer`, which may be NULL. The exit status.
 */
int session_verb_close(struct session_verb *self, int error, struct json_object *answer);

/* An array member, or an empty one; ours. */
struct json_object *session_member_array(struct json_object *object, const char *key);

/* No argument, or the name of one session. 0, or the exit status after a message. */
int session_verb_check_argument(const struct verb *verb, int argc);

#endif /* LTTNGMAP_CLI_CLIENT_SESSION_VERB_H */
