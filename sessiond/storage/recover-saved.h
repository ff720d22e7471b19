/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * recover-saved.h - the ledger of a daemon that is gone. What of it is given
 * out was checked: it can be damaged, but leads nowhere.
 */
#ifndef SESSIOND_STORAGE_RECOVER_SAVED_H
#define SESSIOND_STORAGE_RECOVER_SAVED_H

#include "sessiond/storage/saved-state.h"

struct recover_ledger {
	int fd;                   /* borrowed; can be written where something is to be kept */
	struct ledger_head *head; /* a copy */
	struct ledger_layout layout;
};

/* Texts that say what is wrong have room for this. */
#define RECOVER_WHY_SIZE 128

/* 0 or -errno, and `why`. */
int recover_ledger_open(int fd, struct recover_ledger *old, char why[RECOVER_WHY_SIZE]);
void recover_ledger_close(struct recover_ledger *old);

/* Classes, sessions and counts into a ledger that is to have its second life. */
int recover_ledger_import(const struct recover_ledger *old, struct ledger *ledger,
			  char why[RECOVER_WHY_SIZE]);

/* Is there no session in it, or none that could be read? */
bool recover_ledger_is_empty(const struct recover_ledger *old);

/* The record of a process, its name clean; false: there is none. */
bool recover_ledger_process(const struct recover_ledger *old, uint32_t index,
			    struct ledger_process *record);
/* Where a ring set's part of it is, bytes from the ledger's beginning. */
uint64_t recover_ledger_set_at(const struct recover_ledger *old, uint32_t index, uint32_t slot);
/* All of the range. 0 or -errno. */
int recover_ledger_read(const struct recover_ledger *old, uint64_t offset, void *bytes,
			uint64_t size);

#endif /* SESSIOND_STORAGE_RECOVER_SAVED_H */
