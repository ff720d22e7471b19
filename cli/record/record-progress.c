/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record-progress.c - a status line while a recording runs, and a summary at its end. Both are on
 * stderr.
 *
 * The line is drawn only if standard output is not a terminal, so that it does not mix with the
 * program's output. It is dim, at the right edge of the row below the cursor. The cursor stays
 * where the program left it. No line is drawn while the program has the terminal in raw mode, as
 * editors do.
 */
#include <config.h>

#include "cli/record/record.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "common/base/amount.h"

static bool enabled;
static bool shown;

/* An event that a flight recorder overwrites is not lost. */
static uint64_t count_lost(const struct record *record)
{
	const struct record_counts *counts = &record->counts;

	return counts->discarded + counts->broken +
	       (record->options.flight_recorder ? 0 : counts->overwritten);
}

void record_progress_begin(struct record *record)
{
	/* On one terminal, status line and output would share rows. */
	enabled = !record->options.quiet && isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
	message_set_before(record_progress_clear);
}

/* True if the command may write to the terminal, and no program edits a line there. */
static bool terminal_is_free(int *columns)
{
	struct termios state;
	struct winsize size = { .ws_col = 0 };

	if (tcgetpgrp(STDERR_FILENO) != getpgrp() || tcgetattr(STDERR_FILENO, &state) < 0 ||
	    !(state.c_lflag & ICANON) || !(state.c_lflag & ECHO))
		return false;
	ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	*columns = size.ws_col > 20 ? size.ws_col : 80;
	return true;
}

static void draw(const char *text, int column)
{
	char sequence[512];
	int length;

	/*
	 * Clears the rest of the row if the cursor moved into the last drawn line. Moving down and
	 * up makes a row below if there is none. Then: save the cursor, write below, restore the
	 * cursor.
	 */
	length = snprintf(sequence, sizeof(sequence),
			  "%s\033D\033M\0337\033[B\033[%dG\033[K"
			  "\033[2m%s\033[0m\0338",
			  shown ? "\033[K" : "", column, text);
	if (length > 0 && length < (int)sizeof(sequence) &&
	    write(STDERR_FILENO, sequence, length) < 0)
		enabled = false;
}

void record_progress_draw(struct record *record)
{
	const struct record_counts *counts = &record->counts;
	char text[256], kept[32], lost[32], bytes[16];
	int columns, length;

	if (!enabled || !terminal_is_free(&columns))
		return;
	length = snprintf(
		text, sizeof(text), "[lttngmap: %s events, %s, %s lost, %llu process%s]",
		amount_format_count(counts->kept + counts->buffered + counts->kernel_events, kept),
		amount_format_size(counts->bytes + counts->kernel_bytes, bytes),
		amount_format_count(count_lost(record) + counts->kernel_lost, lost),
		(unsigned long long)counts->processes, counts->processes == 1 ? "" : "es");
	if (length >= columns)
		text[length = columns - 1] = '\0';
	draw(text, columns - length);
	shown = true;
}

void record_progress_clear(void)
{
	/*
	 * Clears the row right of the cursor, which may have moved into the line, and the row
	 * below.
	 */
	static const char sequence[] = "\033[K\0337\033[B\r\033[K\0338";
	int columns;

	if (!shown)
		return;
	shown = false;
	if (terminal_is_free(&columns) && write(STDERR_FILENO, sequence, sizeof(sequence) - 1) < 0)
		enabled = false;
}

bool record_is_empty(const struct record *record)
{
	const struct record_counts *counts = &record->counts;

	return counts->processes == 0 && counts->kept + counts->buffered + count_lost(record) == 0;
}

static void hint_untraced(const struct record_counts *counts)
{
	if (counts->untraced_hint)
		message_hint("%s", counts->untraced_hint);
	if (counts->untraced_unseen)
		message_hint("programs that these start are neither traced nor counted");
}

void record_explain_untraced(const struct record *record)
{
	if (record_program_explain(record))
		message_note("%s %s: only other programs that it ran were traced",
			     record->interpreter, record_program_explain(record));
	if (record->counts.untraced[0]) {
		message_note("%s", record->counts.untraced);
		hint_untraced(&record->counts);
	}
}

void record_explain_nothing(struct record *record)
{
	const char *why = record_program_explain(record);

	if (record->counts.untraced[0]) {
		message_note("nothing traced: %s", record->counts.untraced);
		hint_untraced(&record->counts);
	} else if (why) {
		message_note("nothing traced: %s %s", record->interpreter, why);
	} else if (record->preload[0] == '\0') {
		message_note("nothing traced: no process with tracepoints ran");
		message_hint("--preload libc traces the memory functions of any program");
	} else {
		message_note("nothing traced: no process loaded the tracing library");
		message_hint("programs that are statically linked or gain privileges cannot be "
			     "traced by a preloaded library");
	}
}

static void show_lost(const struct record *record)
{
	const struct record_counts *counts = &record->counts;
	char discarded[32], overwritten[32], since[32];

	/* A session that has stopped counts nothing. */
	if (record->released_ms)
		message_note("%s ran on for %s after the recording had stopped: its events of that "
			     "time are not recorded, and not counted as lost",
			     record->command[0],
			     options_format_duration(record->unrecorded_ms, since));
	if (counts->buffered)
		message_note("%s events were in the buffers, not on disk%s",
			     amount_format_count(counts->buffered, discarded),
			     record->options.ring_dir ? "" : ": they are lost");
	if (counts->broken)
		message_note("%s events were left out: no reader could read them",
			     amount_format_count(counts->broken, discarded));
	if (counts->cut) {
		message_note("%s event%s cut: longer than a sub-buffer",
			     amount_format_count(counts->cut, discarded),
			     counts->cut == 1 ? " was" : "s were");
		message_hint("--subbuf-size has longer ones recorded whole");
	}
	if (counts->damaged[0])
		message_note("%s", counts->damaged);
	/* To overwrite is a flight recorder's purpose. */
	if (record->options.flight_recorder && counts->overwritten)
		message_note("%s older events were overwritten, as a flight recorder does",
			     amount_format_count(counts->overwritten, overwritten));
	if (counts->forgotten)
		message_note("%s program%s ended early and %s not in the trace: a flight recorder "
			     "keeps the last 64 that ended",
			     amount_format_count(counts->forgotten, overwritten),
			     counts->forgotten == 1 ? "" : "s",
			     counts->forgotten == 1 ? "is" : "are");
	if (count_lost(record) == counts->broken)
		return;
	message_note("lost: %s discarded, %s overwritten",
		     amount_format_count(counts->discarded, discarded),
		     record->options.flight_recorder
			     ? "none"
			     : amount_format_count(counts->overwritten, overwritten));
	/* No buffer is large enough while nothing can be written. */
	if (counts->discarded && !record->had_trouble &&
	    strcmp(record->options.mode, "discard") == 0)
		message_hint("larger buffers (--subbuf-size, --subbufs) or fewer events (-e) lose "
			     "fewer; --mode blocking loses none and slows the program");
}

static const char *where_it_is(const struct record *record)
{
	return record->options.relay.spool ? record->options.relay.url : record->output.path;
}

static void summarize_kernel(struct record *record)
{
	const struct record_counts *counts = &record->counts;
	char kept[32], lost[32], bytes[16];

	if (record->options.nr_kernel_rules == 0)
		return;
	if (counts->kernel_lost) {
		message_note("lost: %s events of the kernel's",
			     amount_format_count(counts->kernel_lost, lost));
		message_hint("a larger --kernel-buffer, or fewer events, lose fewer");
	}
	if (!record->options.quiet)
		message_note("the kernel: %s event%s kept, %s lost; %s in %llu stream%s, in %s%s",
			     amount_format_count(counts->kernel_events, kept),
			     counts->kernel_events == 1 ? "" : "s",
			     amount_format_count(counts->kernel_lost, lost),
			     amount_format_size(counts->kernel_bytes, bytes),
			     (unsigned long long)counts->kernel_streams,
			     counts->kernel_streams == 1 ? "" : "s", where_it_is(record),
			     counts->kernel_is_mapped ? ""
						      : " (read: Linux before 6.10 maps no rings)");
}

static void tell_no_event(const struct record *record)
{
	const char *families = record->options.preload ? record->options.preload : "libc,dl";
	const struct record_rule *rule = record->options.nr_rules ? record->options.rules : NULL;

	/* A filter alone is of a rule that nobody typed. */
	if (rule && rule->filter && strcmp(rule->rule, RECORD_EVERYTHING) == 0) {
		message_note("no event: the filter '%s' was true of none", rule->filter);
		return;
	}
	if (record->options.nr_rules || strcmp(families, "none") == 0) {
		message_note("no event matched the rules");
		return;
	}
	message_note("no event: no call of --preload %s was made", families);
	if (strstr(families, "function") || strstr(families, "cyg-profile"))
		message_hint("was the program built for that? lttngmap-preload(7) has the "
			     "compiler's options");
	else if (strstr(families, "io"))
		message_hint("reads and writes of stdio (fgets, printf) have no events");
}

void record_progress_summary(struct record *record)
{
	const struct record_counts *counts = &record->counts;
	char kept[32], lost[32], bytes[16];
	bool unmatched;

	summarize_kernel(record);
	if (record_is_empty(record)) {
		/* A recording of only kernel events needs no events of programs. */
		if (record->preload[0] != '\0' || record->options.nr_kernel_rules == 0)
			record_explain_nothing(record);
		return;
	}
	record_explain_untraced(record);
	if (counts->alive)
		message_note("%llu traced process%s still running; %s events until now are in "
			     "the trace",
			     (unsigned long long)counts->alive,
			     counts->alive == 1 ? " is" : "es are",
			     counts->alive == 1 ? "its" : "their");
	if (!counts->processes && counts->kept)
		message_note("%s of programs that then executed one which is not traced",
			     counts->kept == 1 ? "the event is" : "the events are");
	show_lost(record);
	unmatched = record_unmatched_report(record);
	if (record->options.quiet)
		return;
	message_note("%llu process%s traced, %s event%s kept, %s lost",
		     (unsigned long long)counts->processes, counts->processes == 1 ? "" : "es",
		     amount_format_count(counts->kept, kept), counts->kept == 1 ? "" : "s",
		     amount_format_count(count_lost(record) +
						 (record->options.ring_dir ? 0 : counts->buffered),
					 lost));
	/* Files that were replaced are gone. */
	if (record->options.flight_recorder)
		message_note("%s in %s", amount_format_size(counts->bytes, bytes),
			     where_it_is(record));
	else
		message_note("%s%s in %llu stream%s, in %s",
			     amount_format_size(counts->bytes, bytes),
			     counts->overwritten ? " written" : "",
			     (unsigned long long)counts->streams, counts->streams == 1 ? "" : "s",
			     where_it_is(record));
	/* Otherwise a message named the processes whose events are missing. */
	if (counts->kept + counts->buffered + count_lost(record) == 0 && !counts->untraced[0] &&
	    !unmatched)
		tell_no_event(record);
}
