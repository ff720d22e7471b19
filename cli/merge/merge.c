/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/merge/merge.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/merge/merge-private.h"
#include "cli/view/metadata-file.h"
#include "cli/view/view.h"
#include "common/base/beneath.h"
#include "common/protocol/metadata-room.h"

#define BUFFER (UINT64_C(256) << 10)

/* ---- one trace ---------------------------------------------------------------------------- */

static const struct merge *sorting;

static int compare_packets(const void *one, const void *other)
{
	const struct packet *a = one, *b = other;
	const char *a_base = sorting->folders[sorting->sources[a->source].folder].base;
	const char *b_base = sorting->folders[sorting->sources[b->source].folder].base;
	const uint64_t a_keys[] = { be64toh(a->entry.stream_instance_id),
				    be64toh(a->entry.packet_seq_num), a->is_lost, a->source };
	const uint64_t b_keys[] = { be64toh(b->entry.stream_instance_id),
				    be64toh(b->entry.packet_seq_num), b->is_lost, b->source };
	int order = strcmp(a_base, b_base);

	for (size_t i = 0; i < 4 && !order; i++)
		order = (a_keys[i] > b_keys[i]) - (a_keys[i] < b_keys[i]);
	return order;
}

static const struct folder *folder_of(const struct merge *merge, const struct packet *packet)
{
	return &merge->folders[merge->sources[packet->source].folder];
}

static int open_source(struct merge *merge, size_t at)
{
	const struct source *source = &merge->sources[at];
	char path[PATH_MAX];

	if (merge->in >= 0 && merge->in_source == at)
		return 0;
	if (merge->in >= 0)
		close(merge->in);
	snprintf(path, sizeof(path), "%s/%s", merge->folders[source->folder].path, source->name);
	merge->in = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	merge->in_source = at;
	return merge->in < 0 ? merge_fail(merge, path, NULL, -errno) : 0;
}

/* Reads `size` bytes, BUFFER at most, of the packet from `from` on. 0 or -errno. */
static int read_part(struct merge *merge, const struct packet *packet, uint64_t from, uint64_t size,
		     char *bytes)
{
	int error = open_source(merge, packet->source);
	ssize_t got;

	if (error)
		return error;
	got = pread(merge->in, bytes, size, (off_t)(be64toh(packet->entry.offset) + from));
	if (got == (ssize_t)size)
		return 0;
	return merge_fail(merge, folder_of(merge, packet)->path,
			  merge->sources[packet->source].name, got < 0 ? -errno : -EIO);
}

static int write_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t wrote = write(fd, at, size);

		if (wrote < 0)
			return -errno;
		at += wrote;
		size -= (size_t)wrote;
	}
	return 0;
}

/* Files with one name from several chunks become several streams. */
static int begin_stream(struct merge *merge, const struct packet *packet)
{
	const struct ctf_index_header header = {
		.magic = htobe32(CTF_INDEX_MAGIC),
		.major = htobe32(CTF_INDEX_MAJOR),
		.minor = htobe32(CTF_INDEX_MINOR),
		.entry_length = htobe32(sizeof(struct ctf_index_entry)),
	};
	const char *name = merge->sources[packet->source].name;
	char unique[NAME_MAX + 1], index[NAME_MAX + sizeof(CTF_INDEX_SUFFIX)];
	int error;

	snprintf(unique, sizeof(unique), "%s", name);
	for (unsigned number = 2;; number++) {
		merge->out =
			openat(merge->dir, unique, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0660);
		if (merge->out >= 0 || errno != EEXIST)
			break;
		snprintf(unique, sizeof(unique), "%.*s-%u", NAME_MAX - 20, name, number);
	}
	if (merge->out < 0)
		return merge_fail(merge, unique, NULL, -errno);
	snprintf(index, sizeof(index), "%s" CTF_INDEX_SUFFIX, unique);
	merge->out_index =
		openat(merge->index, index, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0660);
	if (merge->out_index < 0)
		return merge_fail(merge, index, NULL, -errno);
	merge->written = 0;
	merge->result->streams++;
	error = write_all(merge->out_index, &header, sizeof(header));
	return error ? merge_fail(merge, index, NULL, error) : 0;
}

static void end_stream(struct merge *merge)
{
	if (merge->out >= 0)
		close(merge->out);
	if (merge->out_index >= 0)
		close(merge->out_index);
	merge->out = merge->out_index = -1;
}

static int copy_packet(struct merge *merge, const struct packet *packet)
{
	uint64_t size = be64toh(packet->entry.packet_size) / 8;
	struct ctf_index_entry entry = packet->entry;
	int error = open_source(merge, packet->source);

	if (error)
		return error;
	error = view_sound_copy_bytes(merge->out, merge->in, be64toh(packet->entry.offset), size);
	entry.offset = htobe64(merge->written);
	if (!error)
		error = write_all(merge->out_index, &entry, sizeof(entry));
	if (error)
		return merge_fail(merge, merge->sources[packet->source].name, NULL, error);
	merge->written += size;
	merge->result->packets++;
	merge->result->bytes += size;
	return 0;
}

/* Compares a packet with a copied one; the bytes behind the content do not count. */
static int compare_bytes(struct merge *merge, const struct packet *one, const struct packet *other)
{
	uint64_t size = be64toh(one->entry.content_size) / 8;
	bool is_same = one->entry.content_size == other->entry.content_size;
	int error = 0;

	for (uint64_t at = 0; at < size && is_same && !error; at += BUFFER) {
		uint64_t part = size - at < BUFFER ? size - at : BUFFER;

		error = read_part(merge, one, at, part, merge->one);
		if (!error)
			error = read_part(merge, other, at, part, merge->other);
		is_same = error || memcmp(merge->one, merge->other, part) == 0;
	}
	merge->result->repeated++;
	merge->result->repeated_bytes += be64toh(other->entry.packet_size) / 8;
	merge->result->changed += !is_same;
	return error;
}

/* True if a reader can continue with `packet` after `last` in one stream. */
static bool is_in_order(const struct packet *last, const struct packet *packet)
{
	return packet->entry.stream_id == last->entry.stream_id &&
	       be64toh(packet->entry.timestamp_begin) >= be64toh(last->entry.timestamp_end);
}

/* Writes a packet after `last` of the same stream, or NULL. *took: it was copied. */
static int write_packet(struct merge *merge, const struct packet *last, const struct packet *packet,
			uint64_t *lost, bool *took)
{
	uint64_t number = be64toh(packet->entry.packet_seq_num);
	int error = 0;

	*took = false;
	if (last && be64toh(last->entry.packet_seq_num) == number)
		return packet->is_lost ? 0 : compare_bytes(merge, last, packet);
	if (packet->is_lost || (last && !is_in_order(last, packet))) {
		merge->result->torn++;
		(*lost)++;
		return 0;
	}
	if (last) {
		uint64_t gap = number - be64toh(last->entry.packet_seq_num) - 1;

		merge->result->missing += gap > *lost ? gap - *lost : 0;
	} else {
		end_stream(merge);
		error = begin_stream(merge, packet);
	}
	*lost = 0;
	*took = true;
	return error ? error : copy_packet(merge, packet);
}

/* Writes all packets of one trace, ordered by stream and number. */
static int write_packets(struct merge *merge, const struct packet *packets, size_t nr_packets)
{
	const struct packet *last = NULL;
	uint64_t lost = 0;
	int error = 0;

	for (size_t i = 0; i < nr_packets && !error; i++) {
		const struct packet *packet = &packets[i];
		bool took;

		/* Such a packet is empty, and each connection counts it from 0. */
		if (be64toh(packet->entry.stream_instance_id) == CTF_INSTANCE_ANCHOR)
			continue;
		if (last && last->entry.stream_instance_id != packet->entry.stream_instance_id)
			last = NULL;
		if (!last)
			lost = 0;
		error = write_packet(merge, last, packet, &lost, &took);
		if (took)
			last = packet;
	}
	end_stream(merge);
	return error;
}

static int no_metadata(const struct merge *merge, const char *base)
{
	message_error("%s: no directory has metadata of '%s' that can be read", merge->verb, base);
	message_hint("are all directories of the session named?");
	return -ENODATA;
}

/* The remaining folder with that name and the latest packet, which is then done. NULL: none. */
static struct folder *next_folder(struct merge *merge, const char *base)
{
	struct folder *best = NULL;

	for (size_t i = 0; i < merge->nr_folders; i++) {
		struct folder *folder = &merge->folders[i];

		if (!folder->is_done && strcmp(folder->base, base) == 0 &&
		    (!best || folder->newest > best->newest))
			best = folder;
	}
	if (best)
		best->is_done = true;
	return best;
}

/* Reads the folder's metadata; the caller frees the text. -ENODATA: there is no complete text. */
static int read_metadata(const struct merge *merge, const struct folder *folder, char **text,
			 size_t *size)
{
	int error = metadata_file_read(merge->verb, folder->path, O_NOFOLLOW, text, size);
	size_t end;

	if (error)
		return error == -ENOENT || error == -E2BIG ? -ENODATA : error;
	end = *size = metadata_room_remove(*text, *size);
	while (end > 0 && ((*text)[end - 1] == '\0' || isspace((unsigned char)(*text)[end - 1])))
		end--;
	/* A declaration ends so. */
	if (end >= 2 && memcmp(*text + end - 2, "};", 2) == 0)
		return 0;
	free(*text);
	return -ENODATA;
}

/* Writes that folder's metadata if a reader can parse it; else returns -ENODATA. */
static int write_metadata(struct merge *merge, const struct folder *folder, const char *output)
{
	size_t size;
	char *text;
	int error = read_metadata(merge, folder, &text, &size), out;

	if (error)
		return error;
	out = beneath_create(merge->dir, METADATA, 0660);
	error = out < 0 ? out : write_all(out, text, size);
	if (out >= 0)
		close(out);
	free(text);
	return !error && !view_graph_can_open(output) ? -ENODATA : error;
}

/* The metadata from the time of the last packet describes all earlier packets. */
static int copy_metadata(struct merge *merge, const char *output, const char *base)
{
	const struct folder *folder;
	bool is_written = false;
	int error;

	while ((folder = next_folder(merge, base))) {
		if (is_written)
			continue;
		error = write_metadata(merge, folder, output);
		if (error && error != -ENODATA)
			return merge_fail(merge, folder->path, METADATA, error);
		if (error)
			message_note("%s: the metadata in '%s' cannot be read, or is not there: an "
				     "older one is taken",
				     merge->verb, folder->path);
		is_written = !error;
	}
	return is_written ? 0 : no_metadata(merge, base);
}

/* Another user may own the folder above the output, and replace any name there. */
static int open_output(struct merge *merge, const char *output, const char *base)
{
	int folder = beneath_open_real(output);

	merge->dir = merge->index = -1;
	if (folder < 0)
		return folder;
	merge->dir = beneath_make_directory(folder, base, 0777, BENEATH_ANYBODY);
	close(folder);
	if (merge->dir < 0)
		return merge->dir;
	merge->index =
		beneath_make_directory(merge->dir, CTF_INDEX_DIRECTORY, 0777, BENEATH_ANYBODY);
	return merge->index < 0 ? merge->index : 0;
}

/* Writes the trace of all folders with that name. */
static int write_trace(struct merge *merge, const char *output, const char *base)
{
	char path[PATH_MAX];
	size_t first = 0, end;
	int error = 0;

	while (first < merge->nr_packets &&
	       strcmp(folder_of(merge, &merge->packets[first])->base, base) != 0)
		first++;
	for (end = first; end < merge->nr_packets &&
			  strcmp(folder_of(merge, &merge->packets[end])->base, base) == 0;)
		end++;
	snprintf(path, sizeof(path), "%s/%s", output, base);
	error = open_output(merge, output, base);
	if (error)
		error = merge_fail(merge, path, NULL, error);
	if (!error)
		error = copy_metadata(merge, path, base);
	if (!error)
		error = write_packets(merge, merge->packets + first, end - first);
	if (merge->dir >= 0)
		close(merge->dir);
	if (merge->index >= 0)
		close(merge->index);
	merge->result->traces++;
	return error;
}

/* Reads the layouts that the complete metadata texts of these folders describe. */
static int read_formats(struct merge *merge, const char *base, struct stream_format *format)
{
	uint8_t uuid[CTF_UUID_SIZE];
	size_t size;
	char *text;

	for (size_t i = 0; i < merge->nr_folders; i++) {
		const struct folder *folder = &merge->folders[i];
		bool is_first = !format->layout;
		int error;

		if (strcmp(folder->base, base) != 0 ||
		    read_metadata(merge, folder, &text, &size) != 0)
			continue;
		error = stream_format_add(format, text, size);
		free(text);
		if (error == -ENOMEM)
			return error;
		if (error) {
			view_sound_note_metadata(merge->verb, folder->path, &format->trace);
			continue;
		}
		if (!is_first && memcmp(uuid, format->trace.uuid, sizeof(uuid)) != 0)
			return merge_refuse(merge, folder->path,
					    "it is of another trace than the ones before");
		memcpy(uuid, format->trace.uuid, sizeof(uuid));
	}
	return format->layout ? 0 : no_metadata(merge, base);
}

/* Reads all folders with that name. */
static int read_trace(struct merge *merge, const char *base)
{
	struct stream_format format = { .layout = NULL };
	int error = read_formats(merge, base, &format);

	for (size_t i = 0; i < merge->nr_folders && !error; i++) {
		if (strcmp(merge->folders[i].base, base) != 0)
			continue;
		merge->folders[i].is_read = true;
		error = merge_read(merge, &format, i);
	}
	stream_format_free(&format);
	return error;
}

/* Prints the folders of connections that were lost at the start. */
static void tell_empty(const struct merge *merge)
{
	bool has_packets = false;

	for (size_t i = 0; i < merge->nr_folders; i++) {
		const struct folder *folder = &merge->folders[i];

		has_packets |= folder->has_packets;
		if (i + 1 < merge->nr_folders && folder[1].directory == folder->directory)
			continue;
		if (!has_packets)
			message_note("'%s' has no packet that can be read", folder->directory);
		has_packets = false;
	}
}

static int merge_all(struct merge *merge, const char *const *directories, size_t nr_directories,
		     const char *output)
{
	int error = merge->one && merge->other ? 0 : -ENOMEM;

	for (size_t i = 0; i < nr_directories && !error; i++)
		error = merge_find(merge, directories[i]);
	for (size_t i = 0; i < merge->nr_folders && !error; i++) {
		if (!merge->folders[i].is_read)
			error = read_trace(merge, merge->folders[i].base);
	}
	if (!error)
		tell_empty(merge);
	if (!error && !merge->nr_packets) {
		message_error("%s: there is nothing to merge", merge->verb);
		error = -ENOENT;
	}
	if (error)
		return error;
	merge->result->folders = merge->nr_folders;
	sorting = merge;
	if (merge->nr_packets)
		qsort(merge->packets, merge->nr_packets, sizeof(merge->packets[0]),
		      compare_packets);
	for (size_t i = 0; i < merge->nr_folders && !error; i++) {
		if (!merge->folders[i].is_done)
			error = write_trace(merge, output, merge->folders[i].base);
	}
	return error;
}

int merge_traces(const char *verb, const char *const *directories, size_t nr_directories,
		 const char *output, struct merge_result *result)
{
	struct merge merge = {
		.verb = verb,
		.result = result,
		.in = -1,
		.out = -1,
		.out_index = -1,
		.one = malloc(BUFFER),
		.other = malloc(BUFFER),
	};
	int error;

	*result = (struct merge_result){ .packets = 0 };
	error = merge_all(&merge, directories, nr_directories, output);
	if (error == -ENOMEM)
		message_error("%s: out of memory", verb);
	if (merge.in >= 0)
		close(merge.in);
	for (size_t i = 0; i < merge.nr_folders; i++)
		free(merge.folders[i].path);
	for (size_t i = 0; i < merge.nr_sources; i++)
		free(merge.sources[i].name);
	free(merge.folders);
	free(merge.sources);
	free(merge.packets);
	free(merge.one);
	free(merge.other);
	return error;
}
