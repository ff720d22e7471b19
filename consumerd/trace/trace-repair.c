/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/trace/trace-repair.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "common/base/amount.h"
#include "common/base/beneath.h"
#include "common/base/log.h"
#include "common/base/name.h"
#include "consumerd/packet/file.h"
#include "consumerd/packet/packet.h"
#include "consumerd/trace/stream-repair.h"
#include "consumerd/trace/trace.h"

#define WALK_FDS 32

struct repairing {
	const char *path; /* of the trace */
	struct trace trace;
	struct stream_format format;
	uint64_t streams;
	uint64_t cut;     /* streams whose tail was cut */
	uint64_t bytes;   /* that were cut */
	uint64_t lost;    /* packets in the middle that were passed over */
	uint64_t indexes; /* that were rewritten */
	uint64_t removed; /* streams without a packet */
	uint64_t aside;   /* streams without a packet that can be read */
	struct json_object *problems;
};

/* nftw() has no argument for us. */
static struct json_object *told;
static uint64_t nr_problems, nr_aside;

static void problem(struct repairing *repairing, const char *name, const char *what)
{
	char text[PATH_MAX + 256];

	snprintf(text, sizeof(text), "%s%s%s: %s", repairing->path, name ? "/" : "",
		 name ? name : "", what);
	log_warning("%s", text);
	json_object_array_add(repairing->problems, json_object_new_string(text));
	nr_problems++;
}

/* ---- metadata ---------------------------------------------------------------------- */

const char *trace_repair_check_metadata(const char *text, size_t size, struct stream_format *format,
					char fault[RECORD_TRACE_FAULT_SIZE])
{
	static const char beginning[] = "/* CTF 1.8 */";
	int error;

	if (size < sizeof(beginning) - 1 || memcmp(text, beginning, sizeof(beginning) - 1) != 0)
		return "it does not begin as CTF metadata does";
	format->trace = (struct record_trace){ .is_ours = false };
	error = format->layout ? record_layout_parse(format->layout, text, size, &format->trace)
			       : -ENOMEM;
	if (error == -ENOMEM)
		return strerror(ENOMEM);
	if (error && record_trace_fault(&format->trace, fault))
		return fault;
	return error ? "it is another tracer's, or another version's" : NULL;
}

static int find_uuid(struct repairing *repairing)
{
	char fault[RECORD_TRACE_FAULT_SIZE];
	const char *wrong;
	char *text = NULL;
	size_t size = 0;
	int error = trace_read_metadata(&repairing->trace, &text, &size);

	if (error) {
		problem(repairing, TRACE_METADATA, beneath_why(error));
		return error;
	}
	repairing->format.layout = record_layout_create();
	wrong = trace_repair_check_metadata(text, size, &repairing->format, fault);
	free(text);
	memcpy(repairing->trace.uuid, repairing->format.trace.uuid, sizeof(repairing->trace.uuid));
	if (!wrong)
		return 0;
	problem(repairing, TRACE_METADATA, wrong);
	return -EBADMSG;
}

/* ---- streams ----------------------------------------------------------------------- */

/* Readers stumble over a file that has not one packet. */
static void remove_empty(struct repairing *repairing, const char *name)
{
	char index[NAME_MAX + 1];

	snprintf(index, sizeof(index), "%.*s" CTF_INDEX_SUFFIX,
		 (int)(sizeof(index) - sizeof(CTF_INDEX_SUFFIX)), name);
	if (unlinkat(repairing->trace.index, index, 0) == 0 &&
	    unlinkat(repairing->trace.dir, name, 0) == 0)
		repairing->removed++;
}

/* ": 2 packets, of 09:03:02.123 to 09:03:02.456". */
static void describe_lost(const struct repairing *repairing, const struct stream_tail *tail,
			  char text[], size_t size)
{
	const struct record_trace *trace = &repairing->format.trace;
	char begin[PACKET_TIME_SIZE], end[PACKET_TIME_SIZE], count[32];
	size_t length;

	snprintf(text, size, "%s packet%s", amount_format_count(tail->lost, count),
		 tail->lost == 1 ? "" : "s");
	length = strlen(text);
	if (tail->lost_end)
		snprintf(text + length, size - length, " of %s to %s",
			 packet_time_text(trace, tail->lost_begin, begin),
			 packet_time_text(trace, tail->lost_end, end));
}

/* It stays there under a name that readers pass over. */
static void set_aside(struct repairing *repairing, const char *name, const struct stream_tail *tail)
{
	char text[STREAM_FAULT_TEXT_SIZE], lost[128];
	const struct trace *trace = &repairing->trace;
	char hidden[NAME_MAX + 1], index[NAME_MAX + 1];

	if (snprintf(hidden, sizeof(hidden), ".%s", name) >= (int)sizeof(hidden) ||
	    snprintf(index, sizeof(index), "%s" CTF_INDEX_SUFFIX, name) >= (int)sizeof(index)) {
		problem(repairing, name, strerror(ENAMETOOLONG));
	} else if (renameat2(trace->dir, name, trace->dir, hidden, RENAME_NOREPLACE) < 0 ||
		   unlinkat(trace->index, index, 0) < 0) {
		problem(repairing, name, strerror(errno));
	} else {
		repairing->aside++;
		repairing->lost += tail->lost;
		nr_aside++;
		describe_lost(repairing, tail, lost, sizeof(lost));
		log_warning("%s/%s%s: no packet of it can be read, and the events of %s are not in "
			    "the trace any more: the file's name is %s now",
			    repairing->path, name, stream_fault_text(&tail->fault, text), lost,
			    hidden);
	}
}

static void repair_files(struct repairing *repairing, const char *name, int stream, int index)
{
	const struct trace *trace = &repairing->trace;
	char fault[STREAM_FAULT_TEXT_SIZE];
	struct stream_tail tail;
	bool is_reused = trace_is_reused(trace);
	int error = stream_repair(stream, index, trace->uuid,
				  is_reused ? STREAM_REPAIR_REUSED : STREAM_REPAIR_ALL,
				  &repairing->format, &tail);

	/* Its index says that it was. */
	if (error == -EEXIST && tail.lost) {
		set_aside(repairing, name, &tail);
		return;
	}
	if (error) {
		problem(repairing, name,
			error == -EEXIST ? "it is not of this trace" : beneath_why(error));
		return;
	}
	repairing->streams++;
	repairing->cut += tail.cut > 0;
	repairing->bytes += tail.cut;
	repairing->lost += tail.packets ? tail.lost : 0;
	repairing->indexes += tail.is_index_rewritten;
	if (tail.packets == 0 && is_reused && tail.size)
		problem(repairing, name,
			"no packet that its index names is there, and room in it was used again: "
			"it is "
			"left as it is");
	else if (tail.packets == 0 && tail.lost)
		set_aside(repairing, name, &tail);
	else if (tail.packets == 0)
		remove_empty(repairing, name);
	else if (tail.lost)
		log_warning(
			"%s/%s%s: %llu packet%s in the middle cannot be read, and what follows was "
			"kept",
			repairing->path, name, stream_fault_text(&tail.fault, fault),
			(unsigned long long)tail.lost, tail.lost == 1 ? "" : "s");
}

static int repair_stream(void *data, const char *name)
{
	struct repairing *repairing = data;
	int error, stream, index;

	if (!trace_is_stream(&repairing->trace, name))
		return 0;
	/* It is the owner's already. */
	error = trace_open_stream(&repairing->trace, name, &stream, &index);
	trace_become_owner(&repairing->trace);
	if (error) {
		problem(repairing, name, beneath_why(error));
		return 0;
	}
	repair_files(repairing, name, stream, index);
	close(stream);
	close(index);
	return 0;
}

static int repair_open(struct repairing *repairing)
{
	struct trace *trace = &repairing->trace;
	int error;

	if (flock(trace->dir, LOCK_EX | LOCK_NB) < 0) {
		problem(repairing, NULL, "it is being written: stop its session first");
		return -EBUSY;
	}
	error = find_uuid(repairing);
	if (error)
		return error;
	trace->index =
		beneath_make_directory(trace->dir, CTF_INDEX_DIRECTORY, 0770, BENEATH_ANYBODY);
	error = trace->index < 0 ? trace->index : trace_resume_discard(trace);
	if (error == 0)
		error = trace_for_each(trace->dir, repair_stream, repairing);
	if (error)
		problem(repairing, NULL, beneath_why(error));
	return error;
}

static void add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static void tell(struct repairing *repairing)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "path", json_object_new_string(repairing->path));
	add_number(object, "streams", repairing->streams);
	add_number(object, "cut_streams", repairing->cut);
	add_number(object, "cut_bytes", repairing->bytes);
	add_number(object, "lost_packets", repairing->lost);
	add_number(object, "indexes", repairing->indexes);
	add_number(object, "removed", repairing->removed);
	add_number(object, "set_aside", repairing->aside);
	json_object_object_add(object, "problems", json_object_get(repairing->problems));
	json_object_array_add(told, object);
}

static void repair(const char *path)
{
	struct repairing repairing = {
		.path = path,
		.trace = { .output = -1,
			   .index = -1,
			   .journal = -1,
			   .progress = -1,
			   .metadata = -1,
			   .made_as = BENEATH_ANYBODY },
		.problems = json_object_new_array(),
	};
	struct stat status;

	repairing.trace.dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (repairing.trace.dir < 0 || fstat(repairing.trace.dir, &status) < 0) {
		problem(&repairing, NULL, strerror(errno));
	} else {
		repairing.trace.owner = status.st_uid;
		repairing.trace.group = status.st_gid;
		trace_become_owner(&repairing.trace);
		(void)repair_open(&repairing);
		trace_become_self();
	}
	tell(&repairing);
	trace_close(&repairing.trace);
	record_layout_destroy(repairing.format.layout);
	json_object_put(repairing.problems);
}

static int walk_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	char trace[PATH_MAX];

	(void)status;
	if (type != FTW_F || strcmp(path + walk->base, TRACE_METADATA) != 0)
		return 0;
	snprintf(trace, sizeof(trace), "%.*s", walk->base > 1 ? walk->base - 1 : walk->base, path);
	repair(trace);
	return 0;
}

/* ---- telling ------------------------------------------------------------------------ */

static unsigned long long number_of(struct json_object *object, const char *key)
{
	return json_object_get_uint64(json_object_object_get(object, key));
}

/* ", 2 indexes rewritten": of what there was. */
static void print_count(struct json_object *trace, const char *key, const char *one,
			const char *many)
{
	uint64_t count = number_of(trace, key);
	char text[32];

	if (count)
		printf(", %s %s", amount_format_count(count, text), count == 1 ? one : many);
}

static bool is_untouched(struct json_object *trace)
{
	static const char *const mended[] = { "cut_streams", "lost_packets", "indexes", "removed",
					      "set_aside" };

	for (size_t i = 0; i < sizeof(mended) / sizeof(mended[0]); i++)
		if (number_of(trace, mended[i]))
			return false;
	return true;
}

static void print_trace(struct json_object *trace)
{
	/* Folders of a trace are its user's to name. */
	char path[PATH_MAX], text[32];
	uint64_t bytes = number_of(trace, "cut_bytes");
	bool untouched = is_untouched(trace);
	size_t problems = json_object_array_length(json_object_object_get(trace, "problems"));

	/* It was refused: nobody counted its streams. */
	if (untouched && problems && number_of(trace, "streams") == 0)
		return;
	snprintf(path, sizeof(path), "%s",
		 json_object_get_string(json_object_object_get(trace, "path")));
	name_clean_line(path);
	printf("%s: %s stream%s", path, amount_format_count(number_of(trace, "streams"), text),
	       number_of(trace, "streams") == 1 ? "" : "s");
	print_count(trace, "cut_streams", "unfinished packet removed",
		    "unfinished packets removed");
	if (bytes)
		printf(", %s cut off", amount_format_size(bytes, text));
	print_count(trace, "lost_packets", "damaged packet passed over",
		    "damaged packets passed over");
	print_count(trace, "indexes", "index rewritten", "indexes rewritten");
	print_count(trace, "removed", "empty file removed", "empty files removed");
	print_count(trace, "set_aside", "unreadable file set aside", "unreadable files set aside");
	puts(untouched && problems == 0 ? ", nothing to mend" : "");
}

static int print(bool json)
{
	struct json_object *all;

	if (json) {
		all = json_object_new_object();
		json_object_object_add(all, "kind", json_object_new_string("traces"));
		json_object_object_add(all, "traces", json_object_get(told));
		puts(json_object_to_json_string_ext(all, JSON_C_TO_STRING_PLAIN));
		json_object_put(all);
	} else {
		for (size_t i = 0; i < json_object_array_length(told); i++)
			print_trace(json_object_array_get_idx(told, i));
	}
	return fflush(stdout) == 0 ? 0 : -EIO;
}

int trace_repair_all(const char *path, bool json)
{
	int status = EXIT_SUCCESS;

	told = json_object_new_array();
	if (nftw(path, walk_entry, WALK_FDS, FTW_PHYS) < 0) {
		log_error("%s: %s", path, strerror(errno));
		status = EXIT_FAILURE;
	} else if (json_object_array_length(told) == 0) {
		log_error("%s: there is no trace in it: that is a folder with a file named "
			  "metadata",
			  path);
		status = EXIT_FAILURE;
	} else if (print(json) != 0 || nr_problems || nr_aside) {
		status = EXIT_FAILURE;
	}
	json_object_put(told);
	return status;
}
