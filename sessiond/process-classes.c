/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* process-classes.c - which event classes a process has. */
#include "sessiond/process.h"

#include <stdio.h>
#include <string.h>

#include "common/protocol-app.h"
#include "sessiond/daemon.h"
#include "sessiond/ledger.h"
#include "sessiond/messages.h"
#include "sessiond/quota.h"

/* Of a forked process, that are asked for what they registered. */
#define ANCESTORS_MAX 16u

/* Where there is none, events of these classes are not recorded for it. */
static bool reserve_classes(struct process *process, uint32_t words)
{
	struct ledger_process *record = process->record;
	int error;

	if (words <= record->class_words)
		return true;
	error = ledger_process_reserve_classes(process->daemon->ledger, process->memories->index,
					       words);
	if (error) {
		message_say("process %u: its event classes cannot be noted: %s", process->pid,
			    strerror(-error));
		return false;
	}
	record->class_words = words;
	return true;
}

void process_add_classes(struct process *process, const uint16_t *ids, uint32_t nr_ids)
{
	struct ledger_process *record = process->record;

	if (nr_ids == 0)
		return;
	quota_note_classes(quota_user(process->daemon->quota, process->uid), ids, nr_ids);
	for (uint32_t i = 0; i < nr_ids; i++) {
		if (ids[i] == PROTOCOL_APP_NO_ID)
			continue;
		if (!reserve_classes(process, ids[i] / 64u + 1))
			return;
		record->classes[ids[i] / 64u] |= UINT64_C(1) << ids[i] % 64u;
	}
}

/* Of a process that lives, from /proc; 0: not to be had. */
static uint32_t parent_of(uint32_t pid)
{
	char path[32], text[512];
	unsigned int parent = 0;
	const char *name_end;
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	/* The name may have blanks and brackets. */
	name_end = strrchr(text, ')');
	if (!name_end || sscanf(name_end + 1, " %*c %u", &parent) != 1)
		return 0;
	return parent;
}

void process_list_classes(const struct process *process, uint64_t *bits)
{
	memset(bits, 0, LTTNGMAP_EVENT_IDS / 8);
	for (unsigned int depth = 0; process && depth < ANCESTORS_MAX; depth++) {
		for (uint32_t i = 0; i < process->record->class_words; i++)
			bits[i] |= process->record->classes[i];
		if (!process->forked)
			return;
		process = process_lookup(process->daemon->processes, parent_of(process->pid));
	}
}
