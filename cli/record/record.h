/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record.h - the parts of `lttngmap record`, in the order in which they act:
 *
 *   record-program.c   finds the program, sees whether it can be traced
 *   record-sdt.c       SDT probes of the program
 *   record-preload.c   the libraries to preload
 *   record-rings.c     how large the rings are
 *   output-dir.c       the trace's directory
 *   record-daemon.c    private runtime directory, session daemon
 *   record-session.c   requests to it
 *   record-kernel.c    what is asked of the kernel
 *   record-relay.c     what sends the trace to a collector
 *   record-child.c     the program: start, signals, end
 *   record-progress.c  status line and summary
 *   record-unmatched.c the rules that no event matched
 *
 * cmd-record.c reads the options and calls them. One thread. Signals are
 * blocked from the start and read from `signal_fd`; the program gets the
 * mask that the command was started with.
 */
#ifndef LTTNGMAP_CLI_RECORD_RECORD_H
#define LTTNGMAP_CLI_RECORD_RECORD_H

#include <json-c/json.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/base/output-dir.h"
#include "cli/client/untraced.h"
#include "cli/relay/relay-child.h"
#include "common/name.h"

struct control_client;

#define RECORD_SESSION "record"
#define RECORD_CHANNEL "events"
/* No number that anybody would give: 0 is refused. */
#define RECORD_SUBBUFS_UNSAID INT_MIN
/* Leaves room for the longest socket name that the daemons add, in sun_path. */
#define RECORD_RUNTIME_MAX 76
/* So many messages of the daemons are remembered, not to be shown again. */
#define RECORD_SAID_MAX 32

enum record_rule_kind {
	RECORD_RULE_EVENTS,
	RECORD_RULE_SDT,    /* events that are made of SDT probes */
	RECORD_RULE_UPROBE, /* of the kernel's only */
	RECORD_RULE_KPROBE, /* likewise */
};

/* A rule, and the filter given for it, or NULL. */
struct record_rule {
	const char *rule, *filter;
	enum record_rule_kind kind;
	struct json_object *request; /* of a probe: what is asked for; NULL: not looked at yet */
};

struct record_options {
	char *output;                     /* -o, or NULL */
	struct record_rule *rules;        /* -e, --sdt, --filter; the first `nr_rules` */
	size_t nr_rules;                  /* 0: everything */
	struct record_rule *kernel_rules; /* --kernel, --uprobe, --kprobe, --kernel-filter */
	size_t nr_kernel_rules;           /* 0: nothing of the kernel's */
	char **kernel_pids;               /* as typed; each may be several, between commas */
	char *kernel_buffer;              /* as typed, or NULL */
	char **contexts;                  /* the same; each may be several, between commas */
	char *preload;                    /* --preload, or NULL */
	char *functions;                  /* --functions, or NULL */
	char *subbuf_size;                /* as typed */
	int subbufs;                      /* RECORD_SUBBUFS_UNSAID: not given */
	char *mode;
	char *register_timeout; /* as typed, or NULL */
	char *buffers;          /* --buffers, or NULL */
	char *file_size;        /* as typed, or NULL */
	int file_count;
	char *mediator; /* or NULL: the daemon's choice */
	char *clock;    /* likewise */
	char *ring_dir; /* or NULL: rings are memory */
	struct relay_options relay;
	int quiet;
};

/* What the daemon last told; zeros before. */
struct record_counts {
	uint64_t processes, alive;
	char untraced[UNTRACED_TEXT_SIZE]; /* processes that were not traced; "": none */
	const char *untraced_hint;         /* NULL: none */
	uint64_t kept, discarded, overwritten;
	uint64_t broken;   /* left out: no reader could read them */
	uint64_t buffered; /* after the stop: that could not be written to disk */
	uint64_t bytes, streams;
	/* Of the kernel's, on disk and lost: as its packets say, or it itself. */
	uint64_t kernel_events, kernel_lost, kernel_bytes, kernel_streams;
	bool kernel_is_mapped; /* its rings; else they are read */
};

enum record_program_note {
	RECORD_PROGRAM_TRACEABLE,
	RECORD_PROGRAM_STATIC,  /* no dynamic loader, nothing to preload into */
	RECORD_PROGRAM_FOREIGN, /* another word size or machine than the library */
	RECORD_PROGRAM_LIBC,    /* of another C library: its loader would refuse ours */
	RECORD_PROGRAM_SECURE,  /* set-uid, set-gid, capabilities: loader ignores preloads */
};

struct record {
	struct record_options options;
	uint64_t subbuf_size, file_size, kernel_buffer;
	uint64_t register_ms;
	char *const *command; /* NULL-terminated */

	/* record-program.c */
	char program[PATH_MAX]; /* what is executed */
	enum record_program_note program_note;
	char interpreter[PATH_MAX]; /* what the note is about: program or its interpreter */

	/* record-sdt.c: the rules, between commas, or NULL; a memfd, what was refused */
	char *sdt_rules;
	int sdt_fd;

	/* record-preload.c: value for LD_PRELOAD, "" for none */
	char preload[4 * PATH_MAX];

	struct output_dir output;
	char relay_session[NAME_SESSION_MAX + 1]; /* what it is called there */
	pid_t relay; /* what sends it to a collector; 0: nobody, or ended */

	/* record-daemon.c, record-session.c */
	char runtime_dir[RECORD_RUNTIME_MAX]; /* "" until made */
	int notify_fd;
	int log_fd; /* memfd: what the daemons print */
	off_t log_shown;
	char *said[RECORD_SAID_MAX]; /* messages shown last; NULL: none */
	unsigned nr_said;
	pid_t daemon;
	bool daemon_failed; /* said already that it is gone */
	struct control_client *client;

	/* record-child.c */
	int signal_fd;
	sigset_t inherited_mask;
	bool kernel_program; /* --kernel-pid names the program */
	pid_t child;
	pid_t prepared;   /* the child before it is let go; 0: none */
	int go_fd;        /* a byte lets it go */
	int error_fd;     /* errno where the program cannot be executed */
	int child_status; /* of waitpid; valid once child_ended */
	bool child_ended;
	int interrupted; /* signal that asked to give up before or after the program */

	struct record_counts counts;
	struct json_object *events; /* that programs had; NULL: not known */
	char trouble[1024];         /* of the output, as was said last; "": none */
	bool had_trouble;           /* at any time */
	bool has_ended;             /* it was stopped; the counts are those after that */
};

/*
 * Fill in program and program_note. 0, or the exit status after a message:
 * CLI_STATUS_NOT_FOUND, CLI_STATUS_NOT_EXECUTABLE.
 */
int record_program_find(struct record *record);
/* It would end over a preloaded library, or print that it cannot be preloaded. */
bool record_program_refuses_preload(const struct record *record);
/* Why nothing of it itself can be traced, for people; NULL where it can be. */
const char *record_program_explain(const struct record *record);

#define RECORD_SDT_LIBRARY "liblttngmap-sdt.so"

/* What --sdt asks for. 0, or -errno after a message. */
int record_sdt_prepare(struct record *record);
/* In the child: what the preloaded library looks for. */
void record_sdt_set_environment(const struct record *record);
/* Which probes could not be served, and why. */
void record_sdt_tell(const struct record *record);
/*
 * Say which probes are not recorded, by lines of common/sdt-environment.h, which are spoilt by
 * it: the first few, each once. How many more there are.
 */
unsigned record_sdt_tell_lines(char *text, size_t size);

/* 0, or -errno after a message. Wants runtime_dir, and sdt_rules. */
int record_preload_choose(struct record *record);
/* Names only, before anything is made. 0, or -EINVAL after a message. */
int record_preload_check(const struct record_options *options);
/* The families one after another, by name, with their libraries; NULL: no more. */
const char *record_family(size_t index, const char **library);
/* Can it be brought into a program that runs already? */
bool record_family_may_come_late(const char *name);
/* Does the comma-separated list have two that trace the same calls? These. */
bool record_families_clash(const char *list, const char **one, const char **other);
void record_families_hint(void);

/* subbufs and subbuf_size, from the options or chosen. 0, or -EINVAL after a message. */
int record_rings_check(struct record *record);
/* Smaller sub-buffers, where these were chosen, and the output's disk is nearly full. */
void record_rings_fit(struct record *record);

/* The runtime directory, the daemon in it, ready. 0, or -errno after a message. */
int record_runtime_create(struct record *record);
int record_daemon_start(struct record *record);
/* The options' values, and the requests, which are sent by record_request(). 0 or -errno,
 * after a message. */
int record_kernel_check(struct record *record);
int record_kernel_enable(struct record *record);
/* Takes `request`; says what went wrong. The texts in "warnings" are shown. 0 or -errno. */
int record_request(struct record *record, struct json_object *request, const char *what);
struct json_object *record_new_request(const char *verb);
/* What sends the trace to a collector, where one is named. 0, or -errno after a message. */
int record_relay_start(struct record *record);
/* Give it up, whatever was not sent. */
void record_relay_stop(struct record *record);
/* All is written: wait until all is sent. 0, or -errno after a message. */
int record_relay_finish(struct record *record);
/* Session, channel, rules, start. 0, or -errno after a message. */
int record_session_start(struct record *record);
/*
 * Complete the trace; counts are the final ones. 0, or -errno after a message.
 * A second SIGINT or a SIGTERM gives up waiting.
 */
int record_session_stop(struct record *record);
/* End the daemons, remove the runtime directory. Whatever was there. */
void record_daemon_end(struct record *record);
/* Send a status request if none is pending; read its answer when it is there. */
int record_status_ask(struct record *record);
int record_status_read(struct record *record);
/* Print what the daemons printed since the last call. */
void record_log_show(struct record *record);
/*
 * A message of a daemon, unless it was shown before: the consumer, the session
 * daemon and its status may all tell of one thing.
 */
void record_say(struct record *record, const char *line);
/* Is the message not among the latest ones? It is from now on. */
bool record_is_new(struct record *record, const char *message);
/* The daemon is gone or out of step: say so once, do without it. */
void record_daemon_lost(struct record *record);

/* Block and watch signals. 0, or -errno after a message. */
int record_signals_watch(struct record *record);
/* Read signals without blocking; see record-child.c for what each does. */
void record_signals_handle(struct record *record);
/* 0, or the exit status after a message when it could not be started. */
int record_child_start(struct record *record);
/* The program's process, which waits for record_child_start(). 0 or an exit status. */
int record_child_prepare(struct record *record);
/* Where it is not started after all. */
void record_child_drop(struct record *record);
/* Until it ends: signals, progress. The exit status. */
int record_child_wait(struct record *record);
/* Name the rules that no event matched: were there any? */
bool record_unmatched_tell(const struct record *record);
bool record_wants_end(const struct record *record);

/* May the status line be drawn at all? Asks stderr once. */
void record_progress_begin(struct record *record);
void record_progress_draw(struct record *record);
void record_progress_clear(void);
/* No process was traced; nor was there an event before one executed what cannot be. */
bool record_is_empty(const struct record *record);
void record_progress_summary(struct record *record);

#endif /* LTTNGMAP_CLI_RECORD_RECORD_H */
