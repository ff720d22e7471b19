/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* kernel-plan.c - classes from the session daemon's texts, all of them or none. */
#include "consumerd/kernel/kernel-plan.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/utils/tap.h"

#define TEXT(name, id)                                                                             \
	"name: " name "\nID: " id "\nformat:\n"                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"                   \
	"\tfield:int value;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"x\"\n"

static char texts[8192];

static void add(const char *system, const char *text)
{
	size_t length = strlen(texts);

	snprintf(texts + length, sizeof(texts) - length, "%s %zu\n%s", system, strlen(text), text);
}

static void check_good(void)
{
	const struct kernel_class *class;
	struct kernel_plan *plan;

	add("sched", TEXT("one", "17"));
	add("irq", TEXT("two", "0"));
	add("irq", TEXT("three", "65535"));
	is(kernel_plan_parse(texts, strlen(texts), &plan), 0, "three texts are understood");
	if (!plan)
		return;
	is(kernel_plan_count(plan), 3, "... as three classes");
	class = kernel_plan_class(plan, 17);
	ok(class && strcmp(class->system, "sched") == 0 && strcmp(class->name, "one") == 0,
	   "... found by id");
	class = kernel_plan_class(plan, 65535);
	ok(class && strcmp(class->name, "three") == 0, "... the highest too");
	ok(kernel_plan_class(plan, 0) && !kernel_plan_class(plan, 1), "... and no others");
	kernel_plan_destroy(plan);
	is(kernel_plan_parse("", 0, &plan), 0, "no text is a plan, too");
	is(kernel_plan_count(plan), 0, "... of no class");
	kernel_plan_destroy(plan);
}

static void check_cut(void)
{
	size_t size = strlen(texts), one = size / 3, wrong = 0;
	struct kernel_plan *plan;
	char *exact;

	for (size_t cut = 1; cut < one - 2; cut++) {
		exact = malloc(cut);
		memcpy(exact, texts, cut);
		wrong += kernel_plan_parse(exact, cut, &plan) != -EBADMSG || plan;
		free(exact);
	}
	is(wrong, 0, "texts that are cut anywhere are none");
}

static void check_bad(void)
{
	static const char *const heads[] = {
		"sched\n",
		"sched \n",
		"sched 1x\n",
		"sched -1\n",
		"sched 99999999999999999999999\n",
		" 10\n",
		"\n",
		"sched 0\n",
	};
	struct kernel_plan *plan;
	char *text;

	for (unsigned i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		snprintf(texts, sizeof(texts), "%s" TEXT("one", "1"), heads[i]);
		ok(kernel_plan_parse(texts, strlen(texts), &plan) == -EBADMSG && !plan,
		   "a head that is none: number %u", i);
	}
	/* 2^64 and what it is. */
	snprintf(texts, sizeof(texts), "sched %llu%zu\n%s", 184467440737095ull,
		 51616 + strlen(TEXT("one", "1")), TEXT("one", "1"));
	is(kernel_plan_parse(texts, strlen(texts), &plan), -EBADMSG, "a size beyond all");
	snprintf(texts, sizeof(texts), "%0300d 4\n", 1);
	is(kernel_plan_parse(texts, strlen(texts), &plan), -EBADMSG, "a system's endless name");
	texts[0] = '\0';
	add("sched", TEXT("one", "17"));
	add("sched", TEXT("other", "17"));
	is(kernel_plan_parse(texts, strlen(texts), &plan), -EBADMSG, "an id twice");
	text = malloc(KERNEL_PLAN_MAX + 1);
	is(kernel_plan_parse(text, KERNEL_PLAN_MAX + 1, &plan), -E2BIG, "texts without an end");
	free(text);
}

static void check_file(void)
{
	int fd = memfd_create("kernel-plan", MFD_CLOEXEC);
	struct kernel_plan *plan;

	texts[0] = '\0';
	add("sched", TEXT("one", "17"));
	if (fd < 0 || write(fd, texts, strlen(texts)) != (ssize_t)strlen(texts))
		bail_out("no memfd");
	is(kernel_plan_read(fd, &plan), 0, "a file is read from its beginning");
	is(plan ? kernel_plan_count(plan) : 0, 1, "... to its end");
	kernel_plan_destroy(plan);
	if (ftruncate(fd, KERNEL_PLAN_MAX + 1) < 0)
		bail_out("no memfd so large");
	is(kernel_plan_read(fd, &plan), -E2BIG, "one that is too long is not");
	close(fd);
	is(kernel_plan_read(fd, &plan), -EBADF, "nor is none");
	ok(!plan, "... and there is no plan");
}

int main(void)
{
	check_good();
	check_cut();
	check_bad();
	check_file();
	kernel_plan_destroy(NULL);
	return done_testing();
}
