/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * saved-state.h - the state that a restarted daemon needs of the killed one: shared memory
 * that the supervisor makes before the daemon, and that each restarted daemon
 * inherits at the same address (doc/design/surviving.md has the rules).
 *
 *   head | texts | logs of classes | described classes | records of processes and their ring sets
 *
 * It also holds the two control memories, the global control and the page with all
 * processes' words. They are sealed: only the maps that the supervisor made before the seals
 * can be written.
 *
 * Descriptors stand in it by number, 0 being none. A number is written when
 * the descriptor exists, and wiped before it is closed. All of it is sparse.
 *
 * It may be a file, for `lttngmap recover`, when supervisor and daemon were killed
 * together. Then room is made for each part before it is first written, so
 * that a full disk is an error and no SIGBUS. The supervisor holds the file's lock while it
 * lives.
 *
 * Main thread, but for saved_process_drop(): any.
 */
#ifndef SESSIOND_STORAGE_SAVED_STATE_H
#define SESSIOND_STORAGE_SAVED_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <lttngmap/abi.h>

#include "common/base/clock.h"
#include "common/base/name.h"
#include "sessiond/base/memory.h"
#include "sessiond/ring/ring-set.h"
#include "sessiond/storage/untraced-tally.h"

#define SAVED_FILE "ledger" /* in the runtime or the ring directory */
/* That of a daemon that ended in order, while the next one starts (kept.h). */
#define SAVED_KEPT "ledger.kept"
#define SAVED_MAGIC 0x3152474c504d544cull
/*
 * Raised when a member of the saved state gets another meaning, or a text other members. The
 * sizes and places that rings and records depend on are numbers in the head, by themselves.
 */
#define SAVED_VERSION 16u
#define SAVED_ABI_NUMBERS 24u

#define SAVED_PROCESSES 32768u
#define SAVED_SESSIONS 64u
/* Maximum size of the text that describes the sessions. */
#define SAVED_TEXT_MAX (UINT64_C(64) << 20)
/* Maximum size of a log; more than all classes of a registry. */
#define SAVED_LOG_MAX (UINT64_C(256) << 20)

/* State of a process's record. */
enum saved_process_state {
	SAVED_FREE,
	SAVED_TAKEN, /* memories that no process has yet, or any more */
	SAVED_LIVE,
	SAVED_ENDED, /* its rings are still to be read */
};

struct saved_process {
	uint32_t pid;
	uint32_t uid;
	uint32_t gid;
	uint32_t payer; /* the user that is charged for it */
	uint32_t user;  /* whose it is now: `uid` registered it */
	bool forked;
	bool answered;      /* it was sent its memories */
	bool alone;         /* it asks for nothing any more */
	bool is_ring_owner; /* for the rings that processes of a user share (user-rings.h) */
	bool use_rseq;      /* as of PROTOCOL_APP_RSEQ, and PROTOCOL_APP_SHARES */
	bool shares;
	uint16_t abi_minor; /* of its library */
	bool has_foreign;   /* some of `classes` are another user's, of its parent */
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
	/* Same fields as struct process_slot. */
	uint8_t dirty[LTTNGMAP_CHANNELS];
	uint8_t subbufs_shift[LTTNGMAP_CHANNELS];
	uint64_t classes[LTTNGMAP_EVENT_IDS / 64]; /* a bit for each id */
};

/* Totals of ring sets that are gone; written twice, so that one copy is whole. */
struct saved_totals {
	struct ring_totals counts;
	uint64_t last_set; /* counted last: maybe not gone yet */
};

/* A consumer that the daemon started. */
struct saved_consumer {
	pid_t pid;
	int pidfd; /* 0: there is none */
};

/* A trigger's counts (sessiond/trigger/trigger.h). */
struct saved_trigger {
	uint64_t rounds;  /* so far */
	uint64_t pending; /* the round whose actions are not all done; 0: none */
	uint64_t before;  /* events that were noted before that round */
	uint64_t missed;  /* rounds whose actions were maybe not done: the daemon was killed */
	uint64_t failed;  /* actions that could not be done */
	uint64_t value;   /* of a condition that is no event's, when it was true last */
};

struct saved_session {
	struct saved_totals totals[2];
	uint32_t which; /* of them */
	uint64_t processes;
	uint64_t generation; /* of what the consumer is sent; raised before */
	/* The data on disk, as in struct session_written. */
	uint64_t packets;
	uint64_t bytes;
	uint64_t streams;
	uint64_t overwritten;
	struct saved_consumer consumer;
	uint64_t broken;
	struct untraced_tally untraced;
	struct saved_trigger trigger;
};

struct saved_head {
	uint64_t magic;
	uint32_t version;
	uint32_t cpu_rings;
	uint32_t page_size;
	bool named_files;      /* memories are files in the saved state's directory, else memfds */
	uint64_t size;         /* of all of it */
	uint64_t address;      /* where the supervisor has it: what pointers in it are meant from */
	uint64_t last_file;    /* number of a memory's file; raised before */
	char boot[40];         /* the boot that it is of */
	char runtime_dir[128]; /* the daemon's */
	bool ready;            /* the daemon has begun to serve */
	bool by_module;        /* its ring sets are the kernel module's */
	/* The daemon ended in order: its sessions are the next one's. Stays here in all versions.
	 */
	bool is_kept;
	bool took_over; /* the sessions came from the saved state of a daemon before */
	int64_t ended;  /* when that daemon ended; with is_kept, when this one did: s */
	uint32_t abi[SAVED_ABI_NUMBERS]; /* saved_state_abi() */
	uint32_t lives;
	char death[64];      /* how the daemon ended last; empty: this is the first */
	uint64_t set_stride; /* bytes of a ring set's part of a record, and of all of that */
	uint64_t process_stride;
	/* For the next to be given out; raised before. */
	uint64_t last_set;
	uint64_t last_life; /* of a channel */
	uint32_t generations[LTTNGMAP_CHANNELS];
	struct clock_calibration calibration;
	struct saved_consumer idle; /* the consumer that has no session */
	uint32_t text;              /* which of the two */
	uint32_t log;               /* likewise */
	uint64_t log_size[2];       /* bytes */
	struct saved_session sessions[SAVED_SESSIONS];
	uint8_t processes[SAVED_PROCESSES]; /* enum saved_process_state */
};

struct saved_state {
	struct saved_head *head;
	struct memory control; /* struct lttngmap_control */
	struct memory words;   /* struct lttngmap_process, by index */
	char *text[2];
	char *log[2];
	uint64_t log_room[2]; /* bytes of each log that are known to have room */
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
struct saved_entry {
	uint32_t user; /* who is charged for it */
	uint32_t id;
	uint64_t size;
	char bytes[];
};

/* For rings of so many CPUs. 0 or -errno. */
int saved_state_create(uint32_t cpu_rings, struct saved_state **saved_state);
/*
 * The same, but that it lies in the file SAVED_FILE of directory `dir`, which
 * is not there yet, and is locked.
 */
int saved_state_create_in(uint32_t cpu_rings, int dir, struct saved_state **saved_state);
/* There will be no restart any more: processes look for another daemon
 * (common/protocol/attach-request.h).
 */
void saved_state_leave(struct saved_state *saved_state);
/* NULL is allowed. */
void saved_state_destroy(struct saved_state *saved_state);

/* Is it the first daemon since the supervisor started? */
bool saved_state_is_new(const struct saved_state *saved_state);
/* Does that daemon begin with sessions of the daemon before, which ended in order? */
bool saved_state_is_taken_over(const struct saved_state *saved_state);

/*
 * From the beginning on, rings are files of the directory, which must stay open, and so must the
 * sweeper's descriptor. Files have numbers from `first` on. `is_dax`: as of struct memory_place.
 */
void saved_state_name_files(struct saved_state *saved_state, int dir, bool is_dax, int sweeper,
			    uint64_t first);
/* Where rings are; NULL: they are memfds. */
const struct memory_place *saved_state_place(const struct saved_state *saved_state);

/*
 * Where things lie in a saved state for so many CPUs, as bytes from its beginning;
 * what else has the same layout is the same version's.
 */
struct saved_layout {
	uint64_t text[2];
	uint64_t log[2];
	uint64_t described;
	uint64_t records;
	uint64_t set_stride;
	uint64_t process_stride;
	uint64_t size;
};
void saved_lay_out(uint32_t cpu_rings, struct saved_layout *layout);
/* From the beginning of a process's record. */
uint64_t saved_set_offset(const struct saved_layout *layout, uint32_t slot);
/*
 * The numbers that tell where events lie in a ring, and values in a record: sizes and offsets of
 * lttngmap/abi.h and of the saved state. A saved state with other numbers is another version's.
 */
void saved_state_abi(uint32_t numbers[SAVED_ABI_NUMBERS]);
/* The id of this boot; NUL-terminated. */
void saved_state_read_boot(char boot[40]);

/* Bytes of the file system that the saved state lies in. */
struct saved_disk {
	uint64_t left; /* not used */
	uint64_t all;
};
/* Where it is no file, or nobody can tell: as many as anybody could want. */
void saved_state_look(const struct saved_state *saved_state, struct saved_disk *disk);

/* A record, all zeros, TAKEN: its index, or -ENOSPC. */
int saved_process_take(struct saved_state *saved_state);
/*
 * Make room for the first `words` of its bits for classes, which the record has none for at first.
 * 0 or -errno.
 */
int saved_process_reserve_classes(const struct saved_state *saved_state, uint32_t index,
				  uint32_t words);
/* It, and what it held, is given back. Any thread. */
void saved_process_drop(struct saved_state *saved_state, uint32_t index);
void saved_process_set(struct saved_state *saved_state, uint32_t index,
		       enum saved_process_state state);
enum saved_process_state saved_process_state(const struct saved_state *saved_state, uint32_t index);
struct saved_process *saved_process(const struct saved_state *saved_state, uint32_t index);
/* The live process that was given that token; NULL: none. */
const struct saved_process *saved_process_by_token(const struct saved_state *saved_state,
						   uint64_t token);
/* Where the ring set of a slot keeps its own. */
struct ring_saved *saved_set(const struct saved_state *saved_state, uint32_t index, uint32_t slot);
/* Make room for it, before it is first written. 0 or -errno. */
int saved_set_reserve(const struct saved_state *saved_state, uint32_t index, uint32_t slot);
/* Then have its pages in memory, as far as that can be. */
void saved_set_populate(const struct saved_state *saved_state, uint32_t index, uint32_t slot);
/* Bytes of the record that have room, at most; those of a ring set; those up to `words` of its
 * bits. */
uint64_t saved_process_size(const struct saved_state *saved_state, uint32_t index);
uint64_t saved_set_size(const struct saved_state *saved_state);
uint64_t saved_classes_size(uint32_t words);
/* The words that the process reads. */
struct lttngmap_process *saved_words(const struct saved_state *saved_state, uint32_t index);

/* The whole of `text` in place of the one before. 0, -E2BIG or -ENOSPC. */
int saved_text_write(struct saved_state *saved_state, const char *text, size_t size);
/* Ends in NUL; "" where there was none. */
const char *saved_text(const struct saved_state *saved_state);

/* Does the text hold no sessions? The text is not trusted, but for its final NUL. */
bool saved_text_is_empty(const char *text);

/*
 * Make room for `nr_classes` classes of `size` bytes together, so that to append these, or
 * some of them, does not fail. 0 or -ENOSPC.
 */
int saved_log_reserve(struct saved_state *saved_state, size_t size, uint32_t nr_classes);
/*
 * Append a class that has that id, in the form of common/protocol/protocol-app.h, before
 * anybody is told of the id. 0 or -ENOSPC.
 */
int saved_log_append(struct saved_state *saved_state, uint32_t id, uint32_t user, const void *bytes,
		     size_t size);
/* Give each entry to `take`, in order, as long as that returns 0. */
int saved_log_read(const struct saved_state *saved_state,
		   int (*take)(const struct saved_entry *entry, void *data), void *data);
/*
 * Write the log anew: without the entries for which `keep` is false, which may also say who is
 * charged for one from now on. One store puts it in the place of the old one. 0, or
 * -errno: the old one stays.
 */
int saved_log_compact(struct saved_state *saved_state,
		      bool (*keep)(uint32_t id, uint32_t *user, const void *data),
		      const void *data);

/*
 * A bit for each id that the metadata of a session describes for a stream of it:
 * set before the event is turned on.
 */
#define SAVED_DESCRIBED_SIZE (LTTNGMAP_EVENT_IDS / 8)
uint64_t *saved_described(const struct saved_state *saved_state, uint32_t session, uint32_t stream);
/* Make room for these, before one is first set. 0 or -errno. */
int saved_described_reserve(const struct saved_state *saved_state, uint32_t session,
			    uint32_t stream);
/* The session's are zeros again, and take no room. */
void saved_described_clear(const struct saved_state *saved_state, uint32_t session);

/* Add a ring set's counts, which is to be forgotten next, to its session's. */
void saved_totals_add(struct saved_session *session, uint64_t set,
		      const struct ring_totals *counts);
/* Begin anew from zeros. */
void saved_totals_clear(struct saved_session *session);
const struct saved_totals *saved_totals(const struct saved_session *session);

/*
 * Bytes in the rings of the processes whose uid `is_of` is true for, of those that ended too, as
 * far as written to, and in their records.
 */
uint64_t saved_memory_of(struct saved_state *saved_state,
			 bool (*is_of)(uint32_t uid, const void *data), const void *data);
/* Nobody looks at the descriptors in the record any more, which are closed next. Any thread. */
void saved_process_retire(struct saved_state *saved_state, uint32_t index);
/* The same of one ring's descriptor, whose number is wiped: it may soon be another's. Any thread.
 */
void saved_rings_drop(struct saved_state *saved_state, uint32_t index, uint32_t slot);

/* Give each descriptor's number to `take`. */
void saved_state_descriptors(const struct saved_state *saved_state,
			     void (*take)(int fd, void *data), void *data);

#endif /* SESSIOND_STORAGE_SAVED_STATE_H */
