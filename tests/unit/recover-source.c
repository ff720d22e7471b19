/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Which memory of a process is the daemon's: a sealed memfd of its own. Not a file with the same
 * name and inode number on a file system of somebody's, nor a memfd that has no seals or another
 * owner, though its process comes first.
 */
#include "sessiond/recover/recover-source.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/utils/tap.h"

#define SIZE 4096
#define NAME "lttngmap-ring-set"
#define STRANGER 64128
/* Files that are made until one has the number: some seconds. */
#define FILES_MAX 5000000

static int make_memfd(int seals)
{
	int fd = memfd_create(NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, SIZE) != 0 || pwrite(fd, "mine", 5, 0) != 5 ||
	    fcntl(fd, F_ADD_SEALS, seals) != 0)
		bail_out("no memfd: %s", strerror(errno));
	return fd;
}

static uint64_t inode_of(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

/* A process that has the file mapped. */
static pid_t start_holder(int fd)
{
	int ready[2];
	char byte;
	pid_t child;

	if (pipe(ready) != 0)
		bail_out("pipe");
	child = fork();
	if (child == 0) {
		if (mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED)
			(void)!write(ready[1], "r", 1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		bail_out("a file is not mapped");
	close(ready[0]);
	return child;
}

static void end_holder(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* 0 and its first bytes in `text`, or why the memory is not found. */
static int find(uint64_t inode, char text[8])
{
	struct recover_sources *sources;
	struct recover_source source;
	int error = recover_sources_open(-1, &sources);

	if (error == 0)
		error = recover_source_find(sources, 0, inode, &source);
	if (error == 0) {
		error = recover_source_read(&source, 0, text, 8);
		recover_source_close(&source);
	}
	recover_sources_close(sources);
	return error;
}

static void test_memfd(const char *name, int seals, uid_t owner, int expected)
{
	char text[8] = "";
	int fd, error;
	pid_t child;

	if (seteuid(owner) != 0)
		bail_out("seteuid");
	fd = make_memfd(seals);
	if (seteuid(getuid()) != 0)
		bail_out("seteuid");
	child = start_holder(fd);
	error = find(inode_of(fd), text);
	is(error, expected, name);
	end_holder(child);
	close(fd);
}

/* A file of the memfd's name and number, on a file system of its own; -1: not to be had. */
static int make_impostor(uint64_t inode)
{
	char directory[] = "/tmp/lttngmap-test.XXXXXX", path[64];
	int fd = -1;

	if (!mkdtemp(directory) || unshare(CLONE_NEWNS) != 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", directory, "tmpfs", 0, "inode64") != 0)
		bail_out("no tmpfs: %s", strerror(errno));
	snprintf(path, sizeof(path), "%s/memfd:" NAME, directory);
	for (int i = 0; i < FILES_MAX; i++) {
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 || inode_of(fd) == inode)
			break;
		close(fd);
		fd = -1;
		unlink(path);
	}
	if (fd >= 0 && pwrite(fd, "theirs", 7, 0) != 7)
		bail_out("tmpfs");
	if (fd >= 0 && ftruncate(fd, SIZE) != 0)
		bail_out("tmpfs");
	umount2(directory, MNT_DETACH);
	rmdir(directory);
	return fd;
}

static void test_impostor(void)
{
	int fd = make_memfd(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), other;
	uint64_t inode = inode_of(fd);
	char text[8] = "";
	pid_t first, second;

	other = inode < FILES_MAX ? make_impostor(inode) : -1;
	if (other < 0) {
		skip(2, "inode number %llu takes too long", (unsigned long long)inode);
		return;
	}
	is(inode_of(other), inode, "a file has the memory's inode number");
	first = start_holder(other);
	second = start_holder(fd);
	if (find(inode, text) != 0)
		text[0] = '\0';
	is_string(text, "mine", "and is not taken for it");
	end_holder(first);
	end_holder(second);
	close(other);
	close(fd);
}

int main(void)
{
	int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

	test_memfd("a memory of the daemon's is found", seals, geteuid(), 0);
	if (geteuid() != 0) {
		skip(4, "other users' memory is root's to look at");
		return done_testing();
	}
	test_memfd("none that can be made smaller", F_SEAL_GROW, 0, -ENOENT);
	test_memfd("nor another user's", seals, STRANGER, -ENOENT);
	test_impostor();
	return done_testing();
}
