/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * dl-caller.h - the calls behind wrappers of dlopen() and dlmopen().
 *
 * dlopen() of a name without a '/' looks where the library that calls it says
 * (DT_RUNPATH), and knows that one by its return address, which would be ours.
 * So where it matters the call is made with a return address in the caller: that
 * of a `ret` instruction in its code, which comes back to us. Not where shadow
 * stacks watch over that: then such a name is looked for in all places but these.
 *
 * Threads: any. errno and dlerror(): as the functions behind leave them.
 */
#ifndef PRELOAD_DL_CALLER_H
#define PRELOAD_DL_CALLER_H

#include <dlfcn.h>

/* next(filename, flags), as if `caller`, a return address, had called it. */
void *dl_caller_dlopen(void *(*next)(const char *, int), const void *caller, const char *filename,
		       int flags);
/* next(nsid, filename, flags), likewise. */
void *dl_caller_dlmopen(void *(*next)(Lmid_t, const char *, int), const void *caller, Lmid_t nsid,
			const char *filename, int flags);

#endif /* PRELOAD_DL_CALLER_H */
