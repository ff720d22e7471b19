/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * lttng/tracepoint-event.h - the end of every header of tracepoints. Under
 * LTTNG_UST_TRACEPOINT_CREATE_PROBES, which one source file of a provider
 * defines, it has that header read again and makes all of its tracepoints, and
 * a constructor that tells liblttngmap of them; else it does nothing.
 *
 * No include guard: each header of tracepoints includes it anew.
 */
#ifndef LTTNGMAP_LTTNG_READING_

#undef LTTNGMAP_LTTNG_CREATE_
#ifdef LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNGMAP_LTTNG_CREATE_
#elif defined(TRACEPOINT_CREATE_PROBES) && defined(LTTNGMAP_LTTNG_OLD_NAMES_)
#define LTTNGMAP_LTTNG_CREATE_
#endif

#ifdef LTTNGMAP_LTTNG_CREATE_

#include <lttng/tracepoint-probe.h>

#define LTTNGMAP_LTTNG_READING_
#define LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ
#define TRACEPOINT_HEADER_MULTI_READ

#undef LTTNGMAP_LTTNG_INCLUDE_
#undef LTTNGMAP_LTTNG_PROVIDER_
#ifdef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNGMAP_LTTNG_INCLUDE_ LTTNG_UST_TRACEPOINT_INCLUDE
#elif defined(TRACEPOINT_INCLUDE)
#define LTTNGMAP_LTTNG_INCLUDE_ TRACEPOINT_INCLUDE
#elif defined(TRACEPOINT_INCLUDE_FILE) /* whose value has no quotation marks */
#define LTTNGMAP_LTTNG_QUOTE_(file) LTTNGMAP_LTTNG_QUOTE1_(file)
#define LTTNGMAP_LTTNG_QUOTE1_(file) #file
#define LTTNGMAP_LTTNG_INCLUDE_ LTTNGMAP_LTTNG_QUOTE_(TRACEPOINT_INCLUDE_FILE)
#else
#error "define LTTNG_UST_TRACEPOINT_INCLUDE, the name of this header of tracepoints"
#endif

/* One source file may have headers of both spellings: this one's is that of its name. */
#if defined(LTTNG_UST_TRACEPOINT_PROVIDER) &&                                                      \
	(defined(LTTNG_UST_TRACEPOINT_INCLUDE) || !defined(TRACEPOINT_PROVIDER))
#define LTTNGMAP_LTTNG_PROVIDER_ LTTNG_UST_TRACEPOINT_PROVIDER
#elif defined(TRACEPOINT_PROVIDER)
#define LTTNGMAP_LTTNG_PROVIDER_ TRACEPOINT_PROVIDER
#else
#error "define LTTNG_UST_TRACEPOINT_PROVIDER, the provider of these tracepoints"
#endif

/* A wrapper of something else may say where its events are. */
#undef LTTNGMAP_LTTNG_IP_
#ifdef LTTNG_UST_TP_IP_PARAM
#define LTTNGMAP_LTTNG_IP_ ((const void *)(LTTNG_UST_TP_IP_PARAM))
#elif defined(TP_IP_PARAM) && defined(LTTNGMAP_LTTNG_OLD_NAMES_)
#define LTTNGMAP_LTTNG_IP_ ((const void *)(TP_IP_PARAM))
#else
#define LTTNGMAP_LTTNG_IP_ __builtin_return_address(0)
#endif

#define LTTNGMAP_LTTNG_OF_(thing) LTTNGMAP_LTTNG_PASTE_(thing, LTTNGMAP_LTTNG_PROVIDER_)

#define LTTNGMAP_LTTNG_PASS_ 3
#include <lttng/tracepoint-pass.h>
#include LTTNGMAP_LTTNG_INCLUDE_

/*
 * A log level of no event is a warning, also under -Werror. For C, GCC looks at the end of the
 * source file what it is, so that the pragma stays.
 */
#if defined(__cplusplus) || defined(__clang__)
#pragma GCC diagnostic push
#endif
#pragma GCC diagnostic warning "-Wunused-function"
#define LTTNGMAP_LTTNG_PASS_ 4
#include <lttng/tracepoint-pass.h>
#include LTTNGMAP_LTTNG_INCLUDE_
#if defined(__cplusplus) || defined(__clang__)
#pragma GCC diagnostic pop
#endif

/* So is an instance that is never recorded: tracepoint-probe.h. */
#pragma GCC diagnostic push
#pragma GCC diagnostic warning "-Wdeprecated-declarations"
#define LTTNGMAP_LTTNG_PASS_ 5
#include <lttng/tracepoint-pass.h>
#include LTTNGMAP_LTTNG_INCLUDE_
#pragma GCC diagnostic pop

#define LTTNGMAP_LTTNG_PASS_ 6
#include <lttng/tracepoint-pass.h>
static struct lttngmap_tracepoint *const LTTNGMAP_LTTNG_OF_(lttngmap_lttng_list_)[] = {
#include LTTNGMAP_LTTNG_INCLUDE_
	NULL,
};

#define LTTNGMAP_LTTNG_PASS_ 7
#include <lttng/tracepoint-pass.h>
static const struct lttngmap_lttng_later_ LTTNGMAP_LTTNG_OF_(lttngmap_lttng_later_)[] = {
#include LTTNGMAP_LTTNG_INCLUDE_
	{ NULL, NULL, 0, NULL, 0 },
};

#define LTTNGMAP_LTTNG_PASS_ 8
#include <lttng/tracepoint-pass.h>
static struct lttngmap_emitter LTTNGMAP_LTTNG_OF_(lttngmap_lttng_emitters_)[] = {
#include LTTNGMAP_LTTNG_INCLUDE_
	{ NULL, NULL, NULL, NULL },
};

static struct lttngmap_module LTTNGMAP_LTTNG_OF_(lttngmap_lttng_module_) = {
	sizeof(struct lttngmap_module),
	0,
	LTTNGMAP_LTTNG_OF_(lttngmap_lttng_list_),
	LTTNGMAP_LTTNG_OF_(lttngmap_lttng_list_) +
		sizeof(LTTNGMAP_LTTNG_OF_(lttngmap_lttng_list_)) / sizeof(void *) - 1,
	NULL,
	&lttngmap_off_,
};

static struct lttngmap_provider LTTNGMAP_LTTNG_OF_(lttngmap_lttng_provider_) = {
	sizeof(struct lttngmap_provider),
	sizeof(LTTNGMAP_LTTNG_OF_(lttngmap_lttng_emitters_)) / sizeof(struct lttngmap_emitter) - 1,
	LTTNGMAP_LTTNG_OF_(lttngmap_lttng_emitters_),
	NULL,
};

static __attribute__((constructor(101))) void LTTNGMAP_LTTNG_OF_(lttngmap_lttng_enter_)(void)
{
	lttngmap_lttng_tell_later_(LTTNGMAP_LTTNG_OF_(lttngmap_lttng_later_),
				   sizeof(LTTNGMAP_LTTNG_OF_(lttngmap_lttng_later_)) /
					   sizeof(struct lttngmap_lttng_later_),
				   &LTTNGMAP_LTTNG_OF_(lttngmap_lttng_module_));
	lttngmap_module_register(&LTTNGMAP_LTTNG_OF_(lttngmap_lttng_module_));
	lttngmap_provider_register(&LTTNGMAP_LTTNG_OF_(lttngmap_lttng_provider_));
}

static __attribute__((destructor(101))) void LTTNGMAP_LTTNG_OF_(lttngmap_lttng_leave_)(void)
{
	lttngmap_provider_unregister(&LTTNGMAP_LTTNG_OF_(lttngmap_lttng_provider_));
	lttngmap_module_unregister(&LTTNGMAP_LTTNG_OF_(lttngmap_lttng_module_));
}

#undef LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ
#undef TRACEPOINT_HEADER_MULTI_READ
#undef LTTNGMAP_LTTNG_READING_

/* The rest of this source file declares again. */
#define LTTNGMAP_LTTNG_PASS_ 1
#include <lttng/tracepoint-pass.h>

#endif /* LTTNGMAP_LTTNG_CREATE_ */

/* The next header says its own name, in whatever spelling. */
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#undef TRACEPOINT_INCLUDE
#undef TRACEPOINT_INCLUDE_FILE

#endif /* LTTNGMAP_LTTNG_READING_ */
