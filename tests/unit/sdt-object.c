/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sdt-object.c - an object that is gone is gone with its memory, unless somebody may still look
 * at it; what is selected is registered once; and what is refused is told once, or as often as is
 * asked for.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "liblttngmap/attach/module.h"
#include "sdt/object.h"
#include "tests/utils/sdt-elf.h"
#include "tests/utils/tap.h"

#define CODE SDT_ELF_AT(code)

static struct sdt_elf elf;

static struct sdt_object *make(void)
{
	const struct sdt_image image = { (uint64_t)&elf, elf.segments, SDT_ELF_SEGMENTS };
	int fd = memfd_create("file", MFD_CLOEXEC);
	struct sdt_object *object;
	char path[64];

	sdt_elf_fill(&elf);
	SDT_ELF_ADD(&elf, CODE, 0, "p\0one\0");
	SDT_ELF_ADD(&elf, CODE + 20, 0, "p\0two\0");
	SDT_ELF_ADD(&elf, CODE + 40, 0, "p\0bad\0008@(%rax)");
	if (fd < 0 || write(fd, &elf, sizeof(elf)) != (ssize_t)sizeof(elf))
		bail_out("no file");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	object = sdt_object_create(path, "the file", &image);
	close(fd);
	if (!object)
		bail_out("no object");
	return object;
}

static bool is_mapped(const void *memory)
{
	unsigned char in_core;

	return mincore((void *)memory, 4096, &in_core) == 0;
}

static const char *wanted;

static bool is_wanted(const char *provider, const char *name)
{
	(void)provider;
	return strstr(wanted, name);
}

static unsigned count_batches(const struct sdt_object *object)
{
	unsigned count = 0;

	for (const struct sdt_batch *batch = object->batches; batch; batch = batch->next)
		count++;
	return count;
}

static void test_selected(struct sdt_object *object)
{
	wanted = "";
	sdt_object_select(object, is_wanted);
	is(count_batches(object), 0, "nothing is selected: nothing to register");
	wanted = "one";
	sdt_object_select(object, is_wanted);
	is(count_batches(object), 1, "one is");
	wanted = "one two";
	sdt_object_select(object, is_wanted);
	is(count_batches(object), 2, "another one, later");
	is(object->batches->module.end - object->batches->module.begin, 1, "  ... by itself");
	wanted = "two";
	sdt_object_select(object, is_wanted);
	is(count_batches(object), 2, "none is registered twice");
}

static unsigned room;
static char told[256];

static bool tell(void *data, const char *provider, const char *name, const char *path,
		 uint64_t offset, const char *why)
{
	(void)data;
	if (room == 0)
		return false;
	room--;
	snprintf(told, sizeof(told), "%s:%s %s %d %s", provider, name, path, (int)(offset - CODE),
		 why);
	return true;
}

static void test_told(struct sdt_object *object)
{
	struct sdt_telling telling = { .selected = is_wanted, .tell = tell };

	wanted = "one";
	room = 1;
	ok(sdt_object_tell(object, &telling) && room == 1, "what nobody wants is not told");
	wanted = "bad";
	room = 0;
	ok(!sdt_object_tell(object, &telling), "nor what there is no room for");
	room = 2;
	ok(sdt_object_tell(object, &telling) && room == 1, "it is when there is");
	is_string(told,
		  "p:bad the file 40 its argument 8@(%rax) is in memory that cannot be read safely",
		  "  ... all of it");
	ok(sdt_object_tell(object, &telling) && room == 1, "  ... once");
	telling.again = true;
	ok(sdt_object_tell(object, &telling) && room == 0, "  ... or again");
}

static void test_gone(void)
{
	struct sdt_object *object = make();
	const void *memory = object->memory;

	wanted = "one two";
	sdt_object_select(object, is_wanted);
	sdt_object_register(object);
	is(object->batches->module.state != 0, 1, "registered");
	object->is_kept = !sdt_object_unregister(object);
	sdt_object_destroy(object);
	ok(!is_mapped(memory), "gone with its memory");

	object = make();
	memory = object->memory;
	sdt_object_select(object, is_wanted);
	sdt_object_register(object);
	/* As a thread that is interrupted while it registers something. */
	if (!module_lock(MODULE_COMING))
		bail_out("no lock");
	object->is_kept = !sdt_object_unregister(object);
	sdt_object_destroy(object);
	ok(is_mapped(memory), "its memory stays where somebody may still look at it");
	is(object->classes[0].tracepoint.word == object->batches->module.off, 1,
	   "  ... and is off");
	module_unlock();
}

static void test_another(void)
{
	struct sdt_object *object = make();

	ok(sdt_object_is(object, &object->image), "what is loaded is what was read");
	elf.id.id[0]++;
	ok(!sdt_object_is(object, &object->image), "now it is another file");
	sdt_object_empty(object);
	is(object->nr_sites + object->nr_classes, 0, "it has no probes then");
	is_string(object->refused->why, SDT_FILE_IS_ANOTHER, "  ... which is said");
	ok(sdt_object_is(object, &object->image), "  ... and not looked at any more");
	sdt_object_destroy(object);
}

int main(void)
{
	struct sdt_object *object = make();

	test_selected(object);
	test_told(object);
	sdt_object_destroy(object);
	test_gone();
	test_another();
	return done_testing();
}
