/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/merge/merge-private.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "common/base/beneath.h"

#define FOLDERS_OPEN 16

int merge_fail(const struct merge *merge, const char *what, const char *name, int error)
{
	if (error == -ENOMEM)
		return error;
	message_error("%s: '%s%s%s': %s", merge->verb, what, name ? "/" : "", name ? name : "",
		      beneath_why(error));
	return error;
}

int merge_refuse(const struct merge *merge, const char *path, const char *why)
{
	message_error("%s: '%s': %s", merge->verb, path, why);
	message_hint("only folders of one session can be merged");
	return -EINVAL;
}

/* ---- what there is ------------------------------------------------------------------ */

/* nftw(3) has no argument for the callback. */
static struct merge *looking;

static int add_folder(struct merge *merge, const char *path, int length)
{
	struct folder *folders, *folder;

	folders = reallocarray(merge->folders, merge->nr_folders + 1, sizeof(*folders));
	if (!folders)
		return ENOMEM;
	merge->folders = folders;
	folder = &folders[merge->nr_folders];
	*folder = (struct folder){ .path = strndup(path, (size_t)length) };
	if (!folder->path)
		return ENOMEM;
	folder->base = strrchr(folder->path, '/');
	folder->base = folder->base ? folder->base + 1 : folder->path;
	merge->nr_folders++;
	return 0;
}

/* Adds a folder with metadata or with indexes: its metadata may be in another part. */
static int look_at(const char *path, const struct stat *status, int type, struct FTW *place)
{
	const struct merge *merge = looking;
	const struct folder *known;
	size_t length;

	(void)status;
	if (type == FTW_DNR || type == FTW_NS) {
		(void)merge_fail(merge, path, NULL, -EACCES);
		return ECANCELED;
	}
	if (place->base < 2 ||
	    !((type == FTW_F && strcmp(path + place->base, "metadata") == 0) ||
	      (type == FTW_D && strcmp(path + place->base, CTF_INDEX_DIRECTORY) == 0)))
		return 0;
	length = (size_t)place->base - 1;
	for (size_t i = merge->first_folder; i < merge->nr_folders; i++) {
		known = &merge->folders[i];
		if (strlen(known->path) == length && memcmp(known->path, path, length) == 0)
			return 0;
	}
	return add_folder(looking, path, (int)length);
}

int merge_find(struct merge *merge, const char *directory)
{
	char *path = realpath(directory, NULL);
	int error;

	if (!path)
		return merge_fail(merge, directory, NULL, -errno);
	looking = merge;
	merge->first_folder = merge->nr_folders;
	error = nftw(path, look_at, FOLDERS_OPEN, FTW_PHYS);
	error = error < 0 ? -errno : -error;
	free(path);
	for (size_t i = merge->first_folder; i < merge->nr_folders; i++)
		merge->folders[i].directory = directory;
	if (error == -ECANCELED)
		return error;
	if (error)
		return merge_fail(merge, directory, NULL, error);
	if (merge->nr_folders > merge->first_folder)
		return 0;
	message_error("%s: there is no trace in '%s'", merge->verb, directory);
	message_hint("name what the collector made for each connection, as HOST/SESSION-TIME");
	return -ENOENT;
}

/* ---- packets -------------------------------------------------------------------------- */

static int add_packet(struct merge *merge, const struct ctf_index_entry *entry, bool is_lost)
{
	size_t max = merge->max_packets ? merge->max_packets * 2 : 1024;
	struct folder *folder = &merge->folders[merge->sources[merge->nr_sources - 1].folder];
	struct packet *packets;

	if (merge->nr_packets == merge->max_packets) {
		packets = reallocarray(merge->packets, max, sizeof(*packets));
		if (!packets)
			return -ENOMEM;
		merge->packets = packets;
		merge->max_packets = max;
	}
	merge->packets[merge->nr_packets++] = (struct packet){ .source = merge->nr_sources - 1,
							       .entry = *entry,
							       .is_lost = is_lost };
	if (!is_lost && be64toh(entry->timestamp_end) > folder->newest)
		folder->newest = be64toh(entry->timestamp_end);
	return 0;
}

/* Adds the sound packets of an extent, which lie back to back. */
static int add_extent(struct merge *merge, int fd, const struct stream_extent *extent)
{
	struct ctf_packet_header header;
	int error = 0;

	for (uint64_t at = extent->begin; !error && at < extent->begin + extent->size;
	     at += header.packet_size / 8) {
		struct ctf_index_entry entry;

		if (pread(fd, &header, sizeof(header), (off_t)at) != sizeof(header) ||
		    header.packet_size < 8)
			return -EIO;
		entry = (struct ctf_index_entry){
			.offset = htobe64(at),
			.packet_size = htobe64(header.packet_size),
			.content_size = htobe64(header.content_size),
			.timestamp_begin = htobe64(header.timestamp_begin),
			.timestamp_end = htobe64(header.timestamp_end),
			.events_discarded = htobe64(header.events_discarded),
			.stream_id = htobe64(header.stream_id),
			.stream_instance_id = htobe64(header.stream_instance_id),
			.packet_seq_num = htobe64(header.packet_seq_num),
		};
		error = add_packet(merge, &entry, false);
	}
	return error;
}

/* Adds packets that the index names and the stream lacks: another part may have them. */
static int add_lost(struct merge *merge, const struct stream_check *check, int index_fd)
{
	off_t at = sizeof(struct ctf_index_header);
	struct ctf_index_entry entry;
	uint64_t added = 0;
	int error = 0;
	size_t i = 0;

	while (!error && index_fd >= 0 && added < check->wrong_packets &&
	       pread(index_fd, &entry, sizeof(entry), at) == sizeof(entry)) {
		uint64_t offset = be64toh(entry.offset);

		at += sizeof(entry);
		while (i < check->nr_extents &&
		       check->extents[i].begin + check->extents[i].size <= offset)
			i++;
		if (i < check->nr_extents && check->extents[i].begin <= offset)
			continue;
		error = add_packet(merge, &entry, true);
		added++;
	}
	merge->result->torn += check->wrong_packets - added;
	return error;
}

static int read_stream(struct merge *merge, const struct stream_format *format, const char *path,
		       int fd, int index_fd)
{
	char text[STREAM_FAULT_TEXT_SIZE];
	struct stream_check check;
	int error = stream_check(&check, format, fd, index_fd);

	for (size_t i = 0; !error && i < check.nr_extents; i++)
		error = add_extent(merge, fd, &check.extents[i]);
	if (!error && check.fault.why[0]) {
		message_note("%s: '%s'%s; %" PRIu64 " of its packets cannot be read", merge->verb,
			     path, stream_fault_text(&check.fault, text), check.wrong_packets);
		error = add_lost(merge, &check, index_fd);
	}
	stream_check_free(&check);
	return error;
}

/* Adds a stream file, its index, or both. */
static int add_source(struct merge *merge, const struct stream_format *format, size_t at,
		      const char *name, bool is_file)
{
	struct source *sources;
	char path[PATH_MAX], index[PATH_MAX];
	int error, fd, index_fd;

	sources = reallocarray(merge->sources, merge->nr_sources + 1, sizeof(*sources));
	if (!sources)
		return -ENOMEM;
	merge->sources = sources;
	sources[merge->nr_sources] = (struct source){ .folder = at, .name = strdup(name) };
	if (!sources[merge->nr_sources++].name)
		return -ENOMEM;
	snprintf(path, sizeof(path), "%s/%s", merge->folders[at].path, name);
	snprintf(index, sizeof(index), "%s/" CTF_INDEX_DIRECTORY "/%s" CTF_INDEX_SUFFIX,
		 merge->folders[at].path, name);
	fd = is_file ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : STREAM_REPLACED;
	error = is_file && fd < 0 && errno != ENOENT ? -errno : 0;
	index_fd = open(index, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (!error)
		error = read_stream(merge, format, path, fd, index_fd);
	if (fd >= 0)
		close(fd);
	if (index_fd >= 0)
		close(index_fd);
	return error ? merge_fail(merge, path, NULL, error) : 0;
}

/* Adds all streams of a folder; the folder of indexes adds those whose stream files are gone. */
static int read_folder(struct merge *merge, const struct stream_format *format, size_t at,
		       bool is_index)
{
	const size_t suffix = sizeof(CTF_INDEX_SUFFIX) - 1;
	char path[PATH_MAX], name[NAME_MAX + 1];
	struct dirent *entry;
	struct stat status;
	bool is_file;
	int error = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "%s%s", merge->folders[at].path,
		 is_index ? "/" CTF_INDEX_DIRECTORY : "");
	folder = opendir(path);
	if (!folder)
		return is_index && errno == ENOENT ? 0 : merge_fail(merge, path, NULL, -errno);
	while (!error && (entry = readdir(folder))) {
		size_t length = strlen(entry->d_name);

		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "metadata") == 0 ||
		    fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
		    S_ISDIR(status.st_mode))
			continue;
		if (is_index && (!S_ISREG(status.st_mode) || length <= suffix ||
				 strcmp(entry->d_name + length - suffix, CTF_INDEX_SUFFIX) != 0))
			continue;
		is_file = S_ISREG(status.st_mode);
		snprintf(name, sizeof(name), "%.*s", (int)(length - (is_index ? suffix : 0)),
			 entry->d_name);
		snprintf(path, sizeof(path), "%s/%s", merge->folders[at].path, name);
		if (!is_index || (lstat(path, &status) < 0 && errno == ENOENT))
			error = add_source(merge, format, at, name, is_file);
	}
	closedir(folder);
	return error;
}

int merge_read(struct merge *merge, const struct stream_format *format, size_t at)
{
	size_t before = merge->nr_packets;
	int error = read_folder(merge, format, at, false);

	if (!error)
		error = read_folder(merge, format, at, true);
	merge->folders[at].has_packets = merge->nr_packets > before;
	return error;
}
