/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * event-class.h - what a program hands to liblttngmap: event classes, the
 * tracepoints that emit them, and the modules that hold these.
 *
 * lttngmap/tracepoint.h makes all of this from one macro; generators and
 * compatibility headers may use it directly.
 */
#ifndef LTTNGMAP_EVENT_CLASS_H
#define LTTNGMAP_EVENT_CLASS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Severity, as syslog's and LTTng's: lower is more severe. */
enum lttngmap_loglevel {
	LTTNGMAP_LOGLEVEL_EMERG = 0,
	LTTNGMAP_LOGLEVEL_ALERT = 1,
	LTTNGMAP_LOGLEVEL_CRIT = 2,
	LTTNGMAP_LOGLEVEL_ERR = 3,
	LTTNGMAP_LOGLEVEL_WARNING = 4,
	LTTNGMAP_LOGLEVEL_NOTICE = 5,
	LTTNGMAP_LOGLEVEL_INFO = 6,
	LTTNGMAP_LOGLEVEL_DEBUG_SYSTEM = 7,
	LTTNGMAP_LOGLEVEL_DEBUG_PROGRAM = 8,
	LTTNGMAP_LOGLEVEL_DEBUG_PROCESS = 9,
	LTTNGMAP_LOGLEVEL_DEBUG_MODULE = 10,
	LTTNGMAP_LOGLEVEL_DEBUG_UNIT = 11,
	LTTNGMAP_LOGLEVEL_DEBUG_FUNCTION = 12,
	LTTNGMAP_LOGLEVEL_DEBUG_LINE = 13,
	LTTNGMAP_LOGLEVEL_DEBUG = 14,
};

/*
 * How a field stands in the record (packed to bytes, no padding):
 *   INTEGER, ENUM   size bytes
 *   FLOAT           size bytes, IEEE 754
 *   STRING          bytes up to and including one NUL
 *   ARRAY           count elements of size bytes
 *   SEQUENCE        u32 number of elements in machine order, then the elements
 *   TEXT            count bytes, shown as text up to the first NUL
 *   TEXT_SEQUENCE   u32 number of bytes, then the bytes
 */
enum lttngmap_field_kind {
	LTTNGMAP_FIELD_INTEGER = 1,
	LTTNGMAP_FIELD_FLOAT = 2,
	LTTNGMAP_FIELD_STRING = 3,
	LTTNGMAP_FIELD_ARRAY = 4,
	LTTNGMAP_FIELD_SEQUENCE = 5,
	LTTNGMAP_FIELD_TEXT = 6,
	LTTNGMAP_FIELD_TEXT_SEQUENCE = 7,
	LTTNGMAP_FIELD_ENUM = 8,
};

enum lttngmap_field_flag {
	LTTNGMAP_FIELD_SIGNED = 1u << 0,
	LTTNGMAP_FIELD_BIG_ENDIAN = 1u << 1, /* network order; else machine order */
};

/* A label for the values first..last, both included. */
struct lttngmap_enum_value {
	const char *label;
	int64_t first;
	int64_t last;
};

struct lttngmap_enum {
	const char *name;
	const struct lttngmap_enum_value *values;
	uint32_t nr_values;
};

struct lttngmap_field {
	const char *name;                        /* a C identifier */
	const struct lttngmap_enum *enumeration; /* ENUM only */
	uint32_t count;                          /* ARRAY, TEXT: elements */
	uint8_t kind;                            /* enum lttngmap_field_kind */
	uint8_t size;                            /* of an element: 1, 2, 4 or 8 bytes */
	uint8_t flags;                           /* enum lttngmap_field_flag */
	uint8_t base;                            /* how to show an integer: 2, 8, 10 or 16 */
};

/* Limits that liblttngmap and the daemon both hold to. */
#define LTTNGMAP_FIELDS_MAX 120u
#define LTTNGMAP_NAME_MAX 255u /* provider:name, and a field's name, bytes */
#define LTTNGMAP_ENUM_VALUES_MAX 1024u

struct lttngmap_event_class {
	uint32_t struct_size; /* sizeof(struct lttngmap_event_class) */
	uint16_t nr_fields;
	uint16_t loglevel; /* enum lttngmap_loglevel */
	const char *provider;
	const char *name;
	const struct lttngmap_field *fields;
};

/*
 * One tracepoint. `word` points at a constant zero until the library has
 * registered the class; then at the event's word in the global control. A
 * disabled tracepoint is the one load through it and one branch.
 * Written by liblttngmap only.
 */
struct lttngmap_tracepoint {
	const uint64_t *word;
	const struct lttngmap_event_class *event_class;
	uint32_t id; /* global to the session daemon; valid once registered */
	uint32_t reserved;
};

/*
 * A module: the program, or a shared library, with the tracepoints in it.
 * The caller owns it and keeps it until it unregisters it. `list` and the
 * two words after it belong to liblttngmap.
 */
struct lttngmap_module {
	uint32_t struct_size; /* sizeof(struct lttngmap_module) */
	uint32_t state;       /* liblttngmap's; 0: nobody looks at it */
	struct lttngmap_tracepoint *const *begin;
	struct lttngmap_tracepoint *const *end;
	struct lttngmap_module *next; /* liblttngmap's */
	const uint64_t *off;          /* a constant zero of the module's, for `word` */
};

/*
 * A tracepoint, and the function that emits it. Several modules may have one of the same provider,
 * name and signature: liblttngmap chains these by `next`, in the order in which they came.
 */
struct lttngmap_emitter {
	const struct lttngmap_tracepoint *tracepoint;
	void (*emit)(void);
	const char *signature;         /* the types of its arguments: only the same will do */
	struct lttngmap_emitter *next; /* liblttngmap's */
};

struct lttngmap_provider {
	uint32_t struct_size; /* sizeof(struct lttngmap_provider) */
	uint32_t nr_emitters;
	struct lttngmap_emitter *emitters;
	struct lttngmap_provider *next; /* liblttngmap's */
};

/*
 * A call of a tracepoint in a module that the caller is not linked with; found by provider, name
 * and signature. `tracepoint` is the caller's own. While one provider is there, it has that one's
 * class and word; while there are several, no class, and a word that is on; else neither. `first`
 * has the emitters, each of which the call emits whose tracepoint is on.
 */
struct lttngmap_call {
	const char *provider;
	const char *name;
	const char *signature;
	struct lttngmap_tracepoint *tracepoint;
	struct lttngmap_emitter **first; /* NULL while there is none */
};

/* All of a module. The caller owns it and keeps it until it unregisters it. */
struct lttngmap_calls {
	uint32_t struct_size; /* sizeof(struct lttngmap_calls) */
	uint32_t reserved;
	const struct lttngmap_call *const *begin;
	const struct lttngmap_call *const *end;
	struct lttngmap_calls *next;   /* liblttngmap's */
	struct lttngmap_module module; /* with the tracepoints of the calls */
};

/*
 * A part of the program whose state readers need before they read its events,
 * such as which libraries are loaded. `write` emits that state as events.
 * liblttngmap calls `write` when the process is about to write its first event
 * in a channel, since the channel's start or the process's, in the thread of
 * that event. So `write` must be what an event may be: signal-safe, without
 * malloc. Where events may block, other threads wait for it with their first
 * events; else these may come in between. The events of `write` go to each
 * channel where they are on.
 *
 * The caller owns it and keeps it for ever: for libraries linked with -z nodelete.
 */
struct lttngmap_statedump {
	uint32_t struct_size; /* sizeof(struct lttngmap_statedump) */
	uint32_t reserved;
	void (*write)(void);
	struct lttngmap_statedump *next; /* liblttngmap's */
};

/* Exported by liblttngmap.so, also to code that is compiled to hide its own. */
#pragma GCC visibility push(default)

/*
 * Tell liblttngmap of a module's tracepoints; from a constructor. Returns at
 * once where there is no session daemon. Thread-safe; not for signal
 * handlers. Never fails: a module that could not be registered stays off.
 */
void lttngmap_module_register(struct lttngmap_module *module);
/* Before the module is unmapped; from a destructor. No event of it may run. */
void lttngmap_module_unregister(struct lttngmap_module *module);

/*
 * Have calls led to the tracepoints of their names, now or when their provider
 * comes; a provider registers its module first. From constructors and
 * destructors, and never failing, as above: a call that finds nothing is off.
 */
void lttngmap_calls_register(struct lttngmap_calls *calls);
void lttngmap_calls_unregister(struct lttngmap_calls *calls);
void lttngmap_provider_register(struct lttngmap_provider *provider);
void lttngmap_provider_unregister(struct lttngmap_provider *provider);

/*
 * Write an event into every channel in which it is on. `fields` holds the
 * fields packed as above, `size` bytes, readable up to the next multiple of
 * 8, and 16 bytes at least. An event that does not fit in a channel's
 * sub-buffer is counted as lost there. One over LTTNGMAP_RECORD_MAX bytes,
 * header included, has to be in memory of lttngmap_event_reserve() where a
 * channel has contexts; else it is counted as lost, too. `ip` is where the
 * event is, for who records that: an address in the code that calls.
 * Signal-safe, thread-safe, keeps errno, calls no malloc, makes no
 * system call but where lttngmap(7) says so.
 */
void lttngmap_event_write(const struct lttngmap_tracepoint *tracepoint, const void *fields,
			  size_t size, const void *ip);

/*
 * The most bytes of fields that an event may have, now, in each channel in which it is on. As safe
 * as lttngmap_event_write().
 */
size_t lttngmap_event_room(const struct lttngmap_tracepoint *tracepoint);

/*
 * Memory for the fields of one event, `size` bytes and 16 more; the caller gives it back by
 * lttngmap_event_write_long(). NULL: there is none. Signal-safe, thread-safe, keeps errno. Makes
 * system calls only when no memory that is free is large enough.
 */
unsigned char *lttngmap_event_reserve(size_t size);

/*
 * lttngmap_event_write() of an event that may be in memory of lttngmap_event_reserve(), which it
 * gives back. `is_cut`: some of the event's fields are not whole.
 */
void lttngmap_event_write_long(const struct lttngmap_tracepoint *tracepoint, const void *fields,
			       size_t size, const void *ip, int is_cut);

/* Bytes of an event's fields, from `begin` up to `end`. */
struct lttngmap_known {
	size_t begin, end;
};

/*
 * 0: no channel records the event, whatever stands in those bytes of its fields that are not
 * `known`; for work that only prepares them. A string or sequence that is not known may be empty,
 * and is laid out all the same. 1: write the event; its filters decide. As safe as
 * lttngmap_event_write().
 */
int lttngmap_event_may_pass(const struct lttngmap_tracepoint *tracepoint, const void *fields,
			    size_t size, const struct lttngmap_known *known, size_t nr_known);

/*
 * Write the event where it takes nothing but this thread's own ring, for code that runs amid a
 * program's and has to keep its registers. It calls no other function. It uses no vector registers
 * but the low 128 bits of %xmm0 to %xmm15, and leaves the rest of these as it is. 0: nothing was
 * written nor counted, as the event needs more than that; call lttngmap_event_write().
 */
int lttngmap_event_write_at_once(const struct lttngmap_tracepoint *tracepoint, const void *fields,
				 size_t size, const void *ip);

/*
 * From now on call `write` as above; at once, where events were written already.
 * Thread-safe; from a constructor, after the tracepoints' module is registered.
 */
void lttngmap_statedump_register(struct lttngmap_statedump *statedump);

#pragma GCC visibility pop

/*
 * Whether a tracepoint is on. The two loads are ordered by the one's being the
 * other's address. Nothing else is: liblttngmap looks again before it uses the
 * tracepoint's id.
 */
static inline __attribute__((always_inline, unused)) int
lttngmap_is_on_(const struct lttngmap_tracepoint *tracepoint)
{
	const uint64_t *word = __atomic_load_n(&tracepoint->word, __ATOMIC_RELAXED);

	return __atomic_load_n(word, __ATOMIC_RELAXED) != 0;
}

#ifdef __cplusplus
}
#endif

#endif /* LTTNGMAP_EVENT_CLASS_H */
