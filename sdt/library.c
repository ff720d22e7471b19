/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * library.c - liblttngmap-sdt.so: SDT probes as events, without the kernel.
 *
 *   LTTNGMAP_SDT=RULE,... LD_PRELOAD=liblttngmap-sdt.so PROGRAM
 *
 * The probes of what is loaded are looked for at the program's start, and after
 * each dlopen() and dlclose(). Everything is kept under the loader's lock, which
 * is that of dl_iterate_phdr(), so that nothing is unloaded meanwhile; but for the
 * exchange with the daemon, which may take its time. A child that is forked by
 * another thread meanwhile has that lock for ever, as with any dl_iterate_phdr().
 */
#include "sdt/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/sdt-environment.h"
#include "preload/dl-caller.h"
#include "sdt/object.h"
#include "sdt/report.h"

/* Not a program's own dl_iterate_phdr(), which may take no lock, or tell of what was once. */
#define NEXT_FUNCTIONS(X) X(dlopen) X(dlmopen) X(dlclose) X(dl_iterate_phdr)

#include "preload/next.h"

/* The loader's lock protects all of these. */
static struct sdt_object *objects, *gone;
static char rules[SDT_RULES_MAX + 1];
static unsigned round;
static bool is_prepared;

/* Somebody selected something once; our own events are registered. Without a lock. */
static bool is_active, is_registered;

/* ---- rules ---------------------------------------------------------------------------- */

/* `pattern` up to its end, '*' being any text; PROVIDER:NAME in two parts. */
static bool matches(const char *pattern, const char *end, const char *text)
{
	const char *star = NULL, *from = NULL;

	while (*text) {
		if (pattern < end && *pattern == '*') {
			star = pattern++;
			from = text;
		} else if (pattern < end && *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++from;
		} else {
			return false;
		}
	}
	while (pattern < end && *pattern == '*')
		pattern++;
	return pattern == end;
}

static bool is_selected(const char *provider, const char *name)
{
	char full[512];
	size_t length = strlen(provider);

	if (length + strlen(name) + 2 > sizeof(full))
		return false;
	memcpy(full, provider, length);
	full[length] = ':';
	strcpy(full + length + 1, name);
	for (const char *rule = rules; *rule; rule += *rule == ',') {
		const char *end = rule + strcspn(rule, ",");

		if (matches(rule, end, full))
			return true;
		rule = end;
	}
	return false;
}

/* ---- objects --------------------------------------------------------------------------- */

/* The file's path; what the loader calls "" is the program. False: it has no file. */
static bool find_path(const struct dl_phdr_info *info, char path[PATH_MAX])
{
	long length;

	if (info->dlpi_name && info->dlpi_name[0]) {
		if (!strchr(info->dlpi_name, '/') || strlen(info->dlpi_name) >= PATH_MAX)
			return false;
		strcpy(path, info->dlpi_name);
		return true;
	}
	length = syscall(SYS_readlink, "/proc/self/exe", path, PATH_MAX - 1);
	if (length <= 0)
		return false;
	path[length] = '\0';
	return true;
}

/*
 * One that was unloaded unseen, and is there again at the same place, is the same: its stubs
 * are right, and its sites are armed once more.
 */
static struct sdt_object *find_object(const struct dl_phdr_info *info)
{
	for (struct sdt_object *object = objects; object; object = object->next) {
		if (object->image.bias == info->dlpi_addr &&
		    object->image.segments == info->dlpi_phdr &&
		    object->image.nr_segments == info->dlpi_phnum &&
		    (!info->dlpi_name || !info->dlpi_name[0] ||
		     strcmp(object->path, info->dlpi_name) == 0))
			return object;
	}
	return NULL;
}

static int see(struct dl_phdr_info *info, size_t size, void *unused)
{
	const struct sdt_image image = { info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum };
	struct sdt_object *object = find_object(info);
	char path[PATH_MAX];

	(void)size;
	(void)unused;
	if (!object) {
		if (!find_path(info, path))
			return 0;
		/* The program's own file, even if its name is another one's by now. */
		object = sdt_object_create(info->dlpi_name && info->dlpi_name[0] ? path
										 : "/proc/self/exe",
					   path, &image, is_selected);
		if (!object)
			return 0;
		object->next = objects;
		objects = object;
	}
	object->seen = round;
	return 0;
}

/* What is there no more, and nobody is at, goes to the list of what is to be ended. */
static void set_aside(void)
{
	struct sdt_object **link = &objects, *object;

	while ((object = *link)) {
		if (object->seen == round || object->busy) {
			link = &object->next;
			continue;
		}
		*link = object->next;
		object->next = gone;
		gone = object;
	}
}

/* What one update has in hand between its visits under the lock. */
struct update {
	const char *rules;            /* new ones, or NULL */
	struct sdt_object *registers; /* the list from there on; held by `busy` */
	struct sdt_object *ends;
	struct sdt_writer writer;
	int result;
};

static bool open_writer(struct update *update)
{
	update->result = sdt_writer_open(&update->writer);
	if (update->result < 0)
		sdt_report("*", "*", "/proc/self/mem", 0, strerror(-update->result));
	return update->result == 0;
}

/* Called for the first object only, with the loader's lock held, which lets us in again. */
static int see_all(struct dl_phdr_info *info, size_t size, void *data)
{
	struct update *update = data;

	(void)info;
	(void)size;
	if (update->rules)
		strcpy(rules, update->rules);
	if (!is_prepared && !sdt_entry_prepare()) {
		update->result = -ENOSYS;
		return 1;
	}
	is_prepared = true;
	if (!open_writer(update))
		return 1;
	round++;
	NEXT(dl_iterate_phdr)(see, NULL);
	set_aside();
	update->ends = gone;
	gone = NULL;
	update->registers = objects;
	for (struct sdt_object *object = objects; object; object = object->next) {
		object->busy++;
		sdt_object_select(object, is_selected);
		if (object->seen == round)
			sdt_object_prepare(object, &update->writer);
	}
	sdt_writer_close(&update->writer);
	return 1;
}

static int see_again(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct sdt_object *object = find_object(info);

	(void)size;
	(void)unused;
	if (object)
		object->seen = round;
	return 0;
}

static int count_armed(void)
{
	int count = 0;

	for (const struct sdt_object *object = objects; object; object = object->next)
		for (unsigned i = 0; i < object->nr_sites; i++)
			count += object->sites[i].armed;
	return count;
}

/* Another thread may have unloaded something meanwhile: only what is there is touched. */
static int arm_all(struct dl_phdr_info *info, size_t size, void *data)
{
	struct update *update = data;

	(void)info;
	(void)size;
	round++;
	NEXT(dl_iterate_phdr)(see_again, NULL);
	if (open_writer(update)) {
		for (struct sdt_object *object = objects; object; object = object->next)
			if (object->seen == round)
				sdt_object_arm(object, &update->writer);
		sdt_writer_close(&update->writer);
		update->result = count_armed();
	}
	if (__atomic_load_n(&is_registered, __ATOMIC_RELAXED))
		sdt_report_emit();
	for (struct sdt_object *object = update->registers; object; object = object->next)
		object->busy--;
	for (struct sdt_object *object = update->ends, *next; object; object = next) {
		next = object->next;
		sdt_object_destroy(object);
	}
	return 1;
}

static int update(const char *new_rules)
{
	struct update self = { .rules = new_rules };
	int saved_errno = errno;

	NEXT(dl_iterate_phdr)(see_all, &self);
	if (self.result == 0) {
		for (struct sdt_object *at = self.registers; at; at = at->next)
			sdt_object_register(at);
		for (struct sdt_object *at = self.ends; at; at = at->next)
			at->is_kept = !sdt_object_unregister(at);
		NEXT(dl_iterate_phdr)(arm_all, &self);
	}
	errno = saved_errno;
	return self.result;
}

int lttngmap_sdt_select(const char *new_rules)
{
	if (strlen(new_rules) >= sizeof(rules))
		return -E2BIG;
	__atomic_store_n(&is_active, true, __ATOMIC_RELAXED);
	return update(new_rules);
}

/* Before others map their memory, lttngmap's rings among it. */
static __attribute__((constructor(101))) void select_at_start(void)
{
	const char *chosen = secure_getenv(SDT_ENVIRONMENT_RULES);

	if (chosen && chosen[0])
		lttngmap_sdt_select(chosen);
}

static int emit(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)info;
	(void)size;
	(void)unused;
	sdt_report_emit();
	return 1;
}

/* After what tracepoint.h does at the start. */
static __attribute__((constructor)) void tell_at_start(void)
{
	__atomic_store_n(&is_registered, true, __ATOMIC_RELAXED);
	if (__atomic_load_n(&is_active, __ATOMIC_RELAXED))
		NEXT(dl_iterate_phdr)(emit, NULL);
}

/* ---- libraries that come and go ------------------------------------------------------------ */

static void look_again(void)
{
	if (__atomic_load_n(&is_active, __ATOMIC_RELAXED))
		update(NULL);
}

void *dlopen(const char *filename, int flags)
{
	void *handle = dl_caller_dlopen(NEXT(dlopen), __builtin_return_address(0), filename, flags);

	if (handle)
		look_again();
	return handle;
}

void *dlmopen(Lmid_t nsid, const char *filename, int flags)
{
	void *handle = dl_caller_dlmopen(NEXT(dlmopen), __builtin_return_address(0), nsid, filename,
					 flags);

	if (handle)
		look_again();
	return handle;
}

int dlclose(void *handle)
{
	int result = NEXT(dlclose)(handle);

	look_again();
	return result;
}
