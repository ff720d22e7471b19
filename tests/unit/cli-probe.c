/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * cli-probe.c - definitions of probes as they are typed, and where in a file a function's
 * code is: of this very program, and of files that are broken.
 */
#include <link.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/symbols/elf-symbol.h"
#include "cli/client/probe.h"
#include "tests/utils/tap.h"

long probed_function(long number);
int probed_data = 4;

__attribute__((noinline)) long probed_function(long number)
{
	__asm__ volatile("" ::: "memory");
	return number * probed_data;
}

static struct problem problem;
static char self[PATH_MAX], directory[] = "/tmp/lttngmap-test.XXXXXX";

/* ---- texts ------------------------------------------------------------------------- */

static const char *member(struct json_object *request, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(request, key, &value) ? json_object_get_string(value) : "";
}

/* `path` NULL: a kprobe. */
static void probe_is(const char *text, const char *name, const char *path, const char *symbol,
		     const char *is_return, const char *args)
{
	struct json_object *request = json_object_new_object();
	int error = probe_parse(text, !path, request, &problem);

	ok(error == 0 && strcmp(member(request, "name"), name) == 0 &&
		   strcmp(member(request, "kind"), path ? "uprobe" : "kprobe") == 0 &&
		   strcmp(member(request, "path"), path ? path : "") == 0 &&
		   strcmp(member(request, "symbol"), symbol) == 0 &&
		   strcmp(member(request, "return"), is_return) == 0 &&
		   strcmp(member(request, "args"), args) == 0,
	   "'%s'", text);
	if (error)
		diag("%s", problem.why);
	else
		diag("%s", json_object_to_json_string(request));
	json_object_put(request);
}

static const char *found_library;

static int look_at_library(struct dl_phdr_info *info, size_t size, void *name)
{
	const char *base = strrchr(info->dlpi_name, '/');

	(void)size;
	if (base && strcmp(base + 1, name) == 0)
		found_library = info->dlpi_name;
	return 0;
}

/* Where the loader found a library that this program has. */
static const char *library_path(const char *name)
{
	dl_iterate_phdr(look_at_library, (void *)name);
	return found_library ? found_library : "";
}

static void probe_fails(const char *text, bool is_kernel, int expected, const char *why)
{
	struct json_object *request = json_object_new_object();
	int error = probe_parse(text, is_kernel, request, &problem);

	ok(error == expected && strstr(problem.why, why) && problem.hint[0], "'%.60s': %s", text,
	   why);
	if (error)
		diag("%d: %s", error, problem.why);
	json_object_put(request);
}

static void check_texts(void)
{
	char text[2 * PATH_MAX], path[PATH_MAX];

	probe_is("vfs_write", "vfs_write", NULL, "vfs_write", "", "");
	probe_is(" x=mod:f.isra.0+0x10\t a=%di  b=$comm", "x", NULL, "mod:f.isra.0", "",
		 "a=%di  b=$comm");
	probe_is("f.isra.0%return r=$retval", "f_isra_0__return", NULL, "f.isra.0", "true",
		 "r=$retval");
	probe_is("f+16", "f_0x10", NULL, "f", "", "");
	probe_fails("", true, -EINVAL, "no function");
	probe_fails("a=", true, -EINVAL, "no function");
	probe_fails("0xffff", true, -EINVAL, "no place");
	probe_fails("f+", true, -EINVAL, "no offset");
	probe_fails("f+0x", true, -EINVAL, "no offset");
	probe_fails("f+-1", true, -EINVAL, "no offset");
	probe_fails("f+99999999999999999999", true, -EINVAL, "no offset");
	probe_fails("f+4%return", true, -EINVAL, "return as a whole");

	snprintf(text, sizeof(text), "%s:probed_function a=%%di", self);
	probe_is(text, "probed_function", self, "probed_function", "", "a=%di");
	snprintf(text, sizeof(text), "n=%s:probed_function+1", self);
	probe_is(text, "n", self, "probed_function+0x1", "", "");
	snprintf(text, sizeof(text), "%s:probed_function%%return", self);
	probe_is(text, "probed_function__return", self, "probed_function", "true", "");
	snprintf(path, sizeof(path), "%s/1-self", directory);
	if (symlink(self, path) != 0 || chdir(directory) != 0)
		bail_out("no link");
	probe_is(".//./1-self:probed_function", "probed_function", path, "probed_function", "", "");
	setenv("PATH", directory, 1);
	probe_is("1-self:probed_function", "probed_function", path, "probed_function", "", "");
	probe_fails("2-self:probed_function", false, -ENOENT, "no program 2-self along PATH");
	probe_is("libc.so.6:puts", "puts", library_path("libc.so.6"), "puts", "", "");
	probe_fails("libno-such.so.9:f", false, -ENOENT, "nor a library of that name");
	probe_fails("probed_function", false, -EINVAL, "no PATH:SYMBOL");
	probe_fails(":f", false, -EINVAL, "no PATH:SYMBOL");
	probe_fails("./1-self:", false, -EINVAL, "no function");
	probe_fails("./1-self:0x", false, -EINVAL, "no place");
	probe_fails("./1-self:1", false, -ERANGE, "no code at 0x1 of");
	probe_fails("./1-self:probed_data", false, -ENOENT, "no function");
	probe_fails("./none:f", false, -ENOENT, "cannot open");
	memset(text, 'a', PATH_MAX);
	memcpy(text, "./", 2);
	strcpy(text + PATH_MAX, ":f");
	probe_fails(text, false, -ENAMETOOLONG, "cannot use");
	unlink(path);
}

/* ---- places ------------------------------------------------------------------------ */

/* What the loader says of this program. */
static int take_base(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t address = (uintptr_t)probed_function - info->dlpi_addr;
	uint64_t *offset = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_filesz)
			*offset = address - segment->p_vaddr + segment->p_offset;
	}
	return 1; /* The program itself is the first. */
}

static void check_places(void)
{
	struct elf_place place = { .offset = 0 }, second;
	uint64_t expected = 0;
	struct stat status;

	dl_iterate_phdr(take_base, &expected);
	is(elf_symbol_find(self, "probed_function", 0, &place, &problem), 0, "a function is found");
	is(place.offset, expected, "where the loader has it");
	ok(stat(self, &status) == 0 && place.device == status.st_dev &&
		   place.inode == status.st_ino,
	   "and in which file");
	is(elf_symbol_find(self, "probed_function", 1, &second, &problem), 0, "a place within it");
	is(second.offset, expected + 1, "is a byte further");
	is(elf_symbol_find(self, "probed_function", 4096, &second, &problem), -ERANGE,
	   "it ends before that");
	is(elf_symbol_find(self, "probed_function", UINT64_MAX, &second, &problem), -ERANGE,
	   "and does not begin anew");
	is(elf_symbol_find(self, "probed_functio", 0, &second, &problem), -ENOENT,
	   "a part of the name is another name");
	is(elf_symbol_find(self, "", 0, &second, &problem), -ENOENT, "so is none");
	is(elf_symbol_check(self, expected, &second, &problem), 0, "there is code");
	is(elf_symbol_check(self, UINT64_MAX, &second, &problem), -ERANGE,
	   "not beyond the file's end");
	is(elf_symbol_find("/", "f", 0, &second, &problem), -ENOEXEC, "a directory is no program");
	is(elf_symbol_find("/dev/null", "f", 0, &second, &problem), -ENOEXEC, "nor is a device");
}

/* ---- files that are broken ---------------------------------------------------------- */

static uint8_t *read_self(size_t *size)
{
	int fd = open(self, O_RDONLY | O_CLOEXEC);
	struct stat status;
	uint8_t *bytes;

	if (fd < 0 || fstat(fd, &status) != 0)
		bail_out("cannot read %s", self);
	*size = (size_t)status.st_size;
	bytes = malloc(*size);
	if (!bytes || read(fd, bytes, *size) != (ssize_t)*size)
		bail_out("cannot read %s", self);
	close(fd);
	return bytes;
}

static int find_in(const uint8_t *bytes, size_t size)
{
	char path[PATH_MAX];
	struct elf_place place;
	int fd, error;

	snprintf(path, sizeof(path), "%s/broken", directory);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		bail_out("cannot write %s", path);
	close(fd);
	error = elf_symbol_find(path, "probed_function", 0, &place, &problem);
	unlink(path);
	return error;
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* All places where a file says how long or where something is: tables, and their entries. */
static void check_broken(void)
{
	size_t size, cut;
	uint8_t *bytes = read_self(&size), *copy = malloc(size);
	ElfW(Ehdr) header;
	uint32_t state = 1;
	int found = 0, refused = 0;

	memcpy(&header, bytes, sizeof(header));
	is(find_in(bytes, size), 0, "a copy is as good");
	for (cut = 1; cut < size; cut += size / 40 + 1)
		if (find_in(bytes, cut) == 0)
			found++;
		else
			refused++;
	ok(refused > 0 && found + refused >= 40, "files that were cut off: %d refused", refused);
	memcpy(copy, bytes, size);
	copy[offsetof(ElfW(Ehdr), e_type)] = ET_REL;
	is(find_in(copy, size), -ENOEXEC, "an object file is no program");
	found = refused = 0;
	for (int i = 0; i < 400; i++) {
		size_t headers = (size_t)header.e_shnum * header.e_shentsize;
		size_t at = i % 2 && headers > 0 && header.e_shoff + headers <= size
				    ? header.e_shoff + next_random(&state) % headers
				    : next_random(&state) % sizeof(header);

		memcpy(copy, bytes, size);
		copy[at] = (uint8_t)next_random(&state);
		copy[at + (i % 3 ? 0 : 1)] ^= 0xff;
		if (find_in(copy, size) == 0)
			found++;
		else
			refused++;
	}
	ok(found > 0 && refused > 0, "with other headers: %d found, %d refused, all survived",
	   found, refused);
	free(copy);
	free(bytes);
}

int main(void)
{
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length <= 0 || !mkdtemp(directory) || probed_function(2) != 8)
		bail_out("no directory");
	self[length] = '\0';
	check_texts();
	check_places();
	check_broken();
	if (chdir("/") != 0 || rmdir(directory) != 0)
		diag("%s stays", directory);
	return done_testing();
}
