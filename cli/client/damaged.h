/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* damaged.h - describes the rings that were closed because their processes damaged them. */
#ifndef CLI_CLIENT_DAMAGED_H
#define CLI_CLIENT_DAMAGED_H

#include <json-c/json.h>

#define DAMAGED_TEXT_SIZE 384

/*
 * Describes "closed_rings", "damagers" and "claimed" of an answer: "2 rings closed, damaged by
 * evil (4711); claimed, which nobody can check: 1,000 more events lost". "": none.
 */
char *damaged_describe(struct json_object *answer, char text[DAMAGED_TEXT_SIZE]);

#endif /* CLI_CLIENT_DAMAGED_H */
