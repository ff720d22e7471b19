/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

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

#include "common/metadata-room.h"
#include "merge-parts.h"
#include "report.h"

#define METADATA "metadata"
#define METADATA_MAX (1 << 28)
#define BUFFER (UINT64_C(256) << 10)

/* ---- one trace ---------------------------------------------------------------------------- */

static const struct merge *sorting;

static int compare_packets(const void *one, const void *other)
{
	const struct packet *a = one, *b = other;
	const char *a_base = sorting->folders[sorting->sources[a->source].folder].base;
	const char *b_base = sorting->folders[sorting->sources[b->source].folder].base;
	const uint64_t a_keys[] = { be64toh(a->entry.stream_instance_id),
				    be64toh(a->entry.packet_seq_num), a->source };
	const uint64_t b_keys[] = { be64toh(b->entry.stream_instance_id),
				    be64toh(b->entry.packet_seq_num), b->source };
	int order = strcmp(a_base, b_base);

	for (size_t i = 0; i < 3 && !order; i++)
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

/* `size` bytes, at most BUFFER, of the packet from `from` on. 0 or -errno. */
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

/* Files of one name, of several chunks, are several streams. */
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
	int error = 0;

	for (uint64_t at = 0; at < size && !error; at += BUFFER) {
		uint64_t part = size - at < BUFFER ? size - at : BUFFER;

		error = read_part(merge, packet, at, part, merge->one);
		if (error)
			return error;
		error = write_all(merge->out, merge->one, part);
	}
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

/* Is it the same as one that was taken? */
static int compare_bytes(struct merge *merge, const struct packet *one, const struct packet *other)
{
	uint64_t size = be64toh(one->entry.packet_size) / 8;
	bool is_same = one->entry.packet_size == other->entry.packet_size;
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

/* All packets of one trace, by streams and numbers. */
static int write_packets(struct merge *merge, const struct packet *packets, size_t nr_packets)
{
	const struct packet *last = NULL;
	int error = 0;

	for (size_t i = 0; i < nr_packets && !error; i++) {
		const struct packet *packet = &packets[i];
		uint64_t number = be64toh(packet->entry.packet_seq_num);

		/* It is empty, and counts from 0 in each connection. */
		if (be64toh(packet->entry.stream_instance_id) == CTF_INSTANCE_ANCHOR)
			continue;
		if (last && last->entry.stream_instance_id == packet->entry.stream_instance_id) {
			if (be64toh(last->entry.packet_seq_num) == number) {
				error = compare_bytes(merge, last, packet);
				continue;
			}
			merge->result->missing += number - be64toh(last->entry.packet_seq_num) - 1;
		} else {
			end_stream(merge);
			error = begin_stream(merge, packet);
		}
		if (!error)
			error = copy_packet(merge, packet);
		last = packet;
	}
	end_stream(merge);
	return error;
}

/* Of a text in packets: */
#define TEXT_MAGIC 0x75d11d57u
#define TEXT_HEADER 37

struct text_header {
	uint32_t magic;
	uint8_t uuid[CTF_UUID_SIZE];
	uint32_t checksum;
	uint32_t content_size, packet_size; /* bits */
};

/* Does it end where a declaration does, and in packets where one does? */
static bool is_whole(const char *text, size_t size)
{
	struct text_header header;
	size_t end = size, next;

	for (size_t at = 0; at + TEXT_HEADER <= size; at += next) {
		memcpy(&header, text + at, sizeof(header));
		if (header.magic != TEXT_MAGIC)
			break;
		next = header.packet_size / 8;
		end = at + header.content_size / 8;
		if (next < TEXT_HEADER || next > size - at || end > at + next)
			return false;
		if (at + next < size && size - at - next < TEXT_HEADER)
			return false;
	}
	while (end > 0 && (text[end - 1] == '\0' || isspace((unsigned char)text[end - 1])))
		end--;
	return end >= 2 && memcmp(text + end - 2, "};", 2) == 0;
}

/* Its text, the caller's to free. 0 or -errno; -ENODATA: it has none that is whole. */
static int read_metadata(const struct folder *folder, char **text, size_t *size)
{
	char path[PATH_MAX];
	struct stat status;
	int error, fd;

	snprintf(path, sizeof(path), "%s/" METADATA, folder->path);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ENODATA : -errno;
	error = fstat(fd, &status) < 0 ? -errno : 0;
	if (!error && (!S_ISREG(status.st_mode) || status.st_size > METADATA_MAX))
		error = -ENODATA;
	*size = error ? 0 : (size_t)status.st_size;
	*text = error ? NULL : malloc(*size + 1);
	if (!error)
		error = !*text ? -ENOMEM : read(fd, *text, *size) != (ssize_t)*size ? -EIO : 0;
	close(fd);
	if (!error)
		*size = metadata_room_remove(*text, *size);
	if (!error && !is_whole(*text, *size))
		error = -ENODATA;
	if (error)
		free(*text);
	return error;
}

/* The next one of that name with the latest packet; it is done then. NULL: there is no other. */
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

/* The text that was there when the last packet came describes all before. */
static int copy_metadata(struct merge *merge, const char *base)
{
	char *text = NULL, *other = NULL;
	const struct folder *folder;
	size_t size = 0, other_size;
	int error = 0, out;

	while ((folder = next_folder(merge, base))) {
		error = text ? 0 : read_metadata(folder, &other, &other_size);
		if (error == -ENODATA)
			report_note("%s: the metadata in '%s' is not whole, or not there: an "
				    "older one is taken",
				    merge->verb, folder->path);
		else if (error)
			return merge_fail(merge, folder->path, METADATA, error);
		else if (!text) {
			text = other;
			size = other_size;
		}
	}
	if (!text) {
		report_error("%s: no directory has metadata of '%s' that is whole", merge->verb,
			     base);
		report_hint("are all directories of the session named?");
		return -ENODATA;
	}
	out = openat(merge->dir, METADATA, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0660);
	error = out < 0 ? -errno : write_all(out, text, size);
	if (out >= 0)
		close(out);
	free(text);
	return error ? merge_fail(merge, METADATA, NULL, error) : 0;
}

static int check_one_trace(const struct merge *merge, const char *base)
{
	const struct folder *first = NULL;

	for (size_t i = 0; i < merge->nr_folders; i++) {
		const struct folder *folder = &merge->folders[i];

		if (strcmp(folder->base, base) != 0 || !folder->has_uuid)
			continue;
		if (first && memcmp(first->uuid, folder->uuid, sizeof(folder->uuid)) != 0)
			return merge_refuse(merge, folder->path,
					    "it is of another trace than the ones before");
		first = folder;
	}
	return 0;
}

/* All folders of that name. */
static int write_trace(struct merge *merge, const char *output, const char *base)
{
	char path[PATH_MAX], index[PATH_MAX];
	size_t first = 0, end;
	int error = check_one_trace(merge, base);

	if (error)
		return error;
	while (first < merge->nr_packets &&
	       strcmp(folder_of(merge, &merge->packets[first])->base, base) != 0)
		first++;
	for (end = first; end < merge->nr_packets &&
			  strcmp(folder_of(merge, &merge->packets[end])->base, base) == 0;)
		end++;
	snprintf(path, sizeof(path), "%s/%s", output, base);
	snprintf(index, sizeof(index), "%s/%s/" CTF_INDEX_DIRECTORY, output, base);
	if (mkdir(path, 0777) < 0 || mkdir(index, 0777) < 0)
		return merge_fail(merge, path, NULL, -errno);
	merge->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	merge->index = open(index, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (merge->dir < 0 || merge->index < 0)
		error = merge_fail(merge, path, NULL, -errno);
	if (!error)
		error = copy_metadata(merge, base);
	if (!error)
		error = write_packets(merge, merge->packets + first, end - first);
	if (merge->dir >= 0)
		close(merge->dir);
	if (merge->index >= 0)
		close(merge->index);
	merge->result->traces++;
	return error;
}

static int merge_all(struct merge *merge, const char *const *directories, size_t nr_directories,
		     const char *output)
{
	int error = merge->one && merge->other ? 0 : -ENOMEM;

	for (size_t i = 0; i < nr_directories && !error; i++)
		error = merge_find(merge, directories[i]);
	if (!error && !merge->nr_folders) {
		report_error("%s: there is nothing to merge", merge->verb);
		error = -ENOENT;
	}
	for (size_t i = 0; i < merge->nr_folders && !error; i++)
		error = merge_read(merge, i);
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
		report_error("%s: out of memory", verb);
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
