/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * recover-saved.h - reads the saved state of a daemon that is gone. All that it returns
 * was checked: damaged values can be wrong, but lead nowhere.
 */
#ifndef SESSIOND_STORAGE_RECOVER_SAVED_H
#define SESSIOND_STORAGE_RECOVER_SAVED_H

#include "sessiond/storage/saved-state.h"

struct recover_saved {
	int fd;                  /* borrowed; can be written where something is to be kept */
	struct saved_head *head; /* a copy */
	struct saved_layout layout;
};

/* Texts that say what is wrong have room for this. */
#define RECOVER_WHY_SIZE 128

/*
 * 0 or -errno, and `why`. -EPROTO: it is a saved state of another version of lttngmap, or of
 * another kind of machine.
 */
int recover_saved_open(int fd, struct recover_saved *old, char why[RECOVER_WHY_SIZE]);
void recover_saved_close(struct recover_saved *old);

/* Classes, sessions and counts into a saved state that is to have its first restart. */
int recover_saved_import(const struct recover_saved *old, struct saved_state *saved_state,
			 char why[RECOVER_WHY_SIZE]);

/* Is there no session in it, or none that could be read? */
bool recover_saved_is_empty(const struct recover_saved *old);

/* The record of a process, its name clean; false: there is none. */
bool recover_saved_process(const struct recover_saved *old, uint32_t index,
			   struct saved_process *record);
/* Where a ring set's part of it is, bytes from the saved state's beginning. */
uint64_t recover_saved_set_at(const struct recover_saved *old, uint32_t index, uint32_t slot);
/* All of the range. 0 or -errno. */
int recover_saved_read(const struct recover_saved *old, uint64_t offset, void *bytes,
		       uint64_t size);

#endif /* SESSIOND_STORAGE_RECOVER_SAVED_H */
