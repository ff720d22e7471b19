/* SPDX-License-Identifier: GPL-2.0 */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* libc's stdbool.h, as far as the ring's core needs it. */
#ifndef MODULE_INCLUDE_STDBOOL_H
#define MODULE_INCLUDE_STDBOOL_H

#include <linux/types.h>

#endif /* MODULE_INCLUDE_STDBOOL_H */
