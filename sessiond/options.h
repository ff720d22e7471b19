/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * options.h - the command line and the environment of lttngmap-sessiond.
 */
#ifndef SESSIOND_OPTIONS_H
#define SESSIOND_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sessiond/quota.h"

struct options {
	char *runtime_dir;            /* absolute */
	bool runtime_dir_chosen;      /* by us, not by whoever started us */
	char *mediator;               /* "ring-fs", "ring-socket" or "auto" */
	char *clock;                  /* "tsc", "monotonic" or "auto" */
	char *consumer;               /* a path, or "none" */
	bool private_instance;        /* ends with the parent */
	pid_t parent;                 /* whose programs alone it traces then */
	bool preloaded;               /* all programs are to register: name those that do not */
	bool supervise;               /* under a keeper */
	char *ring_dir;               /* rings are files in it; NULL: memory */
	bool forget;                  /* sessions end with the daemon */
	char *recover;                /* what a daemon left that was killed; NULL: serve */
	bool json;                    /* how that is told */
	struct quota_limits per_user; /* 0: the default */
};

/*
 * -1: go on. Else the status to exit with: the help or the version was
 * printed, or what is wrong was said.
 */
int options_parse(struct options *options, int argc, const char **argv);
void options_free(struct options *options);

#endif /* SESSIOND_OPTIONS_H */
