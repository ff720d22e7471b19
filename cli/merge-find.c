/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "merge-parts.h"
#include "report.h"

#define FOLDERS_OPEN 16

int merge_fail(const struct merge *merge, const char *what, const char *name, int error)
{
	if (error == -ENOMEM)
		return error;
	report_error("%s: '%s%s%s': %s", merge->verb, what, name ? "/" : "", name ? name : "",
		     strerror(-error));
	return error;
}

int merge_refuse(const struct merge *merge, const char *path, const char *why)
{
	report_error("%s: '%s': %s", merge->verb, path, why);
	report_hint("only folders of one session can be merged");
	return -EINVAL;
}

/* ---- what there is ------------------------------------------------------------------ */

/* For nftw(3), which hands nothing on. */
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

static int is_index(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name), suffix = sizeof(CTF_INDEX_SUFFIX) - 1;

	return entry->d_name[0] != '.' && length > suffix &&
	       strcmp(entry->d_name + length - suffix, CTF_INDEX_SUFFIX) == 0;
}

/* A folder of indexes, whose metadata may be in another part. Nothing is passed over in silence. */
static int look_at(const char *path, const struct stat *status, int type, struct FTW *place)
{
	struct dirent **entries;
	int nr_entries;

	(void)status;
	if (type == FTW_DNR || type == FTW_NS) {
		(void)merge_fail(looking, path, NULL, -EACCES);
		return ECANCELED;
	}
	if (type == FTW_F && strcmp(path + place->base, "metadata") == 0)
		looking->has_metadata = true;
	if (type != FTW_D || place->base < 2 ||
	    strcmp(path + place->base, CTF_INDEX_DIRECTORY) != 0)
		return 0;
	nr_entries = scandir(path, &entries, is_index, NULL);
	if (nr_entries < 0)
		return errno;
	for (int i = 0; i < nr_entries; i++)
		free(entries[i]);
	free(entries);
	return nr_entries ? add_folder(looking, path, place->base - 1) : 0;
}

int merge_find(struct merge *merge, const char *directory)
{
	size_t before = merge->nr_folders;
	char *path = realpath(directory, NULL);
	int error;

	if (!path)
		return merge_fail(merge, directory, NULL, -errno);
	looking = merge;
	merge->has_metadata = false;
	error = nftw(path, look_at, FOLDERS_OPEN, FTW_PHYS);
	error = error < 0 ? -errno : -error;
	free(path);
	if (error == -ECANCELED)
		return error;
	if (error)
		return merge_fail(merge, directory, NULL, error);
	if (merge->nr_folders > before)
		return 0;
	/* Of a connection that was lost at its beginning. */
	if (merge->has_metadata) {
		report_note("'%s' has no packet that an index names", directory);
		return 0;
	}
	report_error("%s: there is no trace in '%s'", merge->verb, directory);
	report_hint("name what the collector made for each connection, as HOST/SESSION-TIME");
	return -ENOENT;
}

/* ---- packets -------------------------------------------------------------------------- */

static int add_packet(struct merge *merge, const struct ctf_index_entry *entry)
{
	size_t max = merge->max_packets ? merge->max_packets * 2 : 1024;
	const struct source *source = &merge->sources[merge->nr_sources - 1];
	struct folder *folder = &merge->folders[source->folder];
	uint64_t bits = be64toh(entry->packet_size), offset = be64toh(entry->offset);
	struct packet *packets;

	if (!bits || bits % 8 || offset > source->size || bits / 8 > source->size - offset) {
		merge->result->torn++;
		return 0;
	}
	if (merge->nr_packets == merge->max_packets) {
		packets = reallocarray(merge->packets, max, sizeof(*packets));
		if (!packets)
			return -ENOMEM;
		merge->packets = packets;
		merge->max_packets = max;
	}
	merge->packets[merge->nr_packets++] =
		(struct packet){ .source = merge->nr_sources - 1, .entry = *entry };
	if (be64toh(entry->timestamp_end) > folder->newest)
		folder->newest = be64toh(entry->timestamp_end);
	return 0;
}

/* All packets of a file say whose they are, and so the first does. */
static int check_uuid(struct merge *merge, struct folder *folder, int fd)
{
	struct ctf_packet_header header;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return 0;
	if (header.magic != CTF_PACKET_MAGIC)
		return merge_refuse(merge, folder->path,
				    "its streams are none of lttngmap's on this kind of machine");
	if (folder->has_uuid && memcmp(folder->uuid, header.uuid, sizeof(header.uuid)) != 0)
		return merge_refuse(merge, folder->path, "its streams are of several traces");
	memcpy(folder->uuid, header.uuid, sizeof(header.uuid));
	folder->has_uuid = true;
	return 0;
}

static int read_index(struct merge *merge, int fd, const char *path)
{
	struct ctf_index_entry entries[256];
	struct ctf_index_header header;
	ssize_t got = read(fd, &header, sizeof(header));
	int error = 0;

	/* Nothing was written to it. */
	if (got == 0)
		return 0;
	if (got != sizeof(header) || be32toh(header.magic) != CTF_INDEX_MAGIC ||
	    be32toh(header.entry_length) != sizeof(entries[0]))
		return merge_refuse(merge, path, "it is no index of packets that we know");
	while (!error &&
	       (got = read(fd, entries, sizeof(entries))) >= (ssize_t)sizeof(entries[0])) {
		size_t nr_entries = (size_t)got / sizeof(entries[0]);

		/* The file ends in half an entry, or the read did. */
		if (got % sizeof(entries[0]))
			(void)lseek(fd, -(off_t)(got % sizeof(entries[0])), SEEK_CUR);
		for (size_t i = 0; i < nr_entries && !error; i++)
			error = add_packet(merge, &entries[i]);
	}
	return error ? error : got < 0 ? -errno : 0;
}

static int read_stream(struct merge *merge, size_t at, const char *name)
{
	struct folder *folder = &merge->folders[at];
	char path[PATH_MAX], index[PATH_MAX];
	struct source *sources;
	struct stat status;
	int error, fd, index_fd;

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	snprintf(index, sizeof(index), "%s/" CTF_INDEX_DIRECTORY "/%s" CTF_INDEX_SUFFIX,
		 folder->path, name);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	index_fd = open(index, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	error = fd < 0 || index_fd < 0 || fstat(fd, &status) < 0 ? -errno : 0;
	sources = error ? NULL
			: reallocarray(merge->sources, merge->nr_sources + 1, sizeof(*sources));
	if (!error && !sources)
		error = -ENOMEM;
	if (!error) {
		merge->sources = sources;
		sources[merge->nr_sources++] = (struct source){ .folder = at,
								.name = strdup(name),
								.size = (uint64_t)status.st_size };
		error = sources[merge->nr_sources - 1].name ? 0 : -ENOMEM;
	}
	if (error)
		error = merge_fail(merge, path, NULL, error);
	if (!error)
		error = check_uuid(merge, folder, fd);
	if (!error)
		error = read_index(merge, index_fd, index);
	if (fd >= 0)
		close(fd);
	if (index_fd >= 0)
		close(index_fd);
	return error;
}

int merge_read(struct merge *merge, size_t at)
{
	const size_t suffix = sizeof(CTF_INDEX_SUFFIX) - 1;
	char path[PATH_MAX], name[NAME_MAX + 1];
	const struct dirent *entry;
	int error = 0;
	DIR *index;

	snprintf(path, sizeof(path), "%s/" CTF_INDEX_DIRECTORY, merge->folders[at].path);
	index = opendir(path);
	if (!index)
		return merge_fail(merge, path, NULL, -errno);
	while (!error && (entry = readdir(index))) {
		if (!is_index(entry))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(strlen(entry->d_name) - suffix),
			 entry->d_name);
		error = read_stream(merge, at, name);
	}
	closedir(index);
	return error;
}
