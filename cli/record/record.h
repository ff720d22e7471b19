/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record.h - the files of `lttngmap record`, in the order in which they act:
 *
 *   record-program.c   finds the program, checks that it can be traced
 *   record-sdt.c       SDT probes of the program
 *   record-preload.c   the libraries to preload
 *   record-rings.c     the size of the rings
 *   output-dir.c       the trace's directory
 *   record-daemon.c    private runtime directory, session daemon
 *   record-session.c   requests to the daemon
 *   record-map.c       the same of `lttngmap count`
 *   record-kernel.c    kernel events
 *   record-relay.c     sends the trace to a collector
 *   record-child.c     the program: start, signals, end
 *   record-follow.c    descendants that outlive the program
 *   record-progress.c  status line and summary
 *   record-unmatched.c rules that matched no event
 *
 * cmd-record.c reads the options and calls them; cmd-count.c calls those that it needs. One thread.
 * Signals are blocked from the start and read from `signal_fd`; the program gets the signal mask
 * that the command was started with.
 */
#ifndef CLI_RECORD_RECORD_H
#define CLI_RECORD_RECORD_H

#include <json-c/json.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/base/output-dir.h"
#include "cli/client/damaged.h"
#include "cli/client/untraced.h"
#include "cli/relay/relay-child.h"
#include "common/base/name.h"

struct control_client;
struct map_options;

/* Maps have it, too. */
#define RECORD_SESSION "record"
#define RECORD_CHANNEL "events"
/* Has what tells of loaded objects, where the other channel's oldest events make room. */
#define RECORD_STATEDUMP "statedump"
#define RECORD_STATEDUMP_RULE "lttng_ust_statedump:*,lttng_ust_lib:*"
#define RECORD_EVERYTHING "*:*" /* the rule of a filter that has none */
/* Stands for the default; no user would type this number. */
#define RECORD_SUBBUFS_DEFAULT INT_MIN
/* The longest socket name of the daemons still fits into sun_path. */
#define RECORD_RUNTIME_MAX 76
/* Latest messages of the daemons, which are not shown again. */
#define RECORD_MESSAGES_MAX 32

enum record_rule_kind {
	RECORD_RULE_EVENTS,
	RECORD_RULE_SDT,    /* events made of SDT probes */
	RECORD_RULE_UPROBE, /* only for the kernel */
	RECORD_RULE_KPROBE, /* only for the kernel */
};

/* A rule and its filter, or NULL. */
struct record_rule {
	const char *rule, *filter;
	enum record_rule_kind kind;
	struct json_object *request; /* the request for a probe; NULL: not parsed yet */
};

struct record_options {
	const char *verb;                 /* that messages begin with */
	const struct map_options *map;    /* what to count in a map; NULL: a trace is recorded */
	char *output;                     /* -o, or NULL */
	struct record_rule *rules;        /* -e, --sdt, --filter; the first `nr_rules` */
	size_t nr_rules;                  /* 0: everything */
	struct record_rule *kernel_rules; /* --kernel, --uprobe, --kprobe, --kernel-filter */
	size_t nr_kernel_rules;           /* 0: no kernel events */
	char **kernel_pids;               /* as typed; each may have several, between commas */
	char *kernel_buffer;              /* as typed, or NULL */
	char **contexts;                  /* as typed; each may have several, between commas */
	char *preload;                    /* --preload, or NULL */
	char *functions;                  /* --functions, or NULL */
	char *subbuf_size;                /* as typed */
	int subbufs;                      /* RECORD_SUBBUFS_DEFAULT: not given */
	char *mode;
	char *register_timeout; /* as typed, or NULL */
	char *buffers;          /* --buffers, or NULL */
	char *file_size;        /* as typed, or NULL */
	int file_count;
	char *mediator;      /* NULL: the daemon's choice */
	char *clock;         /* NULL: the daemon's choice */
	char *ring_dir;      /* NULL: rings are in memory */
	char *survive_panic; /* likewise: --survive-panic, which is also `ring_dir` */
	int flight_recorder; /* write nothing before the end */
	int follow;          /* wait for all descendants of the program */
	struct relay_options relay;
	int quiet;
};

/* The daemon's last counts; zeros before. */
struct record_counts {
	uint64_t processes, alive;
	char untraced[UNTRACED_TEXT_SIZE]; /* processes that could not be traced; "": none */
	const char *untraced_hint;         /* NULL: none */
	bool untraced_unseen;              /* what some of these start is not counted */
	char damaged[DAMAGED_TEXT_SIZE];   /* rings that their processes damaged; "": none */
	uint64_t kept, discarded, overwritten;
	uint64_t cut;       /* of those kept, not whole */
	uint64_t broken;    /* left out, because no reader could read them */
	uint64_t buffered;  /* after the stop: could not be written to disk */
	uint64_t forgotten; /* ended programs that a flight recorder keeps no longer */
	uint64_t bytes, streams;
	/* Kernel events on disk, and lost ones, as reported by packets or by the kernel. */
	uint64_t kernel_events, kernel_lost, kernel_bytes, kernel_streams;
	bool kernel_is_mapped; /* the kernel's rings are mapped; else read */
};

enum record_program_note {
	RECORD_PROGRAM_TRACEABLE,
	RECORD_PROGRAM_STATIC,  /* no dynamic loader: nothing can be preloaded */
	RECORD_PROGRAM_FOREIGN, /* another word size or machine than the library's */
	RECORD_PROGRAM_LIBC,    /* of another C library, whose loader would refuse ours */
	RECORD_PROGRAM_SECURE,  /* set-uid, set-gid, capabilities: the loader ignores preloads */
};

struct record {
	struct record_options options;
	uint64_t subbuf_size, file_size, kernel_buffer;
	uint64_t register_ms;
	char *const *command; /* ends with NULL */

	/* record-program.c */
	char program[PATH_MAX]; /* the executed file */
	enum record_program_note program_note;
	char interpreter[PATH_MAX]; /* the file that the note is about: program or interpreter */

	/* record-sdt.c: rules with commas between, or NULL; memfd with refused probes */
	char *sdt_rules;
	int sdt_fd;

	/* record-preload.c: value for LD_PRELOAD, "" for none */
	char preload[4 * PATH_MAX];

	struct output_dir output;
	char relay_session[NAME_SESSION_MAX + 1]; /* its name at the collector */
	pid_t relay;                              /* the sender; 0: none, or ended */

	/* record-daemon.c, record-session.c */
	char runtime_dir[RECORD_RUNTIME_MAX]; /* "" until made */
	int notify_fd;
	int log_fd; /* memfd with the daemons' output */
	off_t log_shown;
	char *messages[RECORD_MESSAGES_MAX]; /* messages shown last; NULL: none */
	unsigned nr_messages;
	pid_t daemon;
	pid_t daemon_session; /* of the daemons, also when `daemon` has ended */
	bool daemon_failed;   /* its end was reported */
	struct control_client *client;

	/* record-child.c */
	int signal_fd;
	sigset_t inherited_mask;
	bool kernel_program; /* --kernel-pid names the program */
	pid_t child;
	pid_t prepared;   /* the child while it waits; 0: none */
	int go_fd;        /* a byte starts the program */
	int error_fd;     /* gets the errno of a failed exec */
	int child_status; /* from waitpid(); valid once child_ended */
	bool child_ended;
	bool is_following; /* the program has ended, descendants run */
	int interrupted;   /* signal to end, before or after the program */
	/* Called so often while the program runs; 0: never. */
	uint64_t tick_ms;
	int64_t next_tick_ms;
	void (*tick)(struct record *record);

	struct record_counts counts;
	struct json_object *events; /* the programs' events; NULL: unknown */
	char trouble[1024];         /* the output's last reported trouble; "": none */
	bool had_trouble;           /* at any time */
	bool is_stuck;              /* nothing is written now: trouble, or a silent output */
	bool wants_release;         /* somebody asked for the end since the output is stuck */
	int64_t released_ms;        /* when record_session_release() let the program go; 0: never */
	uint64_t unrecorded_ms;     /* how long the program ran on since then */
	bool is_stopped;            /* "stop" was requested, with that result */
	int stop_error;
	bool has_ended; /* recording has stopped; the counts are final */
};

/*
 * Sets program and program_note. 0, or the exit status after a message: CLI_STATUS_NOT_FOUND,
 * CLI_STATUS_NOT_EXECUTABLE.
 */
int record_program_find(struct record *record);
/* True if preloading would end the program, or print an error of the loader. */
bool record_program_refuses_preload(const struct record *record);
/* Why the program itself cannot be traced, for people; NULL: it can. */
const char *record_program_explain(const struct record *record);

#define RECORD_SDT_LIBRARY "liblttngmap-sdt.so"

/* Prepares what --sdt asks for. 0, or -errno after a message. */
int record_sdt_prepare(struct record *record);
/* In the child: sets the variables that the preloaded library reads. */
void record_sdt_set_environment(const struct record *record);
/* Prints which probes could not be served, and why. */
void record_sdt_report(const struct record *record);
/*
 * Prints which probes are not recorded, from lines of common/protocol/sdt-environment.h, each once,
 * and that --uprobe of `verb` can record them. Overwrites `text`. Prints only the first few;
 * returns how many more there are.
 */
unsigned record_sdt_report_lines(char *text, size_t size, const char *verb);

/* Needs runtime_dir and sdt_rules. 0, or -errno after a message. */
int record_preload_choose(struct record *record);
/* Checks the names, before anything is made. 0, or -EINVAL after a message. */
int record_preload_check(const struct record_options *options);
/* True if the family of that name is preloaded. */
bool record_preload_has(const struct record_options *options, const char *name);
/* The name and library of family number `index`; NULL: no more. */
const char *record_family(size_t index, const char **library);
/* True if a running program can load the family. */
bool record_family_may_come_late(const char *name);
/* True if two families of the comma-separated list trace the same calls: *one and *other. */
bool record_families_clash(const char *list, const char **one, const char **other);
/* All of them, those of most use first. */
#define RECORD_FAMILIES                                                                            \
	"libc, dl, io, pthread, proc, syslog, function, cyg-profile, cyg-profile-fast"
/* Lists the families after a wrong name, and the one that may be meant. */
void record_families_hint(const char *typed, size_t length);

/*
 * Sets subbufs and subbuf_size from the options, or chooses them; needs file_size. 0, or -EINVAL
 * after a message.
 */
int record_rings_check(struct record *record);
/* Makes chosen sub-buffers smaller if the output's disk is nearly full. */
void record_rings_fit(struct record *record);

/*
 * Makes the runtime directory; starts the daemon and waits until it is ready. 0, or -errno after a
 * message.
 */
int record_runtime_create(struct record *record);
int record_daemon_start(struct record *record);
/*
 * Checks the options for kernel events; sends the requests by record_request(). 0, or -errno after
 * a message.
 */
int record_kernel_check(struct record *record);
int record_kernel_enable(struct record *record);
/* Connects to the daemon. 0, or -errno after a message. */
int record_session_connect(struct record *record);
/* Takes `request`; prints why it failed, as "cannot `what`". 0, and the caller puts *answer. */
int record_ask(struct record *record, struct json_object *request, const char *what,
	       struct json_object **answer);
/* The same; prints the answer's warnings, too. */
int record_request(struct record *record, struct json_object *request, const char *what);
struct json_object *record_new_request(const char *verb);
/* Starts to send the trace if a collector is named. 0, or -errno after a message. */
int record_relay_start(struct record *record);
/* Ends the sending, whatever was not sent. */
void record_relay_stop(struct record *record);
/* Call when the trace is complete: waits until all is sent. 0, or -errno after a message. */
int record_relay_finish(struct record *record);
/* Creates session, channel and rules, and starts recording. 0, or -errno after a message. */
int record_session_start(struct record *record);
/* Makes the map of options.map. 0, or -errno after a message. */
int record_map_start(struct record *record);
/* The counts so far; the caller puts *answer. 0, or -errno after a message. */
int record_map_read(struct record *record, struct json_object **answer);
/* The same at the end; sets the final counts. */
int record_map_end(struct record *record, struct json_object **answer);
/*
 * Completes the trace and sets the final counts. A second SIGINT, or a SIGTERM, stops the waiting.
 * 0, or -errno after a message.
 */
int record_session_stop(struct record *record);
/*
 * Call while the program runs and somebody asked for its end: stops recording if the program may
 * wait for an output where nothing is written. The program then goes on, untraced.
 */
void record_session_release(struct record *record);
/* Ends the daemons and removes the runtime directory, as far as they exist. */
void record_daemon_end(struct record *record);
/* Sends a status request if none is pending; reads its answer when it has come. */
int record_status_ask(struct record *record);
int record_status_read(struct record *record);
/* Takes the answer to a "status" that may still come. 0, or -errno after a message. */
int record_status_end(struct record *record);
/* Asks again, at the end: the counts are final. 0, or -errno after a message. */
int record_status_last(struct record *record);
/* Asks for the events that programs have, for record_unmatched_report(). */
void record_events_ask(struct record *record);
/* Prints what the daemons printed since the last call. */
void record_log_show(struct record *record);
/* The same, and prints nothing that they print later. */
void record_log_end(struct record *record);
/*
 * Prints a daemon's message unless it was printed before: the consumer, the session daemon and its
 * status may report the same.
 */
void record_show_message(struct record *record, const char *line);
/* True if the message is not among the latest ones; adds it. */
bool record_is_new(struct record *record, const char *message);
/* Reports once that the daemon ended or sends nonsense; the recording continues without it. */
void record_daemon_lost(struct record *record);

/* Blocks signals and watches them. 0, or -errno after a message. */
int record_signals_watch(struct record *record);
/* Handles pending signals as record-child.c describes. */
void record_signals_handle(struct record *record);
/* Starts the program. 0, or the exit status after a message. */
int record_child_start(struct record *record);
/* Creates the program's process, which waits for record_child_start(). 0, or an exit status. */
int record_child_prepare(struct record *record);
/* Ends the prepared process if the program is not started. */
void record_child_drop(struct record *record);
/* Waits for the program's end; handles signals, draws progress. Returns the exit status. */
int record_child_wait(struct record *record);
/* Has orphans come to this process if --follow is given. 0, or -errno after a message. */
int record_follow_begin(struct record *record);
/*
 * Call when the program has ended: true while the recording goes on for its descendants. Reaps
 * those that ended; names those that run, the first time.
 */
bool record_follow_goes_on(struct record *record);
/* Names the rules that matched no event; true if there were any. */
bool record_unmatched_report(const struct record *record);
bool record_wants_end(const struct record *record);

/* Decides once, by stderr, whether a status line is drawn. */
void record_progress_begin(struct record *record);
void record_progress_draw(struct record *record);
void record_progress_clear(void);
/*
 * True if no process was traced, and no event came before a process executed an untraceable
 * program.
 */
bool record_is_empty(const struct record *record);
/* Prints why no process was traced. */
void record_explain_nothing(struct record *record);
/* Prints which processes were not traced, and why. */
void record_explain_untraced(const struct record *record);
void record_progress_summary(struct record *record);

#endif /* CLI_RECORD_RECORD_H */
