/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * preload-dl.c - each wrapper of liblttngmap-dl.so does what the function does,
 * and says so; libraries that come and go are told, and what is there is told
 * on demand.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>

#include "tests/utils/watched.h"

/* Of the C library, needed by nobody, and without needs but that. */
#define LIBRARY "libBrokenLocale.so.1"

static void test_classes(void)
{
	static const struct watched_class calls[] = {
		{ "dlopen", " baddr:16 memsz:10 flags:16s path:string has_build_id:10"
			    " has_debug_link:10" },
		{ "dlmopen", " baddr:16 memsz:10 nsid:10s flags:16s path:string has_build_id:10"
			     " has_debug_link:10" },
		{ "build_id", " baddr:16 build_id:16[]" },
		{ "debug_link", " baddr:16 crc:10 filename:string" },
		{ "dlclose", " baddr:16" },
	};
	static const struct watched_class libraries[] = {
		{ "load", " baddr:16 memsz:10 path:string has_build_id:10 has_debug_link:10" },
		{ "build_id", " baddr:16 build_id:16[]" },
		{ "debug_link", " baddr:16 crc:10 filename:string" },
		{ "unload", " baddr:16" },
	};
	static const struct watched_class state[] = {
		{ "start", "" },
		{ "bin_info", " baddr:16 memsz:10 path:string is_pic:10 has_build_id:10"
			      " has_debug_link:10" },
		{ "build_id", " baddr:16 build_id:16[]" },
		{ "debug_link", " baddr:16 crc:10 filename:string" },
		{ "end", "" },
	};
	const int level = LTTNGMAP_LOGLEVEL_DEBUG_LINE;

	test_watched_classes("lttng_ust_dl", calls, sizeof(calls) / sizeof(calls[0]), level);
	test_watched_classes("lttng_ust_lib", libraries, sizeof(libraries) / sizeof(libraries[0]),
			     level);
	test_watched_classes("lttng_ust_statedump", state, sizeof(state) / sizeof(state[0]), level);
}

/* All events of a name that were kept, and whether one of them has the text in it. */
static bool kept(const char *name, const char *text)
{
	for (int i = 0; i < nr_events; i++) {
		if (!strncmp(events[i], name, strlen(name)) && strstr(events[i], text))
			return true;
	}
	return false;
}

static void *baddr;
static char at_baddr[40];

static void test_dlopen(void)
{
	struct link_map *map;
	void *handle, *again;
	int errno_after, result;

	watch();
	handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	set_hook(NULL);
	if (!handle)
		bail_out("%s", dlerror());
	map = handle;
	baddr = (void *)map->l_addr;
	snprintf(at_baddr, sizeof(at_baddr), "baddr=%p ", baddr);
	ok(kept("load", at_baddr) && kept("load", LIBRARY "\""), "dlopen: the library is told");
	ok(kept("dlopen", at_baddr) && kept("dlopen", " flags=0x2 path=\"/"),
	   "  ... and then the call");
	ok(!strncmp(events[0], "load ", 5), "  ... in this order");
	ok(kept("build_id", "build_id=["), "  ... and its build id");

	watch();
	again = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	errno_after = errno;
	set_hook(NULL);
	ok(again == handle, "dlopen again gives the same");
	ok(!kept("load", "") && kept("dlopen", at_baddr), "  ... and is told as a call alone");
	is(errno_after, ERRNO_BEFORE, "  ... with errno kept");

	watch();
	result = dlclose(again);
	happened("dlclose of one of two", ERRNO_BEFORE, "dlclose baddr=%p", baddr);
	is(nr_events, 1, "  ... and nothing else");
	is(result, 0, "  ... succeeds");
	watch();
	dlclose(handle);
	happened("dlclose of the last one tells that it is gone", ERRNO_BEFORE,
		 "dlclose baddr=%p\nunload baddr=%p", baddr, baddr);
}

static void test_failures(void)
{
	void *handle;

	watch();
	handle = dlopen("nosuch-library.so", RTLD_NOW);
	happened("dlopen that fails", errno, "dlopen_failed flags=0x2 path=\"nosuch-library.so\"");
	ok(!handle && strstr(dlerror(), "nosuch-library.so"),
	   "  ... fails, and dlerror() says why");
	watch();
	handle = dlmopen(LM_ID_BASE, "nosuch-library.so", RTLD_LAZY);
	happened("dlmopen that fails", errno, "dlopen_failed flags=0x1 path=\"nosuch-library.so\"");
	ok(!handle && strstr(dlerror(), "nosuch-library.so"),
	   "  ... fails, and dlerror() says why");
}

static void test_namespaces(void)
{
	void *handle;

	watch();
	handle = dlmopen(LM_ID_NEWLM, LIBRARY, RTLD_NOW);
	set_hook(NULL);
	ok(handle && kept("dlmopen", " memsz=0 nsid=-1 flags=0x2 path=\"/"),
	   "dlmopen of a new namespace is told as a call");
	ok(!kept("load", LIBRARY), "  ... alone");
	dlclose(handle);
	watch();
	handle = dlopen(NULL, RTLD_NOW);
	set_hook(NULL);
	ok(handle && kept("dlopen", "/preload-dl\""), "dlopen of no name is of the program");
	dlclose(handle);
}

/* The state: more than `events` has room for. */
static char state[20000];

static void keep_state(const struct lttngmap_event_class *event_class, const void *fields,
		       size_t size)
{
	(void)size;
	if (!strcmp(event_class->name, "bin_info"))
		append(state, sizeof(state), " %s", (const char *)fields + 2 * sizeof(uint64_t));
	else if (strcmp(event_class->name, "build_id") && strcmp(event_class->name, "debug_link"))
		append(state, sizeof(state), " %s", event_class->name);
}

static void dump(void)
{
	fake_lttngmap_statedump_function *tell = preloaded_symbol("fake_lttngmap_statedump");

	state[0] = '\0';
	set_hook(keep_state);
	tell();
	set_hook(NULL);
}

static void test_state(void)
{
	void *handle;

	dump();
	ok(!strncmp(state, " start /", 8) && strstr(state, " procname end"),
	   "the state has its start and end");
	ok(strstr(state, "/preload-dl ") && strstr(state, "/libc.so.6 ") &&
		   strstr(state, "/liblttngmap-dl.so "),
	   "  ... and the program, and what is loaded");
	ok(!strstr(state, LIBRARY), "  ... not what is not any more");
	handle = dlopen(LIBRARY, RTLD_NOW);
	dump();
	ok(strstr(state, "/" LIBRARY " "), "  ... but then it is again");
	dlclose(handle);
}

/* ---- many threads ---------------------------------------------------------------------- */

#define THREADS 4
#define ROUNDS 500

static unsigned long loads, unloads;

static void count_news(const struct lttngmap_event_class *event_class, const void *fields,
		       size_t size)
{
	(void)fields;
	(void)size;
	if (!strcmp(event_class->name, "load"))
		__atomic_fetch_add(&loads, 1, __ATOMIC_RELAXED);
	if (!strcmp(event_class->name, "unload"))
		__atomic_fetch_add(&unloads, 1, __ATOMIC_RELAXED);
}

static void *open_and_close(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		void *handle = dlopen(LIBRARY, RTLD_NOW);

		if (!handle)
			return (void *)"it could not be loaded";
		dlclose(handle);
	}
	return unused;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];
	void *wrong = NULL, *result;

	set_hook(count_news);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, open_and_close, NULL);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		wrong = wrong ? wrong : result;
	}
	set_hook(NULL);
	ok(!wrong, "threads load and unload at the same time");
	ok(loads > 0 && unloads > 0, "  ... and it is told that it came and went");
	dump();
	ok(!strstr(state, LIBRARY), "  ... and in the end it is gone");
}

int main(int argc, char **argv)
{
	(void)argc;
	watch_preloaded(argv, ".libs/liblttngmap-dl.so");
	test_classes();
	test_dlopen();
	test_failures();
	test_namespaces();
	test_state();
	test_threads();
	return done_testing();
}
