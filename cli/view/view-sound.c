/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-sound.c - makes a readable copy of a trace with broken streams.
 *
 * First all stream files are checked (stream-check.h). A trace without a wrong packet or index is
 * read in place. For any other trace, number N, a folder is made:
 *
 *   FOLDER/N/metadata   a symbolic link
 *   FOLDER/N/NAME       a symbolic link to a sound stream; of a broken stream, a copy of its
 *                       sound packets
 *
 * An index that is no regular file counts as wrong, also in another tracer's trace, whose streams
 * are not checked: babeltrace would wait for a FIFO.
 *
 * A trace with more streams than can be open at once gets such a folder, too, with copies of all
 * streams (view-join.h). The folder has no index, so babeltrace reads the packets' headers.
 * Messages name what is left out.
 */
#include <config.h>

#include "cli/view/view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/regular-open.h"
#include "cli/view/metadata-file.h"
#include "cli/view/stream-check.h"
#include "cli/view/view-join.h"
#include "common/base/remove-tree.h"

/* Broken streams that are named; more are only counted. */
#define NAMED_MOST 20

struct sound_trace {
	char path[PATH_MAX]; /* absolute */
	struct stream_format format;
	struct stream_file *files;
	size_t count;
	bool is_wrong;  /* part of it cannot be read in place */
	bool is_joined; /* read as fewer streams */
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

bool view_sound_is_interrupted(void)
{
	return interrupted;
}

/* ---- what there is ------------------------------------------------------------------ */

static int open_regular(const char *folder, const char *name, const char *suffix)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix) >= sizeof(path))
		return -ENAMETOOLONG;
	return regular_open(path, 0);
}

/* True if the name belongs to something else than a file or a folder now. */
static bool is_replaced(const struct sound_trace *trace, const char *name, bool has_index)
{
	char path[PATH_MAX + NAME_MAX + 2];
	struct stat status;

	snprintf(path, sizeof(path), "%s/%s", trace->path, name);
	return lstat(path, &status) == 0 && (has_index || !S_ISDIR(status.st_mode));
}

/* The stream is another tracer's: babeltrace reads it as it is. */
static int pass(struct stream_file *file)
{
	file->check = (struct stream_check){ .packets = 1 };
	return 0;
}

static int check_file(struct sound_trace *trace, struct stream_file *file)
{
	char index[NAME_MAX + sizeof(CTF_INDEX_DIRECTORY "/")];
	int fd = open_regular(trace->path, file->name, ""), index_fd, error;

	snprintf(index, sizeof(index), CTF_INDEX_DIRECTORY "/%s", file->name);
	index_fd = open_regular(trace->path, index, CTF_INDEX_SUFFIX);
	if (index_fd < 0 && index_fd != -ENOENT && index_fd != -ENOTDIR)
		file->index_error = index_fd;
	if ((fd == -EINVAL || fd == -ENOENT || fd == -ELOOP || fd == -ENXIO) &&
	    is_replaced(trace, file->name, index_fd >= 0))
		fd = STREAM_REPLACED;
	/* The index tells which packets of a removed stream are missing. */
	if (fd < 0 && fd != STREAM_REPLACED && (fd != -ENOENT || index_fd < 0)) {
		if (index_fd >= 0)
			close(index_fd);
		return fd;
	}
	error = trace->format.layout ? stream_check(&file->check, &trace->format, fd, index_fd)
				     : pass(file);
	trace->is_wrong |= file->check.fault.why[0] != '\0' || file->check.has_wrong_index ||
			   file->index_error;
	if (index_fd >= 0)
		close(index_fd);
	if (fd >= 0)
		close(fd);
	return error;
}

static int add_file(struct sound_trace *trace, const char *name)
{
	struct stream_file *files = trace->files, *file;
	int error;

	/* Double the array when it is full. */
	if ((trace->count & (trace->count - 1)) == 0)
		files = reallocarray(files, trace->count ? 2 * trace->count : 1, sizeof(*files));
	if (!files)
		return -ENOMEM;
	trace->files = files;
	file = &files[trace->count];
	*file = (struct stream_file){ .name = strdup(name) };
	if (!file->name)
		return -ENOMEM;
	trace->count++;
	error = check_file(trace, file);
	/* babeltrace ignores folders, too. */
	if (error != -EINVAL && error != -ENOENT)
		return error;
	stream_check_free(&file->check);
	free(file->name);
	trace->count--;
	return 0;
}

/* Adds the stream of the index `entry` if the stream's file is gone. */
static int add_gone(struct sound_trace *trace, const struct dirent *entry)
{
	size_t length = strlen(entry->d_name), suffix = sizeof(CTF_INDEX_SUFFIX) - 1;
	char name[NAME_MAX + 1];
	int fd;

	if (entry->d_name[0] == '.' || length <= suffix ||
	    strcmp(entry->d_name + length - suffix, CTF_INDEX_SUFFIX) != 0)
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)(length - suffix), entry->d_name);
	fd = open_regular(trace->path, name, "");
	if (fd >= 0)
		close(fd);
	return fd == -ENOENT ? add_file(trace, name) : 0;
}

static int add_all_gone(struct sound_trace *trace)
{
	char path[PATH_MAX + sizeof("/" CTF_INDEX_DIRECTORY)];
	const struct dirent *entry;
	int error = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/" CTF_INDEX_DIRECTORY, trace->path);
	folder = opendir(path);
	while (folder && !error && !interrupted && (entry = readdir(folder)))
		error = add_gone(trace, entry);
	if (folder)
		closedir(folder);
	return error;
}

/* The caller frees *trace in any case. 0; -ENOTSUP: another tracer's trace; other -errno. */
static int check_trace(struct sound_trace *trace, const char *path)
{
	const struct dirent *entry;
	bool is_other;
	DIR *folder;
	int error;

	if (!realpath(path, trace->path))
		return -errno;
	error = stream_format_read(&trace->format, view_verb, trace->path);
	is_other = error == -ENOTSUP;
	if (is_other)
		view_sound_note_metadata(view_verb, path, &trace->format.trace);
	else if (error)
		return error;
	error = 0;
	folder = opendir(trace->path);
	if (!folder)
		return -errno;
	while (!error && !interrupted && (entry = readdir(folder)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, METADATA) != 0)
			error = add_file(trace, entry->d_name);
	closedir(folder);
	if (!error && is_other)
		return -ENOTSUP;
	return error ? error : add_all_gone(trace);
}

static void free_trace(struct sound_trace *trace)
{
	for (size_t i = 0; i < trace->count; i++) {
		stream_check_free(&trace->files[i].check);
		free(trace->files[i].name);
	}
	free(trace->files);
	stream_format_free(&trace->format);
	free(trace);
}

/* ---- files of one stream ------------------------------------------------------------ */

/* By stream, then by time. */
static int compare(const void *a, const void *b)
{
	const struct stream_check *x = &((const struct stream_file *)a)->check;
	const struct stream_check *y = &((const struct stream_file *)b)->check;

	if (x->stream_id != y->stream_id)
		return x->stream_id < y->stream_id ? -1 : 1;
	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* Files of one stream must not overlap in time. */
static void check_overlaps(struct sound_trace *trace)
{
	const struct stream_check *last = NULL;

	if (trace->count > 0)
		qsort(trace->files, trace->count, sizeof(*trace->files), compare);
	for (size_t i = 0; i < trace->count; i++) {
		struct stream_check *check = &trace->files[i].check;

		if (check->packets == 0)
			continue;
		if (last && last->stream_id == check->stream_id &&
		    last->instance == check->instance && check->begin < last->end) {
			check->wrong_packets += check->packets;
			check->packets = 0;
			stream_check_free(check);
			if (check->fault.why[0] == '\0')
				strcpy(check->fault.why,
				       "it begins before another file of its stream ended");
			trace->is_wrong = true;
			continue;
		}
		last = check;
	}
}

/* ---- what can be read ---------------------------------------------------------------- */

static int make_folder(struct view_sound *sound)
{
	const char *base = getenv("TMPDIR");
	struct sigaction action = { .sa_handler = on_signal };

	if (sound->folder[0])
		return 0;
	if (!base || base[0] != '/' ||
	    strlen(base) + sizeof("/lttngmap-view-XXXXXX") > sizeof(sound->folder))
		base = "/tmp";
	snprintf(sound->folder, sizeof(sound->folder), "%s/lttngmap-view-XXXXXX", base);
	if (!mkdtemp(sound->folder)) {
		sound->folder[0] = '\0';
		return -errno;
	}
	/* The folder has to be removed. */
	sigaction(SIGINT, &action, &sound->before[0]);
	sigaction(SIGTERM, &action, &sound->before[1]);
	sigaction(SIGHUP, &action, &sound->before[2]);
	return 0;
}

/* Copies bytes that are no hole. */
static int copy_data(int to, int from, off_t at, off_t end)
{
	while (at < end) {
		ssize_t n = sendfile(to, from, &at, (size_t)(end - at));

		if (n < 0 && errno == EINTR && !interrupted)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENODATA;
	}
	return 0;
}

int view_sound_copy_bytes(int to, int from, uint64_t at, uint64_t size)
{
	off_t here = (off_t)at, end = (off_t)(at + size), next;
	bool is_hole = false;
	int error = 0;

	while (!error && here < end) {
		next = lseek(from, here, SEEK_DATA);
		/* The file ends with a hole, or earlier. */
		if (next < 0 && errno == ENXIO)
			next = lseek(from, 0, SEEK_END);
		if (next < here)
			return next < 0 ? -errno : -ENODATA;
		is_hole = next > here;
		if (is_hole) {
			next = next < end ? next : end;
			error = lseek(to, next - here, SEEK_CUR) < 0 ? -errno : 0;
		} else {
			next = lseek(from, here, SEEK_HOLE);
			/* ENXIO: the file ends here. */
			if (next <= here)
				return next < 0 && errno != ENXIO ? -errno : -ENODATA;
			next = next < end ? next : end;
			error = copy_data(to, from, here, next);
		}
		here = next;
	}
	/* Only the size makes a hole at the end. */
	if (!error && is_hole && ftruncate(to, lseek(to, 0, SEEK_CUR)) < 0)
		error = -errno;
	return error;
}

static int copy_sound(const struct sound_trace *trace, const struct stream_file *file,
		      const char *path)
{
	int in = open_regular(trace->path, file->name, ""), out, error = 0;

	if (in < 0)
		return in;
	out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out < 0)
		error = -errno;
	for (size_t i = 0; !error && i < file->check.nr_extents; i++)
		error = view_sound_copy_bytes(out, in, file->check.extents[i].begin,
					      file->check.extents[i].size);
	if (out >= 0)
		close(out);
	close(in);
	return error;
}

static int add_sound(const struct sound_trace *trace, const struct stream_file *file,
		     const char *folder)
{
	char from[PATH_MAX], to[PATH_MAX];

	/* No packet is left. */
	if (file->check.packets == 0)
		return 0;
	if ((size_t)snprintf(from, sizeof(from), "%s/%s", trace->path, file->name) >=
		    sizeof(from) ||
	    (size_t)snprintf(to, sizeof(to), "%s/%s", folder, file->name) >= sizeof(to))
		return -ENAMETOOLONG;
	if (file->check.fault.why[0])
		return copy_sound(trace, file, to);
	return symlink(from, to) < 0 ? -errno : 0;
}

/* Makes the readable copy and adds it to sound->traces. 0 or -errno. */
static int make_sound(struct view_sound *sound, const struct sound_trace *trace)
{
	char folder[sizeof(sound->folder) + 24], from[PATH_MAX + 16], to[sizeof(folder) + 16];
	int error = make_folder(sound);

	if (error)
		return error;
	snprintf(folder, sizeof(folder), "%s/%zu", sound->folder, sound->traces.count);
	snprintf(from, sizeof(from), "%s/" METADATA, trace->path);
	snprintf(to, sizeof(to), "%s/" METADATA, folder);
	if (mkdir(folder, 0700) < 0 || symlink(from, to) < 0)
		return -errno;
	if (trace->is_joined)
		error = view_join(trace->path, folder, trace->files, trace->count);
	else
		for (size_t i = 0; !error && i < trace->count; i++)
			error = add_sound(trace, &trace->files[i], folder);
	if (error)
		return error;
	sound->traces.paths[sound->traces.count] = strdup(folder);
	return sound->traces.paths[sound->traces.count] ? 0 : -ENOMEM;
}

/* ---- what is told -------------------------------------------------------------------- */

static void tell_lost(const struct record_trace *trace, const struct stream_check *check)
{
	char begin[PACKET_TIME_SIZE], end[PACKET_TIME_SIZE], when[80] = "";

	if (check->lost_end)
		snprintf(when, sizeof(when), ", of %s to %s",
			 packet_time_text(trace, check->lost_begin, begin),
			 packet_time_text(trace, check->lost_end, end));
	message_hint("%" PRIu64 " packet%s of it cannot be read%s; %" PRIu64 " can",
		     check->wrong_packets, check->wrong_packets == 1 ? "" : "s", when,
		     check->packets);
}

void view_sound_note_metadata(const char *verb, const char *folder,
			      const struct record_trace *trace)
{
	char text[RECORD_TRACE_FAULT_SIZE];

	if (record_trace_fault(trace, text))
		message_note("%s: %s/" METADATA " is damaged, or of a later version: %s", verb,
			     folder, text);
}

static void tell_file(const struct view_sound *sound, const struct sound_trace *trace,
		      const struct stream_file *file)
{
	const struct stream_check *check = &file->check;
	char text[STREAM_FAULT_TEXT_SIZE];

	if (sound->broken > NAMED_MOST)
		return;
	message_error("%s: %s/%s%s", view_verb, trace->path, file->name,
		      stream_fault_text(&check->fault, text));
	tell_lost(&trace->format.trace, check);
}

static const char *wrong_index_text(int error)
{
	static char text[128];

	if (error == 0)
		return "does not say what the stream says";
	/* A FIFO or a device; -ENXIO: a socket. */
	if (error == -EINVAL || error == -ENXIO)
		return "is no regular file";
	snprintf(text, sizeof(text), "cannot be opened (%s)", strerror(-error));
	return text;
}

static void tell(struct view_sound *sound, const struct sound_trace *trace)
{
	for (size_t i = 0; i < trace->count; i++) {
		const struct stream_file *file = &trace->files[i];

		if (file->check.fault.why[0]) {
			sound->broken++;
			tell_file(sound, trace, file);
		} else if (file->check.has_wrong_index || file->index_error) {
			message_note("%s: %s/" CTF_INDEX_DIRECTORY "/%s" CTF_INDEX_SUFFIX
				     " %s: it is not used",
				     view_verb, trace->path, file->name,
				     wrong_index_text(file->index_error));
			message_hint("%s'lttngmap recover %s' writes it anew",
				     file->index_error ? "remove it; then " : "", trace->path);
		}
	}
}

/* Adds the trace at `path`, or its readable copy, to sound->traces. 0 or -errno. */
static int take_trace(struct view_sound *sound, const char *path)
{
	struct sound_trace *trace = calloc(1, sizeof(*trace));
	char **place = &sound->traces.paths[sound->traces.count];
	int error;

	if (!trace)
		return -ENOMEM;
	error = check_trace(trace, path);
	if (!error) {
		check_overlaps(trace);
		trace->is_joined = view_join_is_needed(trace->files, trace->count);
	}
	if (!error && interrupted)
		error = -EINTR;
	if ((!error || error == -ENOTSUP) && trace->is_wrong) {
		tell(sound, trace);
		error = 0;
	}
	if (!error && (trace->is_wrong || trace->is_joined)) {
		error = make_sound(sound, trace);
	} else if (!error || error == -ENOTSUP) {
		/* Leave another tracer's trace to babeltrace. */
		*place = strdup(path);
		error = *place ? 0 : -ENOMEM;
	}
	free_trace(trace);
	if (!error)
		sound->traces.count++;
	return error;
}

static int take_traces(struct view_sound *sound, const struct view_traces *traces)
{
	int error = 0;

	sound->traces.paths = calloc(traces->count + 1, sizeof(*traces->paths));
	if (!sound->traces.paths)
		error = -ENOMEM;
	for (size_t i = 0; !error && i < traces->count; i++) {
		error = take_trace(sound, traces->paths[i]);
		/* -E2BIG: there was a message. */
		if (error && error != -E2BIG)
			message_error("%s: cannot check '%s': %s", view_verb, traces->paths[i],
				      strerror(-error));
	}
	if (sound->broken > NAMED_MOST)
		message_error("%s: %zu more streams are broken", view_verb,
			      sound->broken - NAMED_MOST);
	if (sound->broken > 0)
		message_hint("all else is read; where another copy of the trace has these packets, "
			     "'lttngmap merge' puts both together; 'lttngmap recover DIR' has "
			     "babeltrace2 pass over these packets, too");
	return error;
}

int view_sound_begin(struct view_sound *sound, const struct view_traces *traces)
{
	*sound = (struct view_sound){ .broken = 0 };
	return take_traces(sound, traces);
}

void view_sound_end(struct view_sound *sound)
{
	if (sound->folder[0]) {
		remove_tree(sound->folder);
		sigaction(SIGINT, &sound->before[0], NULL);
		sigaction(SIGTERM, &sound->before[1], NULL);
		sigaction(SIGHUP, &sound->before[2], NULL);
		if (interrupted)
			raise(interrupted);
	}
	view_traces_free(&sound->traces);
}
