/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * page.h - the parts of `lttngmap report`, which is one more format of the export
 * (export.h): a page of HTML with the trace in it, for the programs in page/ to show.
 *
 *   cmd-report.c      which trace, which file
 *   page-format.c     from the export's events and slices to all of these
 *   page-bytes.c      what is put into the page as binary data: deflated, in base64
 *   page-events.c     every event, in blocks of columns
 *   page-slices.c     every slice, in blocks
 *   page-bins.c       the same from afar: counts and slices in bins of time
 *   page-durations.c  how long slices of a name took
 *   page-flame.c      call stacks and their time
 *   page-memory.c     blocks that a program holds, of the libc family's events
 *   page-callers.c    what each caller allocated, freed since or not
 *   page-files.c      files that were opened, read and written, of the io family's events
 *   page-index.c      what is known at the end: names, counts, where a block is
 *   page-text.c       sums as text, in place of the page
 *
 * doc/design/report.md has the format of what these write. It goes over the trace once.
 * Times are nanoseconds since the first event. Memory is bounded: but for names, threads and
 * classes, it does not grow with the trace.
 *
 * One thread. Without memory the export fails, and reading ends with that.
 */
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include "cli/export/export.h"

/* ---- bytes ------------------------------------------------------------------ */

struct page_bytes {
	unsigned char *bytes;
	size_t used, room;
	bool failed; /* without memory: the rest is left out */
};

void page_bytes_free(struct page_bytes *bytes);
/* Seven bits a byte, the lowest first; the last one is below 0x80. */
void page_put(struct page_bytes *bytes, uint64_t value);
/* -1 is 1, 1 is 2, -2 is 3, ... */
void page_put_signed(struct page_bytes *bytes, int64_t value);
void page_put_raw(struct page_bytes *bytes, const void *data, size_t size);
/* Its length before it. */
void page_put_text(struct page_bytes *bytes, const char *text, size_t length);
/* The others' bytes, their length before them; they are empty then. */
void page_put_section(struct page_bytes *bytes, struct page_bytes *section);
/* Writes `bytes` as element `name``number` of the page, and empties them. */
void page_write(struct export *export, const char *name, uint64_t number, struct page_bytes *bytes);
/* A JSON string, which may stand in a script of a page. */
void page_write_string(struct text_output *out, const char *text);

/* ---- event classes ------------------------------------------------------------ */

enum page_kind {
	PAGE_SIGNED = 'i',
	PAGE_UNSIGNED = 'u',
	PAGE_HEX = 'x',
	PAGE_OCTAL = 'o',
	PAGE_BINARY = 'b',
	PAGE_REAL = 'r',
	PAGE_TEXT = 't', /* and all that is nothing else */
};

/* Allocation functions: what becomes of a block. */
enum page_memory_call {
	PAGE_MEMORY_NONE,
	PAGE_MEMORY_ALLOCATES,
	PAGE_MEMORY_CHANGES,
	PAGE_MEMORY_FREES,
};

/* Calls of the io family: what they do with a file. */
enum page_file_call {
	PAGE_FILE_NONE,
	PAGE_FILE_OPENS, /* returns a descriptor */
	PAGE_FILE_OPENS_STREAM,
	PAGE_FILE_MOVES, /* reads or writes: returns a number of bytes */
	PAGE_FILE_CLOSES,
	PAGE_FILE_COPIES,   /* returns one more descriptor of the same file */
	PAGE_FILE_COMMANDS, /* fcntl: perhaps the same */
	PAGE_FILE_MAKES,    /* returns a descriptor of no named file */
	PAGE_FILE_PAIRS,    /* gives two such */
	PAGE_FILE_STREAMS,  /* makes a stream of a descriptor */
	PAGE_FILE_CLOSES_STREAM,
	PAGE_FILE_CLOSES_RANGE,
	PAGE_FILE_FORKS, /* returns a child's number */
	PAGE_FILE_ASKS,  /* anything else */
};

struct page_column {
	enum page_kind kind;
	struct page_bytes bytes;
	uint64_t previous; /* integers are told by their difference */
};

struct page_class {
	char *name;
	const struct export_class *class;
	uint64_t events;
	bool in_block;
	struct page_column *columns; /* class->nr_fields */
	uint32_t row;                /* of the rates */
	enum page_memory_call call;
	int64_t pointer, old_pointer, size, times, ip; /* fields by index, or -1 */
	enum page_file_call file_call;
	/* Members of the payload, or -1; `other` by the call. */
	int64_t path, fd, dirfd, other, flags, mode, result, error, duration;
	const char *file_kind; /* of a descriptor that the call makes of no path; or NULL */
};

/* ---- blocks ------------------------------------------------------------------- */

struct page_block {
	uint64_t count;
	int64_t from, to;
};

struct page_blocks {
	struct page_block *blocks;
	size_t count, room;
};

/* False without memory. */
bool page_blocks_add(struct export *export, struct page_blocks *blocks,
		     const struct page_block *block);

struct page_events {
	struct page_blocks blocks;
	uint64_t count; /* of the block that is filled */
	size_t size;    /* about, of its fields */
	int64_t first, previous;
	struct page_bytes times, classes, tracks, cpus, out;
};

void page_events_add(struct export *export, const struct export_what *what, uint32_t track,
		     int64_t cpu, int64_t ns);
void page_events_finish(struct export *export);
void page_events_free(struct page_events *events);

/*
 * Slices in the order of their ends. Those that began before the block that is filled was
 * begun stand in blocks of their own: so the blocks of the others do not overlap.
 */
struct page_slices {
	struct page_blocks blocks;
	const char *name;
	uint64_t count;
	int64_t from, to, previous;
	struct page_bytes out, items;
};

struct page_slice {
	uint32_t track, depth, name;
	int64_t begin, end;
	bool is_cut; /* its end is unknown */
};

void page_slices_add(struct export *export, const struct page_slice *slice);
void page_slices_finish(struct export *export);
void page_slices_free(struct page_slices *slices);

/* ---- bins --------------------------------------------------------------------- */

/* Events in an interval; for a slice longer than a bin, that slice alone. */
struct page_extent {
	int64_t begin, end;
	uint64_t busy;  /* ns in slices; most of a level */
	uint64_t count; /* events, slices; the last of a level */
	uint32_t name;  /* of the slice that was there longest */
};

enum page_row_kind {
	PAGE_ROW_CLASS,
	PAGE_ROW_TRACK,
	PAGE_ROW_CPU,
	PAGE_ROW_LANE,  /* of a track: slices of one depth */
	PAGE_ROW_LEVEL, /* of a process: bytes held */
};

struct page_row {
	enum page_row_kind kind;
	uint32_t owner, depth;
	struct page_extent *extents;
	size_t used, room;
};

/* Bins are 2^shift ns: as wide as they have to be for all extents to have room. */
struct page_bins {
	struct page_row *rows;
	size_t nr_rows, room;
	size_t extents;
	unsigned shift;
};

/* The number of a new row; UINT32_MAX without memory. */
uint32_t page_bins_row(struct export *export, struct page_bins *bins, enum page_row_kind kind,
		       uint32_t owner, uint32_t depth);
void page_bins_add(struct export *export, struct page_bins *bins, uint32_t row,
		   const struct page_extent *extent);
/* Writes the bins as element `name`; frees them. */
void page_bins_finish(struct export *export, struct page_bins *bins, const char *name);
void page_bins_free(struct page_bins *bins);

/* ---- durations, call stacks, memory ----------------------------------------------- */

#define PAGE_BUCKETS 496 /* eight for each doubling */

struct page_duration {
	uint32_t category, name, nr_buckets;
	uint64_t count, sum, least, most;
	int64_t most_begin;
	uint32_t most_track;
	uint64_t *buckets;
};

struct page_durations {
	struct page_duration *list;
	uint32_t count, room;
	uint32_t *places; /* numbers + 1, by hash; a power of two of them */
	uint32_t nr_places;
};

void page_durations_add(struct export *export, uint32_t category, const struct page_slice *slice);
void page_durations_free(struct page_durations *durations);

struct page_frame {
	uint32_t name;
	uint64_t total, count;
	struct page_frame *parent, *child, *sibling;
};

struct page_flame {
	struct page_frame root;
	struct page_frame **table; /* all but the root by parent and name, open addressing */
	size_t places, frames;
	bool is_full; /* some stacks are left out */
};

/* The frame of that name above `frame`, made where new; NULL where there is no room. */
struct page_frame *page_flame_child(struct export *export, struct page_frame *frame, uint32_t name);
void page_flame_add(struct page_frame *frame, int64_t ns);
/* Writes the flame graph as element "flame"; frees it. */
void page_flame_finish(struct export *export);
void page_flame_free(struct page_flame *flame);

struct page_live_block {
	int64_t process;  /* its uuid (export.h) */
	uint64_t pointer; /* 0: the place is free */
	uint64_t size;
	uint32_t where; /* text of who asked for it, or 0 */
	int64_t since;
	uint32_t class;
	uint32_t replaced; /* so often was it seen allocated while it was held */
};

struct page_memory {
	struct page_live_block *live; /* open addressing */
	size_t places, count;
	uint64_t calls, unknown, unfollowed;
	struct page_levels {
		int64_t process;
		uint32_t row;
		uint64_t bytes, blocks, most;
	} * levels;
	size_t nr_levels;
};

/* Memory that a function had of one allocation function, freed since or not. */
struct page_caller {
	uint32_t where, class; /* as of page_live_block */
	uint64_t bytes, calls;
};

struct page_callers {
	struct page_caller *list;
	uint32_t count;
	uint32_t *places; /* numbers + 1, by hash; a power of two of them, twice the list's room */
	uint32_t nr_places;
	bool is_nobody; /* no event told who called */
};

void page_callers_add(struct export *export, const struct page_live_block *block);
void page_callers_free(struct page_callers *callers);

/* Finds out whether it is an allocation function. */
void page_memory_class(const struct export *export, struct page_class *class);
struct page_track;
void page_memory_event(struct export *export, const struct page_class *class, uint32_t number,
		       struct page_track *track, const bt_event *event, int64_t ns);
/* A member of the index. */
void page_memory_write(struct export *export);
void page_memory_free(struct page_memory *memory);

/* ---- files ----------------------------------------------------------------------- */

struct page_file {
	uint32_t name; /* text of its path */
	uint64_t opens, failed, calls, bytes, ns;
};

#define PAGE_FILE_UNKNOWN UINT32_MAX

/* A descriptor; or a stream: its address with the highest bit, and the descriptor + 1 as `file`. */
struct page_descriptor {
	int64_t process; /* its number */
	uint64_t fd;
	uint32_t file; /* number + 1; 0: the place is free; PAGE_FILE_UNKNOWN */
	bool ends_at_exec;
};

struct page_files {
	struct page_file *list;
	uint32_t count;
	uint32_t *places; /* numbers + 1, by hash; a power of two of them, twice the list's room */
	uint32_t nr_places;
	struct page_descriptor *descriptors; /* open addressing */
	size_t nr_descriptor_places, nr_descriptors;
};

/* The number of the file of that name, plus 1; 0: there is no room. */
uint32_t page_file_named(struct export *export, const char *name);

/*
 * The file that the descriptor is of, as page_file_named() has it, and its name. One that is not
 * known is named by its number, in `text`.
 */
uint32_t page_file_of_descriptor(struct export *export, int64_t process, uint64_t fd);
#define PAGE_DESCRIPTOR_NAME_SIZE 48
const char *page_descriptor_name(const struct export *export, int64_t process, uint64_t fd,
				 char text[PAGE_DESCRIPTOR_NAME_SIZE]);

/* From now on the descriptor is of that file; of an unknown one; is what `fd` is. */
void page_descriptor_set(struct export *export, int64_t process, uint64_t fd, uint32_t file);
void page_descriptor_forget(struct export *export, int64_t process, uint64_t fd);
void page_descriptor_forget_range(struct export *export, int64_t process, uint64_t first,
				  uint64_t last);
void page_descriptor_copy(struct export *export, int64_t process, uint64_t fd, uint64_t to);
/* Is the descriptor closed when the process executes a program? Not, where nothing was said. */
void page_descriptor_end_at_exec(struct export *export, int64_t process, uint64_t fd, bool ends);
/* The next event is this process's. Where its program is another one, it has executed it. */
void page_descriptors_program(struct export *export, int64_t process, const char *program);
/* The child begins with what its parent has now. */
void page_descriptors_fork(struct export *export, int64_t parent, int64_t child);

/* From now on the stream is of the descriptor; is gone, and its descriptor with it. */
void page_stream_set(struct export *export, int64_t process, uint64_t address, uint64_t fd);
void page_stream_close(struct export *export, int64_t process, uint64_t address);

/* Finds out whether it is a call of the io family. */
void page_files_class(struct page_class *class);
void page_files_event(struct export *export, const struct page_class *class,
		      const struct page_track *track, const bt_event *event);
void page_files_free(struct page_files *files);

/* ---- all ------------------------------------------------------------------------ */

#define PAGE_DEPTH_MOST 24 /* of what is shown from afar */
#define PAGE_CPUS_MOST 4096

struct page_track {
	uint32_t number;
	const struct export_track *track;
	uint64_t events;
	uint32_t row;   /* of the rates */
	uint32_t level; /* of page_memory.levels, plus 1; 0: not known yet */
	uint32_t lanes[PAGE_DEPTH_MOST];
	struct page_frame *frame; /* the program's */
};

struct page_lost {
	int64_t from, to, pid;
	uint64_t count; /* events; 0: unknown, or packets */
	char text[40];
};
#define PAGE_LOST_MOST 10000

struct page {
	const char *path;
	bool is_text;  /* sums for a terminal, no page */
	uint64_t rows; /* of each table of text */
	uint64_t most; /* events and slices that are kept one by one */
	int64_t origin, first, last;
	uint64_t events, kept, slices, slices_kept, unfinished;
	struct page_class *classes; /* by export_class.number */
	uint32_t nr_classes, room_classes;
	struct page_track **tracks;
	uint32_t nr_tracks, room_tracks;
	uint32_t *cpu_rows; /* by CPU, UINT32_MAX where there is none yet */
	struct page_lost *lost;
	size_t nr_lost;
	uint64_t lost_events;
	bool lost_unknown;
	struct page_events blocks;
	struct page_slices shorts, longs;
	int64_t shorts_since;
	struct page_bins rates, lanes, levels;
	struct page_durations durations;
	struct page_flame flame;
	struct page_memory memory;
	struct page_callers callers;
	struct page_files files;
	bool ended;
};

extern const struct export_format export_page;

/*
 * The one report; page_set() before the export begins. `rows` > 0: sums as text with so many rows
 * a table, no page.
 */
void page_set(struct export *export, const char *path, uint64_t most, uint64_t rows);
static inline struct page *page_of(const struct export *export)
{
	return export->state;
}

/* Where slices and events of nobody's number are kept. */
void page_index_write(struct export *export);
/* Writes the sums as text. Sorts the durations. */
void page_text_write(struct export *export);

/* The page made from page/: the parts before and after the data. */
extern const unsigned char page_head[], page_tail[];
extern const size_t page_head_size, page_tail_size;

#endif /* CLI_REPORT_PAGE_H */
