/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * protocol-app.h - messages between a traced process and the session daemon.
 *
 * A SOCK_SEQPACKET Unix socket, RUNTIME/app.sock. The process asks, the
 * daemon answers with one message, or not at all where the table says so, and says nothing
 * unasked. Integers are in machine order. Numbers are never reused. The daemon ignores
 * messages that a process of another user sends over the socket, except UNTRACED.
 *
 *   process                                daemon
 *   REGISTER {classes}  ---------------->  credentials by SO_PEERCRED
 *            <----------------  REGISTERED {sizes, ids} + descriptors
 *   CLASSES  {classes}  ---------------->  after a dlopen
 *            <----------------  IDS {ids}
 *   MEMORY   {slot}     ---------------->  a channel that was started since
 *            <----------------  MEMORY {sizes} + descriptor of its rings
 *   LOST     {slot, count} ------------->  it could not get such rings; no answer
 *   ALONE               ---------------->  it asks for nothing any more; no answer
 *   UNTRACED {pid, name} -------------->  a child that could not come; no answer
 *   EXECUTED {name}      -------------->  on a connection of its own; no answer
 *   USER                ---------------->  it is of another user now, as the message's credentials
 *                                          say; no answer
 *
 * Class ids belong to the process while it lives. Afterwards the daemon may give them to
 * other classes. A child of fork that comes when its parent is gone is refused (ESTALE): it
 * registers as itself, with classes, and uses the new ids.
 *
 * The process's end is seen by its pidfd, an exec by the next registration of
 * the same pid. The socket's end alone means that the process closed its
 * descriptors: its doorbell is not listened for any more (abi.h).
 */
#ifndef COMMON_PROTOCOL_PROTOCOL_APP_H
#define COMMON_PROTOCOL_PROTOCOL_APP_H

#include <stdint.h>

#define PROTOCOL_APP_SOCKET "app.sock"
#define PROTOCOL_APP_MAGIC 0x4c544d41u
#define PROTOCOL_APP_MAJOR 4
#define PROTOCOL_APP_MINOR 0

/* Largest message either way; more classes go in further CLASSES requests. */
#define PROTOCOL_APP_MESSAGE_MAX 65536u
#define PROTOCOL_APP_CLASSES_MAX 4096u /* in one message */
/* Most channels whose rings a registration hands over. */
#define PROTOCOL_APP_SLOTS_MAX 8u

enum protocol_app_type {
	PROTOCOL_APP_REGISTER = 1,
	PROTOCOL_APP_REGISTERED = 2,
	PROTOCOL_APP_CLASSES = 3,
	PROTOCOL_APP_IDS = 4,
	PROTOCOL_APP_MEMORY = 5,
	PROTOCOL_APP_REFUSED = 6,
	PROTOCOL_APP_UNTRACED = 7,
	PROTOCOL_APP_LOST = 8,
	PROTOCOL_APP_ALONE = 9,
	PROTOCOL_APP_EXECUTED = 10,
	PROTOCOL_APP_USER = 11,
};

struct protocol_app_header {
	uint32_t magic;
	uint16_t major;
	uint16_t minor;
	uint32_t type; /* enum protocol_app_type */
	uint32_t size; /* of the whole message */
};

enum protocol_app_register_flag {
	/* A child of fork: it uses the class ids of its parent, if `parent` is known; else ESTALE.
	 */
	PROTOCOL_APP_FORKED = 1u << 0,
	/* Threads write by restartable sequences; else by trylock on all rings. */
	PROTOCOL_APP_RSEQ = 1u << 1,
	/* LTTNGMAP_ALLOW_BLOCKING is set: blocking channels may block it. */
	PROTOCOL_APP_BLOCKING = 1u << 2,
	/* It can write into rings that processes share (LTTNGMAP_CHANNEL_SHARED). */
	PROTOCOL_APP_SHARES = 1u << 3,
	/* Its address space has no limit, so the daemon need not look for one. */
	PROTOCOL_APP_UNLIMITED = 1u << 4,
};

struct protocol_app_register {
	struct protocol_app_header header;
	uint16_t abi_major; /* LTTNGMAP_ABI_MAJOR of the library */
	uint16_t abi_minor; /* LTTNGMAP_ABI_MINOR: which channels it knows */
	uint32_t flags;     /* enum protocol_app_register_flag */
	uint64_t instance;  /* PROTOCOL_APP_FORKED: of the parent's daemon */
	uint64_t parent;    /* PROTOCOL_APP_FORKED: the parent's `token` */
	uint32_t word_size; /* sizeof(long) */
	uint32_t nr_classes;
	char procname[16]; /* not necessarily NUL-terminated; any bytes */
			   /* then the classes, see below */
};

/*
 * Descriptors with REGISTERED, in this order: global control, process
 * control, eventfd, then those of struct protocol_app_slots.
 */
enum {
	PROTOCOL_APP_FD_CONTROL,
	PROTOCOL_APP_FD_PROCESS,
	PROTOCOL_APP_FD_DOORBELL,
	PROTOCOL_APP_FD_RINGS,
};

struct protocol_app_registered {
	struct protocol_app_header header;
	uint64_t instance;
	uint64_t token;        /* that a child of fork has from its parent, and from nobody else */
	uint64_t control_size; /* bytes, as all sizes here */
	uint64_t process_size;
	uint32_t meta_page_size;
	uint32_t nr_ids;         /* as many as classes were sent */
	uint32_t process_offset; /* where in process control its struct stands */
	uint32_t reserved;
	uint16_t ids[];
};

/*
 * The rings of a slot: one memory, with the meta page and ring data in `data` bytes, and ring
 * control in `control` bytes from the next page on. 0 bytes: no channel is started in the slot.
 */
struct protocol_app_slot {
	uint32_t slot;
	uint32_t life; /* of shared rings, as of struct lttngmap_channel; else 0 */
	uint64_t data;
	uint64_t control;
};

/*
 * Behind the ids, at the next multiple of 8 bytes: the channels that the process takes part in
 * already, so that its first event need not ask for their rings. Not more than so many; and not
 * there where there is none. With them, behind the others, come their descriptors.
 */
struct protocol_app_slots {
	uint32_t count;
	uint32_t reserved;
	struct protocol_app_slot slots[PROTOCOL_APP_SLOTS_MAX];
};

/* Offset of the slots in the answer. */
static inline uint64_t protocol_app_slots_offset(uint32_t nr_ids)
{
	return (sizeof(struct protocol_app_registered) + nr_ids * sizeof(uint16_t) + 7) &
	       ~UINT64_C(7);
}

struct protocol_app_classes {
	struct protocol_app_header header;
	uint32_t nr_classes;
	uint32_t reserved;
	/* then the classes */
};

struct protocol_app_ids {
	struct protocol_app_header header;
	uint32_t nr_ids;
	uint32_t reserved;
	uint16_t ids[];
};

/*
 * A process's own memory of a slot is kept, on both sides, for every later channel of
 * the slot that fits in it; a larger one replaces it. The request has the slot alone; the
 * answer has a descriptor, unless its sizes are 0.
 */
struct protocol_app_memory {
	struct protocol_app_header header;
	struct protocol_app_slot of;
};

/*
 * An event of a channel whose rings the process could not get: one for each message, so that the
 * rate of messages bounds what a process says to have lost.
 */
struct protocol_app_lost {
	struct protocol_app_header header;
	uint32_t slot;
	uint32_t count; /* 1 */
};

/*
 * A child of fork could not connect (no descriptor, another root directory, another user): it
 * says so over its parent's socket, which it inherited.
 */
struct protocol_app_untraced {
	struct protocol_app_header header;
	uint32_t pid; /* the child's, where it lives; the daemon asks the kernel instead */
	/* A program into which no library is preloaded: 1: the sender's own, 2: a child's. */
	uint32_t executed;
	char procname[16]; /* as of struct protocol_app_register */
};

/*
 * The sender is about to execute a program into which no library is preloaded, and has no
 * descriptor of a registration: its program closed them. It connects for this one message; the
 * daemon closes the socket after it. An empty name takes that back: it could not execute.
 */
struct protocol_app_executed {
	struct protocol_app_header header;
	uint64_t parent;   /* `token` of the process that registered: it, or its parent */
	char procname[16]; /* as of struct protocol_app_register */
};

/* The daemon closes the socket after it. */
struct protocol_app_refused {
	struct protocol_app_header header;
	int32_t error; /* errno value */
	char message[108];
};

/*
 * A class in a message, in this order, nothing padded:
 *
 *   struct protocol_app_class
 *   provider (provider_length bytes), name (name_length bytes), no NULs
 *   nr_fields times:
 *     struct protocol_app_field
 *     name (name_length bytes)
 *     ENUM only: enumeration's name, then nr_values times
 *       struct protocol_app_enum_value, label (label_length bytes)
 *
 * An id of PROTOCOL_APP_NO_ID in the answer: the class was refused (a bad
 * name, or no id left), and stays off.
 */
#define PROTOCOL_APP_NO_ID 0xffffu

struct protocol_app_class {
	uint8_t provider_length;
	uint8_t name_length;
	uint8_t nr_fields;
	uint8_t loglevel;
} __attribute__((packed));

struct protocol_app_field {
	uint8_t kind; /* enum lttngmap_field_kind */
	uint8_t size;
	uint8_t flags;
	uint8_t base;
	uint32_t count;
	uint8_t name_length;
	uint8_t enum_name_length;
	uint16_t nr_values;
} __attribute__((packed));

struct protocol_app_enum_value {
	int64_t first;
	int64_t last;
	uint8_t label_length;
} __attribute__((packed));

#endif /* COMMON_PROTOCOL_PROTOCOL_APP_H */
