/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* dump.c - reading a dump by libkdumpfile, and finding the module's anchor in it. */
#include "sessiond/vmcore/dump-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sessiond/ring/module-abi.h"

/* Where modules can lie, whatever the kernel's own place is (x86-64). */
#define MODULES_BEGIN UINT64_C(0xffffffffa0000000)
#define MODULES_END UINT64_C(0xffffffffff000000)

static int read_space(struct dump *dump, kdump_addrspace_t space, uint64_t address, void *bytes,
		      size_t size)
{
	size_t length = size;

	return kdump_read(dump->context, space, address, bytes, &length) == KDUMP_OK &&
			       length == size
		       ? 0
		       : -EIO;
}

int dump_read(struct dump *dump, uint64_t address, void *bytes, size_t size)
{
	return read_space(dump, KDUMP_KVADDR, address, bytes, size);
}

int dump_read_physical(struct dump *dump, uint64_t address, void *bytes, size_t size)
{
	return read_space(dump, KDUMP_MACHPHYSADDR, address, bytes, size);
}

uint64_t dump_read_address(struct dump *dump, uint64_t address)
{
	uint64_t value;

	return dump_read(dump, address, &value, sizeof(value)) == 0 ? value : 0;
}

const struct lttngmap_anchor *dump_anchor(const struct dump *dump)
{
	return &dump->anchor;
}

/* Is it laid out as this program has it? */
static const char *check(const struct lttngmap_anchor *anchor)
{
	const struct lttngmap_anchor_set *set = &anchor->set;

	if (anchor->version != LTTNGMAP_ANCHOR_VERSION ||
	    set->info_size != sizeof(struct lttngmap_set_info) ||
	    set->reader_size != sizeof(struct ring_reader) ||
	    set->undo_size != sizeof(struct ring_undo) ||
	    set->state_size != sizeof(struct lttngmap_set_state) ||
	    set->held_size != sizeof(struct lttngmap_held))
		return "its kernel module was of another version of lttngmap: use that version's "
		       "lttngmap recover";
	if (anchor->page_array == 0)
		return "its kernel keeps pages in a way that lttngmap cannot follow";
	if (anchor->page_shift < 12 || anchor->page_shift > DUMP_PAGE_SHIFT_MAX ||
	    anchor->page_struct == 0 || anchor->tree.slots_shift < 1 ||
	    anchor->tree.slots_shift > DUMP_SLOTS_SHIFT_MAX)
		return "what it says of its kernel module cannot be";
	return NULL;
}

static int find_anchor(struct dump *dump, char why[DUMP_WHY_SIZE])
{
	struct lttngmap_anchor *anchor = &dump->anchor;
	const char *wrong;
	uint64_t at;

	for (at = MODULES_BEGIN; at < MODULES_END; at += LTTNGMAP_ANCHOR_ALIGN) {
		if (dump_read_address(dump, at) == LTTNGMAP_ANCHOR_MAGIC &&
		    dump_read(dump, at, anchor, sizeof(*anchor)) == 0 && anchor->address == at)
			break;
	}
	if (at >= MODULES_END) {
		snprintf(why, DUMP_WHY_SIZE,
			 "the kernel module lttngmap is not in it: rings outlive a panic in a dump "
			 "only if the session daemon keeps them in that module");
		return -ENOENT;
	}
	wrong = check(anchor);
	if (wrong)
		snprintf(why, DUMP_WHY_SIZE, "%s", wrong);
	return wrong ? -EPROTO : 0;
}

/* Memory, and how the kernel's addresses lead there. */
static int open_context(struct dump *dump, char why[DUMP_WHY_SIZE])
{
	const char *machine = NULL;
	char *info = NULL;

	dump->context = kdump_new();
	if (!dump->context)
		return -ENOMEM;
	if (kdump_open_fd(dump->context, dump->fd) != KDUMP_OK ||
	    kdump_set_string_attr(dump->context, KDUMP_ATTR_OSTYPE, "linux") != KDUMP_OK) {
		snprintf(why, DUMP_WHY_SIZE,
			 "it is no dump of a kernel's memory that can be read: %s",
			 kdump_get_err(dump->context));
		return -EBADMSG;
	}
	if (kdump_get_string_attr(dump->context, KDUMP_ATTR_ARCH_NAME, &machine) != KDUMP_OK ||
	    strcmp(machine, "x86_64") != 0) {
		snprintf(why, DUMP_WHY_SIZE, "dumps of x86-64 can be read, and this one is of %s",
			 machine ? machine : "an unknown machine");
		return -EOPNOTSUPP;
	}
	if (kdump_vmcoreinfo_raw(dump->context, &info) != KDUMP_OK) {
		snprintf(why, DUMP_WHY_SIZE,
			 "its kernel does not say in it how addresses lead to memory (VMCOREINFO): "
			 "dump by kdump, or give a virtual machine the device vmcoreinfo");
		return -ENODATA;
	}
	free(info);
	return 0;
}

int dump_open(const char *path, struct dump **result, char why[DUMP_WHY_SIZE])
{
	struct dump *dump = calloc(1, sizeof(*dump));
	int error;

	*result = NULL;
	snprintf(why, DUMP_WHY_SIZE, "out of memory");
	if (!dump)
		return -ENOMEM;
	dump->fd = open(path, O_RDONLY | O_CLOEXEC);
	error = dump->fd < 0 ? -errno : 0;
	if (error)
		snprintf(why, DUMP_WHY_SIZE, "%s", strerror(-error));
	else
		error = open_context(dump, why);
	if (error == 0)
		error = find_anchor(dump, why);
	if (error) {
		dump_close(dump);
		return error;
	}
	*result = dump;
	return 0;
}

void dump_close(struct dump *dump)
{
	if (!dump)
		return;
	if (dump->context)
		kdump_free(dump->context);
	if (dump->fd >= 0)
		close(dump->fd);
	free(dump);
}
