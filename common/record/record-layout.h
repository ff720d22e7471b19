/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record-layout.h - how long each record of a trace is, and the one walk over records.
 *
 * A traced process writes records into a ring, and may write anything there. A reader of the
 * trace ends at the first record that it cannot read. These check packets first, and leave
 * out one with a wrong record:
 *
 *   who                          where the layouts are from         bytes that are walked over
 *   consumer, of other users     the metadata that it writes        what it is about to write
 *   session daemon, recovering   its registry of event classes      a ring's file
 *   command (view, report, ...)  the metadata in the trace          stream files
 *
 * A record is one 64-bit word, 16 bits of id and 48 of time, then contexts, then fields, packed.
 * Record sizes stand in a table by id. A record with strings or sequences has a program in
 * place of a size:
 *
 *   SKIP n        pass n bytes
 *   STRING        pass a NUL and all before it
 *   SEQUENCE n    pass a 32-bit count, and as many elements of n bytes
 *   END
 *
 * A layout is used by one thread at a time.
 */
#ifndef COMMON_RECORD_RECORD_LAYOUT_H
#define COMMON_RECORD_RECORD_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/ctf.h"

/* The layouts of all streams of one trace. */
struct record_layout;

enum record_part_kind {
	RECORD_PART_FIXED,    /* `size` bytes */
	RECORD_PART_STRING,   /* up to a NUL */
	RECORD_PART_SEQUENCE, /* a 32-bit count, then elements of `size` bytes */
};

struct record_part {
	enum record_part_kind kind;
	uint64_t size;
};

/* NULL: out of memory. */
struct record_layout *record_layout_create(void);
/* NULL is allowed. */
void record_layout_destroy(struct record_layout *layout);

/*
 * `contexts`: bytes before the fields of each record; `sequence`: of each element of a sequence
 * that is behind these, 0: there is none. Again: they changed. 0 or -errno.
 */
int record_layout_add_stream(struct record_layout *layout, uint32_t stream_id, uint64_t contexts,
			     uint64_t sequence);
/*
 * Sets the fields of event `id`. An event that the stream has already stays unchanged: an id never
 * changes its meaning. 0; -EINVAL: no such stream; -ENOMEM.
 */
int record_layout_add_event(struct record_layout *layout, uint32_t stream_id, uint16_t id,
			    const struct record_part *parts, size_t nr_parts);

/*
 * Does `layout` describe every stream and event that `other` describes, with records of the same
 * length?
 */
bool record_layout_covers(const struct record_layout *layout, const struct record_layout *other);

/* Other facts in the metadata. All zeros before the first text. */
struct record_trace {
	bool is_ours;          /* it is this tracer's, with records as lttngmap/abi.h has them */
	bool has_other_header; /* packets do not begin with a struct ctf_packet_header of this
				  version */
	uint8_t uuid[CTF_UUID_SIZE];
	uint64_t frequency; /* of the clock, not 0 */
	int64_t offset_s;   /* from 1970 to the clock's 0 */
	uint64_t offset;    /* likewise: cycles besides */
	bool is_kernel;     /* the events are the kernel's */
	char host[64];      /* where it was recorded; cut if longer; "": unknown */
	/* If this tracer's text is damaged: the line, and the expected text; else 0 and NULL. */
	uint64_t wrong_line;
	const char *expected;
};

#define RECORD_TRACE_FAULT_SIZE 96
/* "line 4711: ';' is expected there"; NULL: nothing is known to be wrong. Returns `text`. */
const char *record_trace_fault(const struct record_trace *trace,
			       char text[RECORD_TRACE_FAULT_SIZE]);

/*
 * Add all streams and events of a metadata text as sessiond/class/metadata.c writes it. A text may
 * come in segments of whole declarations, with the same `trace`; what is parsed again changes
 * nothing. 0; -ENOTSUP: somebody else's metadata, or another version's, of whose layouts nothing
 * is known; -ENOMEM.
 */
int record_layout_parse(struct record_layout *layout, const char *text, size_t size,
			struct record_trace *trace);

enum record_type {
	RECORD_TYPE_UNSIGNED,
	RECORD_TYPE_SIGNED,
	RECORD_TYPE_FLOAT,
	RECORD_TYPE_STRING,
	RECORD_TYPE_BYTES,
};

/*
 * A context or field with all that its declaration says. RECORD_TYPE_BYTES: letters in an array.
 * Texts lie in the metadata text, without a NUL.
 */
struct record_member {
	struct record_part part;
	const char *name; /* without the first underscore, which every name has */
	size_t name_length;
	enum record_type type; /* of one element, if it is an array */
	uint8_t size;          /* bytes, likewise */
	uint8_t base;          /* to show integers in */
	bool is_big_endian, is_array;
	const char *labels; /* of an enumeration: from the first label on; else NULL */
	size_t labels_size;
};

/* An event, as record_visitor is given it. */
struct record_event {
	uint32_t stream_id;
	uint16_t id;
	int64_t level;    /* -1: there is none */
	const char *name; /* between its quotes, with escapes */
	size_t name_length;
	const struct record_member *fields;
	size_t nr_fields;
};

/*
 * For readers of values. The functions are called after record_layout_add_stream() and
 * record_layout_add_event(), also for what is parsed again, and return 0 or -errno.
 */
struct record_visitor {
	void *data;
	int (*stream)(void *data, uint32_t stream_id, const struct record_member *contexts,
		      size_t nr_contexts);
	int (*event)(void *data, const struct record_event *event);
};

/* record_layout_parse() that shows what it finds. `visitor` NULL: to nobody. */
int record_layout_visit(struct record_layout *layout, const char *text, size_t size,
			struct record_trace *trace, const struct record_visitor *visitor);
/*
 * The label of a value in an enumeration's labels, the first that has it: between its quotes, with
 * escapes. False: no label has it. Negative values are those of signed integers.
 */
bool record_member_label(const struct record_member *member, int64_t value, const char **label,
			 size_t *length);

enum record_wrong {
	RECORD_SOUND,
	RECORD_STREAM, /* the metadata has no such stream */
	RECORD_SPAN,   /* the packet ends before it begins, or lasts longer than 47 bits */
	RECORD_TORN,   /* fewer bytes than a record has at least are left */
	RECORD_ID,     /* the metadata has no such event in this stream */
	RECORD_TIME,   /* not between the record before and the packet's end */
	RECORD_LENGTH, /* runs past the packet */
	RECORD_STRING, /* no NUL up to the packet's end */
	RECORD_COUNT,  /* not as many records as the packet is said to have */
};

/* The first wrong record. */
struct record_fault {
	enum record_wrong wrong;
	uint16_t id;
	uint64_t offset; /* of the record, from the first one */
};

#define RECORD_COUNT_UNKNOWN UINT64_MAX

/* A packet's body. */
struct record_span {
	const void *bytes;
	uint64_t length;
	uint64_t begin, end; /* the packet's timestamps */
	uint64_t events;     /* or RECORD_COUNT_UNKNOWN */
};

/*
 * Are the bytes records of that stream, in the order of time within the packet's, and nothing
 * else? Reads each byte that it decides by once. A concurrent writer can make the
 * answer wrong, and nothing worse. False: *fault says why.
 */
bool record_layout_check(const struct record_layout *layout, uint32_t stream_id,
			 const struct record_span *span, struct record_fault *fault);

#define RECORD_FAULT_TEXT_SIZE 144
/* "unknown event (event id 4711, 16 bytes into the packet)", for people. Returns `text`. */
const char *record_fault_text(const struct record_fault *fault, char text[RECORD_FAULT_TEXT_SIZE]);

#endif /* COMMON_RECORD_RECORD_LAYOUT_H */
