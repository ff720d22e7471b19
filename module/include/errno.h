/* SPDX-License-Identifier: GPL-2.0 */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* libc's errno.h, as far as the ring's core needs it. */
#ifndef MODULE_INCLUDE_ERRNO_H
#define MODULE_INCLUDE_ERRNO_H

#include <linux/errno.h>

#endif /* MODULE_INCLUDE_ERRNO_H */
