/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/messages.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/log.h"

#define MESSAGES_KEPT 32u
#define MESSAGE_MAX 256u
/* Said on standard error at most; who floods it does so through one process. */
#define MESSAGES_SAID 1000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char kept[MESSAGES_KEPT][MESSAGE_MAX];
static unsigned int count;
static unsigned int dropped;
static unsigned int said;

void message_say(const char *format, ...)
{
	char text[MESSAGE_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	/* Names in it may come from a process: nothing to steer a terminal with. */
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';

	pthread_mutex_lock(&lock);
	if (count < MESSAGES_KEPT)
		memcpy(kept[count++], text, sizeof(text));
	else
		dropped++;
	if (said < MESSAGES_SAID)
		log_warning("%s", text);
	else if (said == MESSAGES_SAID)
		log_warning("no more messages are shown here");
	if (said <= MESSAGES_SAID)
		said++;
	pthread_mutex_unlock(&lock);
}

void messages_take(void (*take)(const char *message, void *data), void *data)
{
	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < count; i++)
		take(kept[i], data);
	if (dropped > 0) {
		char text[MESSAGE_MAX];

		snprintf(text, sizeof(text), "%u further messages were dropped", dropped);
		take(text, data);
	}
	count = 0;
	dropped = 0;
	pthread_mutex_unlock(&lock);
}
