/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * What a process can do to each kind of memory that it is handed, attempt by
 * attempt, and what the daemon itself still can.
 */
#include "sessiond/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <numa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <grp.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "sessiond/memory/memory-set.h"
#include "sessiond/memory/memory-stock.h"
#include "sessiond/base/ring-sweeper.h"
#include "tests/utils/tap.h"

#define PAGES 8u

static uint64_t page;

/* Each attempt gives 0, or the errno that it was refused with. */
static int map_with(int fd, int protection, int flags)
{
	void *map = mmap(NULL, page, protection, flags, fd, 0);

	if (map == MAP_FAILED)
		return errno;
	munmap(map, page);
	return 0;
}

static int try_read_map(int fd)
{
	return map_with(fd, PROT_READ, MAP_SHARED);
}
static int try_write_map(int fd)
{
	return map_with(fd, PROT_WRITE, MAP_SHARED);
}
static int try_rw_map(int fd)
{
	return map_with(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
}

static int try_mprotect(int fd)
{
	void *map = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	int error;

	if (map == MAP_FAILED)
		return -1;
	error = mprotect(map, page, PROT_READ | PROT_WRITE) ? errno : 0;
	munmap(map, page);
	return error;
}

static int try_write(int fd)
{
	return pwrite(fd, "x", 1, 0) == 1 ? 0 : errno;
}
static int try_shrink(int fd)
{
	return ftruncate(fd, 0) ? errno : 0;
}
static int try_grow(int fd)
{
	return ftruncate(fd, (off_t)(2 * PAGES * page)) ? errno : 0;
}
static int try_seal(int fd)
{
	return fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) ? errno : 0;
}

static int try_punch(int fd)
{
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)page) ? errno
											 : 0;
}

static int try_remove(int fd)
{
	void *map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int error;

	if (map == MAP_FAILED)
		map = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	error = madvise(map, page, MADV_REMOVE) ? errno : 0;
	munmap(map, page);
	return error;
}

static bool make_immutable(int fd)
{
	int flags;

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0)
		return false;
	flags |= FS_IMMUTABLE_FL;
	return ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
}

/* May this process do so, and can its kernel? */
static bool can_make_immutable(void)
{
	int fd = memfd_create("immutable", MFD_CLOEXEC);
	bool can = fd >= 0 && make_immutable(fd);

	close(fd);
	return can;
}

/* Through /proc, which gives a new open file of the same inode. */
static int reopened(int fd, int (*attempt)(int fd))
{
	char path[64];
	int error;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno;
	error = attempt(fd);
	close(fd);
	return error;
}

static int try_reopen_write(int fd)
{
	return reopened(fd, try_write);
}
static int try_reopen_map(int fd)
{
	return reopened(fd, try_rw_map);
}
static int try_reopen_shrink(int fd)
{
	return reopened(fd, try_shrink);
}

static const struct attempt {
	const char *name;
	int (*attempt)(int fd);
	/* What is expected of a control memory, of the rings', and of theirs where they are
	 * immutable. */
	int control, ring, immutable;
} attempts[] = {
	{ "map it to read", try_read_map, 0, 0, 0 },
	{ "map it to write", try_write_map, EPERM, 0, 0 },
	{ "map it to read and write", try_rw_map, EPERM, 0, 0 },
	{ "make a map writable", try_mprotect, EACCES, 0, 0 },
	{ "write(2)", try_write, EPERM, 0, 0 },
	{ "punch a hole", try_punch, EPERM, 0, EPERM },
	{ "remove its pages", try_remove, EACCES, 0, EPERM },
	{ "shrink it", try_shrink, EPERM, EPERM, EPERM },
	{ "grow it", try_grow, EPERM, EPERM, EPERM },
	{ "add a seal", try_seal, EPERM, EPERM, EPERM },
	{ "reopen and write", try_reopen_write, EPERM, 0, EPERM },
	{ "reopen and map", try_reopen_map, EPERM, 0, EPERM },
	{ "reopen and shrink", try_reopen_shrink, EPERM, EPERM, EPERM },
};

static void test_seals(bool is_control, const char *name)
{
	bool is_immutable = can_make_immutable();
	struct memory memory;

	is(is_control ? memory_create(PAGES * page - 1, &memory)
		      : memory_create_rings(NULL, 0, (PAGES - 2) * page - 1, page + 1, &memory),
	   0, name);
	is(memory.size, PAGES * page, "whole pages");
	is(memory.mapped_from, is_control ? 0 : (PAGES - 2) * page, "what the daemon maps");
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		int ring = is_immutable ? attempts[i].immutable : attempts[i].ring;
		int expected = is_control ? attempts[i].control : ring;
		int got = attempts[i].attempt(memory.fd);

		ok(got == expected, "%s: %s: %s", name, attempts[i].name, strerror(got));
	}
	memset(memory.map, 0x5a, memory.size - memory.mapped_from);
	ok(((char *)memory.map)[memory.size - memory.mapped_from - 1] == 0x5a,
	   "%s: the daemon writes it", name);
	memory_destroy(&memory);
	is(memory.fd, -1, "destroyed");
}

/* As files: room is made when they are made, and through the map. */
static void test_room(void)
{
	char dir[] = "/tmp/lttngmap-memory.XXXXXX";
	uint64_t last = 0, folder;
	struct memory_place place = { .last = &last };
	struct ring_sweeper sweeper;
	struct memory rings;
	struct stat status;

	if (!mkdtemp(dir))
		bail_out("there is no directory");
	place.dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ring_sweeper_start(place.dir, &sweeper) != 0)
		bail_out("there is no sweeper");
	place.sweeper = sweeper.fd;
	is(mkdirat(place.dir, "ring-1", 0700), 0, "a folder that was left there");
	is(memory_make_folder(&place, &folder), 0, "a folder");
	is(folder, 2, "is another one");
	is(memory_create_rings(&place, folder, PAGES * page, 2 * page, &rings), 0, "rings: a file");
	ok(fstat(rings.fd, &status) == 0 && (uint64_t)status.st_blocks * 512 >= (PAGES + 2) * page,
	   "with its room");
	is(memory_reserve(&rings, 8, page), 0, "which is there for a range");
	is(ftruncate(rings.fd, 0), 0, "a file that its process cut short");
	is(memory_reserve(&rings, page, page), -ENOSPC, "has none, and that is an error");
	memory_destroy(&rings);
	is(unlinkat(place.dir, "ring-1", AT_REMOVEDIR), 0, "what was left is left");
	is(faccessat(place.dir, "ring-2/ring-3", F_OK, 0), 0, "files stay");
	memory_drop_folder(&place, folder);
	ring_sweeper_end(&sweeper, 10000);
	close(place.dir);
	is(rmdir(dir), 0, "no file is left");
}

static unsigned int count_fds(void)
{
	unsigned int count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void test_set(void)
{
	struct memory_set_config config = { .saved_state = NULL };
	struct memory_set *set;
	unsigned int before;

	if (saved_state_create(4, &config.saved_state) != 0)
		bail_out("there is no saved state");
	before = count_fds();
	is(memory_set_create(&config, &set), 0, "a set of memories");
	is(count_fds(), before + 1, "has nothing but a doorbell");
	ok(fcntl(set->doorbell, F_GETFL) & O_NONBLOCK, "… that no program waits at");
	ok(!memory_set_rings(set, 1) && !memory_set_fits(set, 1, page, page), "and no rings");
	is(memory_set_fit(set, 1, 16 * page, 2 * page), 0, "which are made for a slot");
	is(count_fds(), before + 2, "one descriptor");
	is(memory_set_fit(set, 1, 15 * page, page), 0, "they are asked for again");
	is(set->rings[1].size, 18 * page, "and kept, where they suffice");
	is(memory_set_fit(set, 1, 16 * page, 3 * page), 0, "they are too small");
	is(set->rings[1].size, 19 * page, "and are replaced");
	is(count_fds(), before + 2, "by one descriptor");
	memory_set_rings(set, 1)->lock = 7;
	((char *)memory_set_rings(set, 1))[page] = 7;
	memory_set_zero(set, 1, page);
	is(memory_set_rings(set, 1)->lock, 0, "a slot's ring control is made zeros");
	is(((char *)memory_set_rings(set, 1))[page], 7, "as much of it as was used");
	is(memory_set_fit(set, 2, page, page), 0, "rings that are still to be read");
	is(memory_set_fit(set, 3, page, page), 0, "rings of a set that somebody has");
	memory_set_use(set, 3);
	memory_set_close_fds(set, 1 << 2);
	ok(set->rings[1].fd < 0 && set->rings[2].fd >= 0 && set->rings[3].fd >= 0,
	   "what the process alone needed is closed");
	memory_set_unuse(set, 3);
	ok(set->rings[3].fd < 0, "the set's are, when it ends");
	memory_set_put(set);
	is(count_fds(), before, "and all at the end");
	saved_state_destroy(config.saved_state);
}

/* Numbers of descriptors from some on are for sockets. */
static void test_last_descriptors(void)
{
	struct memory_set_config config = { .saved_state = NULL };
	struct memory_set *set, *late = NULL;
	int next;

	if (saved_state_create(4, &config.saved_state) != 0)
		bail_out("there is no saved state");
	next = dup(0);
	close(next);
	config.descriptors = next + 2;
	is(memory_set_create(&config, &set), 0, "a set whose descriptor is not among the last");
	is(memory_set_fit(set, 1, page, page), 0, "nor that of its rings");
	is(memory_set_fit(set, 2, page, page), -EMFILE, "rings get none of the last");
	is(memory_set_create(&config, &late), -EMFILE, "nor do sets");
	is(dup(0), next + 2, "whose descriptors are closed");
	close(next + 2);
	memory_set_put(set);
	saved_state_destroy(config.saved_state);
}

/*
 * The daemon's control group has the pages that the daemon reads: a process's own group may be
 * full, and the daemon would wait for it when a page comes back from swap.
 */
static void test_charged(void)
{
	unsigned char resident[PAGES + 1];
	struct memory memory;
	unsigned int there = 0;

	if (memory_create_rings(NULL, 0, page, PAGES * page, &memory) != 0 ||
	    mincore(memory.map, PAGES * page, resident) != 0)
		bail_out("there are no rings");
	for (unsigned int i = 0; i < PAGES; i++)
		there += resident[i] & 1;
	is(there, PAGES, "all control of rings is there before a process touches it");
	memory_destroy(&memory);
}

/* Memories of rings that are made before a process asks for them. */
static void test_stock(void)
{
	struct memory_set_config config = { .saved_state = NULL };
	struct memory_stock stock = { .wanted = 2 };
	struct memory_set *set;
	unsigned int before;

	if (saved_state_create(4, &config.saved_state) != 0)
		bail_out("there is no saved state");
	config.stock = &stock;
	is(memory_set_create(&config, &set), 0, "a set that may have what is ready");
	before = count_fds();
	ok(!memory_stock_refill(&stock), "nothing is made before a channel needs it");
	memory_stock_expect(&stock, 1, 4 * page, page);
	ok(memory_stock_refill(&stock) && memory_stock_refill(&stock), "then as many are made");
	ok(!memory_stock_refill(&stock), "as are wanted");
	is(count_fds(), before + 2, "a descriptor each");
	is(memory_set_fit(set, 2, 4 * page, 2 * page), 0, "rings of another size");
	is(stock.count, 2, "are made when they are asked for");
	is(memory_set_fit(set, 1, 4 * page, page), 0, "those of the size");
	is(stock.count, 1, "are there already");
	is(fcntl(set->rings[1].fd, F_GET_SEALS), MEMORY_SEALS, "sealed as any other");
	memory_stock_forget(&stock, 2);
	is(stock.count, 1, "another channel stops");
	memory_stock_forget(&stock, 1);
	ok(stock.count == 0 && !memory_stock_refill(&stock), "their channel stops, and they go");
	stock.descriptors = dup(0);
	close(stock.descriptors);
	memory_stock_expect(&stock, 1, 4 * page, page);
	ok(!memory_stock_refill(&stock), "none takes one of the last descriptors");
	memory_set_put(set);
	is(count_fds(), before - 1, "nothing is left open");
	saved_state_destroy(config.saved_state);
}

/* The policy that /proc shows for the map at `address`. */
static bool has_policy(const void *address, const char *policy)
{
	FILE *file = fopen("/proc/self/numa_maps", "re");
	char line[1024], start[32];
	bool found = false;

	snprintf(start, sizeof(start), "%lx ", (unsigned long)address);
	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, start) && strstr(line, policy))
			found = true;
	if (file)
		fclose(file);
	return found;
}

static void test_place(void)
{
	struct memory memory;
	char policy[32];
	char *ring;

	if (numa_available() < 0 || access("/proc/self/numa_maps", R_OK) != 0) {
		skip(4, "this kernel has no NUMA");
		return;
	}
	memory_create_rings(NULL, 0, PAGES * page, page, &memory);
	is(memory_place_rings(memory.fd, page, 2 * page, 1), 0, "the rings are placed");
	snprintf(policy, sizeof(policy), "prefer:%d", numa_node_of_cpu(0));
	ring = mmap(NULL, 2 * page, PROT_WRITE, MAP_SHARED, memory.fd, (off_t)page);
	ok(ring != MAP_FAILED && has_policy(ring, policy), "on the CPU's node, in a later map: %s",
	   policy);
	munmap(ring, 2 * page);
	ring = mmap(NULL, page, PROT_WRITE, MAP_SHARED, memory.fd, 0);
	ok(!has_policy(ring, policy), "what lies before them is not");
	munmap(ring, page);
	/* CPU numbers beyond the machine's have no node. */
	is(memory_place_rings(memory.fd, 0, 0, 0), -EINVAL, "no rings cannot be placed");
	memory_destroy(&memory);
}

/* What another user can do to attributes of the memory, by the descriptor that it was given. */
static int store_attribute(int fd)
{
	char path[32];

	if (setgroups(0, NULL) != 0 || setresgid(65011, 65011, 65011) != 0 ||
	    setresuid(65011, 65011, 65011) != 0)
		return ENOSYS;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (setxattr(path, "user.hoard", "x", 1, 0) == 0 ||
	    fsetxattr(fd, "user.hoard", "x", 1, 0) == 0)
		return 0;
	return errno;
}

static void test_attributes(bool is_control, const char *name)
{
	struct memory memory;
	int status = 0;
	pid_t child;

	if (geteuid() != 0) {
		skip(1, "only root can be another user");
		return;
	}
	if (is_control)
		memory_create(page, &memory);
	else
		memory_create_rings(NULL, 0, page, page, &memory);
	child = fork();
	if (child == 0)
		_exit(store_attribute(memory.fd));
	waitpid(child, &status, 0);
	/* By its mode; of an immutable one that is asked first. */
	is(WEXITSTATUS(status), !is_control && can_make_immutable() ? EPERM : EACCES, name);
	memory_destroy(&memory);
}

int main(void)
{
	struct memory none;

	page = memory_page_size();
	test_seals(true, "control");
	test_seals(false, "rings");
	is(memory_create(0, &none), -EINVAL, "no memory of no bytes");
	is(memory_create_rings(NULL, 0, 0, page, &none), -EINVAL, "nor rings");
	is(none.fd, -1, "and nothing is left of it");
	test_attributes(true, "another user keeps nothing in attributes of control");
	test_attributes(false, "nor of rings");
	test_room();
	test_set();
	test_last_descriptors();
	test_charged();
	test_stock();
	test_place();
	return done_testing();
}
