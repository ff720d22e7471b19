/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/recover/recover-source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/base/log.h"
#include "sessiond/base/memory.h"

#define MEMFD_NAME "/memfd:lttngmap-ring-"

/* One line of a process's maps. */
struct mapped {
	uint64_t inode;
	uint32_t pid;
	struct recover_segment segment;
};

struct recover_sources {
	int dir;
	dev_t device;          /* of all memfds */
	struct mapped *mapped; /* by inode, then process */
	size_t nr_mapped;
	size_t room;
};

/* ---- what is mapped ---------------------------------------------------------------- */

/* Is it a ring's memory? A file of that name on a file system of anybody's is none. */
static bool parse_line(const struct recover_sources *sources, const char *line,
		       struct mapped *mapped)
{
	unsigned int major, minor;
	uint64_t start, end, offset, inode;

	if (!strstr(line, MEMFD_NAME) ||
	    sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64, &start, &end,
		   &offset, &major, &minor, &inode) != 6 ||
	    end <= start || makedev(major, minor) != sources->device)
		return false;
	mapped->inode = inode;
	mapped->segment = (struct recover_segment){
		.offset = offset,
		.size = end - start,
		.address = start,
	};
	return true;
}

static int add(struct recover_sources *sources, const struct mapped *mapped)
{
	struct mapped *more;

	if (sources->nr_mapped == sources->room) {
		sources->room = sources->room ? 2 * sources->room : 256;
		more = reallocarray(sources->mapped, sources->room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		sources->mapped = more;
	}
	sources->mapped[sources->nr_mapped++] = *mapped;
	return 0;
}

static FILE *open_maps(int process)
{
	int fd = openat(process, "maps", O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (!file && fd >= 0)
		close(fd);
	return file;
}

/* Skips a process that ended meanwhile, or that this one may not look into. */
static int scan_process(struct recover_sources *sources, int process, uint32_t pid)
{
	FILE *file = open_maps(process);
	struct mapped mapped = { .pid = pid };
	char *line = NULL;
	size_t size = 0;
	int error = 0;

	while (error == 0 && file && getline(&line, &size, file) > 0)
		if (parse_line(sources, line, &mapped))
			error = add(sources, &mapped);
	free(line);
	if (file)
		fclose(file);
	return error;
}

static int compare(const void *a, const void *b)
{
	const struct mapped *one = a, *two = b;

	if (one->inode != two->inode)
		return one->inode < two->inode ? -1 : 1;
	return one->pid < two->pid ? -1 : one->pid > two->pid;
}

/* The kernel keeps all memfds on one file system, which nobody can mount. */
static int find_device(struct recover_sources *sources)
{
	int fd = memfd_create("lttngmap-recover", MFD_CLOEXEC);
	struct stat status;
	int error = fd < 0 || fstat(fd, &status) != 0 ? -errno : 0;

	if (error == 0)
		sources->device = status.st_dev;
	if (fd >= 0)
		close(fd);
	return error;
}

static int scan(struct recover_sources *sources)
{
	int error = find_device(sources);
	DIR *proc = error ? NULL : opendir("/proc");
	const struct dirent *entry;

	if (!proc)
		return error ? error : -errno;
	while (error == 0 && (entry = readdir(proc))) {
		uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		int process;

		if (pid == 0)
			continue;
		process = openat(dirfd(proc), entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (process < 0)
			continue;
		error = scan_process(sources, process, pid);
		close(process);
	}
	closedir(proc);
	if (sources->nr_mapped)
		qsort(sources->mapped, sources->nr_mapped, sizeof(*sources->mapped), compare);
	return error;
}

int recover_sources_open(int dir, struct recover_sources **result)
{
	struct recover_sources *sources = calloc(1, sizeof(*sources));
	int error = 0;

	*result = NULL;
	if (!sources)
		return -ENOMEM;
	sources->dir = dir;
	if (dir < 0)
		error = scan(sources);
	if (error) {
		recover_sources_close(sources);
		return error;
	}
	*result = sources;
	return 0;
}

void recover_sources_close(struct recover_sources *sources)
{
	if (sources)
		free(sources->mapped);
	free(sources);
}

/* ---- one memory -------------------------------------------------------------------- */

/*
 * The segments that the very process has, whose `mem` is open, so that neither an
 * exec nor another process of the same number can come in between.
 */
static int find_segments(const struct recover_sources *sources, struct recover_source *source,
			 int process, uint64_t inode)
{
	FILE *file = open_maps(process);
	struct mapped mapped;
	char *line = NULL;
	size_t size = 0;

	source->nr_segments = 0;
	while (file && source->nr_segments < RECOVER_PIECES_MAX && getline(&line, &size, file) > 0)
		if (parse_line(sources, line, &mapped) && mapped.inode == inode)
			source->segments[source->nr_segments++] = mapped.segment;
	free(line);
	if (file)
		fclose(file);
	return source->nr_segments ? 0 : -ENOENT;
}

/*
 * True if the daemon made the memfd: it has the daemon's name and seals. Inode numbers are reused.
 */
static bool is_daemons(const struct recover_sources *sources, int fd, uint64_t inode)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat status;

	return fstat(fd, &status) == 0 && status.st_dev == sources->device &&
	       status.st_ino == inode && status.st_uid == geteuid() && seals >= 0 &&
	       (seals & MEMORY_SEALS) == MEMORY_SEALS;
}

/*
 * Root's way: the memfd itself, which nobody takes away. Other users get the memory of their own
 * processes alone. 0; -EPERM: it is not the daemon's.
 */
static int open_map_file(const struct recover_sources *sources, struct recover_source *source,
			 int process, uint64_t inode)
{
	const struct recover_segment *segment = source->segments;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "map_files/%" PRIx64 "-%" PRIx64, segment->address,
		 segment->address + segment->size);
	fd = openat(process, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (!is_daemons(sources, fd, inode)) {
		close(fd);
		return -EPERM;
	}
	close(source->fd);
	source->fd = fd;
	source->nr_segments = 1;
	source->segments[0] = (struct recover_segment){ .size = INT64_MAX };
	return 0;
}

static int open_process(const struct recover_sources *sources, struct recover_source *source,
			uint32_t pid, uint64_t inode)
{
	char path[32];
	int error, process;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process < 0)
		return -ENOENT;
	source->fd = openat(process, "mem", O_RDONLY | O_CLOEXEC);
	if (source->fd < 0)
		error = errno == ENOENT || errno == ESRCH ? -ENOENT : -EACCES;
	else
		error = find_segments(sources, source, process, inode);
	if (error == 0)
		error = open_map_file(sources, source, process, inode);
	close(process);
	if (error)
		recover_source_close(source);
	return error;
}

/* A descriptor, or -errno. */
static int open_in_folder(int dir, uint64_t folder, uint64_t number)
{
	char name[MEMORY_FILE_NAME_SIZE];
	int fd, in;

	memory_file_name(folder, name);
	in = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (in < 0)
		return -errno;
	memory_file_name(number, name);
	fd = openat(in, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(in);
	return fd;
}

static int open_file(struct recover_source *source, int dir, uint64_t folder, uint64_t number)
{
	struct stat status;
	int error = 0;

	source->fd = open_in_folder(dir, folder, number);
	if (source->fd < 0)
		return source->fd;
	if (fstat(source->fd, &status) != 0 || !S_ISREG(status.st_mode) ||
	    status.st_uid != geteuid())
		error = -EPERM;
	if (error)
		recover_source_close(source);
	source->nr_segments = 1;
	source->segments[0] = (struct recover_segment){ .size = INT64_MAX };
	return error;
}

int recover_source_find(const struct recover_sources *sources, uint64_t folder, uint64_t file,
			struct recover_source *source)
{
	int error = -ENOENT;
	uint32_t last = 0;

	*source = (struct recover_source){ .fd = -1 };
	if (file == 0)
		return -ENOENT;
	if (sources->dir >= 0)
		return open_file(source, sources->dir, folder, file);
	for (size_t i = 0; error && i < sources->nr_mapped; i++) {
		const struct mapped *mapped = &sources->mapped[i];
		int one;

		if (mapped->inode != file || mapped->pid == last)
			continue;
		last = mapped->pid;
		one = open_process(sources, source, mapped->pid, file);
		if (one == -EPERM)
			log_warning("process %u has a memory that passes for one of the daemon's: "
				    "it is not read",
				    mapped->pid);
		/* One who may be looked into is enough. */
		if (one == 0 || one == -EACCES)
			error = one;
	}
	return error;
}

/* Reads as much as one segment has. */
static int read_some(const struct recover_source *source, uint64_t offset, void *bytes,
		     uint64_t size, uint64_t *done)
{
	for (uint32_t i = 0; i < source->nr_segments; i++) {
		const struct recover_segment *segment = &source->segments[i];
		uint64_t at = offset - segment->offset;
		ssize_t got;

		if (offset < segment->offset || at >= segment->size)
			continue;
		if (size > segment->size - at)
			size = segment->size - at;
		do
			got = pread(source->fd, bytes, size, (off_t)(segment->address + at));
		while (got < 0 && errno == EINTR);
		if (got <= 0)
			return got < 0 ? -errno : -ENODATA;
		*done = (uint64_t)got;
		return 0;
	}
	return -ENODATA;
}

int recover_source_read(const struct recover_source *source, uint64_t offset, void *bytes,
			uint64_t size)
{
	char *at = bytes;
	uint64_t done = 0;
	int error = 0;

	while (error == 0 && size > 0) {
		error = read_some(source, offset, at, size, &done);
		if (error)
			break;
		at += done;
		offset += done;
		size -= done;
	}
	return error;
}

void recover_source_close(struct recover_source *source)
{
	if (source->fd >= 0)
		close(source->fd);
	source->fd = -1;
}
