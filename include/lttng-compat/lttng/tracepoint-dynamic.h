/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * lttng/tracepoint-dynamic.h - calls of tracepoints whose provider the program
 * is not linked with: it is preloaded, or comes by dlopen(), or never. For
 * lttng/tracepoint.h, under LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE.
 *
 * Such a program is not linked with liblttngmap either, but loads it when it
 * starts, if it is there, and shows it its placeholders: liblttngmap leads each to
 * all tracepoints of its name, whichever of the two comes first. The placeholders
 * are weak: a provider that is in the same program takes their place.
 */
#ifndef LTTNGMAP_LTTNG_TRACEPOINT_DYNAMIC_H
#define LTTNGMAP_LTTNG_TRACEPOINT_DYNAMIC_H

#include <dlfcn.h>

#include <lttngmap/event-class.h>

/* clang-format off */

/*
 * Keeps the caller's list in the program, by this and by nothing else: some linkers drop a section
 * whose only uses are its __start_ and __stop_ symbols (-z start-stop-gc).
 */
#define LTTNGMAP_LTTNG_KEEP_(listed) __asm__ volatile("" : : "r"(&(listed)))

#define LTTNGMAP_LTTNG_STAND_IN_(provider, name, args)                                             \
	__attribute__((weak)) struct lttngmap_tracepoint                                           \
		lttngmap_lttng_tracepoint_##provider##___##name = { &lttngmap_lttng_off_, NULL, 0, 0 }; \
	static struct lttngmap_emitter *lttngmap_lttng_found_##provider##___##name;                \
	static const struct lttngmap_call lttngmap_lttng_call_##provider##___##name = {            \
		#provider, #name, #args, &lttngmap_lttng_tracepoint_##provider##___##name,         \
		&lttngmap_lttng_found_##provider##___##name                                        \
	};                                                                                         \
	static const struct lttngmap_call *const lttngmap_lttng_call_at_##provider##___##name      \
		__attribute__((used, section("lttngmap_lttng_calls"))) =                           \
			&lttngmap_lttng_call_##provider##___##name;                                \
	static struct lttngmap_tracepoint *const lttngmap_lttng_called_at_##provider##___##name    \
		__attribute__((used, section("lttngmap_lttng_called"))) =                          \
			&lttngmap_lttng_tracepoint_##provider##___##name;                          \
	__attribute__((weak, noinline)) void lttngmap_lttng_emit_##provider##___##name(            \
		LTTNGMAP_LTTNG_PARAMETERS_ args const void *lttngmap_ip)                           \
	{                                                                                          \
		const struct lttngmap_emitter *lttngmap_found =                                    \
			__atomic_load_n(&lttngmap_lttng_found_##provider##___##name,               \
					__ATOMIC_ACQUIRE);                                         \
                                                                                                   \
		LTTNGMAP_LTTNG_KEEP_(lttngmap_lttng_call_at_##provider##___##name);                \
		LTTNGMAP_LTTNG_KEEP_(lttngmap_lttng_called_at_##provider##___##name);              \
		if (!lttngmap_ip)                                                                  \
			lttngmap_ip = __builtin_return_address(0);                                 \
		while (lttngmap_found) {                                                           \
			if (lttngmap_is_on_(lttngmap_found->tracepoint))                           \
				((__typeof__(lttngmap_lttng_emit_##provider##___##name) *)         \
					 lttngmap_found->emit)(                                    \
					LTTNGMAP_LTTNG_NAMES_ args lttngmap_ip);                   \
			lttngmap_found = __atomic_load_n(&lttngmap_found->next, __ATOMIC_ACQUIRE); \
		}                                                                                  \
	}

/* clang-format on */

#ifdef __cplusplus
extern "C" {
#endif

/* One for the whole module, as in lttngmap/tracepoint.h. */
#define LTTNGMAP_LTTNG_OF_MODULE_ __attribute__((weak, visibility("hidden")))

extern const struct lttngmap_call *const __start_lttngmap_lttng_calls[] LTTNGMAP_LTTNG_OF_MODULE_;
extern const struct lttngmap_call *const __stop_lttngmap_lttng_calls[] LTTNGMAP_LTTNG_OF_MODULE_;
extern struct lttngmap_tracepoint *const __start_lttngmap_lttng_called[] LTTNGMAP_LTTNG_OF_MODULE_;
extern struct lttngmap_tracepoint *const __stop_lttngmap_lttng_called[] LTTNGMAP_LTTNG_OF_MODULE_;

extern const uint64_t lttngmap_lttng_off_ LTTNGMAP_LTTNG_OF_MODULE_;
const uint64_t lttngmap_lttng_off_ = 0;

extern struct lttngmap_calls lttngmap_lttng_calls_ LTTNGMAP_LTTNG_OF_MODULE_;
struct lttngmap_calls lttngmap_lttng_calls_ = {
	sizeof(struct lttngmap_calls),
	0,
	__start_lttngmap_lttng_calls,
	__stop_lttngmap_lttng_calls,
	NULL,
	{ sizeof(struct lttngmap_module), 0, __start_lttngmap_lttng_called,
	  __stop_lttngmap_lttng_called, NULL, &lttngmap_lttng_off_ },
};

extern unsigned int lttngmap_lttng_users_ LTTNGMAP_LTTNG_OF_MODULE_;
unsigned int lttngmap_lttng_users_ = 0;
/* liblttngmap, which is never unloaded. */
extern void *lttngmap_lttng_library_ LTTNGMAP_LTTNG_OF_MODULE_;
void *lttngmap_lttng_library_ = NULL;

#ifdef __cplusplus
}
#endif

static inline __attribute__((unused)) void lttngmap_lttng_tell_(const char *name)
{
	void (*tell)(struct lttngmap_calls *) = NULL;
	void *symbol = lttngmap_lttng_library_ ? dlsym(lttngmap_lttng_library_, name) : NULL;

	if (!symbol)
		return;
	__builtin_memcpy(&tell, &symbol, sizeof(tell));
	tell(&lttngmap_lttng_calls_);
}

static __attribute__((constructor(101))) void lttngmap_lttng_calls_enter_(void)
{
	if (lttngmap_lttng_users_++ != 0)
		return;
	lttngmap_lttng_library_ = dlopen("liblttngmap.so.0", RTLD_LAZY);
	lttngmap_lttng_tell_("lttngmap_calls_register");
}

static __attribute__((destructor(101))) void lttngmap_lttng_calls_leave_(void)
{
	if (--lttngmap_lttng_users_ == 0)
		lttngmap_lttng_tell_("lttngmap_calls_unregister");
}

#endif /* LTTNGMAP_LTTNG_TRACEPOINT_DYNAMIC_H */
