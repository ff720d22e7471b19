/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* process-classes.c - which event classes a process has. */
#include "sessiond/process.h"

#include <string.h>

#include "common/protocol-app.h"
#include "sessiond/parts.h"
#include "sessiond/ledger.h"
#include "sessiond/quota.h"
#include "sessiond/session.h"

static int reserve_classes(struct process *process, uint32_t words)
{
	struct ledger_process *record = process->record;
	int error = 0;

	if (words > record->class_words)
		error = ledger_process_reserve_classes(process->daemon->ledger,
						       process->memories->index, words);
	if (error == 0 && words > record->class_words)
		record->class_words = words;
	return error;
}

int process_add_classes(struct process *process, const uint16_t *ids, uint32_t nr_ids)
{
	struct ledger_process *record = process->record;
	struct quota_user *user;
	uint32_t words = 0;
	int error;

	for (uint32_t i = 0; i < nr_ids; i++)
		if (ids[i] != PROTOCOL_APP_NO_ID && ids[i] / 64u + 1 > words)
			words = ids[i] / 64u + 1;
	error = reserve_classes(process, words);
	if (error)
		return error;
	for (uint32_t i = 0; i < nr_ids; i++)
		if (ids[i] != PROTOCOL_APP_NO_ID)
			record->classes[ids[i] / 64u] |= UINT64_C(1) << ids[i] % 64u;
	user = quota_user(process->daemon->quota, process->uid);
	if (user)
		sessions_try_again(process->daemon->sessions, user, ids, nr_ids);
	quota_note_classes(user, ids, nr_ids);
	return 0;
}

int process_inherit_classes(struct process *process, const struct ledger_process *parent)
{
	const struct quota *quota = process->daemon->quota;
	int error = reserve_classes(process, parent->class_words);

	if (error)
		return error;
	memcpy(process->record->classes, parent->classes,
	       parent->class_words * sizeof(parent->classes[0]));
	/* Another user's classes are not shown to the child's. */
	process->record->has_foreign = parent->has_foreign ||
				       quota_owner(quota, parent->uid) !=
					       quota_owner(quota, process->uid);
	return 0;
}

void process_list_classes(const struct process *process, uint64_t *bits)
{
	memset(bits, 0, LTTNGMAP_EVENT_IDS / 8);
	memcpy(bits, process->record->classes, process->record->class_words * sizeof(bits[0]));
}
