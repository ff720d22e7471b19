/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * quota.h - what one user's processes may take of what all share, in a daemon
 * that traces several users. doc/design/security.md says where the numbers
 * come from.
 *
 * The daemon's own user and root are not limited: who could stop the daemon
 * has no need to starve it. They are users here like others, and their
 * processes take turns with others' (run-queue.h).
 *
 * The daemon keeps a user once seen: some 200 bytes, and 8 KiB of event ids if the user's
 * processes registered anything. A user's subordinate ids are that user (subuids.h).
 *
 * Main thread, but for quota_drop(): any.
 */
#ifndef SESSIOND_QUOTA_QUOTA_H
#define SESSIOND_QUOTA_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <urcu/list.h>

/* Ids are below it; PROTOCOL_APP_NO_ID is none. */
#define REGISTRY_CLASSES_MAX 65535u
/*
 * Maximum memory of all classes together: bounds the memory that processes can make the daemon
 * keep.
 */
#define REGISTRY_BYTES_MAX (UINT64_C(256) << 20)
/* Ids, and bytes of memory for the classes that have them, as they are kept. */
struct registry_room {
	uint32_t ids;
	uint64_t bytes;
};

/*
 * Root and the daemon's user have a share of all event ids, and of the memory for their classes,
 * that no other user can take. A user may have a part of the rest that is left: so the next user
 * finds seven eighths of what the last one found. Classes that nobody uses are reclaimed
 * (class-reclaim.h).
 */
#define QUOTA_CLASSES_KEPT 8u /* one part in so many */
#define QUOTA_CLASSES_USER 8u
/* One part in so many of the file system with the saved state: see quota_take_disk(). */
#define QUOTA_DISK_USER 4u
/* A message of a command is as much work as so many of a program. */
#define QUOTA_COMMAND_COST 10u
/* Commands of one user have one part in so many of the daemon's time. */
#define QUOTA_COMMAND_SHARE 10u
/* Descriptors of the daemon for one process: socket, pidfd, doorbell. Each channel has one more. */
#define QUOTA_PROCESS_DESCRIPTORS 3u

/* Limits of one user. 0 on the command line: the default. */
struct quota_limits {
	/* That are registered, or ended with rings that are still to be read. */
	uint64_t processes;
	uint64_t descriptors;     /* of the daemon's, for them */
	uint64_t all_descriptors; /* that the daemon may have; 0: as many as it wants */
	uint64_t memory;          /* bytes in their rings */
	uint64_t connections;     /* a second */
	uint64_t messages;        /* a second */
};

struct quota;
struct saved_disk;

/* So much a second, as much again at once after a pause. */
struct quota_rate {
	uint64_t until_ns; /* what was taken lasts until then */
};

struct quota_user {
	struct cds_list_head node;
	struct quota *quota;
	uint32_t uid;
	bool limited;
	uint32_t processes; /* atomic, as the next */
	uint32_t descriptors;
	uint64_t disk;                /* bytes of the saved state, for them; atomic */
	struct registry_room classes; /* that it is charged for */
	uint64_t *class_ids;          /* that its processes registered: a bit each; NULL: none */
	struct quota_rate connections;
	struct quota_rate messages;
	struct quota_rate log_lines; /* messages about it, to people */
	uint64_t suppressed;
	uint64_t memory;      /* bytes, when they were last counted */
	uint64_t memory_usec; /* when that was; 0: never */
	/* app-socket.h's: connections that have not registered, oldest first. */
	struct cds_list_head pending;
	uint32_t nr_pending;
	/* run-queue.h's: what is to be served, oldest first. */
	struct cds_list_head run_queue;
	struct cds_list_head ends; /* of them: nobody waits for these */
	struct cds_list_head entry_node;
	uint64_t spent_ns; /* of the daemon's time, as far as it is compared with others' */
	bool has_entry;
	bool ends_next; /* where there are both */
};

/* The machine as it is. `descriptors`: that the daemon may have. */
void quota_limits_default(uint64_t descriptors, uint64_t memory, uint32_t cpus,
			  struct quota_limits *limits);
/*
 * "NAME=VALUE,..." with the members of quota_limits as names. 0, or -EINVAL
 * and *wrong is the one that is none.
 */
int quota_limits_parse(const char *text, struct quota_limits *limits, const char **wrong);

/* 0 or -errno. */
int quota_create(const struct quota_limits *limits, struct quota **quota);
/* From now on, subordinate ids are their users', by that file. 0 or -ENOMEM. */
int quota_group(struct quota *quota, const char *subuid_file);
/* NULL is allowed. */
void quota_destroy(struct quota *quota);
const struct quota_limits *quota_limits(const struct quota *quota);
/* The user whom the id belongs to: the id itself, or the owner of a subordinate id. */
uint32_t quota_owner(const struct quota *quota, uint32_t uid);
/* The user that it belongs to, made where it is new. NULL: no memory. */
struct quota_user *quota_user(struct quota *quota, uint32_t uid);
/* Give each user to `take`. */
void quota_each(struct quota *quota, void (*take)(struct quota_user *user, void *data), void *data);

/*
 * Charges the user. 0, or -EDQUOT and nothing is charged. `force`: charge in any case, for the user
 * had it before a restart.
 */
int quota_take_process(struct quota_user *user, bool force);
int quota_take_descriptors(struct quota_user *user, uint32_t count, bool force);
/*
 * The bytes that a limited user may still take of the file system, and: it takes so many. It may
 * have a quarter of what others left on the file system of the saved state, for the records of its
 * processes and for its classes, which take less there than in memory. An eighth of the file system
 * is not free, but root's and the daemon's.
 */
uint64_t quota_disk_room(const struct quota_user *user, const struct saved_disk *disk);
int quota_take_disk(struct quota_user *user, uint64_t bytes, const struct saved_disk *disk,
		    bool force);
/* Any thread. */
void quota_drop_disk(struct quota_user *user, uint64_t bytes);
/* Whether it has all that it may have already: 0 or -EDQUOT. */
int quota_check_held(const struct quota_user *user);
/* The value of a counter that other threads may lower. */
static inline uint32_t quota_held(const uint32_t *held)
{
	return __atomic_load_n(held, __ATOMIC_RELAXED);
}
/* Any thread. */
void quota_drop(struct quota_user *user, uint32_t processes, uint32_t descriptors);

/* Its processes registered these ids (PROTOCOL_APP_NO_ID is none), or those of a bit set. */
void quota_note_classes(struct quota_user *user, const uint16_t *ids, uint32_t nr_ids);
void quota_note_words(struct quota_user *user, const uint64_t *words, uint32_t nr_words);
/* Has a process of its registered that id? */
bool quota_has_class(const struct quota_user *user, uint32_t id);
/* It is charged for that, or not any more. */
void quota_add_classes(struct quota_user *user, const struct registry_room *taken);
void quota_drop_classes(struct quota_user *user, const struct registry_room *taken);
/* The ids of a bit set, of LTTNGMAP_EVENT_IDS, are no user's any more. */
void quota_forget_classes(struct quota *quota, const uint64_t *ids);
/*
 * The amount that a limited user who has `had` may still take of `left` out of `all`. A part of
 * `all` is reserved for root and the daemon's own user. The user has one part in
 * `one_in` of the rest.
 */
uint64_t quota_share(uint64_t left, uint64_t had, uint64_t all, uint32_t one_in);
/* The room in the registry that the user may still take. */
struct registry_room quota_class_room(const struct quota_user *user,
				      const struct registry_room *left,
				      const struct saved_disk *disk);

/* Another connection, message, line to people: 0, or how many microseconds too early. */
uint64_t quota_take_connection(struct quota_user *user, uint64_t now_usec);
uint64_t quota_take_message(struct quota_user *user, uint32_t cost, uint64_t now_usec);
/* A command took so long: until QUOTA_COMMAND_SHARE times that is over, it counts as messages. */
void quota_charge_command(struct quota_user *user, uint64_t took_ns);
uint64_t quota_take_log_line(struct quota_user *user, uint64_t now_usec);
/*
 * May a line about that user be shown? `more` goes behind it: how many before it were not. True,
 * where there is no user.
 */
#define QUOTA_MORE_SIZE 64
bool quota_may_say(struct quota_user *user, uint64_t now_usec, char more[QUOTA_MORE_SIZE]);

/*
 * 0 while the user's rings hold no more memory than they may; -EDQUOT. They
 * are counted by `count`, once a second at most.
 */
int quota_check_memory(struct quota_user *user, uint64_t now_usec,
		       uint64_t (*count)(const struct quota_user *user, void *data), void *data);

#endif /* SESSIOND_QUOTA_QUOTA_H */
