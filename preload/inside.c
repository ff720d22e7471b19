/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * inside.c - liblttngmap-inside.so: what `lttngmap attach` and `detach` do within
 * a running process. They load it by a call in one of its threads, call
 * lttngmap_inside_run() there, and unload it again: nothing of it is left.
 *
 * The thread was in the middle of something else, but at a point where it holds
 * no lock of the loader's or the allocator's (cli/attach/tracee-safe.c). It has a stack
 * of some 200 KiB, and all signals blocked but those that it raises itself.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "preload/inside-slots.h"

int lttngmap_inside_run(struct inside_request *request);

static void tell(struct inside_request *request, enum inside_status status, const char *message)
{
	size_t length = message ? strnlen(message, INSIDE_MESSAGE_SIZE - 1) : 0;

	request->status = status;
	memcpy(request->message, message ? message : "", length);
	request->message[length] = '\0';
}

/* Has it been loaded? Such a one is not loaded again, so that nobody counts how often. */
static void *find_loaded(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);

	if (handle)
		dlclose(handle);
	return handle;
}

static bool load(struct inside_request *request, struct inside_library *library)
{
	if (find_loaded(library->path)) {
		library->was_loaded = 1;
		return true;
	}
	if (dlopen(library->path, RTLD_NOW | RTLD_LOCAL))
		return true;
	tell(request, INSIDE_NOT_FOUND, dlerror());
	return false;
}

/* Before a library with tracepoints looks for the daemon. */
static bool choose_directory(struct inside_request *request, const char *tracer)
{
	void *handle = find_loaded(tracer);
	const char *(*choose)(const char *);
	const char *other;

	if (!request->directory[0])
		return true;
	choose = handle ? (const char *(*)(const char *))dlsym(handle, "lttngmap_directory_choose")
			: NULL;
	if (!choose) {
		tell(request, INSIDE_NOT_FOUND, "an older liblttngmap is loaded there");
		return false;
	}
	other = choose(request->directory);
	if (other)
		tell(request, INSIDE_ELSEWHERE, other);
	return !other;
}

/* Every library is there before the first call is led to any. */
static bool load_all(struct inside_request *request)
{
	for (uint32_t i = 0; i < request->nr_libraries; i++) {
		if (!load(request, &request->libraries[i]))
			return false;
		if (request->libraries[i].kind == INSIDE_TRACER &&
		    !choose_directory(request, request->libraries[i].path))
			return false;
	}
	return true;
}

/*
 * Arm the probes that match the rules, and no others; to detach, none. The library's functions
 * are found by name: it was not there when this one was linked.
 */
static bool change_probes(struct inside_request *request, struct inside_library *library)
{
	void *handle = find_loaded(library->path);
	int (*choose)(const char *), (*armed)(void), (*refused)(char *, size_t), result, before;

	if (!handle)
		return true;
	choose = (int (*)(const char *))dlsym(handle, "lttngmap_sdt_select");
	armed = (int (*)(void))dlsym(handle, "lttngmap_sdt_armed");
	refused = (int (*)(char *, size_t))dlsym(handle, "lttngmap_sdt_refused");
	if (!choose || !armed || !refused) {
		tell(request, INSIDE_NO_PROBES, "an older liblttngmap-sdt.so is loaded there");
		return false;
	}
	before = armed();
	result = choose(request->action == INSIDE_ATTACH ? request->rules : "");
	if (result < 0) {
		tell(request, INSIDE_NO_PROBES, strerror(-result));
		return false;
	}
	library->was_loaded |= request->action == INSIDE_DETACH;
	library->changed = (uint32_t)(request->action == INSIDE_ATTACH ? result : before - result);
	/* An armed probe could not be removed yet. */
	library->refused = (uint32_t)(request->action == INSIDE_ATTACH
					      ? refused(request->refused, sizeof(request->refused))
					      : result);
	return true;
}

static void change_all(struct inside_request *request)
{
	struct inside_functions functions;

	for (uint32_t i = 0; i < request->nr_libraries; i++) {
		struct inside_library *library = &request->libraries[i];
		void *handle = library->kind == INSIDE_FAMILY ? find_loaded(library->path) : NULL;

		if (library->kind == INSIDE_SDT && !change_probes(request, library))
			return;
		if (!handle)
			continue;
		library->was_loaded |= request->action == INSIDE_DETACH;
		if (inside_functions_find(handle, &functions))
			inside_slots_change(&functions, request->action == INSIDE_ATTACH, library);
		else
			library->refused++;
	}
}

static bool is_sane(const struct inside_request *request)
{
	return request->magic == INSIDE_MAGIC && request->version == INSIDE_VERSION &&
	       request->size == sizeof(*request) && request->nr_libraries <= INSIDE_LIBRARIES_MAX &&
	       memchr(request->rules, '\0', sizeof(request->rules)) &&
	       (request->action == INSIDE_ATTACH || request->action == INSIDE_DETACH);
}

/* The request's status. errno is the command's to put back. */
__attribute__((visibility("default"))) int lttngmap_inside_run(struct inside_request *request)
{
	int cancel_state;

	if (!is_sane(request)) {
		tell(request, INSIDE_BAD, NULL);
		return INSIDE_BAD;
	}
	/* A thread that is about to be cancelled shall not be so in here. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	tell(request, INSIDE_DONE, NULL);
	if (request->action == INSIDE_DETACH || load_all(request))
		change_all(request);
	pthread_setcancelstate(cancel_state, NULL);
	return (int)request->status;
}
