/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* Files and folders by name in a folder that somebody else may change: what is refused, and why. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/beneath.h"
#include "common/base/remove-tree.h"
#include "tests/utils/tap.h"
#include "tests/utils/trace-kit.h"

#define OTHER 65534

static int folder, fds_before;

static bool swap_tree; /* once: a folder becomes a link when it was seen to be one */

/* In place of the C library's. */
int unlinkat(int dir, const char *name, int flags)
{
	int result = (int)syscall(SYS_unlinkat, dir, name, flags);

	if (swap_tree && strcmp(name, "below") == 0) {
		swap_tree = false;
		renameat(dir, name, dir, "aside");
		(void)!symlinkat("../keep", dir, name);
		errno = EISDIR;
	}
	return result;
}

static void put(const char *name, const char *text)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd) < 0)
		bail_out("%s: %s", name, strerror(errno));
}

static long size_of(const char *name)
{
	struct stat status;

	return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ? -1 : status.st_size;
}

static void refused(int result, const char *name, const char *what)
{
	ok(result == -BENEATH_REFUSED && strstr(beneath_why(result), name) &&
		   strstr(beneath_why(result), what),
	   "refused: %s", result < 0 ? beneath_why(result) : "it is not");
	if (result >= 0)
		close(result);
}

static int open_for_writing(const char *name)
{
	return beneath_open(folder, name, O_RDWR | O_CREAT | O_TRUNC, 0600, geteuid());
}

static void test_files(void)
{
	int fd;

	fd = open_for_writing("new");
	ok(fd >= 0 && size_of("new") == 0, "a file is made");
	close(fd);
	put("file", "file");
	is(symlinkat("file", folder, "link"), 0, "a link");
	refused(open_for_writing("link"), "/link", "symbolic link");
	mkfifoat(folder, "fifo", 0600);
	refused(open_for_writing("fifo"), "/fifo", "FIFO");
	refused(beneath_open(folder, "fifo", O_WRONLY, 0, geteuid()), "/fifo", "FIFO");
	refused(beneath_open(folder, "fifo", O_RDONLY, 0, geteuid()), "/fifo", "FIFO");
	mkdirat(folder, "folder", 0700);
	refused(open_for_writing("folder"), "/folder", "is a folder");
	linkat(folder, "file", folder, "hard", 0);
	refused(open_for_writing("hard"), "/hard", "hard links");
	is(size_of("file"), 4, "which is not cut for it");
	unlinkat(folder, "hard", 0);
	is(beneath_open(folder, "none", O_RDONLY, 0, geteuid()), -ENOENT, "one that is none");
	ok(beneath_open(folder, "../file", O_RDONLY, 0, geteuid()) < 0, "nor out of the folder");
	fd = open_for_writing("file");
	ok(fd >= 0 && size_of("file") == 0, "what is its owner's, it is cut");
	close(fd);
}

static void test_lease(void)
{
	int held;

	signal(SIGIO, SIG_IGN);
	put("leased", "text");
	held = openat(folder, "leased", O_RDWR);
	if (fcntl(held, F_SETLEASE, F_WRLCK) < 0) {
		skip(2, "no leases here: %s", strerror(errno));
		close(held);
		return;
	}
	refused(open_for_writing("leased"), "/leased", "lease");
	is(size_of("leased"), 4, "and is as it was");
	close(held);
}

static void test_create(void)
{
	int fd;

	put("mine", "mine");
	linkat(folder, "mine", folder, "second", 0);
	fd = beneath_create(folder, "second", 0600);
	ok(fd >= 0 && size_of("second") == 0 && size_of("mine") == 4,
	   "a new file takes the place of a hard link");
	close(fd);
	fd = beneath_create(folder, "fifo", 0600);
	ok(fd >= 0 && size_of("fifo") == 0, "and of a FIFO");
	close(fd);
}

static void test_folders(void)
{
	int fd = beneath_make_directory(folder, "made", 0700, geteuid());

	ok(fd >= 0, "a folder is made");
	is(beneath_check_same(folder, "made", fd), 0, "its name leads to it");
	renameat(folder, "made", folder, "moved");
	refused(beneath_check_same(folder, "made", fd), "/made", "moved away");
	mkdirat(folder, "made", 0700);
	refused(beneath_check_same(folder, "made", fd), "/made", "another folder");
	close(fd);
	refused(beneath_make_directory(folder, "mine", 0700, geteuid()), "/mine", "no folder");
	is(beneath_owner(folder), geteuid(), "what we make here is ours");
	is(size_of(".lttngmap.owner"), -1, "and nothing is left of it");
}

static void test_owner(void)
{
	int fd;

	if (geteuid() != 0) {
		skip(5, "only root can be two users");
		return;
	}
	mkdirat(folder, "theirs", 0777);
	put("their-file", "text");
	(void)!fchownat(folder, "theirs", OTHER, OTHER, 0);
	(void)!fchownat(folder, "their-file", OTHER, OTHER, 0);
	refused(beneath_open_directory(folder, "theirs", 0), "/theirs", "another user");
	fd = beneath_open_directory(folder, "theirs", BENEATH_ANYBODY);
	ok(fd >= 0, "but where the owner does not matter");
	close(fd);
	refused(open_for_writing("their-file"), "/their-file", "another user");
	is(symlinkat("folder", folder, "path"), 0, "a link of root's");
	fd = beneath_open_path(trace_kit_path("path/below/it"), 0700);
	ok(fd >= 0, "is followed on the way to a path");
	close(fd);
	(void)!fchownat(folder, "path", OTHER, OTHER, AT_SYMLINK_NOFOLLOW);
	refused(beneath_open_path(trace_kit_path("path/again"), 0700), "/path", "another user");
}

static void test_path(void)
{
	int fd = beneath_open_path(trace_kit_path("a/b//c/./d"), 0700);
	char name[NAME_MAX + 1];
	struct stat status;

	ok(fd >= 0 && stat(trace_kit_path("a/b/c/d"), &status) == 0, "the folders of a path");
	close(fd);
	is(symlinkat("round", folder, "round"), 0, "a link onto itself");
	is(beneath_open_path(trace_kit_path("round/x"), 0700), -ELOOP, "ends nowhere");
	is(beneath_open_path(trace_kit_path("mine/x"), 0700), -ENOTDIR, "nor does a file");
	is(beneath_open_path(trace_kit_path("a/missing"), 0), -ENOENT, "nothing is made unasked");
	fd = beneath_open_parent(trace_kit_path("a/b//c/new/"), name);
	ok(fd >= 0 && strcmp(name, "new") == 0 && faccessat(fd, "d", F_OK, 0) == 0,
	   "the folder that a name stands in");
	close(fd);
	is(beneath_open_parent(trace_kit_path("a/missing/new"), name), -ENOENT, "it is not made");
	is(beneath_open_parent("/", name), -ENOENT, "a path without a name has none");
	is(trace_kit_open_fds(), fds_before + 1, "every descriptor is closed again");
}

static void test_remove(void)
{
	int fd;

	mkdirat(folder, "keep", 0700);
	put("keep/kept", "kept");
	mkdirat(folder, "tree", 0700);
	mkdirat(folder, "tree/below", 0700);
	put("tree/below/file", "text");
	(void)!symlinkat("../keep", folder, "tree/link");
	swap_tree = true;
	remove_tree(trace_kit_path("tree"));
	ok(!swap_tree && size_of("keep/kept") == 4,
	   "no removal goes through a link of that moment");
	remove_tree(trace_kit_path("tree"));
	is(size_of("tree"), -1, "the next one removes it all");
	is(size_of("keep/kept"), 4, "and follows no link");
	fd = beneath_open_real(trace_kit_path("keep"));
	ok(fd >= 0, "a path without a link");
	close(fd);
	(void)!symlinkat(".", folder, "dot");
	ok(beneath_open_real(trace_kit_path("dot/keep")) < 0, "and one with one");
}

int main(void)
{
	fds_before = trace_kit_open_fds();

	folder = open(trace_kit_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	test_files();
	test_lease();
	test_create();
	test_folders();
	test_owner();
	test_remove();
	test_path();
	close(folder);
	return done_testing();
}
