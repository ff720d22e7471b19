/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * dl-caller.h - the calls behind wrappers of dlopen() and dlmopen().
 *
 * For a name without a '/', dlopen() searches the DT_RUNPATH of the library that calls it, and
 * finds that library by the return address. Behind a wrapper that would be the wrapper's. So where
 * it matters the wrapper calls with a return address in the caller: that of a `ret` instruction in
 * its code, which leads back to the wrapper. With shadow stacks it cannot: then DT_RUNPATH is not
 * searched.
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
