/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/kernel/kernel-plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lttngmap/abi.h>

struct kernel_plan {
	uint32_t nr_classes;
	struct kernel_class *classes[LTTNGMAP_EVENT_IDS]; /* by id */
};

/* The texts that are left, and what stands before the next one. */
struct texts {
	const char *at;
	size_t left;
	char system[LTTNGMAP_NAME_MAX + 1];
	size_t size; /* of the next text */
};

/* Decimal digits up to `end`, at least one. 0 or -EBADMSG. */
static int take_size(struct texts *texts, const char *at, const char *end)
{
	texts->size = 0;
	if (at == end)
		return -EBADMSG;
	for (; at < end; at++) {
		if (*at < '0' || *at > '9' || texts->size > KERNEL_FORMAT_MAX)
			return -EBADMSG;
		texts->size = 10 * texts->size + (size_t)(*at - '0');
	}
	return 0;
}

/* SYSTEM SIZE\n. 0 or -EBADMSG. */
static int take_head(struct texts *texts)
{
	const char *end = memchr(texts->at, '\n', texts->left);
	const char *space;
	size_t length, head;

	if (!end)
		return -EBADMSG;
	space = memchr(texts->at, ' ', (size_t)(end - texts->at));
	if (!space)
		return -EBADMSG;
	length = (size_t)(space - texts->at);
	if (length >= sizeof(texts->system) || take_size(texts, space + 1, end) < 0)
		return -EBADMSG;
	memcpy(texts->system, texts->at, length);
	texts->system[length] = '\0';
	head = (size_t)(end + 1 - texts->at);
	texts->at += head;
	texts->left -= head;
	return texts->size <= texts->left ? 0 : -EBADMSG;
}

static int add_class(struct kernel_plan *plan, struct texts *texts)
{
	struct kernel_class *class;
	int error = take_head(texts);

	if (!error)
		error = kernel_class_parse_fields(texts->system, texts->at, texts->size, &class);
	if (error)
		return error == -ENOMEM ? error : -EBADMSG;
	if (plan->classes[class->id]) {
		kernel_class_destroy(class);
		return -EBADMSG;
	}
	plan->classes[class->id] = class;
	plan->nr_classes++;
	texts->at += texts->size;
	texts->left -= texts->size;
	return 0;
}

int kernel_plan_parse(const void *bytes, size_t size, struct kernel_plan **plan)
{
	struct texts texts = { .at = bytes, .left = size };
	struct kernel_plan *new;
	int error = 0;

	*plan = NULL;
	if (size > KERNEL_PLAN_MAX)
		return -E2BIG;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	while (texts.left > 0 && !error)
		error = add_class(new, &texts);
	if (error) {
		kernel_plan_destroy(new);
		return error;
	}
	*plan = new;
	return 0;
}

static int read_all(int fd, char *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = pread(fd, bytes + done, size - done, (off_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EBADMSG;
		done += (size_t)got;
	}
	return 0;
}

int kernel_plan_read(int fd, struct kernel_plan **plan)
{
	struct stat status;
	char *bytes;
	int error;

	*plan = NULL;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (status.st_size > KERNEL_PLAN_MAX)
		return -E2BIG;
	/* Without a byte there is a place, too. */
	bytes = malloc((size_t)status.st_size + 1);
	if (!bytes)
		return -ENOMEM;
	error = read_all(fd, bytes, (size_t)status.st_size);
	if (!error)
		error = kernel_plan_parse(bytes, (size_t)status.st_size, plan);
	free(bytes);
	return error;
}

void kernel_plan_destroy(struct kernel_plan *plan)
{
	if (!plan)
		return;
	for (unsigned id = 0; id < LTTNGMAP_EVENT_IDS; id++)
		kernel_class_destroy(plan->classes[id]);
	free(plan);
}

const struct kernel_class *kernel_plan_class(const struct kernel_plan *plan, uint16_t id)
{
	return plan->classes[id];
}

uint32_t kernel_plan_count(const struct kernel_plan *plan)
{
	return plan->nr_classes;
}
