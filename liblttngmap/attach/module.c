/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * module.c - modules with tracepoints: their event classes in wire form, and
 * the words that turn them on.
 *
 * Runs in constructors and destructors, which the dynamic loader lets run one
 * at a time, and in the event that finds an attach request: the lock is for that one. The
 * list's links are changed by constructors and destructors alone, each by one
 * store, so that a child of fork finds it whole.
 */
#include "liblttngmap/attach/module.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include <lttngmap/event-class.h>

#include "common/protocol/protocol-app.h"
#include "liblttngmap/base/arch.h"
#include "liblttngmap/attach/attach.h"
#include "liblttngmap/base/descriptors.h"
#include "liblttngmap/attach/exchange.h"
#include "liblttngmap/attach/loaded.h"
#include "liblttngmap/base/local.h"
#include "liblttngmap/attach/sandbox.h"
#include "liblttngmap/base/vfork.h"

/* A daemon that was not there is not asked for again before this. */
#define RETRY_NS UINT64_C(1000000000)
/* The same while the next daemon is to come, and how long events count as lost for that. */
#define AWAY_RETRY_NS UINT64_C(10000000)
#define AWAY_MOST_NS UINT64_C(60000000000)

enum module_state {
	MODULE_NEW = 0,
	MODULE_LISTED = 1,
	/* Taken off while somebody else had the lock, who may be looking at it still. */
	MODULE_LEFT = 2,
	/* Its constructor did not get the lock: whoever holds it lists the module. */
	MODULE_LATE = 3,
};

struct wire {
	char *at;
	size_t left;
};

struct attach_request module_attach_request = {
	.magic = { ATTACH_REQUEST_MAGIC_FIRST, ATTACH_REQUEST_MAGIC_SECOND },
	.self = &module_attach_request,
	.version = ATTACH_REQUEST_VERSION,
	.size = sizeof(struct attach_request),
	.place = ATTACH_REQUEST_NO_PLACE,
};

static struct lttngmap_module *modules;
/* Those that are MODULE_LATE. Anybody adds one; only the lock's holder takes one off. */
static struct lttngmap_module *late_modules;
/* The holder: process id in the upper half, the thread's token in the lower; 0: free. */
static uint64_t lock;
/*
 * In a page that a fork wipes: 0 tells a child from whoever else shares this memory.
 * NULL: there is none yet.
 */
static uint32_t *not_forked;
static uint64_t retry_at;
static uint64_t away_until; /* 0: the daemon is not away */

static void list_late(void);

#define LOCK_PROCESS(holder) ((holder) >> 32)
#define LOCK_THREAD(holder) ((uint32_t)(holder))

/*
 * The lower half has bits of the thread pointer, which differ between threads and survive a fork.
 */
static uint64_t lock_token(void)
{
	uint64_t process = sandbox_is_on() ? UINT32_MAX : (uint64_t)arch_syscall(SYS_getpid);

	return process << 32 | (uint32_t)(arch_thread_token() >> 6);
}

/* Holders may wait so long that another thread forks meanwhile. */
static void prepare_for_forks(void)
{
	long page;

	if (not_forked)
		return;
	page = arch_syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page < 0 && page > -4096)
		return;
	if (arch_syscall(SYS_madvise, page, 4096, MADV_WIPEONFORK) < 0) {
		arch_syscall(SYS_munmap, page, 4096);
		return;
	}
	__atomic_store_n((uint32_t *)page, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&not_forked, (uint32_t *)page, __ATOMIC_RELEASE);
}

/*
 * In a child of fork, what another thread of its parent held is nobody's. Not so what
 * its first thread held, where a handler forked: that goes on in the child. And not in
 * a child that shares its parent's memory, as vfork's: there the holder is at work.
 */
static bool is_nobody(uint64_t holder, uint64_t self)
{
	const uint32_t *mark = __atomic_load_n(&not_forked, __ATOMIC_ACQUIRE);

	if (vfork_depth || sandbox_is_on() || !mark || __atomic_load_n(mark, __ATOMIC_RELAXED) ||
	    LOCK_PROCESS(holder) == LOCK_PROCESS(self))
		return false;
	return LOCK_THREAD(holder) != LOCK_THREAD(self) ||
	       (uint64_t)arch_syscall(SYS_gettid) != LOCK_PROCESS(self);
}

/* False: *holder has it. */
static bool try_lock(uint64_t self, uint64_t *holder)
{
	*holder = 0;
	while (!__atomic_compare_exchange_n(&lock, holder, self, false, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED)) {
		if (!is_nobody(*holder, self))
			return false;
	}
	/* The next one to ask is to find this holder, who is in this process. */
	if (not_forked)
		__atomic_store_n(not_forked, 1, __ATOMIC_RELAXED);
	return true;
}

bool module_lock(enum module_patience patience)
{
	uint64_t self = lock_token(), deadline = 0, holder;

	while (!try_lock(self, &holder)) {
		/* There is no waiting without a system call. */
		if (sandbox_is_on())
			return false;
		if (!deadline)
			deadline = exchange_now() +
				   (patience == MODULE_GOING ? attach_patience_ms() : patience) *
					   UINT64_C(1000000);
		/* A signal's handler that ends the program may have come to the holder itself. */
		if (LOCK_THREAD(holder) == LOCK_THREAD(self) || exchange_now() >= deadline)
			return false;
		exchange_pause(100000);
	}
	return true;
}

/* Pairs with come_late(): one of the two finds what the other has stored. */
void module_unlock(void)
{
	uint64_t holder;

	do {
		if (!vfork_depth)
			list_late();
		__atomic_store_n(&lock, 0, __ATOMIC_SEQ_CST);
	} while (!vfork_depth && __atomic_load_n(&late_modules, __ATOMIC_SEQ_CST) &&
		 try_lock(lock_token(), &holder));
}

static bool put(struct wire *wire, const void *bytes, size_t size)
{
	if (size > wire->left)
		return false;
	memcpy(wire->at, bytes, size);
	wire->at += size;
	wire->left -= size;
	return true;
}

static bool put_enum(struct wire *wire, const struct lttngmap_enum *enumeration)
{
	if (!put(wire, enumeration->name, strlen(enumeration->name)))
		return false;
	for (uint32_t i = 0; i < enumeration->nr_values; i++) {
		const struct lttngmap_enum_value *value = &enumeration->values[i];
		struct protocol_app_enum_value head = {
			.first = value->first,
			.last = value->last,
			.label_length = (uint8_t)strnlen(value->label, LTTNGMAP_NAME_MAX),
		};

		if (!put(wire, &head, sizeof(head)) || !put(wire, value->label, head.label_length))
			return false;
	}
	return true;
}

static bool put_field(struct wire *wire, const struct lttngmap_field *field)
{
	const struct lttngmap_enum *enumeration =
		field->kind == LTTNGMAP_FIELD_ENUM ? field->enumeration : NULL;
	struct protocol_app_field head = {
		.kind = field->kind,
		.size = field->size,
		.flags = field->flags,
		.base = field->base,
		.count = field->count,
		.name_length = (uint8_t)strnlen(field->name, LTTNGMAP_NAME_MAX),
	};

	if (enumeration) {
		if (enumeration->nr_values > LTTNGMAP_ENUM_VALUES_MAX)
			return false;
		head.enum_name_length = (uint8_t)strnlen(enumeration->name, LTTNGMAP_NAME_MAX);
		head.nr_values = (uint16_t)enumeration->nr_values;
	}
	return put(wire, &head, sizeof(head)) && put(wire, field->name, head.name_length) &&
	       (!enumeration || put_enum(wire, enumeration));
}

/*
 * False, and *wire as it was, when there is no room, or the class is not to be
 * sent. That of a call whose provider is not there is NULL.
 */
static bool put_class(struct wire *wire, const struct lttngmap_event_class *class)
{
	struct protocol_app_class head = {
		.provider_length = (uint8_t)strnlen(class->provider, LTTNGMAP_NAME_MAX),
		.name_length = (uint8_t)strnlen(class->name, LTTNGMAP_NAME_MAX),
		.nr_fields = (uint8_t) class->nr_fields,
		.loglevel = (uint8_t) class->loglevel,
	};
	struct wire start = *wire;
	bool fits = class->nr_fields <= LTTNGMAP_FIELDS_MAX && put(wire, &head, sizeof(head)) &&
		    put(wire, class->provider, head.provider_length) &&
		    put(wire, class->name, head.name_length);

	for (uint32_t i = 0; fits && i < class->nr_fields; i++)
		fits = put_field(wire, &class->fields[i]);
	if (!fits)
		*wire = start;
	return fits;
}

static void turn_on(struct lttngmap_tracepoint *const *tracepoints, const uint16_t *ids,
		    uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (ids[i] == PROTOCOL_APP_NO_ID)
			continue;
		tracepoints[i]->id = ids[i];
		/* Release: the id is there for who finds the word on. */
		__atomic_store_n(&tracepoints[i]->word, &local_pages->control->event_words[ids[i]],
				 __ATOMIC_RELEASE);
	}
}

/* Off, until a daemon sends an attach request. */
static void park(const struct lttngmap_module *module)
{
	for (struct lttngmap_tracepoint *const *at = module->begin; at < module->end; at++)
		if ((*at)->event_class)
			__atomic_store_n(&(*at)->word, &module_attach_request.word,
					 __ATOMIC_RELEASE);
}

static void park_all(void)
{
	for (const struct lttngmap_module *module = modules; module; module = module->next)
		park(module);
}

/* The same of what was not recorded. */
static void park_unrecorded(const struct lttngmap_module *module)
{
	for (struct lttngmap_tracepoint *const *at = module->begin; at < module->end; at++)
		if ((*at)->event_class &&
		    __atomic_load_n((*at)->word, __ATOMIC_RELAXED) == ATTACH_REQUEST_WORD)
			__atomic_store_n(&(*at)->word, &module_attach_request.word,
					 __ATOMIC_RELEASE);
}

/* There is no daemon: all is off, or counts as lost for a while. */
static void park_or_wait(void)
{
	const uint64_t now = exchange_now();

	if (!attach_daemon_comes_again() || (away_until && now >= away_until)) {
		park_all();
		return;
	}
	if (!away_until)
		away_until = now + AWAY_MOST_NS;
	__atomic_store_n(&retry_at, now + AWAY_RETRY_NS, __ATOMIC_RELAXED);
	for (const struct lttngmap_module *module = modules; module; module = module->next)
		park_unrecorded(module);
}

/* Was the next daemon looked for a moment ago? */
static bool is_too_soon(void)
{
	const uint64_t at = __atomic_load_n(&retry_at, __ATOMIC_RELAXED);

	return at && attach_daemon_left() && attach_daemon_comes_again() && exchange_now() < at &&
	       !__atomic_load_n(&module_attach_request.word, __ATOMIC_RELAXED);
}

static bool is_attached(void)
{
	return local_pages && attach_child(local_pages) == ATTACH_READY &&
	       (attach_has_socket(local_pages) ? attach_is_alive(local_pages)
					       : !descriptors_are_few());
}

/* Maximum size of a message and its answer. */
#define SCRATCH_SIZE (PROTOCOL_APP_MESSAGE_MAX + 8 + ATTACH_ANSWER_MAX)

/* Puts as many classes as one message holds. */
static uint32_t put_classes(struct wire *wire, struct lttngmap_tracepoint *const *begin,
			    struct lttngmap_tracepoint *const *end)
{
	uint32_t count = 0;

	while (begin + count < end && count < PROTOCOL_APP_CLASSES_MAX) {
		const struct lttngmap_event_class *class =
			__atomic_load_n(&begin[count]->event_class, __ATOMIC_ACQUIRE);

		if (!class || !put_class(wire, class))
			break;
		count++;
	}
	return count;
}

/*
 * Sends classes; the answer lies right behind them, so that few classes need but one page. Its ids,
 * or NULL: no more is to be sent.
 */
static const uint16_t *send_classes(int socket, uint64_t deadline, const char *scratch, size_t size,
				    uint32_t count)
{
	struct protocol_app_registered *answer =
		(struct protocol_app_registered *)(scratch + ((size + 7) & ~(size_t)7));
	enum attach_result result =
		socket >= 0 ? attach_first(socket, deadline, scratch, size, count, answer)
			    : attach_classes(scratch, size, count, answer->ids);

	return result == ATTACH_READY ? answer->ids : NULL;
}

/*
 * Send a module's tracepoints in as many messages as it takes; the first one
 * over *socket, which becomes -1: this process is attached. False: no more.
 */
static bool register_tracepoints(struct lttngmap_module *module, int *socket, uint64_t deadline,
				 char *scratch)
{
	const size_t room = PROTOCOL_APP_MESSAGE_MAX - sizeof(struct protocol_app_register);
	struct lttngmap_tracepoint *const *at = module->begin;

	while (at < module->end) {
		struct wire wire = { scratch, room };
		uint32_t count = put_classes(&wire, at, module->end);
		const uint16_t *ids;

		if (count == 0) { /* no class, or one too large for any message, stays off */
			at++;
			continue;
		}
		ids = send_classes(*socket, deadline, scratch, room - wire.left, count);
		*socket = -1;
		if (!ids)
			return false;
		turn_on(at, ids, count);
		at += count;
	}
	return true;
}

/* All modules over a new socket; or, where that is -1, `module`. */
static void announce(int socket, uint64_t deadline, struct lttngmap_module *module)
{
	bool all = socket >= 0;
	long scratch;

	prepare_for_forks();
	scratch = arch_syscall(SYS_mmap, NULL, SCRATCH_SIZE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (scratch > 0 || scratch <= -4096) {
		if (all)
			module = modules;
		while (module && register_tracepoints(module, &socket, deadline, (char *)scratch))
			module = all ? module->next : NULL;
		arch_syscall(SYS_munmap, scratch, SCRATCH_SIZE);
	}
	if (socket >= 0)
		arch_syscall(SYS_close, socket);
	else if (all && local_pages)
		descriptors_leave_few(local_pages);
}

/* Where there is no daemon, this is one failed connect. */
static void announce_one(struct lttngmap_module *module)
{
	uint64_t deadline = 0;
	int socket;

	if (is_attached()) {
		announce(-1, 0, module);
		return;
	}
	park(module);
	if (retry_at && exchange_now() < retry_at)
		return;
	socket = attach_connect(&deadline);
	if (socket >= 0)
		announce(socket, deadline, NULL);
	else
		retry_at = exchange_now() + RETRY_NS;
}

bool module_answer_attach_request(void)
{
	/* Only its value: which pages they are. Another thread may be at new ones. */
	const struct local *before = __atomic_load_n(&local_pages, __ATOMIC_RELAXED);
	uint64_t deadline, holder;
	int socket;

	/* A vfork's child would register as itself, with its parent's memory. */
	if (vfork_depth || sandbox_is_on() ||
	    !(attach_daemon_left() ||
	      __atomic_load_n(&module_attach_request.word, __ATOMIC_RELAXED)) ||
	    is_too_soon() || !try_lock(lock_token(), &holder))
		return false;
	if (__atomic_exchange_n(&module_attach_request.word, 0, __ATOMIC_ACQUIRE) ||
	    attach_daemon_left()) {
		socket = attach_connect(&deadline);
		if (socket >= 0)
			announce(socket, deadline, NULL);
		if (attach_daemon_left())
			park_or_wait();
		else
			away_until = 0;
	}
	module_unlock();
	return __atomic_load_n(&local_pages, __ATOMIC_RELAXED) != before;
}

bool module_register_again(struct local *stale)
{
	uint64_t deadline, holder;
	int socket;

	if (vfork_depth || sandbox_is_on() || !try_lock(lock_token(), &holder))
		return false;
	/*
	 * In a new range of address space: a word that still points into the old one is of an
	 * id that may be another class's, and is not written (event.c).
	 */
	if (local_pages == stale && attach_is_stale(stale)) {
		socket = attach_connect(&deadline);
		if (socket >= 0)
			announce(socket, deadline, NULL);
		attach_leave_stale(stale);
	}
	module_unlock();
	return __atomic_load_n(&local_pages, __ATOMIC_RELAXED) != stale;
}

void module_announce(struct lttngmap_module *module)
{
	if (module->state != MODULE_LISTED) {
		module->state = MODULE_LISTED;
		module->next = modules;
		__atomic_store_n(&modules, module, __ATOMIC_RELEASE);
	}
	announce_one(module);
}

/* Under the lock. A module is always on one of the two lists, for its destructor may not wait. */
static void list_late(void)
{
	struct lttngmap_module *module = __atomic_load_n(&late_modules, __ATOMIC_ACQUIRE);

	while (module) {
		if (__atomic_compare_exchange_n(&late_modules, &module, module->next, false,
						__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
			module_announce(module);
			module = __atomic_load_n(&late_modules, __ATOMIC_ACQUIRE);
		}
	}
}

/* The lock's holder did not release it in time: it lists the module when it does. */
static void come_late(struct lttngmap_module *module)
{
	struct lttngmap_module *first = __atomic_load_n(&late_modules, __ATOMIC_RELAXED);
	uint64_t holder;

	module->state = MODULE_LATE;
	do {
		module->next = first;
	} while (!__atomic_compare_exchange_n(&late_modules, &first, module, false,
					      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	if (try_lock(lock_token(), &holder))
		module_unlock();
}

void lttngmap_module_register(struct lttngmap_module *module)
{
	/* A vfork's child would register as itself, with its parent's memory. */
	if (vfork_depth || module->struct_size < sizeof(*module) || module->begin >= module->end)
		return;
	if (!module_lock(MODULE_COMING)) {
		if (module->state == MODULE_NEW)
			come_late(module);
		return;
	}
	if (module->state != MODULE_LISTED && module->state != MODULE_LATE)
		module_announce(module);
	module_unlock();
	lttngmap_loaded_changed();
}

/* False: another module was added before it meanwhile. */
static bool take_off(struct lttngmap_module **link, struct lttngmap_module *module)
{
	struct lttngmap_module *at;

	while ((at = __atomic_load_n(link, __ATOMIC_ACQUIRE)) && at != module)
		link = &at->next;
	return !at || __atomic_compare_exchange_n(link, &at, module->next, false, __ATOMIC_RELEASE,
						  __ATOMIC_RELAXED);
}

void lttngmap_module_unregister(struct lttngmap_module *module)
{
	bool locked;

	if (module->state != MODULE_LISTED && module->state != MODULE_LATE)
		return;
	locked = module_lock(MODULE_GOING);
	while (!take_off(&late_modules, module) || !take_off(&modules, module))
		;
	module->state = locked ? MODULE_NEW : MODULE_LEFT;
	for (struct lttngmap_tracepoint *const *at = module->begin; at < module->end; at++)
		__atomic_store_n(&(*at)->word, module->off, __ATOMIC_RELEASE);
	if (locked)
		module_unlock();
}
