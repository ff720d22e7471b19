/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * options.h - the command line and the environment of lttngmap-sessiond.
 */
#ifndef SESSIOND_OPTIONS_H
#define SESSIOND_OPTIONS_H

struct options;

/*
 * -1: go on. Else the status to exit with: the help or the version was
 * printed, or what is wrong was said.
 */
int options_parse(struct options *options, int argc, const char **argv);
void options_free(struct options *options);

#endif /* SESSIOND_OPTIONS_H */
