/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* present-user.h - whose a process is now. */
#ifndef CLI_CLIENT_PRESENT_USER_H
#define CLI_CLIENT_PRESENT_USER_H

#include <stdint.h>

/*
 * The effective user of the process. A program may have changed it since it registered as user
 * `registered`, who is returned if the process cannot be looked up.
 */
uint64_t present_user(uint64_t pid, uint64_t registered);

#endif /* CLI_CLIENT_PRESENT_USER_H */
