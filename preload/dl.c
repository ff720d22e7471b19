/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * dl.c - liblttngmap-dl.so: which libraries are loaded, when, and where.
 *
 *   LD_PRELOAD=liblttngmap-dl.so PROGRAM
 *
 * Three providers, with the names and fields that readers of LTTng traces know:
 *
 *   lttng_ust_dl         the calls of dlopen, dlmopen and dlclose
 *   lttng_ust_lib        each library that comes and goes by them, those included
 *                        that others need
 *   lttng_ust_statedump  what is loaded, at the first event that the process
 *                        writes after a session has started: there is no thread
 *                        in the process that could do it earlier, and no event
 *                        before it that would need it. The first event of any
 *                        family begins this one (early.h)
 *
 * A call that fails is dlopen_failed, which is a name of our own.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/prctl.h>

#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

#include "preload/dl-caller.h"
#include "liblttngmap/attach/loaded.h"
#include "preload/dl-objects.h"

#define NEXT_FUNCTIONS(X) X(dlopen) X(dlmopen) X(dlclose)

#include "preload/next.h"

#define LEVEL LTTNGMAP_LOGLEVEL_DEBUG_LINE

LTTNGMAP_TRACEPOINT(lttng_ust_dl, dlopen, LEVEL,
	(pointer, baddr), (integer, uint64_t, memsz), (hex, int, flags), (string, path),
	(integer, uint8_t, has_build_id), (integer, uint8_t, has_debug_link));
LTTNGMAP_TRACEPOINT(lttng_ust_dl, dlmopen, LEVEL,
	(pointer, baddr), (integer, uint64_t, memsz), (integer, long, nsid), (hex, int, flags),
	(string, path), (integer, uint8_t, has_build_id), (integer, uint8_t, has_debug_link));
LTTNGMAP_TRACEPOINT(lttng_ust_dl, dlopen_failed, LEVEL,
	(hex, int, flags), (string, path));
LTTNGMAP_TRACEPOINT(lttng_ust_dl, build_id, LEVEL,
	(pointer, baddr), (sequence_hex, uint8_t, build_id));
LTTNGMAP_TRACEPOINT(lttng_ust_dl, debug_link, LEVEL,
	(pointer, baddr), (integer, uint32_t, crc), (string, filename));
LTTNGMAP_TRACEPOINT(lttng_ust_dl, dlclose, LEVEL,
	(pointer, baddr));

LTTNGMAP_TRACEPOINT(lttng_ust_lib, load, LEVEL,
	(pointer, baddr), (integer, uint64_t, memsz), (string, path),
	(integer, uint8_t, has_build_id), (integer, uint8_t, has_debug_link));
LTTNGMAP_TRACEPOINT(lttng_ust_lib, build_id, LEVEL,
	(pointer, baddr), (sequence_hex, uint8_t, build_id));
LTTNGMAP_TRACEPOINT(lttng_ust_lib, debug_link, LEVEL,
	(pointer, baddr), (integer, uint32_t, crc), (string, filename));
LTTNGMAP_TRACEPOINT(lttng_ust_lib, unload, LEVEL,
	(pointer, baddr));

LTTNGMAP_TRACEPOINT(lttng_ust_statedump, start, LEVEL);
LTTNGMAP_TRACEPOINT(lttng_ust_statedump, bin_info, LEVEL,
	(pointer, baddr), (integer, uint64_t, memsz), (string, path), (integer, uint8_t, is_pic),
	(integer, uint8_t, has_build_id), (integer, uint8_t, has_debug_link));
LTTNGMAP_TRACEPOINT(lttng_ust_statedump, build_id, LEVEL,
	(pointer, baddr), (sequence_hex, uint8_t, build_id));
LTTNGMAP_TRACEPOINT(lttng_ust_statedump, debug_link, LEVEL,
	(pointer, baddr), (integer, uint32_t, crc), (string, filename));
LTTNGMAP_TRACEPOINT(lttng_ust_statedump, procname, LEVEL,
	(text, procname, 16));
LTTNGMAP_TRACEPOINT(lttng_ust_statedump, end, LEVEL);

#define BADDR(object) ((const void *)(uintptr_t)DL_OBJECT_FIELD(object, baddr))
#define HAS_BUILD_ID(object) ((object)->build_id_size != 0)
#define HAS_DEBUG_LINK(object) ((object)->debug_link[0] != '\0')

/* The two events that follow one that says has_build_id and has_debug_link. */
#define EMIT_DETAILS(ip, provider, object)                                                         \
	do {                                                                                       \
		if (HAS_BUILD_ID(object))                                                          \
			lttngmap_tracepoint_at(ip, provider, build_id, BADDR(object),              \
					       (object)->build_id, (object)->build_id_size);       \
		if (HAS_DEBUG_LINK(object))                                                        \
			lttngmap_tracepoint_at(ip, provider, debug_link, BADDR(object),            \
					       (object)->crc, (object)->debug_link);               \
	} while (0)

/* ---- the state ------------------------------------------------------------------- */

/* In the thread of whatever event came first, which may be a signal handler's. */
static void dump_state(void)
{
	const struct dl_object *object;
	char procname[16] = "";

	lttngmap_tracepoint(lttng_ust_statedump, start);
	if (lttngmap_tracepoint_enabled(lttng_ust_statedump, bin_info) ||
	    lttngmap_tracepoint_enabled(lttng_ust_statedump, build_id) ||
	    lttngmap_tracepoint_enabled(lttng_ust_statedump, debug_link)) {
		for (object = dl_objects_first(); object;
		     object = __atomic_load_n(&object->next, __ATOMIC_ACQUIRE)) {
			if (!__atomic_load_n(&object->is_live, __ATOMIC_ACQUIRE))
				continue;
			lttngmap_tracepoint(lttng_ust_statedump, bin_info, BADDR(object),
					    DL_OBJECT_FIELD(object, memsz), object->path,
					    object->is_pic, HAS_BUILD_ID(object),
					    HAS_DEBUG_LINK(object));
			EMIT_DETAILS(__builtin_return_address(0), lttng_ust_statedump, object);
		}
	}
	if (lttngmap_tracepoint_enabled(lttng_ust_statedump, procname)) {
		prctl(PR_GET_NAME, procname);
		lttngmap_tracepoint(lttng_ust_statedump, procname, procname);
	}
	lttngmap_tracepoint(lttng_ust_statedump, end);
}

static struct lttngmap_statedump statedump = {
	.struct_size = sizeof(statedump),
	.write = dump_state,
};

/*
 * Called before the first event of any family, or by the constructor. Objects loaded with the
 * program are not reported as new.
 */
void lttngmap_dl_begin(void)
{
	static bool has_begun;
	struct dl_object *object;

	if (__atomic_exchange_n(&has_begun, true, __ATOMIC_ACQ_REL))
		return;
	lttngmap_module_register(&lttngmap_module_);
	dl_objects_update();
	for (object = dl_objects_news(); object; object = object->next)
		__atomic_store_n(&object->news, 0, __ATOMIC_RELAXED);
	lttngmap_statedump_register(&statedump);
}

static __attribute__((constructor)) void see_at_start(void)
{
	lttngmap_dl_begin();
}

/* ---- news ------------------------------------------------------------------------- */

static void emit_load(const void *ip, const struct dl_object *object)
{
	lttngmap_tracepoint_at(ip, lttng_ust_lib, load, BADDR(object),
			       DL_OBJECT_FIELD(object, memsz), object->path, HAS_BUILD_ID(object),
			       HAS_DEBUG_LINK(object));
	EMIT_DETAILS(ip, lttng_ust_lib, object);
}

/*
 * Without the loader's lock, for an event may have to wait. Two threads may be
 * here; each change is told by one of them. Where they load and unload
 * the same library at the same moment, it may be told in either order, or that
 * it went and came again not at all.
 */
static void update(const void *ip)
{
	struct dl_object *object;

	lttngmap_loaded_changed();
	dl_objects_update();
	for (object = dl_objects_news(); object;
	     object = __atomic_load_n(&object->next, __ATOMIC_ACQUIRE)) {
		uint32_t news = __atomic_exchange_n(&object->news, 0, __ATOMIC_ACQUIRE);
		bool is_live = __atomic_load_n(&object->is_live, __ATOMIC_ACQUIRE);

		if ((news & DL_OBJECT_LOADED) && !is_live)
			emit_load(ip, object);
		if (news & DL_OBJECT_UNLOADED)
			lttngmap_tracepoint_at(ip, lttng_ust_lib, unload, BADDR(object));
		if ((news & DL_OBJECT_LOADED) && is_live)
			emit_load(ip, object);
	}
}

/* ---- calls -------------------------------------------------------------------------- */

/* Description in the event of an object that is not in the list: one of another namespace. */
struct described {
	const void *baddr;
	uint64_t memsz;
	const char *path;
};

static const struct dl_object *describe(void *handle, struct described *described)
{
	struct link_map *map = handle;
	const struct dl_object *object = dl_objects_find(map->l_ld);

	if (object)
		*described = (struct described){ BADDR(object), DL_OBJECT_FIELD(object, memsz),
						 object->path };
	else
		*described = (struct described){ (const void *)map->l_addr, 0, map->l_name };
	return object;
}

void *dlopen(const char *filename, int flags)
{
	const void *ip = __builtin_return_address(0);
	void *handle = dl_caller_dlopen(NEXT(dlopen), ip, filename, flags);
	const struct dl_object *object;
	struct described it;

	if (!handle) {
		lttngmap_tracepoint_at(ip, lttng_ust_dl, dlopen_failed, flags, filename);
		return NULL;
	}
	update(ip);
	object = describe(handle, &it);
	lttngmap_tracepoint_at(ip, lttng_ust_dl, dlopen, it.baddr, it.memsz, flags, it.path,
			       object && HAS_BUILD_ID(object), object && HAS_DEBUG_LINK(object));
	if (object)
		EMIT_DETAILS(ip, lttng_ust_dl, object);
	return handle;
}

void *dlmopen(Lmid_t nsid, const char *filename, int flags)
{
	const void *ip = __builtin_return_address(0);
	void *handle = dl_caller_dlmopen(NEXT(dlmopen), ip, nsid, filename, flags);
	const struct dl_object *object;
	struct described it;

	if (!handle) {
		lttngmap_tracepoint_at(ip, lttng_ust_dl, dlopen_failed, flags, filename);
		return NULL;
	}
	update(ip);
	object = describe(handle, &it);
	lttngmap_tracepoint_at(ip, lttng_ust_dl, dlmopen, it.baddr, it.memsz, nsid, flags, it.path,
			       object && HAS_BUILD_ID(object), object && HAS_DEBUG_LINK(object));
	if (object)
		EMIT_DETAILS(ip, lttng_ust_dl, object);
	return handle;
}

int dlclose(void *handle)
{
	const void *ip = __builtin_return_address(0);
	struct described it;
	int result;

	if (lttngmap_tracepoint_enabled(lttng_ust_dl, dlclose)) {
		describe(handle, &it);
		lttngmap_tracepoint_at(ip, lttng_ust_dl, dlclose, it.baddr);
	}
	result = NEXT(dlclose)(handle);
	update(ip);
	return result;
}
