/* SPDX-License-Identifier: GPL-2.0 */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* libc's stddef.h, as far as the ring's core needs it. */
#ifndef MODULE_INCLUDE_STDDEF_H
#define MODULE_INCLUDE_STDDEF_H

#include <linux/stddef.h>

#endif /* MODULE_INCLUDE_STDDEF_H */
