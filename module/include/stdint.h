/* SPDX-License-Identifier: GPL-2.0 */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* libc's stdint.h, as far as the ring's core needs it. */
#ifndef MODULE_INCLUDE_STDINT_H
#define MODULE_INCLUDE_STDINT_H

#include <linux/limits.h>
#include <linux/types.h>

#define UINT32_MAX U32_MAX
#define UINT64_MAX U64_MAX
#define UINT64_C(value) value##ULL

#endif /* MODULE_INCLUDE_STDINT_H */
