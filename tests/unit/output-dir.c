/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The directory of a new trace, and a file that a command writes, in a folder of another user, who
 * replaces them at once: nothing else is written to or removed. A directory that is there is taken
 * if it is empty.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli/base/output-dir.h"
#include "cli/base/output-file.h"
#include "common/base/beneath.h"
#include "tests/utils/tap.h"

#define OTHER 65534

static char base[] = "/tmp/lttngmap-test.XXXXXX", secret[64], theirs[64];

/* The thing that replaces the directory once it was made: nothing (NULL), a link, a directory. */
static const char *swapped;

static void swap(int parent, const char *name)
{
	const char *with = swapped;

	swapped = NULL;
	if (with && renameat2(parent, name, parent, with, RENAME_EXCHANGE) != 0)
		bail_out("cannot exchange");
}

/* In place of the C library's. A sanitizer calls them, too, before it can look at them. */
#define UNSANITIZED __attribute__((no_sanitize("address", "thread")))

UNSANITIZED int mkdirat(int parent, const char *name, mode_t mode)
{
	int result = (int)syscall(SYS_mkdirat, parent, name, mode);

	if (result == 0)
		swap(parent, name);
	return result;
}

UNSANITIZED int mkdir(const char *path, mode_t mode)
{
	return mkdirat(AT_FDCWD, path, mode);
}

/* This file takes the name's place after the name was looked at; NULL: none does. */
static const char *later;

UNSANITIZED int openat(int parent, const char *name, int flags, ...)
{
	va_list arguments;
	mode_t mode;
	int fd;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	fd = (int)syscall(SYS_openat, parent, name, flags, mode);
	if (later && (flags & O_PATH) && !(flags & O_DIRECTORY)) {
		renameat(parent, later, parent, name);
		later = NULL;
	}
	return fd;
}

static void put(const char *folder, const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		bail_out("cannot make %s", path);
	close(fd);
}

static bool is_there(const char *folder, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A name of the other user's, which leads to the secret folder. */
static void link_secret(const char *name)
{
	if (symlink(secret, name) != 0 || (geteuid() == 0 && lchown(name, OTHER, OTHER) != 0))
		bail_out("cannot make a link");
}

static void test_swapped_by_link(void)
{
	struct output_dir dir;
	int error;

	link_secret("link");
	swapped = "link";
	error = output_dir_create("record", "out", NULL, &dir);
	ok(error != 0, "a directory that is replaced by a link is not taken");
	if (error == 0)
		output_dir_remove(&dir);
	ok(is_there(secret, "file"), "what the link leads to is not removed");
	unlink("out"), unlink("link"), rmdir("link");
}

static void test_swapped_later(void)
{
	struct output_dir dir;

	if (output_dir_create("record", "out", NULL, &dir) != 0)
		bail_out("no directory");
	put("out", "stream");
	link_secret("link");
	if (renameat2(AT_FDCWD, "out", AT_FDCWD, "link", RENAME_EXCHANGE) != 0)
		bail_out("cannot exchange");
	output_dir_remove(&dir);
	ok(is_there(secret, "file"), "nor is what a link leads to that came later");
	ok(!is_there("link", "stream"), "but what was written is");
	unlink("out"), rmdir("link");
}

/* The folder's owner cannot remove what is in a directory of root's there, but can rename it. */
static void test_another_directory(void)
{
	struct output_dir dir;

	if (output_dir_create("record", "out", NULL, &dir) != 0 || mkdir("earlier", 0777) != 0)
		bail_out("no directory");
	put("earlier", "stream");
	if (renameat2(AT_FDCWD, "out", AT_FDCWD, "earlier", RENAME_EXCHANGE) != 0)
		bail_out("cannot exchange");
	output_dir_remove(&dir);
	ok(is_there("out", "stream"), "nor is another directory that has its name by then");
	rename("out", "full");
	rmdir("earlier");
}

static void test_made_before(void)
{
	struct output_dir dir;

	if (mkdir("empty", 0777) != 0 || symlink("empty", "mine") != 0)
		bail_out("no directory");
	is(output_dir_create("record", "mine", NULL, &dir), 0, "a link of one's own is followed");
	ok(strcmp(strrchr(dir.path, '/'), "/empty") == 0, "its path has no link");
	output_dir_remove(&dir);
	ok(is_there(".", "empty"), "a directory that was there stays");
	is(output_dir_create("record", "full", NULL, &dir), -ENOTEMPTY, "a full one is not taken");
	is(output_dir_create("record", "missing/out", NULL, &dir), 0, "one above is made");
	output_dir_remove(&dir);
	ok(!is_there(".", "missing"), "and goes with it");
	is(output_dir_create("record", "full/stream", NULL, &dir), -ENOTDIR, "nor taken a file");
	unlink("full/stream"), rmdir("full"), unlink("mine"), rmdir("empty");
}

static void test_links(void)
{
	struct output_dir dir;
	int error;

	link_secret("link");
	error = output_dir_create("record", "link/out", NULL, &dir);
	if (geteuid() == 0) {
		ok(error && !is_there(secret, "out"), "root follows no other user's link");
	} else {
		is(error, 0, "another user follows every link, with its own rights");
		output_dir_remove(&dir);
	}
	unlink("link");
}

/* A default list of the folder's owner, by which OTHER may do all in what is made there. */
static bool give_acl(const char *folder)
{
	struct {
		uint32_t version;
		struct {
			uint16_t tag, rights;
			uint32_t user;
		} entries[5];
	} acl = { 2,
		  { { 0x01, 7, UINT32_MAX },
		    { 0x02, 7, OTHER },
		    { 0x04, 5, UINT32_MAX },
		    { 0x10, 7, UINT32_MAX },
		    { 0x20, 5, UINT32_MAX } } };

	return setxattr(folder, "system.posix_acl_default", &acl, sizeof(acl), 0) == 0;
}

static bool has_acl(const char *path)
{
	return getxattr(path, "system.posix_acl_default", NULL, 0) >= 0 ||
	       getxattr(path, "system.posix_acl_access", NULL, 0) >= 0;
}

static void test_acl(void)
{
	struct output_dir dir;
	int fd, folder;
	mode_t mask;

	if (geteuid() != 0) {
		skip(5, "only root can be two users");
		return;
	}
	if (!give_acl(theirs)) {
		skip(5, "this file system has no access control lists");
		return;
	}
	is(output_dir_create("record", "out", NULL, &dir), 0, "where a folder has a default list");
	ok(!has_acl("out"), "the directory has none");
	output_dir_remove(&dir);
	mask = umask(027);
	fd = output_file_open("page", true);
	ok(fd >= 0 && output_file_close(fd, true, 0) == 0 && !has_acl("page"), "nor has a page");
	umask(mask), unlink("page");
	folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = beneath_make_directory(folder, "made", 0770, BENEATH_ANYBODY);
	ok(fd >= 0 && !has_acl("made"), "nor has one that a consumer makes");
	close(fd), rmdir("made");
	if (chown(theirs, 0, 0) != 0)
		bail_out("cannot take the directory back");
	fd = beneath_make_directory(folder, "made", 0770, BENEATH_ANYBODY);
	ok(fd >= 0 && has_acl("made"), "root's own list is followed");
	close(fd), close(folder), rmdir("made");
	if (removexattr(theirs, "system.posix_acl_default") != 0 ||
	    chown(theirs, OTHER, OTHER) != 0)
		bail_out("cannot give the directory away");
}

/* Writes a page to that name: what output_file_open() or output_file_close() returns. */
static int write_page(const char *name)
{
	int fd = output_file_open(name, true);

	if (fd < 0)
		return fd;
	if (write(fd, "page", 4) != 4)
		bail_out("cannot write to %s", name);
	return output_file_close(fd, true, 0);
}

static bool is_page(const char *name)
{
	struct stat status;

	return lstat(name, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 4;
}

/* Takes what stands in the pipe: its bytes. */
static ssize_t bytes_in(int pipe)
{
	char bytes[16];
	ssize_t size = read(pipe, bytes, sizeof(bytes));

	return size < 0 ? 0 : size;
}

static void give_away(const char *name)
{
	if (lchown(name, OTHER, OTHER) != 0)
		bail_out("cannot give %s away", name);
}

static void test_pipes(void)
{
	char name[32];
	int fds[2], reader;

	alarm(20);
	if (mkfifo("../secret/fifo", 0600) != 0 || symlink("../secret/fifo", "page") != 0)
		bail_out("cannot make a FIFO");
	is(write_page("page"), -BENEATH_REFUSED, "a FIFO that nobody reads is not waited for");
	ok(strstr(beneath_why(-BENEATH_REFUSED), "no program reads"), "and that is said");
	reader = open("../secret/fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	is(write_page("page"), 0, "one that is read is written to, by a link of one's own");
	is(bytes_in(reader), 4, "and has the page");
	if (geteuid() == 0) {
		give_away("page");
		is(write_page("page"), 0, "root writes a file where another user's link is");
		ok(bytes_in(reader) == 0 && is_page("page"), "which is not followed");
		give_away("../secret/fifo");
		is(write_page("../secret/fifo"), -BENEATH_REFUSED, "nor is that user's FIFO used");
		is(bytes_in(reader), 0, "and nothing is in it");
	}
	close(reader), unlink("page"), unlink("../secret/fifo");
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0 ||
	    (geteuid() == 0 && fchown(fds[1], OTHER, OTHER) != 0))
		bail_out("cannot make a pipe");
	snprintf(name, sizeof(name), "/dev/fd/%d", fds[1]);
	is(write_page(name), 0, "a descriptor is written to by its name, whosever pipe it is");
	is(bytes_in(fds[0]), 4, "as standard output is");
	close(fds[0]), close(fds[1]), alarm(0);
}

static void test_file(void)
{
	struct stat status;
	int fd;

	if (mkfifo("page", 0600) != 0 || link("../secret/file", "later") != 0)
		bail_out("cannot make a FIFO");
	later = "later";
	is(write_page("page"), 0, "a file is written");
	ok(!later && is_page("page"), "where a FIFO was, and another file by then");
	ok(lstat("../secret/file", &status) == 0 && status.st_size == 0, "which is as it was");
	unlink("page");
	fd = output_file_open("/dev/null", true);
	ok(fd >= 0 && lstat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode),
	   "a device is written to directly");
	is(output_file_close(fd, true, 0), 0, "and stays");
}

int main(void)
{
	if (!mkdtemp(base))
		bail_out("cannot make a directory");
	snprintf(secret, sizeof(secret), "%s/secret", base);
	snprintf(theirs, sizeof(theirs), "%s/theirs", base);
	if (mkdir(secret, 0755) != 0 || mkdir(theirs, 0755) != 0 || chdir(theirs) != 0)
		bail_out("cannot make a directory");
	if (geteuid() == 0 && chown(theirs, OTHER, OTHER) != 0)
		bail_out("cannot give the directory away");
	put(secret, "file");
	test_swapped_by_link();
	test_swapped_later();
	test_another_directory();
	test_made_before();
	test_links();
	test_acl();
	test_pipes();
	test_file();
	unlinkat(AT_FDCWD, "../secret/file", 0);
	if (chdir("/") != 0 || rmdir(theirs) != 0 || rmdir(secret) != 0 || rmdir(base) != 0)
		diag("something is left in %s", base);
	return done_testing();
}
