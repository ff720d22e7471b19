/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * messages.c - traced programs bring messages about as often as they like, by
 * being refused, by damaging their rings. So each kind of message, told apart by
 * its format, has an allowance of its own: a flood of one hides no other.
 */
#include "sessiond/base/messages.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/log.h"
#include "common/base/name.h"

#define MESSAGES_KEPT 32u
#define MESSAGE_MAX 256u
/* More kinds than there are in the daemon; any beyond share the last. */
#define KINDS 64u
/* Messages of one kind: so many are kept, so many are logged at once, then one a second. */
#define KEPT_OF_KIND 8u
#define SAID_OF_KIND 200u

struct kind {
	const char *format; /* NULL: free */
	unsigned int kept;
	unsigned int allowed; /* to be said, since `then` */
	time_t then;
	unsigned int hidden; /* since one was said */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept {
	struct kind *kind;
	char session[NAME_SESSION_MAX + 1]; /* its key; "": about none */
	char text[MESSAGE_MAX];
} kept[MESSAGES_KEPT];
static struct kind kinds[KINDS];
static unsigned int count;
static unsigned int dropped;

/* Under the lock, as all below. */
static struct kind *find_kind(const char *format)
{
	struct kind *kind = kinds;

	while (kind->format && kind->format != format && kind < kinds + KINDS - 1)
		kind++;
	if (!kind->format)
		kind->allowed = SAID_OF_KIND;
	kind->format = format;
	return kind;
}

static bool may_say(struct kind *kind)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (kind->allowed < SAID_OF_KIND && now.tv_sec > kind->then) {
		time_t more = now.tv_sec - kind->then;

		kind->allowed += more < SAID_OF_KIND - kind->allowed ? (unsigned int)more
								     : SAID_OF_KIND - kind->allowed;
	}
	kind->then = now.tv_sec;
	if (kind->allowed == 0)
		return false;
	kind->allowed--;
	return true;
}

static void say(struct kind *kind, const char *text)
{
	if (!may_say(kind)) {
		if (kind->hidden++ == 0)
			log_warning("more messages like the last of these are shown one a second "
				    "at most: %s",
				    text);
		return;
	}
	if (kind->hidden > 0)
		log_warning("%s (%u more like it were not shown)", text, kind->hidden - 1);
	else
		log_warning("%s", text);
	kind->hidden = 0;
}

static void keep(struct kind *kind, const char *session, const char text[MESSAGE_MAX])
{
	if (count < MESSAGES_KEPT && kind->kept < KEPT_OF_KIND) {
		kind->kept++;
		kept[count].kind = kind;
		snprintf(kept[count].session, sizeof(kept[count].session), "%s", session);
		memcpy(kept[count++].text, text, MESSAGE_MAX);
	} else {
		dropped++;
	}
}

static void say_and_keep(const char *session, const char *format, va_list arguments)
{
	char text[MESSAGE_MAX];
	struct kind *kind;

	vsnprintf(text, sizeof(text), format, arguments);
	/* Names in it may come from a process: nothing to steer a terminal with. */
	name_clean_line(text);

	pthread_mutex_lock(&lock);
	kind = find_kind(format);
	keep(kind, session, text);
	say(kind, text);
	pthread_mutex_unlock(&lock);
}

void message_say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say_and_keep("", format, arguments);
	va_end(arguments);
}

void message_of(const char *session, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say_and_keep(session, format, arguments);
	va_end(arguments);
}

/* Messages about that session, or `also_others` about none, are forgotten. */
static void take_kept(const char *session, bool also_others,
		      void (*take)(const char *message, void *data), void *data)
{
	unsigned int left = 0;

	for (unsigned int i = 0; i < count; i++) {
		if (strcmp(kept[i].session, session) != 0 &&
		    !(also_others && !kept[i].session[0])) {
			kept[left++] = kept[i];
			continue;
		}
		kept[i].kind->kept--;
		if (take)
			take(kept[i].text, data);
	}
	count = left;
}

void messages_take(const char *session, void (*take)(const char *message, void *data), void *data)
{
	pthread_mutex_lock(&lock);
	take_kept(session, true, take, data);
	if (dropped > 0) {
		char text[MESSAGE_MAX];

		snprintf(text, sizeof(text), "%u further messages were dropped", dropped);
		take(text, data);
	}
	dropped = 0;
	pthread_mutex_unlock(&lock);
}

void messages_forget(const char *session)
{
	pthread_mutex_lock(&lock);
	take_kept(session, false, NULL, NULL);
	pthread_mutex_unlock(&lock);
}
