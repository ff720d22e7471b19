/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * saved-state.h - what the daemon must know again when it was killed: shared memory
 * that the keeper makes before the daemon, and that each life of the daemon
 * inherits at the same address (doc/design/surviving.md has the rules).
 *
 *   head | texts | logs of classes | what is described | records of processes, each with its ring
 * sets'
 *
 * It also holds the two memories that nobody can map for writing twice: the
 * global control, and the page with all processes' words.
 *
 * Descriptors stand in it by number, 0 being none. A number is written when
 * the descriptor exists, and wiped before it is closed. All of it is sparse.
 *
 * It may be a file, for `lttngmap recover`, when keeper and daemon were killed
 * together. Then room is made for each part before it is first written, so
 * that a full disk is an error and no SIGBUS; and whoever holds its lock lives.
 *
 * Main thread, but for ledger_process_drop(): any.
 */
#ifndef SESSIOND_STORAGE_SAVED_STATE_H
#define SESSIOND_STORAGE_SAVED_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <lttngmap/abi.h>

#include "common/clock.h"
#include "common/name.h"
#include "sessiond/base/memory.h"
#include "sessiond/ring/ring-set.h"
#include "sessiond/storage/untraced-tally.h"

#define LEDGER_FILE "ledger" /* in the runtime or the ring directory */
/* That of a daemon that ended in order, while the next one starts (kept.h). */
#define LEDGER_KEPT "ledger.kept"
#define LEDGER_MAGIC 0x3152474c504d544cull
/* Raised where any of what lies in it is laid out otherwise, or a text has other members. */
#define LEDGER_VERSION 10u

#define LEDGER_PROCESSES 32768u
#define LEDGER_SESSIONS 64u
/* Of the text that says what sessions there are. */
#define LEDGER_TEXT_MAX (UINT64_C(64) << 20)
/* Of a log; more than all classes that a registry keeps. */
#define LEDGER_LOG_MAX (UINT64_C(256) << 20)

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
	uint32_t payer; /* the user that is charged for it */
	bool forked;
	bool answered; /* it was sent its memories */
	bool alone;    /* it asks for nothing any more */
	bool stand_in; /* for the rings that processes of a user share (user-rings.h) */
	bool use_rseq; /* as of PROTOCOL_APP_RSEQ, and PROTOCOL_APP_SHARES */
	bool shares;
	bool has_foreign; /* some of `classes` are another user's, of its parent */
	char name[NAME_PROGRAM_SIZE];
	uint64_t token; /* that its children say (protocol-app.h); its low bits are the index */
	uint64_t since_ms;
	uint64_t counted;
	uint32_t class_words; /* of `classes`, that are not 0 */
	/* Descriptors. */
	int socket; /* 0: it hung up */
	int pidfd;
	int doorbell;
	int rings[LTTNGMAP_CHANNELS]; /* by slot */
	/* Which memories these are, as of struct memory: */
	uint64_t folder;
	uint64_t file[LTTNGMAP_CHANNELS];
	uint64_t control_at[LTTNGMAP_CHANNELS]; /* where ring control begins, bytes */
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

/* A consumer that the daemon started. */
struct ledger_consumer {
	pid_t pid;
	int pidfd; /* 0: there is none */
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
	struct ledger_consumer consumer;
	uint64_t broken;
	struct untraced_tally untraced;
};

struct ledger_head {
	uint64_t magic;
	uint32_t version;
	uint32_t cpu_rings;
	uint32_t page_size;
	bool named_files;      /* memories are files in the ledger's directory, else memfds */
	uint64_t size;         /* of all of it */
	uint64_t address;      /* where the keeper has it: what pointers in it are meant from */
	uint64_t last_file;    /* number of a memory's file; raised before */
	char boot[40];         /* the boot that it is of */
	char runtime_dir[128]; /* the daemon's */
	bool ready;            /* the daemon has begun to serve */
	/* The daemon ended in order: its sessions are the next one's. Stays here in all versions.
	 */
	bool is_kept;
	bool took_over; /* the sessions came from the ledger of a daemon before */
	int64_t ended;  /* when that daemon ended; with is_kept, when this one did: s */
	uint32_t lives;
	char death[64];      /* how the last life ended; empty: this is the first */
	uint64_t set_stride; /* bytes of a ring set's part of a record, and of all of that */
	uint64_t process_stride;
	/* For the next to be given out; raised before. */
	uint64_t last_set;
	uint64_t last_life; /* of a channel */
	uint32_t generations[LTTNGMAP_CHANNELS];
	struct clock_calibration calibration;
	struct ledger_consumer idle; /* the consumer that has no session */
	uint32_t text;               /* which of the two */
	uint32_t log;                /* likewise */
	uint64_t log_size[2];        /* bytes */
	struct ledger_session sessions[LEDGER_SESSIONS];
	uint8_t processes[LEDGER_PROCESSES]; /* enum ledger_state */
};

struct ledger {
	struct ledger_head *head;
	struct memory control; /* struct lttngmap_control */
	struct memory words;   /* struct lttngmap_process, by index */
	char *text[2];
	char *log[2];
	char *described;
	char *records;
	uint64_t size;
	uint32_t next; /* where to look for a free record */
	int fd;        /* of the file, locked; -1: it is none */
	bool is_on_disk;
	struct memory_place place;
	/*
	 * Held while a process's descriptors are asked for their sizes, and to take
	 * its record from who asks: any thread may close them next.
	 */
	pthread_mutex_t asked;
};

/* An entry of the log: a class. */
struct ledger_entry {
	uint32_t user; /* who is charged for it */
	uint32_t id;
	uint64_t size;
	char bytes[];
};

/* For rings of so many CPUs. 0 or -errno. */
int ledger_create(uint32_t cpu_rings, struct ledger **ledger);
/*
 * The same, but that it lies in the file LEDGER_FILE of directory `dir`, which
 * is not there yet, and is locked.
 */
int ledger_create_in(uint32_t cpu_rings, int dir, struct ledger **ledger);
/* There will be no other life: processes look for another daemon (common/knock.h). */
void ledger_leave(struct ledger *ledger);
/* NULL is allowed. */
void ledger_destroy(struct ledger *ledger);

/* Is it the daemon's first life? */
bool ledger_is_new(const struct ledger *ledger);
/* Does that life begin with sessions of the daemon before, which ended in order? */
bool ledger_is_taken_over(const struct ledger *ledger);

/*
 * From the beginning on, rings are files of the directory, which must stay open, and so must the
 * sweeper's descriptor. Files have numbers from `first` on.
 */
void ledger_name_files(struct ledger *ledger, int dir, int sweeper, uint64_t first);
/* Where rings are; NULL: they are memfds. */
const struct memory_place *ledger_place(const struct ledger *ledger);

/*
 * Where things lie in a ledger for so many CPUs, as bytes from its beginning;
 * what else has the same layout is the same version's.
 */
struct ledger_layout {
	uint64_t text[2];
	uint64_t log[2];
	uint64_t described;
	uint64_t records;
	uint64_t set_stride;
	uint64_t process_stride;
	uint64_t size;
};
void ledger_lay_out(uint32_t cpu_rings, struct ledger_layout *layout);
/* From the beginning of a process's record. */
uint64_t ledger_set_offset(const struct ledger_layout *layout, uint32_t slot);
/* Of this boot; NUL-terminated. */
void ledger_read_boot(char boot[40]);

/* A record, all zeros, TAKEN: its index, or -ENOSPC. */
int ledger_process_take(struct ledger *ledger);
/*
 * Make room for the first `words` of its bits for classes, which the record has none for at first.
 * 0 or -errno.
 */
int ledger_process_reserve_classes(const struct ledger *ledger, uint32_t index, uint32_t words);
/* It, and what it held, is given back. Any thread. */
void ledger_process_drop(struct ledger *ledger, uint32_t index);
void ledger_process_set(struct ledger *ledger, uint32_t index, enum ledger_state state);
enum ledger_state ledger_process_state(const struct ledger *ledger, uint32_t index);
struct ledger_process *ledger_process(const struct ledger *ledger, uint32_t index);
/* Who was given that token, and lives; NULL: nobody. */
const struct ledger_process *ledger_process_by_token(const struct ledger *ledger, uint64_t token);
/* Where the ring set of a slot keeps its own. */
struct ring_saved *ledger_set(const struct ledger *ledger, uint32_t index, uint32_t slot);
/* Make room for it, before it is first written. 0 or -errno. */
int ledger_set_reserve(const struct ledger *ledger, uint32_t index, uint32_t slot);
/* What the process reads. */
struct lttngmap_process *ledger_words(const struct ledger *ledger, uint32_t index);

/* The whole of `text` in place of the one before. 0, -E2BIG or -ENOSPC. */
int ledger_text_write(struct ledger *ledger, const char *text, size_t size);
/* Ends in NUL; "" where there was none. */
const char *ledger_text(const struct ledger *ledger);

/* Are there no sessions in it? Of a text of which nothing is known but its NUL. */
bool ledger_text_is_empty(const char *text);

/*
 * Make room for `nr_classes` classes of `size` bytes together, so that to append these, or
 * some of them, does not fail. 0 or -ENOSPC.
 */
int ledger_log_reserve(struct ledger *ledger, size_t size, uint32_t nr_classes);
/*
 * Append a class that has that id, in the form of common/protocol-app.h, before
 * anybody is told of the id. 0 or -ENOSPC.
 */
int ledger_log_append(struct ledger *ledger, uint32_t id, uint32_t user, const void *bytes,
		      size_t size);
/* Give each entry to `take`, in order, as long as that returns 0. */
int ledger_log_read(const struct ledger *ledger,
		    int (*take)(const struct ledger_entry *entry, void *data), void *data);
/*
 * Write the log anew: without the entries for which `keep` is false, which may also say who is
 * charged for one from now on. One store puts it in the place of the old one. 0, or
 * -errno: the old one stays.
 */
int ledger_log_compact(struct ledger *ledger,
		       bool (*keep)(uint32_t id, uint32_t *user, const void *data),
		       const void *data);

/*
 * A bit for each id that the metadata of a session describes for a stream of it:
 * set before the event is turned on.
 */
#define LEDGER_DESCRIBED_SIZE (LTTNGMAP_EVENT_IDS / 8)
uint64_t *ledger_described(const struct ledger *ledger, uint32_t session, uint32_t stream);
/* Make room for these, before one is first set. 0 or -errno. */
int ledger_described_reserve(const struct ledger *ledger, uint32_t session, uint32_t stream);
/* The session's are zeros again, and take no room. */
void ledger_described_clear(const struct ledger *ledger, uint32_t session);

/* Add a ring set's counts, which is to be forgotten next, to its session's. */
void ledger_totals_add(struct ledger_session *session, uint64_t set,
		       const struct ring_totals *counts);
/* Begin anew from zeros. */
void ledger_totals_clear(struct ledger_session *session);
const struct ledger_totals *ledger_totals(const struct ledger_session *session);

/*
 * Bytes in the rings of the processes whose uid `is_of` is true for, of those that ended too, as
 * far as written to, and in their records.
 */
uint64_t ledger_memory_of(struct ledger *ledger, bool (*is_of)(uint32_t uid, const void *data),
			  const void *data);
/* Nobody looks at the descriptors in the record any more, which are closed next. Any thread. */
void ledger_process_retire(struct ledger *ledger, uint32_t index);

/* Give each descriptor's number to `take`. */
void ledger_descriptors(const struct ledger *ledger, void (*take)(int fd, void *data), void *data);

#endif /* SESSIOND_STORAGE_SAVED_STATE_H */
