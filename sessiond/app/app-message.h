/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * app-message.h - what a process sends, checked (common/protocol/protocol-app.h).
 * Pure functions over bytes that may be anything.
 */
#ifndef SESSIOND_APP_APP_MESSAGE_H
#define SESSIOND_APP_APP_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "common/protocol/protocol-app.h"

struct app_message {
	enum protocol_app_type type;
	struct protocol_app_register registration; /* REGISTER */
	uint32_t slot;                             /* MEMORY, LOST */
	uint32_t lost;                             /* LOST */
	struct protocol_app_untraced untraced;     /* UNTRACED */
	struct protocol_app_executed executed;     /* EXECUTED */
	/* REGISTER, CLASSES: the classes, unchecked; within the bytes given. */
	uint32_t nr_classes;
	const void *classes;
	size_t classes_size;
};

/* Why a message is refused, in words for the person at the program. */
struct app_refusal {
	int error; /* errno value; 0: close without a word, it is not our protocol */
	char message[108];
};

/*
 * `instance`: of this daemon. 0, or -EPROTO with *refusal filled in.
 */
int app_message_parse(const void *bytes, size_t size, uint64_t instance,
		      struct app_message *message, struct app_refusal *refusal);

void app_refuse(struct app_refusal *refusal, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* SESSIOND_APP_APP_MESSAGE_H */
