/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sdt/update.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/protocol/sdt-environment.h"
#include "sdt/object.h"
#include "sdt/report.h"
#include "sdt/rules.h"

/* Not a program's own one, which may take no lock, or tell of what was once. */
#define NEXT_FUNCTIONS(X) X(dl_iterate_phdr)

#include "preload/next.h"

/* The loader's lock protects all of these. */
static struct sdt_object *objects, *gone;
static char rules[SDT_RULES_MAX + 1];
static unsigned round;
static bool is_prepared;

/* Our own events are registered. Without a lock. */
static bool is_registered;

#define NEWCOMERS_MAX 64u
/* So often at most; what is not read then is with the next update. */
#define TRIES_MAX 64

/* An object of which nothing is known; its file is read without the lock. */
struct newcomer {
	struct sdt_image image; /* its segments are for comparing only */
	bool is_program;
	struct sdt_object *object; /* NULL: not read, or taken into the list */
	char path[PATH_MAX];
};

/* State of one update between its visits under the lock. */
struct update {
	const char *rules;          /* new ones, or NULL */
	struct newcomer *newcomers; /* NULL: none so far */
	unsigned count, known;      /* the first ones' files were read */
	bool is_behind;             /* an object was left out, for its file was not */
	bool is_last_try;
	bool have_memory;
	struct sdt_object *registers; /* the list from there on; held by `busy` */
	struct sdt_object *ends;
	struct sdt_writer writer;
	int result;
};

static bool is_selected(const char *provider, const char *name)
{
	return sdt_rules_match(rules, provider, name);
}

/* ---- what is loaded ---------------------------------------------------------------------- */

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

static bool is_called(const struct dl_phdr_info *info, const char *path)
{
	return !info->dlpi_name || !info->dlpi_name[0] || strcmp(path, info->dlpi_name) == 0;
}

static bool is_at(const struct sdt_image *image, const struct dl_phdr_info *info)
{
	return image->bias == info->dlpi_addr && image->segments == info->dlpi_phdr &&
	       image->nr_segments == info->dlpi_phnum;
}

/*
 * One that was unloaded unseen, and is there again at the same place, is the same: its stubs
 * are right, and its sites are armed once more.
 */
static struct sdt_object *find_object(const struct dl_phdr_info *info)
{
	for (struct sdt_object *object = objects; object; object = object->next)
		if (is_at(&object->image, info) && is_called(info, object->path) &&
		    sdt_object_is(object, &object->image))
			return object;
	return NULL;
}

static struct newcomer *find_newcomer(const struct update *update, const struct dl_phdr_info *info)
{
	for (unsigned i = 0; i < update->count; i++)
		if (is_at(&update->newcomers[i].image, info) &&
		    is_called(info, update->newcomers[i].path))
			return &update->newcomers[i];
	return NULL;
}

static void add_newcomer(struct update *update, const struct dl_phdr_info *info)
{
	struct newcomer *newcomer;

	if (!update->newcomers && update->have_memory) {
		void *memory = mmap(NULL, NEWCOMERS_MAX * sizeof(struct newcomer),
				    PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		update->have_memory = memory != MAP_FAILED;
		update->newcomers = update->have_memory ? memory : NULL;
	}
	if (!update->newcomers)
		return;
	newcomer = &update->newcomers[update->count];
	if (update->count < NEWCOMERS_MAX && !find_path(info, newcomer->path))
		return;
	update->is_behind = true;
	if (update->count == NEWCOMERS_MAX)
		return;
	newcomer->image = (struct sdt_image){ info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum };
	newcomer->is_program = !info->dlpi_name || !info->dlpi_name[0];
	newcomer->object = NULL;
	update->count++;
}

/* Now that its file was read: is it still this one that is loaded? */
static struct sdt_object *take_in(struct newcomer *newcomer)
{
	struct sdt_object *object = newcomer->object;

	if (!object)
		return NULL;
	if (!sdt_object_is(object, &newcomer->image))
		sdt_object_empty(object);
	newcomer->object = NULL;
	object->next = objects;
	objects = object;
	return object;
}

static int see(struct dl_phdr_info *info, size_t size, void *data)
{
	struct sdt_object *object = find_object(info);
	struct update *update = data;
	struct newcomer *newcomer;

	(void)size;
	if (!object) {
		newcomer = find_newcomer(update, info);
		if (newcomer)
			object = take_in(newcomer);
		else
			add_newcomer(update, info);
	}
	if (object)
		object->seen = round;
	return 0;
}

/* Those that another thread has taken into the list first, or that are gone again. */
static void forget_objects(struct update *update)
{
	for (unsigned i = 0; i < update->known; i++) {
		if (update->newcomers[i].object)
			sdt_object_destroy(update->newcomers[i].object);
		update->newcomers[i].object = NULL;
	}
}

static void read_files(struct update *update)
{
	/* There was no room for more: these are in the list by now, or for nobody. */
	if (update->known == update->count) {
		forget_objects(update);
		update->count = update->known = 0;
	}
	for (; update->known < update->count; update->known++) {
		struct newcomer *newcomer = &update->newcomers[update->known];

		/* The program's own file, even if its name is another one's by now. */
		newcomer->object =
			sdt_object_create(newcomer->is_program ? "/proc/self/exe" : newcomer->path,
					  newcomer->path, &newcomer->image);
	}
}

static void forget_newcomers(struct update *update)
{
	forget_objects(update);
	if (update->newcomers)
		munmap(update->newcomers, NEWCOMERS_MAX * sizeof(struct newcomer));
}

/* ---- an update ----------------------------------------------------------------------------- */

/* Moves objects that are gone and not in use to the list of objects to be freed. */
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

static bool open_writer(struct update *update)
{
	update->result = sdt_writer_open(&update->writer);
	if (update->result < 0)
		sdt_report("*", "*", "/proc/self/mem", 0, strerror(-update->result));
	return update->result == 0;
}

static bool look(struct update *update)
{
	if (update->rules)
		strcpy(rules, update->rules);
	update->rules = NULL;
	if (!is_prepared && !sdt_entry_prepare()) {
		update->result = -ENOSYS;
		return false;
	}
	is_prepared = true;
	update->is_behind = false;
	round++;
	NEXT(dl_iterate_phdr)(see, update);
	return !update->is_behind || update->is_last_try;
}

/* Called for the first object only, with the loader's lock held, which lets us in again. */
static int see_all(struct dl_phdr_info *info, size_t size, void *data)
{
	struct update *update = data;

	(void)info;
	(void)size;
	if (!look(update) || !open_writer(update))
		return 1;
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

static void look_and_read(struct update *update)
{
	for (int tries = 0; tries < TRIES_MAX; tries++) {
		update->is_last_try = tries + 1 == TRIES_MAX;
		NEXT(dl_iterate_phdr)(see_all, update);
		if (!update->is_behind || update->result != 0)
			return;
		read_files(update);
	}
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
	for (struct sdt_object *object = update->registers; object; object = object->next)
		object->busy--;
	for (struct sdt_object *object = update->ends, *next; object; object = next) {
		next = object->next;
		sdt_object_destroy(object);
	}
	return 1;
}

static bool report(void *unused, const char *provider, const char *name, const char *path,
		   uint64_t offset, const char *why)
{
	(void)unused;
	return sdt_report(provider, name, path, offset, why);
}

static int tell_all(struct dl_phdr_info *info, size_t size, void *data)
{
	static const struct sdt_telling telling = { .selected = is_selected, .tell = report };
	bool *all_told = data;

	(void)info;
	(void)size;
	*all_told = true;
	for (struct sdt_object *object = objects; object && *all_told; object = object->next)
		*all_told = sdt_object_tell(object, &telling);
	return 1;
}

void sdt_update_registered(void)
{
	__atomic_store_n(&is_registered, true, __ATOMIC_RELAXED);
}

void sdt_update_tell(void)
{
	bool all_told, is_room;

	do {
		NEXT(dl_iterate_phdr)(tell_all, &all_told);
		is_room = sdt_report_emit(__atomic_load_n(&is_registered, __ATOMIC_RELAXED));
	} while (!all_told && is_room);
}

int sdt_update(const char *new_rules)
{
	struct update self = { .rules = new_rules, .have_memory = true };
	int saved_errno = errno;

	look_and_read(&self);
	if (self.result == 0) {
		for (struct sdt_object *at = self.registers; at; at = at->next)
			sdt_object_register(at);
		for (struct sdt_object *at = self.ends; at; at = at->next)
			at->is_kept = !sdt_object_unregister(at);
		NEXT(dl_iterate_phdr)(arm_all, &self);
	}
	forget_newcomers(&self);
	sdt_update_tell();
	errno = saved_errno;
	return self.result;
}

static int count(struct dl_phdr_info *info, size_t size, void *number)
{
	(void)info;
	(void)size;
	*(int *)number = count_armed();
	return 1;
}

int sdt_update_armed(void)
{
	int number = 0;

	NEXT(dl_iterate_phdr)(count, &number);
	return number;
}

struct refused_text {
	char *at;
	size_t left;
	int count;
};

static bool write_line(void *data, const char *provider, const char *name, const char *path,
		       uint64_t offset, const char *why)
{
	struct refused_text *text = data;
	int length =
		snprintf(text->at, text->left, SDT_REPORT_LINE, provider, name, path, offset, why);

	text->count += strcmp(provider, "*") != 0;
	if (length < 0 || (size_t)length >= text->left) {
		/* A shorter one that follows does not stand for it. */
		*text->at = '\0';
		text->left = 1;
		return true;
	}
	text->at += length;
	text->left -= (size_t)length;
	return true;
}

static int write_lines(struct dl_phdr_info *info, size_t size, void *text)
{
	const struct sdt_telling telling = {
		.selected = is_selected,
		.again = true,
		.tell = write_line,
		.data = text,
	};

	(void)info;
	(void)size;
	for (struct sdt_object *object = objects; object; object = object->next)
		if (object->seen == round)
			sdt_object_tell(object, &telling);
	return 1;
}

int sdt_update_refused(char *text, size_t size)
{
	struct refused_text lines = { text, size, 0 };
	int saved_errno = errno;

	*text = '\0';
	NEXT(dl_iterate_phdr)(write_lines, &lines);
	errno = saved_errno;
	return lines.count;
}
