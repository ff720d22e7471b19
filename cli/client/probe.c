/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */

#include "cli/client/probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/program-search.h"
#include "cli/symbols/elf-symbol.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define DIGITS "0123456789"
#define NAME_MAX_LENGTH 63 /* the kernel's limit */
#define RETURN "%return"

static const char uprobe_hint[] =
	"write [NAME=]PATH:SYMBOL[+OFFSET][%return], then perhaps what is to be recorded, for "
	"instance './program:work size=%di:u64'";
static const char kprobe_hint[] =
	"write [NAME=]SYMBOL[+OFFSET][%return], then perhaps what is to be recorded, for instance "
	"'vfs_write count=%dx:u64'";

/* A parsed definition; its texts point into `copy`. */
struct probe {
	bool is_kernel, is_return;
	char *copy;
	const char *name; /* NULL: not given */
	char *file;       /* as typed; NULL: is_kernel */
	char *place;      /* after the file: SYMBOL without its offset, or a number */
	bool is_number;
	uint64_t offset;
	const char *args; /* "": none */
};

/* ---- the text -------------------------------------------------------------------------- */

static int parse_number(const char *text, uint64_t *number)
{
	char *end;

	if (!text[0] || !strchr(DIGITS, text[0]))
		return -EINVAL;
	errno = 0;
	*number = strtoull(text, &end, 0);
	return *end || errno || *number > INT64_MAX ? -EINVAL : 0;
}

/* Cuts NAME= off the beginning of a word; NULL: there is none. */
static char *cut_name(struct probe *probe, char *word)
{
	size_t length = strspn(word, LETTERS DIGITS);

	if (length == 0 || word[length] != '=')
		return word;
	word[length] = '\0';
	probe->name = word;
	return word + length + 1;
}

static int parse_place(struct probe *probe, struct problem *problem)
{
	const char *hint = probe->is_kernel ? kprobe_hint : uprobe_hint;
	char *plus = strrchr(probe->place, '+');

	if (probe->place[0] && strchr(DIGITS, probe->place[0])) {
		probe->is_number = true;
		if (probe->is_kernel || parse_number(probe->place, &probe->offset) != 0)
			return problem_set(problem, -EINVAL, hint, "'%.100s' is no place",
					   probe->place);
		return 0;
	}
	if (plus) {
		*plus++ = '\0';
		if (parse_number(plus, &probe->offset) != 0)
			return problem_set(problem, -EINVAL, hint, "'%.100s' is no offset", plus);
	}
	if (!probe->place[0])
		return problem_set(problem, -EINVAL, hint, "it names no function");
	if (probe->is_return && probe->offset)
		return problem_set(problem, -EINVAL, "leave +OFFSET out, or " RETURN,
				   "functions return as a whole, not from an offset");
	return 0;
}

static int cut(struct probe *probe, struct problem *problem)
{
	char *word = probe->copy + strspn(probe->copy, " \t"), *end = word + strcspn(word, " \t");
	size_t length;

	probe->args = end + strspn(end, " \t");
	*end = '\0';
	word = cut_name(probe, word);
	length = strlen(word);
	if (length >= strlen(RETURN) && strcmp(word + length - strlen(RETURN), RETURN) == 0) {
		probe->is_return = true;
		word[length - strlen(RETURN)] = '\0';
	}
	probe->place = word;
	if (!probe->is_kernel) {
		char *colon = strrchr(word, ':');

		if (!colon || colon == word)
			return problem_set(problem, -EINVAL, uprobe_hint,
					   "'%.200s' is no PATH:SYMBOL", word);
		*colon = '\0';
		probe->file = word;
		probe->place = colon + 1;
	}
	return parse_place(probe, problem);
}

/* ---- what it means ----------------------------------------------------------------------- */

/* Finds a library by its soname, as the loader does. */
static int library_search(const char *name, char *path, size_t size)
{
	void *library = strstr(name, ".so") ? dlopen(name, RTLD_LAZY | RTLD_LOCAL) : NULL;
	struct link_map *map;
	int error = ENOENT;

	if (library && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] == '/')
		error = (size_t)snprintf(path, size, "%s", map->l_name) < size ? 0 : ENAMETOOLONG;
	if (library)
		dlclose(library);
	return error;
}

/*
 * Makes the path absolute, because the daemon has another directory. Symbolic links stay, because
 * another user may own their targets.
 */
static int find_file(const char *file, char path[PATH_MAX], struct problem *problem)
{
	char found[PATH_MAX], here[PATH_MAX], *rest = found;
	int error = 0;

	if (strchr(file, '/'))
		error = snprintf(found, sizeof(found), "%s", file) >= PATH_MAX ? ENAMETOOLONG : 0;
	else
		error = program_search(file, found, sizeof(found));
	if (error == ENOENT && !strchr(file, '/'))
		error = library_search(file, found, sizeof(found));
	if (error == ENOENT && !strchr(file, '/'))
		return problem_set(
			problem, -error, "write ./NAME for a file that is here",
			"there is no program %.200s along PATH, nor a library of that name", file);
	if (error == 0 && found[0] != '/' && !getcwd(here, sizeof(here)))
		error = errno;
	while (strncmp(rest, "./", 2) == 0)
		rest += 2 + strspn(rest + 2, "/");
	if (error == 0 && (size_t)snprintf(path, PATH_MAX, "%s%s%s", found[0] == '/' ? "" : here,
					   found[0] == '/' ? "" : "/", rest) >= PATH_MAX)
		error = ENAMETOOLONG;
	return error ? problem_set(problem, -error, "see whether the path is right",
				   "cannot use %.200s: %s", file, strerror(error))
		     : 0;
}

/*
 * Makes SYMBOL, SYMBOL_0xOFFSET, SYMBOL__return or FILE_0xOFFSET, of letters that the kernel
 * accepts.
 */
static void make_name(const struct probe *probe, char name[NAME_MAX_LENGTH + 1])
{
	const char *base = probe->place, *slash;
	char end[32] = "";
	size_t length = 0;

	if (probe->is_number) {
		slash = strrchr(probe->file, '/');
		base = slash ? slash + 1 : probe->file;
	}
	if (probe->offset)
		snprintf(end, sizeof(end), "_0x%" PRIx64, probe->offset);
	if (probe->is_return)
		strcat(end, "__return");
	if (strchr(DIGITS, base[0]))
		name[length++] = '_';
	for (; *base && length < NAME_MAX_LENGTH - strlen(end); base++)
		name[length++] = strchr(LETTERS DIGITS, *base) ? *base : '_';
	strcpy(name + length, end);
}

static void add_text(struct json_object *request, const char *key, const char *text)
{
	json_object_object_add(request, key, json_object_new_string(text));
}

static int describe_file(struct probe *probe, struct json_object *request, struct problem *problem)
{
	char path[PATH_MAX], symbol[256], file[40];
	struct elf_place place;
	int error = find_file(probe->file, path, problem);

	if (error == 0 && probe->is_number)
		error = elf_symbol_check(path, probe->offset, &place, problem);
	else if (error == 0)
		error = elf_symbol_find(path, probe->place, probe->offset, &place, problem);
	if (error)
		return error;
	add_text(request, "kind", "uprobe");
	add_text(request, "path", path);
	json_object_object_add(request, "offset", json_object_new_int64((int64_t)place.offset));
	snprintf(file, sizeof(file), "%" PRIx64 ":%" PRIx64, (uint64_t)place.device,
		 (uint64_t)place.inode);
	add_text(request, "file", file);
	if (probe->is_number)
		return 0;
	if (probe->offset)
		snprintf(symbol, sizeof(symbol), "%.200s+0x%" PRIx64, probe->place, probe->offset);
	else
		snprintf(symbol, sizeof(symbol), "%.200s", probe->place);
	add_text(request, "symbol", symbol);
	return 0;
}

static int describe_kernel(const struct probe *probe, struct json_object *request)
{
	add_text(request, "kind", "kprobe");
	add_text(request, "symbol", probe->place);
	json_object_object_add(request, "offset", json_object_new_int64((int64_t)probe->offset));
	return 0;
}

int probe_parse(const char *text, bool is_kernel, struct json_object *request,
		struct problem *problem)
{
	struct probe probe = { .is_kernel = is_kernel, .copy = strdup(text) };
	char name[NAME_MAX_LENGTH + 1];
	int error;

	if (!probe.copy)
		return problem_set(problem, -ENOMEM, "try again", "out of memory");
	error = cut(&probe, problem);
	if (error == 0)
		error = is_kernel ? describe_kernel(&probe, request)
				  : describe_file(&probe, request, problem);
	if (error == 0) {
		make_name(&probe, name);
		add_text(request, "name", probe.name ? probe.name : name);
		if (probe.is_return)
			json_object_object_add(request, "return", json_object_new_boolean(true));
		if (probe.args[0])
			add_text(request, "args", probe.args);
	}
	free(probe.copy);
	return error;
}
