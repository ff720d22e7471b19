/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ledger.h - what the daemon must know again when it was killed: shared memory
 * that the keeper makes before the daemon, and that each life of the daemon
 * inherits at the same address (doc/design/surviving.md has the rules).
 *
 *   head | texts | log of classes | records of processes, each with its ring sets'
 *
 * It also holds the two memories that nobody can map for writing twice: the
 * global control, and the page with all processes' words.
 *
 * Descriptors stand in it by number, 0 being none. A number is written when
 * the descriptor exists, and wiped before it is closed. All of it is sparse.
 *
 * Main thread, but for ledger_process_drop(): any.
 */
#ifndef SESSIOND_LEDGER_H
#define SESSIOND_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <lttngmap/abi.h>

#include "common/clock.h"
#include "common/name.h"
#include "sessiond/memory.h"
#include "sessiond/ring-set.h"

#define LEDGER_PROCESSES 32768u
#define LEDGER_SESSIONS 64u
/* Of the text that says what sessions there are. */
#define LEDGER_TEXT_MAX (UINT64_C(64) << 20)

/* What a process's record stands for. */
enum ledger_state {
	LEDGER_FREE,
	LEDGER_TAKEN, /* memories that no process has yet, or any more */
	LEDGER_LIVE,
	LEDGER_ENDED, /* its rings are still to be read */
};

struct ledger_process {
	uint32_t pid;
	uint32_t uid;
	uint32_t gid;
	bool forked;
	bool answered; /* it was sent its memories */
	char name[NAME_PROGRAM_SIZE];
	uint64_t since_ms;
	uint64_t counted;
	uint32_t class_words; /* of `classes`, that are not 0 */
	/* Descriptors. */
	int socket; /* 0: it hung up */
	int pidfd;
	int doorbell;
	int ring_control;
	int ring_data[LTTNGMAP_CHANNELS];
	/* As struct process_slot. */
	uint8_t dirty[LTTNGMAP_CHANNELS];
	uint8_t subbufs_shift[LTTNGMAP_CHANNELS];
	uint64_t classes[LTTNGMAP_EVENT_IDS / 64]; /* a bit for each id */
};

/* Of the ring sets that are gone; written twice, so that one is whole. */
struct ledger_totals {
	struct ring_totals counts;
	uint64_t last_set; /* counted last: maybe not gone yet */
};

struct ledger_session {
	struct ledger_totals totals[2];
	uint32_t which; /* of them */
	uint64_t processes;
	uint64_t generation; /* of what the consumer is sent; raised before */
	/* What is on disk, as of struct session_written. */
	uint64_t packets;
	uint64_t bytes;
	uint64_t streams;
	uint64_t overwritten;
};

struct ledger_head {
	bool ready; /* the daemon has begun to serve */
	uint32_t lives;
	char death[64];      /* how the last life ended; empty: this is the first */
	uint64_t set_stride; /* bytes of a ring set's part of a record, and of all of that */
	uint64_t process_stride;
	/* For the next to be given out; raised before. */
	uint64_t last_set;
	uint64_t last_life; /* of a channel */
	uint32_t generations[LTTNGMAP_CHANNELS];
	struct clock_calibration calibration;
	/* The consumer that the daemon started. */
	pid_t consumer;
	int consumer_pidfd;
	uint32_t text;     /* which of the two */
	uint64_t log_size; /* bytes */
	struct ledger_session sessions[LEDGER_SESSIONS];
	uint8_t processes[LEDGER_PROCESSES]; /* enum ledger_state */
};

struct ledger {
	struct ledger_head *head;
	struct memory control; /* struct lttngmap_control */
	struct memory words;   /* struct lttngmap_process, by index */
	char *text[2];
	char *log;
	char *records;
	uint64_t size;
	uint32_t next; /* where to look for a free record */
};

/* For rings of so many CPUs. 0 or -errno. */
int ledger_create(uint32_t cpu_rings, struct ledger **ledger);
/* There will be no other life: processes look for another daemon (common/knock.h). */
void ledger_leave(struct ledger *ledger);
/* NULL is allowed. */
void ledger_destroy(struct ledger *ledger);

/* Is it the daemon's first life? */
bool ledger_is_new(const struct ledger *ledger);

/* A record, all zeros, TAKEN: its index, or -ENOSPC. */
int ledger_process_take(struct ledger *ledger);
/* It, and what it held, is given back. Any thread. */
void ledger_process_drop(struct ledger *ledger, uint32_t index);
void ledger_process_set(struct ledger *ledger, uint32_t index, enum ledger_state state);
enum ledger_state ledger_process_state(const struct ledger *ledger, uint32_t index);
struct ledger_process *ledger_process(const struct ledger *ledger, uint32_t index);
/* Where the ring set of a slot keeps its own. */
struct ring_saved *ledger_set(const struct ledger *ledger, uint32_t index, uint32_t slot);
/* What the process reads. */
struct lttngmap_process *ledger_words(const struct ledger *ledger, uint32_t index);

/* The whole of `text` in place of the one before. 0 or -E2BIG. */
int ledger_text_write(struct ledger *ledger, const char *text, size_t size);
/* Ends in NUL; "" where there was none. */
const char *ledger_text(const struct ledger *ledger);

/*
 * Append classes that user `uid` registered, in the form of
 * common/protocol-app.h, before anybody is told of their ids. 0 or -ENOSPC.
 */
int ledger_log_append(struct ledger *ledger, uint32_t uid, const void *bytes, size_t size,
		      uint32_t nr_classes);
/* Give each entry to `take`, in order, as long as that returns 0. */
int ledger_log_read(const struct ledger *ledger,
		    int (*take)(uint32_t uid, const void *bytes, size_t size, uint32_t nr_classes,
				void *data),
		    void *data);

/* Add a ring set's counts, which is to be forgotten next, to its session's. */
void ledger_totals_add(struct ledger_session *session, uint64_t set,
		       const struct ring_totals *counts);
/* Begin anew from zeros. */
void ledger_totals_clear(struct ledger_session *session);
const struct ledger_totals *ledger_totals(const struct ledger_session *session);

/* Give each descriptor's number to `take`. */
void ledger_descriptors(const struct ledger *ledger, void (*take)(int fd, void *data), void *data);

#endif /* SESSIOND_LEDGER_H */
