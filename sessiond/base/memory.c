/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/fs.h>
#include <numa.h>
#include <numaif.h>

#include "common/base/map-guard.h"
#include "sessiond/base/ring-sweeper.h"

/* The descriptor stays at its begin, for who gets it. */
static int write_all(int fd, const char *text, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t written = pwrite(fd, text + done, size - done, (off_t)done);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? -errno : -EIO;
		done += (size_t)written;
	}
	return 0;
}

/*
 * Others may keep what they like in extended attributes of a file that they may write, and no seal
 * forbids it. Descriptors stay what they are.
 */
static int make_memfd(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (fchmod(fd, 0400) != 0) {
		int error = -errno;

		close(fd);
		return error;
	}
	return fd;
}

int memory_create_text(const char *name, const char *text, size_t size, int *result)
{
	int fd = make_memfd(name);
	int error;

	if (fd < 0)
		return fd;
	error = write_all(fd, text, size);
	if (error == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		error = -errno;
	if (error)
		close(fd);
	else
		*result = fd;
	return error;
}

uint64_t memory_page_size(void)
{
	static uint64_t size;

	if (size == 0)
		size = (uint64_t)sysconf(_SC_PAGESIZE);
	return size;
}

static int map_to_end(struct memory *memory)
{
	uint64_t size = memory->size - memory->mapped_from;
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd,
			 (off_t)memory->mapped_from);

	if (map == MAP_FAILED)
		return -errno;
	if (memory->place && map_guard_add(map, size) != 0) {
		munmap(map, size);
		return -ENOSPC;
	}
	memory->map = map;
	/* A core dump of the daemon would write all of it out. */
	madvise(map, size, MADV_DONTDUMP);
	return 0;
}

/* Whole pages; 0: it cannot be had. */
static uint64_t round_up(uint64_t size)
{
	uint64_t page = memory_page_size();

	return size == 0 || size > INT64_MAX - page ? 0 : (size + page - 1) & ~(page - 1);
}

static int find_inode(struct memory *memory)
{
	struct stat status;

	if (fstat(memory->fd, &status) != 0)
		return -errno;
	memory->file = status.st_ino;
	return 0;
}

/*
 * An immutable file is mapped and written as before by who has it open, but fallocate() and
 * MADV_REMOVE are refused. It takes CAP_LINUX_IMMUTABLE and Linux 6.1; without them all goes on.
 */
static void forbid_holes(int fd)
{
	int flags = FS_IMMUTABLE_FL; /* a new memfd has no others */

	(void)ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

uint64_t memory_rings_control_at(uint64_t data)
{
	return round_up(data);
}

/* With all seals; `mapped_from` is set. */
static int create_memfd(const char *name, uint64_t size, int seals, struct memory *memory)
{
	int error;

	memory->fd = make_memfd(name);
	if (memory->fd < 0)
		return memory->fd;
	memory->size = size;
	if (ftruncate(memory->fd, (off_t)size) != 0)
		return -errno;
	/* Before the seals: FUTURE_WRITE refuses writable maps made later. */
	error = map_to_end(memory);
	if (error == 0)
		error = find_inode(memory);
	if (error == 0 && fcntl(memory->fd, F_ADD_SEALS, seals) != 0)
		error = -errno;
	return error;
}

int memory_create(uint64_t size, struct memory *memory)
{
	int error;

	*memory = MEMORY_NONE;
	size = round_up(size);
	if (size == 0)
		return -EINVAL;
	error = create_memfd("lttngmap-control", size, MEMORY_SEALS | F_SEAL_FUTURE_WRITE, memory);
	if (error)
		memory_destroy(memory);
	else
		/* No page that the daemon has touched goes to swap, as far as that can be had. */
		(void)mlock2(memory->map, size, MLOCK_ONFAULT);
	return error;
}

void memory_file_name(uint64_t number, char name[MEMORY_FILE_NAME_SIZE])
{
	snprintf(name, MEMORY_FILE_NAME_SIZE, "ring-%llu", (unsigned long long)number);
}

/* The names in the folder, and the folder's own. */
static int sync_folder(const struct memory_place *place, uint64_t folder)
{
	char name[MEMORY_FILE_NAME_SIZE];
	int fd, error = 0;

	memory_file_name(folder, name);
	fd = openat(place->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fsync(fd) != 0 || fsync(place->dir) != 0)
		error = -errno;
	close(fd);
	return error;
}

int memory_make_folder(const struct memory_place *place, uint64_t *folder)
{
	char name[MEMORY_FILE_NAME_SIZE];

	*folder = 0;
	if (!place)
		return 0;
	/* A folder may be there yet that an earlier daemon's sweeper hangs in. */
	do {
		memory_file_name(++*place->last, name);
		if (mkdirat(place->dir, name, 0700) == 0) {
			*folder = *place->last;
			return 0;
		}
	} while (errno == EEXIST);
	return -errno;
}

void memory_drop_folder(const struct memory_place *place, uint64_t folder)
{
	if (place && folder)
		ring_sweeper_remove(place->sweeper, folder);
}

static int create_file(const struct memory_place *place, uint64_t folder, uint64_t number)
{
	char path[2 * MEMORY_FILE_NAME_SIZE], name[MEMORY_FILE_NAME_SIZE];
	int fd;

	memory_file_name(folder, path);
	memory_file_name(number, name);
	strcat(strcat(path, "/"), name);
	fd = openat(place->dir, path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

/*
 * On DAX a page of a file that was only set aside is converted at its first store, and the
 * file system writes that down later: a panic in between would give zeros back. Pages that were
 * written need no conversion.
 */
static int write_zeros(int fd, uint64_t size)
{
	static const char zeros[1 << 16];

	for (uint64_t done = 0; done < size;) {
		size_t most = size - done < sizeof(zeros) ? (size_t)(size - done) : sizeof(zeros);
		ssize_t written = pwrite(fd, zeros, most, (off_t)done);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? -errno : -EIO;
		done += (uint64_t)written;
	}
	return 0;
}

/* The file with its room, its name, and its folder's. */
static int make_durable(const struct memory_place *place, uint64_t folder, int fd, uint64_t size)
{
	int error = write_zeros(fd, size);

	if (error)
		return error;
	if (fsync(fd) != 0)
		return -errno;
	return sync_folder(place, folder);
}

static int create_rings_file(const struct memory_place *place, uint64_t folder, uint64_t size,
			     struct memory *memory)
{
	int error;

	memory->file = ++*place->last;
	memory->fd = create_file(place, folder, memory->file);
	if (memory->fd < 0)
		return memory->fd;
	memory->place = place;
	memory->size = size;
	if (ftruncate(memory->fd, (off_t)size) != 0 ||
	    fallocate(memory->fd, 0, 0, (off_t)size) != 0)
		return -errno;
	error = place->is_dax ? make_durable(place, folder, memory->fd, size) : 0;
	return error ? error : map_to_end(memory);
}

int memory_create_rings(const struct memory_place *place, uint64_t folder, uint64_t data,
			uint64_t control, struct memory *memory)
{
	uint64_t control_at = round_up(data), control_size = round_up(control);
	int error;

	*memory = MEMORY_NONE;
	if (control_at == 0 || control_size == 0 || control_at > INT64_MAX - control_size)
		return -EINVAL;
	memory->mapped_from = control_at;
	if (place)
		error = create_rings_file(place, folder, control_at + control_size, memory);
	else
		error = create_memfd("lttngmap-ring-set", control_at + control_size, MEMORY_SEALS,
				     memory);
	if (error)
		memory_destroy(memory);
	else if (!place)
		forbid_holes(memory->fd);
	/*
	 * The kernel charges a page to the control group that touches it first, and again there
	 * when it comes back from swap. A process's group may be full, and the daemon wait for it.
	 */
	if (!error)
		madvise(memory->map, control_at + control_size - memory->mapped_from,
			MADV_POPULATE_WRITE);
	return error;
}

int memory_reserve(const struct memory *memory, uint64_t offset, uint64_t size)
{
	uint64_t page = memory_page_size(), end = offset + size;

	if (!memory->place)
		return 0;
	/* Neighbours on the same page have room anyway. */
	offset &= ~(page - 1);
	/* Through the map: fallocate() would wait for the inode's lock, which the process can hold.
	 */
	if (madvise((char *)memory->map + offset, end - offset, MADV_POPULATE_WRITE) == 0)
		return 0;
	/* EFAULT stands for SIGBUS: the file was truncated, or the file system is full. */
	return errno == EFAULT ? -ENOSPC : -errno;
}

int memory_adopt(int fd, uint64_t control_at, uint64_t file, const struct memory_place *place,
		 struct memory *memory)
{
	struct stat status;
	int error;

	*memory = MEMORY_NONE;
	if (fstat(fd, &status) != 0)
		return -errno;
	/* A process can cut its own file short. */
	if ((uint64_t)status.st_size <= control_at)
		return -ENODATA;
	memory->fd = fd;
	memory->size = (uint64_t)status.st_size;
	memory->mapped_from = control_at;
	memory->file = file;
	memory->place = place;
	error = map_to_end(memory);
	if (error)
		*memory = MEMORY_NONE;
	return error;
}

void memory_destroy(struct memory *memory)
{
	if (memory->map && memory->place)
		map_guard_remove(memory->map);
	if (memory->map)
		munmap(memory->map, memory->size - memory->mapped_from);
	if (memory->fd >= 0)
		close(memory->fd);
	*memory = MEMORY_NONE;
}

int memory_has_nodes(void)
{
	static int has_nodes = -1;

	if (has_nodes < 0)
		has_nodes = numa_available() >= 0 && numa_max_node() > 0;
	return has_nodes;
}

int memory_place_rings(int fd, uint64_t first, uint64_t ring_size, uint32_t cpu_rings)
{
	uint64_t size = ring_size * cpu_rings;
	struct bitmask *nodes;
	int error = 0;
	char *map;

	if (numa_available() < 0)
		return -EOPNOTSUPP;
	nodes = numa_allocate_nodemask();
	if (!nodes)
		return -ENOMEM;
	map = mmap(NULL, size, PROT_NONE, MAP_SHARED, fd, (off_t)first);
	if (map == MAP_FAILED) {
		error = -errno;
		goto free_nodes;
	}
	for (uint32_t cpu = 0; cpu < cpu_rings && error == 0; cpu++) {
		int node = numa_node_of_cpu((int)cpu);

		/* A CPU number without a CPU behind it: its ring stays empty. */
		if (node < 0)
			continue;
		numa_bitmask_clearall(nodes);
		numa_bitmask_setbit(nodes, (unsigned)node);
		/* Preferred and not bound: a full node must not fail a write. */
		if (mbind(map + cpu * ring_size, ring_size, MPOL_PREFERRED, nodes->maskp,
			  nodes->size + 1, 0) != 0)
			error = -errno;
	}
	munmap(map, size);
free_nodes:
	numa_free_nodemask(nodes);
	return error;
}
